//! Datasets: where they come from, how they are fetched and checked, how they are parsed, and how
//! they are split.
//!
//! [`Library`] is what the rest of the program uses: it finds a dataset by its name in the
//! [`registry`], gets its files through cache, mirror or network ([`fetch`]), and parses them
//! ([`format`](mod@format)) into a [`Dataset`]. [`split`] divides the examples; [`generate`] draws datasets that need
//! no file.
//!
//! To add a dataset, add an entry to `datasets.toml`; only a new file format needs code, one file under
//! `src/data/format/` and one line in [`registry::Format`]. `docs/data.md` has the keys, the layouts of
//! cache and mirror, and what proxies and certificate authorities are honoured.

pub mod binary;
pub mod cache;
mod content;
pub mod error;
pub mod fetch;
pub mod format;
pub mod generate;
pub mod library;
mod mirror;
pub mod registry;
pub mod split;

use std::ops::Range;

use crate::math::digest::Digest;
use binary::BinaryRows;
pub use error::DataError;
pub use library::{DataConfig, Library};

/// A parsed dataset.
#[derive(Debug)]
pub struct Dataset {
    /// Id, as in `datasets.toml`.
    pub id: String,
    /// What people read.
    pub title: String,
    /// Digest of the parsed content, or of a generator and its parameters. It enters every trial
    /// key, so two sources of the same data give the same results.
    pub digest: Digest,
    /// All examples: those of the published split stand as train, valid, test.
    pub examples: Examples,
    /// The published split, if there is one.
    pub published: Option<PublishedSplit>,
}

/// The examples of a dataset.
#[derive(Debug)]
pub enum Examples {
    /// Rows of 0/1 variables.
    Binary(BinaryRows),
}

impl Examples {
    /// Number of examples.
    pub fn len(&self) -> usize {
        match self {
            Self::Binary(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which examples the authors of a dataset put into which part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSplit {
    /// Training examples.
    pub train: Range<usize>,
    /// Validation examples; may be empty.
    pub valid: Range<usize>,
    /// Test examples.
    pub test: Range<usize>,
}
