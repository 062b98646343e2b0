//! The files of a dataset to its examples, checked against the shape that the registry gives.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::content::Parsed;
use super::corpus::{Bag, Corpus};
use super::error::DataError;
use super::format::attribute_csv::{self, Record};
use super::format::{
    Document, Malformed, Unreadable, binary_csv, idx, labelled_lines, reuters_sgml, text_files,
    unpacked,
};
use super::integrity::Integrity;
use super::registry::{Entry, FileEntry, Format, Place, Source};
use super::vocabulary::{Encoding, Kind, Role, Rows};
use super::{Labels, limits};
use contract::Examples;
use contract::binary::BinaryRows;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::numeric::NumericRows;
use contract::packed::{PackedRows, words_for};

/// The bytes of a file, checked, with what to call it in errors.
pub(super) struct Content {
    bytes: Vec<u8>,
    encoding: Encoding,
    /// The folder of an archive that counts, if not all of it does.
    folder: Option<String>,
    name: String,
}

impl Content {
    /// The bytes of a source.
    pub fn new(bytes: Vec<u8>, source: &Source, name: String) -> Self {
        let folder = match &source.place {
            Place::Remote(remote) => remote.integrity.folder(),
            Place::Local { integrity, .. } => integrity.as_ref().and_then(Integrity::folder),
        };
        Self { bytes, encoding: source.encoding, folder: folder.map(str::to_owned), name }
    }

    /// The bytes as they were before they were packed, if they are no archive and at most `most`.
    fn unpacked(self, most: u64) -> Result<(Vec<u8>, String), DataError> {
        let Self { bytes, encoding, name, .. } = self;
        match unpacked(bytes, encoding, most) {
            Ok(bytes) => Ok((bytes, name)),
            Err(error) => Err(DataError::packed(name, error)),
        }
    }
}

/// Gives the bytes of a file.
type Read<'a> = &'a mut dyn FnMut(&FileEntry) -> Result<Content, DataError>;

/// The examples of an entry's files.
///
/// # Errors
/// If a file can't be had, is malformed, or does not hold what the registry says.
pub(super) fn parse(
    entry: &Entry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    match &entry.kind {
        Kind::Binary => binary(entry, files, read),
        Kind::Text { classes, .. } => text(entry, classes, files, read),
        Kind::Image { threshold } => images(entry, *threshold, files, read),
        Kind::Categorical => categorical(entry, files, read),
        Kind::Numeric { .. } => numeric(entry, files, read),
    }
}

fn binary(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let mut rows = BinaryRows::new(entry.shape.variables);
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let size = 2 * bytes(expected, entry.shape.variables);
        let (text, name) = read(file)?.unpacked(limits::with_room(size))?;
        let found = binary_csv::parse(&text, &mut rows).map_err(in_file(&name))?;
        check(entry, &name, "rows", expected, found)?;
    }
    Ok(Parsed { examples: Examples::Binary(rows), labels: None, folds: None })
}

fn text(
    entry: &Entry,
    classes: &[String],
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    let all = "the dataset";
    let most = |expected: usize| limits::with_room(expected as u64) as usize;
    let (documents, tokens) = (entry.shape.rows.total(), entry.shape.variables);
    let mut corpus = Corpus::new(classes);
    for file in files {
        let content = read(file)?;
        let part = (file.role != Role::All).then_some(file.role);
        let mut sink = |document: Document<'_>| {
            corpus.push(&Document { part: document.part.or(part), ..document });
            if corpus.documents() > most(documents) || corpus.tokens() > most(tokens) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        match &file.format {
            Format::LabelledLines(charset) => {
                let (text, name) = content.unpacked(limits::TEXT)?;
                labelled_lines::read(&text, *charset, &mut sink).map_err(in_file(&name))?;
            }
            Format::ReutersSgml(charset) => {
                let (text, name) = content.unpacked(limits::TEXT)?;
                reuters_sgml::read(&text, *charset, &mut sink).map_err(in_file(&name))?;
            }
            Format::TextFiles { documents, content: of, charset } => {
                let Content { bytes, folder, name, .. } = content;
                let folder = folder.as_deref();
                text_files::read(&bytes[..], folder, documents, *charset, *of, &mut sink).map_err(
                    |error| match error {
                        Unreadable::Archive(error) => DataError::packed(name, error),
                        Unreadable::Malformed(source) => {
                            DataError::Malformed { file: name, source }
                        }
                    },
                )?;
            }
            // The registry lets no other format into a text dataset.
            Format::BinaryCsv | Format::IdxImages | Format::IdxLabels | Format::AttributeCsv(_) => {
            }
        }
        at_most(entry, "documents", documents, most(documents), corpus.documents())?;
        at_most(entry, "distinct tokens", tokens, most(tokens), corpus.tokens())?;
    }
    let Bag { vocabulary, rows, labels, folds, parts } = corpus.finish();
    if let (Some(found), Rows::Split { train, valid, test }) = (parts, entry.shape.rows) {
        let what = ["training documents", "validation documents", "test documents"];
        for ((what, expected), found) in what.into_iter().zip([train, valid, test]).zip(found) {
            check(entry, all, what, expected, found)?;
        }
    }
    check(entry, all, "documents", entry.shape.rows.total(), rows.len())?;
    check(entry, all, "distinct tokens", entry.shape.variables, vocabulary.len())?;
    let classes = labels.classes.len();
    check(entry, all, "classes", entry.shape.classes.unwrap_or(classes), classes)?;
    if let (Some(expected), Some(folds)) = (entry.shape.folds, &folds) {
        let found = folds.iter().max().map_or(0, |&last| last as usize + 1);
        check(entry, all, "folds", expected, found)?;
    }
    Ok(Parsed { examples: Examples::Binary(rows), labels: Some(labels), folds })
}

