//! With what sealed results are checked, and what is found.

use std::path::PathBuf;

use data::DataConfig;
use spec::Lists;

/// With what sealed results are made again.
#[derive(Debug, Clone)]
pub struct Means {
    /// What experiment files may name.
    pub lists: &'static Lists,
    /// Where data comes from; its registry is the user's own, whose entries count before the built-in ones.
    pub data: DataConfig,
    /// Experiment files of the user's, with which sealed ones are compared.
    pub specs: Vec<PathBuf>,
    /// Whether sealed dataset entries may name sources that neither registry knows.
    pub trust: bool,
    /// How many trials an experiment may have.
    pub max_trials: u64,
}

impl Means {
    /// Those of who trusts nothing in the results.
    pub fn new(lists: &'static Lists, data: DataConfig, max_trials: u64) -> Self {
        Self { lists, data, specs: Vec::new(), trust: false, max_trials }
    }
}

/// What was found in results that could be checked, in sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is otherwise than it was sealed.
    pub differences: Vec<String>,
    /// What was executed again, and is still not checked.
    pub unchecked: Vec<String>,
    /// The paths that were to be executed and were not, with the reason.
    pub skipped: Vec<String>,
    /// Promises of less than the same bits that were kept, with the evidence.
    pub kept: Vec<String>,
    /// What each input was equal to.
    pub equal: Vec<String>,
    /// What nothing was there to compare with, or can't be made again, but for entries of datasets.
    pub believed: Vec<String>,
    /// The entries of datasets that no registry here has. There may be many.
    pub believed_datasets: Vec<String>,
    /// The experiment file of the user's that the sealed one was compared with.
    pub spec: Option<PathBuf>,
    /// Paths that were executed again.
    pub executed: usize,
    /// Of how many; none of an audit that executes none.
    pub paths: usize,
}
