//! A trial and what came of it: the only thing that the stages after the run read.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use base::digest::Digest;
use contract::parameter::{Parameters, Value};
use contract::{Assignment, DatasetId, MethodId, Metric, PartId, ProblemId};
use derive_more::{Deref, DerefMut};
use spec::Per;

use super::cause::Status;
use super::outcome::Outcome;

/// One method configuration on one split of one dataset with one seed. What it shares with those of other
/// repeats and folds is read as if it were its own.
#[derive(Debug, Clone, PartialEq, Deref)]
pub struct Trial {
    /// Identifies the computation: equal keys, equal outcomes.
    pub key: Digest,
    /// Split seed, from which every random number of the trial comes.
    pub seed: Digest,
    /// Repeat, from 0.
    pub repeat: usize,
    /// Fold, from 0.
    pub fold: usize,
    /// All else. There may be a million trials, but not as many of these.
    #[deref(forward)]
    pub setup: Arc<Setup>,
}

/// A change is to this trial only.
impl std::ops::DerefMut for Trial {
    fn deref_mut(&mut self) -> &mut Setup {
        Arc::make_mut(&mut self.setup)
    }
}

/// A method configuration on a split of a dataset: what the trials of all repeats and folds have in common.
///
/// Where it is read from results, it is what their rows say, whatever methods and datasets are now: parameters are texts,
/// and `variant`, `sweep` and `grid`, which rows do not say, are empty.
#[derive(Debug, Clone, PartialEq, Default, Deref, DerefMut)]
pub struct Setup {
    /// Which configuration of the experiment it is.
    #[deref]
    #[deref_mut]
    pub configuration: Configuration,
    /// The dataset with its parameters as this trial has them: its id, and the values that are not the
    /// chosen ones.
    pub variant: String,
    /// The split in words, such as `published`.
    pub split: String,
    /// Kind of the method.
    pub kind: Cow<'static, str>,
    /// Revision of the method.
    pub revision: u32,
    /// Digest of the dataset.
    pub data: Digest,
    /// What its task does beside split and kind, as [`Part::setting`](spec::Part::setting) has it.
    pub setting: String,
    /// All parameters.
    pub parameters: Parameters,
    /// The swept parameters' values, in the order of the method's sweep.
    pub sweep: Vec<(String, Value)>,
    /// The grid parameters' values, in the order of the method's grid.
    pub grid: Vec<(String, Value)>,
}

/// Which configuration of an experiment a setup is, its parameters and swept values aside: what stays when those
/// are changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Configuration {
    /// The dataset.
    pub dataset: DatasetId,
    /// The part; empty where the experiment has no parts.
    pub part: PartId,
    /// The problem (class pair); empty where the task has only one.
    pub problem: ProblemId,
    /// The method.
    pub method: MethodId,
    /// The options that differ from the chosen ones. Empty for the trials that feed tables, tests and claims.
    pub choice: Assignment,
}

impl Trial {
    /// Where it stands, for messages: method, dataset, problem, swept and grid parameters, repeat, fold, choice.
    pub fn place(&self) -> String {
        let Self { repeat, fold, .. } = self;
        let Configuration { method, dataset, problem, choice, .. } = &self.configuration;
        let mut place = format!("{method} on {dataset}");
        if !problem.is_empty() {
            place += &format!(" {problem}");
        }
        for (name, value) in self.sweep.iter().chain(&self.grid) {
            place += &format!(", {name} = {value}");
        }
        place += &format!(", repeat {repeat}, fold {fold}");
        if !choice.is_empty() {
            place += &format!(", {choice}");
        }
        place
    }
}

/// A point of sweeps and grids in words, such as `degree=15 cost=1`.
pub fn point<'v, N: Display + 'v, V: Display + 'v>(
    values: impl IntoIterator<Item = &'v (N, V)>,
) -> String {
    let values = values.into_iter().map(|(name, value)| format!("{name}={value}"));
    values.collect::<Vec<_>>().join(" ")
}

/// What these trials on one dataset are several of: problems, else folds, else repeats; none if their
/// test examples are all that there is.
pub fn several<'t>(trials: impl Iterator<Item = &'t Trial> + Clone) -> Option<Per> {
    let problem = trials.clone().next().map(|trial| &trial.problem);
    if trials.clone().any(|trial| Some(&trial.problem) != problem) {
        Some(Per::Problem)
    } else if trials.clone().any(|trial| trial.fold > 0) {
        Some(Per::Fold)
    } else {
        trials.clone().any(|trial| trial.repeat > 0).then_some(Per::Repeat)
    }
}

/// A planned trial with its outcome.
/// Cheap to clone: what is large in it is shared.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The trial.
    pub trial: Trial,
    /// Its outcome; none if it has not run.
    pub outcome: Option<Arc<Outcome>>,
    /// Whether it is its grid's selected point (always, for a method without a grid).
    pub selected: bool,
}

impl Record {
    /// How it ended.
    pub fn status(&self) -> Status {
        self.outcome.as_ref().map_or(Status::Missing, |outcome| outcome.status())
    }

    /// Its value of a metric, or of a time.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        self.outcome.as_ref()?.value(metric)
    }
}
