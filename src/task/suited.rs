//! Whether a task can do something with a dataset.

use contract::Examples;
use data::generate::Generator;
use data::generate::mixture::MixtureSample;
use data::vocabulary::Kind;
use data::{Dataset, Truth};

/// What a task must know of a dataset: the same of one that is read and of one that is not drawn yet.
#[derive(Debug, Clone, Copy)]
pub struct Traits<'a> {
    /// Id, as in `datasets.toml`.
    pub id: &'a str,
    /// Names of the classes; empty if it has none.
    pub classes: &'a [String],
    /// Whether the target is a number.
    pub targets: bool,
    /// Number of variables.
    pub variables: usize,
    /// Whether they are numbers, and stay numbers in a trial.
    pub numeric: bool,
    /// The mixture that its examples are drawn from, where others can be.
    pub mixture: Option<&'a MixtureSample>,
}

impl<'a> Traits<'a> {
    /// Those of a dataset.
    pub fn of(dataset: &'a Dataset) -> Self {
        let numeric = matches!(dataset.examples, Examples::Numeric(_));
        Self {
            id: &dataset.id,
            classes: dataset.targets.labels().map_or(&[], |labels| &labels.classes),
            targets: dataset.targets.numbers().is_some(),
            variables: dataset.examples.variables(),
            numeric: numeric && dataset.preprocessing.binning.is_none(),
            mixture: match &dataset.truth {
                Truth::Mixture(sample) => Some(sample),
                _ => None,
            },
        }
    }

    /// Those of what a generator draws.
    pub fn of_generated(id: &'a str, generator: &'a Generator, classes: &'a [String]) -> Self {
        Self {
            id,
            classes,
            targets: false,
            variables: generator.shape().variables,
            numeric: generator.kind() == Kind::Numeric,
            mixture: generator.mixture(),
        }
    }

    /// The classes, for a task that needs them.
    ///
    /// # Errors
    /// If there are none.
    pub fn with_classes(&self, task: &'static str) -> Result<&'a [String], Unsuited> {
        if self.classes.is_empty() {
            return Err(Unsuited::NoClasses { dataset: self.id.to_owned(), task });
        }
        Ok(self.classes)
    }
}

/// A task can do nothing with a dataset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum Unsuited {
    /// It has no classes.
    #[error("dataset `{dataset}` has no classes, but the task is {task}")]
    #[diagnostic(help("name datasets with classes: `reprise data list` shows them"))]
    NoClasses {
        /// Dataset id.
        dataset: String,
        /// The word of the task.
        task: &'static str,
    },
    /// Its target is no number.
    #[error("dataset `{dataset}` has {found}, but the task is regression")]
    #[diagnostic(help(
        "name datasets whose target is a number: `reprise data list` shows them; their `shape` says target = \"number\""
    ))]
    NoTargets {
        /// Dataset id.
        dataset: String,
        /// What it has instead.
        found: &'static str,
    },
    /// Its examples are not points in the plane of two classes.
    #[error("dataset `{dataset}` has {found}, but the task is boundary")]
    #[diagnostic(help(
        "boundaries are drawn between two classes of examples with two numeric columns"
    ))]
    NotPlane {
        /// Dataset id.
        dataset: String,
        /// What it has instead.
        found: String,
    },
    /// It has no outliers to add.
    #[error("dataset `{0}` has no outliers, but the task adds them")]
    #[diagnostic(help(
        "name a dataset whose generator is a `normal-mixture` with `outliers`, or write change = \"order\""
    ))]
    NoOutliers(String),
}
