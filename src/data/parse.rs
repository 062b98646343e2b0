//! The files of a dataset to its examples, checked against the shape that the registry gives.

use std::sync::Arc;

use super::binary::BinaryRows;
use super::categorical::{Attribute, CategoricalRows, MISSING};
use super::content::Parsed;
use super::corpus::{Bag, Corpus};
use super::error::DataError;
use super::format::attribute_csv::{self, Record};
use super::format::{Document, Malformed, Unreadable};
use super::format::{binary_csv, idx, labelled_lines, reuters_sgml, text_files, unpacked};
use super::integrity::Integrity;
use super::numeric::NumericRows;
use super::packed::{PackedRows, words_for};
use super::registry::{Encoding, Entry, FileEntry, Format, Kind, Place, Role, Rows, Source};
use super::{Examples, Labels};

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

    /// The bytes as they were before they were packed, if they are no archive; `size` is a guess at their
    /// number.
    fn unpacked(self, size: usize) -> Result<(Vec<u8>, String), DataError> {
        let Self { bytes, encoding, name, .. } = self;
        match unpacked(bytes, encoding, size) {
            Ok(bytes) => Ok((bytes, name)),
            Err(source) => Err(DataError::Packed { file: name, source }),
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
        let size = 2 * expected * entry.shape.variables;
        let (text, name) = read(file)?.unpacked(size)?;
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
    let mut corpus = Corpus::new(classes);
    for file in files {
        let content = read(file)?;
        let part = (file.role != Role::All).then_some(file.role);
        let mut sink = |document: Document<'_>| {
            corpus.push(&Document { part: document.part.or(part), ..document });
        };
        match &file.format {
            Format::LabelledLines(charset) => {
                let (text, name) = content.unpacked(1 << 20)?;
                labelled_lines::read(&text, *charset, &mut sink).map_err(in_file(&name))?;
            }
            Format::ReutersSgml(charset) => {
                let (text, name) = content.unpacked(1 << 20)?;
                reuters_sgml::read(&text, *charset, &mut sink).map_err(in_file(&name))?;
            }
            Format::TextFiles { documents, content: of, charset } => {
                let Content { bytes, folder, name, .. } = content;
                let folder = folder.as_deref();
                text_files::read(&bytes[..], folder, documents, *charset, *of, &mut sink).map_err(
                    |error| match error {
                        Unreadable::Archive(source) => DataError::Packed { file: name, source },
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
    }
    let Bag { vocabulary, rows, labels, folds, parts } = corpus.finish();
    let all = "the dataset";
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
    let mut words = Vec::with_capacity(entry.shape.rows.total() * words_for(size));
    let mut of_example = Vec::with_capacity(entry.shape.rows.total());
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let (bytes, name) = read(file)?.unpacked(expected * (size + 1) + 16)?;
        if file.format == Format::IdxLabels {
            let labels = idx::labels(&bytes, classes).map_err(in_file(&name))?;
            check(entry, &name, "labels", expected, labels.len())?;
            of_example.extend(labels.iter().map(|&label| u32::from(label)));
        } else {
            let images = idx::images(&bytes).map_err(in_file(&name))?;
            check(entry, &name, "pixels an image", size, images.size)?;
            check(entry, &name, "images", expected, images.pixels.len() / images.size)?;
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
    let mut records: Vec<Vec<Option<String>>> = Vec::new();
    let labels = attributes(entry, files, read, &mut |record| {
        records.push(record.values.iter().map(|value| value.map(str::to_owned)).collect());
        Ok(())
    })?;
    let of_column = |column: usize| {
        let mut values: Vec<String> =
            records.iter().filter_map(|record| record[column].clone()).collect();
        values.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Attribute { values, missing: records.iter().any(|record| record[column].is_none()) }
    };
    let all: Vec<Attribute> = (0..entry.shape.variables).map(of_column).collect();
    let most = all.iter().map(|attribute| attribute.values.len()).max().unwrap_or(0);
    if most > usize::from(MISSING) {
        let expected = usize::from(MISSING);
        check(entry, "the dataset", "values of an attribute", expected, most)?;
    }
    let mut rows = CategoricalRows::new(Arc::new(all.clone()));
    let mut codes = Vec::with_capacity(all.len());
    for record in &records {
        codes.clear();
        codes.extend(record.iter().zip(&all).map(|(value, attribute)| {
            let known = |name: &String| Some(name) == value.as_ref();
            attribute.values.iter().position(known).map_or(MISSING, |code| code as u16)
        }));
        rows.push(&codes);
    }
    Ok(Parsed { examples: Examples::Categorical(rows), labels: Some(labels), folds: None })
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
    let mut names: Vec<String> = Vec::new();
    for file in files {
        // The registry lets no other format into such a dataset.
        let Format::AttributeCsv(columns) = file.format else { continue };
        let before = names.len();
        let (text, name) = read(file)?.unpacked(1 << 16)?;
        let mut record = |record: &Record<'_>| {
            names.push(record.class.to_owned());
            sink(record)
        };
        attribute_csv::read(&text, entry.shape.variables, columns, &mut record)
            .map_err(in_file(&name))?;
        check(entry, &name, "rows", entry.shape.rows.of(file.role), names.len() - before)?;
    }
    let mut classes = names.clone();
    classes.sort();
    classes.dedup();
    let expected = entry.shape.classes.unwrap_or(classes.len());
    check(entry, "the dataset", "classes", expected, classes.len())?;
    let class = |name: &String| classes.binary_search(name).map_or(0, |class| class as u32);
    let of_example = names.iter().map(class).collect();
    Ok(Labels { classes, of_example })
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
    Err(DataError::Shape { dataset, place, what, expected, found })
}
