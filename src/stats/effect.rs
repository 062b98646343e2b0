//! Sizes of differences, with the intervals around them.

use math::sample::Sample;
use math::{normal, student_t};

use super::error::{StatsError, at_least, enough, open_unit};
use super::student::{Dependence, Mean, mean, moments, overlapping, welch_mean};
use math::distribution::fair_coin_at_most;

base::words! {
    /// What the size of a difference is.
    pub enum Measure {
        Mean = "mean-difference", "the mean of left minus right";
        PseudoMedian = "pseudo-median", "the median of left minus right by Hodges and Lehmann: that of all means of two differences";
        Median = "median-difference", "the median of left minus right";
        Share = "share-difference", "the share of examples of left minus that of right";
        MeanRank = "mean-rank-difference", "the mean rank of right minus that of left: positive if left ranks better";
        Value = "value", "a value itself";
        Ratio = "ratio", "a value of left as a multiple of that of right";
        Concordance = "kendall-w", "Kendall's W: 1 where all blocks rank alike, 0 where their ranks cancel";
        Chance = "eta-squared-q", "Q as a share of its largest value";
    }
}

/// The size of a difference, with the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// What it is.
    pub measure: Measure,
    /// Its estimate.
    pub value: f64,
    /// Lower and upper end; none where the values are too few for one of this level, or no interval is known.
    pub interval: Option<(f64, f64)>,
}

/// The mean difference, with the t interval of [`paired_t`](super::paired_t). One difference has no interval, and neither
/// have differences that are all equal, nor such whose dependence is unknown: what they vary by is not known.
///
/// # Errors
/// No differences, one that is not finite, a level outside (0, 1), or a ratio or clusters that `paired_t` refuses.
pub fn mean_difference(
    differences: &[f64],
    dependence: &Dependence,
    level: f64,
) -> Result<Effect, StatsError> {
    enough("differences", differences, 1)?;
    open_unit("the level", level)?;
    match mean(differences, dependence) {
        Err(StatsError::Dependent { .. }) => {
            Ok(Effect { measure: Measure::Mean, value: moments(differences)?.0, interval: None })
        }
        mean => Ok(around(mean?, level)),
    }
}

/// A mean with its t interval, if anything varies.
fn around(Mean { value, error, df }: Mean, level: f64) -> Effect {
    let half = (error > 0.0).then(|| error * student_t::two_sided_quantile(level, df));
    let interval = half.map(|half| (value - half, value + half));
    Effect { measure: Measure::Mean, value, interval }
}

/// The difference of the means of two independent samples, with Welch's interval.
///
/// # Errors
/// As [`welch_t`](super::welch_t), or a level outside (0, 1).
pub fn welch_difference(left: &[f64], right: &[f64], level: f64) -> Result<Effect, StatsError> {
    open_unit("the level", level)?;
    Ok(around(welch_mean(left, right)?, level))
}

/// The median difference, with the interval of all medians that the exact sign test keeps: between two order
/// statistics, so that its level is at least the one asked for.
///
/// # Errors
/// No differences, one that is not finite, or a level outside (0, 1).
pub fn median_difference(differences: &[f64], level: f64) -> Result<Effect, StatsError> {
    enough("differences", differences, 1)?;
    open_unit("the level", level)?;
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let value = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    // The number of values that may be left out on each side.
    let keeps = |out: usize| fair_coin_at_most(out as u64, n as u64) > 0.5 * (1.0 - level);
    let (mut out, mut beyond) = (0, n);
    while out < beyond {
        let middle = out.midpoint(beyond);
        if keeps(middle) { beyond = middle } else { out = middle + 1 }
    }
    let interval = (out > 0).then(|| (sorted[out - 1], sorted[n - out]));
    Ok(Effect { measure: Measure::Median, value, interval })
}

/// How often one side is larger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Superiority {
    /// The estimate; 1/2 is no difference.
    pub value: f64,
    /// Lower and upper end; none where no interval is known, as where values depend on each other.
    pub interval: Option<(f64, f64)>,
}

