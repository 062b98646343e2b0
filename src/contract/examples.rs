//! Examples, and what tasks hand to methods.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::binary::BinaryRows;
use crate::categorical::{Attribute, CategoricalRows};
use crate::joint::JointTable;
use crate::numeric::NumericRows;
use crate::packed::PackedRows;
use crate::table::{Column, Table};
use crate::{FitError, Result, Variables};

/// The examples of a dataset, or some of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Examples {
    /// Rows of 0/1 variables, by their ones.
    Binary(BinaryRows),
    /// Rows of 0/1 variables, by their bits.
    Packed(PackedRows),
    /// Rows of attributes with finitely many values, by their codes.
    Categorical(CategoricalRows),
    /// Rows of real numbers.
    Numeric(NumericRows),
    /// Columns of numbers and of names, of which values may be missing. Methods meet what a trial makes of them.
    Table(Table),
}

impl Examples {
    /// Number of examples.
    pub fn len(&self) -> usize {
        match self {
            Self::Binary(rows) => rows.len(),
            Self::Packed(rows) => rows.len(),
            Self::Categorical(rows) => rows.len(),
            Self::Numeric(rows) => rows.len(),
            Self::Table(table) => table.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of variables: of attributes or columns, where they are not 0/1.
    pub fn variables(&self) -> usize {
        match self {
            Self::Binary(rows) => rows.variables(),
            Self::Packed(rows) => rows.variables(),
            Self::Categorical(rows) => rows.attributes().len(),
            Self::Numeric(rows) => rows.columns(),
            Self::Table(table) => table.columns().len(),
        }
    }

    /// The examples as a table; none if they are 0/1 variables.
    pub fn table(&self) -> Option<Cow<'_, Table>> {
        let columns = match self {
            Self::Table(table) => return Some(Cow::Borrowed(table)),
            Self::Binary(_) | Self::Packed(_) => return None,
            Self::Numeric(rows) => {
                (0..rows.columns()).map(|at| Column::Numbers(rows.column(at).collect())).collect()
            }
            Self::Categorical(rows) => {
                let attributes = rows.attributes().iter().enumerate();
                let column = |(at, attribute): (usize, &Attribute)| Column::Names {
                    names: Arc::new(attribute.values.clone()),
                    codes: rows.iter().map(|row| row[at]).collect(),
                };
                attributes.map(column).collect()
            }
        };
        Some(Cow::Owned(Table::new(columns)))
    }

    /// Number of ones in all examples; of values, where they are not 0/1.
    pub fn total_ones(&self) -> usize {
        match self {
            Self::Binary(rows) => rows.total_ones(),
            Self::Packed(rows) => rows.total_ones(),
            Self::Categorical(rows) => rows.codes().len(),
            Self::Numeric(rows) => rows.values().len(),
            Self::Table(table) => table.len() * table.columns().len(),
        }
    }

    /// The given examples in the given order.
    #[must_use]
    pub fn select(&self, examples: &[usize]) -> Self {
        match self {
            Self::Binary(rows) => Self::Binary(rows.select(examples.iter().copied())),
            Self::Packed(rows) => Self::Packed(rows.select(examples)),
            Self::Categorical(rows) => Self::Categorical(rows.select(examples)),
            Self::Numeric(rows) => Self::Numeric(rows.select(examples)),
            Self::Table(table) => Self::Table(table.select(examples)),
        }
    }

    /// The same examples of a range of the variables.
    ///
    /// # Panics
    /// If there are not as many.
    #[must_use]
    pub fn columns(&self, columns: &Range<usize>) -> Self {
        match self {
            Self::Binary(rows) => Self::Binary(rows.columns(columns)),
            Self::Packed(rows) => {
                Self::Packed(PackedRows::from(&rows.to_sparse().columns(columns)))
            }
            Self::Categorical(rows) => Self::Categorical(rows.columns(columns)),
            Self::Numeric(rows) => Self::Numeric(rows.columns_of(columns)),
            Self::Table(table) => Self::Table(table.columns_of(columns)),
        }
    }

    /// Examples as 0/1 variables.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn binary(&self) -> Result<Binary<'_>> {
        match self {
            Self::Binary(rows) => Ok(Binary::Sparse(rows)),
            Self::Packed(rows) => Ok(Binary::Packed(rows)),
            Self::Categorical(_) | Self::Numeric(_) | Self::Table(_) => {
                Err(self.no(Variables::Binary))
            }
        }
    }

