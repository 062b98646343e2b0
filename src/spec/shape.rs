//! Checks a tree against the descriptors of its keys: unknown keys, missing keys, wrong types. What
//! the keys refer to is checked after that.

use super::Known;
use super::file::{self, SECTIONS, VERSION};
use super::key::{Absent, Form, Key, Kinds, Section, Variant, parameter};
use contract::parameter::{Domain, Parameter, Value};
use contract::{METRICS, TaskKind};
use document::{Content, Entry, Faults, Node, Span, Table, literal, nearest, suggestion};

/// Checks a whole file, and gives absent keys their defaults (those of `[task]` and `[[part]]`
/// excepted, which are merged first: see [`complete`]).
pub(super) fn check(root: &mut Table, known: &Known<'_>, faults: &mut Faults) {
    if !version_is_known(root, faults) {
        return;
    }
    let tasks = Tasks::of(root);
    for entry in &mut root.entries {
        match file::section(&entry.key) {
            Some(section) => check_section(section, entry, (known, &tasks), faults),
            None if entry.key == "schema" || entry.key == "profile" => {}
            None => {
                let names: Vec<&str> = ["schema", "profile"]
                    .into_iter()
                    .chain(SECTIONS.iter().map(|section| section.name))
                    .collect();
                faults.unknown_key(entry, "an experiment file", &names);
            }
        }
    }
    for section in SECTIONS {
        if section.required && root.get(section.name).is_none() {
            faults
                .at(&(0..0), format!("the file lacks {}", section.heading()), "nowhere in the file")
                .help(section.meaning);
        }
    }
}

/// The tasks of a file, each with the methods that it names; none where all methods run.
pub(super) struct Tasks(Vec<(TaskKind, Option<Vec<String>>)>);

impl Tasks {
    /// The tasks of a file: that of `[task]`, or those of its parts.
    pub(super) fn of(root: &Table) -> Self {
        let task = root.table("task");
        let parts: Vec<&Table> = root.tables("part").collect();
        let read = |part: Option<&Table>| {
            let get = |key: &str| {
                part.and_then(|part| part.get(key)).or_else(|| task.and_then(|task| task.get(key)))
            };
            let word = get("kind")?.text()?;
            let kind = TaskKind::ALL.iter().find(|(known, _)| *known == word)?.1;
            let texts = |node: &Node| {
                node.items().iter().filter_map(Node::text).map(str::to_owned).collect()
            };
            Some((kind, get("methods").map(texts)))
        };
        Self(if parts.is_empty() {
            read(None).into_iter().collect()
        } else {
            parts.into_iter().filter_map(|part| read(Some(part))).collect()
        })
    }

    /// The tasks that a `[[method]]` runs in.
    pub(super) fn of_method(&self, method: &Table) -> Vec<TaskKind> {
        let id = method.text("id");
        let named = |ids: &Option<Vec<String>>| {
            ids.as_ref().is_none_or(|ids| ids.iter().any(|named| Some(named.as_str()) == id))
        };
        self.0.iter().filter(|(_, ids)| named(ids)).map(|(kind, _)| *kind).collect()
    }
}

fn version_is_known(root: &Table, faults: &mut Faults) -> bool {
    let help = format!("this version of reprise reads `schema = {VERSION}`");
    match root.get("schema") {
        None => {
            faults.at(&(0..0), "the file lacks `schema`", "expected before all else").help(help);
            true
        }
        Some(node) => match node.scalar() {
            Some(Value::Integer(VERSION)) => true,
            Some(Value::Integer(_)) => {
                let label = format!("expected {VERSION}");
                faults.at(&node.span, "unknown version of the format", label).help(help);
                false
            }
            _ => {
                faults.wrong("schema", node, "a whole number").help(help);
                true
            }
        },
    }
}

impl Section {
    /// How its tables begin.
    pub fn heading(&self) -> String {
        if self.repeated { format!("`[[{}]]`", self.name) } else { format!("`[{}]`", self.name) }
    }
}

