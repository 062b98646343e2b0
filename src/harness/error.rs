//! What can go wrong between an experiment file and its sealed results.

use std::path::PathBuf;

use base::digest::Digest;
use data::DataError;
use document::DocumentErrors;
use miette::Diagnostic as _;
use report::figure::FigureError;
use run::datasets::FactsError;
use run::executor::RunError;
use run::journal::{Contradiction, StoreError};
use run::only::NoTrial;
use run::plan::{TooMany, Unsuited};
use run::store::FolderError;
use run::trials_csv::NotRecords;
use seal::write::WriteError;
use spec::Experiment;

use super::submit::engine::NotSubmitted;

/// An experiment has no universes.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{0} has no [universes]")]
#[diagnostic(help("say which combinations of its choices run, as [universes] with cover = 2"))]
pub struct NoUniverses(pub String);

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
        /// There are no universes to run.
        NoUniverses(NoUniverses),
        /// The results folder is another process's, or no folder.
        Folder(FolderError),
        /// The journal can't be read or written.
        Store(StoreError),
        /// Paths can't be executed.
        Run(RunError),
        /// A program can't be used.
        Program(program::Error),
        /// An output can't be written.
        Write(WriteError),
        /// A figure can't be made a picture.
        Figure(FigureError),
        /// Sealed records can't be read back.
        Records(NotRecords),
        /// Results are not as they were sealed.
        Tampered(Tampered),
        /// Sealed trials would be lost.
        Loss(Loss),
        /// An engine takes no chunks.
        NotSubmitted(NotSubmitted),
        /// Two executions of a trial gave something else.
        Disagreement(Disagreement),
        /// A program does not keep what it promises.
        Unsteady(Unsteady),
        /// There is nothing to report on.
        Nothing(Nothing),
        /// There are no results, or no scorecard can be made of them.
        NoResults(NoResults),
        /// A file of results can't be counted.
        NotCounted(NotCounted),
        /// Something is asked about that is not in the results.
        Unknown(Unknown),
        /// A filter of trials fits none.
        NoTrial(NoTrial),
    } or {
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
    /// Why there are no facts about the datasets of an experiment.
    pub(crate) fn of_facts(error: FactsError, experiment: &Experiment) -> Self {
        let (dataset, error) = match error {
            FactsError::Data(error) => return Self::Data(error),
            FactsError::TooMany(error) => return Self::TooMany(error),
            FactsError::Unsuited { error: Unsuited::TooMany(error), .. } => {
                return Self::TooMany(error);
            }
            FactsError::Unsuited { dataset, error } => (dataset, error),
        };
        let help = error.help().map(|help| help.to_string());
        Self::Unsuited(Misfit(spec::at_dataset(experiment, &dataset, error.to_string(), help)))
    }
}

/// Results were changed after they were sealed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the results in {} are not as they were sealed:\n{}", dir.display(), differences.join("\n"))]
#[diagnostic(help(
    "restore the files and remove those that are not listed, or recompute them with --fresh"
))]
pub struct Tampered {
    /// The results folder.
    pub dir: PathBuf,
    /// What is different, in sentences.
    pub differences: Vec<String>,
}

/// Sealed trials would be lost.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{count} sealed trials in {} are no trials of this run, such as {}", dir.display(), example.short())]
pub struct Loss {
    /// The results folder.
    pub dir: PathBuf,
    /// How many trials.
    pub count: usize,
    /// The key of one of them.
    pub example: Digest,
    /// What to do.
    #[help]
    pub help: &'static str,
}

/// Two executions of a trial gave something else.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
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
pub struct Disagreement {
    /// Which trial.
    pub trial: String,
    /// What differs, and in which journals.
    pub contradiction: Box<Contradiction>,
    /// Where they are.
    pub journals: PathBuf,
    /// How many more there are.
    pub others: usize,
}

/// There is nothing to report on.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("no stored trials in {}", .0.display())]
#[diagnostic(help("run the experiment first: reprise run"))]
pub struct Nothing(pub PathBuf);

/// There are no results where they are looked for, or nothing can be written there.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("no sealed results in {}{}", dir.display(), cause.as_ref().map_or_else(String::new, |cause| format!(": {cause}")))]
#[diagnostic(help("name a folder of results: --results DIR"))]
pub struct NoResults {
    /// The folder or file.
    pub dir: PathBuf,
    /// What the system said.
    pub cause: Option<std::io::Error>,
}

/// What stands in a file of results can't be read, so that what is counted of it would be wrong.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("cannot count what stands in {}: {cause}", path.display())]
#[diagnostic(help(
    "these results are larger than are counted, or not as reprise writes them: leave their folder out"
))]
pub struct NotCounted {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub cause: std::io::Error,
}

/// Something is asked about that is not in the results.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{experiment} has no {what} `{name}`")]
pub struct Unknown {
    /// The experiment.
    pub experiment: String,
    /// What was looked for.
    pub what: &'static str,
    /// By which name.
    pub name: String,
    /// What there is.
    #[help]
    pub help: Option<String>,
}

/// A program that was asked for a trial again answered otherwise than it promises.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("asked again in a new process: {0}")]
#[diagnostic(help(
    "nothing was sealed. The method keeps something from trial to trial, or draws without its seed: `reprise methods check` \
     shows what moves it. Say mode = \"once\", or promise less by `determinism`"
))]
pub struct Unsteady(pub String);

#[cfg(test)]
mod tests {
    use run::outcome::Contradicted;

    use super::*;

    #[test]
    fn a_disagreement_counts_the_others() {
        let says = |others| {
            let segments = ["one", "two"].map(str::to_owned);
            let what = Contradicted::Status;
            let contradiction = Box::new(Contradiction { key: Digest::of(b"k"), what, segments });
            let (trial, journals) = ("NB on iris".to_owned(), PathBuf::new());
            Disagreement { trial, contradiction, journals, others }.to_string()
        };
        let first = "two executions of one trial differ: NB on iris: status in one.journal is not that in two.journal";
        assert_eq!(says(0), first);
        assert_eq!(says(2), format!("{first}, and so for 2 more"));
    }
}
