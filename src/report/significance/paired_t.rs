//! Student's t on paired differences.

use document::section;
use spec::{Comparison, Evidence, Kind, PairBy, Scope, Test, TestDesign};

use super::paired::Pairing;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<PairedT>("paired-t", "Student's t on paired differences");

section! {
    in Scope;
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

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        self.pairing.compare(test, evidence, |pairs| stats::paired_t(&pairs.differences))
    }
}
