//! Rows of binary variables, one bit a value.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::binary::BinaryRows;

/// N rows of n binary variables, 64 variables a word: bit `v % 64` of word `v / 64` of a row is variable
/// `v`. The bits behind the last variable are zero. Memory is n / 8 bytes a row; contiguous rows share
/// it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackedRows {
    variables: usize,
    words: Arc<Vec<u64>>,
    rows: Range<usize>,
}

impl PackedRows {
    /// Rows from their words, [`Self::words_per_row`] each.
    ///
    /// # Panics
    /// If the words are not a whole number of rows, or a bit behind the last variable is one.
    pub fn new(variables: usize, words: Vec<u64>) -> Self {
        let width = words_for(variables);
        assert!(width > 0 && words.len().is_multiple_of(width), "a whole number of rows");
        let beyond = u64::MAX.unbounded_shl((variables - 1) as u32 % 64 + 1);
        assert!(
            words.chunks_exact(width).all(|row| row[width - 1] & beyond == 0),
            "no bits behind the last variable"
        );
        let rows = 0..words.len() / width;
        Self { variables, words: Arc::new(words), rows }
    }

    /// Number of rows, N.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Number of words of a row.
    pub fn words_per_row(&self) -> usize {
        words_for(self.variables)
    }

    /// The words of row `index`.
    pub fn row(&self, index: usize) -> &[u64] {
        let width = self.words_per_row();
        let start = (self.rows.start + index) * width;
        &self.words[start..start + width]
    }

    /// The words of all rows, one row after another.
    pub fn words(&self) -> &[u64] {
        let width = self.words_per_row();
        &self.words[self.rows.start * width..self.rows.end * width]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words().chunks_exact(self.words_per_row())
    }

    /// The given rows in the given order; without a copy where they are consecutive.
    pub fn select(&self, rows: &[usize]) -> Self {
        let consecutive = rows.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if consecutive {
            let first = self.rows.start + rows.first().copied().unwrap_or(0);
            let words = self.words.clone();
            return Self { variables: self.variables, words, rows: first..first + rows.len() };
        }
        let mut words = Vec::with_capacity(rows.len() * self.words_per_row());
        rows.iter().for_each(|&row| words.extend_from_slice(self.row(row)));
        Self { variables: self.variables, words: Arc::new(words), rows: 0..rows.len() }
    }

    /// Number of ones in all rows.
    pub fn total_ones(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The same rows by their ones.
    pub fn to_sparse(&self) -> BinaryRows {
        let mut sparse = BinaryRows::new(self.variables);
        let mut ones = Vec::new();
        for row in self.iter() {
            ones.clear();
            ones.extend(ones_of(row));
            sparse.push(&ones);
        }
        sparse
    }
}

impl PartialEq for PackedRows {
    fn eq(&self, other: &Self) -> bool {
        self.variables == other.variables && self.words() == other.words()
    }
}

impl Eq for PackedRows {}

impl From<&BinaryRows> for PackedRows {
    fn from(sparse: &BinaryRows) -> Self {
        let width = words_for(sparse.variables());
        let mut words = vec![0u64; width * sparse.len()];
        for (row, ones) in words.chunks_exact_mut(width.max(1)).zip(sparse.iter()) {
            ones.iter().for_each(|&one| row[one as usize / 64] |= 1 << (one % 64));
        }
        Self { variables: sparse.variables(), words: Arc::new(words), rows: 0..sparse.len() }
    }
}

/// The indices of the ones of a packed row, ascending.
pub fn ones_of(row: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..)
        .zip(row)
        .flat_map(|(index, &word)| bits_of(word).map(move |bit| index * 64 + bit as u32))
}

/// The places of the ones of a word, ascending.
#[inline]
pub fn bits_of(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            bit
        })
    })
}

/// Number of words of a row of `variables` variables.
pub fn words_for(variables: usize) -> usize {
    variables.div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sparse(variables: usize, rows: &[Vec<bool>]) -> BinaryRows {
        let mut sparse = BinaryRows::new(variables);
        for row in rows {
            let ones: Vec<u32> =
                (0..).zip(&row[..variables]).filter(|(_, one)| **one).map(|(i, _)| i).collect();
            sparse.push(&ones);
        }
        sparse
    }

    proptest! {
        #[test]
        fn packing_and_unpacking_are_inverse(
            variables in 1usize..200,
            rows in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 200), 0..8),
        ) {
            let sparse = sparse(variables, &rows);
            let packed = PackedRows::from(&sparse);
            prop_assert_eq!(packed.len(), sparse.len());
            prop_assert_eq!(packed.total_ones(), sparse.total_ones());
            prop_assert_eq!(&packed.to_sparse(), &sparse);
            let again = PackedRows::new(variables, packed.words().to_vec());
            prop_assert_eq!(again, packed);
        }
    }

    #[test]
    fn selections_are_those_rows() {
        let rows = (0..6usize).map(|i| (0..3).map(|v| i >> v & 1 == 1).collect());
        let rows = sparse(3, &rows.collect::<Vec<Vec<bool>>>());
        let packed = PackedRows::from(&rows);
        for chosen in [&[1, 2, 3][..], &[4, 0], &[]] {
            let expected = rows.select(chosen.iter().copied());
            assert_eq!(packed.select(chosen).to_sparse(), expected);
            // A selection of a selection counts from its own first row.
            let inner = packed.select(&[2, 3, 4, 5]).select(&[1, 2]);
            assert_eq!(inner.to_sparse(), rows.select([3, 4]));
        }
    }
}
