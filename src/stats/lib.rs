//! Significance tests, sizes of differences with their intervals, posteriors, ranks and corrections for multiple
//! comparisons.
//!
//! All tests are two-sided but those of equivalence. A test that its input cannot support is a [`StatsError`], never a
//! number: too few values, a NaN, or no variation at all.

mod adjust;
mod bayes;
mod bootstrap;
mod cochran;
mod effect;
mod equivalence;
mod error;
mod friedman;
mod mcnemar;
mod power;
mod pseudo_median;
mod ranks;
mod sign;
mod student;
mod wilcoxon;

pub use adjust::{Correction, adjust};
pub use bayes::{Posterior, bayesian_correlated_t, bayesian_signed_rank};
pub use bootstrap::{Ends, bootstrap_mean, quantile};
pub use cochran::cochran_q;
pub use effect::{
    Effect, Measure, Samples, Superiority, mean_difference, median_difference, paired_superiority,
    proportion_interval, ratio_interval, share, share_difference, superiority, t_interval,
    welch_difference,
};
pub use equivalence::{equivalence_t, equivalence_wilcoxon};
pub use error::StatsError;
pub use friedman::{Friedman, critical_difference, friedman, nemenyi_p, rank_error};
pub use mcnemar::{McNemarP, mcnemar};
pub use power::{POWER, Power};
pub use pseudo_median::pseudo_median;
pub use ranks::ranks;
pub use sign::sign;
pub use student::{Dependence, corrected_error, paired_t, welch_t};
pub use wilcoxon::{EXACT_MOST, Zeros, wilcoxon_signed_rank};

use std::cmp::Ordering;

/// What a significance test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// The test statistic; each test says which.
    pub statistic: f64,
    /// Two-sided p-value, in [0, 1].
    pub p: f64,
    /// Number of observations that entered the statistic.
    pub n: usize,
    /// Whether the values on the left are larger or smaller, by the statistic: of a test on ranks by their sums.
    pub larger: Ordering,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn assert_close(actual: f64, expected: f64) {
        let tolerance = 1e-12 * expected.abs().max(f64::MIN_POSITIVE);
        assert!((actual - expected).abs() <= tolerance, "{actual:e} instead of {expected:e}");
    }

    /// Every test on differences.
    fn on_differences(differences: &[f64]) -> Vec<Result<TestResult, StatsError>> {
        let clusters = (0..differences.len() as u32).map(|pair| pair / 2).collect();
        let mut results = vec![
            paired_t(differences, &Dependence::None),
            paired_t(differences, &Dependence::Overlap(0.25)),
            paired_t(differences, &Dependence::Clusters(clusters)),
            sign(differences, false),
            sign(differences, true),
        ];
        for zeros in [Zeros::Drop, Zeros::Pratt, Zeros::Split] {
            for (exact, continuity) in [(true, false), (false, false), (false, true)] {
                results.push(wilcoxon_signed_rank(differences, exact, zeros, continuity));
            }
        }
        results
    }

    #[test]
    fn no_test_takes_nothing_zeros_or_nan() {
        for result in on_differences(&[]) {
            assert!(matches!(result, Err(StatsError::TooFew { got: 0, .. })), "{result:?}");
        }
        for result in on_differences(&[0.0, -0.0, 0.0]) {
            assert!(matches!(result, Err(StatsError::AllZero { .. })), "{result:?}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for result in on_differences(&[1.0, bad, 2.0]) {
                assert!(matches!(result, Err(StatsError::NonFinite { index: 1, .. })));
            }
        }
    }

    proptest! {
        /// Small integers give ties and zeros.
        #[test]
        fn p_is_a_probability_and_does_not_know_the_sides(
            integers in prop::collection::vec(-4i8..=4, 0..12)
        ) {
            let differences: Vec<f64> = integers.iter().map(|&i| f64::from(i) * 0.1).collect();
            let flipped: Vec<f64> = differences.iter().map(|d| -d).collect();
            for (left, right) in on_differences(&differences).iter().zip(on_differences(&flipped)) {
                match (left, right) {
                    (Ok(left), Ok(right)) => {
                        prop_assert!((0.0..=1.0).contains(&left.p), "{:?}", left);
                        prop_assert_eq!(left.p, right.p);
                        prop_assert_eq!(left.n, right.n);
                        prop_assert_eq!(left.larger, right.larger.reverse());
                    }
                    (Err(left), Err(right)) => prop_assert_eq!(left, &right),
                    (left, right) => prop_assert!(false, "{:?} and {:?}", left, right),
                }
            }
        }

        #[test]
        fn no_finite_differences_give_a_nan(
            differences in prop::collection::vec(prop::num::f64::NORMAL, 0..6)
        ) {
            for result in on_differences(&differences).into_iter().flatten() {
                prop_assert!(result.p.is_finite() && (0.0..=1.0).contains(&result.p));
                prop_assert!(!result.statistic.is_nan());
            }
        }
    }
}
