//! A trial and what came of it: the only thing that the stages after the run read.

use contract::words::Words;
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use base::digest::Digest;
use base::printable::printable;
use contract::parameter::{Parameters, Value};
use contract::{ByMetric, Measure, Metric};
use program::Ending;
use task::TASKS;
use task::picture::Picture;

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
    /// Every status by the word that files use.
    pub const ALL: Words<Self> = Words(&[
        ("ok", Self::Ok, "it has all its metrics"),
        ("failed", Self::Failed, "the method gave up, or panicked"),
        ("nonfinite", Self::Nonfinite, "a metric is not a finite number"),
        ("timeout", Self::Timeout, "the time limit passed"),
        ("crashed", Self::Crashed, "it took the process down twice"),
        ("missing", Self::Missing, "it has not run"),
        ("not-applicable", Self::NotApplicable, "the configuration makes no sense for the dataset"),
        ("published-only", Self::PublishedOnly, "the experiment only quotes the published value"),
    ]);

    /// The word that files use.
    pub fn word(self) -> &'static str {
        Self::ALL.word(self)
    }
}

/// What came of a trial. Deterministic, but for `times`.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// How the program that was asked ended without answers that count, where one did.
    pub ending: Option<Ending>,
    /// What went wrong; empty if nothing did.
    pub message: String,
    /// Metrics, those that read a clock excepted.
    pub metrics: ByMetric<Measure>,
    /// Metrics that read a clock, in seconds.
    pub times: ByMetric<f64>,
    /// Values per test example, or per block of them, where a test pairs by example.
    pub examples: ByMetric<Vec<f64>>,
    /// What a figure shows of the trial, where one does.
    pub picture: Option<Box<Picture>>,
    /// Why it failed when it was also asked for a metric that it has not.
    pub refusal: Option<String>,
}

/// The metric on request that a message names.
pub fn wanted(message: &str) -> Option<&'static Metric> {
    let metrics = TASKS.iter().flat_map(|task| task.metrics()).copied();
    let mut on_request = metrics.filter(|metric| metric.on_request.is_some());
    on_request.find(|metric| message.contains(&format!("`{}`", metric.name)))
}

/// What the message of [`Status::Nonfinite`] begins with; the names of the metrics follow.
const NOT_FINITE: &str = "not a finite number: ";

impl Outcome {
    /// That of a trial that ended so and measured nothing. What can't be printed in the message is masked.
    pub fn ended(status: Status, message: String) -> Self {
        Self {
            status,
            ending: None,
            message: printable(&message).into_owned(),
            metrics: ByMetric::new(),
            times: ByMetric::new(),
            examples: ByMetric::new(),
            picture: None,
            refusal: None,
        }
    }

    /// What went wrong, with the word for how a program ended; empty if nothing did.
    pub fn complaint(&self) -> Cow<'_, str> {
        match self.ending {
            Some(ending) => Cow::Owned(format!("{ending}: {}", self.message)),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// Whether it measured something, be it not finite.
    pub fn measured(&self) -> bool {
        matches!(self.status, Status::Ok | Status::Nonfinite)
    }

    /// How long it took, on one core.
    pub fn seconds(&self) -> f64 {
        // The mean of an iteration is a part of the fit.
        let times = self.times.iter().filter(|(metric, _)| metric.name != "time:iteration");
        times.map(|(_, seconds)| seconds).sum()
    }

    /// Judges what was measured: these metrics are not finite numbers.
    pub fn judge(&mut self, broken: &BTreeSet<String>) {
        (self.status, self.message) = if broken.is_empty() {
            (Status::Ok, String::new())
        } else {
            let names: Vec<&str> = broken.iter().map(String::as_str).collect();
            (Status::Nonfinite, format!("{NOT_FINITE}{}", names.join(", ")))
        };
    }

    /// The metrics that are not finite numbers. Their values may have been left out of a sealed folder: they
    /// stand in the message.
    pub fn broken(&self) -> BTreeSet<String> {
        let names = self.message.strip_prefix(NOT_FINITE);
        let names = names.filter(|_| self.status == Status::Nonfinite);
        names.into_iter().flat_map(|names| names.split(", ")).map(str::to_owned).collect()
    }

    /// The metric on request for want of which the trial failed. Where it is not asked for, the trial may end
    /// well.
    pub fn wanted(&self) -> Option<&'static Metric> {
        let failed = self.status == Status::Failed && self.metrics.is_empty();
        if failed { wanted(&self.message) } else { None }
    }

