//! Tests on Student's t distribution.

use std::collections::BTreeMap;

use super::TestResult;
use super::error::{StatsError, at_least, enough, ranged};
use math::sample::Sample;
use math::student_t;

/// How differences depend on each other.
#[derive(Debug, Clone, PartialEq)]
pub enum Dependence {
    /// They do not.
    None,
    /// The training sets that they come from overlap; with the ratio of test to training examples.
    Overlap(f64),
    /// Those of one cluster do, as those of one patient: the cluster of each.
    Clusters(Vec<u32>),
    /// They do, and no error of their mean is known that heeds it.
    Unknown,
}

/// Student's t-test on paired differences.
///
/// Null hypothesis: the differences have mean zero; where training sets overlap, the two methods have the same expected
/// performance at this training size. Assumes normally distributed differences, or clusters that are many. Statistic:
/// t = d̄ / error, with one degree of freedom less than there are differences, or clusters. The error is
///
/// - of independent differences √(s²/n);
/// - where training sets overlap √((1/n + test/train) s²), the corrected resampled t-test (Nadeau and Bengio, "Inference
///   for the Generalization Error", Machine Learning 52, 2003, section 5.1);
/// - of G clusters √(G/(G - 1) Σ r²) / n, where r are the sums of d - d̄ within each (Liang and Zeger, Biometrika 73, 1986;
///   Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", Journal of Human Resources 50, 2015).
///
/// # Errors
/// Fewer than two differences or clusters, a difference that is not finite, all of them equal, a ratio that is not
/// positive and finite, or an unknown dependence.
pub fn paired_t(differences: &[f64], dependence: &Dependence) -> Result<TestResult, StatsError> {
    enough(WHAT, differences, 2)?;
    Ok(by_t(&varying_mean(differences, dependence)?, differences.len()))
}

/// What a mean says by its t.
fn by_t(&Mean { value, error, df }: &Mean, n: usize) -> TestResult {
    let statistic = value / error;
    let (p, larger) = (student_t::two_sided(statistic, df), statistic.total_cmp(&0.0));
    TestResult { statistic, p, n, larger }
}

const WHAT: &str = "differences";

/// A mean with its standard error.
pub(super) struct Mean {
    pub value: f64,
    /// 0 where nothing varies.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub df: f64,
}

/// The mean of differences, with the error that their dependence gives, as [`paired_t`] says.
pub(super) fn mean(values: &[f64], dependence: &Dependence) -> Result<Mean, StatsError> {
    let n = values.len() as f64;
    let (value, variance) = moments(values)?;
    let (square, df) = match dependence {
        Dependence::None => ((1.0 / n) * variance, n - 1.0),
        Dependence::Overlap(ratio) => (overlapping(n, *ratio)? * variance, n - 1.0),
        Dependence::Clusters(clusters) => {
            let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
            for (one, cluster) in values.iter().zip(clusters) {
                *sums.entry(*cluster).or_default() += one - value;
            }
            at_least(2, "groups of pairs that go together", sums.len())?;
            let g = sums.len() as f64;
            let squares: f64 = sums.values().map(|sum| sum * sum).sum();
            (g / (g - 1.0) * squares / (n * n), g - 1.0)
        }
        Dependence::Unknown => return Err(StatsError::Dependent { what: WHAT }),
    };
    Ok(Mean { value, error: if variance == 0.0 { 0.0 } else { square.sqrt() }, df })
}

/// The squared standard error of a mean of `n` differences, as a share of their variance: Nadeau and Bengio's where
/// training sets overlap.
pub(super) fn overlapping(n: f64, test_over_train: f64) -> Result<f64, StatsError> {
    let ratio = ("the ratio of test to training examples", test_over_train);
    ranged(ratio, "above 0", test_over_train > 0.0)?;
    Ok(1.0 / n + test_over_train)
}

