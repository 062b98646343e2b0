//! Wilcoxon's signed-rank test.

use base::words;
use document::{Flag, Spanned, Word, section};
use spec::{Comparison, Correcting, Designed, Evidence, Kind, PairBy, Pairs, Test, TestDesign};
use stats::Zeros;

use super::paired::{Pairing, not_corrected};

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Wilcoxon>("wilcoxon-signed-rank", "Wilcoxon signed-rank");

words! {
    /// Where a p-value of Wilcoxon's test comes from.
    pub enum PValue {
        Exact = "exact", "the exact null distribution";
        Normal = "normal", "its normal approximation";
    }
}

section! {
    in Designed;
    /// Wilcoxon's signed-rank test.
    pub struct Wilcoxon {
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
    fn pair_by(&self) -> PairBy {
        self.pairing.pair_by
    }

    fn orders(&self) -> bool {
        true
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.pairing.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let (exact, continuity) = (self.p_value == PValue::Exact, self.continuity.value);
        self.pairing.compare(
            test,
            evidence,
            Pairs::on_paper,
            |differences| stats::wilcoxon_signed_rank(differences, exact, self.zeros, continuity),
            stats::pseudo_median,
        )
    }
}
