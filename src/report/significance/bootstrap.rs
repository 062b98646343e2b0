//! Bootstrap intervals of mean differences.

use std::cmp::Ordering;

use base::digest::Digest;
use document::{Count, Level, Word, section};
use spec::{Asks, Designed, Found, Kind, Lack, Made, Pairs, Says, Test};
use stats::Ends;

use super::paired::Unit;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Bootstrap>("bootstrap", "bootstrap interval of the mean difference");

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
        self.unit.asks(None, self.level)
    }

    fn says(&self) -> Says {
        Says::Interval(self.level)
    }

    fn compare(&self, pairs: &Pairs, level: f64, seed: Digest) -> Made {
        let (n, ends) = (pairs.differences.len(), self.interval);
        let effect = stats::bootstrap_mean(&pairs.differences, self.resamples, level, ends, seed);
        let found = effect.clone().map_err(Lack::from).map(|effect| Found {
            n,
            statistic: effect.value,
            larger: effect.value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
            p: None,
            p_adjusted: None,
            outside: None,
            posterior: None,
        });
        Made { found, effect: effect.ok() }
    }
}
