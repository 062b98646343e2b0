//! Kernels: functions of two inputs whose matrices are scale matrices of a process.
//!
//! Their amplitude is 1. With a likelihood that sees signs only, another amplitude is the same model.

use contract::numeric::NumericRows;
use contract::parameter::{Real, settings};
use contract::words;
use math::matrix::Matrix;
use math::special::{exp, ln};
use math::vector::{dot, exp_relative};
use serde::{Deserialize, Serialize};

settings! { pub JITTER jitter: Real::not_negative(1e-6), "added to the diagonal of the kernel matrix of the training inputs"; }

words! {
    /// The kernels.
    #[derive(Serialize, Deserialize)]
    pub enum Family {
        Rbf = "rbf", "Gaussian: exp(-|x - x'|² / (2 l²))";
        RbfArd = "rbf-ard", "Gaussian with a length scale for each column";
        /// A plane, and a constant.
        Linear = "linear", "1 + x·x' / l²";
    }
}

/// A kernel with its length scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    family: Family,
    /// Length scales: of each column for [`Family::RbfArd`], else one.
    pub lengths: Vec<f64>,
}

impl Kernel {
    /// The kernel for inputs of `columns` numbers in which every length scale is `length` > 0.
    pub fn new(family: Family, columns: usize, length: f64) -> Self {
        let lengths = vec![length; if family == Family::RbfArd { columns } else { 1 }];
        Self { family, lengths }
    }

    /// Whether it is of this family, with a length scale for each of `columns` that has one.
    pub fn is_of(&self, family: Family, columns: usize) -> bool {
        let count = if family == Family::RbfArd { columns } else { 1 };
        self.family == family && self.lengths.len() == count
    }

    /// The logarithms of the length scales: what the evidence is maximised over.
    pub fn parameters(&self) -> Vec<f64> {
        self.lengths.iter().map(|&length| ln(length)).collect()
    }

    /// The same kernel with other length scales, by their logarithms.
    #[must_use]
    pub fn with_parameters(&self, parameters: &[f64]) -> Self {
        Self { family: self.family, lengths: parameters.iter().map(|&value| exp(value)).collect() }
    }

    /// The length scale of a column.
    fn length(&self, column: usize) -> f64 {
        self.lengths[if self.family == Family::RbfArd { column } else { 0 }]
    }

    /// The inputs divided by their length scales.
    fn scaled(&self, rows: &NumericRows) -> Matrix {
        Matrix::from_fn(rows.len(), rows.columns(), |row, column| {
            rows.row(row)[column] / self.length(column)
        })
    }

    /// The kernel of inputs with themselves, plus `jitter` on the diagonal. O(N² D) time.
    pub fn matrix(&self, rows: &NumericRows, jitter: f64) -> Matrix {
        let inputs = self.at(rows);
        let n = rows.len();
        let mut matrix = Matrix::zeros(n, n);
        for row in 0..n {
            let input = inputs.scaled.row(row);
            inputs.with_scaled(input, &mut matrix.row_mut(row)[..=row]);
            matrix.row_mut(row)[row] += jitter;
        }
        matrix.mirror();
        matrix
    }

    /// Prepared to be computed with many other inputs.
    pub fn at(&self, rows: &NumericRows) -> Inputs {
        Inputs { kernel: self.clone(), scaled: self.scaled(rows) }
    }

    /// The sum over i and j of weights(i, j) times the derivative of the kernel matrix by each
    /// parameter; the weights are symmetric. O(N² D) time.
    pub fn gradient(
        &self,
        rows: &NumericRows,
        matrix: &Matrix,
        weights: impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let inputs = self.scaled(rows);
        let mut gradient = vec![0.0; self.lengths.len()];
        for row in 0..rows.len() {
            let mine = inputs.row(row);
            if self.family == Family::Linear {
                gradient[0] -= 2.0 * weights(row, row) * dot(mine, mine);
            }
            for before in 0..row {
                let other = inputs.row(before);
                let weight = 2.0 * weights(row, before);
                match self.family {
                    Family::Linear => gradient[0] -= 2.0 * weight * dot(mine, other),
                    Family::Rbf => {
                        let weight = weight * matrix.at(row, before);
                        gradient[0] += weight * squared_distance(mine, other);
                    }
                    Family::RbfArd => {
                        let weight = weight * matrix.at(row, before);
                        let pairs = mine.iter().zip(other);
                        for (sum, (one, other)) in gradient.iter_mut().zip(pairs) {
                            let apart = one - other;
                            *sum += weight * apart * apart;
                        }
                    }
                }
            }
        }
        gradient
    }
}

/// Inputs that a kernel is computed with.
#[derive(Debug, Clone)]
pub struct Inputs {
    kernel: Kernel,
    /// In units of the length scales.
    scaled: Matrix,
}

impl Inputs {
    /// The kernel of an input with each of these, written to `out`.
    pub fn with(&self, input: &[f64], scaled: &mut Vec<f64>, out: &mut [f64]) {
        scaled.clear();
        let columns = input.iter().enumerate();
        scaled.extend(columns.map(|(column, value)| value / self.kernel.length(column)));
        self.with_scaled(scaled, out);
    }

