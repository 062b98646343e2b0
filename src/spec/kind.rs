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
    pub(crate) keys: fn() -> Vec<Key>,
    pub(crate) read: for<'s> fn(&Table, &mut T::Scope<'s>) -> Option<Arc<T>>,
}

impl<T: Kinded + ?Sized> Kind<T> {
    /// What people call it: how its meaning begins.
    pub fn called(&self) -> &'static str {
        self.meaning.split([':', ';']).next().unwrap_or(self.meaning)
    }
}

impl<T: Kinded + ?Sized> fmt::Debug for Kind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

/// The descriptors of kinds.
pub(crate) fn variants<T: Kinded + ?Sized>(kinds: &[Kind<T>]) -> Vec<Variant> {
    let variant =
        |&Kind { word, meaning, keys, .. }: &Kind<T>| Variant { word, meaning, keys: keys() };
    kinds.iter().map(variant).collect()
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
                let read: for<'s> fn(&_, &mut $crate::scope::$stage<'s>) -> _ = |table, scope| {
                    T::read_table(table, scope).map(|read| std::sync::Arc::new(read) as _)
                };
                Self { word: T::WORD, meaning: T::MEANING, keys: T::keys, read }
            }
        }
    };
}

pub(crate) use declared;
