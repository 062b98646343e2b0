//! Croissant, the description of datasets for machine learning, in JSON-LD: read and written.
//!
//! <https://docs.mlcommons.org/croissant/docs/croissant-spec.html>

mod reader;
mod writer;

pub use reader::{Described, FileObject, looks_so, read};
pub use writer::{Written, written};
