//! The likelihood of a network of few variables, summed over all states.

use super::network::{MOST_SUMMED, Network};
use super::objective::{Answer, LEAST_CURVATURE, Loss, Request};
use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::{FitError, Result};
use math::newton::{Asked, Hessian};
use math::special::ln;
use math::vector::{self, exp_relative};

/// Where e to the energy relative to the largest counts as zero.
const NEGLIGIBLE: f64 = -700.0;

/// The training rows as the likelihood of one network sees them: their feature counts.
#[derive(Debug, Clone)]
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
    pub fn new(network: Network, train: &DistinctRows) -> Result<Self> {
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

    /// Σ_j θ_j f_j(x) for all states x. Time O(2^n).
    fn energies(&self, parameters: &[f64]) -> Vec<f64> {
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
        energies
    }

    /// Writes Σ_x weight_x f_j(x) for each feature j. Time O(2^n).
    fn features(&self, mut weights: Vec<f64>, out: &mut [f64]) {
        let n = self.network.variables();
        // The states in which a variable is one are the upper half; the sum of both halves no longer knows it.
        let mut pairs = Vec::new();
        for variable in (0..n).rev() {
            let (lower, upper) = weights.split_at_mut(1 << variable);
            out[variable] = vector::sum(upper);
            pairs.clear();
            pairs.extend_from_slice(upper);
            let edges: Vec<(usize, usize)> = self.before(variable).collect();
            for (other, edge) in edges.into_iter().rev() {
                while pairs.len() > 2 << other {
                    fold(&mut pairs);
                }
                out[n + edge] = vector::sum(&pairs[1 << other..]);
            }
            vector::add(lower, upper);
            weights.truncate(1 << variable);
        }
    }

    /// ln Z, and the probability of each state. Time O(2^n).
    fn probabilities(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let mut weights = self.energies(parameters);
        let top = vector::max(&weights);
        exp_relative(&mut weights, top, NEGLIGIBLE);
        let total = vector::sum(&weights);
        weights.iter_mut().for_each(|weight| *weight /= total);
        (top + ln(total), weights)
    }

    /// The neighbours before a variable, ascending, and their edges.
    fn before(&self, variable: usize) -> impl Iterator<Item = (usize, usize)> {
        let neighbours = self.network.neighbours(variable).iter();
        neighbours
            .map(|neighbour| (neighbour.variable as usize, neighbour.edge as usize))
            .take_while(move |(other, _)| *other < variable)
    }

    /// N ln Z - Σ_j counts_j θ_j, whose derivatives are the differences of expected and observed counts.
    fn gradient(&self, point: &[f64]) -> Answer {
        let (log_partition, probabilities) = self.probabilities(point);
        let mut gradient = vec![0.0; point.len()];
        self.features(probabilities, &mut gradient);
        for (slope, count) in gradient.iter_mut().zip(&self.counts) {
            *slope = self.examples * *slope - count;
        }
        let loss = self.examples * log_partition - vector::dot(point, &self.counts);
        Answer::Gradient(loss, gradient)
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

    /// There are few parameters where all states are summed over.
    fn together(&self) -> usize {
        usize::MAX
    }

    fn serve(&self, requests: &[Request<'_>], _: &Cores) -> Vec<Answer> {
        let answer = |request: &Request<'_>| match request.asked {
            Asked::Gradient => self.gradient(request.point),
            Asked::Hessian => Answer::Hessian(Box::new(Covariance::new(self, request.point))),
        };
        requests.iter().map(answer).collect()
    }
}

/// The Hessian: N times the covariances of the features, which are not written down.
#[derive(Debug)]
struct Covariance {
    likelihood: Likelihood,
    probabilities: Vec<f64>,
    diagonal: Vec<f64>,
    /// What the diagonal has more than N times the variances.
    lifted: Vec<f64>,
}

impl Covariance {
    fn new(likelihood: &Likelihood, point: &[f64]) -> Self {
        let (_, probabilities) = likelihood.probabilities(point);
        let mut diagonal = vec![0.0; point.len()];
        likelihood.features(probabilities.clone(), &mut diagonal);
        let variance = |share: &mut f64| *share = likelihood.examples * *share * (1.0 - *share);
        diagonal.iter_mut().for_each(variance);
        let lifted = diagonal.iter().map(|value| (LEAST_CURVATURE - value).max(0.0)).collect();
        diagonal.iter_mut().for_each(|value| *value = value.max(LEAST_CURVATURE));
        Self { likelihood: likelihood.clone(), probabilities, diagonal, lifted }
    }
}

impl Hessian for Covariance {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// N Cov(f, Σ_j v_j f_j).
    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let mut weights = self.likelihood.energies(vector);
        let mean = vector::dot(&weights, &self.probabilities);
        for (energy, probability) in weights.iter_mut().zip(&self.probabilities) {
            *energy = self.likelihood.examples * probability * (*energy - mean);
        }
        self.likelihood.features(weights, product);
        for (product, (value, lifted)) in product.iter_mut().zip(vector.iter().zip(&self.lifted)) {
            *product += lifted * value;
        }
    }
}
