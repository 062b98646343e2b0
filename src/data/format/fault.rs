//! What is wrong with a file of a table or an array, and where.

use std::fmt;

/// Something in a file is not what the registry says, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

/// A place in a table.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Place {
    /// A line, from 1.
    #[display("line {_0}")]
    Line(usize),
    /// A byte of a line, both from 1.
    #[display("line {line}, column {column}")]
    InLine {
        /// The line.
        line: usize,
        /// The byte.
        column: usize,
    },
    /// A byte of the file, from 0.
    #[display("byte {_0}")]
    Byte(usize),
    /// A byte of a document of an archive, from 0.
    #[display("document {name}, byte {byte}")]
    Document {
        /// Path of the document in the archive.
        name: String,
        /// The byte.
        byte: usize,
    },
    /// A value.
    #[display("line {line}, column `{column}`")]
    Value {
        /// Its line, from 1.
        line: usize,
        /// The name of its column.
        column: String,
    },
    /// An array, or an element of one.
    #[display("{}{}",
        name.as_ref().map_or("the array".to_owned(), |name| format!("array `{name}`")),
        at.map(|(row, column)| format!(" at [{row}, {column}]")).unwrap_or_default()
    )]
    Array {
        /// Its name, where its file has several.
        name: Option<String>,
        /// Row and column from 0, as NumPy counts.
        at: Option<(usize, usize)>,
    },
}

impl Fault {
    /// That a place has something else than the format asks for there.
    pub(super) fn of_format(
        place: Place,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        let cure = "docs/reference/data-formats.md describes the formats; compare `format` and `shape` in datasets.toml with \
                    the file";
        Self { place, what: format!("expected {expected}, found {found}"), cure: cure.to_owned() }
    }

    /// That something is wrong with a line.
    pub fn in_line(line: usize, what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { place: Place::Line(line), what: what.into(), cure: cure.into() }
    }

    /// That something is wrong with the array of a file.
    pub fn in_array(what: impl Into<String>, cure: impl Into<String>) -> Self {
        let place = Place::Array { name: None, at: None };
        Self { place, what: what.into(), cure: cure.into() }
    }

    /// That it is the array of this name, where it is one.
    #[must_use]
    pub fn of_array(mut self, array: &str) -> Self {
        if let Place::Array { name, .. } = &mut self.place {
            *name = Some(array.to_owned());
        }
        self
    }

    /// That it is this element, from 0, where it is in an array.
    #[must_use]
    pub fn at_element(mut self, row: usize, column: usize) -> Self {
        if let Place::Array { at, .. } = &mut self.place {
            *at = Some((row, column));
        }
        self
    }
}
