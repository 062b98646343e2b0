//! Cholesky factors of symmetric positive definite matrices, and what they solve.

use super::Matrix;
use super::panel::{DEPTH, Panel, Part, WIDTH, subtract_product};
use crate::special::ln;
use crate::vector::{add_scaled, dot};

/// The lower triangular L with L L' equal to a symmetric matrix.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// L; what is above the diagonal has no meaning.
    lower: Matrix,
}

impl Cholesky {
    /// Factorises a symmetric matrix, of which the lower triangle counts, in n³/6 multiplications; none
    /// if it is not positive definite to working precision.
    ///
    /// # Panics
    /// If it is not square.
    pub fn new(mut matrix: Matrix) -> Option<Self> {
        assert_eq!(matrix.rows, matrix.columns, "a square matrix");
        let n = matrix.rows;
        let mut panel = Panel::default();
        for start in (0..n).step_by(DEPTH) {
            let end = (start + DEPTH).min(n);
            factorise_block(&mut matrix, start, end)?;
            if end == n {
                break;
            }
            let block = end - start;
            panel.load(block, n - end, |k, row| matrix.at(end + row, start + k));
            for tile in 0..panel.tiles() {
                let columns = panel.tile_mut(tile);
                for k in 0..block {
                    let (done, rest) = columns.split_at_mut(k);
                    let of_row = &matrix.row(start + k)[start..];
                    for (factor, done) in of_row.iter().zip(done.iter()) {
                        for lane in 0..WIDTH {
                            rest[0][lane] -= factor * done[lane];
                        }
                    }
                    rest[0].iter_mut().for_each(|value| *value /= of_row[k]);
                }
            }
            for row in end..n {
                let (tile, lane) = ((row - end) / WIDTH, (row - end) % WIDTH);
                for (k, column) in panel.tile(tile).iter().enumerate() {
                    matrix.set(row, start + k, column[lane]);
                }
            }
            subtract_product(&mut matrix, (end, end), &panel, &panel, Part::Lower);
        }
        Some(Self { lower: matrix })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.lower.rows
    }

    /// L x.
    ///
    /// # Panics
    /// If the vector has not the length of the factor.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.lower.rows, "a vector of the factor's length");
        (0..x.len()).map(|row| dot(&self.lower.row(row)[..=row], &x[..=row])).collect()
    }

    /// The logarithm of the determinant of the factorised matrix.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.lower.diagonal().map(ln).sum::<f64>()
    }

    /// Replaces the right-hand sides, the columns of `right`, by the solutions of L X = R, in n²/2
    /// multiplications a column.
    ///
    /// # Panics
    /// If they have not the length of the factor.
    pub fn solve_lower(&self, right: &mut Matrix) {
        let n = self.lower.rows;
        assert_eq!(right.rows, n, "right-hand sides of the factor's length");
        let (mut factors, mut solved) = (Panel::default(), Panel::default());
        for start in (0..n).step_by(DEPTH) {
            let end = (start + DEPTH).min(n);
            for row in start..end {
                let (above, rest) = right.values.split_at_mut(row * right.stride);
                let of_row = &mut rest[..right.stride];
                for before in start..row {
                    let solved = &above[before * right.stride..][..right.stride];
                    add_scaled(of_row, -self.lower.at(row, before), solved);
                }
                let pivot = self.lower.at(row, row);
                of_row.iter_mut().for_each(|value| *value /= pivot);
            }
            if end < n {
                let block = end - start;
                factors.load(block, n - end, |k, row| self.lower.at(end + row, start + k));
                solved.load(block, right.columns, |k, column| right.at(start + k, column));
                subtract_product(right, (end, 0), &factors, &solved, Part::All);
            }
        }
    }

    /// Replaces a vector b by the solution of L L' x = b.
    ///
    /// # Panics
    /// If it has not the length of the factor.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.lower.rows;
        assert_eq!(b.len(), n, "a vector of the factor's length");
        for row in 0..n {
            let of_row = self.lower.row(row);
            b[row] = (b[row] - dot(&of_row[..row], &b[..row])) / of_row[row];
        }
        for row in (0..n).rev() {
            let of_row = self.lower.row(row);
            b[row] /= of_row[row];
            let factor = -b[row];
            add_scaled(&mut b[..row], factor, &of_row[..row]);
        }
    }

    /// The inverse of the factorised matrix, both triangles.
    pub fn inverse(&self) -> Matrix {
        let n = self.lower.rows;
        let mut inverse_factor = Matrix::from_diagonal(&vec![1.0; n]);
        self.solve_lower(&mut inverse_factor);
        let mut inverse = Matrix::zeros(n, n);
        add_gram(&mut inverse, &inverse_factor, 1.0);
        inverse.mirror();
        inverse
    }
}

/// Factorises rows and columns `start..end` without looking at others.
fn factorise_block(matrix: &mut Matrix, start: usize, end: usize) -> Option<()> {
    for row in start..end {
        for column in start..=row {
            let (of_row, of_column) = (matrix.row(row), matrix.row(column));
            let sum = of_row[column] - dot(&of_row[start..column], &of_column[start..column]);
            let value = if column < row {
                sum / of_column[column]
            } else if sum > 0.0 && sum.is_finite() {
                sum.sqrt()
            } else {
                return None;
            };
            matrix.set(row, column, value);
        }
    }
    Some(())
}

/// Adds `sign` times V'V to the lower triangle of `matrix`; `sign` is 1 or -1. With V of m rows and n
/// columns it takes n² m / 2 multiplications.
///
/// # Panics
/// If the matrix is not square with V's number of columns.
pub fn add_gram(matrix: &mut Matrix, v: &Matrix, sign: f64) {
    assert_eq!((matrix.rows, matrix.columns), (v.columns, v.columns), "the size of V'V");
    let (mut left, mut right) = (Panel::default(), Panel::default());
    for start in (0..v.rows).step_by(DEPTH) {
        let depth = DEPTH.min(v.rows - start);
        left.load(depth, v.columns, |k, column| -sign * v.at(start + k, column));
        right.load(depth, v.columns, |k, column| v.at(start + k, column));
        subtract_product(matrix, (0, 0), &left, &right, Part::Lower);
    }
}