/// Vargha and Delaney's A₁₂ for pairs: the probability that the left value of a pair is the larger, ties counted half
/// ("A Critique and Improvement of the CL Common Language Effect Size Statistics", Journal of Educational and
/// Behavioral Statistics 25, 2000, correlated samples). It is ½ + (wins - losses) / 2n, and its interval follows from
/// that of [`share_difference`], whose variance is that of what a pair counts: 0, ½ or 1. Without ties it is Wilson's.
///
/// # Errors
/// No differences, one that is not finite, or a level outside (0, 1).
pub fn paired_superiority(differences: &[f64], level: f64) -> Result<Superiority, StatsError> {
    enough("differences", differences, 1)?;
    let count = |side: fn(&f64) -> bool| differences.iter().filter(|d| side(d)).count() as u64;
    let (won, lost) = (count(|d| *d > 0.0), count(|d| *d < 0.0));
    let shares = share_difference(won, lost, differences.len() as u64, level)?;
    let share = |difference: f64| 0.5 + 0.5 * difference;
    let interval = shares.interval.map(|(low, high)| (share(low), share(high)));
    Ok(Superiority { value: share(shares.value), interval })
}

/// Vargha and Delaney's A₁₂ for two independent samples: the share of pairs of a left and a right value in which left
/// is the larger, ties counted half. The interval is Newcombe's method 5 (Statistics in Medicine 25, 2006): all θ
/// within z standard errors of the estimate, with Hanley and McNeil's error at θ, which stays within 0 and 1.
///
/// # Errors
/// No values on a side, one that is not finite, or a level outside (0, 1).
pub fn superiority(left: &[f64], right: &[f64], level: f64) -> Result<Superiority, StatsError> {
    enough("values on the left", left, 1)?;
    enough("values on the right", right, 1)?;
    open_unit("the level", level)?;
    let (m, n) = (left.len() as f64, right.len() as f64);
    // One for a win, a half for a tie.
    let wins = |l: f64, r: f64| 0.5 * f64::from(u8::from(l > r) + u8::from(l >= r));
    let won: f64 = left.iter().map(|&l| right.iter().map(|&r| wins(l, r)).sum::<f64>()).sum();
    let value = won / (m * n);
    let z = normal::quantile(0.5 * (1.0 + level));
    let star = 0.5 * (m + n) - 1.0;
    let keeps = |t: f64| {
        let spread = 1.0 + star * (1.0 - t) / (2.0 - t) + star * t / (1.0 + t);
        (value - t) * (value - t) <= z * z * t * (1.0 - t) * spread / (m * n)
    };
    let interval = (last_kept(value, 0.0, keeps), last_kept(value, 1.0, keeps));
    Ok(Superiority { value, interval: Some(interval) })
}

/// The difference of the shares of two methods that are right on the same `n` examples, `only_left` and `only_right` of
/// which one alone is right on. The interval is Tango's (Statistics in Medicine 17, 1998): all differences that the
/// score test keeps, of which McNemar's chi-squared test is the one at zero.
///
/// # Errors
/// No examples, or a level outside (0, 1).
pub fn share_difference(
    only_left: u64,
    only_right: u64,
    n: u64,
    level: f64,
) -> Result<Effect, StatsError> {
    open_unit("the level", level)?;
    at_least(1, "examples", n as usize)?;
    let (b, c, total) = (only_left as f64, only_right as f64, n as f64);
    let z = normal::quantile(0.5 * (1.0 + level));
    let value = (b - c) / total;
    let keeps = |difference: f64| {
        // The most likely share of `only_right` if the difference were this one: a root of a quadratic.
        let linear = -b - c + (2.0 * total - b + c) * difference;
        let constant = -c * difference * (1.0 - difference);
        let root = (linear * linear - 8.0 * total * constant).max(0.0).sqrt();
        let share = (root - linear) / (4.0 * total);
        let variance = total * (2.0 * share + difference * (1.0 - difference));
        let distance = b - c - total * difference;
        distance * distance <= z * z * variance
    };
    let interval = (last_kept(value, -1.0, keeps), last_kept(value, 1.0, keeps));
    Ok(Effect { measure: Measure::Share, value, interval: Some(interval) })
}

