//! What the trials of a dataset in a part are over.

use std::ops::Range;
use std::sync::Arc;

use task::Problem;

use super::divided::Divided;

/// What a method is run for: every fold of every repeat of every problem, but for repeats that coincide.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// The problems, each with its number of folds; a nameless one where there is only one.
    pub problems: Vec<(Arc<Problem>, usize)>,
    /// How many repeats.
    pub repeats: usize,
    /// Which repeats coincide, and what else there is to say.
    pub divided: Divided,
}

impl Rounds {
    /// The repeats that run.
    pub fn repeats(&self) -> impl Iterator<Item = usize> {
        (0..self.repeats).filter(|repeat| self.divided.coinciding.binary_search(repeat).is_err())
    }

    /// How many of these repeats run.
    pub fn count(&self, repeats: Range<usize>) -> u64 {
        let coinciding = self.divided.coinciding.iter().filter(|repeat| repeats.contains(repeat));
        (repeats.len() - coinciding.count()) as u64
    }
}
