//! Learning by stochastic gradient ascent, as the paper ran it: steps on one example each, a constant step
//! size, cluster centres renewed every so many steps, λ raised along the way, the last iterate returned.
//!
//! The paper gives the largest number of steps (5,000,000) and the interval of the centres (50,000), and
//! neither the step size nor how λ is raised. The penalty is on the sum over the examples, so a step on one
//! of N examples takes the part λ/N of its gradient. Examples are drawn with replacement.

use super::converged::{Converged, Starts};
use super::network::Network;
use super::objective::{Penalty, Ties};
use super::parameters::OPTIMISER;
use super::solution::Solution;
use contract::binary::DistinctRows;
use contract::parameter::{Count, Flag, Real, settings};
use contract::{Context, FitError, Result};
use math::vector;

/// Deviations are kept as multiples of a number that shrinks; below this it becomes 1 again.
const SMALLEST_SCALE: f64 = 1e-100;

/// Steps between two looks at the clock and at the user.
const UNWATCHED: usize = 10_000;

settings! {
    /// How the steps are taken.
    #[derive(PartialEq)]
    pub struct Settings {
        STEP_SIZE step_size: Real::positive(0.05), "of `sgd`: length of a step, as a multiple of the gradient of one example"
            .under(&OPTIMISER, "sgd");
        STEPS steps: Count::from(1, 5_000_000), "of `sgd`: number of steps".under(&OPTIMISER, "sgd");
        INTERVAL interval: Count::from(1, 50_000), "of `sgd`: steps after which the centres are renewed and λ is raised"
            .under(&OPTIMISER, "sgd");
        RAISED raised: Flag::flag(true),
            "of `sgd`: whether λ rises in equal parts to its value, or has it from the beginning".under(&OPTIMISER, "sgd");
    }
}

/// Learns by stochastic gradient ascent.
#[derive(Debug)]
pub struct Sgd<'a> {
    /// The training rows.
    pub train: &'a DistinctRows,
    /// How the steps are taken.
    pub settings: Settings,
    /// The same problem for the converged optimiser, which says how far from the optimum the steps end.
    pub converged: Converged<'a>,
}

impl Sgd<'_> {
    /// L2-regularised parameters, from zero on. The gap is to the optimum.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts; if a step would overshoot the penalty's minimum.
    pub fn l2(&self, lambda: f64) -> Result<Solution> {
        let parameters = self.walk(lambda, None, None)?;
        let optimum = self.converged.l2(&[lambda], &parameters)?;
        let penalty = Penalty::l2(lambda, parameters.len(), self.converged.free);
        let reached = self.converged.at(penalty, parameters);
        Ok(self.ended(reached, &optimum))
    }

    /// Softly tied parameters, from `start` or zero on: L2-regularised until the centres are renewed for the
    /// first time. The gap is to the optimum that the converged optimiser reaches from the last step.
    ///
    /// # Errors
    /// As [`Self::l2`]; if the centres are never renewed.
    pub fn tied(&self, lambda: f64, k: usize, start: Option<Vec<f64>>) -> Result<Solution> {
        let Settings { steps, interval, .. } = self.settings;
        if interval >= steps {
            return Err(FitError::Failed(format!(
                "centres that are renewed every {interval} steps are never renewed in {steps}: \
                 `interval` has to be below `steps`"
            )));
        }
        let parameters = self.walk(lambda, Some(k), start)?;
        let (ties, _) = Ties::best(&parameters, k, self.converged.free);
        let optimum =
            self.converged.tied(k, &[Starts { lambda, from: vec![parameters.clone()] }])?;
        let reached = self.converged.at(Penalty::soft(lambda, ties), parameters);
        Ok(self.ended(reached, &optimum))
    }

    /// Parameters under equality constraints, by projection: after each step, the parameters of a cluster
    /// become their mean. The gap is to the optimum under the same constraints.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn hard(&self, ties: Ties, start: &[f64]) -> Result<Solution> {
        let mut sizes = vec![0.0; ties.clusters];
        ties.of_parameter.iter().for_each(|&cluster| sizes[cluster as usize] += 1.0);
        let shares = sizes.into_iter().map(|size| 1.0 / size).collect();
        let values = ties.means(start);
        let mut weights = Projected { values, shares, of_parameter: &ties.of_parameter };
        let mut walk = Walk::new(self);
        for step in 0..self.settings.steps {
            if step % UNWATCHED == 0 {
                self.converged.context.check()?;
            }
            walk.step(&mut weights, self.settings.step_size);
        }
        let values = weights.values;
        let optimum = self.converged.hard(vec![(ties.clone(), start)])?;
        let reached = self.converged.at_hard(ties, &values);
        Ok(self.ended(reached, &optimum))
    }

    /// The last iterate with a penalty, around zero or around `k` centres, from `start` or zero on.
    ///
    /// # Errors
    /// As [`Self::l2`].
    pub fn walk(&self, lambda: f64, k: Option<usize>, start: Option<Vec<f64>>) -> Result<Vec<f64>> {
        let Settings { step_size, steps, interval, raised } = self.settings;
        let examples = self.train.examples() as f64;
        let intervals = steps.div_ceil(interval) as f64;
        let m = self.converged.loss.network().parameters();
        if step_size * lambda / examples >= 1.0 {
            return Err(FitError::Failed(format!(
                "steps of {step_size} are too long for λ = {lambda} and {examples} examples"
            )));
        }
        let start = start.unwrap_or_else(|| vec![0.0; m]);
        let mut weights = Shrinking::new(start, self.converged.free);
        let mut walk = Walk::new(self);
        let mut shrink = 1.0;
        for step in 0..steps {
            if step % UNWATCHED == 0 {
                self.converged.context.check()?;
            }
            if step % interval == 0 {
                if let (Some(k), true) = (k, step > 0) {
                    weights.tie(k);
                }
                let part = if raised { (step / interval + 1) as f64 / intervals } else { 1.0 };
                shrink = 1.0 - step_size * part * lambda / examples;
            }
            weights.shrink(shrink);
            walk.step(&mut weights, step_size);
        }
        Ok(weights.parameters())
    }

    fn ended(&self, reached: Solution, optimum: &[Solution]) -> Solution {
        let gap = optimum.first().map(|optimum| reached.objective - optimum.objective);
        Solution { gap, iterations: self.settings.steps, ..reached }
    }
}

