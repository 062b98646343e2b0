//! Wilcoxon's signed-rank test.

use std::f64::consts::PI;

use base::words;
use document::{Flag, Spanned, Word, section};
use spec::{Asks, Designed, Made, Pairs, Test};
use stats::Zeros;

use super::paired::{Pairing, made, not_corrected};

words! {
    /// Where a p-value of Wilcoxon's test comes from.
    pub enum PValue {
        Exact = "exact", "the exact null distribution";
        Normal = "normal", "its normal approximation";
    }
}

section! {
    in Designed;
    pub struct Wilcoxon: "wilcoxon-signed-rank" => "Wilcoxon signed-rank" {
        /// What is paired.
        pairing: Pairing;
        p_value: Word<PValue> = "exact" => "where the p-value comes from";
        zeros: Word<Zeros> = "drop" => "what becomes of zero differences";
        continuity: Spanned<Flag> = false => "continuity correction of the normal approximation";
    }
    check(scope, _table) {
        if let (Some(p_value), Some(continuity)) = (p_value, &continuity) {
            not_corrected(p_value == PValue::Exact, continuity, scope);
        }
    }
}

impl Test for Wilcoxon {
    fn asks(&self) -> Asks<'_> {
        let efficiency = Some(3.0 / PI);
        let by_signs = self.p_value == PValue::Exact;
        Asks { orders: true, shifts: true, efficiency, by_signs, ..self.pairing.asks() }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let (exact, differences) = (self.p_value == PValue::Exact, pairs.on_paper());
        made(
            stats::wilcoxon_signed_rank(&differences, exact, self.zeros, self.continuity.value),
            stats::pseudo_median(&differences, level),
        )
    }
}
