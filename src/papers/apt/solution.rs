//! What an optimiser finds.

use super::objective::Ties;
use math::newton::Minimum;
use serde::{Deserialize, Serialize};

/// Learned parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// θ, nodes before edges.
    pub parameters: Vec<f64>,
    /// The clusters: one for all with L2 regularisation, one for each where nothing is tied.
    pub ties: Ties,
    /// The loss with its penalty, summed over the examples.
    pub objective: f64,
    /// The largest derivative of it by any free value, in absolute terms.
    pub gradient: f64,
    /// Steps of the optimiser.
    pub iterations: usize,
    /// Rounds of clustering and learning; 1 where they do not alternate.
    pub rounds: usize,
    /// The objective above that of an optimum, where the optimiser may end far from it.
    pub gap: Option<f64>,
    /// Whether every minimisation reached the tolerance, and the clusters no longer changed.
    pub converged: bool,
}

impl Solution {
    /// As the second stage after `first`: with the steps of both, converged if both are, and with the rounds of
    /// the first, which clustered.
    #[must_use]
    pub fn after(self, first: &Self) -> Self {
        Self {
            iterations: first.iterations + self.iterations,
            rounds: first.rounds,
            converged: first.converged && self.converged,
            ..self
        }
    }

    /// What a minimisation has found.
    pub fn of(minimum: Minimum, parameters: Vec<f64>, ties: Ties) -> Self {
        Self {
            parameters,
            ties,
            objective: minimum.value,
            gradient: minimum.gradient.iter().fold(0.0, |top, slope| slope.abs().max(top)),
            iterations: minimum.iterations,
            rounds: 1,
            gap: None,
            converged: minimum.converged,
        }
    }

    /// Whether it is one of a network with `m` parameters.
    pub fn fits(&self, m: usize) -> bool {
        let Ties { of_parameter, clusters, free } = &self.ties;
        let inside = of_parameter.iter().all(|&cluster| (cluster as usize) < *clusters);
        self.parameters.len() == m && of_parameter.len() == m && inside && *free <= m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_read_back_is_the_same() {
        let ties = Ties { of_parameter: vec![2, 0, 1], clusters: 3, free: 1 };
        let solution = Solution {
            parameters: vec![0.1, -1.0 / 3.0, 1e-300],
            ties,
            objective: 1.0 / 7.0,
            gradient: 0.0,
            iterations: 5,
            rounds: 1,
            gap: None,
            converged: false,
        };
        let other = Solution { gap: Some(2.0 / 3.0), ..solution.clone() };
        let text = serde_json::to_string(&[&solution, &other]).unwrap();
        let read = |text: &str| {
            let read: Vec<Solution> = serde_json::from_str(text).ok()?;
            read.iter().all(|solution| solution.fits(3)).then_some(read)
        };
        assert_eq!(read(&text), Some(vec![solution, other]));
        for (from, to) in
            [("[2,0,1]", "[3,0,1]"), ("[2,0,1]", "[2,0]"), ("1e-300", "x"), ("false", "0")]
        {
            assert!(text.contains(from));
            assert_eq!(read(&text.replace(from, to)), None);
        }
    }
}
