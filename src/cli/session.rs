//! What `run`, `plan`, `report` and `audit --rerun` share: an experiment with its data.

use std::path::{Path, PathBuf};

use miette::Diagnostic;

use crate::data::Library;
use crate::data::registry::Entry;
use crate::run::datasets::{Datasets, FactsError};
use crate::run::plan::{MAX_TRIALS, Plan, WithChoices, plan};
use crate::spec::{self, Experiment, KnownDataset};

use super::data::Bars;
use super::{DataOptions, Exit, Failure};

/// Which experiments, where their data comes from and where their results go.
#[derive(Debug, clap::Args)]
pub struct Experiments {
    /// Experiment files
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    #[command(flatten)]
    data: DataOptions,
    /// Apply the overrides of [profile.NAME]; the results are those of <id>@NAME
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    limits: Limits,
}

/// How large an experiment may be.
#[derive(Debug, Clone, clap::Args)]
pub struct Limits {
    /// Most trials that an experiment may have
    #[arg(long, value_name = "N", default_value_t = MAX_TRIALS)]
    pub max_trials: u64,
}

impl Experiments {
    /// Each of them, read when its turn comes.
    pub fn sessions(&self) -> impl Iterator<Item = Result<Session, Failure>> {
        let Self { specs, results, data, profile, limits } = self;
        specs.iter().map(|spec| Session::open(spec, profile.as_deref(), results, data, limits))
    }
}

/// A validated experiment, where its data comes from and where its results go.
#[derive(Debug)]
pub struct Session {
    /// The experiment.
    pub experiment: Experiment,
    /// Its data.
    pub library: Library,
    /// Its results folder.
    pub dir: PathBuf,
    /// How many trials it may have.
    max_trials: u64,
}

impl Session {
    /// Reads and validates an experiment file; its results go below `results`.
    ///
    /// # Errors
    /// If the file is wrong, or the dataset registry is.
    pub fn open(
        file: &Path,
        profile: Option<&str>,
        results: &Path,
        data: &DataOptions,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let library = Library::open(&data.config(), file.parent())?;
        let known = |entry: &Entry| KnownDataset {
            id: entry.id.clone(),
            parameters: entry.parameters().into_iter().map(|(parameter, _)| parameter).collect(),
        };
        let entries = library.ids().filter_map(|id| library.entry(id));
        let datasets: Vec<KnownDataset> = entries.map(known).collect();
        let experiment = spec::load(file, profile, &datasets).map_err(Exit::Usage.because())?;
        let dir = results.join(&experiment.id);
        Ok(Self { experiment, library, dir, max_trials: limits.max_trials })
    }

    /// The ids of its datasets, each once, in file order.
    pub fn dataset_ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for id in self.experiment.parts.iter().flat_map(|part| &part.datasets) {
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        ids
    }

    /// Its datasets; fetches what is missing.
    ///
    /// # Errors
    /// If a file is unavailable or corrupt, or choices make too many datasets.
    pub fn datasets(&self) -> Result<Datasets<'_>, Failure> {
        self.library.fetch(&self.dataset_ids(), &Bars::default())?;
        Ok(Datasets::load(&self.library, &self.experiment, self.max_trials)?)
    }

    /// Plans its trials.
    ///
    /// # Errors
    /// If a task or split makes no sense for a dataset, or there are too many trials.
    pub fn plan(&self, datasets: &Datasets<'_>, choices: WithChoices) -> Result<Plan, Failure> {
        let facts = datasets.facts(&self.experiment)?;
        plan(&self.experiment, &facts, choices, self.max_trials).map_err(Exit::Usage.because())
    }

    /// What people read instead of a dataset's id.
    pub fn title(&self, dataset: &str) -> String {
        self.library.entry(dataset).map_or_else(|| dataset.to_owned(), |entry| entry.title.clone())
    }
}

impl From<FactsError> for Failure {
    fn from(error: FactsError) -> Self {
        match error {
            FactsError::Data(error) => error.into(),
            FactsError::Unsuited(error) => Exit::Usage.because()(error),
        }
    }
}

impl Exit {
    /// An adaptor for `map_err`: the error ends the process with this code.
    pub fn because<E: Diagnostic + Send + Sync + 'static>(self) -> impl FnOnce(E) -> Failure {
        move |error| Failure { exit: self, report: miette::Report::new(error) }
    }
}
