//! A cell is near a value.

use contract::Metric;
use document::{NotNegative, Real, section};
use spec::{
    Check, Claimed, Comparisons, Evidence, Finding, Kind, OneDataset, OneMethod, Reported, Verdict,
};

use super::margin::Margin;
use super::measured::{Measured, near, undecided};
use super::reading::interval_text;
use math::decimal::difference;

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<ValueNear>("value_near", "a cell is near a value");

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
        let value = match measured.value(dataset, method) {
            Ok(value) => value,
            Err(why) => return undecided(format!("{why} on {dataset}")),
        };
        let verdict = if near(value, *target, *within) { Verdict::Holds } else { Verdict::Fails };
        let quoted = evidence.quoted_among([method]);
        let quoted = if quoted.is_empty() { "" } else { " as published" };
        let rounding = measured.rounding;
        let interval = evidence.around(dataset, method, metric).and_then(|size| {
            let (low, high) = size.effect.interval?;
            Some(interval_text((rounding.text(low), rounding.text(high)), size.level, size.over))
        });
        let margin = Margin::between(difference(value, *target).abs(), *within);
        let is = format!(
            "{method} on {dataset}{quoted} is {}{}, wanted within {} of {}",
            rounding.text(value),
            interval.unwrap_or_default(),
            rounding.difference(*within),
            rounding.text(*target),
        );
        let margin = format!("margin {}", margin.text(rounding));
        Finding { verdict, evidence: vec![is.into(), margin.into()] }
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}
