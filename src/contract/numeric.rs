//! Rows of real numbers.

use std::ops::Range;

/// N rows of n finite numbers, one row after another: memory is 8 bytes a value.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericRows {
    columns: usize,
    values: Vec<f64>,
}

impl NumericRows {
    /// Rows from their values.
    ///
    /// # Panics
    /// If they are not a whole number of rows, or one is not finite.
    pub fn new(columns: usize, values: Vec<f64>) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "a whole number of rows");
        assert!(values.iter().all(|value| value.is_finite()), "finite numbers");
        Self { columns, values }
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of columns, n.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values of row `index`.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns)
    }

    /// The values of all rows, one row after another.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One column of all rows.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        self.iter().map(move |row| row[column])
    }

    /// The same rows of a range of the columns.
    ///
    /// # Panics
    /// If there are not as many.
    #[must_use]
    pub fn columns_of(&self, columns: &Range<usize>) -> Self {
        let values = self.iter().flat_map(|row| &row[columns.clone()]).copied().collect();
        Self { columns: columns.len(), values }
    }

    /// All rows with each column moved and scaled to mean 0 and standard deviation 1 over the rows of
    /// `train` (divided by their number, as scikit-learn's `StandardScaler` does). A column that is
    /// constant there is only moved.
    #[must_use]
    pub fn standardised(&self, train: &[usize]) -> Self {
        let mut values = self.values.clone();
        let count = train.len() as f64;
        for column in 0..self.columns {
            let at = |row: usize| self.values[row * self.columns + column];
            if train.iter().all(|&row| at(row) == at(train[0])) {
                let Some(&first) = train.first() else { continue };
                let mean = at(first);
                values.iter_mut().skip(column).step_by(self.columns).for_each(|v| *v -= mean);
                continue;
            }
            let mean = train.iter().map(|&row| at(row)).sum::<f64>() / count;
            let squares = train.iter().map(|&row| (at(row) - mean) * (at(row) - mean));
            let sd = (squares.sum::<f64>() / count).sqrt();
            let scaled = values.iter_mut().skip(column).step_by(self.columns);
            scaled.for_each(|value| *value = (*value - mean) / sd);
        }
        Self { columns: self.columns, values }
    }

    /// The given rows in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { columns: self.columns, values }
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
