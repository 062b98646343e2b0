//! Learning to convergence: full gradients, Newton steps, centres profiled out.

use super::objective::{Loss, Penalty, Ties, gradient};
use super::search::{Hard, Soft, serve};
use super::solution::Solution;
use contract::{Context, Result};
use math::newton::{Minimum, Stopping, Term};
use math::special::ln;

/// Learns to convergence.
#[derive(Debug, Clone, Copy)]
pub struct Converged<'a> {
    /// The data and the network.
    pub loss: &'a dyn Loss,
    /// What a fit may use.
    pub context: &'a Context,
    /// When a minimisation stops; the tolerance is summed over the examples.
    pub stopping: Stopping,
    /// How many parameters, the first ones, are neither penalised nor tied.
    pub free: usize,
}

/// Where soft ties are learned from: each start gives an optimum, of which the best is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Starts {
    /// λ.
    pub lambda: f64,
    /// Parameters.
    pub from: Vec<Vec<f64>>,
}

impl Converged<'_> {
    /// Where learning starts without a better place: the network without edges, its marginals smoothed by
    /// half an example each.
    pub fn start(&self) -> Vec<f64> {
        let n = self.loss.network().variables();
        let mut parameters = vec![0.0; self.loss.network().parameters()];
        // At 0 every variable is one in half the examples; the derivatives say how far that is off.
        let (_, gradient) = gradient(self.loss, &parameters, &self.context.cores);
        let half = 0.5 * self.loss.examples();
        for (parameter, slope) in parameters.iter_mut().zip(&gradient[..n]) {
            *parameter = ln((half - slope + 0.5) / (half + slope + 0.5));
        }
        parameters
    }

    /// L2-regularised parameters for several λ; with λ = 0, unregularised ones.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn l2(&self, lambdas: &[f64], start: &[f64]) -> Result<Vec<Solution>> {
        let penalty = |lambda| Penalty::l2(lambda, start.len(), self.free);
        let search = |&lambda: &f64| Soft::once(penalty(lambda), start.to_vec(), self.stopping);
        let mut found = Vec::with_capacity(lambdas.len());
        for some in lambdas.chunks(self.loss.together()) {
            found.extend(self.learned(some.iter().map(search).collect())?);
        }
        Ok(found)
    }

    /// Parameters under equality constraints: all of a cluster are equal. The clusters start at their means of
    /// the parameters beside them.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn hard(&self, ties: Vec<(Ties, &[f64])>) -> Result<Vec<Solution>> {
        let search = |(ties, near): (Ties, &[f64])| {
            let start = ties.means(near);
            Hard::new(ties, start, self.stopping)
        };
        let mut waiting = ties.into_iter().map(search);
        let mut found = Vec::with_capacity(waiting.len());
        while waiting.len() > 0 {
            let mut searches: Vec<Hard> = waiting.by_ref().take(self.loss.together()).collect();
            serve(self.loss, &mut searches, self.context)?;
            found.extend(searches.iter().map(Hard::solution));
        }
        Ok(found)
    }

    /// Softly tied parameters, `k` clusters, for several λ. All starts are learned as far as
    /// [`super::search::COARSEST`] times the tolerance, and of each λ the one with the lowest objective then to
    /// its end; of equal ones, the first.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn tied(&self, k: usize, starts: &[Starts]) -> Result<Vec<Solution>> {
        let most = starts.iter().map(|of| of.from.len()).max().unwrap_or(1).max(1);
        let mut found = Vec::with_capacity(starts.len());
        for some in starts.chunks((self.loss.together() / most).max(1)) {
            found.extend(self.tied_together(k, some)?);
        }
        Ok(found)
    }

    fn tied_together(&self, k: usize, starts: &[Starts]) -> Result<Vec<Solution>> {
        let search =
            |lambda, from: &Vec<f64>| Soft::tied(lambda, k, self.free, from.clone(), self.stopping);
        let each = |of: &Starts| of.from.iter().map(|from| search(of.lambda, from)).collect();
        let groups: Vec<Vec<Soft>> = starts.iter().map(each).collect();
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let mut searches: Vec<Soft> = groups.into_iter().flatten().collect();
        serve(self.loss, &mut searches, self.context)?;
        let mut searches = searches.into_iter();
        let mut best: Vec<Soft> = sizes
            .into_iter()
            .filter_map(|size| {
                searches.by_ref().take(size).reduce(|best, other| {
                    if other.objective() < best.objective() { other } else { best }
                })
            })
            .collect();
        best.iter_mut().for_each(Soft::go_on);
        self.learned(best)
    }

    /// Parameters as they are, with this penalty.
    pub fn at(&self, penalty: Penalty, parameters: Vec<f64>) -> Solution {
        let (loss, mut slopes) = gradient(self.loss, &parameters, &self.context.cores);
        let value = loss + penalty.add(&parameters, &mut slopes);
        Solution::of(staying(value, slopes), parameters, penalty.ties)
    }

    /// Tied parameters as they are, by the values of the clusters.
    pub fn at_hard(&self, ties: Ties, values: &[f64]) -> Solution {
        let parameters = ties.expanded(values);
        let (value, slopes) = gradient(self.loss, &parameters, &self.context.cores);
        Solution::of(staying(value, ties.collected(&slopes)), parameters, ties)
    }

    fn learned(&self, mut searches: Vec<Soft>) -> Result<Vec<Solution>> {
        serve(self.loss, &mut searches, self.context)?;
        Ok(searches.iter().map(Soft::solution).collect())
    }
}

/// Where no step was taken.
fn staying(value: f64, gradient: Vec<f64>) -> Minimum {
    Minimum { point: Vec::new(), value, gradient, iterations: 0, converged: false }
}
