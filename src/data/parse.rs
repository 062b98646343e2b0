//! The files of a dataset to its examples, checked against the shape that the registry gives.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::arrays::{self, Held};
use super::content::Parsed;
use super::corpus::{Bag, Corpus};
use super::error::DataError;
use super::format::arff::{self, Arff};
use super::format::attribute_csv::{self, Record};
use super::format::npz::Npz;
use super::format::{
    Document, Malformed, Unreadable, binary_csv, csv, excerpt, idx, labelled_lines, libsvm,
    openml_splits, reuters_sgml, text_files, unpacked,
};
use super::integrity::Integrity;
use super::marks::{self, Marks, Moment};
use super::registry::{Entry, FileEntry, Format, Place, Source};
use super::tabular::{Builder, Columns, Refused};
use super::vocabulary::{Charset, Encoding, Kind, Role, Rows, Shape, Target};
use super::{Labels, Targets, limits};
use contract::Examples;
use contract::binary::BinaryRows;
use contract::categorical::MISSING;
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
        Kind::Categorical { .. } | Kind::Numeric { .. } => tabular(entry, files, read),
    }
}

fn binary(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let mut rows = BinaryRows::new(entry.shape.variables);
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let (found, name) = match &file.format {
            Format::NpyFeatures | Format::Npz { .. } => {
                let (features, _) = held(file, files, read)?;
                let found = arrays::binary(&features, &entry.shape, expected, &mut rows)?;
                (found, features.file)
            }
            Format::BinaryCsv => {
                let size = 2 * bytes(expected, entry.shape.variables);
                let (text, name) = read(file)?.unpacked(limits::with_room(size))?;
                (binary_csv::parse(&text, &mut rows).map_err(in_file(&name))?, name)
            }
            _ => return Err(foreign(entry, file)),
        };
        check(entry, &name, "rows", expected, found)?;
    }
    Ok(Parsed {
        examples: Examples::Binary(rows),
        targets: Targets::None,
        folds: None,
        columns: None,
        marks: Marks::default(),
        kept: entry.shape.rows,
    })
}

fn text(
    entry: &Entry,
    classes: &[String],
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
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
                            DataError::Malformed { file: name, fault: source }
                        }
                    },
                )?;
            }
            _ => return Err(foreign(entry, file)),
        }
        at_most(entry, "documents", documents, most(documents), corpus.documents())?;
        at_most(entry, "distinct tokens", tokens, most(tokens), corpus.tokens())?;
    }
    let bag = corpus.finish();
    check_bag(entry, &bag)?;
    let Bag { rows, labels, folds, .. } = bag;
    Ok(Parsed {
        examples: Examples::Binary(rows),
        targets: Targets::Classes(labels),
        folds,
        columns: None,
        marks: Marks::default(),
        kept: entry.shape.rows,
    })
}

/// Checks that documents are what the registry says.
fn check_bag(entry: &Entry, bag: &Bag) -> Result<(), DataError> {
    let check =
        |what: &'static str, expected, found| check(entry, "the dataset", what, expected, found);
    let Bag { vocabulary, rows, labels, folds, parts } = bag;
    if let (Some(found), Rows::Split { train, valid, test }) = (parts, entry.shape.rows) {
        let what = ["training documents", "validation documents", "test documents"];
        for ((what, expected), found) in what.into_iter().zip([train, valid, test]).zip(found) {
            check(what, expected, *found)?;
        }
    }
    check("documents", entry.shape.rows.total(), rows.len())?;
    check("distinct tokens", entry.shape.variables, vocabulary.len())?;
    let classes = labels.classes.len();
    check("classes", entry.shape.classes().unwrap_or(classes), classes)?;
    if let (Some(expected), Some(folds)) = (entry.shape.folds, folds) {
        let found = folds.iter().max().map_or(0, |&last| last as usize + 1);
        check("folds", expected, found)?;
    }
    Ok(())
}