/// Where parameters are kept between steps.
trait Weights {
    /// One parameter.
    fn value(&self, parameter: usize) -> f64;

    /// Subtracts from one parameter.
    fn lower(&mut self, parameter: usize, amount: f64);
}

/// Parameters that are drawn to centres in every step: centre + scale × deviation, so that only the scale
/// needs to change. The first `free` of them are drawn nowhere.
struct Shrinking {
    weights: Vec<Weight>,
    free: usize,
    scale: f64,
    /// One over the scale.
    inverse: f64,
}

#[derive(Debug, Clone, Copy)]
struct Weight {
    deviation: f64,
    centre: f64,
}

impl Shrinking {
    fn new(start: Vec<f64>, free: usize) -> Self {
        let weight = |deviation| Weight { deviation, centre: 0.0 };
        Self { weights: start.into_iter().map(weight).collect(), free, scale: 1.0, inverse: 1.0 }
    }

    fn parameters(&self) -> Vec<f64> {
        (0..self.weights.len()).map(|parameter| self.value(parameter)).collect()
    }

    fn shrink(&mut self, part: f64) {
        self.scale *= part;
        if self.scale < SMALLEST_SCALE {
            for weight in &mut self.weights[self.free..] {
                weight.deviation *= self.scale;
            }
            self.scale = 1.0;
        }
        self.inverse = 1.0 / self.scale;
    }

    /// Moves the centres to those of the best clusters.
    fn tie(&mut self, k: usize) {
        let parameters = self.parameters();
        let (ties, _) = Ties::best(&parameters, k, self.free);
        let centres = ties.means(&parameters);
        let tied = self.weights.iter_mut().zip(parameters).zip(ties.of_parameter);
        for ((weight, value), cluster) in tied.skip(self.free) {
            let centre = centres[cluster as usize];
            *weight = Weight { deviation: value - centre, centre };
        }
        (self.scale, self.inverse) = (1.0, 1.0);
    }
}

impl Weights for Shrinking {
    #[inline]
    fn value(&self, parameter: usize) -> f64 {
        let weight = self.weights[parameter];
        let scale = if parameter < self.free { 1.0 } else { self.scale };
        weight.centre + scale * weight.deviation
    }

    #[inline]
    fn lower(&mut self, parameter: usize, amount: f64) {
        let inverse = if parameter < self.free { 1.0 } else { self.inverse };
        self.weights[parameter].deviation -= amount * inverse;
    }
}

/// Parameters that are projected after every step: a change of one is shared by its cluster.
struct Projected<'a> {
    values: Vec<f64>,
    /// One over the number of parameters of each cluster.
    shares: Vec<f64>,
    of_parameter: &'a [u32],
}

impl Weights for Projected<'_> {
    #[inline]
    fn value(&self, parameter: usize) -> f64 {
        self.values[self.of_parameter[parameter] as usize]
    }

    #[inline]
    fn lower(&mut self, parameter: usize, amount: f64) {
        let cluster = self.of_parameter[parameter] as usize;
        self.values[cluster] -= amount * self.shares[cluster];
    }
}

/// Steps on drawn examples.
struct Walk<'a> {
    train: &'a DistinctRows,
    network: &'a Network,
    random: math::random::Random,
    /// By variable: log-odds of a one, then probability less the value.
    errors: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(sgd: &Sgd<'a>) -> Self {
        let context: &Context = sgd.converged.context;
        let network = sgd.converged.loss.network();
        let errors = vec![0.0; network.variables()];
        Self { train: sgd.train, network, random: context.random(0), errors }
    }

    /// One step on one example. Time O(n + neighbours of its ones).
    fn step(&mut self, weights: &mut impl Weights, size: f64) {
        let example = self.random.below(self.train.of_example.len());
        let row = self.train.rows.row(self.train.of_example[example] as usize);
        let n = self.errors.len();
        for (variable, odds) in self.errors.iter_mut().enumerate() {
            *odds = weights.value(variable);
        }
        for &one in row {
            for neighbour in self.network.neighbours(one as usize) {
                self.errors[neighbour.variable as usize] +=
                    weights.value(n + neighbour.edge as usize);
            }
        }
        vector::sigmoid(&mut self.errors);
        row.iter().for_each(|&one| self.errors[one as usize] -= 1.0);
        for (variable, error) in self.errors.iter().enumerate() {
            weights.lower(variable, size * error);
        }
        for &one in row {
            for neighbour in self.network.neighbours(one as usize) {
                let error = self.errors[neighbour.variable as usize];
                weights.lower(n + neighbour.edge as usize, size * error);
            }
        }
    }
}
