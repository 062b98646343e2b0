//! What an experiment file may name. Whoever loads a file says which methods, tasks, datasets and kinds there are, so that
//! each can be written above this room.

use std::path::Path;

use super::catalogue::Catalogue;
use super::claim::Check;
use super::figure::Plot;
use super::kind::Kind;
use super::scope::KnownDataset;
use super::test::Test;

/// What a program knows by name, datasets aside: the lists that it hands to a session.
#[derive(Debug)]
pub struct Lists {
    /// The methods, tasks and metrics.
    pub catalogue: Catalogue,
    /// The kinds of tests, figures and claims.
    pub kinds: Kinds,
}

/// What an experiment file may name.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// All but the datasets.
    pub lists: &'static Lists,
    /// The datasets.
    pub datasets: &'a [KnownDataset],
    /// The folder that the code of programs lies in; none: that of the file.
    pub code: Option<&'a Path>,
}

/// The kinds of tests, figures and claims.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// Kinds of `[[test]]`.
    pub tests: &'static [Kind<dyn Test>],
    /// Kinds of `[[figure]]`.
    pub figures: &'static [Kind<dyn Plot>],
    /// Forms of the `check` of a `[[claim]]`.
    pub claims: &'static [Kind<dyn Check>],
}
