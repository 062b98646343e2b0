//! What an experiment file may name: methods, datasets, and the kinds of tests, figures and claims. Whoever loads a
//! file says which there are, so that a kind can be written above this room.

use std::sync::Arc;

use contract::MethodEntry;
use contract::parameter::Parameter;
use document::{Holds, Key, ReadTable, Section, Table, Variant};

use ::task::Task;

use super::{Check, Plot, Scope, Test};

/// What an experiment file may name.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The methods.
    pub methods: &'a [&'static MethodEntry],
    /// The datasets.
    pub datasets: &'a [KnownDataset],
    /// The kinds of tests, figures and claims.
    pub kinds: &'a Kinds,
}

/// A dataset of the registry.
#[derive(Debug, Clone)]
pub struct KnownDataset {
    /// Its id.
    pub id: String,
    /// The parameters that a choice may set.
    pub parameters: Vec<&'static Parameter>,
}

impl From<&str> for KnownDataset {
    /// One without parameters.
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), parameters: Vec::new() }
    }
}

impl Known<'_> {
    /// The method of this kind that serves these tasks; if none does, one of this kind.
    pub(crate) fn method(
        &self,
        kind: &str,
        tasks: &[&'static dyn Task],
    ) -> Option<&'static MethodEntry> {
        let of_kind = || self.methods.iter().copied().filter(|entry| entry.kind == kind);
        let serves = |entry: &&MethodEntry| tasks.iter().all(|task| task.serves(entry));
        of_kind().find(|entry| serves(entry)).or_else(|| of_kind().next())
    }

    pub(crate) fn dataset_ids(&self) -> Vec<String> {
        self.datasets.iter().map(|dataset| dataset.id.clone()).collect()
    }
}

/// The kinds of tests, figures and claims.
#[derive(Clone, Copy)]
pub struct Kinds {
    /// Kinds of `[[test]]`.
    pub tests: &'static [Kind<dyn Test>],
    /// Kinds of `[[figure]]`.
    pub figures: &'static [Kind<dyn Plot>],
    /// Forms of the `check` of a `[[claim]]`.
    pub claims: &'static [Kind<dyn Check>],
}

/// A word of the file with what it means, the keys that it brings, and how they are read.
pub struct Kind<T: ?Sized> {
    /// The word.
    pub word: &'static str,
    /// What it is.
    pub meaning: &'static str,
    keys: fn() -> Vec<Key>,
    read: fn(&Table, &mut Scope<'_>) -> Option<Arc<T>>,
}

impl<T: ?Sized> Kind<T> {
    /// Its descriptor.
    pub(crate) fn variant(&self) -> Variant {
        Variant { word: self.word, meaning: self.meaning, keys: (self.keys)() }
    }

    /// What its keys say in a table; none if an error has been reported.
    pub(crate) fn read(&self, table: &Table, scope: &mut Scope<'_>) -> Option<Arc<T>> {
        (self.read)(table, scope)
    }
}

/// The descriptors of kinds.
pub(crate) fn variants<T: ?Sized>(kinds: &[Kind<T>]) -> Vec<Variant> {
    kinds.iter().map(Kind::variant).collect()
}

/// The kind of this word.
pub(crate) fn find<T: ?Sized>(kinds: &'static [Kind<T>], word: &str) -> Option<&'static Kind<T>> {
    kinds.iter().find(|kind| kind.word == word)
}

macro_rules! of_declaration {
    ($($kind:ident)*) => {
        $(impl Kind<dyn $kind> {
            /// The kind that is declared by `T`.
            pub const fn of<T>(word: &'static str, meaning: &'static str) -> Self
            where
                T: $kind + Section + Holds<Value = T> + for<'s> ReadTable<Scope<'s>> + 'static,
            {
                Self {
                    word,
                    meaning,
                    keys: T::keys,
                    read: |table, scope| {
                        T::read_table(table, scope).map(|read| Arc::new(read) as Arc<dyn $kind>)
                    },
                }
            }
        })*
    };
}

of_declaration! { Test Plot Check }
