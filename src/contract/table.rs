//! Columns of numbers and of names, side by side: what a table has before a trial makes of it what methods take.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::categorical::MISSING;

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Column {
    /// Numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// Names.
    Names {
        /// Those that occur, in order.
        names: Arc<Vec<String>>,
        /// The place of each row's name among them; [`MISSING`] where it is missing.
        codes: Vec<u16>,
    },
}

impl Column {
    /// Its numbers, if it has numbers.
    pub fn numbers(&self) -> Option<&Vec<f64>> {
        match self {
            Self::Numbers(values) => Some(values),
            Self::Names { .. } => None,
        }
    }

    /// Its names and the place of each row's among them, if it has names.
    pub fn names(&self) -> Option<(&[String], &[u16])> {
        match self {
            Self::Numbers(_) => None,
            Self::Names { names, codes } => Some((names, codes)),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Names { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of a row is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(values) => values[row].is_nan(),
            Self::Names { codes, .. } => codes[row] == MISSING,
        }
    }

    /// The given rows in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(rows.iter().map(|&row| values[row]).collect()),
            Self::Names { names, codes } => Self::Names {
                names: names.clone(),
                codes: rows.iter().map(|&row| codes[row]).collect(),
            },
        }
    }
}

/// N rows of columns, one column after another: memory is 8 bytes a number and 2 a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
}

impl Table {
    /// A table of these columns.
    ///
    /// # Panics
    /// If they have not as many rows each.
    pub fn new(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, Column::len);
        assert!(columns.iter().all(|column| column.len() == rows), "as many rows a column");
        Self { rows, columns }
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether a value is missing somewhere.
    pub fn has_missing(&self) -> bool {
        self.columns.iter().any(|column| (0..self.rows).any(|row| column.is_missing(row)))
    }

    /// The given rows in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|column| column.select(rows)).collect();
        Self { rows: rows.len(), columns }
    }

    /// The same rows of a range of the columns.
    ///
    /// # Panics
    /// If there are not as many.
    #[must_use]
    pub fn columns_of(&self, columns: &Range<usize>) -> Self {
        Self { rows: self.rows, columns: self.columns[columns.clone()].to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_selected() {
        let names = Arc::new(vec!["f".to_owned(), "m".to_owned()]);
        let codes = vec![1, MISSING, 0];
        let table = Table::new(vec![
            Column::Numbers(vec![1.0, f64::NAN, 3.0]),
            Column::Names { names: names.clone(), codes },
        ]);
        assert!(table.has_missing());
        let some = table.select(&[2, 0]);
        assert!(!some.has_missing());
        assert_eq!(some.columns()[0], Column::Numbers(vec![3.0, 1.0]));
        let second = some.columns_of(&(1..2));
        assert_eq!(second.columns(), [Column::Names { names, codes: vec![0, 1] }]);
        assert_eq!((second.len(), table.select(&[]).len()), (2, 0));
    }
}
