//! TOML as a tree in which every key and value knows its place.

use std::ops::Range;

use contract::Value;

/// Bytes of the file that a key or value stands on.
pub type Span = Range<usize>;

/// A value and its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub content: Content,
    /// Its place; that of the header for a `[table]`.
    pub span: Span,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Content {
    /// A truth value, number or text.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
    /// A date or time, which no key wants.
    Date,
    /// A number that does not fit its type; already reported.
    Unreadable,
}

/// Keys and values in the order of the file.
#[derive(Debug, Clone)]
pub struct Table {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Place of the table: its header or its braces.
    pub span: Span,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its place.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl Content {
    /// What it is, in words.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Scalar(Value::Bool(_)) => "a truth value",
            Self::Scalar(Value::Integer(_)) => "a whole number",
            Self::Scalar(Value::Real(_)) => "a number",
            Self::Scalar(Value::Text(_)) => "text",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Date => "a date",
            Self::Unreadable => "a number out of range",
        }
    }

    /// Whether the two are the same value; `1` and `1.0` are.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(Value::Integer(a)), Self::Scalar(Value::Real(b)))
            | (Self::Scalar(Value::Real(b)), Self::Scalar(Value::Integer(a))) => *a as f64 == *b,
            (Self::Scalar(a), Self::Scalar(b)) => a == b,
            _ => false,
        }
    }
}

impl Node {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A text that others may own.
    pub fn string(&self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    /// The truth value, if it is one.
    pub fn flag(&self) -> Option<bool> {
        self.scalar()?.flag()
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<&Value> {
        match &self.content {
            Content::Scalar(value) => Some(value),
            _ => None,
        }
    }

    /// The number, whole or not, if it is one.
    pub fn real(&self) -> Option<f64> {
        self.scalar()?.number()
    }

    /// The whole number from zero, if it is one.
    pub fn count(&self) -> Option<usize> {
        self.scalar()?.count()
    }

    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.content {
            Content::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The items of a list; a single value is a list of itself.
    pub fn items(&self) -> &[Node] {
        match &self.content {
            Content::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }
}

/// Each accessor is none where the key is absent or of another type; the latter has been reported
/// when the table's shape was checked.
impl Table {
    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// Sets a key, in place if it is there.
    pub fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// A text that others may own.
    pub fn string(&self, key: &str) -> Option<String> {
        self.get(key)?.string()
    }

    /// A table.
    pub fn table(&self, key: &str) -> Option<&Table> {
        self.get(key)?.table()
    }

    /// The tables of a `[[section]]`; none where it is absent.
    pub fn tables(&self, key: &str) -> impl Iterator<Item = &Table> {
        self.get(key).map_or(&[][..], Node::items).iter().filter_map(Node::table)
    }

    /// The table of a `[[section]]` with this id.
    pub fn named(&self, section: &str, id: &str) -> Option<&Table> {
        self.tables(section).find(|table| table.text("id") == Some(id))
    }

    /// Where the value of a key stands; where the table does, if it is absent.
    pub fn span_of(&self, key: &str) -> Span {
        self.get(key).map_or(&self.span, |node| &node.span).clone()
    }

    /// The tables of a `[[section]]`, to change them.
    pub fn tables_mut(&mut self, key: &str) -> impl Iterator<Item = &mut Table> {
        let entry = self.entries.iter_mut().find(|entry| entry.key == key);
        let items = entry.and_then(|entry| match &mut entry.node.content {
            Content::List(items) => Some(items),
            _ => None,
        });
        items.into_iter().flatten().filter_map(|item| match &mut item.content {
            Content::Table(table) => Some(table),
            _ => None,
        })
    }
}
