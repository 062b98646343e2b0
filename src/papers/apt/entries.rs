//! The registry's entries: L2 regularisation, learn-tie-relearn, automatic parameter tying.

use super::model::REPORTS;
use super::network::MOST_SUMMED;
use super::parameters::*;
use super::path::{Likelihoods, PathState, learned};
use super::sgd::{STEPS, Settings as Steps};
use super::structure::{DEGREE, Settings};
use contract::parameter::{Parameters, parameters};
use contract::{Fit, Memory, MethodEntry, Shape};

/// The parameters of what is learned by pseudo-likelihood, and further ones.
macro_rules! by_pseudo_likelihood {
    ($further:expr) => {
        parameters![in Settings::PARAMETERS, Penalised::PARAMETERS, $further, &[OPTIMISER.parameter], Steps::PARAMETERS]
    };
}

/// Learns networks with the help of what has been learned along the path.
macro_rules! along_path {
    ($likelihood:ident, $learn:expr) => {
        &[Fit::Network(|parameters, train, context, carry| {
            learned(Likelihoods::$likelihood, parameters, train, context, carry, $learn)
        })]
    };
}

/// What entries say that does not differ.
const NETWORK: MethodEntry = MethodEntry {
    revision: 2,
    along: &[CLUSTERS.parameter.name, LAMBDA.parameter.name],
    reports: REPORTS,
    cost,
    memory: Memory::PairsOfVariables(4.0),
    ..MethodEntry::PLAIN
};

const L2_SOURCE: &str =
    "Chou, Sahoo, Sarkhel, Ruozzi and Gogate 2018, equation 1 with L2 regularisation";
const LTR_SOURCE: &str = "Chou, Sahoo, Sarkhel, Ruozzi and Gogate 2018, section 'APT versus LTR'";
const APT_SOURCE: &str = "Chou, Sahoo, Sarkhel, Ruozzi and Gogate 2018, equation 2 and algorithm 1";

/// Parameters by pseudo-likelihood with a penalty λ/2 Σ_j θ_j² on its sum over the examples.
pub static MPLE_L2: MethodEntry = MethodEntry {
    kind: "mple-l2",
    summary: "pairwise Markov network of bounded degree by L2-regularised pseudo-likelihood",
    source: L2_SOURCE,
    parameters: by_pseudo_likelihood![&[]],
    along: &[LAMBDA.parameter.name],
    fits: along_path![Pseudo, |path, own, learner| path.l2(learner, own.get(&LAMBDA))],
    ..NETWORK
};

/// The same with the exact likelihood.
pub static MLE_L2: MethodEntry = MethodEntry {
    kind: "mle-l2",
    summary: "as `mple-l2` by the exact likelihood, for networks of at most 20 variables",
    source: L2_SOURCE,
    parameters: parameters![in Settings::PARAMETERS, Penalised::PARAMETERS],
    along: &[LAMBDA.parameter.name],
    cost: exact_cost,
    fits: along_path![Exact, |path, own, learner| path.l2(learner, own.get(&LAMBDA))],
    ..NETWORK
};

/// Learn, tie, relearn: the parameters of [`MPLE_L2`], clustered, then relearned without a penalty, all
/// of a cluster equal.
pub static LTR: MethodEntry = MethodEntry {
    kind: "ltr",
    summary: "learn-tie-relearn: L2-regularised parameters are clustered, made equal within clusters and relearned",
    source: LTR_SOURCE,
    revision: 3,
    parameters: by_pseudo_likelihood![&[CLUSTERS.parameter]],
    // Both stages take the stochastic steps.
    cost: |parameters, shape| 2.0 * cost(parameters, shape),
    fits: along_path![Pseudo, PathState::relearned],
    ..NETWORK
};

/// Automatic parameter tying, algorithm 1 of the paper, from the parameters of [`MPLE_L2`].
pub static APT: MethodEntry = MethodEntry {
    kind: "apt",
    summary: "automatic parameter tying: parameters and their clusters are learned together",
    source: APT_SOURCE,
    parameters: by_pseudo_likelihood![Tied::PARAMETERS],
    fits: along_path![Pseudo, PathState::tied],
    ..NETWORK
};

/// The same with the exact likelihood.
pub static MLE_APT: MethodEntry = MethodEntry {
    kind: "mle-apt",
    summary: "as `apt` by the exact likelihood, for networks of at most 20 variables",
    source: APT_SOURCE,
    parameters: parameters![in Settings::PARAMETERS, Penalised::PARAMETERS, Tied::PARAMETERS],
    cost: exact_cost,
    fits: along_path![Exact, PathState::tied],
    ..NETWORK
};

/// To convergence, and before that the stochastic steps where they are taken.
fn cost(parameters: &Parameters, shape: &Shape) -> f64 {
    let degree = parameters.get(&DEGREE).min(shape.variables) as f64;
    let converged = 1e-8 * (shape.examples * shape.variables) as f64 * (10.0 + degree);
    match parameters.get(&OPTIMISER) {
        Optimiser::Converged => converged,
        Optimiser::Sgd => {
            let ones = shape.entries as f64 / shape.examples.max(1) as f64;
            let step = 3e-9 * (shape.variables as f64 + ones * degree);
            converged + step * parameters.get(&STEPS) as f64
        }
    }
}

/// Sums over all states.
fn exact_cost(_: &Parameters, shape: &Shape) -> f64 {
    1e-7 * f64::from(1 << shape.variables.min(MOST_SUMMED))
}