    /// Adds what another execution of the same trial gave, which may have been asked for other values: what they
    /// measured together. A time-out says least, then a crash. Returns whether there was something to add.
    pub fn join(&mut self, mut other: Self) -> bool {
        let swapped = self.wanted().is_some() && other.measured();
        if swapped {
            std::mem::swap(self, &mut other);
        }
        if self.measured() && other.wanted().is_some() {
            let new = swapped || self.refusal.is_none();
            self.refusal = Some(other.message);
            return new;
        }
        if !(self.measured() && other.measured()) {
            let more = other.rank() > self.rank();
            if more {
                *self = other;
            }
            return more;
        }
        let (before, broken) = (self.values(), &self.broken() | &other.broken());
        if other.values() >= before {
            self.times = other.times;
        }
        self.metrics.add(other.metrics);
        self.examples.add(other.examples);
        self.picture = self.picture.take().or(other.picture);
        self.refusal = self.refusal.take().or(other.refusal);
        if !broken.is_empty() {
            self.judge(&broken);
        }
        self.values() > before
    }

    /// In what another execution of the same trial contradicts this one, bit for bit: a metric, or how the trial ended.
    /// What depends on the machine contradicts nothing: seconds, a time-out, a crash; nor does what only one of them was
    /// asked for.
    pub fn contradiction(&self, other: &Self) -> Option<String> {
        if self.measured() && other.measured() {
            return self.other_value(other);
        }
        let final_status = |outcome: &Self| {
            let ends = matches!(outcome.status, Status::Failed | Status::NotApplicable);
            outcome.measured() || ends && outcome.wanted().is_none()
        };
        let both = final_status(self) && final_status(other);
        (both && self.status != other.status).then(|| "status".to_owned())
    }

    /// The first value of which another execution has other bits.
    fn other_value(&self, other: &Self) -> Option<String> {
        let measures = self.metrics.iter().find(|(metric, measure)| {
            other.metrics.get(metric.name).is_some_and(|value| bits(measure) != bits(value))
        });
        let name = |metric: &Metric| metric.name.to_owned();
        if let Some((metric, _)) = measures {
            return Some(name(metric));
        }
        let differ = |one: &[f64], other: &[f64]| {
            !one.iter().map(|value| value.to_bits()).eq(other.iter().map(|value| value.to_bits()))
        };
        let examples = self.examples.iter().find(|(metric, values)| {
            other.examples.get(metric.name).is_some_and(|others| differ(values, others))
        });
        if let Some((metric, _)) = examples {
            return Some(format!("{} of each example", metric.name));
        }
        let pictures = self.picture.as_ref().zip(other.picture.as_ref());
        pictures.is_some_and(|(one, other)| one != other).then(|| "picture".to_owned())
    }

    fn rank(&self) -> usize {
        match self.status {
            Status::Missing | Status::PublishedOnly => 0,
            Status::Timeout => 1,
            Status::Crashed => 2,
            Status::Failed | Status::NotApplicable => 3,
            Status::Ok | Status::Nonfinite => 4,
        }
    }

    fn values(&self) -> usize {
        let further = [self.picture.is_some(), self.refusal.is_some()];
        self.metrics.len() + self.examples.len() + further.map(usize::from).iter().sum::<usize>()
    }
}

/// Outcomes by trial key.
pub type Outcomes = BTreeMap<Digest, Arc<Outcome>>;

/// A measure as it is compared: numbers that are not finite are equal to themselves.
fn bits(measure: &Measure) -> (u64, u64, u64) {
    match measure {
        Measure::Scalar(value) => (0, value.to_bits(), 0),
        Measure::Sample(sample) => (sample.n, sample.mean.to_bits(), sample.m2.to_bits()),
    }
}

