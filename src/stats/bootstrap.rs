//! Bootstrap intervals.

use super::error::{StatsError, enough, open_unit};
use base::digest::Digest;
use math::random::Random;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> Digest {
        Digest::of(b"bootstrap")
    }

    #[test]
    fn quantiles_agree_with_numpy() {
        // numpy.quantile([1, 2, 4, 8], [0.025, 0.975]) = [1.075, 7.7]
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert!((quantile(&sorted, 0.025) - 1.075).abs() < 1e-14);
        assert!((quantile(&sorted, 0.975) - 7.7).abs() < 1e-14);
        assert_eq!(quantile(&[3.0], 0.5), 3.0);
    }

    /// The bootstrap distribution of the mean is close to normal with the plug-in variance, here
    /// 100 values 0..100: sd √833.25, standard error 2.8866.
    #[test]
    fn interval_of_many_values_is_close_to_the_normal_one() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let interval = bootstrap_mean_interval(&values, 20_000, 0.95, seed()).unwrap();
        assert_eq!(interval.mean, 49.5);
        assert!((interval.low - (49.5 - 1.96 * 2.8866)).abs() < 0.25, "{interval:?}");
        assert!((interval.high - (49.5 + 1.96 * 2.8866)).abs() < 0.25, "{interval:?}");
    }

    #[test]
    fn the_seed_alone_decides() {
        let values = [0.1, 1.7, 5.3, 2.9, 9.2, 4.1, 7.7, 3.6];
        let interval = |seed| bootstrap_mean_interval(&values, 500, 0.9, seed).unwrap();
        assert_eq!(interval(seed()), interval(seed()));
        assert_ne!(interval(seed()), interval(Digest::of(b"another")));
    }

    #[test]
    fn a_wider_level_gives_a_wider_interval() {
        let values = [1.0, 5.0, 2.0, 9.0, 4.5];
        let at = |level| bootstrap_mean_interval(&values, 1000, level, seed()).unwrap();
        let (narrow, wide) = (at(0.5), at(0.99));
        assert!(wide.low < narrow.low && narrow.high < wide.high);
        assert!(wide.low >= 1.0 && wide.high <= 9.0);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(
            bootstrap_mean_interval(&[], 100, 0.95, seed()),
            Err(StatsError::TooFew { what: "values", .. })
        ));
        assert!(bootstrap_mean_interval(&[1.0, f64::NAN], 100, 0.95, seed()).is_err());
        assert!(bootstrap_mean_interval(&[1.0], 99, 0.95, seed()).is_err());
        assert!(bootstrap_mean_interval(&[1.0], 100, 95.0, seed()).is_err());
        let one = bootstrap_mean_interval(&[2.0], 100, 0.95, seed()).unwrap();
        assert_eq!((one.low, one.mean, one.high), (2.0, 2.0, 2.0));
    }
}
