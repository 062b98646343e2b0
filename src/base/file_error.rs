//! What is said of a file or folder that can't be used as it has to be.

use std::io;
use std::path::PathBuf;

use crate::own::NotOwn;

/// A file or folder can't be read, written or looked at.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("failed to {action} {}: {cause}", path.display())]
pub struct FileError {
    /// What was tried.
    pub action: &'static str,
    /// On which file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub cause: io::Error,
    /// What to do.
    #[help]
    pub help: &'static str,
}

const GOES_ON: &str = "check that the folder exists, is writable and has free space; what finished is in the journal, \
                       and the same command goes on from there";

impl FileError {
    /// Makes one of a system's error, for `map_err`: of a file of results.
    pub fn on(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| {
            let help = if NotOwn::caused(&cause) { NotOwn::HELP } else { GOES_ON };
            Self { action, path, cause, help }
        }
    }

    /// Makes one that helps in another way.
    pub fn with(
        action: &'static str,
        path: impl Into<PathBuf>,
        help: &'static str,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self { action, path, cause, help }
    }
}