fn check_section(
    section: &'static Section,
    entry: &mut Entry,
    known: (&Known<'_>, &Tasks),
    faults: &mut Faults,
) {
    match &mut entry.node.content {
        Content::Table(table) if !section.repeated => check_table(section, table, known, faults),
        Content::List(items) if section.repeated => {
            for item in items {
                match &mut item.content {
                    Content::Table(table) => check_table(section, table, known, faults),
                    _ => {
                        faults.wrong(section.name, item, "a table");
                    }
                }
            }
        }
        _ => {
            let message = format!("`{}` must be written {}", section.name, section.heading());
            faults.at(&entry.key_span, message, format!("expected {}", section.heading()));
        }
    }
}

fn check_table(
    section: &'static Section,
    table: &mut Table,
    (known, tasks): (&Known<'_>, &Tasks),
    faults: &mut Faults,
) {
    let mut keys: Vec<&'static Key> = section.keys.iter().copied().flatten().collect();
    let mut parameters: &'static [Parameter] = &[];
    let mut kind_is_known = true;
    let mut heading = section.heading();
    match section.kinds {
        Kinds::None => {}
        Kinds::Listed(variants) => match listed_kind(table, &heading, variants, faults) {
            Some(variant) => {
                keys.extend(variant.keys);
                heading = format!("{heading} of kind `{}`", variant.word);
            }
            None => kind_is_known = false,
        },
        Kinds::Methods => match table.get("kind").and_then(Node::text) {
            Some(kind) => match known.method(kind, &tasks.of_method(table)) {
                Some(entry) => {
                    parameters = entry.parameters;
                    heading = format!("a method of kind `{kind}`");
                }
                None => kind_is_known = false,
            },
            None => kind_is_known = table.flag("published_only") == Some(true),
        },
    }
    let mut names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    names.extend(parameters.iter().map(|parameter| parameter.name));
    if matches!(section.kinds, Kinds::Listed(_)) {
        names.push("kind");
    }
    for entry in &mut table.entries {
        if let Some(key) = keys.iter().find(|key| key.name == entry.key) {
            check_form(&key.form, key.name, &mut entry.node, faults);
        } else if let Some(parameter) = parameters.iter().find(|p| p.name == entry.key) {
            check_parameter(parameter, &mut entry.node, faults);
        } else if kind_is_known && !names.contains(&entry.key.as_str()) {
            faults.unknown_key(entry, &heading, &names);
        }
    }
    // `[task]` and `[[part]]` are completed when they are merged.
    match section.name {
        "task" => keys.clear(),
        "part" => keys.retain(|key| key.name == "id"),
        _ => {}
    }
    complete(table, &keys, &names, &heading, faults);
}

fn listed_kind(
    table: &Table,
    heading: &str,
    variants: &'static [Variant],
    faults: &mut Faults,
) -> Option<&'static Variant> {
    let words: Vec<&str> = variants.iter().map(|variant| variant.word).collect();
    let Some(node) = table.get("kind") else {
        faults.missing(table, "kind", heading).maybe_help(suggestion("", &words));
        return None;
    };
    let Some(word) = node.text() else {
        faults.wrong("kind", node, "text").maybe_help(suggestion("", &words));
        return None;
    };
    let variant = variants.iter().find(|variant| variant.word == word);
    if variant.is_none() {
        faults
            .at(&node.span, format!("{heading} knows no kind `{word}`"), "unknown kind")
            .maybe_help(suggestion(word, &words));
    }
    variant
}

/// Reports required keys that are absent, unless a misspelling of them has been, and gives the
/// others their defaults. `names` are all keys that the table can have.
pub(super) fn complete(
    table: &mut Table,
    keys: &[&Key],
    names: &[&str],
    heading: &str,
    faults: &mut Faults,
) {
    let misspelt: Vec<&str> = table
        .entries
        .iter()
        .filter(|entry| !names.contains(&entry.key.as_str()))
        .filter_map(|entry| nearest(&entry.key, names.iter().copied()))
        .collect();
    for key in keys {
        if table.get(key.name).is_some() {
            continue;
        }
        match key.absent {
            Absent::Required if misspelt.contains(&key.name) => {}
            Absent::Required => {
                faults.missing(table, key.name, heading).help(format!(
                    "`{}` is {}; expected {}",
                    key.name,
                    key.meaning,
                    key.form.expected()
                ));
            }
            Absent::Value(text) => {
                if let Some(node) = literal(text, &table.span) {
                    let key_span = table.span.clone();
                    table.entries.push(Entry { key: key.name.to_owned(), key_span, node });
                }
            }
            Absent::Means(_) => {}
        }
    }
}

/// The keys of `[task]`, which parts share.
pub(super) fn task_keys() -> Vec<&'static Key> {
    file::section("task").map_or(Vec::new(), |task| task.keys.iter().copied().flatten().collect())
}

