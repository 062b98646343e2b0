//! What can go wrong between an experiment file and its sealed results.

use std::path::PathBuf;

use base::digest::Digest;
use base::file_error::FileError;
use data::DataError;
use document::DocumentErrors;
use miette::Diagnostic as _;
use report::figure::FigureError;
use run::datasets::FactsError;
use run::error::RunError;
use run::journal::Contradiction;
use run::only::NoTrial;
use run::plan::{TooMany, Unsuited};
use run::trials_csv::NotRecords;
use seal::write::WriteError;
use spec::Experiment;

use super::submit::engine::{NotSubmitted, TooShort};

base::one_of! {
    /// Why an experiment can't be run, reported or audited.
    pub enum Error {
        /// The experiment file is wrong.
        Spec(DocumentErrors),
        /// A dataset can't be had.
        Data(DataError),
        /// A dataset does not suit the experiment.
        Unsuited(Misfit),
        /// There are too many trials.
        TooMany(TooMany),
        /// The journal can't be read or written.
        Store(FileError),
        /// The results folder is another process's, or no folder; or paths can't be executed.
        Run(RunError),
        /// A program can't be used.
        Program(program::Error),
        /// An output can't be written.
        Write(WriteError),
        /// A figure can't be made a picture.
        Figure(FigureError),
        /// Sealed records can't be read back.
        Records(NotRecords),
        /// An engine takes no chunks.
        NotSubmitted(NotSubmitted),
        /// An engine leaves its workers no time.
        TooShort(TooShort),
        /// A filter of trials fits none.
        NoTrial(NoTrial),
    } or {
        /// This program can't check sealed results, and why.
        #[error("{0}")]
        NotChecked(String),
        /// An experiment has no universes.
        #[error("{0} has no [universes]")]
        #[diagnostic(help("say which combinations of its choices run, as [universes] with cover = 2"))]
        NoUniverses(String),
        /// The programs of an experiment lie in sealed results.
        #[error("the programs of {0} lie in sealed results, which may be a stranger's")]
        #[diagnostic(help(
            "read them, in `code` and under `prepare`, which runs outside of all walls; then give --trust, or copy the file and \
             its code to a folder of yours"
        ))]
        Untrusted(String),
        /// Results were changed after they were sealed.
        #[error("the results in {} are not as they were sealed:\n{}", dir.display(), differences.join("\n"))]
        #[diagnostic(help(
            "restore the files and remove those that are not listed, or recompute them with --fresh"
        ))]
        Tampered {
            /// The results folder.
            dir: PathBuf,
            /// What is different, in sentences.
            differences: Vec<String>,
        },
        /// Sealed trials would be lost.
        #[error("{count} sealed trials in {} are no trials of this run, such as {}", dir.display(), example.short())]
        Loss {
            /// The results folder.
            dir: PathBuf,
            /// How many trials.
            count: usize,
            /// The key of one of them.
            example: Digest,
            /// What to do.
            #[help]
            help: &'static str,
        },
        /// Two executions of a trial gave something else.
        #[error(
            "two executions of one trial differ: {trial}: {} in {}.journal is not that in {}.journal{}",
            contradiction.what,
            contradiction.segments[0],
            contradiction.segments[1],
            if *others == 0 { String::new() } else { format!(", and so for {others} more") }
        )]
        #[diagnostic(help(
            "nothing was sealed. A trial gives the same bits on every machine, so one of the two machines, programs or files is \
             broken: find out which, remove what it wrote from {}, and run again",
            journals.display()
        ))]
        Disagreement {
            /// Which trial.
            trial: String,
            /// What differs, and in which journals.
            contradiction: Box<Contradiction>,
            /// Where they are.
            journals: PathBuf,
            /// How many more there are.
            others: usize,
        },
        /// There is nothing to report on.
        #[error("no stored trials in {}", dir.display())]
        #[diagnostic(help("run the experiment first: reprise run"))]
        Nothing {
            /// The folder.
            dir: PathBuf,
        },
        /// There are no results where they are looked for, or they can't be looked at.
        #[error("no sealed results in {}{}", dir.display(), cause.as_ref().map_or_else(String::new, |cause| format!(": {cause}")))]
        #[diagnostic(help("name a folder of results: --results DIR"))]
        NoResults {
            /// The folder or file.
            dir: PathBuf,
            /// What the system said.
            cause: Option<std::io::Error>,
        },
        /// What stands in a file of results can't be read, so that what is counted of it would be wrong.
        #[error("cannot count what stands in {}: {cause}", path.display())]
        #[diagnostic(help(
            "these results are larger than are counted, or not as reprise writes them: leave their folder out"
        ))]
        NotCounted {
            /// The file.
            path: PathBuf,
            /// Why.
            cause: std::io::Error,
        },
        /// Something is asked about that is not in the results.
        #[error("{experiment} has no {what} `{name}`")]
        Unknown {
            /// The experiment.
            experiment: String,
            /// What was looked for.
            what: &'static str,
            /// By which name.
            name: String,
            /// What there is.
            #[help]
            help: Option<String>,
        },
        /// A program that was asked for a trial again answered otherwise than it promises.
        #[error("asked again in a new process: {0}")]
        #[diagnostic(help(
            "nothing was sealed. The method keeps something from trial to trial, or draws without its seed: `reprise methods check` \
             shows what moves it. Say mode = \"once\", or promise less by `determinism`"
        ))]
        Unsteady(String),
        /// The code of a program is not what it was when the run began.
        #[error("{} changed while the experiment ran", path.display())]
        #[diagnostic(help("nothing was sealed: run it again, which makes the trials of the new code"))]
        CodeChanged {
            /// The file.
            path: PathBuf,
        },
        /// A process that executes a path again can't be started.
        #[error("failed to execute {what} in a process of its own: {cause}")]
        #[diagnostic(help(
            "check that the program's file is still there, and that processes can be started"
        ))]
        Child {
            /// The path.
            what: String,
            /// What the system said.
            cause: std::io::Error,
        },
        /// A file to compare with can't be read.
        #[error("cannot read {}: {cause}", path.display())]
        #[diagnostic(help("name the experiment file that the results are compared with: --spec FILE"))]
        Unreadable {
            /// The file.
            path: PathBuf,
            /// What the system said.
            cause: std::io::Error,
        },
    }
}

