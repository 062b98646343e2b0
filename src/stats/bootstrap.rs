//! Bootstrap intervals.

use super::effect::{Effect, Measure};
use super::error::{StatsError, at_least, enough, open_unit};
use base::digest::Digest;
use math::normal;
use math::random::Random;

base::words! {
    /// Which quantiles of resampled means are the ends of an interval.
    pub enum Ends {
        Percentile = "percentile", "those of the level";
        Bca = "bca", "bias-corrected and accelerated: shifted by the bias and the skewness of the mean";
    }
}

/// The mean difference with its bootstrap interval (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
/// section 13.3; for [`Ends::Bca`] section 14.3).
///
/// Draws `resamples` samples of the same size with replacement. The ends are quantiles of their means, linearly
/// interpolated between order statistics: the (1 - level)/2 and (1 + level)/2 quantiles, or those that BCa puts in
/// their place. Assumes independent values. Fewer than some twenty of them give intervals that are too short. The
/// draws depend on `seed` alone.
///
/// # Errors
/// No values, one that is not finite, fewer than 100 resamples, or a level outside (0, 1).
pub fn bootstrap_mean(
    values: &[f64],
    resamples: usize,
    level: f64,
    ends: Ends,
    seed: Digest,
) -> Result<Effect, StatsError> {
    enough("values", values, 1)?;
    open_unit("the level", level)?;
    at_least(100, "bootstrap resamples", resamples)?;
    let n = values.len();
    let mut random = Random::new(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| (0..n).map(|_| values[random.below(n)]).sum::<f64>() / n as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / n as f64;
    let at = [0.5 * (1.0 - level), 0.5 * (1.0 + level)];
    let at = match ends {
        Ends::Percentile => at,
        Ends::Bca => accelerated(values, mean, &means, at),
    };
    let [low, high] = at.map(|probability| quantile(&means, probability));
    Ok(Effect { measure: Measure::Mean, value: mean, interval: Some((low, high)) })
}

/// The probabilities whose quantiles are BCa's ends, with the bias of the median of sorted resampled means and the
/// acceleration of the jackknife. Values that do not vary keep theirs.
fn accelerated(values: &[f64], mean: f64, means: &[f64], at: [f64; 2]) -> [f64; 2] {
    // Sums in another order differ in their last bits: that is a tie.
    let rounding = 1e-12 * values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let below = means.partition_point(|&resampled| resampled < mean - rounding);
    let up_to = means.partition_point(|&resampled| resampled <= mean + rounding);
    let share = (below + up_to) as f64 / (2 * means.len()) as f64;
    // Leaving one value out moves the mean by its deviation over n - 1, which cancels.
    let sum = |power: fn(f64) -> f64| values.iter().map(|value| power(value - mean)).sum::<f64>();
    let (squares, cubes) = (sum(|u| u * u), sum(|u| u * u * u));
    if squares == 0.0 || share == 0.0 || share == 1.0 {
        return at;
    }
    let acceleration = cubes / (6.0 * squares * squares.sqrt());
    let bias = normal::quantile(share);
    at.map(|probability| {
        let z = bias + normal::quantile(probability);
        normal::cdf(bias + z / (1.0 - acceleration * z))
    })
}

/// Quantile of sorted values, of which there is at least one, linear between order statistics (Hyndman and Fan's type 7).
pub fn quantile(sorted: &[f64], probability: f64) -> f64 {
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

    fn interval(values: &[f64], resamples: usize, level: f64, ends: Ends) -> (f64, f64) {
        bootstrap_mean(values, resamples, level, ends, seed()).unwrap().interval.unwrap()
    }

    /// The bootstrap distribution of the mean is close to normal with the plug-in variance, here
    /// 100 values 0..100: sd √833.25, standard error 2.8866.
    #[test]
    fn interval_of_many_values_is_close_to_the_normal_one() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        for ends in [Ends::Percentile, Ends::Bca] {
            let (low, high) = interval(&values, 20_000, 0.95, ends);
            assert!((low - (49.5 - 1.96 * 2.8866)).abs() < 0.25, "{low}");
            assert!((high - (49.5 + 1.96 * 2.8866)).abs() < 0.25, "{high}");
        }
    }

    #[test]
    fn bca_of_all_resamples_agrees_with_numpy() {
        // All 4^4 resamples of [1, 2, 4, 9]: tests/reference/statistics.py
        let values = [1.0, 2.0, 4.0, 9.0];
        let mut means: Vec<f64> = (0..256_usize)
            .map(|code| (0..4).map(|place| values[code >> (2 * place) & 3]).sum::<f64>() / 4.0)
            .collect();
        means.sort_by(f64::total_cmp);
        for (level, low, high) in [(0.9, 2.0, 7.25), (0.95, 1.75, 7.75)] {
            let at = [0.5 * (1.0 - level), 0.5 * (1.0 + level)];
            let found = accelerated(&values, 4.0, &means, at).map(|p| quantile(&means, p));
            assert_eq!(found, [low, high]);
        }
    }

    #[test]
    fn bca_agrees_with_scipy() {
        // scipy.stats.bootstrap((x,), np.mean, n_resamples=100_000): 2.5375 and 6.4625 for seeds 0, 1 and 2. The
        // quantiles of the exact distribution of the mean, by convolution, are 2.5375 and 6.4375; means are 0.0125 apart.
        let values = [0.1, 1.7, 5.3, 2.9, 9.2, 4.1, 7.7, 3.6];
        let (low, high) = interval(&values, 100_000, 0.95, Ends::Bca);
        assert!((low - 2.5375).abs() < 0.02 && (high - 6.44).abs() < 0.04, "{low}, {high}");
    }

    #[test]
    fn the_seed_alone_decides() {
        let values = [0.1, 1.7, 5.3, 2.9, 9.2, 4.1, 7.7, 3.6];
        let found = |seed| bootstrap_mean(&values, 500, 0.9, Ends::Bca, seed).unwrap();
        assert_eq!(found(seed()), found(seed()));
        assert_ne!(found(seed()), found(Digest::of(b"another")));
    }

    #[test]
    fn a_wider_level_gives_a_wider_interval() {
        let values = [1.0, 5.0, 2.0, 9.0, 4.5];
        for ends in [Ends::Percentile, Ends::Bca] {
            let [narrow, wide] = [0.5, 0.99].map(|level| interval(&values, 1000, level, ends));
            assert!(wide.0 < narrow.0 && narrow.1 < wide.1);
            assert!(wide.0 >= 1.0 && wide.1 <= 9.0);
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        let found = |values: &[f64], resamples, level| {
            bootstrap_mean(values, resamples, level, Ends::Bca, seed())
        };
        assert!(matches!(found(&[], 100, 0.95), Err(StatsError::TooFew { what: "values", .. })));
        assert!(found(&[1.0, f64::NAN], 100, 0.95).is_err());
        assert!(found(&[1.0], 99, 0.95).is_err());
        assert!(found(&[1.0], 100, 95.0).is_err());
        assert_eq!(found(&[2.0], 100, 0.95).unwrap().interval, Some((2.0, 2.0)));
    }
}
