//! What can go wrong before a program is asked.

use std::path::PathBuf;

use base::file_error::FileError;
use contract::MethodId;

use crate::contain::Bound;

/// A program can't be used, or its examples can't be handed over.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Error {
    /// A pattern of `code` finds no file that can be used.
    #[error("`{pattern}` in `code`: {reason}")]
    #[diagnostic(help(
        "patterns are relative to the experiment file's folder, such as `forest/*.py` or `forest/**/*.py`"
    ))]
    Pattern {
        /// As the experiment file has it.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of code, or the lock, can't be read.
    #[error("cannot use `{path}` as code: {reason}")]
    #[diagnostic(help(
        "code and lock are plain files below the experiment file's folder, reached through no link"
    ))]
    Code {
        /// Relative to the experiment's folder.
        path: String,
        /// Why not.
        reason: String,
    },
    /// What a program is to read beside its code can't be.
    #[error("`{path}` can't be `readable`: {reason}")]
    #[diagnostic(help("name files and folders of data, such as weights"))]
    Readable {
        /// As the experiment file has it.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A stranger's program would run without bounds that it is to have.
    #[error("this machine lacks what keeps a stranger's program in: {}", words(.0))]
    #[diagnostic(help("audit on another machine, or give --weak to execute it all the same"))]
    Weak(Vec<Bound>),
    /// A command that builds an environment failed.
    #[error("cannot build the environment of `{method}`: `{command}` {ended}{}", last(.output))]
    #[diagnostic(help("run the command by hand in {}; correct `prepare` or `lock`", .folder.display()))]
    Prepare {
        /// Id of the method.
        method: MethodId,
        /// The command, with its arguments.
        command: String,
        /// How it ended, as a phrase.
        ended: String,
        /// Its last lines.
        output: Vec<String>,
        /// Where it ran.
        folder: PathBuf,
    },
    /// The environment of an estimator is not built, and the network is forbidden.
    #[error("the environment of `{0}` is not built, and --offline forbids to fetch it")]
    #[diagnostic(help("run once without --offline, with the same --cache"))]
    Offline(MethodId),
    /// An estimator can't be made, or has no such parameter.
    #[error("{0}")]
    #[diagnostic(help("correct `estimator`, or what the method sets, sweeps or selects"))]
    Estimator(String),
    /// The program itself can't be executed.
    #[error("`{method}` can't be started: `{word}` in `command`: {reason}")]
    #[diagnostic(help(
        "install it, build it by `prepare`, or correct `command`; code of the experiment's own is named by `code`"
    ))]
    Command {
        /// Id of the method.
        method: MethodId,
        /// The word that names the program.
        word: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Examples can't be given to a program as they are.
    #[error("cannot hand over the examples: {0}")]
    Examples(String),
    /// A file or folder of our own can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    File(#[from] FileError),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

fn words(bounds: &[Bound]) -> String {
    bounds.iter().map(|bound| bound.word()).collect::<Vec<_>>().join(", ")
}

fn last(output: &[String]) -> String {
    if output.is_empty() {
        return "; it printed nothing".to_owned();
    }
    format!("; its last lines:\n  {}", output.join("\n  "))
}

/// Makes an [`Error::File`].
pub(crate) fn io(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> Error {
    move |cause| FileError::on(action, path)(cause).into()
}
