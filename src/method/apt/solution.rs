//! What an optimiser finds.

use math::lbfgs::Minimum;

/// Learned parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// θ, nodes before edges.
    pub parameters: Vec<f64>,
    /// The cluster of each parameter: one for all with L2 regularisation, one for each where nothing is tied.
    pub of_parameter: Vec<u32>,
    /// Number of clusters.
    pub clusters: usize,
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
    pub fn of(
        minimum: Minimum,
        parameters: Vec<f64>,
        of_parameter: Vec<u32>,
        clusters: usize,
    ) -> Self {
        Self {
            parameters,
            of_parameter,
            clusters,
            objective: minimum.value,
            gradient: minimum.gradient.iter().fold(0.0, |top, slope| slope.abs().max(top)),
            iterations: minimum.iterations,
            rounds: 1,
            gap: None,
            converged: minimum.converged,
        }
    }

    /// An L2-regularised solution as text; numbers read back are the same.
    pub fn to_text(&self) -> String {
        let gap = self.gap.map_or_else(|| "-".to_owned(), |gap| format!("{gap:e}"));
        let Self { objective, gradient, iterations, rounds, converged, .. } = self;
        let parameters = self.parameters.iter().map(|value| format!(" {value:e}"));
        let parameters: String = parameters.collect();
        format!("{objective:e} {gradient:e} {gap} {iterations} {rounds} {converged}{parameters}")
    }

    /// Reads an L2-regularised solution.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let objective = words.next()?.parse().ok()?;
        let gradient = words.next()?.parse().ok()?;
        let gap = match words.next()? {
            "-" => None,
            gap => Some(gap.parse().ok()?),
        };
        let iterations = words.next()?.parse().ok()?;
        let rounds = words.next()?.parse().ok()?;
        let converged = words.next()?.parse().ok()?;
        let parameters = words.map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>()?;
        let of_parameter = vec![0; parameters.len()];
        let clusters = 1;
        Some(Self {
            parameters,
            of_parameter,
            clusters,
            objective,
            gradient,
            iterations,
            rounds,
            gap,
            converged,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_read_back_is_the_same() {
        let solution = Solution {
            parameters: vec![0.1, -1.0 / 3.0, 1e-300],
            of_parameter: vec![0; 3],
            clusters: 1,
            objective: 1.0 / 7.0,
            gradient: 0.0,
            iterations: 5,
            rounds: 1,
            gap: None,
            converged: false,
        };
        for gap in [None, Some(2.0 / 3.0)] {
            let solution = Solution { gap, ..solution.clone() };
            assert_eq!(Solution::from_text(&solution.to_text()), Some(solution));
        }
        assert_eq!(Solution::from_text("1 2 - 3 4 true 0.5 x"), None);
    }
}
