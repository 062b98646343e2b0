//! Bootstrap intervals.

use super::error::{StatsError, enough, open_unit};
use crate::math::digest::Digest;
use crate::math::random::Random;

/// An interval around a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean of the values.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The percentile bootstrap interval of the mean (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", 1993, section 13.3).
///
/// Draws `resamples` samples of the same size with replacement; the ends are the (1 - level)/2 and
/// (1 + level)/2 quantiles of their means, linearly interpolated between order statistics. Assumes
/// independent values. Fewer than some twenty of them give intervals that are too short. The draws
/// depend on `seed` alone.
///
/// # Errors
/// No values, one that is not finite, fewer than 100 resamples, or a level outside (0, 1).
pub fn bootstrap_mean_interval(
    values: &[f64],
    resamples: usize,
    level: f64,
    seed: Digest,
) -> Result<Interval, StatsError> {
    enough("values", values, 1)?;
    open_unit("the level", level)?;
    if resamples < 100 {
        return Err(StatsError::TooFew {
            what: "bootstrap resamples",
            needed: 100,
            got: resamples,
        });
    }
    let n = values.len();
    let mut random = Random::new(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| (0..n).map(|_| values[random.below(n)]).sum::<f64>() / n as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    Ok(Interval {
        mean: values.iter().sum::<f64>() / n as f64,
        low: quantile(&means, 0.5 * (1.0 - level)),
        high: quantile(&means, 0.5 * (1.0 + level)),
    })
}

/// Quantile of sorted values, linear between order statistics (Hyndman and Fan's type 7).
fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}
