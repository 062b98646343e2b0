//! Rows of real numbers.

use std::ops::Range;

use ndarray::{Array2, Axis, s};
use serde::{Deserialize, Serialize};

/// N rows of n finite numbers, one row after another: memory is 8 bytes a value.
///
/// ```
/// use reprise_contract::numeric::NumericRows;
///
/// let rows = NumericRows::new(2, vec![0.5, 1.0, 2.0, 4.0]);
/// assert_eq!(rows.row(1), [2.0, 4.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumericRows(Array2<f64>);

impl NumericRows {
    /// Rows from their values, one row after another.
    ///
    /// # Panics
    /// If they are not a whole number of rows, or one is not finite.
    pub fn new(columns: usize, values: Vec<f64>) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "a whole number of rows");
        assert!(values.iter().all(|value| value.is_finite()), "finite numbers");
        let rows = Array2::from_shape_vec((values.len() / columns, columns), values);
        Self(rows.expect("a whole number of rows"))
    }

    fn row_major(rows: Array2<f64>) -> Self {
        Self(if rows.is_standard_layout() { rows } else { rows.as_standard_layout().into_owned() })
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.0.nrows()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of columns, n.
    pub fn columns(&self) -> usize {
        self.0.ncols()
    }

    /// The values of row `index`.
    pub fn row(&self, index: usize) -> &[f64] {
        self.0.row(index).to_slice().expect("one row after another")
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// The values of all rows, one row after another.
    pub fn values(&self) -> &[f64] {
        self.0.as_slice().expect("one row after another")
    }

    /// One column of all rows.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        self.0.column(column).into_iter().copied()
    }

    /// The same rows of a range of the columns.
    ///
    /// # Panics
    /// If there are not as many.
    #[must_use]
    pub fn columns_of(&self, columns: &Range<usize>) -> Self {
        Self::row_major(self.0.slice(s![.., columns.clone()]).to_owned())
    }

    /// All rows with each column moved and scaled to mean 0 and standard deviation 1 over the rows of
    /// `train` (divided by their number, as scikit-learn's `StandardScaler` does). A column that is
    /// constant there is only moved.
    #[must_use]
    pub fn standardised(&self, train: &[usize]) -> Self {
        let mut rows = self.0.clone();
        let count = train.len() as f64;
        for mut column in rows.columns_mut() {
            let known = || train.iter().map(|&row| column[row]);
            let Some(first) = known().next() else { break };
            if known().all(|value| value == first) {
                column.mapv_inplace(|value| value - first);
                continue;
            }
            let mean = known().sum::<f64>() / count;
            let squares = known().map(|value| (value - mean) * (value - mean));
            let sd = (squares.sum::<f64>() / count).sqrt();
            column.mapv_inplace(|value| (value - mean) / sd);
        }
        Self(rows)
    }

    /// The given rows in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self::row_major(self.0.select(Axis(0), rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_where_they_belong() {
        let rows = NumericRows::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((rows.len(), rows.columns(), rows.row(1)), (3, 2, &[3.0, 4.0][..]));
        assert_eq!(rows.column(1).collect::<Vec<_>>(), [2.0, 4.0, 6.0]);
        assert_eq!(rows.select(&[2, 0]).values(), [5.0, 6.0, 1.0, 2.0]);
        assert_eq!(rows.select(&[]).columns(), 2);
        assert_eq!(rows.columns_of(&(1..2)).values(), [2.0, 4.0, 6.0]);
        assert_eq!(rows.iter().last(), Some(&[5.0, 6.0][..]));
    }

    #[test]
    fn columns_are_standardised_by_the_training_rows() {
        let values = vec![1.0, 7.0, 0.3, 3.0, 7.0, 0.3, 5.0, 7.0, 0.3, 9.0, 8.0, 1.3];
        let rows = NumericRows::new(3, values).standardised(&[0, 1, 2]);
        // scikit-learn 1.9.1: StandardScaler().fit(x[:3]).transform(x)
        let scaled = [-1.224_744_871_391_589, 0.0, 1.224_744_871_391_589, 3.674_234_614_174_767];
        for (found, expected) in rows.column(0).zip(scaled) {
            assert!((found - expected).abs() < 1e-15, "{found}");
        }
        assert_eq!(rows.column(1).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(rows.column(2).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0]);
    }
}