fn images(
    entry: &Entry,
    threshold: u8,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<Parsed, DataError> {
    let size = entry.shape.variables;
    let classes = entry.shape.classes().unwrap_or(0);
    let mut words = Vec::new();
    let mut of_example = Vec::new();
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let most = limits::with_room(bytes(expected, size));
        let (bytes, name) = read(file)?.unpacked(most)?;
        match &file.format {
            Format::IdxLabels => {
                let labels = idx::labels(&bytes, classes).map_err(in_file(&name))?;
                check(entry, &name, "labels", expected, labels.len())?;
                of_example.extend(labels.iter().map(|&label| u32::from(label)));
            }
            Format::IdxImages => {
                let images = idx::images(&bytes).map_err(in_file(&name))?;
                check(entry, &name, "pixels an image", size, images.size)?;
                check(entry, &name, "images", expected, images.pixels.len() / images.size)?;
                words.reserve(expected * words_for(size));
                let pixels = images.pixels.chunks_exact(size);
                pixels.for_each(|image| pack(image, threshold, &mut words));
            }
            _ => return Err(foreign(entry, file)),
        }
    }
    let classes = (0..classes).map(|class| class.to_string()).collect();
    Ok(Parsed {
        examples: Examples::Packed(PackedRows::new(size, words)),
        targets: Targets::Classes(Labels { classes, of_example }),
        folds: None,
        columns: None,
        marks: Marks::default(),
        kept: entry.shape.rows,
    })
}

/// Attributes and numbers, of either format.
fn tabular(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let mut growing = Growing::new(entry);
    for file in files {
        match &file.format {
            Format::NpyFeatures | Format::Npz { .. } => {
                let (features, targets) = held(file, files, read)?;
                growing.arrays(&features, targets.as_ref(), file.role)?;
            }
            // It is read with its examples.
            Format::NpyTarget => {}
            format => {
                let (text, name) = read(file)?.unpacked(limits::TEXT)?;
                match format {
                    Format::AttributeCsv(columns) => {
                        growing.attribute_csv(&text, &name, *columns, file.role)
                    }
                    Format::Csv(layout) => growing.csv(&text, &name, layout, file.role),
                    Format::Arff(layout) => growing.arff(&text, &name, layout, file.role),
                    Format::Libsvm => growing.libsvm(&text, &name, file.role),
                    Format::OpenmlSplits => growing.splits(&text, &name, file.role),
                    _ => Err(foreign(entry, file)),
                }?;
            }
        }
    }
    growing.finish()
}

/// A dataset of columns, while its files are read.
struct Growing<'e> {
    entry: &'e Entry,
    /// Whether its columns are numbers, unless a layout says otherwise.
    numbers: bool,
    builder: Builder,
    attributes: Option<Vec<String>>,
    marked: Marked,
    folds: Option<Vec<u32>>,
}

impl<'e> Growing<'e> {
    fn new(entry: &'e Entry) -> Self {
        Self {
            entry,
            numbers: matches!(entry.kind, Kind::Numeric { .. }),
            builder: Builder::new(entry.kind.preprocessing().missing, entry.shape.target),
            attributes: None,
            marked: Marked::default(),
            folds: None,
        }
    }

    /// How many rows there may be once a file of this role is read.
    fn most(&self, role: Role) -> usize {
        self.builder.seen() + limits::with_room(self.entry.shape.rows.of(role) as u64) as usize
    }

    /// Checks that a file of this role held as many rows as it should.
    fn came(&self, name: &str, role: Role, before: usize) -> Result<(), DataError> {
        let expected = self.entry.shape.rows.of(role);
        check(self.entry, name, "rows", expected, self.builder.seen() - before)
    }

    fn arrays(
        &mut self,
        features: &Held,
        targets: Option<&Held>,
        role: Role,
    ) -> Result<(), DataError> {
        let Some(targets) = targets else { return Ok(()) };
        let shape = &self.entry.shape;
        let expected = shape.rows.of(role);
        let found = arrays::numeric(features, targets, shape, expected, &mut self.builder)?;
        check(self.entry, &features.file, "rows", expected, found)
    }

