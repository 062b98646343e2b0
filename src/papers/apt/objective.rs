//! What the converged optimiser minimises: a negative log-likelihood, pseudo or exact, with parameters tied
//! softly (equation 2 of the paper), to fixed centres or to their clusters' means, or tied hard.
//!
//! The whole objective, minimised over the parameters θ for a clustering a of them with centres μ, is
//!
//! ```text
//! F(θ, a, μ) = -Σ_r ℓ_r(θ) + λ/2 Σ_j (θ_j - μ_{a_j})²
//! ```
//!
//! over the N training rows r and the m parameters j, with ℓ_r(θ) = Σ_i ln P(x_ri | x_r without i) for the
//! pseudo-likelihood (equation 1) and ℓ_r(θ) = ln P(x_r) for the likelihood. L2 regularisation is one cluster with
//! μ = 0; hard ties are θ_j = μ_{a_j} without the penalty.

use std::fmt::Debug;

use super::network::Network;
use base::parallel::Cores;
use math::k_means::{Clustering, k_means};
use math::newton::{Asked, Hessian, Term};
use serde::{Deserialize, Serialize};

/// What somebody asks of a loss at one point.
#[derive(Debug)]
pub struct Request<'a> {
    /// The parameters.
    pub point: &'a [f64],
    /// What is asked.
    pub asked: Asked,
}

/// The answer to a request: sums over the examples.
#[derive(Debug)]
pub enum Answer {
    /// The loss and its derivatives.
    Gradient(f64, Vec<f64>),
    /// Its second derivatives; along a parameter, at least [`LEAST_CURVATURE`].
    Hessian(Box<dyn Hessian>),
}

/// The negative log-likelihood of a network on some training rows, of whatever kind: convex in its
/// parameters.
pub trait Loss: Debug + Send + Sync {
    /// The network.
    fn network(&self) -> &Network;

    /// Number of training examples, N.
    fn examples(&self) -> f64;

    /// How many Hessians may be held at a time; at least one.
    fn together(&self) -> usize;

    /// Answers all requests, in their order. No answer depends on the other requests.
    fn serve(&self, requests: &[Request<'_>], cores: &Cores) -> Vec<Answer>;
}

/// The least curvature that a Hessian is given along a parameter, in examples: far below what a tolerance can tell.
pub const LEAST_CURVATURE: f64 = 1e-12;

/// The loss and its derivatives at one point.
pub fn gradient(loss: &dyn Loss, point: &[f64], cores: &Cores) -> (f64, Vec<f64>) {
    match loss.serve(&[Request { point, asked: Asked::Gradient }], cores).pop() {
        Some(Answer::Gradient(value, gradient)) => (value, gradient),
        answer => unreachable!("a gradient was asked: {answer:?}"),
    }
}

/// A penalty λ/2 Σ_j (θ_j - μ_{a_j})² with the assignment a fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// λ, on the sum over the examples.
    pub lambda: f64,
    /// The clusters. A parameter that has one for itself is free.
    pub ties: Ties,
    /// Whether the centre of the first cluster is held at zero. All others are at the means of their
    /// parameters: the best place, so that centres are no unknowns.
    pub zero: bool,
}

/// Which parameters are tied with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ties {
    /// a: the cluster of each parameter.
    pub of_parameter: Vec<u32>,
    /// Number of clusters.
    pub clusters: usize,
    /// How many of them, the last ones, have one parameter each that is left free on purpose.
    pub free: usize,
}

impl Ties {
    /// One cluster for all of m parameters but the first `free`.
    pub fn one(m: usize, free: usize) -> Self {
        Self::of(&vec![0; m - free], 1, free)
    }

    /// Each of m parameters for itself.
    pub fn none(m: usize) -> Self {
        Self { of_parameter: (0..m as u32).collect(), clusters: m, free: 0 }
    }

    /// The best `k` clusters of all parameters but the first `free`, with the squared deviations within them.
    pub fn best(parameters: &[f64], k: usize, free: usize) -> (Self, f64) {
        let Clustering { of_value, clusters, cost } = k_means(&parameters[free..], k);
        (Self::of(&of_value, clusters, free), cost)
    }

