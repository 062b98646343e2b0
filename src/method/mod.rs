//! The papers' methods and their baselines, and the registry that names them.
//!
//! To add a method, write one file with its [`MethodEntry`] and name it in [`METHODS`].

pub mod apt;
pub mod baseline;
pub mod by_class;
pub mod evm;
pub mod gibbs;
pub mod idf;
pub mod l1_logistic;
pub mod parameter;
mod prediction;
pub mod tep;
#[cfg(test)]
pub mod testing;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use crate::data::binary::{BinaryRows, DistinctRows};
use crate::data::categorical::CategoricalRows;
use crate::data::derived::Derived;
use crate::data::joint::JointTable;
use crate::data::numeric::NumericRows;
use crate::data::{Dataset, Examples};
use crate::math::digest::{Digest, FieldHasher};
use crate::math::parallel::Cores;
use crate::math::random::Random;
use crate::task::{Measure, TaskKind};
use parameter::{Parameter, Parameters};

/// Every method that experiment files can name, by the order in which they are listed.
pub static METHODS: &[&MethodEntry] = &[
    &evm::mevm::MEVM,
    &evm::classifier::MEVM_CLASSIFIER,
    &evm::latent_nb::LATENT_NB,
    &gibbs::classifier::GIBBS,
    &idf::entries::IDF_INTERSECTION,
    &idf::entries::IDF_MARKOV_BOUNDARY,
    &idf::entries::IDF_COMPOSITION,
    &idf::entries::IDF_ANY,
    &idf::entries::IDF_EXHAUSTIVE,
    &idf::entries::IDF_ENUMERATION,
    &tep::bpm::BPM_ADF,
    &tep::bpm::BPM_EP,
    &tep::process_classifier::GPC_EP,
    &tep::process_classifier::STC_EP,
    &tep::exact::PROCESS_EXACT,
    &apt::entries::MPLE_L2,
    &apt::entries::LTR,
    &apt::entries::APT,
    &apt::entries::MLE_L2,
    &apt::entries::MLE_APT,
    &baseline::decision_tree::DECISION_TREE,
    &baseline::linear_svm::LINEAR_SVM,
    &baseline::chow_liu::CHOW_LIU,
    &baseline::independent::INDEPENDENT,
    &baseline::bernoulli_nb::BERNOULLI_NB,
    &baseline::categorical_nb::CATEGORICAL_NB,
    &baseline::empirical::EMPIRICAL,
    &baseline::knn::KNN,
    &baseline::chow_liu_forest::CHOW_LIU_FOREST,
    &baseline::l1_network::L1_NETWORK,
];

/// The methods of this kind: one, or several that serve different tasks.
pub fn find(kind: &str) -> impl Iterator<Item = &'static MethodEntry> {
    METHODS.iter().copied().filter(move |entry| entry.kind == kind)
}

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
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            examples: dataset.examples.len(),
            variables: dataset.examples.variables(),
            entries: dataset.examples.total_ones(),
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

/// What a trial hands to the next one of its path: counts, a structure, a warm start.
pub type Carry = Option<Box<dyn Any + Send>>;

/// A fitted joint distribution of n binary variables.
pub trait DensityModel: Send + Sync {
    /// Natural logarithm of the probability of each row, written to `out` (one value a row).
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores, out: &mut [f64]);

    /// What the method reports of itself beside the likelihood: `parameters`, `blocks`, …; names
    /// are those of [`crate::task::METRICS`].
    fn measures(&self) -> Vec<(&'static str, Measure)> {
        Vec::new()
    }
}

/// A learned Markov network of n binary variables.
pub trait MarkovNetwork: Send + Sync {
    /// The pseudo-log-likelihood of each row: the sum over the variables of the natural logarithm of its
    /// probability given the others.
    fn pseudo_log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64>;

    /// Natural logarithm of the probability of each row; none where the network is too large to normalise.
    fn log_likelihoods(&self, rows: &BinaryRows) -> Option<Vec<f64>>;

    /// The cluster of each parameter, of the variables and then of the edges in ascending order; none from a
    /// method that has no clusters. L2 regularisation is one cluster around zero.
    fn clusters(&self) -> Option<&[u32]> {
        None
    }

    /// What the method reports of itself; names are those of [`crate::task::METRICS`].
    fn measures(&self) -> Vec<(&'static str, Measure)> {
        Vec::new()
    }
}

/// Examples with their classes.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The examples.
    pub examples: Examples,
    /// Class of each, below `classes`.
    pub labels: Vec<u32>,
    /// Number of classes, at least 2. A class may have no example.
    pub classes: usize,
    /// The block of each variable, where the generator's structure is known.
    pub known_blocks: Option<Arc<Vec<u32>>>,
}

impl Labelled {
    /// The examples as categorical attributes.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn categorical(&self) -> Result<&CategoricalRows, FitError> {
        categorical(&self.examples)
    }

    /// The examples as rows of numbers.
    ///
    /// # Errors
    /// If they are of another kind.
    pub fn numeric(&self) -> Result<&NumericRows, FitError> {
        numeric(&self.examples)
    }
}

