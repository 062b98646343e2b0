//! McNemar's test.

use std::cmp::Ordering;

use super::TestResult;
use super::error::StatsError;
use math::distribution::{chi_squared_sf, fair_coin_mid_p, fair_coin_two_sided};

/// Where the p-value of McNemar's test comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McNemarP {
    /// The binomial distribution.
    Exact,
    /// The same, where what was seen counts half: less conservative (Fagerland, Lydersen and Laake, BMC Medical Research
    /// Methodology 13, 2013).
    MidP,
    /// Chi-squared with one degree of freedom.
    ChiSquared {
        /// Edwards' continuity correction.
        continuity: bool,
    },
}

/// McNemar's test for two classifiers on the same examples (McNemar, Psychometrika 12, 1947;
/// Dietterich, Neural Computation 10, 1998).
///
/// Null hypothesis: both have the same error rate. `only_left` and `only_right` count the examples
/// that one of them alone gets right. Assumes independent examples.
///
/// The statistic is the smaller count, binomial with probability 1/2; for chi-squared (|l - r| - c)² / (l + r), where c
/// is 1 with `continuity`, else 0.
///
/// # Errors
/// Both counts are zero.
pub fn mcnemar(
    only_left: u64,
    only_right: u64,
    p_value: McNemarP,
) -> Result<TestResult, StatsError> {
    let n = only_left.saturating_add(only_right);
    if n == 0 {
        return Err(StatsError::AllZero {
            what: "counts of examples that one side alone gets right",
        });
    }
    let smaller = only_left.min(only_right);
    let (statistic, p) = match p_value {
        McNemarP::Exact => (smaller as f64, fair_coin_two_sided(smaller, n)),
        McNemarP::MidP => (smaller as f64, fair_coin_mid_p(smaller, n)),
        McNemarP::ChiSquared { continuity } => {
            let difference = only_left.abs_diff(only_right) as f64;
            let difference = (difference - if continuity { 1.0 } else { 0.0 }).max(0.0);
            let statistic = difference * difference / n as f64;
            (statistic, chi_squared_sf(statistic, 1.0))
        }
    };
    let larger: Ordering = Ord::cmp(&only_left, &only_right);
    Ok(TestResult { statistic, p, n: usize::try_from(n).unwrap_or(usize::MAX), larger })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    const PLAIN: McNemarP = McNemarP::ChiSquared { continuity: false };
    const CORRECTED: McNemarP = McNemarP::ChiSquared { continuity: true };

    #[test]
    fn mcnemar_agrees_with_statsmodels() {
        // statsmodels.stats.contingency_tables.mcnemar([[0, l], [r, 0]], exact, correction)
        let result = mcnemar(10, 25, McNemarP::Exact).unwrap();
        assert_eq!((result.statistic, result.n), (10.0, 35));
        assert_close(result.p, 0.016673847800120715);
        let result = mcnemar(10, 25, PLAIN).unwrap();
        assert_close(result.statistic, 6.428571428571429);
        assert_close(result.p, 0.011229886652916672);
        let result = mcnemar(10, 25, CORRECTED).unwrap();
        assert_close(result.statistic, 5.6);
        assert_close(result.p, 0.01796047752607879);
        assert_close(mcnemar(59, 6, McNemarP::Exact).unwrap().p, 4.964650327128616e-12);
        assert_close(mcnemar(59, 6, CORRECTED).unwrap().p, 1.1199327149542469e-10);
    }

    #[test]
    fn mid_p_agrees_with_scipy() {
        // binomtest(10, 35) minus the probability of 10, tests/reference/statistics.py
        assert_close(mcnemar(25, 10, McNemarP::MidP).unwrap().p, 0.011330984183587134);
        assert_close(mcnemar(59, 6, McNemarP::MidP).unwrap().p, 2.7258031986068867e-12);
    }

    #[test]
    fn equal_counts_have_p_one_and_no_counts_are_an_error() {
        for p_value in [McNemarP::Exact, McNemarP::MidP, PLAIN, CORRECTED] {
            assert_eq!(mcnemar(7, 7, p_value).unwrap().p, 1.0);
            assert_eq!(mcnemar(3, 9, p_value).unwrap().p, mcnemar(9, 3, p_value).unwrap().p);
            assert_eq!(mcnemar(3, 9, p_value).unwrap().larger, Ordering::Less);
            assert!(matches!(mcnemar(0, 0, p_value), Err(StatsError::AllZero { .. })));
        }
    }
}
