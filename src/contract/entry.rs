//! What a method says of itself.

use base::words;

use crate::model::{Classifier, DensityModel, Partition, Regressor};
use crate::parameter::{Parameter, Parameters};
use crate::{
    Carry, Context, DistinctRows, Labelled, Memory, Metric, Observed, Result, Shape, Targeted,
    Variables,
};

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
    /// Whether a trial gives the same whatever came before it on its path: methods of this kind share paths then.
    pub shares_paths: bool,
    /// The metrics that it reports of itself.
    pub reports: &'static [&'static Metric],
    /// Whether its classifiers give the probability of each class ([`Classifier::probabilities`]).
    pub probabilities: bool,
    /// Roughly how many seconds a fit takes, to run long trials first.
    pub cost: fn(&Parameters, &Shape) -> f64,
    /// How much memory a fit holds.
    pub memory: Memory,
    /// How it is fitted, for each thing that it learns.
    pub fits: &'static [Fit],
}

impl MethodEntry {
    /// What most methods have in common: an entry says where it differs.
    pub const PLAIN: Self = Self {
        kind: "",
        summary: "",
        source: "",
        revision: 1,
        parameters: &[],
        along: &[],
        shares_paths: false,
        reports: &[],
        probabilities: false,
        cost: |_, shape| 1e-9 * shape.entries as f64,
        memory: Memory::Entries(2.0),
        fits: &[],
    };

    /// How it estimates a joint distribution, if it does.
    pub fn density(&self) -> Option<FitDensity> {
        let own = |fit: &Fit| if let Fit::Density(fit) = fit { Some(*fit) } else { None };
        self.fits.iter().find_map(own)
    }

    /// How it learns a Markov network, if it does.
    pub fn network(&self) -> Option<FitDensity> {
        let own = |fit: &Fit| if let Fit::Network(fit) = fit { Some(*fit) } else { None };
        self.fits.iter().find_map(own)
    }

    /// How it learns to predict classes from numbers, if it does.
    pub fn numeric_classifier(&self) -> Option<FitClassifier> {
        let own = |fit: &Fit| if let Fit::Numeric(fit) = fit { Some(*fit) } else { None };
        self.fits.iter().find_map(own)
    }

    /// How it learns to predict numbers from numbers, if it does.
    pub fn regression(&self) -> Option<FitRegressor> {
        let own = |fit: &Fit| if let Fit::Regression(fit) = fit { Some(*fit) } else { None };
        self.fits.iter().find_map(own)
    }

    /// What it answers with, if it is a program; several things only where a file has yet to say which.
    pub fn gives(&self) -> impl Iterator<Item = Gives> {
        self.fits
            .iter()
            .filter_map(|fit| if let Fit::Program(gives) = fit { Some(*gives) } else { None })
    }

    /// Whether it gives the probability of each class, as a native method or as a program.
    pub fn gives_probabilities(&self) -> bool {
        self.probabilities || self.gives().any(|gives| gives == Gives::Probabilities)
    }

    /// How it divides variables into groups, if it does.
    pub fn partition(&self) -> Option<FitPartition> {
        let own = |fit: &Fit| if let Fit::Partition(fit) = fit { Some(*fit) } else { None };
        self.fits.iter().find_map(own)
    }
}

words! {
    /// What a program answers with.
    #[derive(Hash)]
    pub enum Gives {
        Labels = "labels", "the class of each row";
        Probabilities = "probabilities", "the probability of each class, for each row";
        Scores = "scores", "a number of each class, for each row, such as a decision value: the larger, the likelier";
        Values = "values", "the predicted target of each row, a number";
        LogLikelihoods = "log-likelihoods", "the natural logarithm of the probability of each row";
    }
}

impl Gives {
    /// Whether there are classes to learn.
    pub fn classifies(self) -> bool {
        self == Self::Labels || self.of_each_class()
    }

    /// Whether an answer is a number of each class.
    pub fn of_each_class(self) -> bool {
        matches!(self, Self::Probabilities | Self::Scores)
    }
}

/// How a method is fitted, by what it learns. A task takes the one that it can measure.
#[derive(Debug, Clone, Copy)]
pub enum Fit {
    /// Estimates a joint distribution of binary variables.
    Density(FitDensity),
    /// Learns a Markov network of binary variables: a model with pseudo-log-likelihoods.
    Network(FitDensity),
    /// Learns to predict the class of an example from 0/1 variables; categorical attributes become one a value.
    Classification(FitClassifier),
    /// Learns to predict the class of an example from categorical attributes.
    Categorical(FitClassifier),
    /// Learns to predict the class of an example from numbers; categorical attributes become one a value, 0 or 1.
    Numeric(FitClassifier),
    /// Learns to predict the target of an example, a number, from numbers.
    Regression(FitRegressor),
    /// Divides the variables into independent groups.
    Partition(FitPartition),
    /// A program learns, and answers with this.
    Program(Gives),
}

/// Fits a density model, or a Markov network, to training rows.
pub type FitDensity =
    fn(&Parameters, &DistinctRows, &Context, &mut Carry) -> Result<Box<dyn DensityModel>>;

/// Fits a classifier to training examples.
pub type FitClassifier =
    fn(&Parameters, &Labelled, &Context, &mut Carry) -> Result<Box<dyn Classifier>>;

/// Fits a regression to training examples.
pub type FitRegressor =
    fn(&Parameters, &Targeted, &Context, &mut Carry) -> Result<Box<dyn Regressor>>;

/// Divides variables into groups that are independent of each other.
pub type FitPartition = fn(&Parameters, &Observed, &Context) -> Result<Partition>;

impl Fit {
    /// What it takes. A classifier of 0/1 variables or of numbers takes categorical attributes as one variable a value,
    /// and one of numbers takes 0/1 variables as the numbers that they are. Of methods that divide variables into
    /// groups, the independence test decides, which is a parameter.
    fn takes(&self) -> &'static [Variables] {
        match self {
            Self::Density(_) | Self::Network(_) | Self::Program(Gives::LogLikelihoods) => {
                &Variables::ALL[..1]
            }
            Self::Classification(_) => &Variables::ALL[..2],
            Self::Categorical(_) => &Variables::ALL[1..2],
            Self::Numeric(_)
            | Self::Regression(_)
            | Self::Partition(_)
            | Self::Program(Gives::Labels | Gives::Probabilities | Gives::Scores | Gives::Values) => {
                &Variables::ALL
            }
        }
    }
}

impl MethodEntry {
    /// What it takes, in a fixed order.
    pub fn takes(&self) -> Vec<Variables> {
        let of_fits =
            |variables: &Variables| self.fits.iter().any(|fit| fit.takes().contains(variables));
        Variables::ALL.into_iter().filter(of_fits).collect()
    }

    /// The same as a phrase.
    pub fn taken(&self) -> String {
        let words: Vec<&str> = self.takes().into_iter().map(Variables::word).collect();
        match words.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            words => words.concat(),
        }
    }
}
