//! Metrics that several methods report.

use contract::{Direction, Metric};

/// Number of free parameters of the fitted model; of a Markov network, those before any are tied.
pub static PARAMETERS: Metric = Metric {
    name: "parameters",
    label: "Free parameters",
    meaning: "number of free parameters of the fitted model; of a Markov network, those before any are tied",
    rank: 260,
    ..Metric::NEUTRAL
};

/// Passes over the training examples; a sample over the problems of one class against the rest, or over the variables' regressions.
pub static EPOCHS: Metric = Metric {
    name: "epochs",
    label: "Epochs",
    meaning: "passes over the training examples; a sample over the problems of one class against the rest, or over the variables' regressions",
    rank: 360,
    ..Metric::NEUTRAL
};

/// Objective at the solution: primal, a sample over the problems of one class against the rest; of a Markov network, per training example.
pub static OBJECTIVE: Metric = Metric {
    name: "objective",
    label: "Objective",
    meaning: "objective at the solution: primal, a sample over the problems of one class against the rest; of a Markov network, per training example",
    rank: 380,
    direction: Direction::Lower,
    ..Metric::NEUTRAL
};

/// Number of EM restarts, or whether a Markov network's learning, reached the limit of iterations or of rounds.
pub static UNCONVERGED: Metric = Metric {
    name: "unconverged",
    label: "Runs at the limit",
    meaning: "number of EM restarts, or whether a Markov network's learning, reached the limit of iterations or of rounds",
    rank: 490,
    ..Metric::NEUTRAL
};

/// Number of pairs of variables that are joined directly.
pub static EDGES: Metric = Metric {
    name: "edges",
    label: "Edges",
    meaning: "number of pairs of variables that are joined directly",
    rank: 570,
    ..Metric::NEUTRAL
};