/// A share of `n` independent outcomes, `count` of which are 1, with Wilson's interval (JASA 22, 1927), which stays
/// within 0 and 1.
///
/// # Errors
/// No outcomes, more of them 1 than there are, or a level outside (0, 1).
pub fn share(count: u64, n: u64, level: f64) -> Result<(f64, (f64, f64)), StatsError> {
    if count > n {
        let what = "the number of outcomes that are 1";
        return Err(StatsError::OutOfRange { what, value: count as f64, range: "at most all" });
    }
    // Of a difference of shares where the one side is right wherever the other is wrong: Tango's interval is Wilson's.
    let difference = share_difference(count, n - count, n, level)?;
    let share = |difference: f64| 0.5 + 0.5 * difference;
    let (low, high) = difference.interval.unwrap_or((-1.0, 1.0));
    Ok((share(difference.value), (share(low), share(high))))
}

/// The ratio of two means, as Fieller's interval bounds it (JRSS B 16, 1954): all ratios ρ for which a t-test keeps
/// that the mean of left - ρ right is zero. `samples` says which test, and what correlates the two sides.
///
/// None where the values have no spread, or the mean of the right ones is not told from zero: the interval is then
/// unbounded.
///
/// # Errors
/// Fewer than two values on a side, one that is not finite, or a level outside (0, 1).
pub fn ratio_interval(
    left: &[f64],
    right: &[f64],
    samples: Samples,
    level: f64,
) -> Result<Option<(f64, f64)>, StatsError> {
    enough("values on the left", left, 2)?;
    enough("values on the right", right, 2)?;
    open_unit("the level", level)?;
    let ((one, one_variance), (other, other_variance)) = (moments(left)?, moments(right)?);
    let (n, m) = (left.len() as f64, right.len() as f64);
    let (errors, covariance, df) = match samples {
        Samples::Pairs { test_over_train } => {
            let factor = match test_over_train {
                Some(ratio) => overlapping(n, ratio)?,
                None => 1.0 / n,
            };
            let products = left.iter().zip(right).map(|(l, r)| (l - one) * (r - other));
            let covariance = products.sum::<f64>() / (n - 1.0);
            ((factor * one_variance, factor * other_variance), factor * covariance, n - 1.0)
        }
        Samples::Independent => {
            let ratio = one / other;
            let (left, right) = (one_variance / n, ratio * ratio * other_variance / m);
            let (left, right) = (left / (left + right), right / (left + right));
            let df = 1.0 / (left * left / (n - 1.0) + right * right / (m - 1.0));
            ((one_variance / n, other_variance / m), 0.0, df)
        }
    };
    if errors == (0.0, 0.0) {
        return Ok(None);
    }
    let t = student_t::two_sided_quantile(level, df);
    // (one - ρ other)² <= t² (errors.0 - 2 ρ covariance + ρ² errors.1), a quadratic in ρ.
    let square = other * other - t * t * errors.1;
    let middle = one * other - t * t * covariance;
    let under = middle * middle - square * (one * one - t * t * errors.0);
    if square.is_nan() || square <= 0.0 || under < 0.0 {
        return Ok(None);
    }
    Ok(Some(((middle - under.sqrt()) / square, (middle + under.sqrt()) / square)))
}

/// How the values of two sides go together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Samples {
    /// One by one.
    Pairs {
        /// The ratio of test to training examples, where training sets overlap.
        test_over_train: Option<f64>,
    },
    /// Not at all.
    Independent,
}

/// The last point on the way from `inside` to `end` that is kept, by bisection to the last bit.
fn last_kept(inside: f64, end: f64, keeps: impl Fn(f64) -> bool) -> f64 {
    let (mut kept, mut dropped) = (inside, end);
    if keeps(end) {
        return end;
    }
    loop {
        let middle = 0.5 * (kept + dropped);
        if middle == kept || middle == dropped {
            return kept;
        }
        if keeps(middle) { kept = middle } else { dropped = middle }
    }
}

