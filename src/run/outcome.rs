//! What came of a trial, and what several executions of it say together.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::digest::Digest;
use base::printable::printable;
use contract::{ByMetric, Measure, Metric};
use task::picture::Picture;
use task::predictions::Predictions;

use super::cause::{Cause, Status, not_finite};

/// What came of a trial. Deterministic, but for `times`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Why it did not end well; none if it did.
    pub cause: Option<Cause>,
    /// What went wrong, for people: nothing depends on it. Empty if nothing did.
    pub message: String,
    /// Metrics, those that read a clock excepted.
    pub metrics: ByMetric<Measure>,
    /// Metrics that read a clock, in seconds.
    pub times: ByMetric<f64>,
    /// Values per test example, or per block of them, where a test pairs by example.
    pub examples: ByMetric<Vec<f64>>,
    /// What a figure shows of the trial, where one does.
    pub picture: Option<Box<Picture>>,
    /// What the model answers to each test example, where the experiment keeps that.
    pub predictions: Option<Box<Predictions>>,
    /// Why metrics have no value that it was asked for, or that most have: it ended well all the same.
    pub lacks: ByMetric<String>,
}

impl Outcome {
    /// That of a trial that measured nothing. What can't be printed in the message is masked.
    pub fn ended(cause: Cause, message: &str) -> Self {
        let message = printable(message).into_owned();
        Self { cause: Some(cause), message, ..Self::default() }
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        self.cause.as_ref().map_or(Status::Ok, Cause::status)
    }

