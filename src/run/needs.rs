//! What an experiment file needs of the outcome of a trial.

use crate::spec::{AxisRef, Experiment, PairBy};

use super::record::{Outcome, Record, Status};

/// What a stored outcome must hold to serve an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// Metrics of which a test needs a value for each test example, sorted.
    pub examples: Vec<String>,
    /// Whether a figure over a grid shows the test scores of unselected points.
    pub unselected_scores: bool,
}

impl Needs {
    /// The needs of an experiment.
    pub fn of(experiment: &Experiment) -> Self {
        let tests = experiment.tests.iter().filter(|test| test.pair_by == PairBy::Example);
        let mut examples: Vec<String> = tests.map(|test| test.metric.name.to_owned()).collect();
        examples.sort();
        examples.dedup();
        let over_grid = |axis: &AxisRef| matches!(axis, AxisRef::Grid(_));
        let unselected_scores = experiment
            .figures
            .iter()
            .any(|figure| over_grid(&figure.x) || over_grid(&figure.series));
        Self { examples, unselected_scores }
    }

    /// Whether an outcome holds what is needed. A time-out never does. An unselected grid point
    /// comes back from a sealed folder without its test score, which is enough until it is
    /// selected or shown.
    pub fn met(&self, outcome: &Outcome, selected: bool) -> bool {
        match outcome.status {
            Status::Timeout => false,
            Status::Ok => {
                (!(selected || self.unselected_scores) || outcome.metrics.contains_key("test_ll"))
                    && self.examples.iter().all(|metric| outcome.examples.contains_key(metric))
            }
            _ => true,
        }
    }

    /// Whether a record has an outcome that holds what is needed.
    pub fn met_by(&self, record: &Record) -> bool {
        record.outcome.as_ref().is_some_and(|outcome| self.met(outcome, record.selected))
    }
}
