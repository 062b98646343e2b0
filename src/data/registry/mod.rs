//! `datasets.toml`: what datasets exist and where their files are.
//!
//! [`Registry::find`] looks for the file, the parser behind [`Registry::load`] reads it and reports all its mistakes at
//! once, each with its line. The same declarations give the JSON Schema ([`json_schema`]) and the page of the reference
//! ([`keys`]).

mod address;
mod describe;
mod files;
mod generator;
mod parameters;
mod parse;
pub(crate) mod reading;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use url::Url;

use super::error::{DataError, no};
use super::format::attribute_csv::Columns;
use super::format::csv::Layout;
use super::format::text_files::{Content, Pattern};
use super::generate::Generator;
use super::integrity::Integrity;
use super::limits;
use super::preprocessing::Preprocessing;
use super::vocabulary::{Charset, Encoding, Kind, Parts, Role, Shape};
use base::bounded;
use base::digest::Digest;
use document::DocumentErrors;

pub(crate) use address::{Location, location};
pub use describe::{json_schema, keys};
pub(crate) use parse::{ID_CHARACTERS, is_id};

/// The registry that is compiled in.
const BUILT_IN: &str = include_str!("../../../datasets.toml");

/// What to do about two datasets of one id.
const REPLACES: &str =
    "give it another id; or write `replaces = true` into its entry, if it is to be used instead";

/// The name of a registry file beside or above an experiment.
pub const FILE_NAME: &str = "datasets.toml";

/// All datasets of one registry file.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    /// The entries as they stand in the file, by id.
    tables: toml::Table,
}

/// Whether a local path leads out of the folder that it is relative to.
pub fn leads_out(path: &Path) -> bool {
    !path.components().all(|part| matches!(part, Component::Normal(_)))
}

impl Registry {
    /// The registry that is compiled in.
    ///
    /// # Errors
    /// None in a released program: a test parses it.
    pub fn built_in() -> Result<Self, DocumentErrors> {
        Self::parse(BUILT_IN, "datasets.toml (built in)", Path::new(""))
    }

    /// Reads a registry file. Local paths in it are relative to its folder.
    ///
    /// # Errors
    /// If it can't be read, or has mistakes: all of them.
    pub fn load(path: &Path) -> Result<Self, DataError> {
        Self::load_with(path, None)
    }

