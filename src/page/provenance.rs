//! Where results come from.

use std::collections::BTreeMap;

use maud::{Markup, html};
use seal::Manifest;

use super::commands::Commands;
use super::shell::command;

/// Where results come from.
pub struct Provenance<'a> {
    /// The manifest, with the digest.
    pub manifest: &'a Manifest,
    /// What is on record of the machine and the program.
    pub machine: &'a BTreeMap<String, String>,
    /// The commands that make them again.
    pub commands: &'a Commands,
}

/// What people read for what is on record of the machine.
const RECORDED: [(&str, &str); 7] = [
    ("commit", "commit"),
    ("dirty", "uncommitted changes"),
    ("sources", "SHA-256 of the sources"),
    ("rustc", "compiler"),
    ("cpu", "processor"),
    ("os", "system"),
    ("jobs", "worker threads"),
];

impl Provenance<'_> {
    /// The commands, and a table of all that the results depend on.
    pub fn section(&self) -> Markup {
        let Self { manifest, machine, commands } = self;
        html! {
            section id="again" {
                h2 { "Make it again" }
                p { "Runs every trial and writes results beside these; two runs agree if their digests do." }
                (command(&commands.run()))
                p { "Compares every byte of these results with their seal, executes three paths again and makes everything else anew." }
                (command(&commands.audit()))
                p { "Asks whether the results are those of this digest." }
                (command(&commands.expect(manifest.digest)))
                div class="scroll" tabindex="0" role="region" aria-label="Provenance" { table class="facts" {
                    tbody {
                        tr { th scope="row" { "digest" } td { code { (manifest.digest) } } }
                        tr { th scope="row" { "version" } td { "reprise " (manifest.reprise) ", layout " (manifest.layout) } }
                        tr { th scope="row" { "experiment file" } td { code { (manifest.spec) } } }
                        @for (key, words) in RECORDED {
                            @if let Some(value) = machine.get(key) {
                                tr { th scope="row" { (words) } td { code { (value) } } }
                            }
                        }
                        @for (kind, revision) in &manifest.methods {
                            tr { th scope="row" { "method " (kind) } td { "revision " (revision) } }
                        }
                        @for (id, digest) in &manifest.datasets {
                            tr { th scope="row" { "data " (id) } td { code { (digest) } } }
                        }
                    }
                } }
            }
        }
    }
}
