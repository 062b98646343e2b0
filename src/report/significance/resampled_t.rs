//! Nadeau and Bengio's corrected resampled t-test.

use base::words;
use document::{Word, section};
use spec::{Comparison, Evidence, Kind, PairBy, Scope, Test, TestDesign};
use stats::Correction;

use super::paired::{found, paired};

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<CorrectedResampledT>(
    "corrected-resampled-t",
    "Nadeau and Bengio's corrected resampled t-test",
);

words! {
    /// What one pair of the test is: a division of the examples.
    pub enum Unit {
        Fold = "fold", "one test a dataset";
        Repeat = "repeat", "one test a dataset";
        Auto = "auto", "folds where a dataset has several, else repeats";
    }
}

section! {
    in Scope;
    /// Nadeau and Bengio's corrected resampled t-test.
    pub struct CorrectedResampledT {
        pair_by: Word<Unit> = "fold" => "what one pair is";
        correction: Word<Correction> = "none" => "correction over the comparisons of this test";
    }
}

impl Test for CorrectedResampledT {
    fn pair_by(&self) -> PairBy {
        match self.pair_by {
            Unit::Fold => PairBy::Fold,
            Unit::Repeat => PairBy::Repeat,
            Unit::Auto => PairBy::Auto,
        }
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        paired(self.pair_by(), self.correction, test, evidence, |pairs, _| {
            let ratio = pairs
                .test_over_train
                .ok_or("the pairs are neither folds nor repeats of one division each")?;
            found(stats::corrected_resampled_t(&pairs.differences, ratio))
        })
    }
}
