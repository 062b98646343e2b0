//! The words of files: what each stands for, and what it means.

use std::fmt::Debug;

/// A table of words: how a file writes each value, the value, and what it means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Words<T: 'static>(pub &'static [(&'static str, T, &'static str)]);

impl<T: Copy> Words<T> {
    /// The value of a word; none if the table does not have it.
    pub fn value(&self, word: &str) -> Option<T> {
        self.0.iter().find(|(known, ..)| *known == word).map(|&(_, value, _)| value)
    }

    /// The word of a value.
    ///
    /// # Panics
    /// If the table does not have the value.
    pub fn word(&self, value: T) -> &'static str
    where
        T: PartialEq + Debug,
    {
        match self.0.iter().find(|(_, known, _)| *known == value) {
            Some((word, ..)) => word,
            None => panic!("{value:?} has no word"),
        }
    }

    /// What a value means; nothing if the table does not have it.
    pub fn meaning(&self, value: T) -> &'static str
    where
        T: PartialEq,
    {
        self.0.iter().find(|(_, known, _)| *known == value).map_or("", |(.., meaning)| meaning)
    }

    /// A row as one of a table that has a word for none too.
    pub const fn some(&self, row: usize) -> (&'static str, Option<T>, &'static str) {
        let (word, value, meaning) = self.0[row];
        (word, Some(value), meaning)
    }

    /// Each word with its value, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, T)> {
        self.0.iter().map(|&(word, value, _)| (word, value))
    }
}

/// Words with their meanings, whatever they stand for.
pub trait Listed: Debug + Sync {
    /// The word at a place and its meaning; none behind the last.
    fn at(&self, place: usize) -> Option<(&'static str, &'static str)>;
}

impl<T: Debug + Sync> Listed for Words<T> {
    fn at(&self, place: usize) -> Option<(&'static str, &'static str)> {
        self.0.get(place).map(|&(word, _, meaning)| (word, meaning))
    }
}

impl dyn Listed {
    /// Each word with its meaning, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        (0..).map_while(|place| self.at(place))
    }
}

impl PartialEq for dyn Listed {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Values that each have a word, and no other name in files. [`words!`](macro@crate::words) declares them.
pub trait Worded: Copy + PartialEq + Debug + Sync + 'static {
    /// Every value with its word.
    const WORDS: Words<Self>;
    /// The words with their meanings.
    const LISTED: &'static dyn Listed = &Self::WORDS;
}

/// Declares an enumeration with the word of each value and its meaning, which is its documentation too.
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$note:meta])* $value:ident = $word:literal, $meaning:literal;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visibility enum $name {
            $(#[doc = concat!($meaning, "\n")] $(#[$note])* $value,)*
        }

        impl $name {
            /// The word of this value.
            #[allow(dead_code)]
            $visibility fn word(self) -> &'static str {
                <Self as $crate::words::Worded>::WORDS.word(self)
            }
        }

        impl $crate::words::Worded for $name {
            const WORDS: $crate::words::Words<Self> =
                $crate::words::Words(&[$(($word, Self::$value, $meaning)),*]);
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_tells_values_from_words_and_words_from_values() {
        let table = Words(&[("one", 1, "the first"), ("two", 2, "the second")]);
        assert_eq!((table.value("two"), table.value("three")), (Some(2), None));
        assert_eq!(table.word(1), "one");
        let listed: &dyn Listed = &table;
        assert!(listed.iter().eq([("one", "the first"), ("two", "the second")]));
        let others = Words(&[("one", (), "the first"), ("two", (), "the second")]);
        assert!(listed == &others as &dyn Listed);
    }
}
