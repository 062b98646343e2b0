//! What a trial measures.
//!
//! To add a metric, add one line to [`METRICS`] and report it from the task or the method.

pub mod boundary;
pub mod classification;
pub mod density;
pub mod measure;
pub mod metrics;
pub mod partition;
pub mod pseudo_likelihood;

use crate::method::FitError;

pub use measure::{ByMetric, Measure};
pub use metrics::{METRICS, PER_EXAMPLE, metric};

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

/// Refuses a division that leaves a part without examples which the task cannot do without.
fn needs(part: &str, examples: usize) -> Result<(), FitError> {
    if examples == 0 {
        return Err(FitError::Failed(format!("the split has no {part} examples")));
    }
    Ok(())
}

/// Which values of a metric are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The larger the better.
    Higher,
    /// The smaller the better.
    Lower,
    /// Neither: a description.
    Neutral,
}

/// Describes a metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in files; those that read a clock begin with `time:`.
    pub name: &'static str,
    /// What people read on an axis or over a column.
    pub label: &'static str,
    /// Unit, if it has one.
    pub unit: &'static str,
    /// Which values are good.
    pub direction: Direction,
    /// What it is.
    pub meaning: &'static str,
    /// The tasks that measure it.
    pub tasks: &'static [TaskKind],
    /// Whether it takes work of its own, which is done only where an experiment names it.
    pub on_request: bool,
}

/// A metric is its name.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Metric {
    /// Whether it reads a clock: such metrics are recorded under `timing/` only.
    pub fn is_time(&self) -> bool {
        self.name.starts_with("time:")
    }
}