fn images(
    entry: &Entry,
    threshold: u8,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    let size = entry.shape.variables;
    let classes = entry.shape.classes.unwrap_or(0);
    let mut words = Vec::new();
    let mut of_example = Vec::new();
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let most = limits::with_room(bytes(expected, size));
        let (bytes, name) = read(file)?.unpacked(most)?;
        if file.format == Format::IdxLabels {
            let labels = idx::labels(&bytes, classes).map_err(in_file(&name))?;
            check(entry, &name, "labels", expected, labels.len())?;
            of_example.extend(labels.iter().map(|&label| u32::from(label)));
        } else {
            let images = idx::images(&bytes).map_err(in_file(&name))?;
            check(entry, &name, "pixels an image", size, images.size)?;
            check(entry, &name, "images", expected, images.pixels.len() / images.size)?;
            words.reserve(expected * words_for(size));
            images.pixels.chunks_exact(size).for_each(|image| pack(image, threshold, &mut words));
        }
    }
    let classes = (0..classes).map(|class| class.to_string()).collect();
    Ok(Parsed {
        examples: Examples::Packed(PackedRows::new(size, words)),
        labels: Some(Labels { classes, of_example }),
        folds: None,
    })
}

/// Attributes keep the names that their values have in the files: shorter ones first, else in
/// alphabetical order, so that numbers ascend.
fn categorical(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let mut columns: Vec<Column> = Vec::new();
    // One row after another, codes of the values by their first occurrence.
    let mut codes: Vec<u16> = Vec::new();
    let labels = attributes(entry, files, read, &mut |record| {
        columns.resize_with(record.values.len(), Column::default);
        for (attribute, (column, value)) in columns.iter_mut().zip(record.values).enumerate() {
            codes.push(match value {
                Some(value) => column.code(value).ok_or_else(|| {
                    let most = format!("at most {MISSING} values of attribute {}", attribute + 1);
                    record.malformed(attribute, most, "one more".to_owned())
                })?,
                None => MISSING,
            });
        }
        Ok(())
    })?;
    columns.resize_with(entry.shape.variables, Column::default);
    let (attributes, sorted): (Vec<Attribute>, Vec<Vec<u16>>) = columns
        .into_iter()
        .enumerate()
        .map(|(column, values)| {
            let of_column = codes.iter().skip(column).step_by(entry.shape.variables);
            values.sorted(of_column.clone().any(|&code| code == MISSING))
        })
        .unzip();
    let mut rows = CategoricalRows::new(Arc::new(attributes));
    for row in codes.chunks_exact_mut(entry.shape.variables) {
        for (code, sorted) in row.iter_mut().zip(&sorted) {
            *code = sorted.get(usize::from(*code)).copied().unwrap_or(MISSING);
        }
        rows.push(row);
    }
    Ok(Parsed { examples: Examples::Categorical(rows), labels: Some(labels), folds: None })
}

/// The values of an attribute, by their first occurrence.
#[derive(Default)]
struct Column(HashMap<Box<str>, u16>);

