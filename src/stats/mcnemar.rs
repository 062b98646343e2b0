//! McNemar's test.

use super::TestResult;
use super::distribution::{chi_squared_sf, fair_coin_two_sided};
use super::error::StatsError;

/// McNemar's test for two classifiers on the same examples (McNemar, Psychometrika 12, 1947;
/// Dietterich, Neural Computation 10, 1998).
///
/// Null hypothesis: both have the same error rate. `only_left` and `only_right` count the examples
/// that one of them alone gets right. Assumes independent examples.
///
/// - `exact`: the statistic is the smaller count, binomial with probability 1/2.
/// - otherwise (|l - r| - c)² / (l + r), chi-squared with one degree of freedom; c is 1 with
///   `continuity` (Edwards), else 0.
///
/// # Errors
/// Both counts are zero.
pub fn mcnemar(
    only_left: u64,
    only_right: u64,
    exact: bool,
    continuity: bool,
) -> Result<TestResult, StatsError> {
    let n = only_left.saturating_add(only_right);
    if n == 0 {
        return Err(StatsError::AllZero {
            what: "counts of examples that one side alone gets right",
        });
    }
    let smaller = only_left.min(only_right);
    let (statistic, p) = if exact {
        (smaller as f64, fair_coin_two_sided(smaller, n))
    } else {
        let difference = only_left.abs_diff(only_right) as f64;
        let difference = (difference - if continuity { 1.0 } else { 0.0 }).max(0.0);
        let statistic = difference * difference / n as f64;
        (statistic, chi_squared_sf(statistic, 1.0))
    };
    Ok(TestResult { statistic, p, n: usize::try_from(n).unwrap_or(usize::MAX) })
}
