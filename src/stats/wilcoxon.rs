//! Wilcoxon's signed-rank test.

use super::TestResult;
use super::distribution::normal_two_sided;
use super::error::{StatsError, enough};
use super::ranks::{ranked, tie_term};

/// What Wilcoxon's test does with zero differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zeros {
    /// Dropped before ranking (Wilcoxon).
    Drop,
    /// Ranked, then dropped (Pratt).
    Pratt,
    /// Ranked, their ranks split evenly.
    Split,
}

/// The most differences that the exact test takes; its time grows with their cube.
pub const EXACT_MOST: usize = 500;

/// Wilcoxon's signed-rank test for pairs (Wilcoxon, "Individual Comparisons by Ranking Methods",
/// Biometrics 1, 1945; Demšar, JMLR 7, 2006, section 3.1.3).
///
/// Null hypothesis: the differences are symmetric about zero. Assumes independent differences
/// whose sizes can be compared with each other. The absolute differences are ranked, ties sharing
/// their mean rank; the statistic is T, the smaller of the sum of the ranks of positive and of
/// negative differences.
///
/// - `exact`: the p-value is over all 2ⁿ assignments of signs to the ranks at hand, ties included
///   (tables, and SciPy's `method="exact"`, pretend that there are none). A zero has no sign, so
///   `Pratt` and `Split` have the same exact p-value. `continuity` has no effect.
/// - otherwise the normal approximation, its variance corrected for ties; for `Pratt` its mean and
///   variance without the ranks of the zeros (Cureton 1967); `continuity` moves the statistic half
///   a rank towards its mean.
///
/// `n` in the result counts the ranked differences: for `Drop` those that are not zero.
///
/// # Errors
/// No differences, one that is not finite, all zero, or more than [`EXACT_MOST`] for the exact test.
pub fn wilcoxon_signed_rank(
    differences: &[f64],
    exact: bool,
    zeros: Zeros,
    continuity: bool,
) -> Result<TestResult, StatsError> {
    const WHAT: &str = "differences";
    enough(WHAT, differences, 1)?;
    let kept: Vec<f64> = match zeros {
        Zeros::Drop => differences.iter().copied().filter(|&d| d != 0.0).collect(),
        Zeros::Pratt | Zeros::Split => differences.to_vec(),
    };
    if kept.iter().all(|&d| d == 0.0) {
        return Err(StatsError::AllZero { what: WHAT });
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let (ranks, groups) = ranked(&sizes);
    let rank_sum = |chosen: fn(f64) -> bool| -> f64 {
        kept.iter().zip(&ranks).filter(|&(&d, _)| chosen(d)).map(|(_, rank)| rank).sum()
    };
    let (positive, negative, zero) =
        (rank_sum(|d| d > 0.0), rank_sum(|d| d < 0.0), rank_sum(|d| d == 0.0));
    let smaller = positive.min(negative);
    let statistic = if zeros == Zeros::Split { smaller + zero / 2.0 } else { smaller };
    let p = if exact {
        let signed: Vec<f64> =
            kept.iter().zip(&ranks).filter(|&(&d, _)| d != 0.0).map(|(_, &rank)| rank).collect();
        exact_p(&signed, smaller)?
    } else {
        let zero_count = kept.iter().filter(|&&d| d == 0.0).count();
        let tied = if zeros == Zeros::Pratt && zero_count > 0 { &groups[1..] } else { &groups };
        let left_out = if zeros == Zeros::Pratt { zero_count } else { 0 };
        let mean = mean_of_ranks(kept.len()) - mean_of_ranks(left_out);
        let variance =
            variance_of_ranks(kept.len()) - variance_of_ranks(left_out) - tie_term(tied) / 48.0;
        let distance = (mean - statistic - if continuity { 0.5 } else { 0.0 }).max(0.0);
        normal_two_sided(distance / variance.sqrt())
    };
    Ok(TestResult { statistic, p, n: kept.len() })
}

/// Expected sum of the positive ones of the ranks 1..=n.
fn mean_of_ranks(n: usize) -> f64 {
    let n = n as f64;
    n * (n + 1.0) / 4.0
}

/// Variance of the sum of the positive ones of the ranks 1..=n, without ties.
fn variance_of_ranks(n: usize) -> f64 {
    let n = n as f64;
    n * (n + 1.0) * (2.0 * n + 1.0) / 24.0
}

/// Twice the probability that fair signs give `ranks` a positive sum of at most `smaller`.
fn exact_p(ranks: &[f64], smaller: f64) -> Result<f64, StatsError> {
    if ranks.len() > EXACT_MOST {
        return Err(StatsError::TooMany {
            what: "differences for the exact test",
            most: EXACT_MOST,
            got: ranks.len(),
        });
    }
    // Twice a mean rank is an integer. mass[s] is the probability of the doubled sum s.
    let doubled = |rank: f64| (2.0 * rank) as usize;
    let mut mass = vec![0.0; doubled(smaller) + 1];
    mass[0] = 1.0;
    for rank in ranks.iter().map(|&rank| doubled(rank)) {
        for sum in (0..mass.len()).rev() {
            let with = if sum >= rank { mass[sum - rank] } else { 0.0 };
            mass[sum] = 0.5 * (mass[sum] + with);
        }
    }
    Ok((2.0 * mass.iter().sum::<f64>()).min(1.0))
}
