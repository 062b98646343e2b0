//! How large differences, values and ratios are on one dataset, with an interval by what is known of their noise.
//!
//! Two kinds of noise may be known: that of what a dataset has several of (problems, folds, divisions, draws, seeds), and
//! that of its test examples. The wider interval is the one that is given.

use contract::{DatasetId, Metric};
use data::split::SplitPlan;
use math::sample::Sample;
use spec::{Over, Place, Quantity, Size};
use stats::{Dependence, Effect, Measure, Samples};

use super::cells::Selection;
use super::pairs::{Units, in_blocks, of_units};
use super::values::Values;

/// Level of the intervals.
const LEVEL: f64 = 0.95;

/// The values of a metric on a dataset.
#[derive(Clone, Copy)]
pub struct OnDataset<'a> {
    /// Where they come from.
    pub values: Values<'a>,
    /// The dataset.
    pub dataset: &'a DatasetId,
    /// The metric.
    pub metric: &'a Metric,
}

impl<'a> OnDataset<'a> {
    /// How large something is on a dataset.
    pub fn size(self, of: Quantity<'a>) -> Option<Size> {
        let metric = self.metric;
        let places = match of {
            Quantity::Value(at) => [at, at],
            Quantity::Difference(left, right) | Quantity::Ratio(left, right) => [left, right],
        };
        let several = self.several(places);
        let samples = || self.samples(places);
        match of {
            Quantity::Value(at) => {
                let part = self.values.part_of(self.dataset, at.method);
                let one_each = part.is_some_and(|part| part.split == SplitPlan::LeaveOneOut);
                let several = several.and_then(|several| of_value(several, one_each, metric));
                wider(several, samples().and_then(|[own, _]| of_sample(&own, metric)))
            }
            Quantity::Difference(..) => {
                let of_samples = |[lefts, rights]: [Vec<f64>; 2]| {
                    let over = over_sample(metric, lefts.len());
                    sized(paired(&lefts, &rights, &Dependence::None)?, over)
                };
                wider(several.and_then(of_difference), samples().and_then(of_samples))
            }
            Quantity::Ratio(..) => of_ratio(several?),
        }
    }

    /// The standard error, over the test examples, of the difference of two methods' values; none where the values of the
    /// test examples, or of blocks of them, were not kept.
    pub fn test_sample_error(self, places: [Place<'a>; 2]) -> Option<f64> {
        let [lefts, rights] = self.samples(places)?;
        let differences: Sample = differences(&lefts, &rights)?.into_iter().collect();
        Some(differences.sd()? / (differences.n as f64).sqrt())
    }

    /// Ours, of what the dataset has several of, the same of both places.
    fn several(self, places: [Place<'a>; 2]) -> Option<Units> {
        let per = self.values.cells.several(self.dataset)?;
        let part = self.values.part_of(self.dataset, places[0].method);
        of_units(self.values, part, &self.ours(places)?, self.metric, per).ok()
    }

    /// Ours, of the test examples.
    fn samples(self, places: [Place<'a>; 2]) -> Option<[Vec<f64>; 2]> {
        let [left, right] = self.ours(places)?;
        let kept = |selection| self.values.cells.test_sample(selection, self.metric);
        Some([kept(&left)?, kept(&right)?])
    }

    /// The trials of two places, unless the numbers of one are the paper's.
    fn ours(self, places: [Place<'a>; 2]) -> Option<[Selection<'a>; 2]> {
        let ours = !places.iter().any(|place| self.values.of_paper(place.method));
        ours.then(|| places.map(|place| self.values.selection(self.dataset, place)))
    }
}

fn sized(effect: Effect, over: Over) -> Option<Size> {
    Some(Size { effect, level: LEVEL, over })
}

/// Runs of two methods that share nothing but their data are compared as two samples, all else pair by pair.
fn of_difference(Units { values, over, dependence, .. }: Units) -> Option<Size> {
    let [lefts, rights] = &*values else { return None };
    let effect = if over == Over::Seeds {
        stats::welch_difference(lefts, rights, LEVEL).ok()
    } else {
        paired(lefts, rights, &dependence)
    };
    sized(effect?, over)
}

/// Shares of 0/1 outcomes have Wilson's interval; others end where the metric does.
fn of_value(units: Units, one_each: bool, metric: &Metric) -> Option<Size> {
    let own = units.values.first()?;
    let outcomes = if one_each { share(own, metric) } else { None };
    let effect = outcomes.or_else(|| mean(own, &units.dependence, metric))?;
    sized(effect, if one_each { Over::Examples } else { units.over })
}

fn of_sample(own: &[f64], metric: &Metric) -> Option<Size> {
    let effect = share(own, metric).or_else(|| mean(own, &Dependence::None, metric))?;
    sized(effect, over_sample(metric, own.len()))
}

/// Over what the dataset has several of.
fn of_ratio(Units { values, over, dependence, .. }: Units) -> Option<Size> {
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
    sized(Effect { measure: Measure::Ratio, value, interval: Some(interval) }, over)
}

/// Left minus right of what goes together one by one.
fn differences(lefts: &[f64], rights: &[f64]) -> Option<Vec<f64>> {
    let minus = || lefts.iter().zip(rights).map(|(one, other)| one - other).collect();
    (lefts.len() == rights.len()).then(minus)
}

fn paired(lefts: &[f64], rights: &[f64], dependence: &Dependence) -> Option<Effect> {
    stats::mean_difference(&differences(lefts, rights)?, dependence, LEVEL).ok()
}

/// What so many values of test examples of one training set are over.
fn over_sample(metric: &Metric, count: usize) -> Over {
    if in_blocks(metric, count) { Over::FittedBlocks } else { Over::Fitted }
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

/// The one with the wider interval, the first of equal ones; none where neither has one.
fn wider(several: Option<Size>, examples: Option<Size>) -> Option<Size> {
    let width = |size: &Size| size.effect.interval.map(|(low, high)| high - low);
    let known = [several, examples].into_iter().flatten().filter(|size| width(size).is_some());
    known.reduce(|one, other| if width(&other) > width(&one) { other } else { one })
}