    fn of(tied: &[u32], clusters: usize, free: usize) -> Self {
        let alone = clusters as u32..(clusters + free) as u32;
        let of_parameter = alone.chain(tied.iter().copied()).collect();
        Self { of_parameter, clusters: clusters + free, free }
    }

    /// Number of clusters of parameters that are not left free.
    pub fn tied(&self) -> usize {
        self.clusters - self.free
    }

    /// The mean of each cluster's values; 0 of none.
    pub fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.clusters];
        for (value, &cluster) in values.iter().zip(&self.of_parameter) {
            let (sum, count) = &mut sums[cluster as usize];
            *sum += value;
            *count += 1.0;
        }
        sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
    }

    /// Sum of squared deviations from the clusters' means.
    pub fn spread(&self, values: &[f64]) -> f64 {
        let means = self.means(values);
        let deviation = |(value, &cluster): (&f64, &u32)| value - means[cluster as usize];
        values.iter().zip(&self.of_parameter).map(deviation).map(|d| d * d).sum()
    }

    /// The parameters from the clusters' values.
    pub fn expanded(&self, values: &[f64]) -> Vec<f64> {
        self.of_parameter.iter().map(|&cluster| values[cluster as usize]).collect()
    }

    /// The sum of each cluster's values.
    pub fn collected(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.clusters];
        for (value, &cluster) in values.iter().zip(&self.of_parameter) {
            sums[cluster as usize] += value;
        }
        sums
    }
}

impl Penalty {
    /// L2 regularisation of m parameters but the first `free`.
    pub fn l2(lambda: f64, m: usize, free: usize) -> Self {
        Self { lambda, ties: Ties::one(m, free), zero: true }
    }

    /// Soft ties.
    pub fn soft(lambda: f64, ties: Ties) -> Self {
        Self { lambda, ties, zero: false }
    }

    /// μ, the centres for these parameters.
    pub fn centres(&self, parameters: &[f64]) -> Vec<f64> {
        let mut centres = self.ties.means(parameters);
        if self.zero {
            centres[0] = 0.0;
        }
        centres
    }

    /// Adds λ (θ_j - μ_{a_j}), the derivatives. (Those of the means cancel out.) The same of a step is how they
    /// change along it.
    fn add_slopes(&self, parameters: &[f64], slopes: &mut [f64]) -> f64 {
        let centres = self.centres(parameters);
        let mut squares = 0.0;
        let parameters = parameters.iter().zip(&self.ties.of_parameter);
        for ((value, cluster), slope) in parameters.zip(slopes) {
            let deviation = value - centres[*cluster as usize];
            squares += deviation * deviation;
            *slope += self.lambda * deviation;
        }
        squares
    }
}

impl Term for Penalty {
    fn add(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        0.5 * self.lambda * self.add_slopes(point, gradient)
    }

    fn add_change(&self, step: &[f64], change: &mut [f64]) {
        self.add_slopes(step, change);
    }

    /// Solves with the curvature D of the loss and the exact Hessian of the penalty. Around means that
    /// is λ(I - 11'/s) for a cluster of s parameters, so with E = D + λ the solution for v is
    /// (v_j + λ Σ(v/E) / Σ(D/E)) / E_j (Sherman and Morrison).
    fn precondition(&self, diagonal: &[f64], vector: &mut [f64]) {
        let Self { lambda, ties, zero } = self;
        if *lambda > 0.0 {
            let parameters = || diagonal.iter().zip(&ties.of_parameter);
            let mut sums = vec![(0.0, 0.0); ties.clusters];
            for (value, (d, &cluster)) in vector.iter().zip(parameters()) {
                sums[cluster as usize].0 += value / (d + lambda);
                sums[cluster as usize].1 += d / (d + lambda);
            }
            if *zero {
                sums[0].0 = 0.0;
            }
            for (value, (_, &cluster)) in vector.iter_mut().zip(parameters()) {
                let (part, whole) = sums[cluster as usize];
                *value += lambda * part / whole;
            }
        }
        vector.iter_mut().zip(diagonal).for_each(|(value, d)| *value /= d + lambda);
    }
}
