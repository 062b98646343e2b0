//! Rows of attributes with finitely many values.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::binary::BinaryRows;

/// The code of a missing value.
pub const MISSING: u16 = u16::MAX;

/// What is known of an attribute before its values are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// Names of its values; a value's code is its place among them.
    pub values: Vec<String>,
    /// Whether it may be missing.
    pub missing: bool,
}

impl Attribute {
    /// How many values it has, with a missing one where it may be missing.
    pub fn cardinality(&self) -> usize {
        self.values.len() + usize::from(self.missing)
    }

    /// The place of a code's value among them: a missing one is the last.
    pub fn place(&self, code: u16) -> usize {
        if code == MISSING { self.values.len() } else { usize::from(code) }
    }
}

/// N rows of codes, one a value: memory is 2 bytes a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoricalRows {
    attributes: Arc<Vec<Attribute>>,
    codes: Vec<u16>,
}

impl CategoricalRows {
    /// No rows, of these attributes.
    pub fn new(attributes: Arc<Vec<Attribute>>) -> Self {
        Self { attributes, codes: Vec::new() }
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If it has not one code an attribute, or a code that its attribute does not have.
    pub fn push(&mut self, row: &[u16]) {
        assert_eq!(row.len(), self.attributes.len(), "a code for each attribute");
        let fits = |(attribute, &code): (&Attribute, &u16)| match code {
            MISSING => attribute.missing,
            code => usize::from(code) < attribute.values.len(),
        };
        assert!(self.attributes.iter().zip(row).all(fits), "codes of their attributes");
        self.codes.extend_from_slice(row);
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.codes.len() / self.attributes.len().max(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The attributes.
    pub fn attributes(&self) -> &Arc<Vec<Attribute>> {
        &self.attributes
    }

    /// The codes of row `index`.
    pub fn row(&self, index: usize) -> &[u16] {
        let width = self.attributes.len();
        &self.codes[index * width..(index + 1) * width]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.codes.chunks_exact(self.attributes.len().max(1))
    }

    /// The codes of all rows, one row after another.
    pub fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// The given rows in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let codes = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { attributes: self.attributes.clone(), codes }
    }

    /// The same rows of some of the attributes.
    ///
    /// # Panics
    /// If there are not as many.
    #[must_use]
    pub fn columns(&self, columns: &Range<usize>) -> Self {
        let codes = self.iter().flat_map(|row| &row[columns.clone()]).copied().collect();
        Self { attributes: Arc::new(self.attributes[columns.clone()].to_vec()), codes }
    }

    /// The same rows of 0/1 variables: one for each value of each attribute, and behind them one that
    /// says that the attribute is missing, where it may be. Every row has one 1 an attribute.
    pub fn one_hot(&self) -> BinaryRows {
        let mut rows = BinaryRows::new(self.attributes.iter().map(Attribute::cardinality).sum());
        let mut ones = Vec::with_capacity(self.attributes.len());
        for row in self.iter() {
            ones.clear();
            let mut first = 0;
            for (&code, attribute) in row.iter().zip(self.attributes.iter()) {
                ones.push((first + attribute.place(code)) as u32);
                first += attribute.cardinality();
            }
            rows.push(&ones);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> CategoricalRows {
        let attribute = |values: &[&str], missing| Attribute {
            values: values.iter().map(|&value| value.to_owned()).collect(),
            missing,
        };
        let attributes = vec![attribute(&["n", "y"], true), attribute(&["a", "b", "c"], false)];
        let mut rows = CategoricalRows::new(Arc::new(attributes));
        [[1, 0], [MISSING, 2], [0, 1]].iter().for_each(|row| rows.push(row));
        rows
    }

    #[test]
    fn a_value_is_a_variable_and_so_is_a_missing_one() {
        let coded = rows().one_hot();
        assert_eq!(coded.variables(), 6);
        assert_eq!(coded.iter().collect::<Vec<_>>(), [[1, 3], [2, 5], [0, 4]]);
    }

    #[test]
    fn rows_are_selected_in_the_order_asked_for() {
        let selected = rows().select(&[2, 0]);
        assert_eq!(selected.iter().collect::<Vec<_>>(), [[0, 1], [1, 0]]);
        assert_eq!((selected.len(), rows().row(1)), (2, &[MISSING, 2][..]));
        let second = rows().columns(&(1..2));
        assert_eq!(second.codes(), [0, 2, 1]);
        assert_eq!(second.attributes()[..], rows().attributes()[1..]);
    }

    #[test]
    #[should_panic(expected = "codes of their attributes")]
    fn an_attribute_that_is_never_missing_is_not() {
        rows().push(&[0, MISSING]);
    }
}
