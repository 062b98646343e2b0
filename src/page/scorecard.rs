//! The scorecard: how far each paper is reproduced.

use std::collections::BTreeMap;

use base::layout::{INDEX, OF_PAPER};
use base::text::wrapped;
use maud::{Markup, html};
use report::Counts;
use report::sheet::{Cell, Sheet};
use report::table::{Agreement, Orderings};
use serde_json::{Map, Value, json};
use spec::Verdict;

use super::conclusions;
use super::scored::{Claimed, Scored};
use super::sheet::{badge, sheet};
use super::shell::{bar, document};
use super::summary::{duration, judged, of_cells, reproduced, rules, standing, verdicts};

/// How far papers are reproduced.
#[derive(Debug, Default)]
pub struct Scorecard {
    /// By citation, those of no paper first, each with its experiments in the order of their ids.
    pub papers: BTreeMap<Option<String>, Vec<Scored>>,
    /// The results that are not counted, with what opens them.
    pub others: Vec<(String, &'static str)>,
}

/// Why results are not counted.
const OTHERS: &str = "Not counted, as they are of leak checks, profiles or settings from outside: ";

/// What stands above experiments of no paper.
const OWN: &str = "Own experiments";

/// So many sentences of an own experiment are read without opening them.
const READ: usize = 12;

fn name(paper: &Option<String>) -> &str {
    paper.as_deref().unwrap_or(OWN)
}

/// Where the experiments of a paper stand on the page.
fn place(experiments: &[Scored]) -> String {
    let paper = experiments.first().map_or("", |one| &one.paper);
    format!("paper-{}", if paper.is_empty() { "own" } else { paper })
}

/// All papers, each with what became of its claims and cells.
fn overview(papers: &BTreeMap<Option<String>, Vec<Scored>>) -> Sheet {
    type Row<'s> = (&'s Option<String>, &'s Vec<Scored>);
    let of = |n: usize, all: usize| (all > 0).then(|| format!("{n} of {all}"));
    Sheet::of("Papers", papers)
        .text("paper", "paper", |(paper, all): Row| Cell::Link {
            to: format!("#{}", place(all)),
            text: paper.as_ref().map_or(OWN, |_| &all[0].paper).to_owned(),
            note: paper.clone().unwrap_or_default(),
        })
        .number("experiments", "experiments", |(_, all)| all.len())
        .text("claims", "claims that hold", |(_, all)| {
            let claims: Counts<Verdict> = all.iter().map(|one| &one.claims).sum();
            of(claims.of(Verdict::Holds), claims.total())
        })
        .text("cells", "cells reproduced", |(_, all)| {
            let cells = cells_of(all);
            of(reproduced(&cells), cells.total())
        })
        .named()
        .sheet()
}

/// The experiments of a paper; a column in which nothing is counted says nothing.
fn sheet_of(paper: &str, experiments: &[Scored]) -> Sheet {
    let count = |n: usize| (n > 0).then_some(n);
    let mut sheet = Sheet::of(paper, experiments)
        .text("experiment", "experiment", |one: &Scored| Cell::Link {
            to: format!("{}/{}", one.id, one.opens),
            text: one.id.clone(),
            note: one.title.clone(),
        })
        .number("cells", "cells", |one| count(one.cells.total()));
    for (at, (.., how)) in standing(&Counts::default()).into_iter().enumerate() {
        sheet = sheet.number(how, &how.replace('_', " "), |one| count(standing(&one.cells)[at].1));
    }
    for (at, (.., how)) in judged(&Counts::default()).into_iter().enumerate() {
        let label = if at == 0 { "claims hold".to_owned() } else { how.replace('_', " ") };
        sheet = sheet.number(how, &label, |one| count(judged(&one.claims)[at].1));
    }
    let sheet = sheet
        .value("seconds", |one| one.seconds)
        .shown("time", |one| duration(one.seconds))
        .text("state", "state", |one| one.state.word());
    sheet.named().sheet().without_empty()
}

/// The tables of a paper's experiments, and whether methods stand in its order there.
fn orderings_of(experiments: &[Scored]) -> Sheet {
    type Row<'s> = (&'s str, &'s str, Orderings);
    let tables = experiments.iter().flat_map(|one| {
        one.orderings.iter().map(|(table, orderings)| (one.id.as_str(), table.as_str(), *orderings))
    });
    let tables = tables.filter(|(.., orderings)| orderings.printed > 0);
    Sheet::of("Orderings that print shows", tables)
        .text("experiment", "experiment", |(id, ..): Row| id)
        .text("table", "table", |(_, table, _)| table)
        .number("printed", "in print", |(.., all)| all.printed)
        .number("same", "same sign", |(.., all)| all.same)
        .number("shown", "beyond noise", |(.., all)| all.shown)
        .number("reversed", "reversed", |(.., all)| all.reversed)
        .number("tau", "Kendall's tau", |(.., all)| Cell::fixed(all.tau(), 2))
        .sheet()
}

impl Scorecard {
    /// For a terminal.
    pub fn text(&self, width: usize) -> String {
        let paper = |(paper, experiments): (&Option<String>, &Vec<Scored>)| {
            let orderings = orderings_of(experiments);
            let orderings = (!orderings.rows.is_empty()).then(|| orderings.terminal(width));
            let own = experiments.iter().filter(|_| paper.is_none());
            let found = own.flat_map(|one| {
                let sentences = one.found.iter().take(READ);
                sentences.map(|found| format!("{}: {}\n", one.id, found.sentence))
            });
            format!(
                "{}{}{}{}\n",
                sheet_of(name(paper), experiments).terminal(width),
                orderings.unwrap_or_default(),
                found.collect::<String>(),
                together(experiments)
            )
        };
        let mut text = self.papers.iter().map(paper).collect::<Vec<_>>().join("\n");
        if !self.others.is_empty() {
            let ids: Vec<&str> = self.others.iter().map(|(id, _)| id.as_str()).collect();
            text += &wrapped(&format!("{OTHERS}{}", ids.join(", ")), 0, width);
        }
        text
    }

