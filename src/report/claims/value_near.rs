//! A cell is near a value.

use contract::Metric;
use document::{NotNegative, Real, section};
use spec::{
    Check, Comparisons, Evidence, Finding, Kind, OneDataset, OneMethod, Reported, Scope, Verdict,
};

use super::measured::{Measured, near, undecided};

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<ValueNear>("value_near", "a cell is near a value");

section! {
    in Scope;
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
        let quoted = evidence.quoted_among([method.as_str()]);
        let quoted = if quoted.is_empty() { "" } else { " as published" };
        let evidence = format!(
            "{method} on {dataset}{quoted} is {}, wanted within {} of {}",
            measured.rounding.text(value),
            measured.rounding.difference(*within),
            measured.rounding.text(*target)
        );
        Finding { verdict, evidence }
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}
