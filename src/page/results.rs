//! The page of an experiment's results.

use maud::{Markup, PreEscaped, html};
use report::sheet::Sheet;
use report::{Findings, sheets};

use super::block::block;
use super::choices::choices;
use super::claims::claims;
use super::figures::{figures, titled};
use super::leaks::leaks;
use super::provenance::Provenance;
use super::sheet::sheet;
use super::shell::{Document, document};
use super::significance::tests;
use super::summary::summary;
use super::tables::tables;

/// The page of an experiment's results.
pub fn results(findings: &Findings<'_>, provenance: &Provenance<'_>) -> String {
    let experiment = findings.experiment;
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
            (contents(findings))
        }
        main {
            (summary(findings))
            (leaks(findings))
            (claims(findings))
            (tables(findings))
            (tests(findings))
            (figures(findings))
            (choices(findings))
            (universes(findings))
            (section("without", &sheets::without_value(findings.records)))
            (section("data", &sheets::data(findings.data)))
            (provenance.section())
        }
        footer {
            p { "Made by reprise " (provenance.manifest.reprise) " from sealed files alone. Digest " code { (provenance.manifest.digest) } "." }
        }
        dialog id="cell" aria-labelledby="cell-title" {}
        // Data, which no browser takes for a script.
        script type="application/octet-stream" id="trials" { (PreEscaped(block(findings, provenance.commands))) }
    };
    document(Document { title: &experiment.title, body })
}

/// What claims come to in universes of choices.
fn universes(findings: &Findings<'_>) -> Markup {
    let Some(universes) = &findings.universes else { return html! {} };
    let claims = universes.sheet();
    html! {
        section id="universes" {
            h2 { (claims.title) }
            (sheet(&claims))
            @for (spec, svg) in universes.figures() {
                figure id=(format!("figure-{}", spec.id)) {
                    @match svg {
                        Ok(svg) => (PreEscaped(titled(&svg, &spec.title))),
                        Err(why) => p { "Not drawn: " (why) "." },
                    }
                    figcaption { (spec.title) " · " code { "universes/" (spec.id) ".svg" } }
                }
            }
        }
    }
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
    text + beside + complete
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn contents(findings: &Findings<'_>) -> Markup {
    let parts = [
        ("summary", "Summary", true),
        ("leaks", "Verdicts", findings.leaks.is_some()),
        ("claims", "Claims", !findings.claims.is_empty()),
        ("tables", "Tables", !findings.tables.is_empty()),
        ("tests", "Tests", !findings.comparisons.rows.is_empty()),
        ("figures", "Figures", !findings.figures.is_empty()),
        ("choices", "Choices", !findings.experiment.choices.is_empty()),
        ("universes", "Universes", findings.universes.is_some()),
        ("data", "Data", !findings.data.is_empty()),
        ("again", "Make it again", true),
    ];
    html! {
        nav aria-label="Parts of this page" {
            @for (id, name, _) in parts.iter().filter(|(.., there)| *there) {
                a href=(format!("#{id}")) { (name) } " "
            }
        }
    }
}

/// A section of one sheet, if it has rows.
fn section(id: &str, rows: &Sheet) -> Markup {
    html! { @if !rows.rows.is_empty() { section id=(id) { h2 { (rows.title) } (sheet(rows)) } } }
}
