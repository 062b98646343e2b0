//! How many there are of what.

use std::collections::BTreeMap;
use std::iter::Sum;

/// How many there are of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts<K>(BTreeMap<K, usize>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Copy + Ord> Counts<K> {
    /// How many of these.
    pub fn of(&self, key: K) -> usize {
        self.0.get(&key).copied().unwrap_or(0)
    }

    /// How many of all.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The others.
    pub fn without(&self, key: K) -> Self {
        Self(self.0.iter().filter(|(one, _)| **one != key).map(|(one, n)| (*one, *n)).collect())
    }

    /// Such as `12 rounding, 3 noise`, by what people read for each.
    pub fn text<W: Into<String>>(&self, word: impl Fn(K) -> W) -> String {
        let each = self.0.iter().map(|(key, n)| format!("{n} {}", word(*key).into()));
        each.collect::<Vec<_>>().join(", ")
    }
}

impl<K: Ord> FromIterator<K> for Counts<K> {
    fn from_iter<I: IntoIterator<Item = K>>(all: I) -> Self {
        let mut counts = Self::default();
        all.into_iter().for_each(|key| *counts.0.entry(key).or_default() += 1);
        counts
    }
}

impl<'c, K: Copy + Ord + 'c> Sum<&'c Self> for Counts<K> {
    fn sum<I: Iterator<Item = &'c Self>>(all: I) -> Self {
        let mut sum = Self::default();
        for (key, n) in all.flat_map(|counts| &counts.0) {
            *sum.0.entry(*key).or_default() += n;
        }
        sum
    }
}
