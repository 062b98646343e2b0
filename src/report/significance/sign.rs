//! The sign test.

use document::section;
use spec::{Comparison, Evidence, Kind, PairBy, Scope, Test, TestDesign};

use super::paired::Pairing;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Sign>("sign", "sign test (exact binomial)");

section! {
    in Scope;
    /// The sign test.
    pub struct Sign {
        /// What is paired.
        pairing: Pairing;
    }
}

impl Test for Sign {
    fn pair_by(&self) -> PairBy {
        self.pairing.pair_by
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        self.pairing.compare(test, evidence, |pairs| stats::sign(&pairs.on_paper()))
    }
}
