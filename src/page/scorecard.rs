//! The scorecard: how far each paper is reproduced.

use std::collections::BTreeMap;

use base::text::columns;
use base::words::Worded as _;
use maud::{Markup, html};
use report::table::Agreement;
use spec::Verdict;

use super::shell::{Document, bar, document};
use super::summary::{duration, meaning};

/// How far papers are reproduced.
#[derive(Debug, Default)]
pub struct Scorecard {
    /// By citation, each with its experiments in the order of their ids.
    pub papers: BTreeMap<String, Vec<Scored>>,
}

/// An experiment's results, counted.
#[derive(Debug)]
pub struct Scored {
    /// Its id, which is the path of its folder too.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The file that a person opens: the page, where there is one.
    pub opens: &'static str,
    /// Whether its bytes are as they were sealed, and whether every trial is in it.
    pub state: State,
    /// Published cells by how ours stand to them.
    pub cells: BTreeMap<Agreement, usize>,
    /// Claims by verdict.
    pub claims: BTreeMap<Verdict, usize>,
    /// Seconds of all trials.
    pub seconds: f64,
    /// Why cells differ, as the experiment file says.
    pub notes: Vec<Note>,
}

/// Whether results can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As they were sealed, with every trial.
    Sealed,
    /// As they were sealed, and trials are missing.
    Incomplete,
    /// Changed after they were sealed.
    Changed,
}

impl State {
    /// What people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Incomplete => "incomplete",
            Self::Changed => "changed after sealing",
        }
    }
}

/// Why some cells of a table differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The table.
    pub table: String,
    /// Its cells: rows, then columns.
    pub cells: [Vec<String>; 2],
    /// Whether it is a cause, and no list of what was tried.
    pub cause: bool,
    /// The sentence.
    pub text: String,
    /// What shows it: a choice or a heading of a document.
    pub shown: Vec<String>,
}

impl Scored {
    /// Cells that are reproduced, by rounding or within noise.
    fn reproduced(&self) -> usize {
        self.of(Agreement::Rounding) + self.of(Agreement::Noise)
    }

    fn of(&self, agreement: Agreement) -> usize {
        self.cells.get(&agreement).copied().unwrap_or(0)
    }

    fn claims(&self, verdict: Verdict) -> usize {
        self.claims.get(&verdict).copied().unwrap_or(0)
    }

    fn counts(&self) -> [usize; 8] {
        let cells: usize = self.cells.values().sum();
        [
            cells,
            self.reproduced(),
            self.of(Agreement::Explained),
            self.of(Agreement::Unexplained),
            self.of(Agreement::NoNoiseKnown),
            self.claims(Verdict::Holds),
            self.claims(Verdict::Fails),
            self.claims(Verdict::Undecided),
        ]
    }
}

/// What stands over the counts.
const COUNTED: [&str; 8] = [
    "cells",
    "reproduced",
    "explained",
    "unexplained",
    "no noise known",
    "claims hold",
    "fail",
    "undecided",
];

fn sum(experiments: &[Scored]) -> [usize; 8] {
    experiments
        .iter()
        .map(Scored::counts)
        .fold([0; 8], |sum, counts| std::array::from_fn(|at| sum[at] + counts[at]))
}

impl Scorecard {
    /// For a terminal.
    pub fn text(&self, width: usize) -> String {
        let mut text = String::new();
        for (paper, experiments) in &self.papers {
            let header = ["experiment"].into_iter().chain(COUNTED).chain(["time", "state"]);
            let mut rows: Vec<[String; 11]> = vec![filled(header.map(str::to_owned))];
            let line = |id: &str, counts: [usize; 8], seconds: f64, state: &str| {
                let counts = counts.map(|n| n.to_string());
                let ends = [duration(seconds), state.to_owned()];
                filled([id.to_owned()].into_iter().chain(counts).chain(ends))
            };
            for one in experiments {
                rows.push(line(&one.id, one.counts(), one.seconds, one.state.word()));
            }
            let seconds = experiments.iter().map(|one| one.seconds).sum();
            rows.push(line("all", sum(experiments), seconds, ""));
            text += &format!("{paper}\n{}\n", columns(&rows, &[1, 2, 3, 4, 5, 6, 7, 8, 9], width));
        }
        text
    }

    /// As a page, whose links lead to the folders beside it.
    pub fn page(&self) -> String {
        let body = html! {
            header class="top" {
                h1 { "What is reproduced" }
                p { "Every experiment that re-runs something of a paper: how its cells stand to the printed ones, and what became of the paper's claims." }
            }
            main {
                section id="rule" {
                    h2 { "The rule" }
                    p { "A published cell counts as the first of these that holds. Reproduced are the first two together." }
                    dl class="rules" {
                        @for (word, agreement) in Agreement::WORDS.iter() {
                            dt { span class=(format!("key {word}")) {} (word.replace('-', " ")) }
                            dd { (meaning(agreement)) }
                        }
                    }
                }
                @for (paper, experiments) in &self.papers { (of_paper(paper, experiments)) }
            }
        };
        document(Document { title: "What is reproduced", body })
    }
}

fn filled<const N: usize>(cells: impl Iterator<Item = String>) -> [String; N] {
    let mut cells = cells;
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

fn of_paper(paper: &str, experiments: &[Scored]) -> Markup {
    let all = sum(experiments);
    // A column in which nothing is counted says nothing.
    let counted = || (0..all.len()).filter(|&at| all[at] > 0);
    html! {
        section {
            h2 { (paper) }
            @if all[0] > 0 {
                (bar(&[("good", all[1]), ("told", all[2]), ("open", all[4]), ("bad", all[3])]))
            }
            p class="lead" {
                @if all[0] > 0 {
                    "Of " (all[0]) " published cells " (all[1]) " are reproduced, " (all[2]) " explained, "
                    (all[3] + all[4]) " neither. "
                }
                (all[5]) " claims hold, " (all[6]) " fail, " (all[7]) " are undecided."
            }
            div class="scroll" tabindex="0" role="region" aria-label=(paper) { table class="results scored" {
                thead { tr {
                    th scope="col" class="corner" { "Experiment" }
                    @for at in counted() { th scope="col" class="n" { (COUNTED[at]) } }
                    th scope="col" class="n" { "time" } th scope="col" { "state" }
                } }
                tbody { @for one in experiments {
                    tr data-experiment=(one.id) {
                        th scope="row" { a href=(format!("{}/{}", one.id, one.opens)) { (one.id) } br; span class="note" { (one.title) } }
                        @let counts = one.counts();
                        @for at in counted() { td class="n" { @if counts[at] > 0 { (counts[at]) } } }
                        td class="n" { (duration(one.seconds)) } td { (one.state.word()) }
                    }
                } }
            } }
            @for one in experiments.iter().filter(|one| !one.notes.is_empty()) {
                details {
                    summary { "Why cells of " code { (one.id) } " differ: " (one.notes.len()) @if one.notes.len() == 1 { " note" } @else { " notes" } }
                    ul { @for note in &one.notes {
                        li {
                            @if !note.cause { "Not explained. Tried: " }
                            (note.text.trim_end_matches('.')) ". "
                            span class="note" {
                                (note.table) ": " (note.cells[0].join(", ")) " / " (note.cells[1].join(", "))
                                @if !note.shown.is_empty() { " · " (note.shown.join("; ")) }
                            }
                        }
                    } }
                }
            }
        }
    }
}
