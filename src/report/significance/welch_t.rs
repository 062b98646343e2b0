//! Welch's t on two samples.

use document::{Level, Word, section};
use spec::{Comparison, Correcting, Designed, Evidence, Kind, PairBy, Test, TestDesign};

use super::paired::{Made, found, kept, paired};

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<WelchT>("welch-t", "Welch's t on two samples");

section! {
    in Designed;
    /// Welch's t on two samples.
    pub struct WelchT {
        pair_by: Word<PairBy> = "dataset" => "what one value of a sample is; \"repeat\" for seeds";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

impl Test for WelchT {
    fn pair_by(&self) -> PairBy {
        self.pair_by
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { pair_by, correcting, level } = self;
        paired(*pair_by, Some(correcting), *level, test, evidence, |pairs, _| Made {
            found: found(stats::welch_t(&pairs.left, &pairs.right)),
            effect: stats::welch_difference(&pairs.left, &pairs.right, *level),
            superiority: stats::superiority(&pairs.left, &pairs.right, *level)
                .ok()
                .and_then(|found| kept(found, pairs)),
        })
    }
}
