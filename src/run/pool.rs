//! The datasets of a run, each parsed once, divided once per split, and dropped after its last
//! path.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::data::Dataset;
use crate::data::split::{Members, SplitError, SplitPlan};
use crate::math::parallel::lock;
use crate::spec::Experiment;
use crate::task::classification::ClassificationData;
use crate::task::density::DensityData;

use super::plan::{Path, Plan};
use super::record::Trial;

/// Dataset id, split, repeat and fold; under a published split all repeats are the first one.
type SplitId = (String, String, usize, usize);
type Shared = Arc<OnceLock<Result<Arc<Divided>, SplitError>>>;

/// The examples of one split, as its task takes them.
#[derive(Debug)]
pub enum Divided {
    /// For density estimation.
    Density(DensityData),
    /// For classification.
    Classification(ClassificationData),
}

/// See the module's text.
#[derive(Debug)]
pub struct Pool<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    datasets: Mutex<BTreeMap<String, Counted<Arc<Dataset>>>>,
    divided: Mutex<BTreeMap<SplitId, Counted<Shared>>>,
}

/// Something with the number of paths that still need it.
#[derive(Debug)]
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
        datasets: &BTreeMap<String, Arc<Dataset>>,
    ) -> Self {
        let mut counted = BTreeMap::new();
        let mut divided = BTreeMap::new();
        for path in paths {
            let trial = &plan.trials[path.trials[0]];
            counted
                .entry(trial.dataset.clone())
                .or_insert_with(|| Counted { item: datasets[&trial.dataset].clone(), paths: 0 })
                .paths += 1;
            divided
                .entry(split_id(experiment, path, trial))
                .or_insert_with(|| Counted { item: Shared::default(), paths: 0 })
                .paths += 1;
        }
        Self { experiment, plan, datasets: Mutex::new(counted), divided: Mutex::new(divided) }
    }

    /// The divided examples of a path; made at the first call, shared by the others.
    ///
    /// # Errors
    /// If the split does not fit the dataset.
    pub fn divided(&self, path: &Path) -> Result<Arc<Divided>, SplitError> {
        let trial = &self.plan.trials[path.trials[0]];
        let id = split_id(self.experiment, path, trial);
        let cell = lock(&self.divided)[&id].item.clone();
        cell.get_or_init(|| {
            let dataset = lock(&self.datasets)[&trial.dataset].item.clone();
            let split = &self.experiment.parts[path.part].split;
            let seed = path.division_seed;
            let division = split.divide(&dataset, Members::All, seed, trial.fold)?;
            Ok(Arc::new(Divided::Density(DensityData::new(&dataset.examples, &division))))
        })
        .clone()
    }

    /// Says that a path is done with its data.
    pub fn release(&self, path: &Path) {
        let trial = &self.plan.trials[path.trials[0]];
        release(&self.divided, &split_id(self.experiment, path, trial));
        release(&self.datasets, &trial.dataset);
    }
}

fn split_id(experiment: &Experiment, path: &Path, trial: &Trial) -> SplitId {
    let repeat = match experiment.parts[path.part].split {
        SplitPlan::Published => 0,
        _ => trial.repeat,
    };
    (trial.dataset.clone(), trial.split.clone(), repeat, trial.fold)
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
