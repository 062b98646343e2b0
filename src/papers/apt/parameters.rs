//! The parameters of the methods, but for those of the structure.

use contract::parameter::{Choice, Count, Real, settings};
use contract::words;

words! {
    /// How parameters of a cluster are tied.
    pub enum Tying {
        Soft = "soft", "parameters are drawn to the means of their clusters";
        Hard = "hard", "after that, all of a cluster are made equal and relearned without a penalty";
    }
}

words! {
    /// How the weights of nodes are regularised.
    pub enum NodePenalty {
        Penalised = "penalised", "as those of edges";
        Free = "free", "not at all: they are neither drawn to zero nor tied";
    }
}

words! {
    /// Where the optimiser starts.
    pub enum Start {
        Best = "best", "as `near`; the first number of clusters above one from `random` too, both coarsely, and then from the \
                        better one. `sgd` from zero";
        Near = "near", "from the parameters of the last point of the grid with the same λ and fewer clusters; from those of L2 \
                        regularisation if there is none; `sgd` from zero";
        Random = "random", "from parameters drawn uniformly between -1 and 1";
    }
}

words! {
    /// How the objective is minimised.
    pub enum Optimiser {
        Converged = "converged", "full gradients and Newton steps to the tolerance, with centres at the means of their clusters";
        Sgd = "sgd", "steps on one example each, as in the paper's experiments";
    }
}

settings! {
    /// How a penalised likelihood is maximised.
    pub struct Penalised {
        LAMBDA lambda: Real::not_negative(1.0), "λ: weight of the penalty on the pseudo-log-likelihood summed over the examples";
        NODE_PENALTY node_penalty: Choice<NodePenalty>::worded("penalised"), "how the weights of nodes are regularised";
        TOLERANCE tolerance: Real::positive(1e-6),
            "a minimisation ends when the decrease that a Newton step promises, half the squared gradient in the metric of the \
             inverse Hessian, is this many nats per training example";
        MAX_ITERATIONS max_iterations: Count::from(1, 2000), "steps after which a minimisation ends in any case";
    }
}

settings! {
    /// How parameters are tied.
    pub struct Tied {
        CLUSTERS clusters: Count::from(1, 20),
            "k: number of clusters of parameters; with as many as there are parameters none are tied";
        TYING tying: Choice<Tying>::worded("soft"), "how parameters of a cluster are tied";
        START start: Choice<Start>::worded("best"), "where the optimiser starts";
    }
}

settings! { pub OPTIMISER optimiser: Choice<Optimiser>::worded("converged"), "how the objective is minimised"; }
