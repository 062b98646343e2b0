//! What an experiment file needs of the outcome of a trial.

use std::collections::{BTreeMap, BTreeSet};

use crate::spec::{AxisRef, Experiment, PairBy};
use crate::task::TaskKind;

use super::record::{Outcome, Record, Status, Trial, several};

/// What a stored outcome must hold to serve an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// By dataset: metrics of which a test needs a value for each test example.
    examples: BTreeMap<String, BTreeSet<&'static str>>,
    /// By part: metrics that are there only if they are asked for.
    requested: BTreeMap<String, Vec<&'static str>>,
    /// By part: a metric of the test examples, which unselected trials come back without.
    score: BTreeMap<String, &'static str>,
    /// Whether a figure over a grid shows the test scores of unselected points.
    pub unselected_scores: bool,
}

impl Needs {
    /// The needs of an experiment with these trials.
    pub fn of<'t>(
        experiment: &Experiment,
        trials: impl Iterator<Item = &'t Trial> + Clone,
    ) -> Self {
        let mut examples: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for test in &experiment.tests {
            for dataset in &test.datasets {
                let of_dataset = trials.clone().filter(|trial| trial.dataset == *dataset);
                let by_example = match test.pair_by {
                    PairBy::Example => true,
                    PairBy::Auto => several(of_dataset).is_none(),
                    _ => false,
                };
                if by_example {
                    examples.entry(dataset.clone()).or_default().insert(test.metric.name);
                }
            }
        }
        let over_grid = |axis: &AxisRef| matches!(axis, AxisRef::Grid(_));
        let unselected_scores = experiment
            .figures
            .iter()
            .any(|figure| over_grid(&figure.x) || over_grid(&figure.series));
        let requested = |part: &crate::spec::Part| {
            let metrics = part.metrics.iter().filter(|metric| metric.on_request);
            (part.id.clone(), metrics.map(|metric| metric.name).collect())
        };
        let score = |part: &crate::spec::Part| {
            let metric = match part.kind {
                TaskKind::Density => "test_ll",
                TaskKind::Classification => "test_accuracy",
            };
            (part.id.clone(), metric)
        };
        Self {
            examples,
            requested: experiment.parts.iter().map(requested).collect(),
            score: experiment.parts.iter().map(score).collect(),
            unselected_scores,
        }
    }

    /// The metrics of which a trial keeps a value for each test example.
    pub fn examples(&self, trial: &Trial) -> impl Iterator<Item = &'static str> {
        let fed = trial.choice.is_empty().then(|| self.examples.get(&trial.dataset));
        fed.flatten().into_iter().flatten().copied()
    }

    /// Whether a trial's outcome holds what is needed. A time-out never does. An unselected grid point
    /// comes back from a sealed folder without its test score, which is enough until it is
    /// selected or shown.
    pub fn met(&self, trial: &Trial, outcome: &Outcome, selected: bool) -> bool {
        match outcome.status {
            Status::Timeout => false,
            Status::Ok => {
                let measured = |metric: &&str| outcome.metrics.contains_key(*metric);
                let shown = selected || self.unselected_scores;
                (!shown || self.score.get(&trial.part).iter().all(|metric| measured(metric)))
                    && self.requested.get(&trial.part).into_iter().flatten().all(measured)
                    && self.examples(trial).all(|metric| outcome.examples.contains_key(metric))
            }
            _ => true,
        }
    }

    /// Whether a record has an outcome that holds what is needed.
    pub fn met_by(&self, record: &Record) -> bool {
        record
            .outcome
            .as_ref()
            .is_some_and(|outcome| self.met(&record.trial, outcome, record.selected))
    }
}
