//! Welch's t on two samples.

use document::section;
use spec::{Comparison, Correcting, Evidence, Kind, PairBy, Scope, Test, TestDesign};

use super::paired::{Made, Pairing, found, kept, paired};

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

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.pairing.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Pairing { pair_by, correcting, level } = &self.pairing;
        paired(*pair_by, Some(correcting), *level, test, evidence, |pairs, _| Made {
            found: found(stats::welch_t(&pairs.left, &pairs.right)),
            effect: stats::welch_difference(&pairs.left, &pairs.right, *level),
            superiority: stats::superiority(&pairs.left, &pairs.right, *level)
                .ok()
                .and_then(|found| kept(found, pairs)),
        })
    }
}
