//! What the declarations of a registry's tables are read with.

use std::path::Path;

use document::{Faults, Form, Node, Real, Section, Span, Table, Whole, holds};

use crate::limits;

/// What is known of a registry while its tables are read, and what is wrong with it.
pub(crate) struct Reading<'a> {
    pub faults: &'a mut Faults,
    /// What local paths are relative to.
    pub folder: &'a Path,
}

impl<'a> AsMut<Reading<'a>> for Reading<'a> {
    fn as_mut(&mut self) -> &mut Reading<'a> {
        self
    }
}

impl Reading<'_> {
    /// Reports that a table, which errors call `heading`, has not the key.
    pub fn lacks(&mut self, table: &Table, heading: &str, key: &str, what: &str) {
        self.faults.missing(table, key, heading).help(format!("`{key}` is {what}"));
    }

    /// Keys of a section that some of its tables need and the others can't have: reports those that are missing, and
    /// those that are out of place.
    pub fn belong<S: Section>(&mut self, table: &Table, heading: &str, keys: &[(&str, Needed)]) {
        for declared in S::keys() {
            let Some((key, needed)) = keys.iter().find(|(key, _)| *key == declared.name) else {
                continue;
            };
            match (table.entry(key), needed) {
                (None, Needed::Yes) => self.lacks(table, heading, key, declared.meaning),
                (Some(entry), Needed::Never) => {
                    self.faults.unknown_key(entry, heading, &[]);
                }
                _ => {}
            }
        }
    }

    /// Reports something that is not wanted where another key stands.
    pub fn leave_out(&mut self, span: &Span, why: impl Into<String>) {
        self.faults.at(span, why, "leave it out");
    }
}

/// Whether a table needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needed {
    Yes,
    May,
    Never,
}

impl Needed {
    /// Needed or out of place.
    pub fn when(needed: bool) -> Self {
        if needed { Self::Yes } else { Self::Never }
    }

    /// Allowed or out of place.
    pub fn may(may: bool) -> Self {
        if may { Self::May } else { Self::Never }
    }
}

/// A number of examples, or of other things that they are made of.
pub(crate) type Size = Whole<0, { limits::ROWS as i64 }>;

/// Where random numbers start.
pub(crate) type Seed = Whole<0, { i64::MAX }>;

holds! {
    /// Real numbers, which may be the same.
    pub(crate) Reals: Vec<f64> = Form::Row(Box::new(Real::form())),
        |node: &Node| node.items().iter().map(Node::real).collect();
}
