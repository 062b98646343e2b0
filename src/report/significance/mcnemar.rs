//! McNemar's test on 0/1 outcomes.

use base::words;
use document::{Flag, Level, Spanned, Word, section};
use spec::{
    Comparison, Correcting, Designed, Evidence, Kind, Lack, PairBy, Pairs, Test, TestDesign,
};
use stats::McNemarP;

use super::paired::{Made, found, not_corrected, paired};

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
        MidP = "mid-p", "the same, what was seen counted half: less conservative";
        ChiSquared = "chi-squared", "chi-squared with one degree of freedom";
    }
}

section! {
    in Designed;
    /// What 0/1 outcomes are of, and what becomes of several comparisons.
    pub struct Outcomes {
        pair_by: Word<Unit> = "example" => "what one pair is";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

section! {
    in Designed;
    /// McNemar's test on 0/1 outcomes.
    pub struct McNemar {
        /// Of what.
        outcomes: Outcomes;
        p_value: Word<PValue> = "exact" => "where the p-value comes from";
        continuity: Spanned<Flag> = false => "continuity correction of the chi-squared form";
    }
    check(scope, _table) {
        if let (Some(p_value), Some(continuity)) = (p_value, &continuity) {
            not_corrected(p_value != PValue::ChiSquared, continuity, scope);
        }
    }
}

impl McNemar {
    fn p_value(&self) -> McNemarP {
        match self.p_value {
            PValue::Exact => McNemarP::Exact,
            PValue::MidP => McNemarP::MidP,
            PValue::ChiSquared => McNemarP::ChiSquared { continuity: self.continuity.value },
        }
    }
}

impl Outcomes {
    /// McNemar's test of each pair of methods.
    pub(super) fn compare(
        &self,
        test: &TestDesign,
        evidence: &dyn Evidence,
        p_value: McNemarP,
    ) -> Vec<Comparison> {
        let Self { correcting, level, .. } = self;
        paired(PairBy::Example, Some(correcting), *level, test, evidence, |pairs, _| {
            mcnemar(pairs, p_value, *level)
        })
    }
}

/// McNemar's test on the pairs of two methods.
fn mcnemar(pairs: &Pairs, p_value: McNemarP, level: f64) -> Made {
    let only = |side: f64| pairs.differences.iter().filter(|d| **d == side).count() as u64;
    let (left, right, n) = (only(1.0), only(-1.0), pairs.differences.len() as u64);
    let binary = |values: &[f64]| values.iter().all(|v| *v == 0.0 || *v == 1.0);
    if !binary(&pairs.left) || !binary(&pairs.right) {
        let found = Err(Lack::Unmet("values per example are not all 0 or 1"));
        let effect = stats::mean_difference(&pairs.differences, 0.0, level);
        return Made::of_pairs(found, effect, pairs, level);
    }
    let found = found(stats::mcnemar(left, right, p_value));
    let effect = stats::share_difference(left, right, n, level);
    Made::of_pairs(found, effect, pairs, level)
}

impl Test for McNemar {
    fn pair_by(&self) -> PairBy {
        PairBy::Example
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.outcomes.correcting)
    }

    fn outcomes(&self) -> bool {
        true
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        self.outcomes.compare(test, evidence, self.p_value())
    }
}
