//! McNemar's test.

use super::TestResult;
use super::error::StatsError;
use math::distribution::{chi_squared_sf, fair_coin_two_sided};

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

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    #[test]
    fn mcnemar_agrees_with_statsmodels() {
        // statsmodels.stats.contingency_tables.mcnemar([[0, l], [r, 0]], exact, correction)
        let result = mcnemar(10, 25, true, false).unwrap();
        assert_eq!((result.statistic, result.n), (10.0, 35));
        assert_close(result.p, 0.016673847800120715);
        let result = mcnemar(10, 25, false, false).unwrap();
        assert_close(result.statistic, 6.428571428571429);
        assert_close(result.p, 0.011229886652916672);
        let result = mcnemar(10, 25, false, true).unwrap();
        assert_close(result.statistic, 5.6);
        assert_close(result.p, 0.01796047752607879);
        assert_close(mcnemar(59, 6, true, false).unwrap().p, 4.964650327128616e-12);
        assert_close(mcnemar(59, 6, false, true).unwrap().p, 1.1199327149542469e-10);
    }

    #[test]
    fn equal_counts_have_p_one_and_no_counts_are_an_error() {
        for (exact, continuity) in [(true, false), (false, false), (false, true)] {
            assert_eq!(mcnemar(7, 7, exact, continuity).unwrap().p, 1.0);
            assert_eq!(mcnemar(3, 9, exact, continuity), mcnemar(9, 3, exact, continuity));
            assert!(matches!(mcnemar(0, 0, exact, continuity), Err(StatsError::AllZero { .. })));
        }
    }
}
