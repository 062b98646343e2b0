//! From outcomes to records: which grid point is selected.

use std::collections::BTreeMap;

use crate::math::digest::Digest;
use crate::spec::Experiment;
use crate::task::{Direction, Metric};

use super::needs::Needs;
use super::plan::Plan;
use super::record::{Outcome, Record, Status, Trial};

/// The records of all planned trials. Of every grid, the point with the best value of the
/// method's `select` metric is selected, the earlier of equal ones; points that did not end well
/// come last. A selected trial that does not report the metric, as without validation examples, counts as
/// failed: nothing was selected. Where a point has not run, or ran out of time, nothing can be selected
/// yet: that point stands for the grid, and its cell says so.
///
/// The outcomes may hold more than the experiment asks for; the records do not ([`Needs::project`]).
pub fn records(
    experiment: &Experiment,
    plan: &Plan,
    outcomes: &BTreeMap<Digest, Outcome>,
    needs: &Needs,
) -> Vec<Record> {
    let record = |trial: &Trial| {
        let outcome = outcomes.get(&trial.key).cloned();
        let mut record = Record { trial: trial.clone(), outcome, selected: true };
        needs.project(&mut record);
        record
    };
    let mut records: Vec<Record> = plan.trials.iter().map(record).collect();
    let mut best: BTreeMap<Group<'_>, (usize, f64)> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        let score = score(experiment, record);
        let entry = best.entry(Group::of(&plan.trials[index])).or_insert((index, score));
        if score > entry.1 {
            *entry = (index, score);
        }
    }
    for (index, record) in records.iter_mut().enumerate() {
        let (place, score) = best[&Group::of(&plan.trials[index])];
        record.selected = place == index;
        if record.selected && score == f64::NEG_INFINITY {
            let outcome = record.outcome.take();
            record.outcome =
                outcome.map(|outcome| unselectable(experiment, &record.trial, outcome));
        }
        needs.project(record);
    }
    records
}

/// The outcome of a trial that was selected by no value.
fn unselectable(experiment: &Experiment, trial: &Trial, outcome: Outcome) -> Outcome {
    let Some(metric) = select(experiment, trial).filter(|_| !trial.grid.is_empty()) else {
        return outcome;
    };
    if outcome.status != Status::Ok {
        return outcome;
    }
    let message = format!(
        "no point of the grid has a value of `{}` to be selected by; a metric of validation examples \
         needs a split that has some",
        metric.name
    );
    Outcome { status: Status::Failed, message, ..outcome }
}

/// The metric that the method's grid point is selected by.
fn select(experiment: &Experiment, trial: &Trial) -> Option<&'static Metric> {
    let method = experiment.methods.iter().find(|method| method.id == trial.method);
    method.and_then(|method| method.select)
}

/// Trials among which one is selected: all alike but for their grid point.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group<'a> {
    dataset: &'a str,
    part: &'a str,
    problem: &'a str,
    method: &'a str,
    repeat: usize,
    fold: usize,
    choice: &'a str,
    sweep: String,
}

impl<'a> Group<'a> {
    fn of(trial: &'a Trial) -> Self {
        Self {
            dataset: &trial.dataset,
            part: &trial.part,
            problem: &trial.problem,
            method: &trial.method,
            repeat: trial.repeat,
            fold: trial.fold,
            choice: &trial.choice,
            sweep: trial.sweep.iter().map(|(name, value)| format!("{name}={value};")).collect(),
        }
    }
}

/// The larger the better; minus infinity for a trial without a usable value, infinity for one that
/// is still to come.
fn score(experiment: &Experiment, record: &Record) -> f64 {
    let outcome = record.outcome.as_ref().filter(|outcome| outcome.status != Status::Timeout);
    let Some(outcome) = outcome else { return f64::INFINITY };
    let value = select(experiment, &record.trial).and_then(|metric| {
        let value = outcome.metrics.get(metric.name).filter(|_| outcome.status == Status::Ok)?;
        let value = value.value();
        Some(if metric.direction == Direction::Lower { -value } else { value })
    });
    value.filter(|value| value.is_finite()).unwrap_or(f64::NEG_INFINITY)
}
