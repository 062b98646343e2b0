//! Files that people write: TOML as a tree in which every key and value knows its place, and all
//! errors of a file at once, each with the file, the line, the offending text underlined, what was
//! expected and the nearest name.
//!
//! What a table may hold is declared once, by [`section!`]: its [`Key`]s drive the [`check`] of the
//! file, the [JSON Schema](mod@schema) and the reference in `docs/reference`, and what they say arrives in a struct.
//!
//! Experiment files and dataset registries are read through it; so are the errors of published
//! values, which are csv.

mod check;
mod error;
mod excerpt;
mod key;
mod name;
mod parse;
pub mod render;
pub mod schema;
mod section;
mod tree;

pub use check::{MOST_ITEMS, check, check_parameter, closed, complete, kind, kind_key, range};
pub use error::{DocumentError, DocumentErrors, Faults};
pub use key::{Absent, Form, ID, Key, Names, Pattern, TEXT, Variant};
pub use name::{nearest, suggestion};
pub use parse::{literal, parse};
pub use section::{
    Attempt, Count, Flag, Holds, Id, Level, MANY, Named, NotNegative, OneOrMany, Positive, Read,
    ReadTable, Real, Section, Share, Single, Spanned, Text, Whole, Word, read,
};
pub use tree::{Content, Entry, Node, Span, Table};
