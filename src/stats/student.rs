//! Tests on Student's t distribution, and the interval from it.

use super::TestResult;
use super::distribution::{student_two_sided, student_two_sided_quantile};
use super::error::{StatsError, enough};
use crate::task::measure::Sample;

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

fn one_sample(differences: &[f64], overlap: f64) -> Result<TestResult, StatsError> {
    const WHAT: &str = "differences";
    enough(WHAT, differences, 2)?;
    let n = differences.len() as f64;
    let (mean, variance) = moments(differences)?;
    if variance == 0.0 {
        return Err(no_variation(WHAT, mean));
    }
    let statistic = mean / ((1.0 / n + overlap) * variance).sqrt();
    Ok(TestResult { statistic, p: student_two_sided(statistic, n - 1.0), n: differences.len() })
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
    let statistic = (left_mean - right_mean) / error.sqrt();
    // Shares of the error, not its squares: these cannot overflow or underflow.
    let (left_share, right_share) = (left_error / error, right_error / error);
    let df = 1.0 / (left_share * left_share / (n - 1.0) + right_share * right_share / (m - 1.0));
    Ok(TestResult { statistic, p: student_two_sided(statistic, df), n: left.len() + right.len() })
}

/// The interval that covers the mean of the population of a normally distributed sample with
/// probability `level`: x̄ ± t s/√n. None for fewer than two values, values that are not finite, or
/// a level outside (0, 1).
pub fn t_interval(sample: Sample, level: f64) -> Option<(f64, f64)> {
    let half = sample.sd()? / (sample.n as f64).sqrt();
    if !(level > 0.0 && level < 1.0 && half.is_finite() && sample.mean.is_finite()) {
        return None;
    }
    let half = half * student_two_sided_quantile(level, (sample.n - 1) as f64);
    Some((sample.mean - half, sample.mean + half))
}

/// Mean and variance (with n - 1). The deviations of equal values are zero, not a rounding error.
fn moments(values: &[f64]) -> Result<(f64, f64), StatsError> {
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

fn no_variation(what: &'static str, value: f64) -> StatsError {
    if value == 0.0 { StatsError::AllZero { what } } else { StatsError::NoVariation { what } }
}
