//! A learned network, as the task sees it.

use super::network::Network;
use super::objective::Loss;
use super::solution::Solution;
use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::{MarkovNetwork, Measure};

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
        Some(&self.solution.of_parameter)
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        let Self { network, solution, examples, structure_residual } = self;
        let unconverged = f64::from(u8::from(!solution.converged));
        let gap = solution.gap.map(|gap| ("objective_gap", gap / examples));
        let measures = [
            ("parameters", network.parameters() as f64),
            ("edges", network.edges().len() as f64),
            ("largest_degree", network.largest_degree() as f64),
            ("structure_residual", *structure_residual),
            ("found_clusters", solution.clusters as f64),
            ("rounds", solution.rounds as f64),
            ("objective", solution.objective / examples),
            ("gradient", solution.gradient / examples),
            ("iterations", solution.iterations as f64),
            ("unconverged", unconverged),
        ];
        let measures = measures.into_iter().chain(gap);
        measures.map(|(name, value)| (name, Measure::Scalar(value))).collect()
    }
}