/// The interval that covers the mean of the population of a normally distributed sample with
/// probability `level`: x̄ ± t s/√n. None for fewer than two values, values that are not finite, or
/// a level outside (0, 1).
pub fn t_interval(sample: Sample, level: f64) -> Option<(f64, f64)> {
    let half = sample.sd()? / (sample.n as f64).sqrt();
    if !(level > 0.0 && level < 1.0 && half.is_finite() && sample.mean.is_finite()) {
        return None;
    }
    let half = half * student_t::two_sided_quantile(level, (sample.n - 1) as f64);
    Some((sample.mean - half, sample.mean + half))
}

/// The interval that covers the mean of a population of proportions, of which `sample` has some: Wilson's (1927), with
/// the number of observations that the variance of the sample's mean amounts to, p (1 - p) / (s²/n), and Student's t
/// for the normal quantile (as Dean and Pagano 2015 do for clusters). It lies within [0, 1]. A sample that does not
/// vary has none about its mean but that itself.
///
/// None where [`t_interval`] has none, or the mean is no proportion.
///
/// ```
/// use math::sample::Sample;
///
/// let accuracies: Sample = [1.0, 1.0, 0.98, 1.0].into_iter().collect();
/// let (low, high) = reprise_stats::proportion_interval(accuracies, 0.95).unwrap();
/// assert!(0.0 < low && low < 0.995 && 0.995 < high && high < 1.0);
/// ```
pub fn proportion_interval(sample: Sample, level: f64) -> Option<(f64, f64)> {
    let (low, high) = t_interval(sample, level)?;
    let p = sample.mean;
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let (half, spread) = (0.5 * (high - low), p * (1.0 - p));
    if half == 0.0 || spread == 0.0 {
        return Some((p, p));
    }
    // t²/n of Wilson's formula: n is the spread over the squared standard error, which is the half over t.
    let share = half * half / spread;
    let centre = (p + 0.5 * share) / (1.0 + share);
    let half = (share * (spread + 0.25 * share)).sqrt() / (1.0 + share);
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    // Reference numbers: tests/reference/statistics.py.
    const DIFFERENCES: [f64; 8] = [0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009];
    const LEFT: [f64; 5] = [3.1, 2.9, 4.0, 3.6, 3.3];
    const RIGHT: [f64; 7] = [2.2, 4.8, 1.9, 2.6, 2.4, 3.0, 2.7];

    fn assert_interval(interval: (f64, f64), low: f64, high: f64, tolerance: f64) {
        let near = |a: f64, b: f64| (a - b).abs() <= tolerance;
        assert!(near(interval.0, low) && near(interval.1, high), "{interval:?}");
    }

    #[test]
    fn intervals_of_proportions_agree_with_statsmodels() {
        // statsmodels.stats.proportion.proportion_confint(p n, n, 2 norm.sf(t), "wilson"), tests/reference/statistics.py.
        for (values, low, high) in [
            (&[0.9, 0.95, 1.0, 0.85, 0.95][..], 0.824456489517694, 0.97408158276969),
            (&[0.02, 0.0, 0.01][..], 0.001234239440461582, 0.07626758908452821),
        ] {
            let sample: Sample = values.iter().copied().collect();
            assert_interval(proportion_interval(sample, 0.95).unwrap(), low, high, 1e-12);
        }
        let of = |values: &[f64]| proportion_interval(values.iter().copied().collect(), 0.95);
        assert_eq!(of(&[1.0, 1.0]), Some((1.0, 1.0)));
        assert_eq!(of(&[0.7, 0.7]), Some((0.7, 0.7)));
        assert_eq!((of(&[0.7]), of(&[7.0, 8.0])), (None, None));
        let (low, high) = of(&[0.0, 1.0]).unwrap();
        assert!(low >= 0.0 && high <= 1.0 && high - low > 0.9, "{low} {high}");
    }

    #[test]
    fn mean_differences_agree_with_scipy() {
        let plain = mean_difference(&DIFFERENCES, &Dependence::None, 0.95).unwrap();
        assert_close(plain.value, 0.01175);
        let (low, high) = (0.002085263412782347, 0.021414736587217653);
        assert_interval(plain.interval.unwrap(), low, high, 1e-14);
        let wider =
            mean_difference(&DIFFERENCES, &Dependence::Overlap(100.0 / 335.0), 0.95).unwrap();
        let (low, high) = (-0.006039574029939557, 0.029539574029939557);
        assert_interval(wider.interval.unwrap(), low, high, 1e-14);
        assert_eq!(mean_difference(&[0.5], &Dependence::None, 0.95).unwrap().interval, None);
        assert_eq!(mean_difference(&[0.5; 3], &Dependence::None, 0.95).unwrap().interval, None);
        let welch = welch_difference(&LEFT, &RIGHT, 0.95).unwrap();
        assert_close(welch.value, 0.58);
        let (low, high) = (-0.34506376942216244, 1.5050637694221627);
        assert_interval(welch.interval.unwrap(), low, high, 1e-12);
    }

    #[test]
    fn medians_agree_with_scipy() {
        let sign = [0.5, -0.5, 1.0, 1.25, 0.1, 2.0, -3.0, 0.2, 0.3, 4.0, 4.5, -1.0];
        let median = median_difference(&sign, 0.95).unwrap();
        assert_eq!((median.value, median.interval), (0.4, Some((-0.5, 2.0))));
        // Five values hold their median with a probability of 1 - 2/32 at most.
        assert_eq!(median_difference(&sign[..5], 0.95).unwrap().interval, None);
        assert_eq!(median_difference(&sign[..5], 0.9).unwrap().interval, Some((-0.5, 1.25)));
    }

    #[test]
    fn superiority_of_pairs_agrees_with_statsmodels_and_the_maximised_likelihood() {
        // Without ties Wilson's: proportion_confint(8, 12, method="wilson").
        let mut differences = vec![1.0; 8];
        differences.extend([-1.0, -2.0, -1.0, -3.0]);
        let found = paired_superiority(&differences, 0.95).unwrap();
        assert_close(found.value, 2.0 / 3.0);
        assert_interval(found.interval.unwrap(), 0.3906220888727995, 0.8618799089087869, 1e-12);
        let all = paired_superiority(&[1.0; 12], 0.95).unwrap();
        assert_eq!(all.value, 1.0);
        assert_interval(all.interval.unwrap(), 0.7575059933447589, 1.0, 1e-12);
        // Twelve wins, three losses, 29 ties: half of Tango's (12, 3, 44) from 1/2.
        let mut differences = vec![1.0; 12];
        differences.extend([-1.0; 3]);
        differences.extend([0.0; 29]);
        let found = paired_superiority(&differences, 0.95).unwrap();
        assert_close(found.value, 0.5 + 9.0 / 88.0);
        let (low, high) = (0.5177461641296905, 0.684804706173818);
        assert_interval(found.interval.unwrap(), low, high, 1e-7);
        // Nothing but ties: half of z²/(n + z²) to either side.
        let bound = 1.959963984540054_f64 * 1.959963984540054;
        let bound = 0.5 * bound / (50.0 + bound);
        let ties = paired_superiority(&[0.0; 50], 0.95).unwrap();
        assert_interval(ties.interval.unwrap(), 0.5 - bound, 0.5 + bound, 1e-12);
    }

    #[test]
    fn shares_agree_with_statsmodels() {
        // proportion_confint(143, 150, method="wilson"), and of 150 and 0 of 150
        let (value, interval) = share(143, 150, 0.95).unwrap();
        assert_close(value, 143.0 / 150.0);
        assert_interval(interval, 0.9068135276008725, 0.9772134508387381, 1e-12);
        assert_eq!(share(150, 150, 0.95).unwrap().1.1, 1.0);
        assert_eq!(share(0, 150, 0.95).unwrap().1.0, 0.0);
        assert!(share(2, 1, 0.95).is_err() && share(0, 0, 0.95).is_err());
    }

    #[test]
    fn ratios_agree_with_fiellers_test_by_bisection() {
        let other = [2.0, 2.2, 1.9, 2.1, 2.6];
        let pairs = |test_over_train| Samples::Pairs { test_over_train };
        for (samples, (low, high)) in [
            (pairs(None), (1.2000961948279807, 2.03804680320321)),
            (pairs(Some(0.25)), (1.0453449796067793, 2.3362243019901605)),
            (Samples::Independent, (1.298893738629927, 1.8837052035131245)),
        ] {
            let found = ratio_interval(&LEFT, &other, samples, 0.95).unwrap().unwrap();
            assert_interval(found, low, high, 1e-9);
        }
        // A mean of zero bounds nothing, and neither do values that do not vary.
        let none = |left: &[f64], right: &[f64]| {
            ratio_interval(left, right, pairs(None), 0.95).unwrap().is_none()
        };
        assert!(none(&[1.0, 2.0, 3.0], &[-1.0, 1.0, 0.1]));
        assert!(none(&[1.0; 3], &[2.0; 3]));
    }

    #[test]
    fn superiority_of_samples_agrees_with_newcombes_formula() {
        let found = superiority(&LEFT, &RIGHT, 0.95).unwrap();
        assert_close(found.value, 0.8285714285714286);
        assert_interval(found.interval.unwrap(), 0.4839571763141174, 0.9569953250942446, 1e-13);
        let found = superiority(&[1.0, 2.0, 2.0], &[2.0, 3.0, 3.0, 4.0], 0.9).unwrap();
        assert_close(found.value, 0.08333333333333333);
        assert_interval(found.interval.unwrap(), 0.010482617746396384, 0.470246809471547, 1e-13);
        let apart = superiority(&[3.0, 4.0], &[1.0, 2.0], 0.95).unwrap();
        let (low, high) = apart.interval.unwrap();
        assert_eq!((apart.value, high), (1.0, 1.0));
        assert!(0.0 < low && low < 0.6, "{apart:?}");
    }

    #[test]
    fn share_differences_agree_with_the_numerically_maximised_likelihood() {
        let found = share_difference(12, 3, 44, 0.95).unwrap();
        assert_close(found.value, 9.0 / 44.0);
        let (low, high) = (0.03549232825938091, 0.36960941234763606);
        assert_interval(found.interval.unwrap(), low, high, 1e-7);
        let found = share_difference(10, 25, 200, 0.95).unwrap();
        let (low, high) = (-0.13551458995472554, -0.0179120081274604);
        assert_interval(found.interval.unwrap(), low, high, 1e-7);
        // No difference was seen among 50 examples; z²/(n + z²) is Tango's bound then.
        let none = share_difference(0, 0, 50, 0.95).unwrap().interval.unwrap();
        let bound = 1.959963984540054_f64 * 1.959963984540054;
        assert_interval(none, -bound / (50.0 + bound), bound / (50.0 + bound), 1e-12);
        assert!(share_difference(0, 0, 0, 0.95).is_err());
    }

    /// The interval holds zero exactly where McNemar's chi-squared test keeps it.
    #[test]
    fn share_intervals_agree_with_mcnemars_test() {
        for (b, c) in [(0, 4), (1, 4), (10, 25), (12, 22), (12, 23), (7, 7), (30, 17)] {
            let p =
                crate::mcnemar(b, c, crate::McNemarP::ChiSquared { continuity: false }).unwrap().p;
            let (low, high) = share_difference(b, c, 100, 0.95).unwrap().interval.unwrap();
            assert_eq!(p > 0.05, low <= 0.0 && 0.0 <= high, "{b} and {c}: {p}, {low} to {high}");
        }
    }

    #[test]
    fn t_interval_agrees_with_scipy() {
        // scipy.stats.t.interval(level, n - 1, loc=mean(x), scale=sem(x))
        let (low, high) = t_interval(LEFT.into_iter().collect(), 0.95).unwrap();
        assert_close(low, 2.8430610708940804);
        assert_close(high, 3.9169389291059193);
        let (low, high) = t_interval([1.0, 2.0].into_iter().collect(), 0.99).unwrap();
        assert_close(low, -30.328370581435763);
        assert_close(high, 33.32837058143576);
        assert_eq!(t_interval([1.0].into_iter().collect(), 0.95), None);
        assert_eq!(t_interval([1.0, f64::NAN].into_iter().collect(), 0.95), None);
        assert_eq!(t_interval([1.0, 2.0].into_iter().collect(), 95.0), None);
        assert_eq!(t_interval([2.0, 2.0].into_iter().collect(), 0.95), Some((2.0, 2.0)));
    }
}
