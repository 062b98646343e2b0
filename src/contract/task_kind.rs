//! The kinds of task.

use crate::words::Words;

/// The kinds of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskKind {
    /// Fit a joint distribution, score held-out examples by their log-likelihood.
    Density,
    /// Learn a Markov network, score held-out examples by their pseudo-log-likelihood.
    PseudoLikelihood,
    /// Learn to predict the class of held-out examples.
    Classification,
    /// Divide the variables into independent groups.
    Partition,
    /// Learn to tell two classes of points in the plane apart, from training examples that change.
    Boundary,
}

impl TaskKind {
    /// Every kind with the word that files use.
    pub const ALL: Words<Self> = Words(&[
        (
            "density",
            Self::Density,
            "a joint distribution, by the log-likelihood of held-out examples",
        ),
        (
            "pseudo-likelihood",
            Self::PseudoLikelihood,
            "a Markov network, by their pseudo-log-likelihood",
        ),
        ("classification", Self::Classification, "the classes of held-out examples"),
        ("partition", Self::Partition, "independent groups of variables"),
        (
            "boundary",
            Self::Boundary,
            "two classes of points in the plane, from examples that change",
        ),
    ]);

    /// The word that files use.
    pub fn word(self) -> &'static str {
        Self::ALL.word(self)
    }

    /// Whether its examples have classes.
    pub fn has_classes(self) -> bool {
        matches!(self, Self::Classification | Self::Boundary)
    }
}
