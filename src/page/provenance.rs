//! Where results come from.

use std::collections::BTreeMap;

use maud::{Markup, html};
use report::sheet::{Cell, Sheet};
use seal::Manifest;

use super::commands::Commands;
use super::sheet::sheet;
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
        let Self { manifest, commands, .. } = self;
        html! {
            p { "Runs every trial and writes results beside these; two runs agree if their digests do." }
            (command(&commands.run()))
            @if let Some(local) = &commands.local {
                p { code { "--data-dir" } " names the folder that has " code { (local.file.display()) } "; the commands are for the one that " code { "results" } " lies in." }
            }
            p { "Compares every byte of these results with their seal, executes three paths again and makes everything else anew." }
            (command(&commands.audit()))
            p { "Asks whether the results are those of this digest." }
            (command(&commands.expect(manifest.digest)))
            (sheet(&self.facts()))
        }
    }

    /// All that the results depend on.
    fn facts(&self) -> Sheet {
        let Self { manifest, machine, .. } = self;
        let code = |what: &str, is: &dyn ToString| (what.to_owned(), Cell::code(is.to_string()));
        let version = format!("reprise {}, layout {}", manifest.reprise, manifest.layout);
        let recorded = RECORDED.iter().filter_map(|(key, words)| Some((words, machine.get(*key)?)));
        let methods = manifest.methods.iter().map(|(kind, revision)| {
            (format!("method {kind}"), Cell::from(format!("revision {revision}")))
        });
        let datasets = manifest.datasets.iter();
        let first = [
            code("digest", &manifest.digest),
            ("version".to_owned(), version.into()),
            code("experiment file with its files", &manifest.spec),
        ];
        let facts: Vec<(String, Cell)> = first
            .into_iter()
            .chain(recorded.map(|(words, value)| code(words, value)))
            .chain(methods)
            .chain(datasets.map(|(id, digest)| code(&format!("data {id}"), digest)))
            .collect();
        Sheet::of("Provenance", &facts)
            .shown("What", |(what, _): &(String, Cell)| &**what)
            .shown("Is", |(_, is)| is.clone())
            .named()
            .sheet()
    }
}
