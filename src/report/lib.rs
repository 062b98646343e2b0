//! The report: tables, tests, claims, choices and figures from the records of trials. It never
//! trains and never reads a clock.

mod answer;
mod axis;
mod cells;
mod choices;
pub mod claims;
mod counts;
mod evidence;
pub mod figure;
mod files;
mod findings;
mod grid;
pub mod leak;
mod page;
mod pairs;
mod panels;
mod published;
mod screen;
pub mod sheet;
pub mod sheets;
pub mod significance;
mod sizes;
mod summary;
pub mod table;
pub mod tested;
pub mod universes;
mod values;

use std::collections::BTreeMap;

use document::DocumentErrors;
use run::Record;
use spec::{Experiment, Kinds};

pub use axis::{Header, Titles};
pub use cells::{Cell, Noise};
pub use choices::Effect;
pub use counts::Counts;
pub use findings::Findings;
pub use screen::Screen;
pub use spec::Verdict;
pub use summary::Summary;

/// The kinds of tests, figures and claims that experiment files may name. Each is one file and one line in its list.
pub static KINDS: Kinds =
    Kinds { tests: significance::KINDS, figures: figure::KINDS, claims: claims::KINDS };

/// What an experiment's records amount to.
#[derive(Debug)]
pub struct Report {
    /// Files by their path in the results folder. Those under [`TIMING`](base::layout::TIMING) read a clock; all others
    /// have the same bytes for the same records, times aside.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Tables and verdicts for a person at a terminal; no colours. The part over metrics that read
    /// a clock comes last.
    pub terminal: Screen,
    /// How trials ended and claims were judged.
    pub summary: Summary,
    /// How many methods leak on how many datasets, where that was checked.
    pub leaking: usize,
    /// How many are suspicious.
    pub suspicious: usize,
    /// The tables that ask for values of which there is not one.
    pub valueless: Vec<String>,
}

/// A dataset, with whom to cite for it.
#[derive(Debug, Clone)]
pub struct Cited {
    /// What people read.
    pub title: String,
    /// Whom to cite.
    pub citation: String,
    /// Licence as stated at the source.
    pub licence: String,
}

/// Checks that no `[[difference]]` names a cell that, by these records, agrees with the paper or is not in its table.
///
/// # Errors
/// The places of all that do. Cells without a value are let pass.
pub fn check_differences(
    experiment: &Experiment,
    records: &[Record],
    titles: Titles,
) -> Result<(), DocumentErrors> {
    let any = !experiment.differences.is_empty();
    any.then(|| Findings::new(experiment, records, titles, &[])).transpose().map(|_| ())
}
