//! A trial and what came of it: the only thing that the stages after the run read.

use std::collections::BTreeMap;

use crate::math::digest::Digest;
use crate::method::parameter::{Parameters, Value};
use crate::task::Measure;
use crate::task::boundary::picture::Picture;

/// One method configuration on one split of one dataset with one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Identifies the computation: equal keys, equal outcomes.
    pub key: Digest,
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
    /// Repeat, from 0.
    pub repeat: usize,
    /// Fold, from 0.
    pub fold: usize,
    /// Split seed, from which every random number of the trial comes.
    pub seed: Digest,
    /// The options that differ from the chosen ones, as `choice=option`, joined by `;`. Empty for
    /// the trials that feed tables, tests and claims.
    pub choice: String,
    /// Kind of the method.
    pub kind: &'static str,
    /// Revision of the method.
    pub revision: u32,
    /// Digest of the dataset.
    pub data: Digest,
    /// What its task does beside split and kind, as [`Part::setting`](crate::spec::Part::setting) has it.
    pub setting: String,
    /// All parameters.
    pub parameters: Parameters,
    /// The swept parameters' values, in the order of the method's sweep.
    pub sweep: Vec<(String, Value)>,
    /// The grid parameters' values, in the order of the method's grid.
    pub grid: Vec<(String, Value)>,
}

impl Trial {
    /// Where it stands, for messages: method, dataset, problem, repeat, fold, choice.
    pub fn place(&self) -> String {
        let Self { method, dataset, problem, repeat, fold, choice, .. } = self;
        let mut place = format!("{method} on {dataset}");
        if !problem.is_empty() {
            place += &format!(" {problem}");
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

/// How a trial ended, or why it has no outcome.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It has all its metrics.
    Ok,
    /// The method gave up, or panicked.
    Failed,
    /// A metric is not a finite number.
    Nonfinite,
    /// The time limit passed.
    Timeout,
    /// It took the process down twice.
    Crashed,
    /// It has not run.
    Missing,
    /// The configuration makes no sense for the dataset.
    NotApplicable,
    /// The experiment only quotes the published value.
    PublishedOnly,
}

impl Status {
    const ALL: [Self; 8] = [
        Self::Ok,
        Self::Failed,
        Self::Nonfinite,
        Self::Timeout,
        Self::Crashed,
        Self::Missing,
        Self::NotApplicable,
        Self::PublishedOnly,
    ];

    /// The status of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// The word that files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Nonfinite => "nonfinite",
            Self::Timeout => "timeout",
            Self::Crashed => "crashed",
            Self::Missing => "missing",
            Self::NotApplicable => "not-applicable",
            Self::PublishedOnly => "published-only",
        }
    }
}

/// What came of a trial. Deterministic, but for `times`.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What went wrong; empty if nothing did.
    pub message: String,
    /// Metrics by name, those that read a clock excepted.
    pub metrics: BTreeMap<String, Measure>,
    /// Metrics that read a clock, in seconds.
    pub times: BTreeMap<String, f64>,
    /// Values per test example, by metric, where a test pairs by example.
    pub examples: BTreeMap<String, Vec<f64>>,
    /// What a figure shows of the trial, where one does.
    pub picture: Option<Picture>,
}

impl Outcome {
    /// How much it says: a time-out says least, then the number of its values counts.
    pub fn content(&self) -> (bool, usize, usize) {
        let further = self.examples.len() + usize::from(self.picture.is_some());
        (self.status != Status::Timeout, self.metrics.len(), further)
    }
}

/// A planned trial with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The trial.
    pub trial: Trial,
    /// Its outcome; none if it has not run.
    pub outcome: Option<Outcome>,
    /// Whether it is its grid's selected point (always, for a method without a grid).
    pub selected: bool,
}
