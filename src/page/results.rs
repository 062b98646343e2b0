//! The page of an experiment's results.

use base::text::counted;
use maud::{Markup, PreEscaped, html};
use report::sheet::Sheet;
use report::{Findings, sheets};

use super::block::{block, holds};
use super::choices::choices;
use super::claims::claims;
use super::figures::{drawn, figures};
use super::leaks::leaks;
use super::provenance::Provenance;
use super::sheet::sheet;
use super::shell::document;
use super::significance::tests;
use super::summary::summary;
use super::tables::tables;

/// The page of an experiment's results.
pub fn results(findings: &Findings<'_>, provenance: &Provenance<'_>) -> String {
    let experiment = findings.experiment;
    let parts = [
        ("summary", "Summary", summary(findings)),
        ("leaks", "Verdicts", leaks(findings)),
        ("tables", "Tables", tables(findings)),
        ("claims", "Claims", claims(findings)),
        ("tests", "Significance tests", tests(findings)),
        ("figures", "Figures", figures(findings)),
        ("choices", "Choices", choices(findings)),
        ("universes", "Claims in universes of choices", universes(findings)),
        ("without", "Trials without a value", rows(&sheets::without_value(findings.records))),
        ("data", "Data", rows(&sheets::data(findings.data))),
        ("again", "Make it again", provenance.section()),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(.., body)| !body.0.is_empty()).collect();
    let body = html! {
        header class="top" {
            p class="kicker" { "Results of experiment " code { (experiment.id) } }
            h1 { (experiment.title) }
            @if let Some(paper) = &experiment.paper {
                p class="paper" {
                    (paper.citation)
                    @if let Some(link) = &paper.link { " " a href=(link) rel="noreferrer" { (link) } }
                }
            }
            p { (what(findings, provenance)) }
            nav aria-label="Parts of this page" {
                @for (id, title, _) in &parts { a href=(format!("#{id}")) { (title) } " " }
            }
        }
        main { @for (id, title, body) in &parts { section id=(id) { h2 { (title) } (body) } } }
        footer {
            p { "Made by reprise " (provenance.manifest.reprise) " from sealed files alone. Digest " code { (provenance.manifest.digest) } "." }
        }
        dialog id="cell" aria-labelledby="cell-title" {}
        // Data, which no browser takes for a script.
        script type="application/octet-stream" id="trials" { (PreEscaped(block(findings, provenance.commands))) }
    };
    document(&experiment.title, &body)
}

/// What claims come to in universes of choices.
fn universes(findings: &Findings<'_>) -> Markup {
    html! { @if let Some(universes) = &findings.universes {
        (sheet(&universes.sheet()))
        @for (spec, svg) in universes.figures() {
            @let under = html! { figcaption { (spec.title) " · " code { "universes/" (spec.id) ".svg" } } };
            (drawn(&spec.id, &spec.title, svg.as_ref(), &under))
        }
    } }
}

/// What this is, in two sentences.
fn what(findings: &Findings<'_>, provenance: &Provenance<'_>) -> String {
    let experiment = findings.experiment;
    let ours = experiment.methods.iter().filter(|method| !method.published_only()).count();
    let text = format!(
        "{} trials of {} on {}, seed {}, run and sealed by reprise {}.",
        findings.records.len(),
        counted(ours, "method"),
        counted(findings.data.len(), "data set"),
        experiment.seed,
        provenance.manifest.reprise
    );
    let paper = experiment.tables.iter().any(|table| table.published.is_some());
    let beside = if paper { " Every value that the paper prints stands beside ours." } else { "" };
    let complete =
        if provenance.manifest.complete { "" } else { " Some trials are still missing." };
    let absent = match holds(findings) {
        true => "",
        false => {
            " They are too many for this page: trials.csv has them, and `reprise explain` those behind a cell."
        }
    };
    text + beside + complete + absent
}

/// A sheet, if it has rows.
fn rows(all: &Sheet) -> Markup {
    html! { @if !all.rows.is_empty() { (sheet(all)) } }
}
