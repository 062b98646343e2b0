//! A test finds no difference between two methods.

use document::{Spanned, section};
use spec::{
    About, Bold, Check, Claimed, Comparisons, Counted, Evidence, Finding, OneMethod, Reported,
};

use super::measured::Measured;
use super::procedure::ByProcedure;
use super::tally::Known;

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
            scope.procedure(bold);
            scope.about(&bold.test, metric.as_slice());
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&bold.test, left, std::slice::from_ref(&right.value));
            }
        }
    }
}

impl Check for Ties {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let Self { left, right, significant, .. } = self;
        let measured = Measured::new(evidence, self.metric);
        let test = ByProcedure::of(evidence, comparisons, significant);
        let (one, other) = (measured.label(left), measured.label(&right.value));
        let says = format!(
            "no difference in {} is found between {one} and {other}",
            measured.metric.noun()
        );
        measured.by(&self.on, says, test.by(), [left, &right.value], |dataset| {
            let (one, other) = measured.pair(dataset, left, right)?;
            let known = Known::of(true, measured.against(one, other), None, None);
            ByProcedure::answer(test.finds_difference(left, right, dataset), false, known)
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, Some(&self.significant.test))
    }
}
