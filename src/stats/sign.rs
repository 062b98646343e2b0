//! The sign test.

use super::TestResult;
use super::distribution::fair_coin_two_sided;
use super::error::{StatsError, enough};

/// The exact sign test.
///
/// Null hypothesis: a difference is as likely positive as negative. Assumes independent
/// differences, and nothing about their sizes. Zeros are dropped. The statistic is the number of
/// positive differences, binomial with probability 1/2 among the `n` that are not zero.
///
/// # Errors
/// No differences, one that is not finite, or all of them zero.
pub fn sign(differences: &[f64]) -> Result<TestResult, StatsError> {
    enough("differences", differences, 1)?;
    let positive = differences.iter().filter(|&&d| d > 0.0).count();
    let n = differences.iter().filter(|&&d| d != 0.0).count();
    if n == 0 {
        return Err(StatsError::AllZero { what: "differences" });
    }
    let p = fair_coin_two_sided(positive as u64, n as u64);
    Ok(TestResult { statistic: positive as f64, p, n })
}
