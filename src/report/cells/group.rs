//! The trials of one method at one point on one dataset, and the means over them.

use contract::{DatasetId, Measure, MethodId, Metric, PartId};
use data::split::SplitPlan;
use math::sample::Sample;
use run::{Outcome, Record, Status};
use spec::{Part, Per, SdOver};
use task::metrics::{TEST_EXAMPLES, TRAIN_EXAMPLES};

use super::{Cell, Unit, worst};

/// Dataset, part, method, values of the sweep.
pub(super) type GroupKey<'a> = (&'a DatasetId, &'a PartId, &'a MethodId, Vec<String>);

/// The trials of one method at one sweep point on one dataset in one part; several a unit where
/// the method has a grid.
#[derive(Default)]
pub(super) struct Group<'a> {
    /// In the order of their units.
    pub(super) records: Vec<&'a Record>,
    pub(super) any_point: bool,
    /// How the examples of its trials were divided.
    pub(super) part: Option<&'a Part>,
}

impl<'a> Group<'a> {
    pub(super) fn cell(&self, metric: &Metric, sd: SdOver) -> Cell {
        let measures = match self.measures(metric) {
            Ok(measures) => measures,
            Err(status) => return Cell::without(status),
        };
        let values: Vec<(Unit, f64)> =
            measures.iter().map(|(unit, measure)| (*unit, measure.value())).collect();
        let count = values.len() as u64;
        let of = (values.len() < self.units().count()).then_some(values.len());
        let repeats: Vec<f64> = only(means(values.clone(), Per::Repeat)).collect();
        let (mut value, mut n) = (mean(&repeats), count);
        let pooled = pooled(measures.iter().map(|(_, measure)| measure));
        if let Some(sample) = pooled {
            (value, n) = (sample.mean, sample.n);
        }
        let over = |per| Some(only(means(values.clone(), per)).collect::<Sample>());
        let spread = match sd {
            SdOver::None => None,
            SdOver::Repeat => over(Per::Repeat),
            SdOver::Fold | SdOver::StandardError => over(Per::Fold),
            SdOver::Problem => over(Per::Problem),
            SdOver::Sample => pooled,
        };
        n = spread.map_or(n, |sample| sample.n);
        let sd = spread.and_then(|sample| match sd == SdOver::StandardError {
            true => self.error(sample),
            false => sample.sd(),
        });
        if !value.is_finite() {
            return Cell::without(Status::Nonfinite);
        }
        Cell { status: Status::Ok, value: Some(value), sd, n, of }
    }

    /// The standard error of the mean of the values over the folds of all repeats.
    fn error(&self, of_folds: Sample) -> Option<f64> {
        let overlap = if self.part.is_some() { overlap(&[self], Per::Fold)? } else { 0.0 };
        stats::corrected_error(of_folds, overlap)
    }

    /// Units with their records, several where the method has a grid.
    pub(super) fn units(&self) -> impl Iterator<Item = (Unit<'a>, &[&'a Record])> {
        let units = self.records.chunk_by(|one, other| Unit::of(one) == Unit::of(other));
        units.map(|records| (Unit::of(records[0]), records))
    }

    /// One measure of each unit that has one, or the worst status.
    pub(super) fn measures(&self, metric: &Metric) -> Result<Vec<(Unit<'a>, Measure)>, Status> {
        let mut measures = Vec::new();
        let mut statuses = Vec::new();
        for (unit, candidates) in self.units() {
            match settled(candidates, self.any_point).map(|outcome| measure(outcome, metric)) {
                Ok(Ok(Some(measure))) => measures.push((unit, measure)),
                // It stands, but for this metric.
                Ok(Ok(None)) => {}
                Ok(Err(status)) | Err(status) => statuses.push(status),
            }
        }
        match worst(statuses.into_iter()) {
            Status::Ok if measures.is_empty() => Err(Status::NotApplicable),
            Status::Ok => Ok(measures),
            status => Err(status),
        }
    }
}

