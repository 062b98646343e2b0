//! Two methods differ by little.

use contract::Metric;
use document::{NotNegative, Spanned, section};
use spec::{Check, Comparisons, Counted, Evidence, Finding, Kind, OneMethod, Reported, Scope};

use super::measured::{Measured, near};
use super::tally::Answer;

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<Equivalent>(
    "equivalent",
    "`left` and `right` differ by at most a margin, on so many datasets",
);

section! {
    in Scope;
    /// `left` and `right` differ by at most a margin, on so many datasets.
    pub struct Equivalent {
        left: OneMethod => "one method";
        right: Spanned<OneMethod> => "the other method";
        metric: Reported => "what is compared";
        margin: NotNegative => "the largest difference that is none";
        /// Where.
        on: Counted;
    }
    check(scope, _table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
    }
}

impl Check for Equivalent {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        measured.tally(&self.on, [&self.left, &self.right.value], |dataset| {
            measured.pair(dataset, &self.left, &self.right, |one, other| {
                if near(one, other, self.margin) {
                    Answer::Yes(None)
                } else {
                    Answer::No(measured.against(one, other))
                }
            })
        })
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}
