//! The sign test.

use super::TestResult;
use super::error::{StatsError, enough};
use math::distribution::{fair_coin_mid_p, fair_coin_two_sided};

/// The exact sign test.
///
/// Null hypothesis: a difference is as likely positive as negative. Assumes independent
/// differences, and nothing about their sizes. Zeros are dropped. The statistic is the number of
/// positive differences, binomial with probability 1/2 among the `n` that are not zero. With `mid_p`, what was seen counts
/// half: less conservative, and at the level on average only.
///
/// # Errors
/// No differences, one that is not finite, or all of them zero.
pub fn sign(differences: &[f64], mid_p: bool) -> Result<TestResult, StatsError> {
    enough("differences", differences, 1)?;
    let positive = differences.iter().filter(|&&d| d > 0.0).count();
    let n = differences.iter().filter(|&&d| d != 0.0).count();
    if n == 0 {
        return Err(StatsError::AllZero { what: "differences" });
    }
    let p_of = if mid_p { fair_coin_mid_p } else { fair_coin_two_sided };
    Ok(TestResult {
        statistic: positive as f64,
        p: p_of(positive as u64, n as u64),
        n,
        larger: positive.cmp(&(n - positive)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    #[test]
    fn sign_test_agrees_with_statsmodels() {
        // statsmodels.stats.descriptivestats.sign_test(d): M = 1.5 = (6 - 3)/2, p = 0.5078125
        let differences = [0.5, -0.5, 1.0, 1.0, 0.0, 2.0, -3.0, 0.0, 0.0, 4.0, 4.0, -1.0];
        let result = sign(&differences, false).unwrap();
        assert_eq!((result.statistic, result.n), (6.0, 9));
        assert_close(result.p, 0.5078125);
        // 2 (binom.cdf(3, 9, .5) - binom.pmf(3, 9, .5) / 2)
        assert_close(sign(&differences, true).unwrap().p, 0.34375);
    }
}
