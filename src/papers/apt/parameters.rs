//! The parameters of the methods, but for those of the structure.

use contract::parameter::{Choice, Count, Flag, Real};
use contract::words::Words;

/// How parameters of a cluster are tied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tying {
    /// Drawn to the mean.
    Soft,
    /// Equal.
    Hard,
}

/// How the weights of nodes are regularised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePenalty {
    /// As those of edges.
    Penalised,
    /// Not at all.
    Free,
}

/// Where the optimiser starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// From the better of the others.
    Best,
    /// From what is known of points near by.
    Near,
    /// Anywhere.
    Random,
}

/// How the objective is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimiser {
    /// To convergence.
    Converged,
    /// By stochastic gradients.
    Sgd,
}

/// The parameter `lambda`.
pub const LAMBDA: Real = Real::not_negative(
    "lambda",
    1.0,
    "λ: weight of the penalty on the pseudo-log-likelihood summed over the examples",
);

/// The parameter `clusters`.
pub const CLUSTERS: Count = Count::from(
    "clusters",
    1,
    20,
    "k: number of clusters of parameters; with as many as there are parameters none are tied",
);

/// The parameter `tying`.
pub const TYING: Choice<Tying> = Choice::new(
    "tying",
    &Words(&[
        ("soft", Tying::Soft, "parameters are drawn to the means of their clusters"),
        (
            "hard",
            Tying::Hard,
            "after that, all of a cluster are made equal and relearned without a penalty",
        ),
    ]),
    "soft",
    "how parameters of a cluster are tied",
);

/// The parameter `node_penalty`.
pub const NODE_PENALTY: Choice<NodePenalty> = Choice::new(
    "node_penalty",
    &Words(&[
        ("penalised", NodePenalty::Penalised, "as those of edges"),
        ("free", NodePenalty::Free, "not at all: they are neither drawn to zero nor tied"),
    ]),
    "penalised",
    "how the weights of nodes are regularised",
);

/// The parameter `start`.
pub const START: Choice<Start> = Choice::new(
    "start",
    &Words(&[
        (
            "best",
            Start::Best,
            "as `near`; the first number of clusters above one from `random` too, both coarsely, \
             and then from the better one. `sgd` from zero",
        ),
        (
            "near",
            Start::Near,
            "from the parameters of the last point of the grid with the same λ and fewer \
             clusters; from those of L2 regularisation if there is none; `sgd` from zero",
        ),
        ("random", Start::Random, "from parameters drawn uniformly between -1 and 1"),
    ]),
    "best",
    "where the optimiser starts",
);

/// The parameter `tolerance`.
pub const TOLERANCE: Real = Real::positive(
    "tolerance",
    1e-6,
    "a minimisation ends when the decrease that a Newton step promises, half the squared gradient in \
     the metric of the inverse Hessian, is this many nats per training example",
);

/// The parameter `max_iterations`.
pub const MAX_ITERATIONS: Count =
    Count::from("max_iterations", 1, 2000, "steps after which a minimisation ends in any case");

/// The parameter `optimiser`.
pub const OPTIMISER: Choice<Optimiser> = Choice::new(
    "optimiser",
    &Words(&[
        (
            "converged",
            Optimiser::Converged,
            "full gradients and Newton steps to the tolerance, with centres at the means of their \
             clusters",
        ),
        ("sgd", Optimiser::Sgd, "steps on one example each, as in the paper's experiments"),
    ]),
    "converged",
    "how the objective is minimised",
);

/// The parameter `step_size`.
pub const STEP_SIZE: Real = Real::positive(
    "step_size",
    0.05,
    "of `sgd`: length of a step, as a multiple of the gradient of one example",
)
.under(&OPTIMISER, "sgd");

/// The parameter `steps`.
pub const STEPS: Count =
    Count::from("steps", 1, 5_000_000, "of `sgd`: number of steps").under(&OPTIMISER, "sgd");

/// The parameter `interval`.
pub const INTERVAL: Count = Count::from(
    "interval",
    1,
    50_000,
    "of `sgd`: steps after which the centres are renewed and λ is raised",
)
.under(&OPTIMISER, "sgd");

/// The parameter `raised`.
pub const RAISED: Flag = Flag::flag(
    "raised",
    true,
    "of `sgd`: whether λ rises in equal parts to its value, or has it from the beginning",
)
.under(&OPTIMISER, "sgd");