    fn attribute_csv(
        &mut self,
        text: &[u8],
        name: &str,
        columns: attribute_csv::Columns,
        role: Role,
    ) -> Result<(), DataError> {
        let (before, most) = (self.builder.seen(), self.most(role));
        let Self { entry, numbers, builder, .. } = self;
        let mut row = |record: &Record<'_>| {
            if builder.seen() == most {
                return Err(record.beyond(most - before));
            }
            builder.begin(record.values.iter().map(|_| !*numbers));
            let pushed = builder.push(Some(record.class), record.values);
            pushed.map_err(|refused| refused_value(record, refused))
        };
        attribute_csv::read(text, entry.shape.variables, columns, &mut row)
            .map_err(in_file(name))?;
        self.came(name, role, before)
    }

    /// What takes the rows of a table, of which these attributes have names.
    fn rows<'s>(&'s mut self, categories: &'s [String], role: Role) -> TableRows<'s> {
        let most = self.most(role);
        let Self { entry, numbers, builder, attributes, marked, .. } = self;
        let categories = numbers.then_some(categories);
        TableRows { shape: &entry.shape, categories, attributes, builder, marked, most }
    }

    fn csv(
        &mut self,
        text: &[u8],
        name: &str,
        layout: &csv::Layout,
        role: Role,
    ) -> Result<(), DataError> {
        let before = self.builder.seen();
        csv::read(text, layout, &mut self.rows(&layout.categories, role))
            .map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn arff(
        &mut self,
        text: &[u8],
        name: &str,
        layout: &csv::Layout,
        role: Role,
    ) -> Result<(), DataError> {
        let before = self.builder.seen();
        let text = arff::text(text, layout.charset).map_err(in_table(name))?;
        let arff = Arff::new(&text).map_err(in_table(name))?;
        let categories = arff.categories();
        arff.read(layout, &mut self.rows(&categories, role)).map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn libsvm(&mut self, text: &[u8], name: &str, role: Role) -> Result<(), DataError> {
        let (before, variables) = (self.builder.seen(), self.entry.shape.variables);
        // Its lines may be shorter than the rows that they stand for.
        let room = 2 * self.entry.shape.rows.of(role) + FEW_VALUES / variables.max(1) + 1;
        let most = self.most(role).min(before + room);
        let builder = &mut self.builder;
        let mut row = |line: usize, target: &str, values: &[Option<&str>]| {
            if builder.seen() == most {
                return Err(too_many(line));
            }
            builder.begin(values.iter().map(|_| false));
            let pushed = builder.push(Some(target), values);
            pushed.map_err(|_| {
                let what = format!("{} is no number", excerpt(target));
                csv::Fault::in_line(line, what, NO_TARGET)
            })
        };
        libsvm::read(text, variables, &mut row).map_err(in_table(name))?;
        self.came(name, role, before)
    }

    fn splits(&mut self, text: &[u8], name: &str, role: Role) -> Result<(), DataError> {
        let shape = &self.entry.shape;
        let text = arff::text(text, Charset::Utf8).map_err(in_table(name))?;
        let found = openml_splits::folds(&text, shape.rows.of(role)).map_err(in_table(name))?;
        let count = found.iter().max().map_or(0, |&last| last as usize + 1);
        check(self.entry, name, "folds", shape.folds.unwrap_or(count), count)?;
        self.folds = Some(found);
        Ok(())
    }

    fn finish(self) -> Result<Parsed, DataError> {
        let Self { entry, builder, attributes, marked, folds, .. } = self;
        if let Target::Classes(expected) = entry.shape.target {
            check(entry, "the dataset", "classes", expected, builder.classes())?;
        }
        let kept = builder.kept(entry.shape.rows);
        let folds = folds.map(|folds| builder.of_kept(folds));
        let marks = marked.of_kept(&builder);
        let Columns { examples, targets } = builder.finish();
        Ok(Parsed { examples, columns: attributes, targets, marks, folds, kept })
    }
}

/// The array of the examples in a file, and that of their targets, in it or in the file of the same role.
fn held(
    file: &FileEntry,
    files: &[FileEntry],
    read: Read<'_>,
) -> Result<(Held, Option<Held>), DataError> {
    let (bytes, name) = read(file)?.unpacked(limits::TEXT)?;
    let Format::Npz { features, target } = &file.format else {
        let of_role =
            |other: &&FileEntry| other.role == file.role && other.format == Format::NpyTarget;
        let target = files.iter().find(of_role).map(|target| read(target)?.unpacked(limits::TEXT));
        let whole = |(bytes, file)| Held { file, name: None, bytes };
        return Ok((whole((bytes, name)), target.transpose()?.map(whole)));
    };
    let mut archive = Npz::of(&bytes).map_err(in_table(&name))?;
    let mut array = |array: &String| -> Result<Held, DataError> {
        let bytes = archive.array(array).map_err(in_table(&name))?;
        Ok(Held { file: name.clone(), name: Some(array.clone()), bytes })
    };
    let features = array(features)?;
    Ok((features, target.as_ref().map(array).transpose()?))
}

/// So many values that no line has are made of a sparse file beyond twice those that `shape` says.
const FEW_VALUES: usize = 1 << 20;

/// What is wrong with a value of a line.
fn refused_value(record: &Record<'_>, refused: Refused) -> Malformed {
    let (attribute, expected, found) = match refused {
        Refused::NoNumber(at) | Refused::Missing(Some(at)) => {
            return record.no_number(at);
        }
        Refused::ManyNames(at) => {
            (at, format!("at most {MISSING} values of attribute {}", at + 1), "one more".to_owned())
        }
        Refused::Missing(None) => (0, "a class".to_owned(), "nothing".to_owned()),
        // The registry lets no target that is a number into such a file.
        Refused::NoTarget => (0, "a number".to_owned(), record.class.to_owned()),
    };
    record.malformed(attribute, expected, found)
}

/// What to do about a target that is no number.
const NO_TARGET: &str =
    "correct the value; if the target is a class, `shape` gives their number, `classes`";

fn too_many(line: usize) -> csv::Fault {
    csv::Fault::in_line(line, "there are many more rows than `shape` says", "correct `shape`")
}

/// What marks the rows that came, those that are left out too; empty where no column says it.
#[derive(Default)]
struct Marked {
    groups: Vec<String>,
    times: Vec<Moment>,
}

impl Marked {
    fn add(&mut self, row: &csv::Row<'_>) -> Result<(), csv::Fault> {
        if let Some((column, group)) = row.group {
            let missing = || row.fault_in(column, "the group is missing".to_owned(), MARKED);
            self.groups.push(group.ok_or_else(missing)?.to_owned());
        }
        if let Some((column, time)) = row.time {
            let missing = || row.fault_in(column, "the time is missing".to_owned(), MARKED);
            let text = time.ok_or_else(missing)?;
            let moment = Moment::parse(text).ok_or_else(|| {
                let what = format!("{} is no time", excerpt(text));
                row.fault_in(
                    column,
                    what,
                    "write numbers, or dates such as 2026-11-23 or 2026-11-23T10:51:48",
                )
            })?;
            if self.times.first().is_some_and(|first| !first.comparable(&moment)) {
                let what = format!("{} is of another kind than the first time", excerpt(text));
                return Err(row.fault_in(
                    column,
                    what,
                    "write numbers in all rows, or dates in all",
                ));
            }
            self.times.push(moment);
        }
        Ok(())
    }

    fn of_kept(self, builder: &Builder) -> Marks {
        let groups = (!self.groups.is_empty()).then(|| builder.of_kept(self.groups));
        let times = (!self.times.is_empty()).then(|| builder.of_kept(self.times));
        Marks {
            groups: groups.map(|groups| marks::numbered(&groups)),
            times: times.map(|times| marks::ranked(&times)),
        }
    }
}

/// What to do about a row without its mark.
const MARKED: &str = "write one in every row; a split could not tell where the row belongs";

/// The rows of a table on their way into columns.
struct TableRows<'a> {
    shape: &'a Shape,
    /// The attributes that have names; none where all have.
    categories: Option<&'a [String]>,
    /// Those of the first file.
    attributes: &'a mut Option<Vec<String>>,
    builder: &'a mut Builder,
    marked: &'a mut Marked,
    /// With how many rows reading ends.
    most: usize,
}

