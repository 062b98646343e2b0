//! A test finds no difference between two methods.

use contract::Metric;
use document::{Spanned, section};
use spec::{
    Bold, Check, Comparisons, Counted, Evidence, Finding, Kind, OneMethod, Reported, Scope,
};

use super::measured::{Measured, number};
use super::tally::Answer;

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<Ties>(
    "ties",
    "a test finds no difference between `left` and `right`, on so many datasets; that is no proof that there is none",
);

section! {
    in Scope;
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
        measured.tally(&self.on, [left, &right.value], |dataset| {
            let row = comparisons.on(test, evidence.whose(), left, right, Some(dataset));
            match row.map(|row| &row.found) {
                None => Answer::Unknown(format!("{} has no such row", test.value)),
                Some(Err(why)) => Answer::Unknown(why.clone()),
                Some(Ok(found)) if !found.significant(**alpha) => Answer::Yes(None),
                Some(Ok(found)) => measured.pair(dataset, left, right, |one, other| {
                    let p = found.p_adjusted.map(|p| format!(", p = {}", number(p)));
                    let numbers = measured.against(one, other);
                    Answer::No(format!("{numbers}{}", p.unwrap_or_default()))
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