/// Welch's t-test for two independent samples.
///
/// Null hypothesis: the two populations have equal means. Assumes independent, normally
/// distributed values; the variances may differ. Statistic: t = (x̄ - ȳ) / √(s²ₓ/n + s²ᵧ/m), with
/// the degrees of freedom of Welch and Satterthwaite. `n` in the result counts both samples.
///
/// # Errors
/// Fewer than two values on a side, a value that is not finite, or no variation on both sides.
pub fn welch_t(left: &[f64], right: &[f64]) -> Result<TestResult, StatsError> {
    Ok(by_t(&welch_mean(left, right)?, left.len() + right.len()))
}

/// The difference of two means, with Welch and Satterthwaite's degrees of freedom.
pub(super) fn welch_mean(left: &[f64], right: &[f64]) -> Result<Mean, StatsError> {
    enough("values on the left", left, 2)?;
    enough("values on the right", right, 2)?;
    let (left_mean, left_variance) = moments(left)?;
    let (right_mean, right_variance) = moments(right)?;
    let (n, m) = (left.len() as f64, right.len() as f64);
    let (left_error, right_error) = (left_variance / n, right_variance / m);
    let error = left_error + right_error;
    if error == 0.0 {
        return Err(StatsError::NoVariation { what: "the values within both samples" });
    }
    // Shares of the error, not its squares: these cannot overflow or underflow.
    let (left_share, right_share) = (left_error / error, right_error / error);
    let df = 1.0 / (left_share * left_share / (n - 1.0) + right_share * right_share / (m - 1.0));
    Ok(Mean { value: left_mean - right_mean, error: error.sqrt(), df })
}

/// The standard error of a sample's mean: √((1/n + test/train) s²), the denominator of [`paired_t`]. A
/// ratio of 0 says that no training sets overlap. None for fewer than two values.
pub fn corrected_error(sample: Sample, test_over_train: f64) -> Option<f64> {
    Some((1.0 / sample.n as f64 + test_over_train).sqrt() * sample.sd()?)
}

