//! What a trial measures.
//!
//! To add a metric, add one line to [`METRICS`] and report it from the task or the method.

pub mod density;
pub mod measure;

pub use measure::Measure;

/// The kinds of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskKind {
    /// Fit a joint distribution, score held-out examples by their log-likelihood.
    Density,
}

impl TaskKind {
    /// Every kind with the word that files use.
    pub const ALL: &'static [(&'static str, TaskKind)] = &[("density", TaskKind::Density)];

    /// The word that files use.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
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
}

impl Metric {
    /// Whether it reads a clock: such metrics are recorded under `timing/` only.
    pub fn is_time(&self) -> bool {
        self.name.starts_with("time:")
    }
}

/// Every metric.
pub static METRICS: &[Metric] = &[
    Metric {
        name: "test_ll",
        label: "Test log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the test examples",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "valid_ll",
        label: "Validation log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the validation examples",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "train_ll",
        label: "Training log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the training examples",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "variables",
        label: "|V|",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of variables",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "train_examples",
        label: "Train",
        unit: "examples",
        direction: Direction::Neutral,
        meaning: "number of training examples",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "test_examples",
        label: "Test",
        unit: "examples",
        direction: Direction::Neutral,
        meaning: "number of test examples",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "blocks",
        label: "Blocks",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of exchangeable blocks; a sample over the components' partitions",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "parameters",
        label: "Free parameters",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of free parameters of the fitted model",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "iterations",
        label: "EM iterations",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of EM iterations; a sample over the restarts",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "unconverged",
        label: "Runs at the limit",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of EM restarts that reached the limit of iterations",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "time:fit",
        label: "Fit time",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of the fit, all restarts",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "time:iteration",
        label: "Time per iteration",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of the fit divided by the number of iterations of all restarts",
        tasks: &[TaskKind::Density],
    },
    Metric {
        name: "time:evaluate",
        label: "Evaluation time",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of scoring the training, validation and test examples",
        tasks: &[TaskKind::Density],
    },
];

/// The metric of this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}
