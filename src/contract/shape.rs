//! The size of a dataset, by which costs and memory are estimated.

use crate::Examples;

/// The size of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of examples, all parts of the split.
    pub examples: usize,
    /// Number of variables.
    pub variables: usize,
    /// Number of stored entries: of ones, for binary data.
    pub entries: usize,
}

impl Shape {
    /// The shape of a dataset.
    pub fn of(examples: &Examples) -> Self {
        Self {
            examples: examples.len(),
            variables: examples.variables(),
            entries: examples.total_ones(),
        }
    }
}
