//! Checks tables against the descriptors of their keys: unknown keys, missing keys, wrong types. What the keys refer
//! to is checked when they are read.

use std::ops::Range;

use super::error::Faults;
use super::key::{Absent, Form, Key, Pattern, Variant, nameless};
use super::name::{instead, nearest, of_test, suggestion};
use super::parse::literal;
use super::schema::required;
use super::tree::{Content, Entry, Node, Span, Table};
use contract::Value;
use contract::parameter::{Domain, Parameter};

/// Checks the keys that a table has; `heading` is what errors call it where it may have no others. Keys that it lacks:
/// see [`complete`].
pub fn check(table: &mut Table, keys: &[Key], heading: Option<&str>, faults: &mut Faults) {
    for entry in &mut table.entries {
        match (keys.iter().find(|key| key.name == entry.key), heading) {
            (Some(key), _) => check_form(&key.form, key.name, &mut entry.node, faults),
            (None, Some(heading)) => faults.unknown_key(entry, heading, &names(keys)),
            (None, None) => {}
        }
    }
}

/// Reports required keys that are absent, unless a misspelling of them has been, and gives the
/// others their defaults. `all` are the names of all keys that the table can have.
pub fn complete<'k>(
    table: &mut Table,
    keys: impl IntoIterator<Item = &'k Key>,
    all: &[&str],
    heading: &str,
    faults: &mut Faults,
) {
    let misspelt: Vec<&str> = table
        .entries
        .iter()
        .filter(|entry| !all.contains(&entry.key.as_str()))
        .filter_map(|entry| nearest(&entry.key, all.iter().copied()))
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
            Absent::Preset(_) | Absent::Means(_) => {}
        }
    }
}

/// The variant that the `kind` of a table names.
pub fn kind<'v>(
    table: &Table,
    heading: &str,
    variants: &'v [Variant],
    faults: &mut Faults,
) -> Option<&'v Variant> {
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

fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// Checks one value.
fn check_form(form: &Form, name: &str, node: &mut Node, faults: &mut Faults) {
    let span = node.span.clone();
    match (form, &mut node.content) {
        (_, Content::Unreadable) | (Form::Any, Content::Scalar(_)) => {}
        (Form::One(domain), _) => check_domain(*domain, name, node, faults),
        (Form::Text(pattern), _) => {
            if !node.text().is_some_and(|text| pattern.accepts(text)) {
                faults.wrong(name, node, pattern.expected);
            }
        }
        (Form::Name(names), Content::Scalar(Value::Text(text))) => {
            let words = names.words();
            match of_test(text, &words) {
                _ if words.contains(&text.as_str()) => {}
                Some(word) => word.clone_into(text),
                None => drop(faults.unknown(names.noun, text, &span, &words)),
            }
        }
        (Form::Name(names), _) => {
            faults.wrong(name, node, &format!("a {}, as text", names.noun));
        }
        (Form::List(item) | Form::OneOrMany(item), Content::List(items)) => {
            check_list(item, name, items, &span, faults);
        }
        (Form::OneOrMany(item), _) => check_form(item, name, node, faults),
        (Form::Table(keys), _) => check_inner(keys, (name, &format!("`{name}`")), node, faults),
        (Form::OneOf(variants), Content::Table(table)) => {
            check_one_of(variants, name, table, &span, faults);
        }
        (Form::Row(item), Content::List(items)) => {
            items.iter_mut().for_each(|node| check_form(item, name, node, faults));
        }
        (Form::Range, Content::List(_)) => {
            if range(node).is_none() {
                faults.wrong(name, node, &form.expected());
            }
        }
        (Form::ByKind(variants), Content::Table(table)) => {
            let heading = format!("`{name}`");
            let Some(variant) = kind(table, &heading, variants, faults) else { return };
            closed(table, &[vec![kind_key()], variant.keys.clone()].concat(), &heading, faults);
        }
        (Form::Lists(noun), Content::Table(table)) => {
            check_lists(noun, name, table, &span, faults);
        }
        (Form::Tables(_, keys), Content::Table(table)) => {
            for Entry { key, node, .. } in &mut table.entries {
                check_inner(keys, (key, &format!("`{key}`")), node, faults);
            }
        }
        (Form::Either(forms), content) => match forms.iter().find(|form| form.suits(content)) {
            Some(form) => check_form(form, name, node, faults),
            None => drop(faults.wrong(name, node, &form.expected())),
        },
        (
            Form::Any
            | Form::List(_)
            | Form::OneOf(_)
            | Form::Row(_)
            | Form::Range
            | Form::ByKind(_)
            | Form::Lists(_)
            | Form::Tables(..),
            _,
        ) => drop(faults.wrong(name, node, &form.expected())),
    }
}

impl Form {
    /// Whether a value of this type could be meant.
    fn suits(&self, content: &Content) -> bool {
        use Content::{List, Scalar, Table};
        match (self, content) {
            (Self::One(Domain::Bool), Scalar(Value::Bool(_)))
            | (Self::One(Domain::Integer { .. }), Scalar(Value::Integer(_)))
            | (Self::One(Domain::Real { .. }), Scalar(Value::Integer(_) | Value::Real(_)))
            | (
                Self::One(Domain::Word(_)) | Self::Text(_) | Self::Name(_),
                Scalar(Value::Text(_)),
            )
            | (Self::Any, Scalar(_))
            | (Self::List(_) | Self::Row(_) | Self::Range, List(_))
            | (Self::Table(_) | Self::OneOf(_) | Self::ByKind(_), Table(_))
            | (Self::Lists(_) | Self::Tables(..), Table(_)) => true,
            (Self::OneOrMany(item), content) => matches!(content, List(_)) || item.suits(content),
            (Self::Either(forms), content) => forms.iter().any(|form| form.suits(content)),
            _ => false,
        }
    }
}