    /// Examples as categorical attributes.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn categorical(&self) -> Result<&CategoricalRows> {
        match self {
            Self::Categorical(rows) => Ok(rows),
            other => Err(other.no(Variables::Categorical)),
        }
    }

    /// Examples as rows of numbers.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn numeric(&self) -> Result<&NumericRows> {
        match self {
            Self::Numeric(rows) => Ok(rows),
            other => Err(other.no(Variables::Numeric)),
        }
    }

    fn no(&self, takes: Variables) -> FitError {
        FitError::OtherKind { takes, has: self.described() }
    }

    /// What kind of examples they are, as a phrase.
    pub fn described(&self) -> &'static str {
        match self {
            Self::Binary(_) | Self::Packed(_) => Variables::Binary.word(),
            Self::Categorical(_) => Variables::Categorical.word(),
            Self::Numeric(_) => Variables::Numeric.word(),
            Self::Table(_) => "columns of numbers and names",
        }
    }
}

/// Rows of 0/1 variables, in the layout that they have.
#[derive(Debug, Clone, Copy)]
pub enum Binary<'a> {
    /// By their ones.
    Sparse(&'a BinaryRows),
    /// By their bits.
    Packed(&'a PackedRows),
}

impl<'a> Binary<'a> {
    /// The rows by their ones.
    pub fn sparse(self) -> Cow<'a, BinaryRows> {
        match self {
            Self::Sparse(rows) => Cow::Borrowed(rows),
            Self::Packed(rows) => Cow::Owned(rows.to_sparse()),
        }
    }

    /// The rows by their bits.
    pub fn packed(self) -> Cow<'a, PackedRows> {
        match self {
            Self::Sparse(rows) => Cow::Owned(rows.into()),
            Self::Packed(rows) => Cow::Borrowed(rows),
        }
    }

    /// Whether a variable of an example is one.
    #[inline]
    pub fn is_one(self, example: usize, variable: u32) -> bool {
        match self {
            Self::Sparse(rows) => rows.row(example).binary_search(&variable).is_ok(),
            Self::Packed(rows) => {
                rows.row(example)[variable as usize / 64] >> (variable % 64) & 1 == 1
            }
        }
    }

    /// Number of examples.
    pub fn len(self) -> usize {
        match self {
            Self::Sparse(rows) => rows.len(),
            Self::Packed(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Number of variables.
    pub fn variables(self) -> usize {
        match self {
            Self::Sparse(rows) => rows.variables(),
            Self::Packed(rows) => rows.variables(),
        }
    }
}

/// Examples with their classes.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The examples.
    pub examples: Examples,
    /// Class of each, below `classes`.
    pub labels: Vec<u32>,
    /// Number of classes, at least 2. A class may have no example.
    pub classes: usize,
    /// The block of each variable, where the generator's structure is known.
    pub known_blocks: Option<Arc<Vec<u32>>>,
}

/// Examples with the numbers that they are to predict.
#[derive(Debug, Clone)]
pub struct Targeted {
    /// The examples.
    pub examples: Examples,
    /// The target of each, finite.
    pub targets: Vec<f64>,
}

/// Examples of which the independent groups of variables are sought.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The examples.
    pub examples: Examples,
    /// What they are drawn from, where that is known and small.
    pub distribution: Option<Arc<JointTable>>,
}

impl Observed {
    /// The distribution.
    ///
    /// # Errors
    /// If it is not known.
    pub fn known(&self) -> Result<&JointTable> {
        self.distribution.as_deref().ok_or_else(|| {
            let message = "the distribution of the dataset is not known as a table of all states";
            FitError::NotApplicable(message.to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::categorical::MISSING;

    #[test]
    fn examples_with_columns_are_tables() {
        let numbers = Examples::Numeric(NumericRows::new(2, vec![1.0, 2.0, 3.0, 4.0]));
        let columns = [vec![1.0, 3.0], vec![2.0, 4.0]].map(Column::Numbers);
        assert_eq!(numbers.table().unwrap().columns(), columns);
        let values = vec!["f".to_owned(), "m".to_owned()];
        let attribute = Attribute { values: values.clone(), missing: true };
        let mut rows = CategoricalRows::new(Arc::new(vec![attribute]));
        rows.push(&[1]);
        rows.push(&[MISSING]);
        let names = Column::Names { names: Arc::new(values), codes: vec![1, MISSING] };
        assert_eq!(Examples::Categorical(rows).table().unwrap().columns(), [names]);
        assert_eq!(Examples::Binary(BinaryRows::new(2)).table(), None);
    }
}