/// Checks one value.
fn check_form(form: &'static Form, name: &str, node: &mut Node, faults: &mut Faults) {
    if matches!(node.content, Content::Unreadable) {
        return;
    }
    match form {
        Form::One(domain) => check_domain(*domain, name, node, faults),
        Form::Text(pattern) => {
            if !node.text().is_some_and(pattern.accepts) {
                faults.wrong(name, node, pattern.expected);
            }
        }
        Form::Any => {
            if node.scalar().is_none() {
                faults.wrong(name, node, &form.expected());
            }
        }
        Form::TaskKind => {
            let words: Vec<&str> = TaskKind::ALL.iter().map(|(word, _)| *word).collect();
            check_word(&words, "kind of task", name, node, faults);
        }
        Form::Metric => {
            let words: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
            check_word(&words, "metric", name, node, faults);
        }
        Form::List(item) => check_list(item, name, node, faults),
        Form::OneOrMany(item) => match node.content {
            Content::List(_) => check_list(item, name, node, faults),
            _ => check_form(item, name, node, faults),
        },
        Form::Table(keys) => check_inner(keys, name, node, faults),
        Form::OneOf(variants) => check_one_of(variants, name, node, faults),
        Form::Axes => check_axes(name, node, faults),
        Form::Either(forms) => {
            let suited = forms.iter().find(|form| form.suits(&node.content));
            match suited {
                Some(form) => check_form(form, name, node, faults),
                None => {
                    faults.wrong(name, node, &form.expected());
                }
            }
        }
    }
}

impl Form {
    /// Whether a value of this type could be meant.
    fn suits(&self, content: &Content) -> bool {
        match (self, content) {
            (Self::One(Domain::Bool), Content::Scalar(Value::Bool(_)))
            | (Self::One(Domain::Integer { .. }), Content::Scalar(Value::Integer(_)))
            | (
                Self::One(Domain::Real { .. }),
                Content::Scalar(Value::Integer(_) | Value::Real(_)),
            )
            | (
                Self::One(Domain::Word(_)) | Self::Text(_) | Self::TaskKind | Self::Metric,
                Content::Scalar(Value::Text(_)),
            )
            | (Self::Any, Content::Scalar(_))
            | (Self::List(_), Content::List(_))
            | (Self::Table(_) | Self::OneOf(_) | Self::Axes, Content::Table(_)) => true,
            (Self::OneOrMany(item), content) => {
                matches!(content, Content::List(_)) || item.suits(content)
            }
            (Self::Either(forms), content) => forms.iter().any(|form| form.suits(content)),
            _ => false,
        }
    }
}

/// A value in a domain, brought into the domain's type.
fn check_domain(domain: Domain, name: &str, node: &mut Node, faults: &mut Faults) {
    match node.scalar().map(|value| parameter(domain).check(value.clone())) {
        Some(Ok(value)) => node.content = Content::Scalar(value),
        Some(Err(expected)) => {
            let word = match (domain, node.text()) {
                (Domain::Word(words), Some(text)) => {
                    nearest(text, words.iter().map(|(word, _)| *word))
                }
                _ => None,
            };
            faults
                .wrong(name, node, &expected)
                .maybe_help(word.map(|word| format!("did you mean {word:?}?")));
        }
        None => {
            faults.wrong(name, node, &super::key::expected(domain));
        }
    }
}

