//! McNemar's test on 0/1 outcomes.

use base::words;
use document::{Flag, Spanned, Word, section};
use spec::{Comparison, Evidence, Kind, PairBy, Scope, Test, TestDesign};
use stats::Correction;

use super::paired::{found, not_corrected, paired};

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<McNemar>("mcnemar", "McNemar's test on 0/1 outcomes");

words! {
    /// What one pair of McNemar's test is.
    pub enum Unit {
        Example = "example", "a test example; one test a dataset";
    }
}

words! {
    /// Where a p-value of McNemar's test comes from.
    pub enum PValue {
        Exact = "exact", "exact binomial";
        ChiSquared = "chi-squared", "chi-squared with one degree of freedom";
    }
}

section! {
    in Scope;
    /// McNemar's test on 0/1 outcomes.
    pub struct McNemar {
        pair_by: Word<Unit> = "example" => "what one pair is";
        correction: Word<Correction> = "none" => "correction over the comparisons of this test";
        p_value: Word<PValue> = "exact" => "where the p-value comes from";
        continuity: Spanned<Flag> = false => "continuity correction of the chi-squared form";
    }
    check(scope, _table) {
        if let (Some(p_value), Some(continuity)) = (p_value, &continuity) {
            not_corrected(p_value == PValue::Exact, continuity, scope);
        }
    }
}

impl Test for McNemar {
    fn pair_by(&self) -> PairBy {
        PairBy::Example
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        paired(self.pair_by(), self.correction, test, evidence, |pairs, _| {
            let binary = |values: &[f64]| values.iter().all(|v| *v == 0.0 || *v == 1.0);
            if !binary(&pairs.left) || !binary(&pairs.right) {
                return Err("values per example are not all 0 or 1".to_owned());
            }
            let only = |side: f64| pairs.differences.iter().filter(|d| **d == side).count() as u64;
            let exact = self.p_value == PValue::Exact;
            found(stats::mcnemar(only(1.0), only(-1.0), exact, self.continuity.value))
        })
    }
}
