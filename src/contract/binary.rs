//! Rows of binary variables, stored by their ones.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::numeric::NumericRows;

/// N rows of n binary variables in compressed-row form: each row is the ascending list of the
/// indices of its ones. Memory is 4 bytes a one and 8 bytes a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinaryRows {
    variables: usize,
    offsets: Vec<usize>,
    ones: Vec<u32>,
}

impl BinaryRows {
    /// No rows, of `variables` variables.
    pub fn new(variables: usize) -> Self {
        Self { variables, offsets: vec![0], ones: Vec::new() }
    }

    /// Appends a row given by the indices of its ones.
    ///
    /// # Panics
    /// If the indices do not ascend strictly or one is not below [`Self::variables`].
    pub fn push(&mut self, ones: &[u32]) {
        assert!(ones.is_sorted_by(|a, b| a < b), "the ones of a row ascend");
        assert!(ones.last().is_none_or(|&last| (last as usize) < self.variables));
        self.ones.extend_from_slice(ones);
        self.offsets.push(self.ones.len());
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Number of ones in all rows.
    pub fn total_ones(&self) -> usize {
        self.ones.len()
    }

    /// The ones of row `index`, ascending.
    pub fn row(&self, index: usize) -> &[u32] {
        &self.ones[self.offsets[index]..self.offsets[index + 1]]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.offsets.windows(2).map(|pair| &self.ones[pair[0]..pair[1]])
    }

    /// The given rows in the given order.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut selected = Self::new(self.variables);
        for row in rows {
            selected.ones.extend_from_slice(self.row(row));
            selected.offsets.push(selected.ones.len());
        }
        selected
    }

    /// The same rows of fewer variables: variable v becomes `names[v]`, or is left out where that is
    /// none.
    ///
    /// # Panics
    /// If the new names do not ascend from 0 without a gap.
    #[must_use]
    pub fn renamed(&self, names: &[Option<u32>]) -> Self {
        let variables = names.iter().flatten().count();
        assert!(names.iter().flatten().copied().eq(0..variables as u32), "names ascend from 0");
        let mut renamed = Self::new(variables);
        for row in self.iter() {
            renamed.ones.extend(row.iter().filter_map(|&one| names[one as usize]));
            renamed.offsets.push(renamed.ones.len());
        }
        renamed
    }

    /// The same rows of a range of the variables.
    #[must_use]
    pub fn columns(&self, columns: &Range<usize>) -> Self {
        let name = |variable: usize| {
            columns.contains(&variable).then(|| (variable - columns.start) as u32)
        };
        self.renamed(&(0..self.variables).map(name).collect::<Vec<Option<u32>>>())
    }

    /// The same rows as numbers, 0 and 1.
    pub fn indicators(&self) -> NumericRows {
        let mut values = vec![0.0; self.len() * self.variables];
        for (row, into) in self.iter().zip(values.chunks_mut(self.variables.max(1))) {
            row.iter().for_each(|&one| into[one as usize] = 1.0);
        }
        NumericRows::new(self.variables, values)
    }

    /// How many rows have a one in each variable.
    pub fn column_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.variables];
        for &one in &self.ones {
            counts[one as usize] += 1;
        }
        counts
    }

    /// The rows with a one in each variable. Time and memory O(ones + n).
    pub fn by_column(&self) -> BinaryColumns {
        let mut offsets = vec![0; self.variables + 1];
        self.ones.iter().for_each(|&one| offsets[one as usize + 1] += 1);
        (0..self.variables).for_each(|v| offsets[v + 1] += offsets[v]);
        let mut rows = vec![0; self.ones.len()];
        let mut next = offsets.clone();
        for (index, row) in self.iter().enumerate() {
            for &one in row {
                rows[next[one as usize]] = index as u32;
                next[one as usize] += 1;
            }
        }
        BinaryColumns { offsets, rows }
    }

    /// Merges equal rows; see [`DistinctRows`]. Time and memory O(ones + N).
    pub fn distinct(&self) -> DistinctRows {
        let mut index: HashMap<&[u32], u32> = HashMap::with_capacity(self.len());
        let mut rows = Self::new(self.variables);
        let mut counts: Vec<u32> = Vec::new();
        let mut of_example = Vec::with_capacity(self.len());
        for row in self.iter() {
            let position = *index.entry(row).or_insert_with(|| {
                rows.ones.extend_from_slice(row);
                rows.offsets.push(rows.ones.len());
                counts.push(0);
                (counts.len() - 1) as u32
            });
            counts[position as usize] += 1;
            of_example.push(position);
        }
        DistinctRows { rows, counts, of_example }
    }
}

/// Binary rows by their columns: of each variable the ascending list of the rows in which it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryColumns {
    offsets: Vec<usize>,
    rows: Vec<u32>,
}

impl BinaryColumns {
    /// The rows with a one in `variable`, ascending.
    pub fn of(&self, variable: usize) -> &[u32] {
        &self.rows[self.offsets[variable]..self.offsets[variable + 1]]
    }
}

/// The distinct rows of a dataset in the order of their first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistinctRows {
    /// The distinct rows.
    pub rows: BinaryRows,
    /// How often each occurs.
    pub counts: Vec<u32>,
    /// For each original example, the index of its row in `rows`.
    pub of_example: Vec<u32>,
}

impl DistinctRows {
    /// Number of original examples, N.
    pub fn examples(&self) -> usize {
        self.of_example.len()
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.rows.variables()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> BinaryRows {
        let mut rows = BinaryRows::new(4);
        rows.push(&[0, 3]);
        rows.push(&[]);
        rows.push(&[0, 3]);
        rows.push(&[1, 2, 3]);
        rows
    }

    #[test]
    fn distinct_rows_keep_counts_and_origin() {
        let distinct = rows().distinct();
        assert_eq!(distinct.rows, rows().select([0, 1, 3]));
        assert_eq!(distinct.counts, [2, 1, 1]);
        assert_eq!(distinct.of_example, [0, 1, 0, 2]);
        assert_eq!(distinct.examples(), 4);
    }

    #[test]
    fn columns_are_counted() {
        assert_eq!(rows().column_counts(), [2, 1, 1, 3]);
        assert_eq!(rows().total_ones(), 7);
        let columns = rows().by_column();
        let found: Vec<&[u32]> = (0..4).map(|variable| columns.of(variable)).collect();
        assert_eq!(found, [&[0, 2][..], &[3], &[3], &[0, 2, 3]]);
        assert_eq!(rows().select(1..3).row(1), [0, 3]);
    }
}