/// A method's parameter.
pub(super) fn check_parameter(parameter: &Parameter, node: &mut Node, faults: &mut Faults) {
    if matches!(node.content, Content::Unreadable) {
        return;
    }
    check_domain(parameter.domain, parameter.name, node, faults);
}

fn check_word(words: &[&str], noun: &str, name: &str, node: &Node, faults: &mut Faults) {
    match node.text() {
        Some(text) if words.contains(&text) => {}
        Some(text) => {
            faults.unknown(noun, text, &node.span, words);
        }
        None => {
            faults.wrong(name, node, &format!("a {noun}, as text"));
        }
    }
}

fn check_list(form: &'static Form, name: &str, node: &mut Node, faults: &mut Faults) {
    let span = node.span.clone();
    let Content::List(items) = &mut node.content else {
        faults.wrong(name, node, &format!("a list; each item {}", form.expected()));
        return;
    };
    for item in items.iter_mut() {
        check_form(form, name, item, faults);
    }
    check_items(items, &span, name, faults);
}

/// A list is not empty and its items differ.
fn check_items(items: &[Node], span: &Span, name: &str, faults: &mut Faults) {
    if items.is_empty() {
        faults.at(span, format!("`{name}` is empty"), "expected at least one item");
    }
    for (index, item) in items.iter().enumerate() {
        if items[..index].iter().any(|earlier| earlier.content.same(&item.content)) {
            faults.at(&item.span, format!("`{name}` has this item twice"), "again");
        }
    }
}

fn check_inner(keys: &'static [Key], name: &str, node: &mut Node, faults: &mut Faults) {
    let Content::Table(table) = &mut node.content else {
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        faults.wrong(name, node, &format!("a table with {}", names.join(", ")));
        return;
    };
    let heading = format!("`{name}`");
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    for entry in &mut table.entries {
        match keys.iter().find(|key| key.name == entry.key) {
            Some(key) => check_form(&key.form, key.name, &mut entry.node, faults),
            None => faults.unknown_key(entry, &heading, &names),
        }
    }
    complete(table, &keys.iter().collect::<Vec<_>>(), &names, &heading, faults);
}

fn check_one_of(variants: &'static [Variant], name: &str, node: &mut Node, faults: &mut Faults) {
    let expected = Form::OneOf(variants).expected();
    let span = node.span.clone();
    let Content::Table(table) = &mut node.content else {
        faults.wrong(name, node, &expected);
        return;
    };
    let names: Vec<&str> = variants.iter().map(|variant| variant.word).collect();
    let count = table.entries.len();
    for entry in &mut table.entries {
        match variants.iter().find(|variant| variant.word == entry.key) {
            Some(variant) => check_inner(variant.keys, variant.word, &mut entry.node, faults),
            None => faults.unknown_key(entry, &format!("`{name}`"), &names),
        }
    }
    if count != 1 {
        let message = format!("`{name}` has {count} keys");
        faults.at(&span, message, format!("expected {expected}"));
    }
}

fn check_axes(name: &str, node: &mut Node, faults: &mut Faults) {
    let span = node.span.clone();
    let Content::Table(table) = &mut node.content else {
        faults.wrong(name, node, &Form::Axes.expected());
        return;
    };
    if table.entries.is_empty() {
        faults.at(&span, format!("`{name}` is empty"), "expected at least one parameter");
    }
    for entry in &mut table.entries {
        match &entry.node.content {
            Content::List(items) if items.is_empty() => {
                faults
                    .at(
                        &entry.node.span,
                        format!("the {name} of `{}` is empty", entry.key),
                        "expected at least one value",
                    )
                    .help(format!("give values, or remove `{}` from the {name}", entry.key));
            }
            Content::List(items) => {
                check_items(items, &entry.node.span, &entry.key, faults);
            }
            _ => {
                faults.wrong(&entry.key, &entry.node, "a list of values");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::file::METHOD;

    #[test]
    fn parameters_never_hide_keys_of_a_method() {
        for entry in method::METHODS {
            for parameter in entry.parameters {
                assert!(
                    METHOD.iter().all(|key| key.name != parameter.name),
                    "{} {}",
                    entry.kind,
                    parameter.name
                );
            }
        }
    }
}
