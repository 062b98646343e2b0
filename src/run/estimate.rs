//! How long paths will take: as trials of their method on their dataset took before, else what the method expects.

use std::collections::BTreeMap;

use contract::{DatasetId, MethodId};

use super::plan::{Path, Plan};
use super::record::{Record, Trial};

/// The least seconds of a path: its data is prepared, and what came of it is written.
pub const LEAST: f64 = 1e-3;

/// A method on a dataset.
type Place = (DatasetId, MethodId);

/// The mean seconds of earlier trials, on one core.
#[derive(Debug, Default, PartialEq)]
pub struct Estimates(BTreeMap<Place, f64>);

impl Estimates {
    /// From the records of results.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut seconds: BTreeMap<Place, (f64, usize)> = BTreeMap::new();
        for Record { trial, outcome, .. } in records {
            let place = (trial.dataset.clone(), trial.method.clone());
            let entry = seconds.entry(place).or_default();
            let total = outcome.as_ref().map_or(0.0, |outcome| outcome.seconds());
            *entry = (entry.0 + total, entry.1 + 1);
        }
        Self(seconds.into_iter().map(|(place, (total, n))| (place, total / n as f64)).collect())
    }

    /// The mean seconds of earlier trials like this one, on one core.
    pub fn trial(&self, trial: &Trial) -> Option<f64> {
        let place = (trial.dataset.clone(), trial.method.clone());
        self.0.get(&place).copied()
    }

    /// The seconds of a path on one core, a positive number.
    pub fn path(&self, plan: &Plan, path: &Path) -> f64 {
        let mean = self.trial(plan.first_of(path));
        mean.map_or_else(|| expected(path), |mean| sound(mean * path.trials.len() as f64))
    }
}

/// The seconds of a path on one core that its method expects, a positive number.
pub fn expected(path: &Path) -> f64 {
    sound(path.cost)
}

fn sound(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds.max(LEAST) } else { 1.0 }
}
