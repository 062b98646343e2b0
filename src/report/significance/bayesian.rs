//! Bayesian comparisons with a region of practical equivalence.

use std::cmp::Ordering;

use document::{Level, NotNegative, Whole, Word, section};
use math::decimal::significant;
use spec::{Asks, Designed, Found, Lack, Made, Pairs, Says, Test};
use stats::{Effect, Posterior, StatsError};

use super::paired::Unit;
use super::resampled_t::{Unit as Division, of_overlapping};

section! {
    in Designed;
    pub struct BayesianSignedRank: "bayesian-signed-rank" => "posterior probabilities of the Bayesian signed-rank test, with a region of practical equivalence" {
        /// What is paired.
        unit: Unit;
        region: NotNegative => "differences up to this are practically none, in the metric's unit";
        samples: Whole<1, 10_000_000> = 50000 => "samples of the posterior";
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

section! {
    in Designed;
    pub struct BayesianCorrelatedT: "bayesian-correlated-t" => "posterior probabilities of the Bayesian correlated t-test, with a region of practical equivalence" {
        pair_by: Word<Division> = "fold" => "what one pair is";
        region: NotNegative => "differences up to this are practically none, in the metric's unit";
        level: Level = 0.95 => "level of the credible interval around the effect";
    }
}

impl Test for BayesianSignedRank {
    fn asks(&self) -> Asks<'_> {
        let says = Says::Posterior(self.region);
        Asks { says, orders: true, ..self.unit.asks(None, self.level) }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let differences = pairs.on_paper();
        let posterior =
            stats::bayesian_signed_rank(&differences, self.region, self.samples, pairs.seed);
        made(posterior, stats::pseudo_median(&differences, level), pairs)
    }
}

impl Test for BayesianCorrelatedT {
    fn asks(&self) -> Asks<'_> {
        let says = Says::Posterior(self.region);
        Asks { says, ..self.pair_by.asks(None, self.level) }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        let posterior = stats::bayesian_correlated_t(differences, dependence, self.region);
        let effect = stats::mean_difference(differences, dependence, level);
        of_overlapping(pairs, made(posterior, effect, pairs))
    }
}

/// The statistic is the effect: posteriors have none of their own.
fn made(
    posterior: Result<Posterior, StatsError>,
    effect: Result<Effect, StatsError>,
    pairs: &Pairs,
) -> Made {
    let found = || -> Result<Found, Lack> {
        let Posterior { left, region, right } = posterior?;
        let [left, region, right] = [left, region, right].map(|p| significant(p, 6));
        let larger = left.partial_cmp(&right).unwrap_or(Ordering::Equal);
        let posterior = Some(Posterior { left, region, right });
        Ok(Found { posterior, ..Found::of(pairs.differences.len(), effect.clone()?.value, larger) })
    };
    Made { found: found(), effect: effect.ok() }
}
