//! A learned network, as the task sees it.

use super::network::{MOST_SUMMED, Network};
use super::objective::Loss;
use super::solution::Solution;
use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::{DensityModel, ITERATIONS, Measure, Metric, Reported, metrics};
use method::metrics::{EDGES, OBJECTIVE, PARAMETERS, UNCONVERGED};

metrics! {
    pub LARGEST_DEGREE: Model = "largest_degree", "Largest degree",
        "largest number of neighbours of a variable in a Markov network";
    pub STRUCTURE_RESIDUAL: Model = "structure_residual", "Structure residual",
        "largest violation of the optimality conditions of the structure's regressions, as a part of their penalties".lower();
    pub FOUND_CLUSTERS: Model = "found_clusters", "Clusters found",
        "number of clusters of parameters: fewer than asked for where fewer values are distinct, 1 with L2 regularisation, the number of parameters where none are tied";
    pub ROUNDS: Model = "rounds", "Rounds",
        "number of rounds of clustering and learning to convergence; 1 where they do not alternate";
    pub GRADIENT: Model = "gradient", "Gradient",
        "largest derivative of the objective per training example".lower().unit("nats per example");
    pub OBJECTIVE_GAP: Model = "objective_gap", "Objective gap",
        "objective per training example above that of the optimum reached from there".lower().unit("nats per example");
}

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

impl DensityModel for LearnedNetwork {
    fn log_likelihoods(&self, rows: &BinaryRows, _: &Cores) -> Vec<f64> {
        let log_partition = self.network.log_partition(&self.solution.parameters);
        let log_partition = log_partition.unwrap_or(f64::NAN);
        let weights = self.network.log_weights(&self.solution.parameters, rows);
        weights.into_iter().map(|weight| weight - log_partition).collect()
    }

    fn is_normalised(&self) -> bool {
        self.network.variables() <= MOST_SUMMED
    }

    fn pseudo_log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Option<Vec<f64>> {
        Some(self.network.pseudo_log_likelihoods(&self.solution.parameters, rows, cores))
    }

    fn clusters(&self) -> Option<&[u32]> {
        Some(&self.solution.ties.of_parameter)
    }

    fn measures(&self) -> Reported {
        let Self { network, solution, examples, structure_residual } = self;
        let unconverged = f64::from(!solution.converged);
        let gap = solution.gap.map(|gap| (&OBJECTIVE_GAP, gap / examples));
        let measures = [
            (&PARAMETERS, network.parameters() as f64),
            (&EDGES, network.edges.len() as f64),
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