/// Mean and variance (with n - 1). The deviations of equal values are zero, not a rounding error.
pub(super) fn moments(values: &[f64]) -> Result<(f64, f64), StatsError> {
    if values.iter().all(|&value| value == values[0]) {
        return Ok((values[0], 0.0));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance =
        values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    if !variance.is_finite() {
        return Err(StatsError::OutOfRange {
            what: "the variance of the values",
            value: variance,
            range: "below the largest double",
        });
    }
    Ok((mean, variance))
}

/// The mean of differences that vary: others are no ground for a test.
pub(super) fn varying_mean(
    differences: &[f64],
    dependence: &Dependence,
) -> Result<Mean, StatsError> {
    let mean = mean(differences, dependence)?;
    match differences.iter().all(|difference| *difference == 0.0) {
        _ if mean.error != 0.0 => Ok(mean),
        true => Err(StatsError::AllZero { what: WHAT }),
        false => Err(StatsError::NoVariation { what: WHAT }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    const DIFFERENCES: [f64; 8] = [0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009];

    #[test]
    fn the_error_is_what_the_corrected_test_divides_by() {
        let sample: Sample = DIFFERENCES.into_iter().collect();
        for (ratio, statistic) in [
            (0.0, paired_t(&DIFFERENCES, &Dependence::None).unwrap().statistic),
            (0.3, paired_t(&DIFFERENCES, &Dependence::Overlap(0.3)).unwrap().statistic),
        ] {
            assert_close(sample.mean / corrected_error(sample, ratio).unwrap(), statistic);
        }
        assert_eq!(corrected_error([1.0].into_iter().collect(), 0.3), None);
    }

    #[test]
    fn paired_t_agrees_with_scipy() {
        // scipy.stats.ttest_1samp(DIFFERENCES, 0)
        let result = paired_t(&DIFFERENCES, &Dependence::None).unwrap();
        assert_close(result.statistic, 2.874815542615212);
        assert_close(result.p, 0.023827435191601996);
        assert_eq!(result.n, 8);
    }

    #[test]
    fn corrected_resampled_t_agrees_with_its_formula_in_numpy() {
        // t = mean(d) / sqrt((1/8 + 100/335) * var(d, ddof=1)); 2 * scipy.stats.t.sf(t, 7)
        let result = paired_t(&DIFFERENCES, &Dependence::Overlap(100.0 / 335.0)).unwrap();
        assert_close(result.statistic, 1.5618325042215535);
        assert_close(result.p, 0.16229808126159137);
        assert!(paired_t(&DIFFERENCES, &Dependence::Overlap(0.0)).is_err());
        assert!(paired_t(&DIFFERENCES, &Dependence::Overlap(f64::NAN)).is_err());
    }

    #[test]
    fn the_t_of_clusters_agrees_with_statsmodels() {
        // OLS(d, ones).fit(cov_type="cluster", cov_kwds={"groups": g}, use_t=True)
        let clusters = Dependence::Clusters(vec![0, 0, 1, 1, 1, 2, 2, 3]);
        let result = paired_t(&DIFFERENCES, &clusters).unwrap();
        assert_close(result.statistic, 3.111229931856655);
        assert_close(result.p, 0.052830874511952654);
        let (low, high) =
            crate::mean_difference(&DIFFERENCES, &clusters, 0.95).unwrap().interval.unwrap();
        assert_close(low, -0.0002689587096086146);
        assert_close(high, 0.023768958709608608);
        let tost = crate::equivalence_t(&DIFFERENCES, &clusters, 0.03).unwrap();
        assert_close(tost.p, 0.008448169331976741);
        // Clusters of one difference each are no clusters.
        let alone = paired_t(&DIFFERENCES, &Dependence::Clusters((0..8).collect())).unwrap();
        assert_close(alone.p, paired_t(&DIFFERENCES, &Dependence::None).unwrap().p);
        let one = paired_t(&DIFFERENCES, &Dependence::Clusters(vec![7; 8]));
        assert!(matches!(one, Err(StatsError::TooFew { needed: 2, got: 1, .. })), "{one:?}");
    }

    #[test]
    fn of_an_unknown_dependence_the_mean_alone_is_given() {
        let unknown = Dependence::Unknown;
        let refused = paired_t(&DIFFERENCES, &unknown);
        assert_eq!(refused, Err(StatsError::Dependent { what: "differences" }));
        let effect = crate::mean_difference(&DIFFERENCES, &unknown, 0.95).unwrap();
        assert_close(effect.value, 0.01175);
        assert_eq!(effect.interval, None);
    }

    #[test]
    fn welch_t_agrees_with_scipy() {
        // scipy.stats.ttest_ind(left, right, equal_var=False)
        let left = [3.1, 2.9, 4.0, 3.6, 3.3];
        let right = [2.2, 4.8, 1.9, 2.6, 2.4, 3.0, 2.7];
        let result = welch_t(&left, &right).unwrap();
        assert_close(result.statistic, 1.421638577610721);
        assert_close(result.p, 0.189343331250169);
        assert_eq!(result.n, 12);
        let swapped = welch_t(&right, &left).unwrap();
        assert_eq!((swapped.statistic, swapped.p), (-result.statistic, result.p));
    }

    #[test]
    fn equal_values_have_no_spread_to_compare_with() {
        // Their mean is not exactly 0.1: the deviations would be rounding errors.
        let constant = [0.1; 7];
        assert_eq!(
            paired_t(&constant, &Dependence::None),
            Err(StatsError::NoVariation { what: "differences" })
        );
        assert!(matches!(welch_t(&constant, &[0.3, 0.3]), Err(StatsError::NoVariation { .. })));
        // One varying side is enough.
        assert!(welch_t(&constant, &[0.3, 0.4]).is_ok());
    }

    #[test]
    fn too_few_and_too_large_values_are_refused() {
        assert!(matches!(
            paired_t(&[1.0], &Dependence::None),
            Err(StatsError::TooFew { needed: 2, got: 1, .. })
        ));
        assert!(matches!(welch_t(&[1.0, 2.0], &[1.0]), Err(StatsError::TooFew { .. })));
        assert!(matches!(
            welch_t(&[1.0, f64::NAN], &[1.0, 2.0]),
            Err(StatsError::NonFinite { what: "values on the left", index: 1, .. })
        ));
        assert!(matches!(
            paired_t(&[1e200, -2e200], &Dependence::None),
            Err(StatsError::OutOfRange { .. })
        ));
    }
}
