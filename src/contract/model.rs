//! What a method learns.

use crate::binary::BinaryRows;
use crate::{Context, Examples, Labelled, LatentTree, Reported, Result};
use base::parallel::Cores;
use ndarray::Array2;

/// A fitted joint distribution of n binary variables.
pub trait DensityModel: Send + Sync {
    /// Natural logarithm of the probability of each row.
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64>;

    /// Whether there are log-likelihoods: a Markov network may be too large to normalise.
    fn is_normalised(&self) -> bool {
        true
    }

    /// Of a Markov network the pseudo-log-likelihood of each row: the sum over the variables of the natural logarithm of
    /// its probability given the others. None of another model.
    fn pseudo_log_likelihoods(&self, _rows: &BinaryRows, _cores: &Cores) -> Option<Vec<f64>> {
        None
    }

    /// The cluster of each parameter of a Markov network, of the variables and then of the edges in ascending order; none
    /// from a method that has no clusters. L2 regularisation is one cluster around zero.
    fn clusters(&self) -> Option<&[u32]> {
        None
    }

    /// The tree over observed and hidden variables that the distribution has; none if it has no such structure.
    fn tree(&self) -> Option<&LatentTree> {
        None
    }

    /// What the method reports of itself beside the likelihood: `parameters`, `blocks`, …: metrics
    /// that its [entry](crate::MethodEntry::reports) names.
    fn measures(&self) -> Reported {
        Vec::new()
    }
}

/// A fitted classifier.
pub trait Classifier: Send + Sync {
    /// The class of each example.
    ///
    /// # Errors
    /// If the examples are of another kind than the training examples, the deadline passes or the user
    /// interrupts.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction>;

    /// The probability of each class given each example: a row an example, a column a class. The class that is
    /// predicted has the largest of its row. None if the classifier has none, as its
    /// [entry](crate::MethodEntry::probabilities) says.
    ///
    /// # Errors
    /// If the examples are of another kind than the training examples, the deadline passes or the user
    /// interrupts.
    fn probabilities(&self, _: &Examples, _: &Context) -> Result<Option<Array2<f64>>> {
        Ok(None)
    }

    /// The log-probability of each example together with its class; none if the classifier has no
    /// model of both, or can't normalise it.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    fn log_joints(&self, _: &Labelled, _: &Context) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// The decision function at each example, where the classifier has one: a real number that is
    /// positive where class 1 of two is predicted, negative where class 0 is, and zero on the boundary
    /// between them. None if the classifier has none, or other than two classes.
    ///
    /// # Errors
    /// If the examples are of another kind than the training examples, the deadline passes or the user
    /// interrupts.
    fn decision_values(&self, _: &Examples, _: &Context) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// What the method reports of itself beside its accuracy: metrics that its
    /// [entry](crate::MethodEntry::reports) names.
    fn measures(&self) -> Reported {
        Vec::new()
    }
}

/// A fitted regression.
pub trait Regressor: Send + Sync {
    /// The predicted target of each example.
    ///
    /// # Errors
    /// If the examples are of another kind than the training examples, the deadline passes or the user
    /// interrupts.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>>;

    /// What the method reports of itself: metrics that its [entry](crate::MethodEntry::reports) names.
    fn measures(&self) -> Reported {
        Vec::new()
    }
}

/// The classes of examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Of each example.
    pub classes: Vec<u32>,
    /// What the method met on the way and reports of test examples: metrics that its
    /// [entry](crate::MethodEntry::reports) names.
    pub noticed: Reported,
}

impl From<Vec<u32>> for Prediction {
    fn from(classes: Vec<u32>) -> Self {
        Self { classes, noticed: Vec::new() }
    }
}

/// A partition of the variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The group of each variable, numbered from 0 by their first variables.
    pub of_variable: Vec<u32>,
    /// What the method reports of itself: metrics that its [entry](crate::MethodEntry::reports) names.
    pub measures: Reported,
}
