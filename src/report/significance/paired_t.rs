//! Student's t on paired differences.

use document::section;
use spec::{Comparison, Correcting, Designed, Evidence, Kind, PairBy, Test, TestDesign};

use super::paired::Pairing;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<PairedT>("paired-t", "Student's t on paired differences");

section! {
    in Designed;
    /// Student's t on paired differences.
    pub struct PairedT {
        /// What is paired.
        pairing: Pairing;
    }
}

impl Test for PairedT {
    fn pair_by(&self) -> PairBy {
        self.pairing.pair_by
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.pairing.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        self.pairing.compare(
            test,
            evidence,
            |pairs| pairs.differences.clone(),
            stats::paired_t,
            |differences, level| stats::mean_difference(differences, 0.0, level),
        )
    }
}
