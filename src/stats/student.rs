//! Tests on Student's t distribution.

use super::TestResult;
use super::error::{StatsError, enough};
use math::sample::Sample;
use math::student_t;

/// Student's paired t-test.
///
/// Null hypothesis: the differences have mean zero. Assumes independent, normally distributed
/// differences. Statistic: t = d̄ / √(s²/n) with n - 1 degrees of freedom.
///
/// # Errors
/// Fewer than two differences, one that is not finite, or all of them equal.
pub fn paired_t(differences: &[f64]) -> Result<TestResult, StatsError> {
    one_sample(differences, 0.0)
}

/// The corrected resampled t-test for differences over repeated random splits, whose training sets
/// overlap (Nadeau and Bengio, "Inference for the Generalization Error", Machine Learning 52,
/// 2003, section 5.1).
///
/// Null hypothesis: the two methods have the same expected performance at this training size.
/// `test_over_train` is the ratio of test to training examples. Statistic:
/// t = d̄ / √((1/n + test/train) s²) with n - 1 degrees of freedom.
///
/// # Errors
/// As [`paired_t`], or a ratio that is not positive and finite.
pub fn corrected_resampled_t(
    differences: &[f64],
    test_over_train: f64,
) -> Result<TestResult, StatsError> {
    if !(test_over_train > 0.0 && test_over_train.is_finite()) {
        return Err(StatsError::OutOfRange {
            what: "the ratio of test to training examples",
            value: test_over_train,
            range: "above 0",
        });
    }
    one_sample(differences, test_over_train)
}

/// The squared standard error of a mean of `n` differences, as a share of their variance: Nadeau and Bengio's where
/// training sets overlap.
pub(super) fn overlapping(n: f64, test_over_train: f64) -> Result<f64, StatsError> {
    if test_over_train >= 0.0 && test_over_train.is_finite() {
        return Ok(1.0 / n + test_over_train);
    }
    Err(StatsError::OutOfRange {
        what: "the ratio of test to training examples",
        value: test_over_train,
        range: "from 0",
    })
}

fn one_sample(differences: &[f64], test_over_train: f64) -> Result<TestResult, StatsError> {
    const WHAT: &str = "differences";
    enough(WHAT, differences, 2)?;
    let n = differences.len() as f64;
    let (mean, variance) = moments(differences)?;
    if variance == 0.0 {
        return Err(no_variation(WHAT, mean));
    }
    let statistic = mean / (overlapping(n, test_over_train)? * variance).sqrt();
    Ok(TestResult {
        statistic,
        p: student_t::two_sided(statistic, n - 1.0),
        n: differences.len(),
        larger: statistic.total_cmp(&0.0),
    })
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
    let (difference, error, df) = welch_error(left, right)?;
    let statistic = difference / error;
    Ok(TestResult {
        statistic,
        p: student_t::two_sided(statistic, df),
        n: left.len() + right.len(),
        larger: statistic.total_cmp(&0.0),
    })
}

/// The difference of two means, its standard error, and Welch and Satterthwaite's degrees of freedom.
pub(super) fn welch_error(left: &[f64], right: &[f64]) -> Result<(f64, f64, f64), StatsError> {
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
    Ok((left_mean - right_mean, error.sqrt(), df))
}

/// The standard error of a sample's mean: √((1/n + test/train) s²), the denominator of [`corrected_resampled_t`]. A
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

pub(super) fn no_variation(what: &'static str, value: f64) -> StatsError {
    if value == 0.0 { StatsError::AllZero { what } } else { StatsError::NoVariation { what } }
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    const DIFFERENCES: [f64; 8] = [0.012, -0.004, 0.031, 0.008, 0.017, -0.001, 0.022, 0.009];

    #[test]
    fn the_error_is_what_the_corrected_test_divides_by() {
        let sample: Sample = DIFFERENCES.into_iter().collect();
        for (ratio, statistic) in [
            (0.0, paired_t(&DIFFERENCES).unwrap().statistic),
            (0.3, corrected_resampled_t(&DIFFERENCES, 0.3).unwrap().statistic),
        ] {
            assert_close(sample.mean / corrected_error(sample, ratio).unwrap(), statistic);
        }
        assert_eq!(corrected_error([1.0].into_iter().collect(), 0.3), None);
    }

    #[test]
    fn paired_t_agrees_with_scipy() {
        // scipy.stats.ttest_1samp(DIFFERENCES, 0)
        let result = paired_t(&DIFFERENCES).unwrap();
        assert_close(result.statistic, 2.874815542615212);
        assert_close(result.p, 0.023827435191601996);
        assert_eq!(result.n, 8);
    }

    #[test]
    fn corrected_resampled_t_agrees_with_its_formula_in_numpy() {
        // t = mean(d) / sqrt((1/8 + 100/335) * var(d, ddof=1)); 2 * scipy.stats.t.sf(t, 7)
        let result = corrected_resampled_t(&DIFFERENCES, 100.0 / 335.0).unwrap();
        assert_close(result.statistic, 1.5618325042215535);
        assert_close(result.p, 0.16229808126159137);
        assert!(corrected_resampled_t(&DIFFERENCES, 0.0).is_err());
        assert!(corrected_resampled_t(&DIFFERENCES, f64::NAN).is_err());
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
        assert_eq!(paired_t(&constant), Err(StatsError::NoVariation { what: "differences" }));
        assert!(matches!(welch_t(&constant, &[0.3, 0.3]), Err(StatsError::NoVariation { .. })));
        // One varying side is enough.
        assert!(welch_t(&constant, &[0.3, 0.4]).is_ok());
    }

    #[test]
    fn too_few_and_too_large_values_are_refused() {
        assert!(matches!(paired_t(&[1.0]), Err(StatsError::TooFew { needed: 2, got: 1, .. })));
        assert!(matches!(welch_t(&[1.0, 2.0], &[1.0]), Err(StatsError::TooFew { .. })));
        assert!(matches!(
            welch_t(&[1.0, f64::NAN], &[1.0, 2.0]),
            Err(StatsError::NonFinite { what: "values on the left", index: 1, .. })
        ));
        assert!(matches!(paired_t(&[1e200, -2e200]), Err(StatsError::OutOfRange { .. })));
    }
}
