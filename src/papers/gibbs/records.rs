//! The training records.

use contract::categorical::{CategoricalRows, MISSING};
use contract::words;

words! {
    /// What becomes of missing values.
    pub enum Missing {
        Value = "value", "a value of its own";
        Skip = "skip", "patterns with a missing value are neither counted nor activated";
    }
}

/// Records of attributes and a class, as integers.
#[derive(Debug, Clone)]
pub struct Records {
    /// The attributes.
    pub rows: CategoricalRows,
    /// Class of each record, below `classes`.
    pub labels: Vec<u32>,
    /// Number of classes.
    pub classes: usize,
    /// What becomes of missing values.
    pub missing: Missing,
}

impl Records {
    /// Number of records, N.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// How many values an attribute has, a missing one included where it is one.
    pub fn values_of(&self, attribute: usize) -> usize {
        let attribute = &self.rows.attributes()[attribute];
        attribute.values.len() + usize::from(attribute.missing && self.missing == Missing::Value)
    }

    /// The attributes of a record that patterns can hold, ascending.
    pub fn known(&self, row: &[u16], known: &mut Vec<usize>) {
        known.clear();
        let holds =
            |&attribute: &usize| self.missing == Missing::Value || row[attribute] != MISSING;
        known.extend((0..row.len()).filter(holds));
    }
}
