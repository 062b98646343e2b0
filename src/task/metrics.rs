//! Metrics that several tasks measure.

use contract::{Basis, Direction, Metric};

/// Number of variables.
pub static VARIABLES: Metric = Metric {
    name: "variables",
    label: "|V|",
    meaning: "number of variables",
    rank: 140,
    ..Metric::NEUTRAL
};

/// Number of training examples.
pub static TRAIN_EXAMPLES: Metric = Metric {
    name: "train_examples",
    label: "Train",
    unit: "examples",
    meaning: "number of training examples",
    rank: 150,
    ..Metric::NEUTRAL
};

/// Number of test examples.
pub static TEST_EXAMPLES: Metric = Metric {
    name: "test_examples",
    label: "Test",
    unit: "examples",
    meaning: "number of test examples",
    rank: 160,
    basis: Basis::Test,
    ..Metric::NEUTRAL
};

/// How far the test score of the selected grid point lies from the best of its grid.
pub static OPTIMISM: Metric = Metric {
    name: "optimism",
    label: "Optimism",
    meaning: "how far the score of the selected grid point on the test examples lies from the best of its grid, which \
              selection did not see: what a selection by test examples would have gained; measured with `optimism = true`",
    rank: 165,
    direction: Direction::Lower,
    basis: Basis::Test,
    range: (0.0, f64::INFINITY),
    ..Metric::NEUTRAL
};

/// Seconds of the fit, all restarts.
pub static TIME_FIT: Metric = Metric {
    name: "time:fit",
    label: "Fit time",
    unit: "s",
    meaning: "seconds of the fit, all restarts; what serves several trials of a path counts in the first of them",
    rank: 610,
    direction: Direction::Lower,
    basis: Basis::Clock,
    ..Metric::NEUTRAL
};

/// Seconds of scoring the training, validation and test examples.
pub static TIME_EVALUATE: Metric = Metric {
    name: "time:evaluate",
    label: "Evaluation time",
    unit: "s",
    meaning: "seconds of scoring the training, validation and test examples",
    rank: 640,
    direction: Direction::Lower,
    basis: Basis::Clock,
    ..Metric::NEUTRAL
};