/// Examples as categorical attributes.
///
/// # Errors
/// If they are of another kind.
pub fn categorical(examples: &Examples) -> Result<&CategoricalRows, FitError> {
    match examples {
        Examples::Categorical(rows) => Ok(rows),
        other => Err(FitError::Failed(format!(
            "it takes categorical attributes, and the dataset has {}",
            other.described()
        ))),
    }
}

/// Examples as rows of numbers.
///
/// # Errors
/// If they are of another kind.
pub fn numeric(examples: &Examples) -> Result<&NumericRows, FitError> {
    match examples {
        Examples::Numeric(rows) => Ok(rows),
        other => Err(FitError::Failed(format!(
            "it takes numeric columns, and the dataset has {}",
            other.described()
        ))),
    }
}

/// A fitted classifier.
pub trait Classifier: Send + Sync {
    /// The class of each example.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<u32>, FitError>;

    /// The log-probability of each example together with its class; none if the classifier has no
    /// model of both, or can't normalise it.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    fn joint_log_likelihoods(
        &self,
        _examples: &Labelled,
        _context: &Context,
    ) -> Result<Option<Vec<f64>>, FitError> {
        Ok(None)
    }

    /// The decision function at each example, where the classifier has one: a real number that is
    /// positive where class 1 of two is predicted, negative where class 0 is, and zero on the boundary
    /// between them. None if the classifier has none, or other than two classes.
    ///
    /// # Errors
    /// If the examples are of another kind than the training examples, the deadline passes or the user
    /// interrupts.
    fn decision_values(
        &self,
        _examples: &Examples,
        _context: &Context,
    ) -> Result<Option<Vec<f64>>, FitError> {
        Ok(None)
    }

    /// What the method reports of itself beside its accuracy; called after [`Self::predict`]. Names are
    /// those of [`crate::task::METRICS`].
    fn measures(&self) -> Vec<(&'static str, Measure)> {
        Vec::new()
    }
}

/// Examples of which the independent groups of variables are sought.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The examples.
    pub examples: Examples,
    /// What they are drawn from, where that is known and small.
    pub distribution: Option<Arc<JointTable>>,
}

impl Observed {
    /// The distribution.
    ///
    /// # Errors
    /// If it is not known.
    pub fn known(&self) -> Result<&JointTable, FitError> {
        self.distribution.as_deref().ok_or_else(|| {
            let message = "the distribution of the dataset is not known as a table of all states";
            FitError::NotApplicable(message.to_owned())
        })
    }
}

/// A partition of the variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The group of each variable, numbered from 0 by their first variables.
    pub of_variable: Vec<u32>,
    /// What the method reports of itself; names are those of [`crate::task::METRICS`].
    pub measures: Vec<(&'static str, Measure)>,
}

/// What a fit may use of its surroundings.
#[derive(Debug, Clone)]
pub struct Context {
    /// Seed of the split; it does not know the method.
    pub split_seed: Digest,
    /// Cores that are idle at the moment.
    pub cores: Cores,
    /// Artefacts that paths share.
    pub derived: Derived,
    /// When the trial must end.
    pub deadline: Option<Instant>,
    /// Set when the user asks to stop.
    pub interrupt: &'static std::sync::atomic::AtomicBool,
}

impl Context {
    /// The random numbers of one restart: the same for every method on the same split.
    pub fn random(&self, restart: usize) -> Random {
        Random::new(
            FieldHasher::new("fit").field(self.split_seed.0).number(restart as u64).finish(),
        )
    }

    /// The derived artefact of this key, which `make` makes where it is not kept. It is kept as a text: what
    /// `read` makes of what `write` gives must be the same.
    ///
    /// # Errors
    /// Those of `make`; if the deadline passes or the user interrupts while another path makes it; if the
    /// kept text is another thing's.
    pub fn derive<T>(
        &self,
        key: Digest,
        make: impl FnOnce() -> Result<T, FitError>,
        write: impl FnOnce(&T) -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, FitError> {
        let make = || Ok(write(&make()?));
        let text = self.derived.get(key, &self.cores, || self.check(), make)?;
        read(&text).ok_or_else(|| {
            FitError::Failed(format!(
                "what is kept is not readable; remove `derived/{key}` in the cache folder"
            ))
        })
    }

    /// To be called in every long loop.
    ///
    /// # Errors
    /// If the deadline has passed or the user asked to stop.
    pub fn check(&self) -> Result<(), FitError> {
        if self.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(FitError::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(FitError::Timeout),
            _ => Ok(()),
        }
    }
}

/// Why a fit gave no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// The method cannot work on this data or with these parameters.
    #[error("{0}")]
    Failed(String),
    /// The configuration makes no sense for this dataset; its cell says so.
    #[error("not applicable: {0}")]
    NotApplicable(String),
    /// The deadline passed.
    #[error("the time limit passed")]
    Timeout,
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}
