//! Two one-sided tests: is a difference so small that it is none?

use std::cmp::Ordering;

use super::TestResult;
use super::error::{StatsError, enough, ranged};
use super::student::{Dependence, Mean, varying_mean};
use super::wilcoxon::{Zeros, signed_ranks};
use math::decimal::Grid;
use math::student_t::StudentT;

/// Two one-sided t-tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
///
/// Null hypothesis: the mean difference is at least `margin` in size. Assumptions, error and degrees of freedom as
/// [`paired_t`](super::paired_t). The p-value is the larger of those of the two sides, the statistic that side's t.
///
/// # Errors
/// As [`paired_t`](super::paired_t), or a margin that is not above 0.
pub fn equivalence_t(
    differences: &[f64],
    dependence: &Dependence,
    margin: f64,
) -> Result<TestResult, StatsError> {
    enough("differences", differences, 2)?;
    positive(margin)?;
    // Where they do not vary nothing says how far the mean may be from what was seen: no t tells it from a margin.
    let Mean { value, error, df } = varying_mean(differences, dependence)?;
    let statistic = (margin - value.abs()) / error;
    let p = StudentT::new(df).cdf(-statistic);
    Ok(TestResult { statistic, p, n: differences.len(), larger: value.total_cmp(&0.0) })
}

/// Two one-sided signed-rank tests.
///
/// Null hypothesis: the centre of symmetry of the differences is at least `margin` from zero. Assumptions as
/// [`wilcoxon_signed_rank`](super::wilcoxon_signed_rank); differences that equal a margin are dropped on its side. The
/// p-value is the larger of those of the two sides; the statistic is the sum of ranks against that side. `exact` as
/// there; the approximation has no continuity correction.
///
/// # Errors
/// No differences, one that is not finite, a margin that is not above 0, or too many for the exact test.
pub fn equivalence_wilcoxon(
    differences: &[f64],
    exact: bool,
    margin: f64,
) -> Result<TestResult, StatsError> {
    enough("differences", differences, 1)?;
    positive(margin)?;
    let grid = Grid::of(differences.iter().chain([&margin]));
    let mut worst: Option<TestResult> = None;
    // Seen from the margin, differences within it are positive: too many negative ones speak against it.
    for side in [1.0, -1.0] {
        let from: Vec<f64> =
            differences.iter().map(|d| grid.difference(margin, side * d)).collect();
        let ranks = signed_ranks(&from, Zeros::Drop);
        let larger = if side > 0.0 { Ordering::Greater } else { Ordering::Less };
        let (statistic, p) = match &ranks {
            // Every difference is the margin itself.
            Err(_) => (0.0, 1.0),
            Ok(ranks) => (ranks.negative, ranks.at_most(ranks.negative, exact, 0.0)?),
        };
        if worst.is_none_or(|worst| p > worst.p) {
            worst = Some(TestResult { statistic, p, n: differences.len(), larger });
        }
    }
    worst.ok_or(StatsError::AllZero { what: "differences" })
}

fn positive(margin: f64) -> Result<(), StatsError> {
    ranged(("the margin", margin), "above 0", margin > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    // Reference numbers: tests/reference/statistics.py.
    const DIFFERENCES: [f64; 8] = [0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009];

    #[test]
    fn the_t_form_agrees_with_statsmodels() {
        // statsmodels.stats.weightstats.ttost_paired(d, 0, -margin, margin)[0]
        assert_close(
            equivalence_t(&DIFFERENCES, &Dependence::None, 0.0205).unwrap().p,
            0.03477501866688307,
        );
        assert_close(
            equivalence_t(&DIFFERENCES, &Dependence::None, 0.03).unwrap().p,
            0.001458974294664073,
        );
        let corrected =
            equivalence_t(&DIFFERENCES, &Dependence::Overlap(100.0 / 335.0), 0.03).unwrap();
        assert_close(corrected.p, 0.022849861431918313);
        let flipped = DIFFERENCES.map(|d| -d);
        assert_eq!(
            equivalence_t(&flipped, &Dependence::Overlap(100.0 / 335.0), 0.03).unwrap().p,
            corrected.p
        );
    }

    #[test]
    fn the_signed_rank_form_agrees_with_scipy() {
        // max of scipy.stats.wilcoxon(d + margin, alternative="greater"), (d - margin, alternative="less")
        for (margin, exact, normal) in
            [(0.0205, 0.0390625, 0.0343517871614391), (0.03, 0.0078125, 0.008645140296453127)]
        {
            assert_close(equivalence_wilcoxon(&DIFFERENCES, true, margin).unwrap().p, exact);
            assert_close(equivalence_wilcoxon(&DIFFERENCES, false, margin).unwrap().p, normal);
        }
    }

    #[test]
    fn the_t_form_says_nothing_of_equal_differences() {
        let equal = |value| equivalence_t(&[value; 6], &Dependence::None, 0.01);
        assert_eq!(equal(0.0), Err(StatsError::AllZero { what: "differences" }));
        assert_eq!(equal(0.02), Err(StatsError::NoVariation { what: "differences" }));
        // So many signs speak for it, or against it.
        let by_ranks = |value| equivalence_wilcoxon(&[value; 6], true, 0.01).unwrap().p;
        assert_eq!((by_ranks(0.0), by_ranks(0.01)), (1.0 / 64.0, 1.0));
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(
            equivalence_t(&[1.0], &Dependence::None, 0.1),
            Err(StatsError::TooFew { .. })
        ));
        assert!(matches!(equivalence_wilcoxon(&[], true, 0.1), Err(StatsError::TooFew { .. })));
        for margin in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(equivalence_t(&DIFFERENCES, &Dependence::None, margin).is_err());
            assert!(equivalence_wilcoxon(&DIFFERENCES, true, margin).is_err());
        }
        assert!(matches!(
            equivalence_wilcoxon(&[1.0, f64::NAN], true, 0.1),
            Err(StatsError::NonFinite { index: 1, .. })
        ));
    }
}
