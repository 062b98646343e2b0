//! What a trial does and measures: one file for each kind of task, behind one trait.
//!
//! To add a task, write one file with its [`Task`] and name it in [`TASKS`].

pub mod blocks;
pub mod boundary;
pub mod chance;
pub mod classification;
pub mod confusion;
pub mod density;
pub mod measured;
pub mod metrics;
pub mod moved;
mod neighbours;
pub mod overlap;
pub mod partition;
pub mod picture;
pub mod probabilities;
mod problem;
pub mod program;
pub mod pseudo_likelihood;
pub mod regression;
mod suited;

use std::fmt::{self, Debug};

use base::digest::Digest;
use contract::parameter::{Parameter, Parameters};
use contract::{Carry, Context, FitError, MethodEntry, Metric, Result};
use data::Dataset;
use data::split::{Division, SplitPlan};

pub use measured::Measured;
pub use problem::Problem;
pub use program::{Answered, Served};
pub use suited::{Traits, Unsuited};

/// Every task that experiment files can name, by the order in which they are listed.
pub static TASKS: &[&dyn Task] = &[
    &density::DENSITY,
    &pseudo_likelihood::PSEUDO_LIKELIHOOD,
    &classification::CLASSIFICATION,
    &regression::REGRESSION,
    &partition::PARTITION,
    &boundary::BOUNDARY,
];

/// A kind of task: what it takes, how it divides the examples, what it measures.
pub trait Task: Sync {
    /// Its `kind` in experiment files.
    fn word(&self) -> &'static str;

    /// What its trials do, as an order.
    fn meaning(&self) -> &'static str;

    /// Its own keys of `[task]`, beside those of every task.
    fn keys(&self) -> &'static [Parameter] {
        &[]
    }

    /// The metric that every trial has that comes to an end.
    fn score(&self) -> &'static Metric;

    /// The score that falls to chance where labels have nothing to do with attributes, and the metric of what chance gives;
    /// none of a task without labels.
    fn chance(&self) -> Option<(&'static Metric, &'static Metric)> {
        None
    }

    /// What it measures, whatever the method.
    fn metrics(&self) -> &'static [&'static Metric];

    /// Whether a method learns what it measures.
    fn serves(&self, method: &MethodEntry) -> bool;

    /// What its trials do beside their split, as `key=value` joined by spaces; empty for most. It enters the
    /// trial key.
    fn setting(&self, _settings: &Parameters) -> String {
        String::new()
    }

    /// Whether every repeat has training examples of its own, also under a published split.
    fn draws(&self, _settings: &Parameters) -> bool {
        false
    }

    /// What is wrong with the keys that a file gives, if something is.
    fn contradiction(&self, _settings: &Parameters, _given: &Given<'_>) -> Option<Contradiction> {
        None
    }

    /// Whether it can do something with a dataset; with any, unless it says otherwise.
    ///
    /// # Errors
    /// What the dataset lacks.
    fn suits(&self, _dataset: &Traits<'_>, _settings: &Parameters) -> Result<(), Unsuited> {
        Ok(())
    }

    /// How many problems a dataset of so many classes makes.
    fn problem_count(&self, _classes: usize, _settings: &Parameters) -> u64 {
        1
    }

    /// The problems that the classes of a dataset make: a nameless one, or several with names.
    fn problems(&self, _classes: &[String], _settings: &Parameters) -> Vec<Problem> {
        vec![Problem::default()]
    }

    /// The examples of one split, as it takes them.
    ///
    /// # Errors
    /// If the examples are not what it takes.
    fn divide(&self, portion: &Portion<'_>, settings: &Parameters) -> Result<Box<dyn Divided>>;

    /// That a method does not serve it.
    fn unserved(&self) -> FitError {
        FitError::Failed(format!("it does not do {}", self.word()))
    }
}

/// A task is its word.
impl PartialEq for dyn Task {
    fn eq(&self, other: &Self) -> bool {
        self.word() == other.word()
    }
}

impl Debug for dyn Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The examples of one split, as a task takes them. Methods share them.
pub trait Divided: Debug + Send + Sync {
    /// Fits one configuration and measures what it learned.
    ///
    /// # Errors
    /// The method's own; or if there is nothing to learn from or to measure by; or if it has no metric that
    /// was asked for.
    fn measure(
        &self,
        method: &MethodEntry,
        parameters: &Parameters,
        ask: &Ask,
        context: &Context,
        carry: &mut Carry,
    ) -> Result<Measured>;

    /// What programs are handed of it, and how their answers are measured; none of a task that serves no programs.
    fn served(&self) -> Option<&dyn Served> {
        None
    }
}

/// What a trial is asked for beside what it always measures.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Metrics that take work of their own.
    pub metrics: Vec<&'static Metric>,
    /// A picture for a figure.
    pub picture: bool,
}

impl Ask {
    /// Whether a metric, or another that comes of the same work, is asked for.
    pub fn names(&self, metric: &Metric) -> bool {
        self.metrics.iter().any(|asked| asked.comes_with(metric))
    }
}

/// A split of a dataset.
#[derive(Debug)]
pub struct Portion<'a> {
    /// The dataset.
    pub dataset: &'a Dataset,
    /// Which examples are for training, validation and test.
    pub division: &'a Division,
    /// What is told apart.
    pub problem: &'a Problem,
    /// Depends on the repeat, not on the fold.
    pub seed: Digest,
    /// The fold.
    pub fold: usize,
}

/// Keys that a file gives to a task.
#[derive(Debug)]
pub struct Given<'a> {
    /// Their names.
    pub keys: &'a [&'a str],
    /// How examples are divided.
    pub split: &'a SplitPlan,
    /// Whether validation examples are taken from the training examples.
    pub inner: bool,
}

/// A key that contradicts others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction {
    /// The key.
    pub key: &'static str,
    /// What is wrong.
    pub message: &'static str,
    /// Why.
    pub why: &'static str,
    /// What to do.
    pub help: &'static str,
}

/// That the dataset has nothing of what the task is about.
fn lacking(what: &str) -> FitError {
    FitError::Failed(format!("the dataset has no {what}"))
}

/// Refuses a division that leaves a part without examples which the task cannot do without.
fn needs(part: &str, examples: usize) -> Result<()> {
    if examples == 0 {
        return Err(FitError::Failed(format!("the split has no {part} examples")));
    }
    Ok(())
}
