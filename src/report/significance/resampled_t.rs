//! Nadeau and Bengio's corrected resampled t-test.

use base::words;
use document::{Level, Word, section};
use spec::{
    Comparison, Correcting, Designed, Evidence, Kind, Lack, PairBy, Pairs, Test, TestDesign,
};
use stats::{Effect, StatsError};

use super::paired::{Made, found, paired};

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
    in Designed;
    /// Nadeau and Bengio's corrected resampled t-test.
    pub struct CorrectedResampledT {
        pair_by: Word<Unit> = "fold" => "what one pair is";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

impl Unit {
    /// The same among all that pairs may be.
    pub(super) fn pair_by(self) -> PairBy {
        match self {
            Self::Fold => PairBy::Fold,
            Self::Repeat => PairBy::Repeat,
            Self::Auto => PairBy::Auto,
        }
    }
}

/// How much the training sets of pairs overlap.
///
/// # Errors
/// The pairs are no divisions of one set of examples.
pub(super) fn overlap(pairs: &Pairs) -> Result<f64, Lack> {
    const NONE: Lack = Lack::Unmet("the pairs are neither folds nor repeats of one division each");
    const UNKNOWN: Lack =
        Lack::Unmet("no correction is known for the overlap of training sets in time");
    pairs
        .overlap
        .ok_or(UNKNOWN)
        .and_then(|overlap| if overlap > 0.0 { Ok(overlap) } else { Err(NONE) })
}

/// The mean difference with the interval that the overlap allows; without a known overlap the mean alone.
pub(super) fn resampled_mean(
    pairs: &Pairs,
    overlap: &Result<f64, Lack>,
    level: f64,
) -> Result<Effect, StatsError> {
    let ratio = *overlap.as_ref().unwrap_or(&0.0);
    let effect = stats::mean_difference(&pairs.differences, ratio, level)?;
    Ok(Effect { interval: effect.interval.filter(|_| overlap.is_ok()), ..effect })
}

impl Test for CorrectedResampledT {
    fn pair_by(&self) -> PairBy {
        self.pair_by.pair_by()
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { correcting, level, .. } = self;
        paired(self.pair_by(), Some(correcting), *level, test, evidence, |pairs, _| {
            let differences = &pairs.differences;
            let overlap = overlap(pairs);
            let effect = resampled_mean(pairs, &overlap, *level);
            let found = overlap
                .and_then(|overlap| found(stats::corrected_resampled_t(differences, overlap)));
            Made::of_pairs(found, effect, pairs, *level)
        })
    }
}
