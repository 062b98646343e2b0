//! The ratio of two methods' values lies in a range.

use document::{Spanned, section};
use spec::{
    About, Check, Claimed, Comparisons, Counted, Evidence, Finding, Lack, OneMethod, Quantity,
    Range, Reported,
};

use super::margin::{Margin, Of};
use super::measured::Measured;
use super::reading::number;
use super::tally::Known;

section! {
    in Claimed;
    /// `left / right` lies in a range, on so many datasets.
    pub struct Ratio {
        left: OneMethod => "numerator";
        right: Spanned<OneMethod> => "denominator";
        metric: Reported => "what is compared";
        /// Where.
        on: Counted;
        /// Which ratios.
        range: Range;
    }
    check(scope, _table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
    }
}

impl Check for Ratio {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let (left, right) = (measured.label(&self.left), measured.label(&self.right.value));
        let within = self.range.text(number);
        let says =
            format!("the {} of {left} is {within} times that of {right}", measured.metric.noun());
        measured.tally(&self.on, says, [&self.left, &self.right.value], |dataset| {
            let (one, other) = measured.pair(dataset, &self.left, &self.right)?;
            let ratio = one / other;
            if !ratio.is_finite() {
                return Err(Lack::Open(format!("the ratio is {}", number(ratio))));
            }
            let margin = Margin::in_range(ratio, &self.range, Of::Ratios);
            let of = Quantity::Ratio((&self.left).into(), (&self.right.value).into());
            let size = measured.size(dataset, of);
            Ok(Known::of(self.range.holds(ratio), number(ratio), margin, size))
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
