//! What `--set` changes in a file: keys with their values, merged before anything is checked.

use base::bounded::MOST_WRITTEN;
use document::{DocumentErrors, Faults, Table, suggestion};

use super::profile::{merge_named, merge_single};

/// What errors call the text of an overlay.
const NAME: &str = "--set";

/// Sections that stand once, and those that are repeated.
const SINGLE: [&str; 3] = ["experiment", "task", "leak"];
const REPEATED: [&str; 7] = ["part", "method", "choice", "test", "table", "figure", "claim"];

/// Keys with their values, one a line, as TOML writes them: `task.repeats = 5`, `method.NB.smoothing = 0.5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay(String);

/// A setting that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no setting: write KEY=VALUE, such as task.repeats=5 or method.NB.smoothing=0.5")]
pub struct NotASetting(String);

/// A sealed file that is no overlay.
#[derive(Debug, thiserror::Error)]
#[error("it is not UTF-8 text, or too long")]
pub struct NotAnOverlay;

impl Overlay {
    /// That of these settings, `KEY=VALUE` each; none if there are none. A value that is no TOML is a text.
    ///
    /// # Errors
    /// Which of them is none.
    pub fn of(settings: &[String]) -> Result<Option<Self>, NotASetting> {
        let line = |setting: &String| {
            let wrong = || NotASetting(setting.clone());
            let (key, value) = setting.split_once('=').ok_or_else(wrong)?;
            let (key, value) = (key.trim(), value.trim());
            let text = toml::Value::String(value.to_owned()).to_string();
            let lines = [value, &text].map(|value| format!("{key} = {value}\n"));
            let one = |line: &String| {
                !line.trim_end().contains('\n')
                    && line.parse::<toml::Table>().is_ok_and(|table| table.len() == 1)
            };
            lines.into_iter().find(one).ok_or_else(wrong)
        };
        let mut lines = settings.iter().map(line).collect::<Result<Vec<String>, NotASetting>>()?;
        // Their order on the command line says nothing.
        lines.sort();
        Ok((!lines.is_empty()).then(|| Self(lines.concat())))
    }

    /// That of a sealed file.
    ///
    /// # Errors
    /// If it is not UTF-8 text, or longer than any that is written.
    pub fn of_text(bytes: Vec<u8>) -> Result<Self, NotAnOverlay> {
        let long = bytes.len() as u64 > MOST_WRITTEN;
        let text = String::from_utf8(bytes).ok().filter(|_| !long);
        text.map(Self).ok_or(NotAnOverlay)
    }

    /// Its lines.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The settings as a command line has them.
    pub fn settings(&self) -> impl Iterator<Item = String> {
        self.0.lines().map(|line| line.replacen(" = ", "=", 1))
    }

    /// Its keys and values, with places behind a text of so many bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(&self, behind: usize) -> Result<Table, DocumentErrors> {
        let mut faults = Faults::new(NAME, "").with_behind(behind, NAME, &self.0);
        // Blanks in place of the text that it stands behind.
        let table = document::parse(&(" ".repeat(behind) + &self.0), &mut faults);
        if faults.is_empty() { Ok(table) } else { Err(faults.into_errors(NAME)) }
    }
}

/// No errors yet in a file and in what is set behind it.
pub(crate) fn faults(file: impl ToString, text: &str, overlay: Option<&Overlay>) -> Faults {
    let faults = Faults::new(file, text);
    match overlay {
        Some(overlay) => faults.with_behind(text.len(), NAME, overlay.text()),
        None => faults,
    }
}

/// Sets keys of a file. Values keep the places where they stand, so that errors point at them.
pub(crate) fn apply(root: &mut Table, overlay: &Table, faults: &mut Faults) {
    for section in &overlay.entries {
        let name = section.key.as_str();
        let Some(keys) = section.node.table() else {
            faults.wrong(name, &section.node, "a key of a section, such as `task.repeats`");
            continue;
        };
        if SINGLE.contains(&name) {
            if let Some(id) = keys.entry("id").filter(|_| name == "experiment") {
                faults.at(&id.key_span, "an experiment's id can't be set", "remove this").help(
                    "its results lie in the folder of its id: name another one with --results",
                );
            }
            merge_single(root, name, keys, true);
        } else if REPEATED.contains(&name) {
            merge_named(root, name, keys, true, faults);
        } else {
            let names = [&SINGLE[..], &REPEATED[..]].concat();
            let message = format!("no key of `{name}` can be set");
            faults
                .at(&section.key_span, message, "unknown section")
                .maybe_help(suggestion(name, &names));
        }
    }
}
