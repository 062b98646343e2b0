//! Words that stand for values in files: each enumeration declares its own, once.

/// Values that files name by a word. [`words!`](crate::words) declares them.
pub trait Words: Copy + 'static {
    /// The word of each value with its meaning, in the order of [`Self::ALL`].
    const WORDS: &'static [(&'static str, &'static str)];
    /// Every value.
    const ALL: &'static [Self];

    /// Its word.
    fn word(self) -> &'static str;

    /// The value of a word.
    fn of_word(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|(known, _)| *known == word)?;
        Some(Self::ALL[at])
    }
}

/// Declares an enumeration with the word of each value in files and its meaning, which is its documentation too.
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

        impl $crate::words::Words for $name {
            const WORDS: &'static [(&'static str, &'static str)] = &[$(($word, $meaning)),*];
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }
    };
}
