//! What a metric is.

use crate::TaskKind;

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
