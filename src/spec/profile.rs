//! Profiles: overrides for a fast pass, `run --profile NAME`.

use super::patterns::FOLDER;
use document::{Content, Entry, Faults, Node, Table, suggestion};

/// The name of the profile that every file has: its leak check.
pub(crate) const LEAK: &str = "leak";

/// Sections whose entries a profile can override, by id where they are repeated.
const SINGLE: &str = "task";
const REPEATED: &[&str] = &["part", "method", "choice"];

/// The most profiles of a file: under each of them all of the file is checked.
const MOST_PROFILES: usize = 100;

/// The profiles of a file by name.
pub(super) fn profiles<'a>(root: &'a Table, faults: &mut Faults) -> Vec<(&'a str, &'a Table)> {
    let Some(entry) = root.entry("profile") else { return Vec::new() };
    let Some(all) = entry.node.table() else {
        faults.wrong("profile", &entry.node, "tables `[profile.NAME]`");
        return Vec::new();
    };
    if let Some(beyond) = all.entries.get(MOST_PROFILES) {
        let message = format!("the file has more than {MOST_PROFILES} profiles");
        faults.at(&beyond.key_span, message, "one too many").help("remove those that nobody runs");
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in &all.entries {
        if !FOLDER.accepts(&entry.key) {
            let message = format!("`{}` can't be the name of a profile", entry.key);
            faults.at(&entry.key_span, message, format!("expected {}", FOLDER.expected));
        }
        if entry.key == LEAK {
            let message = "`leak` is the profile that every file has";
            faults
                .at(&entry.key_span, message, "expected another name")
                .help("`[leak]` says how `reprise leak` checks");
        }
        match entry.node.table() {
            Some(table) => found.push((entry.key.as_str(), table)),
            None => {
                faults.wrong(&entry.key, &entry.node, "a table of overrides");
            }
        }
    }
    found
}

/// The file with a profile's overrides in place. Values keep the places where they stand, so that
/// errors point into the profile.
pub(super) fn apply(root: &Table, profile: &Table, faults: &mut Faults) -> Table {
    let mut root = root.clone();
    for section in &profile.entries {
        let Some(overrides) = section.node.table() else {
            faults.wrong(&section.key, &section.node, "a table of overrides");
            continue;
        };
        if section.key == SINGLE {
            merge_single(&mut root, SINGLE, overrides, false);
        } else if REPEATED.contains(&section.key.as_str()) {
            merge_named(&mut root, &section.key, overrides, false, faults);
        } else {
            let names = ["task", "part", "method", "choice"];
            let message = format!("a profile can't override `{}`", section.key);
            faults
                .at(&section.key_span, message, "unknown key")
                .maybe_help(suggestion(&section.key, &names));
        }
    }
    root
}

/// Overrides keys of the section of this name.
pub(super) fn merge_single(root: &mut Table, section: &str, overrides: &Table, deep: bool) {
    match root.entries.iter_mut().find(|entry| entry.key == section) {
        Some(Entry { node: Node { content: Content::Table(table), .. }, .. }) => {
            merge(table, overrides, deep);
        }
        Some(_) => {}
        None => root.entries.push(Entry {
            key: section.to_owned(),
            key_span: overrides.span.clone(),
            node: Node { content: Content::Table(overrides.clone()), span: overrides.span.clone() },
        }),
    }
}

/// Overrides keys of the tables of a section, by their ids.
pub(super) fn merge_named(
    root: &mut Table,
    section: &str,
    overrides: &Table,
    deep: bool,
    faults: &mut Faults,
) {
    let ids: Vec<String> = root.tables(section).filter_map(|table| table.string("id")).collect();
    for entry in &overrides.entries {
        let id = Some(entry.key.as_str());
        let target = root.tables_mut(section).find(|table| table.text("id") == id);
        match (target, entry.node.table()) {
            (Some(table), Some(keys)) => {
                if let Some(id) = keys.entry("id") {
                    faults.at(&id.key_span, "an id can't be changed", "remove this");
                }
                merge(table, keys, deep);
            }
            (None, _) => {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                let message = format!("there is no {section} `{}` to override", entry.key);
                let fault = faults.at(&entry.key_span, message, format!("unknown {section}"));
                fault.maybe_help(suggestion(&entry.key, &ids));
            }
            (_, None) => {
                faults.wrong(&entry.key, &entry.node, "a table of overrides");
            }
        }
    }
}

/// A table whose keys are axes is merged key by key, or if `deep`, one whose keys are all there; any other value replaces
/// that of the file.
fn merge(table: &mut Table, overrides: &Table, deep: bool) {
    for entry in &overrides.entries {
        let axes = entry.key == "sweep" || entry.key == "grid";
        let old = table.entries.iter_mut().find(|old| old.key == entry.key);
        match (old.map(|old| &mut old.node.content), entry.node.table()) {
            (Some(Content::Table(old)), Some(new))
                if axes || deep && new.entries.iter().all(|key| old.get(&key.key).is_some()) =>
            {
                merge(old, new, deep);
            }
            _ => table.set(entry.clone()),
        }
    }
}
