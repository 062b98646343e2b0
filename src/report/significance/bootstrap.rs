//! Bootstrap intervals of mean differences.

use std::cmp::Ordering;

use document::{Level, Whole, Word, section};
use spec::{
    Asks, Comparison, Designed, Evidence, Found, Lack, Made, Pairs, Says, Test, TestDesign,
    pairwise,
};
use stats::{Dependence, Effect, Ends};

use super::paired::Unit;

section! {
    in Designed;
    pub struct Bootstrap: "bootstrap" => "bootstrap interval of the mean difference" {
        /// What is paired.
        unit: Unit;
        resamples: Whole<100, 10_000_000> = 10000 => "number of resamples";
        interval: Word<Ends> = "percentile" => "which quantiles of resampled means are its ends";
        level: Level = 0.95 => "confidence level";
    }
}

/// Intervals of fewer values are too short; of fewer than the least they decide nothing.
const FEW: usize = 20;
const LEAST: usize = 10;
const TOO_FEW: &str = "fewer than ten values, of which a bootstrap interval is far too short";
const OF_FEW: &str = "fewer than 20 values: with ten, an interval of 95% leaves zero out in .08 to .10 of the cases without a difference";

impl Test for Bootstrap {
    fn asks(&self) -> Asks<'_> {
        Asks { says: Says::Interval(self.level), ..self.unit.asks(None, self.level) }
    }

    /// With what `docs/reference/calibration.md` says of few values.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let mut rows = pairwise(self, test, evidence);
        let few = |row: &&mut Comparison| row.found.as_ref().is_ok_and(|found| found.n < FEW);
        rows.iter_mut().filter(few).for_each(|row| row.noting(OF_FEW));
        rows
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, seed, .. } = pairs;
        if differences.len() < LEAST {
            let effect = stats::mean_difference(differences, &Dependence::None, level).ok();
            let effect = effect.map(|effect| Effect { interval: None, ..effect });
            return Made { found: Err(Lack::Unmet(TOO_FEW)), effect };
        }
        let effect =
            stats::bootstrap_mean(differences, self.resamples, level, self.interval, *seed);
        let found = effect.clone().map_err(Lack::from).map(|Effect { value, .. }| {
            let larger = value.partial_cmp(&0.0).unwrap_or(Ordering::Equal);
            Found::of(differences.len(), value, larger)
        });
        Made { found, effect: effect.ok() }
    }
}
