//! What can go wrong between a dataset's name and its examples.

use std::path::PathBuf;

use document::DocumentErrors;

use super::format::fault::Fault;
use super::integrity::Mismatch;
use super::limits::Exceeded;
use super::status::FileStatus;

/// Data is unavailable, corrupt or misnamed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum DataError {
    /// A registry has mistakes.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Registry(#[from] DocumentErrors),
    /// A registry can't be read.
    #[error("cannot read the dataset registry {}", path.display())]
    #[diagnostic(help(
        "name an existing file with --registry, or leave it out to use the built-in one"
    ))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What is asked for can't be: a name, a setting, an option.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Asked(Refused),
    /// Data are not what the registry says, or not what is read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Refused(#[from] Refused),
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
        "the file was not used. If it is damaged, remove or replace it; if its source changed and the new one is right, correct `sha256` and `bytes`, or `tree`, in datasets.toml, or have the entry written anew: reprise data add {} --replace", .0.file
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
}

/// Something that can't be, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{cure}"))]
pub struct Refused {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

impl Refused {
    /// That a file is not what its format says of it.
    pub(super) fn in_file(file: &str) -> impl Fn(Fault) -> Self {
        move |fault| no(format!("{file}, {fault}"), fault.cure)
    }
}

/// That something can't be, and what to do.
pub(crate) fn no(what: impl Into<String>, cure: impl Into<String>) -> Refused {
    Refused { what: what.into(), cure: cure.into() }
}

/// A file that can't be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFile {
    /// What is known of it, by its first source.
    pub status: FileStatus,
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
    for file in files.iter().take(named) {
        let FileStatus { dataset, role, url, bytes, .. } = &file.status;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Whence;
    use crate::vocabulary::Role;

    #[test]
    fn a_reason_stands_once_above_the_files_that_can_not_be_had() {
        let file = |at: usize, outcome: &str| {
            let url = format!("https://host/{at}");
            let tried = vec![(url.clone(), outcome.to_owned())];
            let status = FileStatus {
                dataset: "set".to_owned(),
                role: Role::All,
                url,
                bytes: (at == 1).then_some(7),
                whence: Whence::Missing,
                path: None,
            };
            MissingFile { status, local: false, tried }
        };
        let mut files: Vec<_> = (1..=6).map(|at| file(at, "connection refused")).collect();
        files[3] = file(4, "status 404");
        let lines = |offline| {
            let text = unavailable(&files, offline);
            text.lines().map(|line| line.trim_start().to_owned()).collect::<Vec<_>>()
        };
        let named = lines(false);
        assert_eq!(
            named[..4],
            [
                "6 data files are not available:",
                "tried https://host/1: connection refused",
                "tried https://host/4: status 404",
                "set all, 7 bytes: https://host/1",
            ]
        );
        assert_eq!(named[7], "set all, size unknown: https://host/5");
        assert!(named.len() == 9 && named[8].starts_with("and 1 more: `reprise data path`"));
        // Offline all of them are to be brought.
        assert_eq!(lines(true).len(), 9);
        assert_eq!(lines(true)[8], "set all, size unknown: https://host/6");
    }
}
