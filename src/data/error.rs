//! What can go wrong between a dataset's name and its examples.

use std::path::PathBuf;

use super::format::Malformed;
use super::format::fault::Fault;
use super::integrity::Mismatch;
use super::limits::Exceeded;
use super::registry::RegistryError;
use super::vocabulary::Role;

/// Data is unavailable, corrupt or misnamed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum DataError {
    /// The registry can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Registry(#[from] RegistryError),
    /// The registry has no such dataset.
    #[error("there is no dataset `{id}`")]
    #[diagnostic(help("{help}"))]
    Unknown {
        /// The name that was asked for.
        id: String,
        /// The nearest name, or all of them.
        help: String,
    },
    /// Files are neither in the cache nor in the mirror, and can't be downloaded.
    #[error("{}", unavailable(.files, *.offline))]
    #[diagnostic(help("{}", to_have(.files, *.offline)))]
    Unavailable {
        /// All of them.
        files: Vec<MissingFile>,
        /// Whether `--offline` forbade to look further.
        offline: bool,
    },
    /// A file is not the one that the registry describes.
    #[error(transparent)]
    #[diagnostic(help(
        "the file was not used. If it is damaged, remove or replace it; if its source changed and the new one is right, correct `sha256` and `bytes`, or `tree`, in datasets.toml"
    ))]
    Mismatch(Box<Mismatch>),
    /// The bytes are not packed as the registry says.
    #[error("cannot unpack {file}")]
    #[diagnostic(help("compare `encoding` in datasets.toml with the file"))]
    Packed {
        /// Path or url.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file holds more than the registry promises, or than this program reads.
    #[error("cannot use {file}")]
    #[diagnostic(help(
        "docs/reference/data.md lists the limits of data files; if the file is what it should be, correct `shape` or `bytes` in datasets.toml"
    ))]
    TooMuch {
        /// Path or url.
        file: String,
        /// Of what, and how much is read.
        source: Exceeded,
    },
    /// A line, document or byte is not what the file's format says.
    #[error("{file}, {fault}")]
    #[diagnostic(help(
        "docs/reference/data.md describes the formats; compare `format` and `shape` in datasets.toml with the file"
    ))]
    Malformed {
        /// Path or url.
        file: String,
        /// Where, and what was expected.
        fault: Malformed,
    },
    /// A table is not what the registry says of it.
    #[error("{file}, {fault}")]
    #[diagnostic(help("{}", .fault.cure))]
    Table {
        /// Path or url.
        file: String,
        /// Where, what is wrong, and what to do.
        fault: Box<Fault>,
    },
    /// No dataset of this kind is read from files of this format.
    #[error(
        "dataset `{dataset}` is of kind `{kind}`, and no such dataset has files of the format of {file}"
    )]
    #[diagnostic(help("correct `kind` of the dataset, or `format` of the file, in datasets.toml"))]
    Foreign {
        /// Dataset id.
        dataset: String,
        /// The word of its kind.
        kind: &'static str,
        /// Path or url.
        file: String,
    },
    /// A dataset or file has not as many examples, variables, classes or folds as the registry says.
    #[error(
        "{place} has {found} {what}, but `shape` of dataset `{dataset}` in datasets.toml says {expected}"
    )]
    #[diagnostic(help("correct `shape`, or the file"))]
    Shape {
        /// Dataset id.
        dataset: String,
        /// Path or url of a file, or that all of them are meant.
        place: String,
        /// What is counted.
        what: &'static str,
        /// How many the registry promises.
        expected: usize,
        /// How many there are, or that there are more than are counted.
        found: String,
    },
    /// A derived dataset takes some rows of a base of which rows are left out.
    #[error(
        "dataset `{dataset}` takes some rows of `{base}`, of which {dropped} are left out for a missing value"
    )]
    #[diagnostic(help(
        "rows are counted before any is left out: take all, or give the base another `missing`"
    ))]
    Dropped {
        /// Dataset id.
        dataset: String,
        /// Id of its base.
        base: String,
        /// How many rows are left out.
        dropped: usize,
    },
    /// A derived dataset joins a class that its base does not have.
    #[error(
        "dataset `{base}` has no class `{class}`, which `classes` of dataset `{dataset}` names"
    )]
    #[diagnostic(help("correct `classes` in datasets.toml: the base has {known}"))]
    Class {
        /// Dataset id.
        dataset: String,
        /// Id of its base.
        base: String,
        /// The class.
        class: String,
        /// The classes of the base.
        known: String,
    },
    /// A setting names a parameter that the dataset does not have, or a value outside of its domain.
    #[error("{what} of dataset `{dataset}`")]
    #[diagnostic(help("{help}"))]
    Setting {
        /// Dataset id.
        dataset: String,
        /// The parameter, and the value if that is wrong.
        what: String,
        /// What there is instead.
        help: String,
    },
    /// The mirror can't be used.
    #[error("cannot use the mirror {mirror}: {why}")]
    #[diagnostic(help(
        "name an existing folder, or an http or https url, with --mirror or REPRISE_MIRROR"
    ))]
    Mirror {
        /// As it was given.
        mirror: String,
        /// Why.
        why: String,
    },
    /// There is no place for downloads.
    #[error("this account has no cache folder")]
    #[diagnostic(help("name a folder with --cache or REPRISE_CACHE"))]
    NoCache,
    /// The HTTP client can't start.
    #[error("cannot set up the network: {0}")]
    #[diagnostic(help(
        "https needs CA certificates: install the system's (package ca-certificates), or name a PEM file in SSL_CERT_FILE"
    ))]
    Network(String),
    /// A file or folder can't be read or written.
    #[error("cannot {action} {}", path.display())]
    #[diagnostic(help(
        "check that it exists, its permissions, and the space on its disk; --cache names another folder"
    ))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// A file that can't be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFile {
    /// Dataset id.
    pub dataset: String,
    /// Which part of the dataset.
    pub role: Role,
    /// Its first source.
    pub url: String,
    /// Size of the first source, if the registry says.
    pub bytes: Option<u64>,
    /// Whether it has no source but paths of this machine.
    pub local: bool,
    /// What was tried: place and outcome.
    pub tried: Vec<(String, String)>,
}

