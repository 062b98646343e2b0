//! Bootstrap intervals of mean differences.

use std::cmp::Ordering;

use document::{Count, Level, Word, section};
use spec::{Asks, Designed, Found, Lack, Made, Pairs, Says, Test};
use stats::{Effect, Ends};

use super::paired::Unit;

section! {
    in Designed;
    /// Bootstrap interval of the mean difference.
    pub struct Bootstrap {
        /// What is paired.
        unit: Unit;
        resamples: Count = 10000 => "number of resamples";
        interval: Word<Ends> = "percentile" => "which quantiles of resampled means are its ends";
        level: Level = 0.95 => "confidence level";
    }
}

impl Test for Bootstrap {
    fn asks(&self) -> Asks<'_> {
        Asks { says: Says::Interval(self.level), ..self.unit.asks(None, self.level) }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, seed, .. } = pairs;
        let effect =
            stats::bootstrap_mean(differences, self.resamples, level, self.interval, *seed);
        let found = effect.clone().map_err(Lack::from).map(|Effect { value, .. }| {
            let larger = value.partial_cmp(&0.0).unwrap_or(Ordering::Equal);
            Found::of(differences.len(), value, larger)
        });
        Made { found, effect: effect.ok() }
    }
}
