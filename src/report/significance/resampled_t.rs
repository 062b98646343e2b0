//! Nadeau and Bengio's corrected resampled t-test.

use base::words;
use document::{Level, Word, section};
use spec::{Asks, Correcting, Dependent, Designed, Lack, Made, Over, PairBy, Pairs, Test};
use stats::{Dependence, Effect};

use super::paired::made;

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
    pub struct CorrectedResampledT: "corrected-resampled-t" => "Nadeau and Bengio's corrected resampled t-test" {
        pair_by: Word<Unit> = "fold" => "what one pair is";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

impl Unit {
    /// The same among all that pairs may be, with these corrections, and intervals of this level.
    pub(super) fn asks(self, correcting: Option<&Correcting>, level: f64) -> Asks<'_> {
        let pair_by = match self {
            Self::Fold => PairBy::Fold,
            Self::Repeat => PairBy::Repeat,
            Self::Auto => PairBy::Auto,
        };
        let heeds = RESAMPLED;
        Asks { heeds, ..Asks::of(pair_by, Dependent::Refused, correcting, level) }
    }
}

/// Training sets that overlap so that a correction is known.
const RESAMPLED: &[Over] = &[Over::Folds, Over::Divisions];

/// What is made of pairs whose training sets overlap by a known ratio; of others there is no answer.
pub(super) fn of_overlapping(pairs: &Pairs, made: Made) -> Made {
    let why = match pairs.dependence {
        Dependence::Overlap(_) => return made,
        Dependence::Unknown => "no correction is known for the overlap of training sets in time",
        Dependence::None | Dependence::Clusters(_) => {
            "the pairs are neither folds nor repeats of one division each"
        }
    };
    let effect = made.effect.map(|effect| Effect { interval: None, ..effect });
    Made { found: Err(Lack::Unmet(why)), effect }
}

impl Test for CorrectedResampledT {
    fn asks(&self) -> Asks<'_> {
        let asks = self.pair_by.asks(Some(&self.correcting), self.level);
        Asks { shifts: true, efficiency: Some(1.0), ..asks }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        of_overlapping(
            pairs,
            made(
                stats::paired_t(differences, dependence),
                stats::mean_difference(differences, dependence, level),
            ),
        )
    }
}