impl csv::Sink for TableRows<'_> {
    fn begin(&mut self, attributes: &[&str]) -> Result<(), csv::Fault> {
        let found = attributes.len();
        let expected = self.shape.variables;
        if found != expected {
            let what = format!("it has {found} attributes, but `shape` says {expected} variables");
            let cure = format!("set variables = {found}, or name the columns in `attributes`");
            return Err(csv::Fault::in_line(1, what, cure));
        }
        let own = || attributes.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        if *self.attributes.get_or_insert_with(own) != attributes {
            let what = "its attributes are not those of the first file";
            let cure = "name the columns in `attributes`, the same for every file";
            return Err(csv::Fault::in_line(1, what, cure));
        }
        let categories: Option<HashSet<&str>> =
            self.categories.map(|named| named.iter().map(String::as_str).collect());
        let named = |name: &str| categories.as_ref().is_none_or(|named| named.contains(name));
        self.builder.begin(attributes.iter().map(|&name| named(name)));
        Ok(())
    }

    fn row(&mut self, row: &csv::Row<'_>) -> Result<(), csv::Fault> {
        if self.builder.seen() == self.most {
            return Err(too_many(row.line));
        }
        self.marked.add(row)?;
        let classes = matches!(self.shape.target, Target::Classes(_));
        if let Some(class) = row.target.filter(|class| classes && !csv::is_class_name(class)) {
            let what = format!("{} is no class name", excerpt(class));
            let cure = "a class name has at most 200 characters, and none of `/`, `;` and `=`";
            return Err(row.fault(None, what, cure));
        }
        self.builder.push(row.target, row.values).map_err(|refused| match refused {
            Refused::NoNumber(at) => row.no_number(at),
            Refused::ManyNames(at) => {
                let what = format!("it has more than {MISSING} different names");
                row.fault(Some(at), what, "leave the column out of `attributes`")
            }
            Refused::Missing(Some(at)) => row.fault(
                Some(at),
                "the value is missing".to_owned(),
                "say what is done about missing values: missing = \"drop\", \"median\" or \"category\"",
            ),
            Refused::Missing(None) => row.fault(
                None,
                format!("the {} is missing", if classes { "class" } else { "target" }),
                "correct the file, or leave such rows out: missing = \"drop\"",
            ),
            Refused::NoTarget => row.no_target(),
        })
    }
}

