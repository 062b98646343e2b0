//! A trial and what came of it: the only thing that the stages after the run read.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use base::digest::Digest;
use contract::parameter::{Parameters, Value};

use super::outcome::Outcome;

/// One method configuration on one split of one dataset with one seed. What it shares with those of other
/// repeats and folds is read as if it were its own.
#[derive(Debug, Clone, PartialEq)]
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
    pub setup: Arc<Setup>,
}

impl Deref for Trial {
    type Target = Setup;

    fn deref(&self) -> &Setup {
        &self.setup
    }
}

/// A change is to this trial only.
impl DerefMut for Trial {
    fn deref_mut(&mut self) -> &mut Setup {
        Arc::make_mut(&mut self.setup)
    }
}

/// A method configuration on a split of a dataset: what the trials of all repeats and folds have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// Dataset id.
    pub dataset: String,
    /// The dataset with its parameters as this trial has them: its id, and the values that are not the
    /// chosen ones.
    pub variant: String,
    /// Part id; empty where the experiment has no parts.
    pub part: String,
    /// Problem (class pair); empty where the task has only one.
    pub problem: String,
    /// Method id.
    pub method: String,
    /// The split in words, such as `published`.
    pub split: String,
    /// The options that differ from the chosen ones, as `choice=option`, joined by `;`. Empty for
    /// the trials that feed tables, tests and claims.
    pub choice: String,
    /// Kind of the method.
    pub kind: &'static str,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration<'a> {
    /// Dataset id.
    pub dataset: &'a str,
    /// Part id.
    pub part: &'a str,
    /// Problem.
    pub problem: &'a str,
    /// Method id.
    pub method: &'a str,
    /// Options that are not the chosen ones.
    pub choice: &'a str,
}

impl Setup {
    /// Which configuration it is.
    pub fn configuration(&self) -> Configuration<'_> {
        let Self { dataset, part, problem, method, choice, .. } = self;
        Configuration { dataset, part, problem, method, choice }
    }
}

impl Trial {
    /// Where it stands, for messages: method, dataset, problem, swept and grid parameters, repeat, fold, choice.
    pub fn place(&self) -> String {
        let Self { repeat, fold, .. } = self;
        let Setup { method, dataset, problem, choice, .. } = &*self.setup;
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

/// What there are several of among the trials of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Several {
    /// Problems.
    Problems,
    /// Folds.
    Folds,
    /// Repeats.
    Repeats,
}

/// What these trials on one dataset are several of: problems, else folds, else repeats; none if their
/// test examples are all that there is.
pub fn several<'t>(trials: impl Iterator<Item = &'t Trial> + Clone) -> Option<Several> {
    let problem = trials.clone().next().map_or("", |trial| &trial.problem);
    if trials.clone().any(|trial| trial.problem != problem) {
        Some(Several::Problems)
    } else if trials.clone().any(|trial| trial.fold > 0) {
        Some(Several::Folds)
    } else {
        trials.clone().any(|trial| trial.repeat > 0).then_some(Several::Repeats)
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
