//! A claim in all universes.

use spec::{ClaimSpec, Finding, Strength, Verdict};

use super::importance::{Importance, Unweighed};

/// A claim in all universes.
#[derive(Debug)]
pub struct OfClaim<'a> {
    /// The claim.
    pub spec: &'a ClaimSpec,
    /// What it comes to in each.
    pub judged: Vec<Finding>,
    /// The choices that bear on it, by their places.
    pub bearing: Vec<usize>,
    /// What it comes to on each repeat of the chosen universe alone; none if these are fewer than three, or its test is
    /// over repeats.
    pub seeds: Option<Vec<Verdict>>,
    /// What it comes to on all repeats of the chosen universe.
    pub sealed: Verdict,
    /// What it hangs on by the paper's own numbers.
    pub published: Option<Strength>,
    /// Main effects of the choices on what its verdict hangs on.
    pub weighed: Result<Importance, Unweighed>,
}
