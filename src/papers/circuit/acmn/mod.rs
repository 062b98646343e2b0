//! ACMN, Markov networks learned together with their arithmetic circuit: D. Lowd and A. Rooshenas, "Learning Markov networks with
//! arithmetic circuits", AISTATS 2013.
//!
//! ```text
//! P(x) = exp(Σ_f w_f [x satisfies f]) / Z, each f a conjunction of literals
//! J(w) = n Σ_f w_f p̂_f - n ln Z - L1 Σ |w_f| - Σ w_f² / (2 s)
//! score of splitting f by v = gain in J - split cost - edge cost × edges by which the circuit grows
//! ```

mod gain;
mod learner;
mod split;

use contract::parameter::{Count, Real, settings};
use contract::{Fit, Memory, MethodEntry, carried};
use method::metrics::PARAMETERS;

use self::learner::{Data, Learner};
use super::network::CIRCUIT_EDGES;
use super::rows::sorted;

settings! {
    /// What features, splits and edges cost.
    pub struct Settings {
        L1 l1: Real::not_negative(1.0), "L1, the penalty of a weight's absolute value";
        VARIANCE variance: Real::positive(1.0), "s, the variance of the Gaussian prior of weights";
        SPLIT_COST split_cost: Real::not_negative(1.0),
            "what a split must gain beside the cost of its edges; a run with a larger one is the beginning of a run with a smaller one";
        EDGE_COST edge_cost: Real::not_negative(0.1), "what a split must gain for each edge by which the circuit grows";
        MAX_EDGES max_edges: Count::within(1..=10_000_000, 100_000),
            "edges of the circuit at most; learning ends at the first split that wants more";
    }
}

/// The registry's entry.
pub static ACMN: MethodEntry = MethodEntry {
    kind: "acmn",
    summary: "Markov network of conjunctive features, learned greedily with its arithmetic circuit",
    source: "Lowd and Rooshenas 2013",
    parameters: Settings::PARAMETERS,
    along: &["split_cost"],
    reports: &[&PARAMETERS, &CIRCUIT_EDGES],
    cost: |parameters, shape| {
        let edges = (100 * shape.variables).min(parameters.get(&MAX_EDGES)) as f64;
        1e-5 * edges * shape.variables as f64 / (0.1 + parameters.get(&EDGE_COST))
    },
    memory: Memory::PairsOfVariables(16.0),
    fits: &[Fit::Density(|parameters, train, context, carry| {
        let settings = Settings::read(parameters);
        let split_cost = settings.split_cost;
        let before = carried::<(f64, Learner)>(carry)?.filter(|(cost, _)| *cost >= split_cost);
        let train = sorted(train)?;
        let data = Data { rows: &train, context };
        let mut learner = match before {
            Some((_, learner)) => learner,
            None => Learner::new(&data, settings)?,
        };
        learner.learn(&data, split_cost)?;
        let model = learner.circuit.clone().unnormalised()?;
        *carry = Some(Box::new((split_cost, learner)));
        Ok(Box::new(model))
    })],
    ..MethodEntry::PLAIN
};

#[cfg(test)]
mod tests;