/// A dataset does not suit the experiment, with the place where the file names it.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error(transparent)]
#[diagnostic(transparent)]
pub struct Misfit(DocumentErrors);

impl Misfit {
    /// What it has not, in a sentence.
    pub fn why(&self) -> String {
        self.0.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

impl Error {
    /// That a folder is not as it was sealed.
    pub(crate) fn tampered(folder: &seal::Folder) -> Self {
        let differences = folder.differences.iter().map(ToString::to_string).collect();
        Self::Tampered { dir: folder.path.clone(), differences }
    }

    /// Why there are no facts about the datasets of an experiment.
    pub(crate) fn of_facts(error: FactsError, experiment: &Experiment) -> Self {
        let message = error.to_string();
        let (dataset, error) = match error {
            FactsError::NoColumn { column, help } => {
                let errors = spec::at(experiment, &column.span, message, "unknown column", help);
                return Self::Unsuited(Misfit(errors));
            }
            FactsError::Data(error) => return Self::Data(error),
            FactsError::TooMany(error) => return Self::TooMany(error),
            FactsError::Unsuited { error: Unsuited::TooMany(error), .. } => {
                return Self::TooMany(error);
            }
            FactsError::Unsuited { dataset, error } => (dataset, error),
        };
        let help = error.help().map(|help| help.to_string());
        Self::Unsuited(Misfit(spec::at_dataset(experiment, &dataset, message, help)))
    }
}

#[cfg(test)]
mod tests {
    use run::outcome::Aspect;

    use super::*;

    #[test]
    fn a_disagreement_counts_the_others() {
        let says = |others| {
            let segments = ["one", "two"].map(str::to_owned);
            let what = Aspect::Status;
            let contradiction = Box::new(Contradiction { key: Digest::of(b"k"), what, segments });
            let (trial, journals) = ("NB on iris".to_owned(), PathBuf::new());
            Error::Disagreement { trial, contradiction, journals, others }.to_string()
        };
        let first = "two executions of one trial differ: NB on iris: status in one.journal is not that in two.journal";
        assert_eq!(says(0), first);
        assert_eq!(says(2), format!("{first}, and so for 2 more"));
    }
}