    /// Its value of a metric, or of a time: no name is of both.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        let measured = self.metrics.get(metric.name).map(Measure::value);
        measured.or_else(|| self.times.get(metric.name).copied())
    }

    /// What went wrong, with the word for how a program ended; empty if nothing did.
    pub fn complaint(&self) -> Cow<'_, str> {
        match self.cause {
            Some(Cause::Program(ending)) => Cow::Owned(format!("{ending}: {}", self.message)),
            _ => Cow::Borrowed(&self.message),
        }
    }

    /// What went wrong, or which metrics it has no value of, and why.
    pub fn remark(&self) -> Cow<'_, str> {
        let lacks = self.lacks.iter().map(|(metric, why)| format!("no `{}`: {why}", metric.name));
        match self.lacks.is_empty() {
            true => Cow::Borrowed(&self.message),
            false => Cow::Owned(lacks.collect::<Vec<_>>().join("; ")),
        }
    }

    /// Whether it measured something, be it not finite.
    pub fn measured(&self) -> bool {
        matches!(self.cause, None | Some(Cause::NotFinite(_)))
    }

    /// How long it took, on one core.
    pub fn seconds(&self) -> f64 {
        let times = self.times.iter().filter(|(metric, _)| metric.part_of.is_none());
        times.map(|(_, seconds)| seconds).sum()
    }

    /// Judges what was measured by its numbers.
    pub fn judge(&mut self) {
        let broken = self.metrics.iter().filter(|(_, measure)| !measure.value().is_finite());
        self.judge_by(broken.map(|(metric, _)| metric).collect());
    }

    /// Judges what was measured: these metrics are not finite numbers.
    pub fn judge_by(&mut self, broken: BTreeSet<&'static Metric>) {
        (self.message, self.cause) = match broken.is_empty() {
            true => (String::new(), None),
            false => (not_finite(&broken), Some(Cause::NotFinite(broken))),
        };
    }

    /// The metrics that are not finite numbers.
    pub fn broken(&self) -> BTreeSet<&'static Metric> {
        match &self.cause {
            Some(Cause::NotFinite(broken)) => broken.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// Adds what another execution of the same trial gave, which may have been asked for other values: what they
    /// measured together. A time-out says least, then a crash. Returns whether there was something to add.
    pub fn join(&mut self, other: Self) -> bool {
        let before = (self.rank(), self.values());
        if self.measured() && other.measured() {
            self.add(other);
        } else if other.rank() > self.rank() {
            *self = other;
        }
        (self.rank(), self.values()) > before
    }

    /// Adds what another execution measured.
    fn add(&mut self, other: Self) {
        let broken = &self.broken() | &other.broken();
        if other.values() >= self.values() {
            self.times = other.times;
        }
        self.metrics.add(other.metrics);
        self.examples.add(other.examples);
        self.lacks.add(other.lacks);
        self.picture = self.picture.take().or(other.picture);
        self.predictions = self.predictions.take().or(other.predictions);
        self.judge_by(broken);
    }

    /// In what another execution of the same trial contradicts this one, bit for bit. What depends on the machine
    /// contradicts nothing: seconds, a time-out, a crash; nor does what only one of them was asked for.
    pub fn contradiction(&self, other: &Self) -> Option<Aspect> {
        if self.measured() && other.measured() {
            return self.other_value(other);
        }
        let both = self.is_final() && other.is_final();
        (both && self.status() != other.status()).then_some(Aspect::Status)
    }

    /// All that it says: another execution that is asked for the same says something of each, too.
    pub fn parts(&self) -> BTreeSet<Aspect> {
        let metrics = self.metrics.iter().map(|(metric, _)| Aspect::Metric(metric));
        let lacks = self.lacks.iter().map(|(metric, _)| Aspect::Lack(metric));
        let examples = self.examples.iter().map(|(metric, _)| Aspect::Examples(metric));
        let picture = self.picture.iter().map(|_| Aspect::Picture);
        let predictions = self.predictions.iter().map(|_| Aspect::Predictions);
        metrics.chain(lacks).chain(examples).chain(picture).chain(predictions).collect()
    }

    /// Whether every execution that is asked for the same ends so.
    fn is_final(&self) -> bool {
        self.measured() || matches!(self.status(), Status::Failed | Status::NotApplicable)
    }

    /// The first value of which another execution has other bits, or that one of them lacks and the other has.
    fn other_value(&self, other: &Self) -> Option<Aspect> {
        let bits_of = |values: &Vec<f64>| -> Vec<u64> {
            values.iter().map(|value| value.to_bits()).collect()
        };
        let differs = |part: &Aspect| match part {
            Aspect::Status => false,
            Aspect::Metric(Metric { name, .. }) => {
                differ(self.metrics.get(name).map(bits), other.metrics.get(name).map(bits))
            }
            Aspect::Lack(Metric { name, .. }) => self.metrics.has(name) || other.metrics.has(name),
            Aspect::Examples(Metric { name, .. }) => {
                differ(self.examples.get(name).map(bits_of), other.examples.get(name).map(bits_of))
            }
            Aspect::Picture => differ(self.picture.as_ref(), other.picture.as_ref()),
            Aspect::Predictions => differ(self.predictions.as_ref(), other.predictions.as_ref()),
        };
        self.parts().union(&other.parts()).copied().find(differs)
    }

    fn rank(&self) -> usize {
        match self.status() {
            Status::Missing | Status::PublishedOnly => 0,
            Status::Timeout | Status::OutOfMemory => 1,
            Status::Crashed => 2,
            Status::Failed | Status::NotApplicable => 3,
            Status::Ok | Status::Nonfinite => 4,
        }
    }

    fn values(&self) -> usize {
        self.parts().len()
    }
}

