//! What a metric is.

use std::cmp::Ordering;

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

/// What a metric looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The test examples: nothing may be selected by it.
    Test,
    /// The validation examples.
    Validation,
    /// The training examples, or the model.
    Model,
    /// A clock: it is recorded under `timing/` only.
    Clock,
}

/// What is kept of a metric for the test examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerExample {
    /// Nothing.
    Nothing,
    /// An outcome of each, 0 or 1.
    Outcomes,
    /// A real number of each; where they are many, the means of blocks of them.
    Scores,
}

/// Work that several metrics come of, such as the predictions for the training examples; it is itself and no other.
#[derive(Debug)]
pub struct Work(pub &'static str);

/// Describes a metric. It is declared beside what reports it: a task, or a method.
///
/// ```
/// use reprise_contract::{Basis, Direction, Metric};
///
/// /// Brier score of the validation examples.
/// static VALID_BRIER: Metric = Metric {
///     name: "valid_brier",
///     label: "Brier score",
///     meaning: "mean squared difference between the predicted probabilities and the outcome",
///     rank: 95,
///     direction: Direction::Lower,
///     basis: Basis::Validation,
///     ..Metric::NEUTRAL
/// };
/// assert!(!VALID_BRIER.is_time());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in files; those that read a clock begin with `time:`.
    pub name: &'static str,
    /// What people read on an axis or over a column.
    pub label: &'static str,
    /// Unit, if it has one.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its place among the columns of `trials.csv`, ascending; no two metrics have one. It is stated, so that
    /// sealed bytes do not depend on which methods there are.
    pub rank: u16,
    /// Which values are good.
    pub direction: Direction,
    /// What it looks at.
    pub basis: Basis,
    /// What is kept of it for the test examples, for tests that pair by them.
    pub per_example: PerExample,
    /// The values that it can have, from and to.
    pub range: (f64, f64),
    /// The work of its own that it takes, which is done only where an experiment names a metric of this work.
    pub on_request: Option<&'static Work>,
}

impl Metric {
    /// What most metrics have in common: descriptions of a model, in no unit.
    pub const NEUTRAL: Self = Self {
        name: "",
        label: "",
        unit: "",
        meaning: "",
        rank: 0,
        direction: Direction::Neutral,
        basis: Basis::Model,
        per_example: PerExample::Nothing,
        range: (f64::NEG_INFINITY, f64::INFINITY),
        on_request: None,
    };

    /// Whether it reads a clock: such metrics are recorded under `timing/` only.
    pub fn is_time(&self) -> bool {
        self.basis == Basis::Clock
    }

    /// Whether this and another metric come of the same work, which is done where an experiment names one of them.
    pub fn comes_with(&self, other: &Self) -> bool {
        let same = |(one, other): (&Work, &Work)| std::ptr::eq(one, other);
        self == other || self.on_request.zip(other.on_request).is_some_and(same)
    }
}

/// A metric is its name.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl PartialOrd for Metric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Metric {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

/// Number of EM iterations, a sample over the restarts; or of steps of the optimiser.
pub static ITERATIONS: Metric = Metric {
    name: "iterations",
    label: "Iterations",
    meaning: "number of EM iterations, a sample over the restarts; or of steps of the optimiser",
    rank: 480,
    ..Metric::NEUTRAL
};
