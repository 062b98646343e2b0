//! How large differences, values and ratios are on one dataset, with an interval by what is known of their noise.
//!
//! Two kinds of noise may be known: that of what a dataset has several of (problems, folds, divisions, draws, seeds), and
//! that of its test examples. The wider interval is the one that is given.

use contract::{DatasetId, MethodId, Metric};
use data::split::SplitPlan;
use math::sample::Sample;
use spec::{Over, Place, Size, Whose};
use stats::{Dependence, Effect, Measure, Samples};

use super::cells::Selection;
use super::pairs::{Units, in_blocks, of_units, part_of};
use super::values::Values;

/// Level of the intervals.
const LEVEL: f64 = 0.95;

/// How much `left` differs from `right`: runs of two methods that share nothing but their data are compared as two
/// samples, all else pair by pair.
pub fn difference<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    (left, right): (Place<'a>, Place<'a>),
    metric: &Metric,
) -> Option<Size> {
    let several = several(values, dataset, [left, right], metric).and_then(|several| {
        let Units { values, over, dependence, .. } = several;
        let [lefts, rights] = &*values else { return None };
        let effect = if over == Over::Seeds {
            stats::welch_difference(lefts, rights, LEVEL)
        } else {
            stats::mean_difference(&differences(lefts, rights), &dependence, LEVEL)
        };
        Some(Size { effect: effect.ok()?, level: LEVEL, over })
    });
    let examples = samples(values, dataset, [left, right], metric).and_then(|[lefts, rights]| {
        if lefts.len() != rights.len() {
            return None;
        }
        let differences = differences(&lefts, &rights);
        let effect = stats::mean_difference(&differences, &Dependence::None, LEVEL).ok()?;
        Some(Size { effect, level: LEVEL, over: of_sample(metric, lefts.len()) })
    });
    wider(several, examples)
}

/// A value. Shares of 0/1 outcomes have Wilson's interval; others end where the metric does.
pub fn around<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    method: &'a MethodId,
    metric: &Metric,
) -> Option<Size> {
    let place = Place::of(method);
    let one_each =
        part_of(values, dataset, method).is_some_and(|part| part.split == SplitPlan::LeaveOneOut);
    let several = several(values, dataset, [place, place], metric).and_then(|several| {
        let Units { values, over, dependence, .. } = several;
        let own = values.first()?;
        let outcomes = if one_each { share(own, metric) } else { None };
        let effect = outcomes.or_else(|| mean(own, &dependence, metric))?;
        Some(Size { effect, level: LEVEL, over: if one_each { Over::Examples } else { over } })
    });
    let examples = samples(values, dataset, [place, place], metric).and_then(|[own, _]| {
        let effect = share(&own, metric).or_else(|| mean(&own, &Dependence::None, metric))?;
        Some(Size { effect, level: LEVEL, over: of_sample(metric, own.len()) })
    });
    wider(several, examples)
}

/// A ratio of two values, over what the dataset has several of.
pub fn ratio<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    (left, right): (Place<'a>, Place<'a>),
    metric: &Metric,
) -> Option<Size> {
    let Units { values, over, dependence, .. } = several(values, dataset, [left, right], metric)?;
    let [lefts, rights] = &*values else { return None };
    let samples = match (over, dependence) {
        (Over::Seeds, _) => Samples::Independent,
        (_, Dependence::None) => Samples::Pairs { test_over_train: None },
        (_, Dependence::Overlap(ratio)) => Samples::Pairs { test_over_train: Some(ratio) },
        (_, Dependence::Clusters(_) | Dependence::Unknown) => return None,
    };
    let interval = stats::ratio_interval(lefts, rights, samples, LEVEL).ok()??;
    let sum = |side: &[f64]| side.iter().sum::<f64>();
    let value = sum(lefts) / sum(rights);
    let effect = Effect { measure: Measure::Ratio, value, interval: Some(interval) };
    Some(Size { effect, level: LEVEL, over })
}

/// The standard error, over the test examples, of the difference of two methods' values on a dataset; none where the
/// values of the test examples, or of blocks of them, were not kept.
pub fn test_sample_error<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    left: &'a MethodId,
    right: &'a MethodId,
    metric: &Metric,
) -> Option<f64> {
    let [lefts, rights] = samples(values, dataset, [Place::of(left), Place::of(right)], metric)?;
    if lefts.len() != rights.len() {
        return None;
    }
    let differences: Sample = differences(&lefts, &rights).into_iter().collect();
    Some(differences.sd()? / (differences.n as f64).sqrt())
}

/// Ours, of what the dataset has several of, the same of both places.
fn several<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    places: [Place<'a>; 2],
    metric: &Metric,
) -> Option<Units> {
    let per = values.cells.several(dataset)?;
    let selections =
        [selection(values, dataset, &places[0])?, selection(values, dataset, &places[1])?];
    let part = part_of(values, dataset, places[0].method);
    of_units(values, part, &selections, metric, per).ok()
}

/// Ours, of the test examples.
fn samples<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    places: [Place<'a>; 2],
    metric: &Metric,
) -> Option<[Vec<f64>; 2]> {
    let kept =
        |place: &Place<'a>| values.cells.test_sample(&selection(values, dataset, place)?, metric);
    Some([kept(&places[0])?, kept(&places[1])?])
}

/// The trials of a place, unless its numbers are the paper's.
fn selection<'a>(
    values: Values<'a>,
    dataset: &'a DatasetId,
    place: &Place<'a>,
) -> Option<Selection<'a>> {
    if values.whose == Whose::Published || values.quoted(place.method) {
        return None;
    }
    let mut selection = values.selection(dataset, place.method);
    selection.sweep = place.sweep.to_vec();
    Some(selection)
}

fn differences(lefts: &[f64], rights: &[f64]) -> Vec<f64> {
    lefts.iter().zip(rights).map(|(one, other)| one - other).collect()
}

/// What so many values of test examples of one training set are over.
fn of_sample(metric: &Metric, count: usize) -> Over {
    if in_blocks(metric, count) { Over::Blocks } else { Over::Fitted }
}

/// A mean, whose interval ends where the metric does.
fn mean(values: &[f64], dependence: &Dependence, metric: &Metric) -> Option<Effect> {
    let effect = stats::mean_difference(values, dependence, LEVEL).ok()?;
    let (least, most) = metric.range;
    let interval = effect.interval.map(|(low, high)| (low.max(least), high.min(most)));
    Some(Effect { measure: Measure::Value, interval, ..effect })
}

/// The share of outcomes that are 1; none of a metric that is no share, and if some value is neither 0 nor 1.
fn share(values: &[f64], metric: &Metric) -> Option<Effect> {
    let ones = values.iter().filter(|value| **value == 1.0).count();
    let zeros = values.iter().filter(|value| **value == 0.0).count();
    if metric.range != (0.0, 1.0) || ones + zeros < values.len() {
        return None;
    }
    let (value, interval) = stats::share(ones as u64, values.len() as u64, LEVEL).ok()?;
    Some(Effect { measure: Measure::Value, value, interval: Some(interval) })
}

/// The one with the wider interval, around the value of the first.
fn wider(several: Option<Size>, examples: Option<Size>) -> Option<Size> {
    let width = |size: &Size| size.effect.interval.map(|(low, high)| high - low);
    let (several, examples) = match (several, examples) {
        (Some(several), Some(examples)) => (several, examples),
        (one, other) => return one.or(other).filter(|size| width(size).is_some()),
    };
    let chosen = if width(&examples) > width(&several) { examples } else { several };
    width(&chosen).is_some().then_some(chosen)
}
