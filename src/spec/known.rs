//! What an experiment file may name: methods, datasets, and the kinds of tests, figures and claims. Whoever loads a
//! file says which there are, so that a kind can be written above this room.

use std::path::Path;

use contract::MethodEntry;

use super::claim::Check;
use super::figure::Plot;
use super::kind::Kind;
use super::scope::KnownDataset;
use super::test::Test;

/// What an experiment file may name.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The methods.
    pub methods: &'a [&'static MethodEntry],
    /// The datasets.
    pub datasets: &'a [KnownDataset],
    /// The folder that the code of programs lies in; none: that of the file.
    pub code: Option<&'a Path>,
    /// The kinds of tests, figures and claims.
    pub kinds: &'a Kinds,
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
