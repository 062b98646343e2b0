//! Dense matrices: symmetric products, Cholesky factors, triangular solves, inverses.
//!
//! Every element is computed by the same operations in the same order, whatever the width of the CPU's
//! vectors, so the bits are the same on every x86-64 CPU. The work is cut into tiles that stay in the
//! cache; all cubic loops are those of [`panel`].

pub mod cholesky;
pub mod panel;

use panel::WIDTH;

use super::vector::{add_scaled, dot};

/// A matrix of r rows and c columns, one row after another. Rows are filled up with zeros to a whole
/// number of tiles, and so are the columns.
///
/// ```
/// use reprise_math::matrix::{Matrix, cholesky::Cholesky};
///
/// let matrix = Matrix::from_fn(2, 2, |row, column| [[4.0, 2.0], [2.0, 5.0]][row][column]);
/// let inverse = Cholesky::new(matrix).expect("positive definite").inverse();
/// assert_eq!((inverse.row(0), inverse.row(1)), (&[0.3125, -0.125][..], &[-0.125, 0.25][..]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    stride: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let stride = columns.next_multiple_of(WIDTH);
        let values = vec![0.0; rows.next_multiple_of(WIDTH) * stride];
        Self { rows, columns, stride, values }
    }

    /// The matrix with these elements.
    pub fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for row in 0..rows {
            for (column, value) in matrix.row_mut(row).iter_mut().enumerate() {
                *value = element(row, column);
            }
        }
        matrix
    }

    /// The n by n matrix with `diagonal` on its diagonal.
    pub fn from_diagonal(diagonal: &[f64]) -> Self {
        let mut matrix = Self::zeros(diagonal.len(), diagonal.len());
        diagonal.iter().enumerate().for_each(|(at, &value)| matrix.set(at, at, value));
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One element.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// Sets one element.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.row_mut(row)[column] = value;
    }

    /// The elements of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.stride..][..self.columns]
    }

    /// The elements of a row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.stride..][..self.columns]
    }

    /// The elements (i, i).
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.rows.min(self.columns)).map(|at| self.at(at, at))
    }

    /// Copies what is below the diagonal of a square matrix to above it.
    ///
    /// # Panics
    /// If it is not square.
    pub fn mirror(&mut self) {
        assert_eq!(self.rows, self.columns, "a square matrix");
        for row in 1..self.rows {
            for column in 0..row {
                self.values[column * self.stride + row] = self.values[row * self.stride + column];
            }
        }
    }

    /// Writes the product with a vector to `out`: `out` = M x.
    ///
    /// # Panics
    /// If the vectors do not have the length of a row and of a column.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!((x.len(), out.len()), (self.columns, self.rows), "the lengths of the vectors");
        for (row, out) in out.iter_mut().enumerate() {
            *out = dot(self.row(row), x);
        }
    }

    /// As [`Self::times`] for a symmetric matrix of which the lower triangle counts.
    ///
    /// # Panics
    /// If the matrix is not square or the vectors have not its length.
    pub fn times_symmetric(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!((self.rows, x.len(), out.len()), (self.columns, self.rows, self.rows));
        out.fill(0.0);
        for row in 0..self.rows {
            let below = &self.row(row)[..row];
            out[row] += dot(below, &x[..row]) + self.at(row, row) * x[row];
            add_scaled(&mut out[..row], x[row], below);
        }
    }
}

#[cfg(test)]
mod tests;