impl Column {
    /// The code of a value; none if there are more values than codes.
    fn code(&mut self, value: &str) -> Option<u16> {
        if let Some(&code) = self.0.get(value) {
            return Some(code);
        }
        let code = u16::try_from(self.0.len()).ok().filter(|&code| code < MISSING)?;
        self.0.insert(value.into(), code);
        Some(code)
    }

    /// The attribute, and the place of each code's value among the sorted ones.
    fn sorted(self, missing: bool) -> (Attribute, Vec<u16>) {
        let mut values: Vec<(Box<str>, u16)> = self.0.into_iter().collect();
        values.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut place = vec![0; values.len()];
        (0..).zip(&values).for_each(|(at, (_, code))| place[usize::from(*code)] = at);
        let values = values.into_iter().map(|(value, _)| value.into()).collect();
        (Attribute { values, missing }, place)
    }
}

fn numeric(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let columns = entry.shape.variables;
    let mut values = Vec::new();
    let labels = attributes(entry, files, read, &mut |record| {
        for column in 0..columns {
            values.push(record.number(column)?);
        }
        Ok(())
    })?;
    let examples = Examples::Numeric(NumericRows::new(columns, values));
    Ok(Parsed { examples, labels: Some(labels), folds: None })
}

/// Gives the lines of files to `sink`, and returns their classes, in alphabetical order.
fn attributes(
    entry: &Entry,
    files: &[FileEntry],
    read: Read<'_>,
    sink: &mut dyn FnMut(&Record<'_>) -> Result<(), Malformed>,
) -> Result<Labels, DataError> {
    // Classes are numbered by their first occurrence until all are known.
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut of_example: Vec<u32> = Vec::new();
    for file in files {
        // The registry lets no other format into such a dataset.
        let Format::AttributeCsv(columns) = file.format else { continue };
        let before = of_example.len();
        let expected = entry.shape.rows.of(file.role);
        let most = limits::with_room(expected as u64) as usize;
        let (text, name) = read(file)?.unpacked(limits::TEXT)?;
        let mut record = |record: &Record<'_>| {
            if of_example.len() - before == most {
                return Err(record.beyond(most));
            }
            of_example.push(match names.get(record.class) {
                Some(&class) => class,
                None => {
                    let class = names.len() as u32;
                    names.insert(record.class.to_owned(), class);
                    class
                }
            });
            sink(record)
        };
        attribute_csv::read(&text, entry.shape.variables, columns, &mut record)
            .map_err(in_file(&name))?;
        check(entry, &name, "rows", expected, of_example.len() - before)?;
    }
    let expected = entry.shape.classes.unwrap_or(names.len());
    check(entry, "the dataset", "classes", expected, names.len())?;
    let mut place = vec![0; names.len()];
    (0..).zip(names.values()).for_each(|(at, &class)| place[class as usize] = at);
    let of_example = of_example.into_iter().map(|class| place[class as usize]).collect();
    Ok(Labels { classes: names.into_keys().collect(), of_example })
}

/// Appends the words of an image whose pixels are ones where they are above the threshold.
fn pack(image: &[u8], threshold: u8, words: &mut Vec<u64>) {
    words.extend(image.chunks(64).map(|pixels| {
        let bit = |(at, &pixel): (usize, &u8)| u64::from(pixel > threshold) << at;
        pixels.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
    }));
}

fn in_file(name: &str) -> impl FnOnce(Malformed) -> DataError {
    |source| DataError::Malformed { file: name.to_owned(), source }
}

/// Bytes of so many rows with a byte a variable.
fn bytes(rows: usize, variables: usize) -> u64 {
    (rows as u64).saturating_mul(variables as u64 + 1).saturating_add(16)
}

/// Compares a number that was counted up to a limit with the registry's.
fn at_most(
    entry: &Entry,
    what: &'static str,
    expected: usize,
    most: usize,
    found: usize,
) -> Result<(), DataError> {
    if found <= most {
        return Ok(());
    }
    let (dataset, place) = (entry.id.clone(), "the dataset".to_owned());
    Err(DataError::Shape { dataset, place, what, expected, found: format!("more than {most}") })
}

/// Compares a number with the registry's.
fn check(
    entry: &Entry,
    place: &str,
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), DataError> {
    if found == expected {
        return Ok(());
    }
    let (dataset, place) = (entry.id.clone(), place.to_owned());
    Err(DataError::Shape { dataset, place, what, expected, found: found.to_string() })
}