    /// For programs, by citation: the experiments, and the orderings of their tables.
    pub fn json(&self) -> Value {
        let paper = |(paper, experiments): (&Option<String>, &Vec<Scored>)| {
            let (rows, orderings) = (sheet_of(name(paper), experiments), orderings_of(experiments));
            let of_paper = json!({ "experiments": rows.json(), "orderings": orderings.json() });
            (name(paper).to_owned(), of_paper)
        };
        self.papers.iter().map(paper).collect::<Map<_, _>>().into()
    }

    /// Its pages, by the names of their files: itself, and what may be concluded of each paper.
    pub fn pages(&self) -> Vec<(String, String)> {
        let of_paper = |(paper, experiments): (&Option<String>, &Vec<Scored>)| {
            Some((concluding(experiments)?, conclusions::page(paper.as_ref()?, experiments)?))
        };
        let conclusions = self.papers.iter().filter_map(of_paper);
        std::iter::once((INDEX.to_owned(), self.page())).chain(conclusions).collect()
    }

    /// As a page, whose links lead to the folders beside it.
    fn page(&self) -> String {
        let of_papers = self.papers.keys().any(Option::is_some);
        let title = if of_papers { "What is reproduced" } else { "What was found" };
        let body = html! {
            header class="top" {
                h1 { (title) }
                p { "Every experiment below this folder: what was found" @if of_papers { "; of those that re-run something of a paper, how its cells stand to the printed ones, and what became of its claims" } "." }
            }
            main {
                @if of_papers { section class="scored" { (sheet(&overview(&self.papers))) } }
                @if let Some(experiments) = self.papers.get(&None) { (of_paper(OWN, experiments)) }
                @if of_papers { section id="rule" {
                    h2 { "The rule" }
                    p { "A published cell counts as the first of these that holds. Reproduced are the first two together. A cell that two experiments re-run counts in both." }
                    (rules())
                    p { "An ordering is of two cells of a row, or of a column where those are compared, that differ in print by more than its rounding. Beyond noise ours differ by more than the 95% intervals of both." }
                    p { "Times are those of all trials, with those of choices and universes, one after the other." }
                } }
                @for (paper, experiments) in self.papers.iter().filter_map(|(paper, all)| Some((paper.as_ref()?, all))) {
                    (of_paper(paper, experiments))
                }
                @if !self.others.is_empty() { section id="others" {
                    p { (OTHERS) }
                    ul { @for (id, opens) in &self.others { li { a href={ (id) "/" (opens) } { (id) } } } }
                } }
            }
        };
        document(title, &body)
    }
}

/// The experiments of a paper together, in a sentence.
fn together(experiments: &[Scored]) -> String {
    let tables = experiments.iter().flat_map(|one| &one.orderings);
    let orderings: Orderings = tables.map(|(_, orderings)| *orderings).sum();
    let claims: Counts<Verdict> = experiments.iter().map(|one| &one.claims).sum();
    let orderings = orderings.text().map(|text| format!("{text}."));
    let said = [of_cells(&cells_of(experiments)), orderings, verdicts(&claims)];
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The file of what may be concluded of the paper of these experiments; none if they have no claims.
fn concluding(experiments: &[Scored]) -> Option<String> {
    let mut claims = experiments.iter().flat_map(|one| &one.found);
    let paper = &experiments.first()?.paper;
    (!paper.is_empty() && claims.any(|claim| claim.verdict.is_some()))
        .then(|| format!("{OF_PAPER}{paper}.html"))
}

fn cells_of(experiments: &[Scored]) -> Counts<Agreement> {
    experiments.iter().map(|one| &one.cells).sum()
}

fn of_paper(paper: &str, experiments: &[Scored]) -> Markup {
    let cells = cells_of(experiments);
    html! {
        section class="scored" id=(place(experiments)) {
            h2 { (paper) }
            @if cells.total() > 0 {
                (bar(&standing(&cells)))
            }
            @let text = together(experiments);
            @if !text.is_empty() { p class="lead" { (text) } }
            @if let Some(page) = concluding(experiments) {
                p { a href=(page) { "What may be concluded of it" } ": which claims stand however its open choices fall" }
            }
            (sheet(&sheet_of(paper, experiments)))
            @let orderings = orderings_of(experiments);
            @if !orderings.rows.is_empty() {
                details { summary { (orderings.title) } (sheet(&orderings)) }
            }
            @for one in experiments.iter().filter(|one| !one.found.is_empty()) {
                details open[paper == OWN && one.found.len() <= READ] {
                    summary { "What was found in " code { (one.id) } }
                    ul { @for Claimed { verdict, sentence, .. } in &one.found {
                        li { @if let Some(verdict) = verdict { (badge(*verdict, &verdict.text())) " " } (sentence) }
                    } }
                }
            }
            @for one in experiments.iter().filter(|one| !one.notes.is_empty()) {
                details {
                    summary { "Why cells of " code { (one.id) } " differ: " (one.notes.len()) @if one.notes.len() == 1 { " note" } @else { " notes" } }
                    ul { @for note in &one.notes {
                        li {
                            @if !note.explains() { "Not explained. Tried: " }
                            (note.text.trim_end_matches('.')) " (" (note.cells_stand.text(Agreement::text)) "). "
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