    /// The same, with local files in a folder, if one is named.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_with(path: &Path, files: Option<&Path>) -> Result<Self, DataError> {
        let text = bounded::read_text(path, bounded::MOST_WRITTEN)
            .map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
        let parse = |folder| Self::parse(&text, &path.display().to_string(), folder);
        Ok(match files {
            Some(files) => parse(Path::new(""))?.with_files_in(files),
            None => parse(path.parent().unwrap_or(Path::new("")))?,
        })
    }

    /// The registry to use: the datasets of the file that is named, of `datasets.toml` in `beside` or the nearest
    /// folder above it, and of the built-in one. Local files are in the folder `files`, if that is named.
    ///
    /// # Errors
    /// As [`Self::load`]; or if two of them have one id for different datasets, and the nearer does not say that it
    /// replaces the other.
    pub fn find(
        named: Option<&Path>,
        beside: Option<&Path>,
        files: Option<&Path>,
    ) -> Result<Self, DataError> {
        // A bare file name is in the folder of this name, which is none.
        let here = |folder: &Path| std::path::absolute(Path::new(".").join(folder));
        let start = beside.map(|folder| here(folder).unwrap_or_else(|_| folder.to_owned()));
        let above = start.iter().flat_map(|folder| folder.ancestors());
        let beside = above.map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file());
        let same = |beside: &PathBuf| {
            named.is_some_and(|named| named.canonicalize().ok() == beside.canonicalize().ok())
        };
        let mut registries: Vec<PathBuf> = named.map(Path::to_owned).into_iter().collect();
        registries.extend(beside.filter(|beside| !same(beside)));
        let load = |path: PathBuf| Ok((path.display().to_string(), Self::load_with(&path, files)?));
        let mut all = registries.into_iter().map(load).collect::<Result<Vec<_>, DataError>>()?;
        all.push(("the built-in registry".to_owned(), Self::built_in()?));
        let mut combined = Self::default();
        for (at, (farther, registry)) in all.iter().enumerate() {
            for (nearer, before) in &all[..at] {
                for entry in &before.entries {
                    let shadowed = registry.get(&entry.id).filter(|_| !entry.replaces);
                    if shadowed.is_some_and(|shadowed| !entry.is_same(shadowed)) {
                        let id = &entry.id;
                        let what = format!(
                            "dataset `{id}` of {nearer} is another one than that of {farther}"
                        );
                        return Err(DataError::Asked(no(what, REPLACES)));
                    }
                }
            }
            let kept = registry.without_bases_of(&combined);
            combined = combined.or(kept);
        }
        Ok(combined)
    }

    /// Its datasets but those that are derived from one that `nearer` has otherwise.
    fn without_bases_of(&self, nearer: &Self) -> Self {
        let mut kept = self.clone();
        kept.entries.retain(|entry| {
            let base = entry.base().and_then(|base| Some((nearer.get(base)?, self.get(base)?)));
            base.is_none_or(|(nearer, own)| nearer.is_same(own))
        });
        kept
    }

    /// Its datasets with their local files below a folder: at their relative paths, absolute ones by their names.
    #[must_use]
    pub fn with_files_in(mut self, folder: &Path) -> Self {
        for entry in &mut self.entries {
            let Origin::Files(files) = &mut entry.origin else { continue };
            for source in files.iter_mut().flat_map(|file| &mut file.sources) {
                if let Place::Local { path, .. } = &mut source.place {
                    let name = Path::new(path.file_name().unwrap_or_default());
                    *path = folder.join(if leads_out(path) { name } else { path.as_path() });
                }
            }
        }
        self
    }

    /// Parses the text of a registry; `name` is what errors call it, `folder` what local paths are
    /// relative to.
    ///
    /// # Errors
    /// If it has mistakes: all of them.
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Self, DocumentErrors> {
        let entries = parse::parse(text, name, folder)?;
        // What the parser behind `parse` accepts is TOML.
        let root = text.parse::<toml::Table>().unwrap_or_default();
        let tables = root.get("dataset").and_then(toml::Value::as_table).cloned();
        Ok(Self { entries, tables: tables.unwrap_or_default() })
    }

    /// All entries in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The urls of all sources.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &Url> {
        let sources = self.entries.iter().flat_map(Entry::files).flat_map(|file| &file.sources);
        sources.filter_map(|source| match &source.place {
            Place::Remote(remote) => Some(&remote.url),
            Place::Local { .. } => None,
        })
    }

    /// The entry of this id as it stands in its file, layout and comments aside.
    pub fn table(&self, id: &str) -> Option<&toml::Value> {
        self.tables.get(id)
    }

    /// Only these datasets, and those that they are derived from, in the order of their ids. Ids that it has
    /// not are passed over.
    #[must_use]
    pub fn only(&self, ids: &[&str]) -> Self {
        let known = ids.iter().filter_map(|id| self.get(id));
        let with_bases = known.flat_map(|entry| [Some(entry.id.as_str()), entry.base()]);
        let wanted: BTreeSet<&str> = with_bases.flatten().collect();
        let entries = wanted.iter().filter_map(|id| self.get(id).cloned()).collect();
        let table = |id: &&str| Some(((*id).to_owned(), self.tables.get(*id)?.clone()));
        Self { entries, tables: wanted.iter().filter_map(table).collect() }
    }

    /// The datasets of both; of an id that both have, this one's.
    #[must_use]
    pub fn or(mut self, mut other: Self) -> Self {
        other.entries.retain(|entry| self.get(&entry.id).is_none());
        self.entries.append(&mut other.entries);
        other.tables.extend(self.tables);
        Self { entries: self.entries, tables: other.tables }
    }

    /// A registry file of its datasets.
    pub fn to_text(&self) -> String {
        let root = toml::Table::from_iter([
            ("schema".to_owned(), toml::Value::Integer(1)),
            ("dataset".to_owned(), toml::Value::Table(self.tables.clone())),
        ]);
        root.to_string()
    }
}

/// One dataset of a registry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Id, as experiment files name it.
    pub id: String,
    /// What people read.
    pub title: String,
    /// What its examples are.
    pub kind: Kind,
    /// What a trial makes of its columns.
    pub preprocessing: Preprocessing,
    /// A pixel of an image is one if its value, 0 to 255, is greater.
    pub threshold: u8,
    /// The classes whose documents are kept, in this order; all that occur, sorted, if empty.
    pub classes: Vec<String>,
    /// What its files must hold.
    pub shape: Shape,
    /// Whom to cite.
    pub citation: String,
    /// Licence as stated at the source.
    pub licence: String,
    /// Where its examples come from.
    pub origin: Origin,
    /// Whether it is used instead of a dataset of this id in a farther registry.
    pub replaces: bool,
}

impl Entry {
    /// Whether another entry describes the same dataset: a local file of the same bytes is the same wherever it lies.
    fn is_same(&self, other: &Self) -> bool {
        let anywhere = |entry: &Self| {
            let mut entry = Self { replaces: false, ..entry.clone() };
            let Origin::Files(files) = &mut entry.origin else { return entry };
            for source in files.iter_mut().flat_map(|file| &mut file.sources) {
                let Place::Local { path, integrity } = &mut source.place else { continue };
                let read = || bounded::read_regular(path, limits::FILE).ok();
                let of = |bytes: Vec<u8>| Integrity {
                    digest: Digest::of(&bytes),
                    size: None,
                    folder: None,
                };
                if let Some(known) = integrity.take().or_else(|| read().map(of)) {
                    *integrity = Some(Integrity { size: None, ..known });
                    path.clear();
                }
            }
            entry
        };
        anywhere(self) == anywhere(other)
    }

