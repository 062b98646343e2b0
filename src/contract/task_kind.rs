//! The kinds of task.

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
    pub const ALL: &'static [(&'static str, TaskKind)] = &[
        ("density", TaskKind::Density),
        ("pseudo-likelihood", TaskKind::PseudoLikelihood),
        ("classification", TaskKind::Classification),
        ("partition", TaskKind::Partition),
        ("boundary", TaskKind::Boundary),
    ];

    /// The word that files use.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// Whether its examples have classes.
    pub fn has_classes(self) -> bool {
        matches!(self, Self::Classification | Self::Boundary)
    }
}
