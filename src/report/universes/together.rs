//! What claims come to in universes, together.

use std::collections::BTreeMap;

use contract::Assignment;
use spec::{ClaimSpec, Experiment, Origin, Universe};

use super::judged::OfClaim;
use super::nearest::Nearest;
use crate::sheet::Sheet;

/// What claims come to in universes.
#[derive(Debug)]
pub struct Universes<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The universes, the chosen one first.
    pub rows: &'a [Universe],
    /// The claims that are judged there.
    pub claims: Vec<OfClaim<'a>>,
    /// How many repeats they have.
    pub repeats: usize,
    /// How many repeats a set of seeds has.
    pub set: usize,
    /// The others, and why they are not.
    pub unjudged: Vec<(&'a ClaimSpec, &'static str)>,
    /// The universe that comes nearest to the published values, if the paper prints any.
    pub nearest: Option<Nearest>,
}

/// The universes, for programs.
pub fn list(experiment: &Experiment, rows: &[Universe]) -> Vec<u8> {
    let numbered: Vec<(usize, &Universe)> = rows.iter().enumerate().collect();
    type Row<'r> = &'r (usize, &'r Universe);
    let others = |universe: &Universe| universe.others(&experiment.choices, |_| true);
    Sheet::of("", &numbered)
        .value("universe", |(at, _): Row<'_>| *at)
        .value("origin", |(_, universe)| universe.origin.word())
        .value("away", |(_, universe)| others(universe).len())
        .value("options", |(_, universe)| {
            let others = others(universe).into_iter();
            let own: Assignment =
                others.map(|(choice, option)| (choice.id.clone(), option.to_string())).collect();
            own.to_string()
        })
        .sheet()
        .csv()
}

/// Whether all universes are in such a list.
pub fn lists_all(list: &[u8]) -> bool {
    let rows = csv::Reader::from_reader(list).into_deserialize::<BTreeMap<String, String>>();
    rows.flatten().any(|row| row.get("origin").is_some_and(|own| own == Origin::Listed.word()))
}
