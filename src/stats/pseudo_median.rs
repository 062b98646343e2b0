//! Hodges and Lehmann's estimate of a median difference, with the interval of Wilcoxon's test.

use super::effect::{Effect, Measure};
use super::error::{StatsError, enough, open_unit};
use super::ranks::sums_of_ranks;
use math::decimal::Grid;
use math::normal;

/// The most differences whose interval is from the exact null distribution.
const EXACT_MOST: usize = 100;

/// The pseudo-median: the median of the means of all pairs of differences, each with itself too (Hodges and Lehmann,
/// Annals of Mathematical Statistics 34, 1963). Its interval holds all shifts that Wilcoxon's signed-rank test keeps
/// (Tukey 1949; Hollander and Wolfe, "Nonparametric Statistical Methods", section 3.3): it runs between two such
/// means. Up to 100 differences they are from the exact null distribution, so that the level is at least the one asked
/// for; beyond from its normal approximation with continuity correction. That distribution is the one without ties,
/// whose interval is the wider one.
///
/// # Errors
/// No differences, one that is not finite, or a level outside (0, 1).
pub fn pseudo_median(differences: &[f64], level: f64) -> Result<Effect, StatsError> {
    enough("differences", differences, 1)?;
    open_unit("the level", level)?;
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let means = n * (n + 1) / 2;
    let at = |place| kth_mean(&sorted, place);
    let grid = Grid::of(&sorted);
    let value = grid.round(0.5 * (at(means.div_ceil(2)) + at(means / 2 + 1)));
    let out = left_out(n, level);
    let interval = (out > 0).then(|| (grid.round(at(out)), grid.round(at(means + 1 - out))));
    Ok(Effect { measure: Measure::PseudoMedian, value, interval })
}

/// The largest place k such that sums of ranks below k have a probability of at most (1 - level) / 2; 0 if there is
/// none, as for five differences at .95.
fn left_out(n: usize, level: f64) -> usize {
    let tail = 0.5 * (1.0 - level);
    let sums = n * (n + 1) / 2;
    if n > EXACT_MOST {
        let mean = 0.5 * sums as f64;
        let sd = (mean * (2 * n + 1) as f64 / 6.0).sqrt();
        return (mean + sd * normal::quantile(tail) + 0.5) as usize;
    }
    let mut below = 0.0;
    sums_of_ranks(1..=n, sums / 2)
        .iter()
        .take_while(|mass| {
            below += **mass;
            below <= tail
        })
        .count()
}

/// The mean at a place, from 1 for the smallest, among the means of all pairs of sorted values: the least number that
/// so many of them do not exceed, by bisection over the numbers themselves.
fn kth_mean(sorted: &[f64], place: usize) -> f64 {
    let (mut low, mut high) = (ordered(sorted[0]), ordered(sorted[sorted.len() - 1]));
    while low < high {
        let middle = low + (high - low) / 2;
        if at_most(sorted, unordered(middle)) >= place { high = middle } else { low = middle + 1 }
    }
    unordered(high)
}

/// How many means of pairs of sorted values are at most `bound`.
fn at_most(sorted: &[f64], bound: f64) -> usize {
    let mut count = 0;
    let mut end = sorted.len();
    for (first, &one) in sorted.iter().enumerate() {
        while end > first && 0.5 * one + 0.5 * sorted[end - 1] > bound {
            end -= 1;
        }
        if end <= first {
            break;
        }
        count += end - first;
    }
    count
}

/// The bits of a number as an integer in its order.
fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn unordered(order: u64) -> f64 {
    f64::from_bits(if order >> 63 == 1 { order & !(1 << 63) } else { !order })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Zeros, wilcoxon_signed_rank};

    fn brute(differences: &[f64]) -> Vec<f64> {
        let mut means: Vec<f64> = (0..differences.len())
            .flat_map(|i| (i..differences.len()).map(move |j| (i, j)))
            .map(|(i, j)| 0.5 * differences[i] + 0.5 * differences[j])
            .collect();
        means.sort_by(f64::total_cmp);
        means
    }

    #[test]
    fn hollander_and_wolfes_example() {
        // "Nonparametric Statistical Methods", table 3.1, depression scale factors after and before therapy: estimate
        // -0.46, 96.1% interval from -0.786 to -0.010.
        // Thousandths, for 3.14 is no π here.
        let before = [1830, 500, 1620, 2480, 1680, 1880, 1550, 3060, 1300];
        let after = [878, 647, 598, 2050, 1060, 1290, 1060, 3140, 1290];
        let differences: Vec<f64> =
            after.iter().zip(before).map(|(a, b)| f64::from(a - b) / 1000.0).collect();
        let found = pseudo_median(&differences, 0.96).unwrap();
        assert_eq!((found.value, found.interval), (-0.46, Some((-0.786, -0.01))));
    }

    #[test]
    fn intervals_hold_the_shifts_that_scipys_exact_test_keeps() {
        // tests/reference/statistics.py
        let differences = [0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009];
        let found = pseudo_median(&differences, 0.95).unwrap();
        assert_eq!((found.value, found.interval), (0.01125, Some((0.002, 0.022))));
        assert_eq!(pseudo_median(&differences, 0.9).unwrap().interval, Some((0.0035, 0.02)));
        assert_eq!(pseudo_median(&differences[..5], 0.95).unwrap().interval, None);
    }

    #[test]
    fn places_equal_the_sorted_means() {
        let differences = [0.3, -0.7, 1.1, 0.3, 5.5, -2.25, 0.0, 0.9];
        let mut sorted = differences.to_vec();
        sorted.sort_by(f64::total_cmp);
        for (at, mean) in brute(&differences).into_iter().enumerate() {
            assert_eq!(kth_mean(&sorted, at + 1), mean, "{at}");
        }
    }

    /// Just within the ends Wilcoxon's own exact test keeps the shift, just beyond it does not.
    #[test]
    fn ends_are_where_the_test_turns() {
        for n in [6, 9, 17, 40] {
            let differences: Vec<f64> = (0..n)
                .map(|i| f64::from((i * 7919 + 13) % 101) / 50.0 - 0.7 + f64::from(i) * 1e-4)
                .collect();
            let (low, high) = pseudo_median(&differences, 0.95).unwrap().interval.unwrap();
            let p = |shift: f64| {
                let moved: Vec<f64> = differences.iter().map(|d| d - shift).collect();
                wilcoxon_signed_rank(&moved, true, Zeros::Drop, false).unwrap().p
            };
            assert!(p(low + 1e-7) > 0.05 && p(high - 1e-7) > 0.05, "{n}");
            assert!(p(low - 1e-7) <= 0.05 && p(high + 1e-7) <= 0.05, "{n}");
        }
    }

    #[test]
    fn the_normal_approximation_takes_over_smoothly() {
        // Hollander and Wolfe's table A.4 by recursion: the place of n = 100 at .95 is 1,955 + 1 below the mean of 2,525.
        let exact = left_out(EXACT_MOST, 0.95);
        let (mean, sd) = (2525.0_f64, (100.0_f64 * 101.0 * 201.0 / 24.0).sqrt());
        let approximate = (mean - 1.959963984540054 * sd + 0.5) as usize;
        assert!(exact.abs_diff(approximate) <= 1, "{exact} and {approximate}");
        let many: Vec<f64> = (0..101).map(|i| f64::from(i) - 40.0).collect();
        let found = pseudo_median(&many, 0.95).unwrap();
        assert_eq!(found.value, 10.0);
        let means = brute(&many);
        let out = left_out(101, 0.95);
        assert_eq!(found.interval, Some((means[out - 1], means[means.len() - out])));
    }
}