/// What an outcome says something of, in which two executions of one trial may contradict one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub enum Aspect {
    /// How it ended.
    #[display("status")]
    Status,
    /// A metric.
    #[display("{}", _0.name)]
    Metric(&'static Metric),
    /// That a metric has no value, for a reason.
    #[display("lack of {}", _0.name)]
    Lack(&'static Metric),
    /// The values of a metric for the test examples.
    #[display("{} of each example", _0.name)]
    Examples(&'static Metric),
    /// What a figure shows of it.
    #[display("picture")]
    Picture,
    /// What the model answers to the test examples.
    #[display("predictions")]
    Predictions,
}

/// Outcomes by trial key.
pub type Outcomes = BTreeMap<Digest, Arc<Outcome>>;

/// Whether two executions have something, and not the same.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// A measure as it is compared: numbers that are not finite are equal to themselves.
fn bits(measure: &Measure) -> (u64, u64, u64) {
    match measure {
        Measure::Scalar(value) => (0, value.to_bits(), 0),
        Measure::Sample(sample) => (sample.n, sample.mean.to_bits(), sample.m2.to_bits()),
    }
}

/// Adds what an execution gave to what is known by key; of a trial that is known already, what both say
/// together ([`Outcome::join`]). Returns whether there was something to add.
pub fn join(known: &mut Outcomes, key: Digest, outcome: Arc<Outcome>) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_tests::metric;
    use program::Ending;

    fn ok(metrics: &[(&str, f64)]) -> Outcome {
        let metric = |&(name, value): &(&str, f64)| (metric(name).unwrap(), Measure::Scalar(value));
        Outcome { metrics: metrics.iter().map(metric).collect(), ..Outcome::default() }
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
            found.map(|what| what.to_string())
        };
        let mut slower = ok(&[("test_accuracy", 0.5), ("train_accuracy", 0.1)]);
        slower.times.insert(metric("time:fit").unwrap(), 9.0);
        assert_eq!(says(&slower), None);
        let next = f64::from_bits(0.5_f64.to_bits() + 1);
        assert_eq!(says(&ok(&[("test_accuracy", next)])).unwrap(), "test_accuracy");
        let mut lacks = one.clone();
        lacks.lacks.insert(metric("test_joint_ll").unwrap(), "no model".to_owned());
        assert_eq!(says(&lacks), None);
        lacks.metrics = ok(&[("test_accuracy", 0.5)]).metrics;
        lacks.lacks.insert(metric("nodes").unwrap(), "no nodes".to_owned());
        assert_eq!(says(&lacks).unwrap(), "lack of nodes");
        assert_eq!(says(&Outcome::ended(Cause::Timeout, "late")), None);
        for cause in [Cause::GaveUp, Cause::Panicked, Cause::Program(Ending::Exit(1))] {
            let failed = Outcome::ended(cause, "it has no `test_joint_ll`");
            assert_eq!(says(&failed).unwrap(), "status");
        }
        let mut examples = one.clone();
        examples.examples.insert(metric("test_accuracy").unwrap(), vec![0.0, 1.0]);
        assert_eq!(says(&examples), None);
        let mut others = examples.clone();
        others.examples.insert(metric("test_accuracy").unwrap(), vec![1.0, 0.0]);
        let found = examples.contradiction(&others).unwrap();
        assert_eq!(found.to_string(), "test_accuracy of each example");
    }

    #[test]
    fn a_trial_that_ended_is_worth_more_than_one_that_did_not() {
        let order = [Cause::Timeout, Cause::Crashed, Cause::GaveUp];
        let mut order = order.map(|cause| Outcome::ended(cause, "because")).to_vec();
        order.push(ok(&[]));
        for (less, more) in order.iter().zip(&order[1..]) {
            assert_eq!(joined(less, more), (more.clone(), [true, false]));
        }
    }

    #[test]
    fn what_executions_lack_is_known_together() {
        let lacking = |name: &str, why: &str| {
            let mut outcome = ok(&[("test_accuracy", 0.5)]);
            outcome.lacks.insert(metric(name).unwrap(), why.to_owned());
            outcome
        };
        let (both, added) =
            joined(&lacking("test_joint_ll", "no model"), &lacking("auc", "one class"));
        assert_eq!((both.cause.clone(), added), (None, [true, true]));
        assert_eq!(both.remark(), "no `auc`: one class; no `test_joint_ll`: no model");
    }

    #[test]
    fn what_is_not_finite_is_remembered_where_its_value_is_left_out() {
        let mut outcome = ok(&[("valid_ll", 1.0)]);
        outcome.judge_by(["test_ll", "nodes"].map(|name| metric(name).unwrap()).into());
        assert_eq!(outcome.message, "not a finite number: nodes, test_ll");
        let (both, _) = joined(&outcome, &ok(&[("valid_ll", 1.0), ("train_ll", 1.0)]));
        assert_eq!((both.cause, both.message), (outcome.cause, outcome.message));
    }
}
