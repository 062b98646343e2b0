//! The parameters of the methods, but for those of the structure.

use contract::parameter::{Default, Domain, Parameter};

/// The parameter `lambda`.
pub const LAMBDA: Parameter = Parameter {
    name: "lambda",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
    default: Default::Real(1.0),
    meaning: "λ: weight of the penalty on the pseudo-log-likelihood summed over the examples",
};

/// The parameter `clusters`.
pub const CLUSTERS: Parameter = Parameter {
    name: "clusters",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(20),
    meaning: "k: number of clusters of parameters; with as many as there are parameters none are tied",
};

/// The parameter `tying`.
pub const TYING: Parameter = Parameter {
    name: "tying",
    domain: Domain::Word(&[
        ("soft", "parameters are drawn to the means of their clusters"),
        ("hard", "after that, all of a cluster are made equal and relearned without a penalty"),
    ]),
    default: Default::Word("soft"),
    meaning: "how parameters of a cluster are tied",
};

/// The parameter `start`.
pub const START: Parameter = Parameter {
    name: "start",
    domain: Domain::Word(&[
        (
            "near",
            "from the parameters of the last point of the grid with the same λ and fewer clusters, or of the \
             last point if it has the same number of clusters, whichever is better now; from those of L2 \
             regularisation if there is neither; `sgd` from zero",
        ),
        ("random", "from parameters drawn uniformly between -1 and 1"),
    ]),
    default: Default::Word("near"),
    meaning: "where the optimiser starts",
};

/// The parameter `tolerance`.
pub const TOLERANCE: Parameter = Parameter {
    name: "tolerance",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1e-6),
    meaning: "a minimisation ends when half the squared gradient in the metric of the Hessian's diagonal, \
              the decrease that a Newton step promises, is this many nats per training example",
};

/// The parameter `max_iterations`.
pub const MAX_ITERATIONS: Parameter = Parameter {
    name: "max_iterations",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(2000),
    meaning: "steps after which a minimisation ends in any case",
};

/// The parameter `optimiser`.
pub const OPTIMISER: Parameter = Parameter {
    name: "optimiser",
    domain: Domain::Word(&[
        (
            "converged",
            "full gradients and L-BFGS to the tolerance, with centres at the means of their clusters",
        ),
        ("sgd", "steps on one example each, as in the paper's experiments"),
    ]),
    default: Default::Word("converged"),
    meaning: "how the objective is minimised",
};

/// The parameter `step_size`.
pub const STEP_SIZE: Parameter = Parameter {
    name: "step_size",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(0.05),
    meaning: "of `sgd`: length of a step, as a multiple of the gradient of one example",
};

/// The parameter `steps`.
pub const STEPS: Parameter = Parameter {
    name: "steps",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(5_000_000),
    meaning: "of `sgd`: number of steps",
};

/// The parameter `interval`.
pub const INTERVAL: Parameter = Parameter {
    name: "interval",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(50_000),
    meaning: "of `sgd`: steps after which the centres are renewed and λ is raised",
};

/// The parameter `raised`.
pub const RAISED: Parameter = Parameter {
    name: "raised",
    domain: Domain::Bool,
    default: Default::Bool(true),
    meaning: "of `sgd`: whether λ rises in equal parts to its value, or has it from the beginning",
};
