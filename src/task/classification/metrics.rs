//! What classification measures, but for what [`crate::probabilities`] and [`crate::confusion`] do.

use contract::{Basis, Direction, Metric, PerExample, Work};

/// Share of the test examples whose class is predicted.
pub static TEST_ACCURACY: Metric = Metric {
    name: "test_accuracy",
    label: "Accuracy",
    meaning: "share of the test examples whose class is predicted",
    rank: 70,
    direction: Direction::Higher,
    basis: Basis::Test,
    per_example: PerExample::Outcomes,
    range: (0.0, 1.0),
    ..Metric::NEUTRAL
};

/// Zero-one loss on the test examples; of the boundary task, without outliers, or the mean over the orders.
pub static TEST_ERROR: Metric = Metric {
    name: "test_error",
    label: "Error",
    meaning: "zero-one loss on the test examples; of the boundary task, without outliers, or the mean over the orders",
    rank: 80,
    direction: Direction::Lower,
    basis: Basis::Test,
    per_example: PerExample::Outcomes,
    range: (0.0, 1.0),
    ..Metric::NEUTRAL
};

/// Share of the validation examples whose class is predicted.
pub static VALID_ACCURACY: Metric = Metric {
    name: "valid_accuracy",
    label: "Validation accuracy",
    meaning: "share of the validation examples whose class is predicted",
    rank: 90,
    direction: Direction::Higher,
    basis: Basis::Validation,
    range: (0.0, 1.0),
    ..Metric::NEUTRAL
};

/// Share of the training examples whose class is predicted; measured where an experiment names it.
pub static TRAIN_ACCURACY: Metric = Metric {
    name: "train_accuracy",
    label: "Training accuracy",
    meaning: "share of the training examples whose class is predicted; measured where an experiment names it",
    rank: 100,
    direction: Direction::Higher,
    on_request: Some(&TRAINING_PREDICTIONS),
    range: (0.0, 1.0),
    ..Metric::NEUTRAL
};

/// Zero-one loss on the training examples: 1 - `train_accuracy`; measured where an experiment names it.
pub static TRAIN_ERROR: Metric = Metric {
    name: "train_error",
    label: "Training error",
    meaning: "zero-one loss on the training examples: 1 - `train_accuracy`; measured where an experiment names it",
    rank: 110,
    direction: Direction::Lower,
    on_request: Some(&TRAINING_PREDICTIONS),
    range: (0.0, 1.0),
    ..Metric::NEUTRAL
};

/// Average log-likelihood of the test examples together with their classes; measured where an experiment names it, and there methods that do not model both fail.
pub static TEST_JOINT_LL: Metric = Metric {
    name: "test_joint_ll",
    label: "Joint log-likelihood",
    unit: "nats per example",
    meaning: "average log-likelihood of the test examples together with their classes; measured where an experiment names it, and there methods that do not model both fail",
    rank: 120,
    direction: Direction::Higher,
    basis: Basis::Test,
    on_request: Some(&JOINT_LOG_LIKELIHOODS),
    ..Metric::NEUTRAL
};

/// Number of classes.
pub static CLASSES: Metric = Metric {
    name: "classes",
    label: "Classes",
    meaning: "number of classes",
    rank: 130,
    ..Metric::NEUTRAL
};

/// Seconds of predicting the classes or the targets of the test examples.
pub static TIME_PREDICT: Metric = Metric {
    name: "time:predict",
    label: "Prediction time",
    unit: "s",
    meaning: "seconds of predicting the classes or the targets of the test examples",
    rank: 630,
    direction: Direction::Lower,
    basis: Basis::Clock,
    ..Metric::NEUTRAL
};

static TRAINING_PREDICTIONS: Work = Work("training predictions");

static JOINT_LOG_LIKELIHOODS: Work = Work("joint log-likelihoods");