/// See [`Cells::overlap`](super::Cells::overlap).
pub(super) fn overlap(groups: &[&Group], per: Per) -> Option<f64> {
    match (&groups.first()?.part?.split, per) {
        (SplitPlan::Published | SplitPlan::Redrawn { .. }, _) | (_, Per::Problem) => {
            return Some(0.0);
        }
        (SplitPlan::Resample { .. } | SplitPlan::Share { .. }, _) => {}
        (_, Per::Repeat) => return Some(0.0),
        (SplitPlan::Ordered { .. } | SplitPlan::Last { .. }, _) => return None,
        (SplitPlan::CrossValidation { .. } | SplitPlan::LeaveOneOut | SplitPlan::Folds, _) => {}
    }
    let ratio = |group: &Group, candidates: &[&Record]| {
        let outcome = settled(candidates, group.any_point).ok()?;
        let count = |metric: &Metric| outcome.metrics.get(metric.name).map(Measure::value);
        Some(count(&TEST_EXAMPLES)? / count(&TRAIN_EXAMPLES)?)
    };
    let units = groups.iter().flat_map(|group| group.units().map(|(_, all)| ratio(group, all)));
    Some(mean(&units.collect::<Option<Vec<f64>>>()?))
}

/// The outcome that counts among those of a grid's points: the selected one's (or, where the
/// point itself was asked for, the only one's).
pub(super) fn settled<'a>(
    candidates: &[&'a Record],
    any_point: bool,
) -> Result<&'a Outcome, Status> {
    match candidates.iter().find(|record| record.selected || any_point) {
        Some(Record { outcome: None, .. }) => Err(Status::Missing),
        Some(Record { outcome: Some(outcome), .. }) if outcome.cause.is_none() => Ok(outcome),
        Some(Record { outcome: Some(outcome), .. }) => Err(outcome.status()),
        None => Err(match worst(candidates.iter().map(|record| record.status())) {
            Status::Ok => Status::Missing,
            status => status,
        }),
    }
}

fn measure(outcome: &Outcome, metric: &Metric) -> Result<Option<Measure>, Status> {
    let measure = if metric.is_time() {
        outcome.times.get(metric.name).copied().map(Measure::Scalar)
    } else {
        outcome.metrics.get(metric.name).copied()
    };
    match measure {
        Some(measure) if !measure.value().is_finite() => Err(Status::Nonfinite),
        measure => Ok(measure),
    }
}

/// Means of values that are in the order of their units.
pub(super) fn means(values: Vec<(Unit<'_>, f64)>, per: Per) -> Vec<(Unit<'_>, f64)> {
    match per {
        Per::Fold => collapse(values, |unit| Unit { problem: "", ..unit }),
        Per::Repeat => collapse(means(values, Per::Fold), |unit| Unit { fold: 0, ..unit }),
        Per::Problem => {
            let over_folds = collapse(values, |unit| Unit { fold: 0, ..unit });
            collapse(over_folds, |unit| Unit { repeat: 0, ..unit })
        }
    }
}

/// Means of the values whose units become the same.
pub(super) fn collapse<'a>(
    mut values: Vec<(Unit<'a>, f64)>,
    key: impl Fn(Unit<'a>) -> Unit<'a>,
) -> Vec<(Unit<'a>, f64)> {
    values.iter_mut().for_each(|(unit, _)| *unit = key(*unit));
    // Stable: within a unit the order stays.
    values.sort_by_key(|(unit, _)| *unit);
    let units = values.chunk_by(|one, other| one.0 == other.0);
    let mean_of = |values: &[(Unit<'a>, f64)]| {
        (values[0].0, mean(&values.iter().map(|(_, value)| *value).collect::<Vec<f64>>()))
    };
    units.map(mean_of).collect()
}

/// The values without their units.
pub(super) fn only(values: Vec<(Unit<'_>, f64)>) -> impl Iterator<Item = f64> {
    values.into_iter().map(|(_, value)| value)
}

/// The mean; of equal values, that value to the last bit.
pub(super) fn mean(values: &[f64]) -> f64 {
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => *first,
        _ => math::sample::mean(values),
    }
}

/// All samples as one; none if some measure is a single number.
pub(super) fn pooled<'a>(measures: impl Iterator<Item = &'a Measure>) -> Option<Sample> {
    measures.into_iter().try_fold(Sample::default(), |whole, measure| match measure {
        Measure::Sample(sample) => Some(whole.pooled(*sample)),
        Measure::Scalar(_) => None,
    })
}
