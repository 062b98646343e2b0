//! Kinds of tests, figures and claims.

use std::fmt;
use std::sync::Arc;

use document::{Key, Table, Variant};

/// What is of several kinds.
pub trait Kinded {
    /// The stage of reading in which the keys of a kind are read.
    type Scope<'s>;
}

/// A word of the file with what it means, the keys that it brings, and how they are read.
pub struct Kind<T: Kinded + ?Sized> {
    /// The word.
    pub word: &'static str,
    /// What it is.
    pub meaning: &'static str,
    keys: fn() -> Vec<Key>,
    read: for<'s> fn(&Table, &mut T::Scope<'s>) -> Option<Arc<T>>,
}

impl<T: Kinded + ?Sized> fmt::Debug for Kind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl<T: Kinded + ?Sized> Kind<T> {
    pub(crate) const fn new(
        word: &'static str,
        meaning: &'static str,
        keys: fn() -> Vec<Key>,
        read: for<'s> fn(&Table, &mut T::Scope<'s>) -> Option<Arc<T>>,
    ) -> Self {
        Self { word, meaning, keys, read }
    }

    /// Its descriptor.
    pub(crate) fn variant(&self) -> Variant {
        Variant { word: self.word, meaning: self.meaning, keys: (self.keys)() }
    }

    /// What its keys say in a table; none if an error has been reported.
    pub(crate) fn read(&self, table: &Table, scope: &mut T::Scope<'_>) -> Option<Arc<T>> {
        (self.read)(table, scope)
    }
}

/// The descriptors of kinds.
pub(crate) fn variants<T: Kinded + ?Sized>(kinds: &[Kind<T>]) -> Vec<Variant> {
    kinds.iter().map(Kind::variant).collect()
}

/// The kind of this word.
pub(crate) fn find<T: Kinded + ?Sized>(
    kinds: &'static [Kind<T>],
    word: &str,
) -> Option<&'static Kind<T>> {
    kinds.iter().find(|kind| kind.word == word)
}

/// Declares how kinds of something are made of their declarations, and in which stage their keys are read.
macro_rules! declared {
    ($kind:ident in $stage:ident) => {
        impl $crate::kind::Kinded for dyn $kind {
            type Scope<'s> = $crate::scope::$stage<'s>;
        }

        impl $crate::kind::Kind<dyn $kind> {
            /// The kind that is declared by `T`.
            pub const fn of<T>() -> Self
            where
                T: $kind
                    + document::Named
                    + document::Section
                    + document::Holds<Value = T>
                    + for<'s> document::ReadTable<$crate::scope::$stage<'s>>
                    + 'static,
            {
                Self::new(T::WORD, T::MEANING, T::keys, |table, scope| {
                    T::read_table(table, scope).map(|read| std::sync::Arc::new(read) as _)
                })
            }
        }
    };
}

pub(crate) use declared;
