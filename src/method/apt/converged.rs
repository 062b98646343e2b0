//! Learning to convergence: full gradients, L-BFGS, centres profiled out.

use super::objective::{Centres, Hard, Loss, Penalty, Soft, means, spread};
use super::solution::Solution;
use contract::{Context, FitError};
use math::k_means::{Clustering, k_means};
use math::lbfgs::{Stopping, minimise};
use math::special::ln;

/// Rounds of clustering and learning after which the alternation ends.
const MOST_ROUNDS: usize = 100;
/// The first round learns with so many times the tolerance.
const COARSEST: f64 = 1e3;
/// Part of the last clustering's gain that a round may leave to gain.
const CLOSER: f64 = 0.1;

/// Takes no step.
const STAYING: Stopping = Stopping { tolerance: 0.0, max_iterations: 0 };

/// Learns to convergence.
#[derive(Debug, Clone, Copy)]
pub struct Converged<'a> {
    /// The data and the network.
    pub loss: &'a dyn Loss,
    /// What a fit may use.
    pub context: &'a Context,
    /// When a minimisation stops; the tolerance is summed over the examples.
    pub stopping: Stopping,
}

impl Converged<'_> {
    /// Where learning starts without a better place: the network without edges, its marginals smoothed by
    /// half an example each.
    pub fn start(&self) -> Vec<f64> {
        let n = self.loss.network().variables();
        let mut parameters = vec![0.0; self.loss.network().parameters()];
        let mut gradient = parameters.clone();
        // At 0 every variable is one in half the examples; the derivatives say how far that is off.
        self.loss.evaluate(&parameters, &mut gradient, &self.context.cores);
        let half = 0.5 * self.loss.examples();
        for (parameter, slope) in parameters.iter_mut().zip(&gradient[..n]) {
            *parameter = ln((half - slope + 0.5) / (half + slope + 0.5));
        }
        parameters
    }

    /// L2-regularised parameters; with λ = 0, unregularised ones.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn l2(&self, lambda: f64, start: Vec<f64>) -> Result<Solution, FitError> {
        self.learned(Penalty::l2(lambda, start.len()), start)
    }

    /// Parameters under equality constraints: all of a cluster are equal. The clusters start at their means.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn hard(&self, clustering: Clustering, start: &[f64]) -> Result<Solution, FitError> {
        let Clustering { of_value, clusters, .. } = clustering;
        let start = means(start, &of_value, clusters);
        let mut objective = Hard::new(self.loss, &of_value, self.context);
        let minimum = minimise(&mut objective, start, self.stopping)?;
        let parameters = objective.expanded(&minimum.point);
        Ok(Solution::of(minimum, parameters, of_value, clusters))
    }

    /// Algorithm 1 with soft ties: clusters the parameters, learns them with the assignment fixed and the
    /// centres at the clusters' means, and so on until clustering no longer lowers the objective by more
    /// than the tolerance. A round learns as closely as the gain of the last clustering makes worth while.
    /// No step raises the objective.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn tied(&self, lambda: f64, k: usize, start: Vec<f64>) -> Result<Solution, FitError> {
        let least = self.stopping.tolerance;
        let mut stopping = Stopping { tolerance: least * COARSEST, ..self.stopping };
        let mut clustering = k_means(&start, k);
        let mut point = start;
        let (mut iterations, mut rounds) = (0, 0);
        loop {
            let Clustering { of_value, clusters, .. } = clustering;
            let penalty =
                Penalty { lambda, of_parameter: of_value, centres: Centres::Means, clusters };
            let mut learned = Self { stopping, ..*self }.learned(penalty, point)?;
            iterations += learned.iterations;
            rounds += 1;
            let before = spread(&learned.parameters, &learned.of_parameter, learned.clusters);
            clustering = k_means(&learned.parameters, k);
            let gain = 0.5 * lambda * (before - clustering.cost);
            let settled = gain <= least && stopping.tolerance == least;
            if settled || rounds == MOST_ROUNDS {
                learned.converged &= settled;
                return Ok(Solution { iterations, rounds, ..learned });
            }
            stopping.tolerance = (CLOSER * gain).clamp(least, stopping.tolerance);
            point = learned.parameters;
        }
    }

    /// The objective of soft ties into `k` clusters, the best for these parameters.
    pub fn objective(&self, lambda: f64, k: usize, parameters: &[f64]) -> f64 {
        let mut gradient = vec![0.0; parameters.len()];
        let loss = self.loss.evaluate(parameters, &mut gradient, &self.context.cores);
        loss + 0.5 * lambda * k_means(parameters, k).cost
    }

    /// Parameters as they are, with this penalty.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn at(&self, penalty: Penalty, parameters: Vec<f64>) -> Result<Solution, FitError> {
        Self { stopping: STAYING, ..*self }.learned(penalty, parameters)
    }

    /// Tied parameters as they are, by the values of the clusters.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn at_hard(&self, clustering: Clustering, values: &[f64]) -> Result<Solution, FitError> {
        let Clustering { of_value, clusters, .. } = clustering;
        let mut objective = Hard::new(self.loss, &of_value, self.context);
        let minimum = minimise(&mut objective, values.to_vec(), STAYING)?;
        let parameters = objective.expanded(&minimum.point);
        Ok(Solution::of(minimum, parameters, of_value, clusters))
    }

    /// Parameters that minimise the objective with a penalty.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn learned(&self, penalty: Penalty, start: Vec<f64>) -> Result<Solution, FitError> {
        let (of_parameter, clusters) = (penalty.of_parameter.clone(), penalty.clusters);
        let mut objective = Soft::new(self.loss, penalty, self.context);
        let mut minimum = minimise(&mut objective, start, self.stopping)?;
        let parameters = std::mem::take(&mut minimum.point);
        Ok(Solution::of(minimum, parameters, of_parameter, clusters))
    }
}
