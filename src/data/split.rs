//! How examples are divided into training, validation and test sets.

/// The `split` of an experiment file.
#[derive(Debug, Clone, PartialEq)]
pub enum SplitPlan {
    /// As the dataset's authors split it.
    Published,
    /// k-fold cross-validation, repeated.
    CrossValidation {
        /// Number of folds, at least 2.
        folds: usize,
        /// How often the examples are divided anew.
        repeats: usize,
        /// Whether each fold has the classes in their proportions.
        stratified: bool,
    },
    /// Random training and test sets of fixed sizes, repeated.
    Resample {
        /// Size of the training set.
        train: usize,
        /// Size of the test set.
        test: usize,
        /// How often.
        repeats: usize,
    },
    /// Each example is the test set once.
    LeaveOneOut,
    /// The folds that the dataset's authors give.
    Folds,
}
