//! A test finds no difference between two methods.

use contract::Metric;
use document::{Spanned, section};
use spec::{
    Bold, Check, Claimed, Comparisons, Counted, Evidence, Finding, Kind, OneMethod, Reported,
};

use super::margin::{Margin, Of};
use super::measured::{Measured, by_test};
use super::reading::number;
use super::tally::Answer;

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<Ties>(
    "ties",
    "a test finds no difference between `left` and `right`, on so many datasets; that is no proof that there is none",
);

section! {
    in Claimed;
    /// A test finds no difference between `left` and `right`, on so many datasets.
    pub struct Ties {
        left: OneMethod => "one method";
        right: Spanned<OneMethod> => "the other method";
        metric: Reported => "what is compared";
        significant: Bold => "the test, and the level at which a difference is one";
        /// Where.
        on: Counted;
    }
    check(scope, _table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
        if let Some(bold) = &significant {
            scope.about(&bold.test, metric.as_slice());
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&bold.test, left, std::slice::from_ref(&right.value));
            }
        }
    }
}

impl Check for Ties {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let Self { left, right, significant: Bold { test, alpha }, .. } = self;
        let measured = Measured::new(evidence, self.metric);
        let basis = by_test(test, **alpha);
        measured.tally(&self.on, Some(&basis), [left, &right.value], |dataset| {
            let Some(row) = comparisons.on(test, evidence.whose(), left, right, Some(dataset))
            else {
                return Answer::Unknown(format!("{} has no such row", test.value));
            };
            let margin = row.found.as_ref().ok().and_then(|found| found.p_adjusted).map(|p| {
                let distance = math::decimal::difference(p, **alpha).abs();
                Margin { distance, of: Of::P }
            });
            match row.significant(**alpha) {
                Err(why) => Answer::Unknown(why.to_string()),
                Ok(significant) => measured.pair(dataset, left, right, |one, other| {
                    let p = row.found.as_ref().ok().and_then(|found| found.p_adjusted);
                    let p = p.map(|p| format!(", p = {}", number(p))).unwrap_or_default();
                    let numbers = format!("{}{p}", measured.against(one, other));
                    Answer::sized(!significant, numbers, margin, row.size_of(left))
                }),
            }
        })
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }

    fn test(&self) -> Option<&str> {
        Some(&self.significant.test)
    }
}
