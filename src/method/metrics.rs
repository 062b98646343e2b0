//! Metrics that several methods report.

use contract::metrics;

metrics! {
    pub PARAMETERS: Model = "parameters", "Free parameters",
        "number of free parameters of the fitted model; of a Markov network, those before any are tied";
    pub EPOCHS: Training = "epochs", "Epochs",
        "passes over the training examples; a sample over the problems of one class against the rest, or over the variables' regressions";
    pub OBJECTIVE: Training = "objective", "Objective",
        "objective at the solution: primal, a sample over the problems of one class against the rest; of a Markov network, per training example".lower();
    pub UNCONVERGED: Training = "unconverged", "Runs at the limit",
        "number of EM restarts, or whether a Markov network's learning, reached the limit of iterations or of rounds";
    pub EDGES: Structure = "edges", "Edges", "number of pairs of variables that are joined directly";
}
