//! A cell is near a value.

use document::{NotNegative, Real, section};
use math::decimal::difference;
use spec::{
    About, Check, Claimed, Comparisons, Evidence, Finding, OneDataset, OneMethod, Quantity,
    Reported,
};

use super::margin::Margin;
use super::measured::{Measured, near};
use super::reading::interval_text;
use super::tally::Known;

section! {
    in Claimed;
    /// A cell is near a value.
    pub struct ValueNear {
        method: OneMethod => "the method";
        dataset: OneDataset => "the dataset";
        metric: Reported => "what is measured";
        value: Real => "the value";
        within: NotNegative => "the distance that is allowed";
    }
}

impl Check for ValueNear {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let Self { method, dataset, metric, value: target, within } = self;
        let measured = Measured::new(evidence, metric);
        let rounding = measured.rounding;
        let answer = measured.value(dataset, method).map(|value| {
            let effect = measured.size(dataset, Quantity::Value(method.into()));
            let interval = effect.and_then(|size| {
                let (low, high) = size.effect.interval?;
                let ends = (rounding.text(low), rounding.text(high));
                Some(interval_text(ends, size.level, size.over))
            });
            let numbers = rounding.text(value) + &interval.unwrap_or_default();
            let margin = Margin::between(difference(value, *target).abs(), *within);
            Known::of(near(value, *target, *within), numbers, Some(margin), effect)
        });
        let (within, target) = (rounding.difference(*within), rounding.text(*target));
        let says = format!(
            "the {} of {} is within {within} of {target}",
            measured.metric.noun(),
            measured.label(method)
        );
        measured.single(says, [method], (dataset.as_str(), answer))
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