/// Adds what an execution gave to what is known by key; of a trial that is known already, what both say
/// together ([`Outcome::join`]). Returns whether there was something to add.
pub fn join(
    known: &mut BTreeMap<Digest, Arc<Outcome>>,
    key: Digest,
    outcome: Arc<Outcome>,
) -> bool {
    match known.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(outcome);
            true
        }
        Entry::Occupied(mut entry) => {
            Arc::make_mut(entry.get_mut()).join(Arc::unwrap_or_clone(outcome))
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::metric;

    fn ok(metrics: &[(&str, f64)]) -> Outcome {
        let metric = |&(name, value): &(&str, f64)| (metric(name).unwrap(), Measure::Scalar(value));
        let mut outcome = Outcome::ended(Status::Ok, String::new());
        outcome.metrics = metrics.iter().map(metric).collect();
        outcome
    }

    /// What two executions say together, in either order; and whether each adds to the other.
    fn joined(one: &Outcome, other: &Outcome) -> (Outcome, [bool; 2]) {
        let (mut left, mut right) = (one.clone(), other.clone());
        let added = [left.join(other.clone()), right.join(one.clone())];
        assert_eq!(left, right);
        (left, added)
    }

    #[test]
    fn executions_that_were_asked_for_other_values_are_known_together() {
        let mut paired = ok(&[("test_accuracy", 0.5)]);
        paired.examples.insert(metric("test_accuracy").unwrap(), vec![0.0, 1.0]);
        let trained = ok(&[("test_accuracy", 0.5), ("train_accuracy", 0.75), ("nodes", 3.0)]);
        let (both, added) = joined(&paired, &trained);
        assert_eq!((&both.metrics, &both.examples), (&trained.metrics, &paired.examples));
        assert_eq!(added, [true, true]);
        assert_eq!(joined(&both, &paired), (both.clone(), [false, true]));
    }

    #[test]
    fn executions_contradict_one_another_in_what_both_say() {
        let one = ok(&[("test_accuracy", 0.5), ("nodes", 3.0)]);
        let says = |other: &Outcome| {
            let found = one.contradiction(other);
            assert_eq!(other.contradiction(&one), found);
            found
        };
        let mut slower = ok(&[("test_accuracy", 0.5), ("train_accuracy", 0.1)]);
        slower.times.insert(metric("time:fit").unwrap(), 9.0);
        assert_eq!(says(&slower), None);
        let next = f64::from_bits(0.5_f64.to_bits() + 1);
        assert_eq!(says(&ok(&[("test_accuracy", next)])).unwrap(), "test_accuracy");
        let ended = |status, why: &str| Outcome::ended(status, why.to_owned());
        assert_eq!(says(&ended(Status::Failed, "it gave up")).unwrap(), "status");
        assert_eq!(says(&ended(Status::Failed, "it has no `test_joint_ll`")), None);
        assert_eq!(says(&ended(Status::Timeout, "late")), None);
        let mut examples = one.clone();
        examples.examples.insert(metric("test_accuracy").unwrap(), vec![0.0, 1.0]);
        assert_eq!(says(&examples), None);
        let mut others = examples.clone();
        others.examples.insert(metric("test_accuracy").unwrap(), vec![1.0, 0.0]);
        assert_eq!(examples.contradiction(&others).unwrap(), "test_accuracy of each example");
    }

    #[test]
    fn a_trial_that_ended_is_worth_more_than_one_that_did_not() {
        let ended = |status| Outcome::ended(status, "because".to_owned());
        let order =
            [ended(Status::Timeout), ended(Status::Crashed), ended(Status::Failed), ok(&[])];
        for (less, more) in order.iter().zip(&order[1..]) {
            assert_eq!(joined(less, more), (more.clone(), [true, false]));
        }
    }

    #[test]
    fn a_failure_for_want_of_a_metric_stands_beside_what_was_measured_without_it() {
        let failed = Outcome::ended(Status::Failed, "it has no `test_joint_ll`".to_owned());
        assert_eq!(failed.wanted(), metric("test_joint_ll"));
        let (both, added) = joined(&failed, &ok(&[("test_accuracy", 0.5)]));
        assert_eq!((both.status, both.refusal), (Status::Ok, Some(failed.message)));
        assert_eq!(added, [true, true]);
    }

    #[test]
    fn what_is_not_finite_is_remembered_where_its_value_is_left_out() {
        let mut outcome = ok(&[("valid_ll", 1.0)]);
        outcome.judge(&BTreeSet::from(["test_ll".to_owned(), "gradient".to_owned()]));
        assert_eq!(outcome.message, "not a finite number: gradient, test_ll");
        let (both, _) = joined(&outcome, &ok(&[("valid_ll", 1.0), ("train_ll", 1.0)]));
        assert_eq!((both.status, both.message), (Status::Nonfinite, outcome.message));
    }
}