    /// The dataset that it is derived from, if it is.
    pub fn base(&self) -> Option<&str> {
        match &self.origin {
            Origin::Derived(derivation) => Some(&derivation.from),
            Origin::Files(_) | Origin::Generated(_) => None,
        }
    }

    /// Its files; none for generated and derived datasets.
    pub fn files(&self) -> &[FileEntry] {
        match &self.origin {
            Origin::Files(files) => files,
            Origin::Generated(_) | Origin::Derived(_) => &[],
        }
    }
}

/// Where the examples of a dataset come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// From files: in the order train, valid, test; or such that hold all.
    Files(Vec<FileEntry>),
    /// Drawn from a distribution.
    Generated(Generator),
    /// Taken from another dataset.
    Derived(Derivation),
}

/// One file of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEntry {
    /// Which part of the dataset it holds.
    pub role: Role,
    /// How its text is read.
    pub format: Format,
    /// Copies of it, in the order in which they are tried.
    pub sources: Vec<Source>,
}

impl FileEntry {
    /// What it looks like, if it is a table with names of columns.
    pub fn layout(&self) -> Option<&Layout> {
        let (Format::Csv(layout) | Format::Arff(layout)) = &self.format else { return None };
        Some(layout)
    }
}

/// How the text of a file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// One example a line, 0 or 1 for each variable, separated by commas.
    BinaryCsv,
    /// One document a line: its class, a tab, its text.
    LabelledLines(Charset),
    /// An archive of one document a file.
    TextFiles {
        /// Which of its files are documents.
        documents: Pattern,
        /// What the documents are.
        content: Content,
        /// How their bytes are read.
        charset: Charset,
    },
    /// A file of Reuters-21578.
    ReutersSgml(Charset),
    /// Images as those of MNIST.
    IdxImages,
    /// Classes as those of MNIST.
    IdxLabels,
    /// One example a line, its attributes and its class separated by commas.
    AttributeCsv(Columns),
    /// A table with names of columns.
    Csv(Layout),
    /// A table that says what its columns hold.
    Arff(Layout),
    /// One example a line: its target, and the values that are not 0.
    Libsvm,
    /// An array of examples.
    NpyFeatures,
    /// An array of their targets.
    NpyTarget,
    /// Named arrays: of the examples, and of their targets where they have some.
    Npz {
        /// The array of the examples.
        features: String,
        /// That of the targets.
        target: Option<String>,
    },
    /// The folds of an OpenML task.
    OpenmlSplits,
}

/// One copy of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Where it is.
    pub place: Place,
    /// How its bytes are packed.
    pub encoding: Encoding,
}

/// Where a copy of a file is.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// On a server.
    Remote(RemoteFile),
    /// On this machine: a `path`, or a `file:` url.
    Local {
        /// Its path.
        path: PathBuf,
        /// What it must be, if the registry says.
        integrity: Option<Integrity>,
    },
}

impl Place {
    /// What the file must be, if the registry says.
    pub(crate) fn integrity(&self) -> Option<&Integrity> {
        match self {
            Self::Remote(remote) => Some(&remote.integrity),
            Self::Local { integrity, .. } => integrity.as_ref(),
        }
    }
}

/// A file on a server, with what its bytes must be.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteFile {
    /// An http or https url.
    pub url: Url,
    /// Where a mirror has it: host, then the segments of the url's path, percent-decoded. No segment
    /// can lead out of the mirror.
    pub in_mirror: Vec<String>,
    /// What it must be.
    pub integrity: Integrity,
}

/// A dataset taken from another one of the same registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// Id of the base.
    pub from: String,
    /// Which of its examples.
    pub rows: RowSelection,
    /// Which of its variables.
    pub columns: Range<usize>,
    /// The classes, each with those of the base that become it; none where they are those of the base.
    pub classes: Option<Vec<JoinedClass>>,
}

/// A class that several classes of a base dataset become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedClass {
    /// Its name.
    pub name: String,
    /// Those of the base.
    pub of_base: Vec<String>,
}

/// Which examples of a base dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowSelection {
    /// A range of all its examples; the result has no published split.
    Whole(Range<usize>),
    /// A range of each part of its published split.
    Split(Parts<Range<usize>>),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Remote(file) => file.url.fmt(f),
            Place::Local { path, .. } => path.display().fmt(f),
        }
    }
}
