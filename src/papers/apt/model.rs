//! A learned network, as the task sees it.

use super::network::Network;
use super::objective::Loss;
use super::solution::Solution;
use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::{Direction, ITERATIONS, MarkovNetwork, Measure, Metric, Reported};
use method::metrics::{EDGES, OBJECTIVE, PARAMETERS, UNCONVERGED};

/// Largest number of neighbours of a variable in a Markov network.
pub static LARGEST_DEGREE: Metric = Metric {
    name: "largest_degree",
    label: "Largest degree",
    meaning: "largest number of neighbours of a variable in a Markov network",
    rank: 270,
    ..Metric::NEUTRAL
};

/// Largest violation of the optimality conditions of the structure's regressions, as a part of their penalties.
pub static STRUCTURE_RESIDUAL: Metric = Metric {
    name: "structure_residual",
    label: "Structure residual",
    meaning: "largest violation of the optimality conditions of the structure's regressions, as a part of their penalties",
    rank: 280,
    direction: Direction::Lower,
    ..Metric::NEUTRAL
};

/// Number of clusters of parameters: fewer than asked for where fewer values are distinct, 1 with L2 regularisation, the number of parameters where none are tied.
pub static FOUND_CLUSTERS: Metric = Metric {
    name: "found_clusters",
    label: "Clusters found",
    meaning: "number of clusters of parameters: fewer than asked for where fewer values are distinct, 1 with L2 regularisation, the number of parameters where none are tied",
    rank: 290,
    ..Metric::NEUTRAL
};

/// Number of rounds of clustering and learning to convergence; 1 where they do not alternate.
pub static ROUNDS: Metric = Metric {
    name: "rounds",
    label: "Rounds",
    meaning: "number of rounds of clustering and learning to convergence; 1 where they do not alternate",
    rank: 300,
    ..Metric::NEUTRAL
};

/// Largest derivative of the objective per training example.
pub static GRADIENT: Metric = Metric {
    name: "gradient",
    label: "Gradient",
    unit: "nats per example",
    meaning: "largest derivative of the objective per training example",
    rank: 310,
    direction: Direction::Lower,
    ..Metric::NEUTRAL
};

/// Objective per training example above that of the optimum reached from there.
pub static OBJECTIVE_GAP: Metric = Metric {
    name: "objective_gap",
    label: "Objective gap",
    unit: "nats per example",
    meaning: "objective per training example above that of the optimum reached from there",
    rank: 320,
    direction: Direction::Lower,
    ..Metric::NEUTRAL
};

/// What the entries report.
pub(super) const REPORTS: &[&Metric] = &[
    &PARAMETERS,
    &LARGEST_DEGREE,
    &STRUCTURE_RESIDUAL,
    &FOUND_CLUSTERS,
    &ROUNDS,
    &GRADIENT,
    &OBJECTIVE_GAP,
    &OBJECTIVE,
    &ITERATIONS,
    &UNCONVERGED,
    &EDGES,
];

/// A network with learned parameters.
#[derive(Debug)]
pub struct LearnedNetwork {
    network: Network,
    solution: Solution,
    examples: f64,
    structure_residual: f64,
}

impl LearnedNetwork {
    /// A network with the parameters of a solution.
    pub fn new(loss: &dyn Loss, solution: Solution, structure_residual: f64) -> Self {
        let (network, examples) = (loss.network().clone(), loss.examples());
        Self { network, solution, examples, structure_residual }
    }
}

impl MarkovNetwork for LearnedNetwork {
    fn pseudo_log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        self.network.pseudo_log_likelihoods(&self.solution.parameters, rows, cores)
    }

    fn log_likelihoods(&self, rows: &BinaryRows) -> Option<Vec<f64>> {
        let log_partition = self.network.log_partition(&self.solution.parameters)?;
        let mut values = self.network.log_weights(&self.solution.parameters, rows);
        values.iter_mut().for_each(|value| *value -= log_partition);
        Some(values)
    }

    fn clusters(&self) -> Option<&[u32]> {
        Some(&self.solution.ties.of_parameter)
    }

    fn measures(&self) -> Reported {
        let Self { network, solution, examples, structure_residual } = self;
        let unconverged = f64::from(u8::from(!solution.converged));
        let gap = solution.gap.map(|gap| (&OBJECTIVE_GAP, gap / examples));
        let measures = [
            (&PARAMETERS, network.parameters() as f64),
            (&EDGES, network.edges().len() as f64),
            (&LARGEST_DEGREE, network.largest_degree() as f64),
            (&STRUCTURE_RESIDUAL, *structure_residual),
            (&FOUND_CLUSTERS, solution.ties.tied() as f64),
            (&ROUNDS, solution.rounds as f64),
            (&OBJECTIVE, solution.objective / examples),
            (&GRADIENT, solution.gradient / examples),
            (&ITERATIONS, solution.iterations as f64),
            (&UNCONVERGED, unconverged),
        ];
        let measures = measures.into_iter().chain(gap);
        measures.map(|(name, value)| (name, Measure::Scalar(value))).collect()
    }
}
