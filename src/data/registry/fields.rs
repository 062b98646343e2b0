//! The fields of a registry's tables: each accessor gives what the field holds, or none where it is
//! absent or wrong, which it reports.

use std::ops::Range;

use crate::limits;
use contract::Value;
use contract::parameter::Typed;
use contract::words::Words;
use document::{Content, Faults, Node, Span, Table, suggestion};

/// A table with what errors call it.
pub(super) struct Fields<'a> {
    pub table: &'a Table,
    pub heading: String,
}

impl<'a> Fields<'a> {
    /// Whether the field is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The place of a field's value, or of the table if it has none.
    pub fn place(&self, key: &str) -> Span {
        self.table.get(key).map_or(&self.table.span, |node| &node.span).clone()
    }

    /// Reports every field that is not known.
    pub fn only(&self, known: &[&str], faults: &mut Faults) {
        for entry in &self.table.entries {
            if !known.contains(&entry.key.as_str()) {
                faults.unknown_key(entry, &self.heading, known);
            }
        }
    }

    /// Reports that a field is missing.
    pub fn missing(&self, key: &str, what: &str, faults: &mut Faults) {
        faults.missing(self.table, key, &self.heading).help(format!("`{key}`: {what}"));
    }

    fn needed(&self, key: &str, what: &str, faults: &mut Faults) {
        if !self.has(key) {
            self.missing(key, what, faults);
        }
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        value: impl FnOnce(&'a Node) -> Option<T>,
        faults: &mut Faults,
    ) -> Option<T> {
        let node = self.table.get(key)?;
        let value = value(node);
        // An unreadable number is reported already.
        if value.is_none() && !matches!(node.content, Content::Unreadable) {
            faults.wrong(key, node, expected);
        }
        value
    }

    /// A table, if it is there.
    pub fn inner(&self, key: &str, faults: &mut Faults) -> Option<Self> {
        let table = self.read(key, "a table", Node::table, faults)?;
        Some(Self { table, heading: format!("`{key}`") })
    }

    /// A table that must be there.
    pub fn needed_inner(&self, key: &str, what: &str, faults: &mut Faults) -> Option<Self> {
        self.needed(key, what, faults);
        self.inner(key, faults)
    }

    /// The tables of a list that must be there.
    pub fn needed_tables(&self, key: &str, what: &str, faults: &mut Faults) -> Option<Vec<Self>> {
        self.needed(key, what, faults);
        let tables = |node: &'a Node| match &node.content {
            Content::List(items) if items.len() <= limits::TABLES => {
                items.iter().map(Node::table).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let expected = format!("a list of at most {} tables", limits::TABLES);
        let tables = self.read(key, &expected, tables, faults)?;
        if tables.is_empty() {
            let message = format!("`{key}` is empty");
            faults.at(&self.place(key), message, "expected at least one item");
        }
        let heading = format!("an item of `{key}`");
        Some(tables.iter().map(|table| Self { table, heading: heading.clone() }).collect())
    }

    /// A text, if it is there.
    pub fn text(&self, key: &str, faults: &mut Faults) -> Option<&'a str> {
        self.read(key, "text", Node::text, faults)
    }

    /// A text that must be there.
    pub fn needed_text(&self, key: &str, what: &str, faults: &mut Faults) -> Option<String> {
        self.needed(key, what, faults);
        self.text(key, faults).map(str::to_owned)
    }

    /// A list of texts, if it is there.
    pub fn texts(&self, key: &str, faults: &mut Faults) -> Option<Vec<String>> {
        let texts = |node: &'a Node| match &node.content {
            Content::List(items) => {
                items.iter().map(|item| item.text().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        self.read(key, "a list of texts", texts, faults)
    }

    /// The value of a parameter, or its default if it is not there.
    pub fn parameter<P: Typed>(&self, typed: &P, faults: &mut Faults) -> Option<P::Read> {
        let parameter = typed.parameter();
        if !self.has(parameter.name) {
            return typed.read(&parameter.default.into());
        }
        let value = |node: &'a Node| parameter.check(node.scalar()?.clone()).ok();
        let value = self.read(parameter.name, &parameter.expected(), value, faults)?;
        typed.read(&value)
    }

    /// One of a list of words, if it is there.
    pub fn word<T: Copy>(&self, key: &str, words: &Words<T>, faults: &mut Faults) -> Option<T> {
        let text = self.text(key, faults)?;
        let found = words.value(text);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| word).collect();
            let message = format!("`{text}` is no {key}");
            faults
                .at(&self.place(key), message, format!("known: {}", names.join(", ")))
                .maybe_help(suggestion(text, &names));
        }
        found
    }

    /// One of a list of words, which must be there.
    pub fn needed_word<T: Copy>(
        &self,
        key: &str,
        words: &Words<T>,
        faults: &mut Faults,
    ) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| word).collect();
        self.needed(key, &format!("one of {}", names.join(", ")), faults);
        self.word(key, words, faults)
    }

    /// A whole number, if it is there.
    pub fn whole(&self, key: &str, faults: &mut Faults) -> Option<u64> {
        let whole = |node: &Node| match node.scalar()? {
            Value::Integer(whole) => u64::try_from(*whole).ok(),
            _ => None,
        };
        self.read(key, "a whole number from 0", whole, faults)
    }

    /// A whole number that must be there.
    pub fn needed_whole(&self, key: &str, what: &str, faults: &mut Faults) -> Option<u64> {
        self.needed(key, what, faults);
        self.whole(key, faults)
    }

    /// A number of things that must be there, at most `most`.
    pub fn needed_size(
        &self,
        key: &str,
        what: &str,
        most: usize,
        faults: &mut Faults,
    ) -> Option<usize> {
        self.needed(key, what, faults);
        let size = |node: &Node| node.count().filter(|&size| size <= most);
        self.read(key, &format!("a whole number from 0 to {most}"), size, faults)
    }

    /// A list of numbers of things that must be there.
    pub fn needed_sizes(&self, key: &str, what: &str, faults: &mut Faults) -> Option<Vec<usize>> {
        self.needed(key, what, faults);
        let sizes = |node: &Node| match &node.content {
            Content::List(items) => items.iter().map(Node::count).collect(),
            _ => None,
        };
        self.read(key, "a list of whole numbers from 0", sizes, faults)
    }

    /// A real number that must be there.
    pub fn needed_real(&self, key: &str, what: &str, faults: &mut Faults) -> Option<f64> {
        self.needed(key, what, faults);
        self.read(key, "a number", finite, faults)
    }

    /// A list of real numbers that must be there.
    pub fn needed_reals(&self, key: &str, what: &str, faults: &mut Faults) -> Option<Vec<f64>> {
        self.needed(key, what, faults);
        let reals = |node: &Node| match &node.content {
            Content::List(items) => items.iter().map(finite).collect(),
            _ => None,
        };
        self.read(key, "a list of numbers", reals, faults)
    }

    /// `[first, end]`, the end excluded, if it is there.
    pub fn range(&self, key: &str, faults: &mut Faults) -> Option<Range<usize>> {
        let ends = |node: &Node| {
            let [first, end] = pair(node)?;
            Some(first.count()?..end.count()?).filter(|range| !range.is_empty())
        };
        self.read(key, "[first, end] with 0 <= first < end, the end excluded", ends, faults)
    }

    /// Two real numbers that must be there.
    pub fn needed_pair(&self, key: &str, what: &str, faults: &mut Faults) -> Option<[f64; 2]> {
        self.needed(key, what, faults);
        let ends = |node: &Node| {
            let [low, high] = pair(node)?;
            Some([low.real()?, high.real()?])
        };
        self.read(key, "two numbers, [low, high]", ends, faults)
    }
}

fn finite(node: &Node) -> Option<f64> {
    node.real().filter(|value| value.is_finite())
}

fn pair(node: &Node) -> Option<&[Node; 2]> {
    match &node.content {
        Content::List(items) => items.as_slice().try_into().ok(),
        _ => None,
    }
}