/// A value in a domain, brought into the domain's type.
fn check_domain(domain: Domain, name: &str, node: &mut Node, faults: &mut Faults) {
    match node.scalar().map(|value| nameless(domain).check(value.clone())) {
        Some(Ok(value)) => node.content = Content::Scalar(value),
        Some(Err(expected)) => {
            let help = match (domain, node.text()) {
                (Domain::Word(words), Some(text)) => {
                    let near = nearest(text, words.iter().map(|(word, _)| word));
                    let near = near.map(|word| format!("did you mean {word:?}?"));
                    near.or_else(|| instead(name, text))
                }
                _ => None,
            };
            faults.wrong(name, node, &expected).maybe_help(help);
        }
        None => {
            let several = matches!(node.content, Content::List(_)).then(|| {
                format!("it takes one value; of a method, grid = {{ {name} = […] }} tries several and selects one, sweep = {{ {name} = […] }} shows each")
            });
            faults.wrong(name, node, &nameless(domain).expected()).maybe_help(several);
        }
    }
}

/// Checks the value of a method's parameter.
pub fn check_parameter(parameter: &Parameter, node: &mut Node, faults: &mut Faults) {
    check_form(&Form::One(parameter.domain), parameter.name, node, faults);
}

fn check_list(form: &Form, name: &str, items: &mut [Node], span: &Span, faults: &mut Faults) {
    if items.len() > MOST_ITEMS {
        let message = format!("`{name}` has {} items", items.len());
        faults.at(span, message, format!("expected at most {MOST_ITEMS}"));
        return;
    }
    for item in items.iter_mut() {
        match form {
            Form::Table(keys) => {
                check_inner(keys, (name, &format!("an item of `{name}`")), item, faults);
            }
            _ => check_form(form, name, item, faults),
        }
    }
    check_items(items, span, name, faults);
}

/// The most items of a list: every two are compared.
pub const MOST_ITEMS: usize = 10_000;

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

/// A table under a key; `heading` is what errors call it.
fn check_inner(keys: &[Key], (name, heading): (&str, &str), node: &mut Node, faults: &mut Faults) {
    let Content::Table(table) = &mut node.content else {
        let required = required(keys);
        let given = node.scalar().filter(|_| required.len() == 1).map(ToString::to_string);
        let value = given.as_deref().unwrap_or("…");
        let inner: Vec<String> = required.iter().map(|key| format!("{key} = {value}")).collect();
        let help = format!("write {name} = {{ {} }}", inner.join(", "));
        faults
            .wrong(name, node, &format!("a table with {}", names(keys).join(", ")))
            .maybe_help((!required.is_empty()).then_some(help));
        return;
    };
    closed(table, keys, heading, faults);
}

/// Checks a table that has these keys and no others, and completes it.
pub fn closed(table: &mut Table, keys: &[Key], heading: &str, faults: &mut Faults) {
    check(table, keys, Some(heading), faults);
    complete(table, keys, &names(keys), heading, faults);
}

/// The `kind` of a table; which there are is looked at by [`kind`].
pub fn kind_key() -> Key {
    static WORD: Pattern = Pattern::new("word", "text", "");
    Key {
        name: "kind",
        form: Form::Text(&WORD),
        absent: Absent::Means("required"),
        meaning: "one of those below; further keys depend on it",
    }
}

/// A range, if it is one that holds something.
pub fn range(node: &Node) -> Option<Range<usize>> {
    let Content::List(ends) = &node.content else { return None };
    let [first, end] = ends.as_slice() else { return None };
    Some(first.count()?..end.count()?).filter(|range| !range.is_empty())
}

fn check_one_of(
    variants: &[Variant],
    name: &str,
    table: &mut Table,
    span: &Span,
    faults: &mut Faults,
) {
    let words: Vec<&str> = variants.iter().map(|variant| variant.word).collect();
    let count = table.entries.len();
    for entry in &mut table.entries {
        match variants.iter().find(|variant| variant.word == entry.key) {
            Some(Variant { word, keys, .. }) => {
                check_inner(keys, (word, &format!("`{word}`")), &mut entry.node, faults);
            }
            None => faults.unknown_key(entry, &format!("`{name}`"), &words),
        }
    }
    if count != 1 {
        let message = format!("`{name}` has {count} keys");
        let expected = Form::OneOf(variants.to_vec()).expected();
        faults.at(span, message, format!("expected {expected}"));
    }
}

fn check_lists(noun: &str, name: &str, table: &Table, span: &Span, faults: &mut Faults) {
    if table.entries.is_empty() {
        faults.at(span, format!("`{name}` is empty"), format!("expected at least one {noun}"));
    }
    for entry in &table.entries {
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
            Content::List(items) if items.len() > MOST_ITEMS => {
                let message = format!("`{}` has {} items", entry.key, items.len());
                faults.at(&entry.node.span, message, format!("expected at most {MOST_ITEMS}"));
            }
            Content::List(items) => {
                check_items(items, &entry.node.span, &entry.key, faults);
            }
            _ => {
                let help = instead(name, &entry.key);
                faults.wrong(&entry.key, &entry.node, "a list of values").maybe_help(help);
            }
        }
    }
}
