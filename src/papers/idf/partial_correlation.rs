//! The test of conditional independence of jointly Gaussian variables.

use super::independence::{Evidence, IndependenceTest, Tester};
use contract::numeric::NumericRows;
use math::normal;
use math::special::ln_1p;

/// Share of a variable's variance that others must leave for it not to be a function of them.
const DETERMINED: f64 = 1e-10;

/// Fisher's z of the partial correlation (R. A. Fisher, Metron 3, 1924): of N examples, with k variables
/// given, √(N - k - 3) artanh r is nearly standard normal where r is zero.
#[derive(Debug, Clone)]
pub struct PartialCorrelation {
    examples: usize,
    variables: usize,
    correlations: Vec<f64>,
}

impl PartialCorrelation {
    /// A test on these examples: O(N n²), memory 8 n² bytes. A constant column is independent of all.
    pub fn new(rows: &NumericRows) -> Self {
        let (examples, n) = (rows.len(), rows.columns());
        let mut means = vec![0.0; n];
        for row in rows.iter() {
            means.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        means.iter_mut().for_each(|sum| *sum /= examples.max(1) as f64);
        let mut products = vec![0.0; n * n];
        let mut centred = vec![0.0; n];
        for row in rows.iter() {
            let differences = row.iter().zip(&means).map(|(value, mean)| value - mean);
            centred.iter_mut().zip(differences).for_each(|(to, difference)| *to = difference);
            for (one, products) in products.chunks_exact_mut(n).enumerate() {
                let factor = centred[one];
                products.iter_mut().zip(&centred).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        // The mean of equal values may differ from them by rounding.
        let constant = |v: usize| rows.iter().all(|row| row[v] == rows.row(0)[v]);
        let deviation = |v: usize| if constant(v) { 0.0 } else { products[v * n + v].sqrt() };
        let deviations: Vec<f64> = (0..n).map(deviation).collect();
        let correlations = (0..n * n).map(|at| {
            let scale = deviations[at / n] * deviations[at % n];
            if scale > 0.0 { products[at] / scale } else { 0.0 }
        });
        Self { examples, variables: n, correlations: correlations.collect() }
    }

    /// O(k³) for k given variables: elimination in the correlation matrix. A given variable that is a
    /// function of those before it is left out; a tested one that is a function of the given ones is
    /// independent of the other.
    fn test(
        &self,
        (one, other): (usize, usize),
        given: &[usize],
        matrix: &mut Vec<f64>,
    ) -> Evidence {
        let size = given.len() + 2;
        let chosen = || given.iter().copied().chain([one, other]);
        matrix.clear();
        for row in chosen() {
            matrix.extend(chosen().map(|column| self.correlations[row * self.variables + column]));
        }
        let mut eliminated = 0;
        for pivot in 0..given.len() {
            let (above, below) = matrix.split_at_mut((pivot + 1) * size);
            let pivots = &above[pivot * size..];
            if pivots[pivot] <= DETERMINED {
                continue;
            }
            eliminated += 1;
            for row in below.chunks_exact_mut(size) {
                let factor = row[pivot] / pivots[pivot];
                for (to, from) in row[pivot..].iter_mut().zip(&pivots[pivot..]) {
                    *to -= factor * from;
                }
            }
        }
        let [left, both] = [0, 1].map(|column| matrix[(size - 2) * size + size - 2 + column]);
        let right = matrix[size * size - 1];
        let freedom = self.examples as f64 - f64::from(eliminated) - 3.0;
        if left <= DETERMINED || right <= DETERMINED || freedom <= 0.0 {
            return Evidence::NONE;
        }
        let r = (both / (left * right).sqrt()).clamp(-1.0, 1.0);
        let z = freedom.sqrt() * 0.5 * (ln_1p(r) - ln_1p(-r));
        Evidence { p: normal::two_sided(z), strength: z.abs() }
    }
}

impl IndependenceTest for PartialCorrelation {
    fn variables(&self) -> usize {
        self.variables
    }

    fn tester(&self) -> Tester<'_> {
        let mut matrix = Vec::new();
        Box::new(move |pair, given| self.test(pair, given, &mut matrix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight examples of a, b, c = a + b and d.
    fn rows() -> NumericRows {
        let a = [0.5, -1.25, 2.0, 0.25, -0.75, 1.5, -2.0, 0.0];
        let b = [1.0, 0.5, -0.25, -1.5, 2.0, 0.75, -1.0, 0.125];
        let d = [0.3, -0.7, 1.1, 0.2, 0.9, -0.4, -1.3, 0.6];
        let row = |i: usize| [a[i], b[i], a[i] + b[i], d[i]];
        NumericRows::new(4, (0..8).flat_map(row).collect())
    }

    #[test]
    fn partial_correlations_agree_with_numpy() {
        let test = PartialCorrelation::new(&rows());
        let p = |pair, given: &[usize]| test.test(pair, given, &mut Vec::new()).p;
        // numpy 2.4.6: r from -inv(corrcoef) scaled, or corrcoef; scipy 1.17.1: 2 * norm.sf(|z|).
        for (pair, given, expected) in REFERENCE {
            let found = p(*pair, given);
            assert!((found - expected).abs() < 1e-9, "{pair:?} given {given:?}: {found}");
        }
    }

    const REFERENCE: &[((usize, usize), &[usize], f64)] = &[
        ((0, 1), &[], 0.9032156117125942),
        ((0, 3), &[], 0.13185728452004578),
        ((0, 3), &[1], 0.16244142501207948),
        ((1, 2), &[3], 0.138959137064122),
        ((0, 1), &[3], 0.7188109846394685),
    ];

    #[test]
    fn what_is_determined_tells_nothing() {
        let test = PartialCorrelation::new(&rows());
        assert_eq!(test.test((2, 3), &[0, 1], &mut Vec::new()), Evidence::NONE);
        let constant = NumericRows::new(2, vec![1.0, 2.0, 1.0, 3.0, 1.0, 4.0, 1.0, 7.0, 1.0, 1.0]);
        let test = PartialCorrelation::new(&constant);
        assert_eq!(test.test((0, 1), &[], &mut Vec::new()), Evidence::NONE);
        // Means that are not the values.
        let constants = NumericRows::new(2, [0.1, 0.2].repeat(100));
        let test = PartialCorrelation::new(&constants);
        assert_eq!(test.test((0, 1), &[], &mut Vec::new()), Evidence::NONE);
    }
}
