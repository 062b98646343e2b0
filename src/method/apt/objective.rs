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
use contract::{Context, FitError};
use math::lbfgs::Smooth;

/// The negative log-likelihood of a network on some training rows, of whatever kind: convex in its
/// parameters.
pub trait Loss: Debug + Send + Sync {
    /// The network.
    fn network(&self) -> &Network;

    /// Number of training examples, N.
    fn examples(&self) -> f64;

    /// The loss at these parameters, summed over the examples; writes its derivatives to `gradient`.
    fn evaluate(&self, parameters: &[f64], gradient: &mut [f64], cores: &Cores) -> f64;

    /// Writes the second derivative to each parameter by itself: the diagonal of the Hessian.
    fn curvature(&self, parameters: &[f64], diagonal: &mut [f64], cores: &Cores);
}

/// The least curvature that the approximated Hessian has along a parameter, in examples.
const LEAST_CURVATURE: f64 = 1e-3;

/// Where the centres of clusters are.
#[derive(Debug, Clone, PartialEq)]
pub enum Centres {
    /// At given places.
    At(Vec<f64>),
    /// At the means of their parameters: the best place, so that the penalty is the sum of squared
    /// deviations within clusters and the centres are no longer unknowns.
    Means,
}

/// A penalty λ/2 Σ_j (θ_j - μ_{a_j})² with the assignment a fixed. One cluster with its centre at 0 is L2
/// regularisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// λ, on the sum over the examples.
    pub lambda: f64,
    /// a: the cluster of each parameter.
    pub of_parameter: Vec<u32>,
    /// μ.
    pub centres: Centres,
    /// Number of clusters.
    pub clusters: usize,
}

impl Penalty {
    /// L2 regularisation of m parameters.
    pub fn l2(lambda: f64, m: usize) -> Self {
        Self { lambda, of_parameter: vec![0; m], centres: Centres::At(vec![0.0]), clusters: 1 }
    }

    /// The centres for these parameters.
    pub fn centres(&self, parameters: &[f64]) -> Vec<f64> {
        match &self.centres {
            Centres::At(centres) => centres.clone(),
            Centres::Means => means(parameters, &self.of_parameter, self.clusters),
        }
    }

    /// The penalty; adds its derivatives to `gradient`. (Those of the means cancel out.)
    pub fn add(&self, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        let centres = self.centres(parameters);
        let mut squares = 0.0;
        for ((value, cluster), slope) in parameters.iter().zip(&self.of_parameter).zip(gradient) {
            let deviation = value - centres[*cluster as usize];
            squares += deviation * deviation;
            *slope += self.lambda * deviation;
        }
        0.5 * self.lambda * squares
    }
}

/// The mean of each cluster's values; 0 of none.
pub fn means(values: &[f64], of_value: &[u32], clusters: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); clusters];
    for (value, &cluster) in values.iter().zip(of_value) {
        let (sum, count) = &mut sums[cluster as usize];
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
}

/// The penalised objective.
#[derive(Debug)]
pub struct Soft<'a> {
    loss: &'a dyn Loss,
    penalty: Penalty,
    context: &'a Context,
    /// Second derivatives of the loss.
    curvature: Vec<f64>,
}

impl<'a> Soft<'a> {
    /// The objective with this penalty.
    pub fn new(loss: &'a dyn Loss, penalty: Penalty, context: &'a Context) -> Self {
        let curvature = vec![0.0; loss.network().parameters()];
        Self { loss, penalty, context, curvature }
    }
}

impl Smooth for Soft<'_> {
    type Error = FitError;

    fn value(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64, FitError> {
        self.context.check()?;
        let value = self.loss.evaluate(point, gradient, &self.context.cores);
        Ok(value + self.penalty.add(point, gradient))
    }

    fn approximate(&mut self, point: &[f64]) {
        self.loss.curvature(point, &mut self.curvature, &self.context.cores);
        self.curvature.iter_mut().for_each(|value| *value = value.max(LEAST_CURVATURE));
    }

    /// Solves with the curvature D of the loss and the exact Hessian of the penalty. Around means that
    /// is λ(I - 11'/s) for a cluster of s parameters, so with E = D + λ the solution for v is
    /// (v_j + λ Σ(v/E) / Σ(D/E)) / E_j (Sherman and Morrison).
    fn precondition(&self, vector: &mut [f64]) {
        let Penalty { lambda, of_parameter, centres, clusters } = &self.penalty;
        let parameters = || self.curvature.iter().zip(of_parameter);
        if *centres == Centres::Means && *lambda > 0.0 {
            let mut sums = vec![(0.0, 0.0); *clusters];
            for (value, (d, &cluster)) in vector.iter().zip(parameters()) {
                sums[cluster as usize].0 += value / (d + lambda);
                sums[cluster as usize].1 += d / (d + lambda);
            }
            for (value, (_, &cluster)) in vector.iter_mut().zip(parameters()) {
                let (part, whole) = sums[cluster as usize];
                *value += lambda * part / whole;
            }
        }
        vector.iter_mut().zip(&self.curvature).for_each(|(value, d)| *value /= d + lambda);
    }
}

/// The loss as a function of one value for each cluster.
#[derive(Debug)]
pub struct Hard<'a> {
    loss: &'a dyn Loss,
    of_parameter: &'a [u32],
    context: &'a Context,
    parameters: Vec<f64>,
    gradient: Vec<f64>,
    curvature: Vec<f64>,
}

impl<'a> Hard<'a> {
    /// The objective under these ties: the cluster of each parameter.
    pub fn new(loss: &'a dyn Loss, of_parameter: &'a [u32], context: &'a Context) -> Self {
        let m = loss.network().parameters();
        let (parameters, gradient) = (vec![0.0; m], vec![0.0; m]);
        Self { loss, of_parameter, context, parameters, gradient, curvature: Vec::new() }
    }

    /// The parameters from the clusters' values.
    pub fn expanded(&self, values: &[f64]) -> Vec<f64> {
        self.of_parameter.iter().map(|&cluster| values[cluster as usize]).collect()
    }
}

impl Smooth for Hard<'_> {
    type Error = FitError;

    fn value(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64, FitError> {
        self.context.check()?;
        for (parameter, &cluster) in self.parameters.iter_mut().zip(self.of_parameter) {
            *parameter = point[cluster as usize];
        }
        let cores = &self.context.cores;
        let value = self.loss.evaluate(&self.parameters, &mut self.gradient, cores);
        gradient.fill(0.0);
        for (slope, &cluster) in self.gradient.iter().zip(self.of_parameter) {
            gradient[cluster as usize] += slope;
        }
        Ok(value)
    }

    fn approximate(&mut self, point: &[f64]) {
        self.parameters = self.expanded(point);
        let cores = &self.context.cores;
        self.loss.curvature(&self.parameters, &mut self.gradient, cores);
        self.curvature.clear();
        self.curvature.resize(point.len(), LEAST_CURVATURE);
        for (curvature, &cluster) in self.gradient.iter().zip(self.of_parameter) {
            self.curvature[cluster as usize] += curvature;
        }
    }

    fn precondition(&self, vector: &mut [f64]) {
        vector.iter_mut().zip(&self.curvature).for_each(|(value, d)| *value /= d);
    }
}

/// Sum of squared deviations of learned parameters from their clusters' means.
pub fn spread(parameters: &[f64], of_parameter: &[u32], clusters: usize) -> f64 {
    let means = means(parameters, of_parameter, clusters);
    let deviation = |(value, &cluster): (&f64, &u32)| value - means[cluster as usize];
    parameters.iter().zip(of_parameter).map(deviation).map(|d| d * d).sum()
}
