//! Bayesian comparisons with a region of practical equivalence.

use std::cmp::Ordering;

use document::{Count, Level, NotNegative, Word, section};
use math::decimal::significant;
use spec::{Comparison, Designed, Evidence, Found, Kind, Lack, PairBy, Says, Test, TestDesign};
use stats::{Effect, Posterior, StatsError};

use super::paired::{Made, paired};
use super::resampled_t::{Unit, overlap, resampled_mean};

pub(super) const SIGNED_RANK: Kind<dyn Test> = Kind::<dyn Test>::of::<BayesianSignedRank>(
    "bayesian-signed-rank",
    "posterior probabilities of the Bayesian signed-rank test, with a region of practical equivalence",
);

pub(super) const CORRELATED_T: Kind<dyn Test> = Kind::<dyn Test>::of::<BayesianCorrelatedT>(
    "bayesian-correlated-t",
    "posterior probabilities of the Bayesian correlated t-test, with a region of practical equivalence",
);

section! {
    in Designed;
    /// The Bayesian signed-rank test.
    pub struct BayesianSignedRank {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        region: NotNegative => "differences up to this are practically none, in the metric's unit";
        samples: Count = 50000 => "samples of the posterior";
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

section! {
    in Designed;
    /// The Bayesian correlated t-test.
    pub struct BayesianCorrelatedT {
        pair_by: Word<Unit> = "fold" => "what one pair is";
        region: NotNegative => "differences up to this are practically none, in the metric's unit";
        level: Level = 0.95 => "level of the credible interval around the effect";
    }
}

impl Test for BayesianSignedRank {
    fn pair_by(&self) -> PairBy {
        self.pair_by
    }

    fn says(&self) -> Says {
        Says::Posterior
    }

    fn orders(&self) -> bool {
        true
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { pair_by, region, samples, level } = *self;
        paired(pair_by, None, level, test, evidence, |pairs, seed| {
            let differences = pairs.on_paper();
            let effect = stats::pseudo_median(&differences, level);
            let posterior =
                stats::bayesian_signed_rank(&differences, region, samples, seed.finish());
            let found = found(posterior.map_err(Lack::from), &effect, &differences);
            Made::of_pairs(found, effect, pairs, level)
        })
    }
}

impl Test for BayesianCorrelatedT {
    fn pair_by(&self) -> PairBy {
        self.pair_by.pair_by()
    }

    fn says(&self) -> Says {
        Says::Posterior
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { region, level, .. } = *self;
        paired(self.pair_by(), None, level, test, evidence, |pairs, _| {
            let differences = &pairs.differences;
            let overlap = overlap(pairs);
            let effect = resampled_mean(pairs, &overlap, level);
            let posterior = overlap.and_then(|overlap| {
                Ok(stats::bayesian_correlated_t(differences, overlap, region)?)
            });
            let found = found(posterior, &effect, differences);
            Made::of_pairs(found, effect, pairs, level)
        })
    }
}

/// The statistic is the effect: posteriors have none of their own.
fn found(
    posterior: Result<Posterior, Lack>,
    effect: &Result<Effect, StatsError>,
    differences: &[f64],
) -> Result<Found, Lack> {
    let Posterior { left, region, right } = posterior?;
    let statistic = effect.clone()?.value;
    let [left, region, right] = [left, region, right].map(|p| significant(p, 6));
    Ok(Found {
        n: differences.len(),
        statistic,
        larger: left.partial_cmp(&right).unwrap_or(Ordering::Equal),
        p: None,
        p_adjusted: None,
        posterior: Some(Posterior { left, region, right }),
    })
}
