//! Files that people write: TOML as a tree in which every key and value knows its place, and all
//! errors of a file at once, each with the file, the line, the offending text underlined, what was
//! expected and the nearest name.
//!
//! Experiment files and dataset registries are read through it; so are the errors of published
//! values, which are csv.

mod error;
mod name;
pub mod render;
mod tree;

pub use error::{DocumentError, DocumentErrors};

pub use error::Faults;
pub use name::{nearest, suggestion};
pub use tree::{Content, Entry, Node, Span, Table, literal, parse};