/// Appends the words of an image whose pixels are ones where they are above the threshold.
fn pack(image: &[u8], threshold: u8, words: &mut Vec<u64>) {
    words.extend(image.chunks(64).map(|pixels| {
        let bit = |(at, &pixel): (usize, &u8)| u64::from(pixel > threshold) << at;
        pixels.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
    }));
}

fn in_file(name: &str) -> impl FnOnce(Malformed) -> DataError {
    |fault| DataError::Malformed { file: name.to_owned(), fault }
}

fn in_table(name: &str) -> impl Fn(csv::Fault) -> DataError {
    |fault| DataError::Table { file: name.to_owned(), fault: Box::new(fault) }
}

/// A file whose format no dataset of this kind has: the registry lets none in.
fn foreign(entry: &Entry, file: &FileEntry) -> DataError {
    DataError::Foreign {
        dataset: entry.id.clone(),
        kind: entry.kind.word(),
        file: file.sources.first().map_or_else(String::new, Source::to_string),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    /// The registry refuses them before; a format that no reader knows must not be read as another.
    #[test]
    fn a_format_of_another_kind_is_refused() {
        let registry = Registry::built_in().unwrap();
        for (id, format) in [
            ("nltcs", Format::Libsvm),
            ("reuters-8", Format::BinaryCsv),
            ("mnist", Format::BinaryCsv),
            ("iris", Format::IdxImages),
        ] {
            let entry = registry.get(id).unwrap();
            let mut files = entry.files().to_vec();
            files.iter_mut().for_each(|file| file.format = format.clone());
            let mut read = |_: &FileEntry| -> Result<Content, DataError> {
                Ok(Content {
                    bytes: Vec::new(),
                    encoding: Encoding::Plain,
                    folder: None,
                    name: String::new(),
                })
            };
            let error = parse(entry, &files, &mut read).err().unwrap().to_string();
            let says = format!(
                "dataset `{id}` is of kind `{}`, and no such dataset has",
                entry.kind.word()
            );
            assert!(error.starts_with(&says), "{error}");
        }
    }
}
