//! The files of a dataset to its examples, checked against the shape that the registry gives.

mod columns;

use std::ops::ControlFlow;

use contract::Examples;
use contract::binary::BinaryRows;
use contract::packed::{PackedRows, words_for};

use super::arrays;
use super::content::{Parsed, plain};
use super::corpus::{Bag, Corpus};
use super::error::{DataError, Refused, no};
use super::format::{
    Document, Unreadable, binary_csv, idx, labelled_lines, reuters_sgml, text_files, unpacked,
};
use super::registry::{Entry, FileEntry, Format, Source};
use super::vocabulary::{Encoding, Kind, Parts, Role, Rows, Target};
use super::{Labels, Targets, limits};
use columns::{held, tabular};

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
        let folder = source.place.integrity().and_then(|integrity| integrity.folder.clone());
        Self { bytes, encoding: source.encoding, folder, name }
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
    match entry.kind {
        Kind::Binary if entry.shape.target == Target::None => binary(entry, files, read),
        Kind::Text => text(entry, files, read),
        Kind::Image => images(entry, files, read),
        Kind::Binary | Kind::Categorical | Kind::Numeric => tabular(entry, files, read),
    }
}

fn binary(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let mut rows = BinaryRows::new(entry.shape.variables);
    for file in files {
        let expected = entry.shape.rows.of(file.role);
        let (found, name) = match &file.format {
            Format::NpyFeatures | Format::Npz { .. } => {
                let (features, _) = held(file, files, read)?;
                let variables = entry.shape.variables;
                let found = arrays::binary(&features, variables, expected, &mut rows)?;
                (found, features.file)
            }
            Format::BinaryCsv => {
                let size = 2 * bytes(expected, entry.shape.variables);
                let (text, name) = read(file)?.unpacked(limits::with_room(size))?;
                (binary_csv::parse(&text, &mut rows).map_err(Refused::in_file(&name))?, name)
            }
            _ => return Err(foreign(entry, file)),
        };
        check(entry, &name, "rows", expected, found)?;
    }
    Ok(plain(entry, Examples::Binary(rows), Targets::None))
}

fn text(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
    let most = |expected: usize| limits::with_room(expected as u64) as usize;
    let (documents, tokens) = (entry.shape.rows.total(), entry.shape.variables);
    let mut corpus = Corpus::new(&entry.classes);
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
                let (text, name) = content.unpacked(limits::FILE)?;
                labelled_lines::read(&text, *charset, &mut sink)
                    .map_err(Refused::in_file(&name))?;
            }
            Format::ReutersSgml(charset) => {
                let (text, name) = content.unpacked(limits::FILE)?;
                reuters_sgml::read(&text, *charset, &mut sink).map_err(Refused::in_file(&name))?;
            }
            Format::TextFiles { documents, content: of, charset } => {
                let Content { bytes, folder, name, .. } = content;
                let folder = folder.as_deref();
                text_files::read(&bytes[..], folder, documents, *charset, *of, &mut sink).map_err(
                    |error| match error {
                        Unreadable::Archive(error) => DataError::packed(name, error),
                        Unreadable::Malformed(fault) => Refused::in_file(&name)(fault).into(),
                    },
                )?;
            }
            _ => return Err(foreign(entry, file)),
        }
        // They were counted up to a limit.
        for (what, expected, found) in [
            ("documents", documents, corpus.documents()),
            ("distinct tokens", tokens, corpus.tokens()),
        ] {
            if found > most(expected) {
                let more = format!("more than {}", most(expected));
                return Err(unshaped(entry, "the dataset", what, expected, &more));
            }
        }
    }
    let bag = corpus.finish();
    check_bag(entry, &bag)?;
    let Bag { rows, labels, folds, .. } = bag;
    Ok(Parsed { folds, ..plain(entry, Examples::Binary(rows), Targets::Classes(labels)) })
}

/// Checks that documents are what the registry says.
fn check_bag(entry: &Entry, bag: &Bag) -> Result<(), DataError> {
    let check = |what, expected, found| check(entry, "the dataset", what, expected, found);
    let Bag { vocabulary, rows, labels, folds, parts } = bag;
    if let (Some(found), Rows::Split(Parts { train, valid, test })) = (parts, entry.shape.rows) {
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

fn images(entry: &Entry, files: &[FileEntry], read: Read<'_>) -> Result<Parsed, DataError> {
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
                let labels = idx::labels(&bytes, classes).map_err(Refused::in_file(&name))?;
                check(entry, &name, "labels", expected, labels.len())?;
                of_example.extend(labels.iter().map(|&label| u32::from(label)));
            }
            Format::IdxImages => {
                let images = idx::images(&bytes).map_err(Refused::in_file(&name))?;
                check(entry, &name, "pixels an image", size, images.size)?;
                check(entry, &name, "images", expected, images.pixels.len() / images.size)?;
                words.reserve(expected * words_for(size));
                let pixels = images.pixels.chunks_exact(size);
                pixels.for_each(|image| pack(image, entry.threshold, &mut words));
            }
            _ => return Err(foreign(entry, file)),
        }
    }
    let classes = (0..classes).map(|class| class.to_string()).collect();
    Ok(plain(
        entry,
        Examples::Packed(PackedRows::new(size, words)),
        Targets::Classes(Labels { classes, of_example }),
    ))
}

/// Appends the words of an image whose pixels are ones where they are above the threshold.
fn pack(image: &[u8], threshold: u8, words: &mut Vec<u64>) {
    words.extend(image.chunks(64).map(|pixels| {
        let bit = |(at, &pixel): (usize, &u8)| u64::from(pixel > threshold) << at;
        pixels.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
    }));
}

/// A file whose format no dataset of this kind has: the registry lets none in.
fn foreign(entry: &Entry, file: &FileEntry) -> DataError {
    let (id, kind) = (&entry.id, entry.kind.word());
    let file = file.sources.first().map_or_else(String::new, Source::to_string);
    let what = format!(
        "dataset `{id}` is of kind `{kind}`, and no such dataset has files of the format of {file}"
    );
    no(what, "correct `kind` of the dataset, or `format` of the file, in datasets.toml").into()
}

/// Bytes of so many rows with a byte a variable.
fn bytes(rows: usize, variables: usize) -> u64 {
    (rows as u64).saturating_mul(variables as u64 + 1).saturating_add(16)
}

/// Compares a number with the registry's.
fn check(
    entry: &Entry,
    place: &str,
    what: &str,
    expected: usize,
    found: usize,
) -> Result<(), DataError> {
    match found == expected {
        true => Ok(()),
        false => Err(unshaped(entry, place, what, expected, &found.to_string())),
    }
}

/// That a dataset or file has not as many examples, variables, classes or folds as the registry says.
fn unshaped(entry: &Entry, place: &str, what: &str, expected: usize, found: &str) -> DataError {
    let id = &entry.id;
    let what = format!(
        "{place} has {found} {what}, but `shape` of dataset `{id}` in datasets.toml says {expected}"
    );
    no(what, "correct `shape`, or the file").into()
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
