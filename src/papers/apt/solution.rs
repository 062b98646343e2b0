//! What an optimiser finds.

use std::str::FromStr;

use super::objective::Ties;
use math::newton::Minimum;

/// Learned parameters.
#[derive(Debug, Clone, PartialEq)]
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

    /// As text, three lines; numbers read back are the same.
    pub fn to_text(&self) -> String {
        let gap = self.gap.map_or_else(|| "-".to_owned(), |gap| format!("{gap:e}"));
        let Self { objective, gradient, iterations, rounds, converged, ties, .. } = self;
        let Ties { of_parameter, clusters, free } = ties;
        let parameters = self.parameters.iter().map(|value| format!("{value:e}"));
        let ties = of_parameter.iter().map(u32::to_string);
        format!(
            "{objective:e} {gradient:e} {gap} {iterations} {rounds} {converged} {clusters} {free}\n{}\n{}\n",
            parameters.collect::<Vec<_>>().join(" "),
            ties.collect::<Vec<_>>().join(" "),
        )
    }

    /// Solutions from their texts, one after the other, of networks with `m` parameters.
    pub fn from_texts(text: &str, m: usize) -> Option<Vec<Self>> {
        fn numbers<T: FromStr>(line: &str) -> Option<Vec<T>> {
            line.split(' ').map(|word| word.parse().ok()).collect()
        }
        let mut lines = text.lines();
        let mut all = Vec::new();
        while let Some(line) = lines.next() {
            let mut words = line.split(' ');
            let objective = words.next()?.parse().ok()?;
            let gradient = words.next()?.parse().ok()?;
            let gap = match words.next()? {
                "-" => None,
                gap => Some(gap.parse().ok()?),
            };
            let iterations = words.next()?.parse().ok()?;
            let rounds = words.next()?.parse().ok()?;
            let converged = words.next()?.parse().ok()?;
            let (clusters, free) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let parameters: Vec<f64> = numbers(lines.next()?)?;
            let of_parameter: Vec<u32> = numbers(lines.next()?)?;
            let inside = of_parameter.iter().all(|&cluster| (cluster as usize) < clusters);
            if parameters.len() != m || of_parameter.len() != m || !inside || free > m {
                return None;
            }
            let ties = Ties { of_parameter, clusters, free };
            all.push(Self {
                parameters,
                ties,
                objective,
                gradient,
                iterations,
                rounds,
                gap,
                converged,
            });
        }
        Some(all)
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
        let text = solution.to_text() + &other.to_text();
        assert_eq!(Solution::from_texts(&text, 3), Some(vec![solution, other]));
        for damaged in [
            text.replace("2 0 1", "3 0 1"),
            text.replace("2 0 1", "2 0"),
            text.replace("1e-300", "x"),
            text.replace("false", "maybe"),
        ] {
            assert_eq!(Solution::from_texts(&damaged, 3), None);
        }
        assert_eq!(Solution::from_texts(&text, 4), None);
    }
}
