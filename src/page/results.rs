//! The page of an experiment's results.

use maud::{Markup, PreEscaped, html};
use report::Findings;
use run::{Record, Status};

use super::block::block;
use super::choices::choices;
use super::claims::claims;
use super::figures::figures;
use super::leaks::leaks;
use super::provenance::Provenance;
use super::shell::{Document, document};
use super::significance::tests;
use super::summary::summary;
use super::tables::tables;

/// How many failed trials are listed; the others are counted.
const LISTED: usize = 50;

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
            (without_value(findings.records))
            (data(findings))
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
        ("tests", "Tests", !findings.comparisons.0.is_empty()),
        ("figures", "Figures", !findings.figures.is_empty()),
        ("choices", "Choices", !findings.experiment.choices.is_empty()),
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

/// Every trial that ran and gave no value, with its message.
fn without_value(records: &[Record]) -> Markup {
    let status = |record: &Record| record.outcome.as_ref().map(|outcome| outcome.status);
    let mut failed: Vec<&Record> =
        records.iter().filter(|record| status(record).is_some_and(|s| s != Status::Ok)).collect();
    failed.sort_by_key(|record| record.trial.key);
    html! {
        @if !failed.is_empty() {
            section id="without" {
                h2 { "Trials without a value" }
                div class="scroll" tabindex="0" role="region" aria-label="Trials without a value" { table class="plain" {
                    thead { tr { th scope="col" { "Trial" } th scope="col" { "What" } th scope="col" { "Status" } th scope="col" { "Message" } } }
                    tbody { @for record in failed.iter().take(LISTED) {
                        tr {
                            td { code { (record.trial.key.short()) } }
                            td { (record.trial.place()) }
                            td { (status(record).map_or("", Status::word)) }
                            td { (record.outcome.as_ref().map_or("", |outcome| &outcome.message)) }
                        }
                    } }
                } }
                @if failed.len() > LISTED { p { "And " (failed.len() - LISTED) " more in " code { "trials.csv" } "." } }
            }
        }
    }
}

/// Whom to cite for the data.
fn data(findings: &Findings<'_>) -> Markup {
    html! {
        @if !findings.data.is_empty() {
            section id="data" {
                h2 { "Data" }
                div class="scroll" tabindex="0" role="region" aria-label="Data sets" { table class="plain" {
                    thead { tr { th scope="col" { "Data set" } th scope="col" { "Citation" } th scope="col" { "Licence" } } }
                    tbody { @for cited in findings.data {
                        tr { td { (cited.title) } td { (cited.citation) } td { (cited.licence) } }
                    } }
                } }
            }
        }
    }
}
