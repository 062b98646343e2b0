//! The standard deviation of a method over repeats lies in a range.

use contract::MethodId;
use document::{Spanned, section};
use spec::{
    About, Check, Claimed, Comparisons, Counted, Evidence, Finding, Lack, OneMethod, Range,
    Reported,
};

use super::margin::{Margin, Of};
use super::measured::Measured;
use super::reading::number;
use super::tally::Known;

section! {
    in Claimed;
    /// The standard deviation of `method` over repeats, or its ratio to that of another method, lies in a range, on so
    /// many datasets.
    pub struct Spread {
        method: OneMethod => "the method";
        than: Option<Spanned<OneMethod>>, else "none: the standard deviation itself counts"
            => "the method whose standard deviation it is divided by";
        metric: Reported => "what is compared";
        /// Where.
        on: Counted;
        /// Which standard deviations, or ratios.
        range: Range;
    }
    check(scope, _table) {
        if let (Some(method), Some(Some(than))) = (&method, &than)
            && than.value == *method
        {
            let message = format!("`{method}` is compared with itself");
            scope.fault(&than.span, message, "also `method`");
        }
    }
}

impl Check for Spread {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let than = self.than.as_ref().map(|than| &than.value);
        let methods = std::iter::once(&self.method).chain(than);
        let within = self.range.text(number);
        let label = measured.label(&self.method);
        let of = than.map(|than| format!(" times that of {}", measured.label(than)));
        let of = of.unwrap_or_default();
        let says = format!(
            "the spread of {label} in {} over repeats is {within}{of}",
            measured.metric.noun()
        );
        measured.tally(&self.on, says, methods, |dataset| {
            let of = |method: &MethodId| evidence.deviation(dataset, method, self.metric);
            let own = of(&self.method)?;
            let (spread, of) = match than {
                None => (own, Of::Values),
                Some(than) => (own / of(than)?, Of::Ratios),
            };
            if spread.is_nan() {
                return Err(Lack::Unmet("neither method varies"));
            }
            let margin = Margin::in_range(spread, &self.range, of);
            Ok(Known::of(self.range.holds(spread), number(spread), margin, None))
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
