//! The likelihood of a network of few variables, summed over all states.

use super::network::{MOST_SUMMED, Network};
use super::objective::{Loss, Request};
use base::parallel::Cores;
use contract::FitError;
use contract::binary::DistinctRows;
use math::lbfgs::Asked;
use math::special::ln;
use math::vector::{self, exp_relative};

/// Where e to the energy relative to the largest counts as zero.
const NEGLIGIBLE: f64 = -700.0;

/// The training rows as the likelihood of one network sees them: their feature counts.
#[derive(Debug)]
pub struct Likelihood {
    network: Network,
    examples: f64,
    /// How many examples have each feature: nodes, then edges.
    counts: Vec<f64>,
}

impl Likelihood {
    /// Counts the features.
    ///
    /// # Errors
    /// If there are more than [`MOST_SUMMED`] variables, or no examples.
    pub fn new(network: Network, train: &DistinctRows) -> Result<Self, FitError> {
        let n = network.variables();
        if n > MOST_SUMMED {
            return Err(FitError::NotApplicable(format!(
                "the likelihood is summed over the states of at most {MOST_SUMMED} variables, and there \
                 are {n}"
            )));
        }
        if train.examples() == 0 {
            return Err(FitError::NoExamples);
        }
        let mut counts = vec![0.0; network.parameters()];
        for (row, &count) in train.rows.iter().zip(&train.counts) {
            for &one in row {
                counts[one as usize] += f64::from(count);
                for neighbour in network.neighbours(one as usize) {
                    if neighbour.variable < one && row.binary_search(&neighbour.variable).is_ok() {
                        counts[n + neighbour.edge as usize] += f64::from(count);
                    }
                }
            }
        }
        Ok(Self { network, examples: train.examples() as f64, counts })
    }

    /// ln Z; writes the probability of each feature. Time O(2^n).
    fn expectations(&self, parameters: &[f64], out: &mut [f64]) -> f64 {
        let n = self.network.variables();
        // A variable's own part of the energy, by the states of those before it, doubles with each of them;
        // so do the energies themselves.
        let mut energies = vec![0.0];
        let mut fields = Vec::new();
        for variable in 0..n {
            fields.clear();
            fields.push(parameters[variable]);
            let mut before = self.before(variable);
            let mut next = before.next();
            for other in 0..variable {
                let weight = match next {
                    Some((at, edge)) if at == other => {
                        next = before.next();
                        parameters[n + edge]
                    }
                    _ => 0.0,
                };
                fields.extend_from_within(..);
                let half = fields.len() / 2;
                fields[half..].iter_mut().for_each(|field| *field += weight);
            }
            energies.extend_from_within(..);
            let half = energies.len() / 2;
            vector::add(&mut energies[half..], &fields);
        }
        let top = vector::max(&energies);
        let mut weights = energies;
        exp_relative(&mut weights, top, NEGLIGIBLE);
        let total = vector::sum(&weights);
        // The way back: the states in which a variable is one are the upper half; the sum of both halves
        // no longer knows it.
        let mut pairs = Vec::new();
        for variable in (0..n).rev() {
            let (lower, upper) = weights.split_at_mut(1 << variable);
            out[variable] = vector::sum(upper) / total;
            pairs.clear();
            pairs.extend_from_slice(upper);
            let edges: Vec<(usize, usize)> = self.before(variable).collect();
            for (other, edge) in edges.into_iter().rev() {
                while pairs.len() > 2 << other {
                    fold(&mut pairs);
                }
                out[n + edge] = vector::sum(&pairs[1 << other..]) / total;
            }
            vector::add(lower, upper);
            weights.truncate(1 << variable);
        }
        top + ln(total)
    }

    /// The neighbours before a variable, ascending, and their edges.
    fn before(&self, variable: usize) -> impl Iterator<Item = (usize, usize)> {
        let neighbours = self.network.neighbours(variable).iter();
        neighbours
            .map(|neighbour| (neighbour.variable as usize, neighbour.edge as usize))
            .take_while(move |(other, _)| *other < variable)
    }
}

/// Sums the last variable out.
fn fold(sums: &mut Vec<f64>) {
    let half = sums.len() / 2;
    let (lower, upper) = sums.split_at_mut(half);
    vector::add(lower, upper);
    sums.truncate(half);
}

impl Loss for Likelihood {
    fn network(&self) -> &Network {
        &self.network
    }

    fn examples(&self) -> f64 {
        self.examples
    }

    /// N ln Z - Σ_j counts_j θ_j, whose derivatives are the differences of expected and observed counts; its second
    /// derivatives are N times the variances of the features.
    fn serve(&self, requests: &mut [Request<'_>], _: &Cores) {
        for Request { point, asked, derivatives, loss } in requests {
            let log_partition = self.expectations(point, derivatives);
            match asked {
                Asked::Gradient => {
                    for (slope, count) in derivatives.iter_mut().zip(&self.counts) {
                        *slope = self.examples * *slope - count;
                    }
                    *loss = self.examples * log_partition - vector::dot(point, &self.counts);
                }
                Asked::Curvature => derivatives
                    .iter_mut()
                    .for_each(|share| *share = self.examples * *share * (1.0 - *share)),
            }
        }
    }
}