    /// The kernel of an input with the first of these.
    fn with_scaled(&self, input: &[f64], out: &mut [f64]) {
        for (other, out) in out.iter_mut().enumerate() {
            let other = self.scaled.row(other);
            *out = match self.kernel.family {
                Family::Linear => 1.0 + dot(input, other),
                Family::Rbf | Family::RbfArd => -0.5 * squared_distance(input, other),
            };
        }
        if self.kernel.family != Family::Linear {
            exp_relative(out, 0.0, -708.0);
        }
    }
}

/// |x - x'|², in four interleaved lanes.
fn squared_distance(left: &[f64], right: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (left_quads, left_rest) = left.as_chunks::<4>();
    let (right_quads, right_rest) = right.as_chunks::<4>();
    for (left, right) in left_quads.iter().zip(right_quads) {
        for lane in 0..4 {
            let apart = left[lane] - right[lane];
            lanes[lane] += apart * apart;
        }
    }
    let total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    left_rest
        .iter()
        .zip(right_rest)
        .fold(total, |total, (left, right)| total + (left - right) * (left - right))
}

/// The median of the distances between all pairs of inputs, the upper one of an even number; none of
/// fewer than two inputs. O(N² D) time.
pub fn median_distance(rows: &NumericRows) -> Option<f64> {
    let pairs = (0..rows.len()).flat_map(|row| (0..row).map(move |before| (row, before)));
    let mut distances: Vec<f64> =
        pairs.map(|(row, before)| squared_distance(rows.row(row), rows.row(before))).collect();
    if distances.is_empty() {
        return None;
    }
    let middle = distances.len() / 2;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    Some(median.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> NumericRows {
        NumericRows::new(5, (0..35).map(|at| f64::from(at * at % 23) / 7.0 - 1.5).collect())
    }

    #[test]
    fn elements_are_the_formulas() {
        let rows = rows();
        for family in [Family::Rbf, Family::RbfArd, Family::Linear] {
            let kernel = Kernel::new(family, 5, 0.8);
            let lengths: Vec<f64> = (0..kernel.lengths.len()).map(|at| 0.5 + at as f64).collect();
            let logarithms: Vec<f64> = lengths.iter().map(|length| ln(*length)).collect();
            let kernel = kernel.with_parameters(&logarithms);
            let matrix = kernel.matrix(&rows, 0.25);
            let inputs = kernel.at(&rows);
            let mut out = vec![0.0; rows.len()];
            for row in 0..rows.len() {
                inputs.with(rows.row(row), &mut Vec::new(), &mut out);
                for (column, &found) in out.iter().enumerate() {
                    let length = |at: usize| lengths[at.min(lengths.len() - 1)];
                    let terms = rows.row(row).iter().zip(rows.row(column));
                    let expected = if family == Family::Linear {
                        1.0 + terms.map(|(x, y)| x * y).sum::<f64>() / 0.25
                    } else {
                        let apart = |(at, (x, y)): (usize, (&f64, &f64))| {
                            (x - y) * (x - y) / length(at) / length(at)
                        };
                        exp(-0.5 * terms.enumerate().map(apart).sum::<f64>())
                    };
                    assert!((found - expected).abs() < 1e-13 * expected.abs().max(1.0));
                    let jitter = if row == column { 0.25 } else { 0.0 };
                    assert!((matrix.at(row, column) - jitter - found).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn gradients_are_differences() {
        let rows = rows();
        let weight = |row: usize, column: usize| ((row * column + row + column) % 5) as f64 - 1.5;
        let sum = |kernel: &Kernel| -> f64 {
            let matrix = kernel.matrix(&rows, 0.1);
            (0..7)
                .flat_map(|row| (0..7).map(move |column| (row, column)))
                .map(|(row, column)| weight(row, column) * matrix.at(row, column))
                .sum()
        };
        for family in [Family::Rbf, Family::RbfArd, Family::Linear] {
            let kernel = Kernel::new(family, 5, 1.3);
            let gradient = kernel.gradient(&rows, &kernel.matrix(&rows, 0.1), weight);
            for (at, found) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut parameters = kernel.parameters();
                    parameters[at] += by;
                    sum(&kernel.with_parameters(&parameters))
                };
                let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((found - expected).abs() < 1e-7, "{family:?} {at}: {found} {expected}");
            }
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let on_a_line = |places: &[f64]| NumericRows::new(1, places.to_vec());
        assert_eq!(median_distance(&on_a_line(&[0.0, 1.0, 4.0])), Some(3.0));
        // 1, 2, 4, 5, 6, 7: the upper of the two middle ones.
        assert_eq!(median_distance(&on_a_line(&[0.0, 1.0, 7.0, 5.0])), Some(5.0));
        assert_eq!(median_distance(&on_a_line(&[2.0])), None);
    }
}
