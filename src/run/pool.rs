//! The datasets of a run, each loaded once, divided once per split and problem, and dropped after its
//! last path.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use base::parallel::lock;
use contract::TaskKind;
use data::Dataset;
use data::split::{Members, SplitPlan};
use spec::{Experiment, Part};
use task::boundary::BoundaryData;
use task::classification::ClassificationData;
use task::density::DensityData;
use task::partition::PartitionData;

use super::plan::{Path, Plan, members};
use super::record::{Setup, Trial};

/// Where datasets come from, by the names of [`super::plan::variants`].
pub trait Source: Sync {
    /// A dataset.
    ///
    /// # Errors
    /// Why it can't be had.
    fn dataset(&self, variant: &str) -> Result<Arc<Dataset>, String>;
}

impl Source for BTreeMap<String, Arc<Dataset>> {
    fn dataset(&self, variant: &str) -> Result<Arc<Dataset>, String> {
        self.get(variant).cloned().ok_or_else(|| format!("there is no dataset `{variant}`"))
    }
}

/// What paths share their divided examples by: variant of the dataset, task with its setting, split, problem,
/// repeat and fold; under a split that the authors give all repeats are the first one, unless each draws its
/// own examples.
type SplitId<'a> = (&'a str, (&'static str, &'a str), &'a str, &'a str, usize, usize);
type Shared<T> = Arc<OnceLock<Result<Arc<T>, String>>>;

/// The examples of one split, as its task takes them.
#[derive(Debug)]
pub enum Divided {
    /// For density estimation, and for Markov networks by their pseudo-likelihood.
    Density(DensityData),
    /// For classification.
    Classification(ClassificationData),
    /// For partitions of the variables.
    Partition(PartitionData),
    /// For decision boundaries.
    Boundary(BoundaryData),
}

/// See the module's text.
pub struct Pool<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    source: &'a dyn Source,
    datasets: Mutex<BTreeMap<&'a str, Counted<Shared<Dataset>>>>,
    divided: Mutex<BTreeMap<SplitId<'a>, Counted<Shared<Divided>>>>,
}

/// Something with the number of paths that still need it.
#[derive(Debug, Default)]
struct Counted<T> {
    item: T,
    paths: usize,
}

impl<'a> Pool<'a> {
    /// A pool that serves these paths.
    pub fn new(
        experiment: &'a Experiment,
        plan: &'a Plan,
        paths: &[&Path],
        source: &'a dyn Source,
    ) -> Self {
        let mut datasets: BTreeMap<&str, Counted<_>> = BTreeMap::new();
        let mut divided: BTreeMap<SplitId<'_>, Counted<_>> = BTreeMap::new();
        for path in paths {
            let trial = &plan.trials[path.trials[0]];
            datasets.entry(&trial.variant).or_default().paths += 1;
            divided.entry(split_id(&experiment.parts[path.part], trial)).or_default().paths += 1;
        }
        let (datasets, divided) = (Mutex::new(datasets), Mutex::new(divided));
        Self { experiment, plan, source, datasets, divided }
    }

    /// The divided examples of a path; made at the first call, shared by the others.
    ///
    /// # Errors
    /// If the dataset can't be had, or the split does not fit it.
    pub fn divided(&self, path: &Path) -> Result<Arc<Divided>, String> {
        let trial = &self.plan.trials[path.trials[0]];
        let part = &self.experiment.parts[path.part];
        let cell = lock(&self.divided)[&split_id(part, trial)].item.clone();
        cell.get_or_init(|| {
            let dataset = lock(&self.datasets)[&*trial.variant].item.clone();
            let dataset =
                dataset.get_or_init(|| self.source.dataset(&trial.variant)).as_ref().cloned();
            divide(&*dataset.map_err(String::clone)?, part, path, trial.fold).map(Arc::new)
        })
        .clone()
    }

    /// Says that a path is done with its data.
    pub fn release(&self, path: &Path) {
        let trial = &self.plan.trials[path.trials[0]];
        release(&self.divided, &split_id(&self.experiment.parts[path.part], trial));
        release(&self.datasets, &&*trial.variant);
    }
}

fn divide(dataset: &Dataset, part: &Part, path: &Path, fold: usize) -> Result<Divided, String> {
    let members = members(dataset, &path.problem);
    let members = members.as_deref().map_or(Members::All, Members::Some);
    let division = part.split.divide(dataset, members, path.division_seed, fold);
    let division = division.map_err(|error| error.to_string())?;
    match part.kind {
        TaskKind::Density | TaskKind::PseudoLikelihood => {
            Ok(Divided::Density(DensityData::new(dataset, &division)?))
        }
        TaskKind::Classification => {
            let labels = dataset.labels.as_ref().ok_or("the dataset has no classes")?;
            let labels = &labels.of_example;
            let data = ClassificationData::new(dataset, labels, &division, &path.problem);
            let seed = path.division_seed;
            Ok(Divided::Classification(data.with_label_noise(part.label_noise, seed, fold)))
        }
        TaskKind::Boundary => {
            let data = BoundaryData::new(dataset, &division, part.change, path.division_seed)?;
            Ok(Divided::Boundary(data))
        }
        TaskKind::Partition => {
            Ok(Divided::Partition(PartitionData::new(dataset, &division, path.division_seed)))
        }
    }
}

fn split_id<'a>(part: &Part, trial: &'a Trial) -> SplitId<'a> {
    let repeat = match part.split {
        SplitPlan::Published | SplitPlan::Folds if !part.draws() => 0,
        _ => trial.repeat,
    };
    let Setup { variant, setting, split, problem, .. } = &*trial.setup;
    (variant, (part.kind.word(), setting), split, problem, repeat, trial.fold)
}

fn release<K: Ord, T>(items: &Mutex<BTreeMap<K, Counted<T>>>, key: &K) {
    let mut items = lock(items);
    if let Some(counted) = items.get_mut(key) {
        counted.paths -= 1;
        if counted.paths == 0 {
            items.remove(key);
        }
    }
}
