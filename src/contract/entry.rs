//! What a method says of itself.

use crate::model::{Classifier, DensityModel, MarkovNetwork, Partition};
use crate::parameter::{Parameter, Parameters};
use crate::{Carry, Context, DistinctRows, Examples, FitError, Labelled, Observed, TaskKind};

/// Describes a method to the rest of the program.
#[derive(Debug)]
pub struct MethodEntry {
    /// Its `kind` in experiment files.
    pub kind: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Where it is described: paper, section, equation.
    pub source: &'static str,
    /// Raised by every change that can change a result; it enters the trial key.
    pub revision: u32,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The parameters along which trials form a path and hand state on ([`Carry`]), slowest first.
    pub along: &'static [&'static str],
    /// Roughly how many seconds a fit takes, to run long trials first.
    pub cost: fn(&Parameters, &Shape) -> f64,
    /// How it is fitted, for each task that it serves.
    pub fits: &'static [Fit],
}

impl MethodEntry {
    /// How it is fitted for a task; none if it does not serve it.
    pub fn fit(&self, task: TaskKind) -> Option<Fit> {
        self.fits.iter().copied().find(|fit| fit.tasks().contains(&task))
    }

    /// The tasks that it serves.
    pub fn tasks(&self) -> impl Iterator<Item = TaskKind> {
        self.fits.iter().flat_map(|fit| fit.tasks()).copied()
    }
}

/// The size of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of examples, all parts of the split.
    pub examples: usize,
    /// Number of variables.
    pub variables: usize,
    /// Number of stored entries: of ones, for binary data.
    pub entries: usize,
}

impl Shape {
    /// The shape of a dataset.
    pub fn of(examples: &Examples) -> Self {
        Self {
            examples: examples.len(),
            variables: examples.variables(),
            entries: examples.total_ones(),
        }
    }
}

/// How a method is fitted, by the kind of task that it serves.
#[derive(Debug, Clone, Copy)]
pub enum Fit {
    /// Estimates a joint distribution of binary variables.
    Density(FitDensity),
    /// Learns a Markov network of binary variables.
    PseudoLikelihood(FitMarkovNetwork),
    /// Learns to predict the class of an example from 0/1 variables.
    Classification(FitClassifier),
    /// Learns to predict the class of an example from categorical attributes.
    Categorical(FitClassifier),
    /// Divides the variables into independent groups.
    Partition(FitPartition),
    /// Learns to predict the class of an example from numbers.
    Numeric(FitClassifier),
}

impl Fit {
    /// The tasks.
    pub fn tasks(self) -> &'static [TaskKind] {
        match self {
            Self::Density(_) => &[TaskKind::Density],
            Self::PseudoLikelihood(_) => &[TaskKind::PseudoLikelihood],
            Self::Classification(_) | Self::Categorical(_) => &[TaskKind::Classification],
            Self::Numeric(_) => &[TaskKind::Classification, TaskKind::Boundary],
            Self::Partition(_) => &[TaskKind::Partition],
        }
    }
}

/// Fits a density model to training rows.
pub type FitDensity =
    fn(&Parameters, &DistinctRows, &Context, &mut Carry) -> Result<Box<dyn DensityModel>, FitError>;

/// Learns a Markov network from training rows.
pub type FitMarkovNetwork = fn(
    &Parameters,
    &DistinctRows,
    &Context,
    &mut Carry,
) -> Result<Box<dyn MarkovNetwork>, FitError>;

/// Fits a classifier to training examples.
pub type FitClassifier =
    fn(&Parameters, &Labelled, &Context, &mut Carry) -> Result<Box<dyn Classifier>, FitError>;

/// Divides variables into groups that are independent of each other.
pub type FitPartition = fn(&Parameters, &Observed, &Context) -> Result<Partition, FitError>;
