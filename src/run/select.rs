//! From outcomes to records: which grid point is selected.

use std::sync::Arc;

use contract::{Direction, Measure, Metric};
use task::metrics::OPTIMISM;

use super::cause::Cause;
use super::needs::Needs;
use super::outcome::{Outcome, Outcomes};
use super::pool::Pool;
use super::record::{Record, Trial};

/// The records of all planned trials. Of every grid, the point with the best value of the
/// method's `select` metric is selected, the earlier of equal ones; points that did not end well
/// come last. A selected trial that does not report the metric, as without validation examples, counts as
/// failed: nothing was selected. Where a point has not run, or ran out of time, nothing can be selected
/// yet: that point stands for the grid, and its cell says so.
///
/// The outcomes may hold more than the experiment asks for; the records do not ([`Needs::project`]).
pub fn records(pool: &Pool<'_>, outcomes: &Outcomes) -> Vec<Record> {
    let &Pool { experiment, plan, needs, .. } = pool;
    let record = |trial: &Trial| {
        let mut outcome = outcomes.get(&trial.key).cloned();
        // It is of the grid, not of the trial.
        if let Some(outcome) = outcome.as_mut().filter(|known| known.metrics.has(OPTIMISM.name)) {
            Arc::make_mut(outcome).metrics.retain(|metric| *metric != OPTIMISM);
        }
        let mut record = Record { trial: trial.clone(), outcome, selected: true };
        needs.project(&mut record);
        record
    };
    let mut records: Vec<Record> = plan.trials.iter().map(record).collect();
    // The grid is what varies first.
    for grid in records.chunk_by_mut(|a, b| differ_by_grid(&a.trial, &b.trial)) {
        let metric = experiment.method(&grid[0].trial.method).and_then(|method| method.select);
        let (mut place, mut best) = (0, score(metric, &grid[0]));
        for (other, record) in grid.iter().enumerate().skip(1) {
            let score = score(metric, record);
            if score > best {
                (place, best) = (other, score);
            }
        }
        for (at, record) in grid.iter_mut().enumerate() {
            record.selected = at == place;
            if let (true, Some(outcome), Some(metric)) =
                (record.selected && best == f64::NEG_INFINITY, &mut record.outcome, metric)
                && !record.trial.grid.is_empty()
            {
                unselectable(metric, outcome);
            }
            needs.project(record);
        }
        let part = experiment.parts.iter().find(|part| part.id == grid[0].trial.part);
        if let Some(part) = part.filter(|part| part.reports(&OPTIMISM))
            && !grid[0].trial.grid.is_empty()
        {
            compare(part.task.score, place, grid);
        }
    }
    records
}

/// The records of a plan, which are `all` of them, apart: as they are where no universe runs, and those of universes.
pub fn apart(pool: &Pool<'_>, mut all: Vec<Record>) -> (Vec<Record>, Vec<Record>) {
    let plan = pool.plan;
    let universes = all.split_off(plan.own);
    if !universes.is_empty() {
        let needs = Needs::of(pool.experiment, plan.trials[..plan.own].iter(), std::iter::empty());
        all.iter_mut().for_each(|record| needs.project(record));
    }
    (all, universes)
}

/// Adds to the selected point how far it lies from the best of its grid, once all have a score.
fn compare(metric: &Metric, selected: usize, grid: &mut [Record]) {
    let scores: Vec<f64> = grid.iter().map(|record| score(Some(metric), record)).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let optimism = best - scores[selected];
    if let Some(outcome) = grid[selected].outcome.as_mut().filter(|_| optimism.is_finite()) {
        Arc::make_mut(outcome).metrics.insert(&OPTIMISM, Measure::Scalar(optimism));
    }
}

/// Makes the outcome one of a trial that was selected by no value.
fn unselectable(metric: &Metric, outcome: &mut Arc<Outcome>) {
    if outcome.cause.is_none() {
        let outcome = Arc::make_mut(outcome);
        outcome.cause = Some(Cause::Unselected);
        outcome.message = format!(
            "no point of the grid has a value of `{}` to be selected by; a metric of validation examples \
             needs a split that has some",
            metric.name
        );
    }
}

/// Whether one of the two is selected: they are alike but for their grid point.
fn differ_by_grid(one: &Trial, other: &Trial) -> bool {
    let split = |trial: &Trial| (trial.repeat, trial.fold);
    !one.grid.is_empty()
        && split(one) == split(other)
        && one.setup.configuration == other.setup.configuration
        && one.sweep == other.sweep
}

/// The larger the better; minus infinity for a trial without a usable value, infinity for one that
/// is still to come.
fn score(metric: Option<&Metric>, record: &Record) -> f64 {
    let outcome = record.outcome.as_ref().filter(|outcome| !outcome.status().may_pass());
    let Some(outcome) = outcome else { return f64::INFINITY };
    let value = metric.and_then(|metric| {
        let value = outcome.metrics.get(metric.name).filter(|_| outcome.cause.is_none())?;
        let value = value.value();
        Some(if metric.direction == Direction::Lower { -value } else { value })
    });
    value.filter(|value| value.is_finite()).unwrap_or(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_tests::metric;

    #[test]
    fn what_failed_itself_is_not_called_unselected() {
        let metric = metric("valid_ll").unwrap();
        let mut ended_well = Arc::new(Outcome::default());
        unselectable(metric, &mut ended_well);
        assert_eq!(ended_well.cause, Some(Cause::Unselected));
        let failed = Arc::new(Outcome::ended(Cause::GaveUp, "its own message"));
        let mut same = failed.clone();
        unselectable(metric, &mut same);
        assert_eq!(same, failed);
    }
}
