//! Why a run can't begin, or go on.

use std::path::PathBuf;

use base::file_error::FileError;

/// A results folder can't be opened for a run, or is lost during one; or paths can't be executed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RunError {
    /// Another process is at work there.
    #[error("failed to lock {}: another reprise process is running this experiment", .0.display())]
    #[diagnostic(help(
        "wait for it to end, stop it, or give this run a --results folder of its own"
    ))]
    Locked(PathBuf),
    /// It is another one than that which was locked.
    #[error("{} is no longer the folder that this run has locked", .0.display())]
    #[diagnostic(help(
        "it, or the .journal folder in it, was moved, removed or replaced meanwhile, and nothing \
         more is written there; put it back, and the same command goes on from what its journal \
         holds"
    ))]
    Moved(PathBuf),
    /// What was written is not what is read.
    #[error(
        "the journal in {} does not hold {paths} paths that finished: their lines were damaged or \
         removed after they were written",
        folder.display()
    )]
    #[diagnostic(help(
        "nothing was sealed; check the disk, and whether another program changes this folder, or \
         name another one with --results; the same command goes on from there"
    ))]
    Lost {
        /// Folder of the journal.
        folder: PathBuf,
        /// Number of the paths.
        paths: usize,
    },
    /// The file system said no.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] FileError),
    /// The system gives no thread to work on.
    #[error("failed to start a thread: {0}")]
    #[diagnostic(help(
        "the limit of threads or of memory is reached (`ulimit -u`, `ulimit -v`): raise it, or end \
         other processes; what finished is in the journal, and the same command goes on from there"
    ))]
    Thread(std::io::Error),
}
