//! Cochran's Q.

use std::cmp::Ordering;

use super::TestResult;
use super::error::{StatsError, blocks};
use math::distribution::chi_squared_sf;

/// Cochran's Q test over several treatments with 0/1 outcomes (Cochran, Biometrika 37, 1950): McNemar's test for more
/// than two.
///
/// Null hypothesis: all treatments succeed equally often. `values` has one row a block (example) with an outcome of
/// each of the k treatments (methods). Assumes independent blocks. With column sums Gⱼ and row sums Lᵢ, the statistic is
/// (k - 1)[k Σ Gⱼ² - (Σ Gⱼ)²] / (k Σ Lᵢ - Σ Lᵢ²), chi-squared with k - 1 degrees of freedom. `n` counts the blocks.
///
/// # Errors
/// Fewer than two blocks or treatments, rows of different lengths, an outcome that is neither 0 nor 1, or blocks on
/// each of which all treatments agree.
pub fn cochran_q(values: &[Vec<f64>]) -> Result<TestResult, StatsError> {
    let (n, k) = blocks("outcome of a block", values)?;
    let mut columns = vec![0.0; k];
    let mut rest = 0.0;
    for block in values {
        if let Some(&value) = block.iter().find(|&&value| value != 0.0 && value != 1.0) {
            return Err(StatsError::OutOfRange { what: "an outcome", value, range: "0 or 1" });
        }
        columns.iter_mut().zip(block).for_each(|(column, value)| *column += value);
        let successes: f64 = block.iter().sum();
        rest += successes * (k as f64 - successes);
    }
    if rest == 0.0 {
        return Err(StatsError::NoVariation { what: "the outcomes within each block" });
    }
    let (k, total) = (k as f64, columns.iter().sum::<f64>());
    // k Σ (Gⱼ - mean)² is the same sum without its cancellation.
    let spread: f64 = columns.iter().map(|g| (g - total / k) * (g - total / k)).sum();
    let statistic = (k - 1.0) * k * spread / rest;
    let p = chi_squared_sf(statistic, k - 1.0);
    Ok(TestResult { statistic, p, n, larger: Ordering::Equal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    fn rows(rows: &[[u8; 3]]) -> Vec<Vec<f64>> {
        rows.iter().map(|row| row.iter().map(|&outcome| f64::from(outcome)).collect()).collect()
    }

    #[test]
    fn cochrans_q_agrees_with_statsmodels() {
        // statsmodels.stats.contingency_tables.cochrans_q, tests/reference/statistics.py
        let found = cochran_q(&rows(&[
            [1, 1, 0],
            [1, 0, 0],
            [1, 1, 1],
            [0, 1, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 0, 0],
            [1, 1, 1],
            [1, 1, 0],
            [1, 0, 1],
        ]))
        .unwrap();
        assert_close(found.statistic, 5.428571428571429);
        assert_close(found.p, 0.06625225915226168);
        assert_eq!(found.n, 10);
    }

    #[test]
    fn with_two_treatments_it_is_mcnemars_test() {
        let mut blocks = vec![vec![1.0, 0.0]; 10];
        blocks.extend(vec![vec![0.0, 1.0]; 25]);
        blocks.extend(vec![vec![1.0, 1.0]; 7]);
        let found = cochran_q(&blocks).unwrap();
        let mcnemar =
            crate::mcnemar(10, 25, crate::McNemarP::ChiSquared { continuity: false }).unwrap();
        assert_close(found.statistic, mcnemar.statistic);
        assert_close(found.p, mcnemar.p);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(cochran_q(&[]), Err(StatsError::TooFew { what: "blocks", .. })));
        assert!(matches!(cochran_q(&[vec![1.0], vec![0.0]]), Err(StatsError::TooFew { .. })));
        assert!(matches!(
            cochran_q(&[vec![1.0, 0.0], vec![0.0]]),
            Err(StatsError::UnequalLengths { .. })
        ));
        assert!(matches!(
            cochran_q(&[vec![1.0, 0.5], vec![0.0, 1.0]]),
            Err(StatsError::OutOfRange { .. })
        ));
        assert!(matches!(
            cochran_q(&rows(&[[1, 1, 1], [0, 0, 0]])),
            Err(StatsError::NoVariation { .. })
        ));
    }
}
