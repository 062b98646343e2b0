//! Why there is no answer.

use contract::MethodId;
use stats::StatsError;

/// Why a value is not there, or a test of values cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Lack {
    /// A method has no value.
    #[error("{method}: {why}")]
    Value {
        /// Its id.
        method: MethodId,
        /// A phrase.
        why: &'static str,
    },
    /// A method has no value on one of several datasets.
    #[error("{method} on {on}: {why}")]
    ValueOn {
        /// What people read for it.
        method: String,
        /// What people read for the dataset.
        on: String,
        /// A phrase.
        why: &'static str,
    },
    /// A method that ran once has no standard deviation.
    #[error("{0}: one repeat has no standard deviation")]
    Deviation(MethodId),
    /// There is no dataset to compare methods on.
    #[error("no datasets")]
    Datasets,
    /// Two methods whose values do not pair up.
    #[error("{0} and {1} were not run on the same splits")]
    Splits(MethodId, MethodId),
    /// A method whose values do not line up with those of the others.
    #[error("{0} was not run on the same splits as the others")]
    OtherSplits(MethodId),
    /// Two methods that were tested on other examples.
    #[error("{0} and {1} were not tested on the same examples")]
    Examples(MethodId, MethodId),
    /// Several methods that were tested on other examples.
    #[error("the methods were not tested on the same examples")]
    OtherExamples,
    /// What a kind of test asks for is not so: what is instead.
    #[error("{0}")]
    Unmet(&'static str),
    /// A form of claim finds no answer: why, with the values at hand.
    #[error("{0}")]
    Open(String),
    /// The statistic is not defined on the values.
    #[error(transparent)]
    Statistic(#[from] StatsError),
}