/// How to have files that are not there.
fn to_have(files: &[MissingFile], offline: bool) -> &'static str {
    if files.iter().all(|file| file.local) {
        "put it there, or name the folder that has it with --data-dir; `path` in datasets.toml begins at the folder of that file"
    } else if offline {
        "run once without --offline, or name a folder with --mirror that holds each file at <host>/<path of its url>"
    } else {
        "check the network and its proxy settings, or name a folder or server with --mirror that holds each file at \
         <host>/<path of its url>"
    }
}

/// How many files are named where a reason stands above them.
const MOST_NAMED: usize = 5;

fn unavailable(files: &[MissingFile], offline: bool) -> String {
    let mut text = match files.len() {
        1 => "a data file is not available".to_owned(),
        count => format!("{count} data files are not available"),
    };
    text += if offline { " offline:" } else { ":" };
    // The reason first. Dozens of files usually fail for one: each is named once, with its first place.
    let mut reasons: Vec<&str> = Vec::new();
    for (place, outcome) in files.iter().flat_map(|file| &file.tried) {
        if !reasons.contains(&outcome.as_str()) {
            reasons.push(outcome);
            text += &format!("\n  tried {place}: {outcome}");
        }
    }
    // Offline, all that there is to know is which files to bring.
    let named = if offline { files.len() } else { MOST_NAMED };
    for MissingFile { dataset, role, url, bytes, .. } in files.iter().take(named) {
        let size = bytes.map_or(", size unknown".to_owned(), |bytes| format!(", {bytes} bytes"));
        text += &format!("\n  {dataset} {}{size}: {url}", role.word());
    }
    if files.len() > named {
        let more = files.len() - named;
        text += &format!(
            "\n  and {more} more: `reprise data path` with the names of the datasets lists them"
        );
    }
    text
}

impl DataError {
    /// Names the file whose bytes could not be had from what packs them.
    pub(super) fn packed(file: String, error: std::io::Error) -> Self {
        match error.downcast::<Exceeded>() {
            Ok(source) => Self::TooMuch { file, source },
            Err(source) => Self::Packed { file, source },
        }
    }
}

/// Names the path in an I/O error.
pub(super) fn io(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> DataError {
    let path = path.into();
    move |source| DataError::Io { action, path, source }
}
