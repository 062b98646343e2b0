//! The sign test.

use base::words;
use document::{Word, section};
use spec::{Comparison, Correcting, Designed, Evidence, Kind, PairBy, Pairs, Test, TestDesign};

use super::paired::Pairing;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Sign>("sign", "sign test (binomial)");

words! {
    /// Where a p-value of the sign test comes from.
    pub enum PValue {
        Exact = "exact", "exact binomial";
        MidP = "mid-p", "the same, what was seen counted half: less conservative";
    }
}

section! {
    in Designed;
    /// The sign test.
    pub struct Sign {
        /// What is paired.
        pairing: Pairing;
        p_value: Word<PValue> = "exact" => "where the p-value comes from";
    }
}

impl Test for Sign {
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
        let mid_p = self.p_value == PValue::MidP;
        self.pairing.compare(
            test,
            evidence,
            Pairs::on_paper,
            |differences| stats::sign(differences, mid_p),
            stats::median_difference,
        )
    }
}
