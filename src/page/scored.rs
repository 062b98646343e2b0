//! An experiment's results, as its sealed files say them.

use base::words;
use report::Counts;
use report::table::{Agreement, Orderings};
use spec::{Source, Verdict};

/// An experiment's results, counted.
#[derive(Debug)]
pub struct Scored {
    /// Its id, which is the path of its folder too.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What files call its paper; empty if it is of none.
    pub paper: String,
    /// The file that a person opens: the page, where there is one.
    pub opens: &'static str,
    /// Whether its bytes are as they were sealed, and whether every trial is in it.
    pub state: State,
    /// Published cells by how ours stand to them.
    pub cells: Counts<Agreement>,
    /// Of each table, how the orderings that the paper's numbers show come out in ours.
    pub orderings: Vec<(String, Orderings)>,
    /// Claims by verdict.
    pub claims: Counts<Verdict>,
    /// What was found, in sentences: of claims, else of tests, else of tables.
    pub found: Vec<Claimed>,
    /// Seconds of all trials.
    pub seconds: f64,
    /// Why cells differ, as the experiment file says.
    pub notes: Vec<Note>,
}

/// What was found, in a sentence.
#[derive(Debug, Default)]
pub struct Claimed {
    /// What became of the claim, if it answers one.
    pub verdict: Option<Verdict>,
    /// The sentence.
    pub sentence: String,
    /// Whose the claim is, if this is one.
    pub source: Option<Source>,
    /// What it comes to in universes of choices, if any ran.
    pub universes: Option<InUniverses>,
}

words! {
    /// Whether results can be relied on.
    pub enum State {
        Sealed = "sealed", "as they were sealed, with every trial";
        Incomplete = "incomplete", "as they were sealed, and trials are missing";
    }
}

/// Why some cells of a table differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The table.
    pub table: String,
    /// Its cells: rows, then columns.
    pub cells: [Vec<String>; 2],
    /// How these cells stand.
    pub cells_stand: Counts<Agreement>,
    /// The sentence.
    pub text: String,
    /// What shows it: a choice or a heading of a document.
    pub shown: Vec<String>,
}

impl Note {
    /// Whether it says a cause, which some of its cells bear out.
    pub fn explains(&self) -> bool {
        [Agreement::Explained, Agreement::InPart].iter().any(|how| self.cells_stand.of(*how) > 0)
    }
}

/// What a claim comes to in universes of choices.
#[derive(Debug)]
pub struct InUniverses {
    /// In how many it was judged.
    pub all: usize,
    /// In how many of them it holds.
    pub holds: usize,
    /// In how many there is no evidence.
    pub no_evidence: usize,
    /// The choice that most of its effect hangs on, where some universe turns its verdict.
    pub decides: String,
    /// Why none is named there.
    pub undecided: String,
}
