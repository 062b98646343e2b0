//! What a trial does and measures: one file for each kind of task, behind one trait.
//!
//! To add a task, write one file with its [`Task`] and name it in [`TASKS`].

mod agreement;
pub mod alone;
pub mod blocks;
pub mod boundary;
pub mod chance;
pub mod classification;
pub mod columns;
pub mod confusion;
pub mod curves;
pub mod density;
mod errors;
mod labels;
mod made;
pub mod measured;
pub mod metrics;
pub mod moved;
mod neighbours;
pub mod overlap;
pub mod partition;
pub mod picture;
pub mod predictions;
pub mod probabilities;
mod problem;
pub mod program;
pub mod pseudo_likelihood;
pub mod regression;
mod repeats;
mod sequence;
mod suited;
mod traces;
mod whole;

use std::fmt::{self, Debug};
use std::sync::Arc;

use base::digest::Digest;
use contract::parameter::{Parameter, Parameters};
use contract::{Carry, Context, FitError, MethodEntry, Metric, Result};
use data::split::{Division, SplitPlan};

pub use measured::Measured;
pub use problem::Problem;
pub use program::{Answered, Served};
pub use suited::{Traits, Unsuited};
pub use whole::Whole;

/// Every task that experiment files can name, by the order in which they are listed.
pub static TASKS: &[&Task] = &[
    &density::DENSITY,
    &pseudo_likelihood::PSEUDO_LIKELIHOOD,
    &classification::CLASSIFICATION,
    &regression::REGRESSION,
    &partition::PARTITION,
    &boundary::BOUNDARY,
];

/// A kind of task: what it takes, how it divides the examples, what it measures.
pub struct Task {
    /// Its `kind` in experiment files.
    pub word: &'static str,
    /// What its trials do, as an order.
    pub meaning: &'static str,
    /// Its own keys of `[task]`, beside those of every task.
    pub keys: &'static [Parameter],
    /// The metric that every trial has that comes to an end.
    pub score: &'static Metric,
    /// What shows whether a method knows what it can't know; none of a task without labels.
    pub chance: Option<chance::Chance>,
    /// Whether what a model answers to test examples is a class or a number each, which can be kept.
    pub predicts: bool,
    /// What it measures, whatever the method.
    pub metrics: &'static [&'static Metric],
    /// Whether a method learns what it measures.
    pub serves: fn(&MethodEntry) -> bool,
    /// What its trials do beside their split, as `key=value` joined by spaces; empty for most. It enters the
    /// trial key.
    pub setting: fn(&Parameters) -> String,
    /// Whether every repeat has training examples of its own, also under a published split.
    pub draws: fn(&Parameters) -> bool,
    /// What is wrong with the keys that a file gives, if something is.
    pub contradiction: fn(&Parameters, &Given<'_>) -> Option<Contradiction>,
    /// Whether it can do something with a dataset, or what that lacks.
    pub suits: fn(&Traits<'_>, &Parameters) -> Result<(), Unsuited>,
    /// How many problems a dataset of so many classes makes.
    pub problem_count: fn(usize, &Parameters) -> u64,
    /// The problems that the classes of a dataset make: a nameless one, or several with names.
    pub problems: fn(&[String], &Parameters) -> Vec<Problem>,
    /// The examples of one split, as it takes them; an error if they are not what it takes.
    pub divide: fn(&Portion<'_>, &Parameters) -> Result<Box<dyn Divided>>,
}

impl Task {
    /// What most tasks have in common: one says where it differs.
    const PLAIN: Self = Self {
        word: "",
        meaning: "",
        keys: &[],
        score: &metrics::VARIABLES,
        chance: None,
        predicts: false,
        metrics: &[],
        serves: |_| false,
        setting: |_| String::new(),
        draws: |_| false,
        contradiction: |_, _| None,
        suits: |_, _| Ok(()),
        problem_count: |_, _| 1,
        problems: |_, _| vec![Problem::default()],
        divide: |_, _| Err(FitError::NoExamples),
    };

    /// That a method does not serve it.
    fn unserved(&self) -> FitError {
        FitError::Failed(format!("it does not do {}", self.word))
    }
}

/// A task is its word.
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

/// What is fitted to the examples of a split, and what is asked of it.
#[derive(Debug, Clone, Copy)]
pub struct Fitting<'a> {
    /// The method.
    pub method: &'a MethodEntry,
    /// Its parameters.
    pub parameters: &'a Parameters,
    /// What is asked beside what is always measured.
    pub ask: &'a Ask,
    /// What the fit may use.
    pub context: &'a Context,
}

/// The examples of one split, as a task takes them. Methods share them.
pub trait Divided: Debug + Send + Sync {
    /// Fits one configuration and measures what it learned.
    ///
    /// # Errors
    /// The method's own; or if there is nothing to learn from or to measure by; or if it has no metric that
    /// was asked for.
    fn measure(&self, fitting: &Fitting<'_>, carry: &mut Carry) -> Result<Measured>;

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
    /// What it answers to each test example.
    pub predictions: bool,
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
    pub dataset: &'a Arc<Whole>,
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
