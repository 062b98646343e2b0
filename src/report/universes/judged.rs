//! A claim in all universes.

use spec::{ClaimSpec, Finding, Strength, Verdict};

use super::importance::{Importance, Unweighed};

/// An option that turns a claim by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alone {
    /// The option.
    pub option: (usize, usize),
    /// On so many repeats, as the chosen options do not.
    pub repeats: usize,
}

/// A claim in all universes.
#[derive(Debug)]
pub struct OfClaim<'a> {
    /// The claim.
    pub spec: &'a ClaimSpec,
    /// What it comes to in each.
    pub judged: Vec<Finding>,
    /// The choices that bear on it, by their places.
    pub bearing: Vec<usize>,
    /// What it comes to in the chosen universe on each set of seeds; none if these are fewer than three, or its test is over
    /// repeats.
    pub seeds: Option<Vec<Verdict>>,
    /// The options that turn it by themselves.
    pub alone: Vec<Alone>,
    /// What it comes to on all repeats of the chosen universe.
    pub sealed: Verdict,
    /// What it hangs on by the paper's own numbers.
    pub published: Option<Strength>,
    /// Main effects of the choices on what its verdict hangs on.
    pub weighed: Result<Importance, Unweighed>,
}
