//! McNemar's test on 0/1 outcomes.

use base::words;
use document::{Flag, Level, Spanned, Word, section};
use spec::{Asks, Correcting, Dependent, Designed, Lack, Made, PairBy, Pairs, Test};
use stats::{Dependence, McNemarP};

use super::paired::{made, not_corrected};

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
        dependence: Word<Dependent> = "refused" => "what becomes of examples that go together";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

section! {
    in Designed;
    pub struct McNemar: "mcnemar" => "McNemar's test on 0/1 outcomes" {
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
    pub(super) fn asks(&self) -> Asks<'_> {
        let asks = Asks::of(PairBy::Example, self.dependence, Some(&self.correcting), self.level);
        Asks { outcomes: true, ..asks }
    }
}

/// McNemar's test on the pairs of two methods.
pub(super) fn mcnemar(pairs: &Pairs, p_value: McNemarP, level: f64) -> Made {
    let only = |side: f64| pairs.differences.iter().filter(|d| **d == side).count() as u64;
    let (left, right, n) = (only(1.0), only(-1.0), pairs.differences.len() as u64);
    let binary = |values: &[f64]| values.iter().all(|v| *v == 0.0 || *v == 1.0);
    if !binary(&pairs.left) || !binary(&pairs.right) {
        let effect = stats::mean_difference(&pairs.differences, &Dependence::None, level);
        let found = Err(Lack::Unmet("values per example are not all 0 or 1"));
        return Made { found, effect: effect.ok() };
    }
    made(stats::mcnemar(left, right, p_value), stats::share_difference(left, right, n, level))
}

impl Test for McNemar {
    fn asks(&self) -> Asks<'_> {
        Asks { efficiency: Some(1.0), ..self.outcomes.asks() }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        mcnemar(pairs, self.p_value(), level)
    }
}
