//! Welch's t on two samples.

use document::section;
use spec::{Comparison, Evidence, Kind, PairBy, Scope, Test, TestDesign};

use super::paired::Pairing;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<WelchT>("welch-t", "Welch's t on two samples");

section! {
    in Scope;
    /// Welch's t on two samples.
    pub struct WelchT {
        /// What is paired.
        pairing: Pairing;
    }
}

impl Test for WelchT {
    fn pair_by(&self) -> PairBy {
        self.pairing.pair_by
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        self.pairing.compare(test, evidence, |pairs| stats::welch_t(&pairs.left, &pairs.right))
    }
}
