//! Minimisation of smooth convex functions by the limited-memory BFGS method.
//!
//! D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical
//! Programming 45, 1989, with an initial inverse Hessian from the function's own diagonal, and a line search for
//! the weak Wolfe conditions by expansion and bisection. Everything is computed in one fixed order.
//!
//! A function is a loss that takes long to evaluate plus a quadratic term that does not. A [`Descent`] asks for the
//! loss and goes on when it is told, so that several of them can be served by one pass over the data; and when the
//! term changes, it goes on with what it has learned of the loss.

use std::collections::VecDeque;

use super::vector::{add_scaled, dot};

/// The quadratic term, and the approximated Hessian of the whole function.
pub trait Term {
    /// The term at a point; adds its derivatives to `gradient`.
    fn add(&self, point: &[f64], gradient: &mut [f64]) -> f64;

    /// Adds to `change` by how much the derivatives of the term change along a step.
    fn add_change(&self, step: &[f64], change: &mut [f64]);

    /// Divides a vector by a positive definite approximation of the Hessian that has the second derivatives
    /// `diagonal` of the loss.
    fn precondition(&self, diagonal: &[f64], vector: &mut [f64]);
}

/// No term.
#[derive(Debug, Clone, Copy)]
pub struct NoTerm;

impl Term for NoTerm {
    fn add(&self, _: &[f64], _: &mut [f64]) -> f64 {
        0.0
    }

    fn add_change(&self, _: &[f64], _: &mut [f64]) {}

    fn precondition(&self, diagonal: &[f64], vector: &mut [f64]) {
        vector.iter_mut().zip(diagonal).for_each(|(value, d)| *value /= d);
    }
}

/// What a [`Descent`] has to be told, of the loss at its [`Descent::place`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// The value and the derivatives.
    Gradient,
    /// The second derivatives, each parameter with itself.
    Curvature,
}

/// Steps after which the diagonal is renewed.
const REFRESH: usize = 25;
/// Pairs of steps and changes of the gradient that are kept.
const MEMORY: usize = 20;
/// Part of the promised decrease that a step must bring, and part of the slope that it may leave.
const DECREASE: f64 = 1e-4;
const SLOPE: f64 = 0.9;
/// Evaluations after which a line search is given up: rounding hides what is left to gain.
const TRIALS: usize = 40;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Half the squared gradient in the metric of the approximated inverse Hessian, the decrease that a
    /// Newton step with it promises, at which the minimum counts as reached: with the diagonal of that very point.
    pub tolerance: f64,
    /// Number of steps after which to stop in any case.
    pub max_iterations: usize,
}

/// Where a minimisation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The point.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// A step, and by how much it changed the gradient.
pub(super) struct Pair {
    pub step: Vec<f64>,
    pub change: Vec<f64>,
    /// Their scalar product: how much the function curves along the step.
    pub curvature: f64,
}

impl Pair {
    pub fn new(step: Vec<f64>, change: Vec<f64>) -> Self {
        let curvature = dot(&step, &change);
        Self { step, change, curvature }
    }
}

/// The two-loop recursion: multiplies `direction` by the inverse Hessian that `pairs`, the oldest first, make of
/// the one by which `initial` multiplies. `share` divides a number by a pair's curvature; how it rounds is the
/// caller's choice.
pub(super) fn two_loops<'a>(
    pairs: impl DoubleEndedIterator<Item = &'a Pair> + Clone,
    direction: &mut [f64],
    share: impl Fn(f64, &Pair) -> f64,
    initial: impl FnOnce(&mut [f64]),
) {
    let shares = pairs.clone().rev().map(|pair| {
        let share = share(dot(&pair.step, direction), pair);
        add_scaled(direction, -share, &pair.change);
        share
    });
    let shares: Vec<f64> = shares.collect();
    initial(direction);
    for (pair, before) in pairs.zip(shares.into_iter().rev()) {
        let after = share(dot(&pair.change, direction), pair);
        add_scaled(direction, before - after, &pair.step);
    }
}

/// A pair, and how much of the change was that of the loss.
struct Remembered {
    pair: Pair,
    of_loss: Vec<f64>,
}

/// A place, and the loss there.
#[derive(Debug, Clone, Default)]
struct Place {
    point: Vec<f64>,
    loss: f64,
    /// Derivatives of the loss.
    of_loss: Vec<f64>,
}

/// What a descent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The loss at the start.
    Starting,
    /// The diagonal where it is.
    Renewing,
    /// The loss at the trial of a line search.
    Searching(Search),
    /// Nothing.
    Ended { converged: bool },
}

/// A line search.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Search {
    slope: f64,
    lower: f64,
    upper: f64,
    size: f64,
    trials: usize,
}

impl Eq for Search {}

/// A minimisation under way.
pub struct Descent<T> {
    term: T,
    stopping: Stopping,
    at: Place,
    /// Of the whole function.
    value: f64,
    gradient: Vec<f64>,
    /// Second derivatives of the loss, and whether they are those of where it is.
    diagonal: Vec<f64>,
    fresh: bool,
    memory: VecDeque<Remembered>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    iterations: usize,
    stage: Stage,
}

impl<T: Term> Descent<T> {
    /// From `start` on. It asks for the loss there first.
    pub fn new(term: T, start: Vec<f64>, stopping: Stopping) -> Self {
        let zeros = vec![0.0; start.len()];
        Self {
            term,
            stopping,
            trial: start.clone(),
            at: Place { point: start, loss: 0.0, of_loss: zeros.clone() },
            value: f64::INFINITY,
            gradient: zeros.clone(),
            diagonal: zeros.clone(),
            fresh: false,
            memory: VecDeque::new(),
            direction: zeros,
            iterations: 0,
            stage: Stage::Starting,
        }
    }

    /// What it has to be told; nothing once it has ended.
    pub fn asks(&self) -> Option<Asked> {
        match self.stage {
            Stage::Starting | Stage::Searching(_) => Some(Asked::Gradient),
            Stage::Renewing => Some(Asked::Curvature),
            Stage::Ended { .. } => None,
        }
    }

    /// Where it has to be told.
    pub fn place(&self) -> &[f64] {
        match self.stage {
            Stage::Searching(_) => &self.trial,
            _ => &self.at.point,
        }
    }

    /// Tells the loss and its derivatives.
    pub fn told(&mut self, loss: f64, gradient: &[f64]) {
        match self.stage {
            Stage::Starting => {
                self.at.loss = loss;
                self.at.of_loss.copy_from_slice(gradient);
                self.valued();
                self.stage = Stage::Renewing;
            }
            Stage::Searching(search) => self.tried(search, loss, gradient),
            Stage::Renewing | Stage::Ended { .. } => {}
        }
    }

    /// Tells the second derivatives of the loss; they have to be positive.
    pub fn told_curvature(&mut self, diagonal: &[f64]) {
        self.diagonal.copy_from_slice(diagonal);
        self.fresh = true;
        self.judge();
    }

    /// Goes on with another term, or until another tolerance, from where it is. What is known of the loss stays;
    /// steps are counted anew.
    pub fn go_on(&mut self, term: T, stopping: Stopping) {
        self.term = term;
        self.stopping = stopping;
        self.iterations = 0;
        self.valued();
        for Remembered { pair, of_loss } in &mut self.memory {
            pair.change.copy_from_slice(of_loss);
            self.term.add_change(&pair.step, &mut pair.change);
            pair.curvature = dot(&pair.step, &pair.change);
        }
        self.memory.retain(|remembered| remembered.pair.curvature > 0.0);
        self.judge();
    }

    /// The term.
    pub fn term(&self) -> &T {
        &self.term
    }

    /// When it stops.
    pub fn stopping(&self) -> Stopping {
        self.stopping
    }

    /// Where it is, as long as it goes on; where it ended, then.
    pub fn minimum(&self) -> Minimum {
        Minimum {
            point: self.at.point.clone(),
            value: self.value,
            gradient: self.gradient.clone(),
            iterations: self.iterations,
            converged: self.stage == Stage::Ended { converged: true },
        }
    }

    /// The value and the gradient of the whole function where it is.
    fn valued(&mut self) {
        self.gradient.copy_from_slice(&self.at.of_loss);
        self.value = self.at.loss + self.term.add(&self.at.point, &mut self.gradient);
    }

    /// Ends, asks for the diagonal, or searches along a new direction.
    fn judge(&mut self) {
        self.direction.copy_from_slice(&self.gradient);
        self.term.precondition(&self.diagonal, &mut self.direction);
        let converged = 0.5 * dot(&self.gradient, &self.direction) <= self.stopping.tolerance;
        if converged || self.iterations == self.stopping.max_iterations {
            // What an old diagonal promises may be wrong.
            self.stage = if self.fresh { Stage::Ended { converged } } else { Stage::Renewing };
            return;
        }
        self.downwards();
        let mut slope = dot(&self.gradient, &self.direction);
        if slope >= 0.0 {
            // Rounding spoilt the pairs.
            self.memory.clear();
            self.downwards();
            slope = dot(&self.gradient, &self.direction);
        }
        self.search(Search { slope, lower: 0.0, upper: f64::INFINITY, size: 1.0, trials: 0 });
    }

    fn search(&mut self, search: Search) {
        let along = self.at.point.iter().zip(&self.direction);
        for (trial, (at, along)) in self.trial.iter_mut().zip(along) {
            *trial = at + search.size * along;
        }
        self.stage = Stage::Searching(search);
    }

    fn tried(&mut self, search: Search, loss: f64, of_loss: &[f64]) {
        let Search { slope, lower, upper, size, trials } = search;
        let mut gradient = of_loss.to_vec();
        let reached = loss + self.term.add(&self.trial, &mut gradient);
        let slope_there = dot(&gradient, &self.direction);
        // Near the minimum values are equal up to rounding, and the slope tells.
        let rounding = 1e-15 * self.value.abs();
        let falls = reached <= self.value + DECREASE * size * slope
            || (reached <= self.value + rounding && slope_there <= (2.0 * DECREASE - 1.0) * slope);
        if falls && slope_there >= SLOPE * slope {
            self.value = reached;
            let to = Place { point: self.trial.clone(), loss, of_loss: of_loss.to_vec() };
            self.step(to, gradient);
            return;
        }
        let (lower, upper) = if falls { (size, upper) } else { (lower, size) };
        if trials + 1 == TRIALS {
            self.stage = Stage::Ended { converged: false };
            return;
        }
        let size = if upper.is_finite() { 0.5 * (lower + upper) } else { 2.0 * size };
        self.search(Search { slope, lower, upper, size, trials: trials + 1 });
    }

    fn step(&mut self, to: Place, gradient: Vec<f64>) {
        let difference = |to: &[f64], from: &[f64]| -> Vec<f64> {
            to.iter().zip(from).map(|(to, from)| to - from).collect()
        };
        let pair =
            Pair::new(difference(&to.point, &self.at.point), difference(&gradient, &self.gradient));
        if pair.curvature > 0.0 {
            if self.memory.len() == MEMORY {
                self.memory.pop_front();
            }
            let of_loss = difference(&to.of_loss, &self.at.of_loss);
            self.memory.push_back(Remembered { pair, of_loss });
        }
        (self.at, self.gradient) = (to, gradient);
        self.fresh = false;
        self.iterations += 1;
        if self.iterations.is_multiple_of(REFRESH) {
            self.stage = Stage::Renewing;
        } else {
            self.judge();
        }
    }

    /// Minus the approximated inverse Hessian times the gradient.
    fn downwards(&mut self) {
        self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
        let share = |product: f64, pair: &Pair| 1.0 / pair.curvature * product;
        let pairs = self.memory.iter().map(|remembered| &remembered.pair);
        let (term, diagonal) = (&self.term, &self.diagonal);
        two_loops(pairs, &mut self.direction, share, |direction| {
            term.precondition(diagonal, direction);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::{exp, ln_1p};

    /// Σ_i scale_i (ln(1 + e^x_i) - share_i x_i).
    struct Example {
        scales: Vec<f64>,
        shares: Vec<f64>,
    }

    impl Example {
        fn new() -> Self {
            Self {
                scales: (0..30).map(|at| 0.1 + f64::from(at * at)).collect(),
                shares: (0..30).map(|at| 0.02 + 0.03 * f64::from(at)).collect(),
            }
        }

        fn of(&self, point: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
            let share = |x: f64| 1.0 / (1.0 + exp(-x));
            let terms = || point.iter().zip(self.scales.iter().zip(&self.shares));
            let value = terms().map(|(&x, (scale, part))| scale * (ln_1p(exp(x)) - part * x)).sum();
            let gradient = terms().map(|(&x, (scale, part))| scale * (share(x) - part)).collect();
            let diagonal = terms().map(|(&x, (scale, _))| scale * share(x) * (1.0 - share(x)));
            (value, gradient, diagonal.collect())
        }

        /// Serves a descent to its end; returns the number of gradients.
        fn serve<T: Term>(&self, descent: &mut Descent<T>) -> usize {
            let mut gradients = 0;
            while let Some(asked) = descent.asks() {
                let (value, gradient, diagonal) = self.of(descent.place());
                match asked {
                    Asked::Gradient => {
                        gradients += 1;
                        descent.told(value, &gradient);
                    }
                    Asked::Curvature => descent.told_curvature(&diagonal),
                }
            }
            gradients
        }
    }

    /// weight/2 (Σ x_i)².
    struct Coupling(f64);

    impl Term for Coupling {
        fn add(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
            let sum: f64 = point.iter().sum();
            gradient.iter_mut().for_each(|slope| *slope += self.0 * sum);
            0.5 * self.0 * sum * sum
        }

        fn add_change(&self, step: &[f64], change: &mut [f64]) {
            let sum: f64 = step.iter().sum();
            change.iter_mut().for_each(|slope| *slope += self.0 * sum);
        }

        fn precondition(&self, diagonal: &[f64], vector: &mut [f64]) {
            vector.iter_mut().zip(diagonal).for_each(|(value, d)| *value /= d + self.0);
        }
    }

    fn stopping(tolerance: f64, max_iterations: usize) -> Stopping {
        Stopping { tolerance, max_iterations }
    }

    #[test]
    fn a_separable_minimum_is_that_of_each_variable() {
        let example = Example::new();
        let mut descent = Descent::new(NoTerm, vec![0.0; 30], stopping(1e-20, 200));
        example.serve(&mut descent);
        let found = descent.minimum();
        assert!(found.converged, "{found:?}");
        for (x, share) in found.point.iter().zip(&example.shares) {
            assert!((1.0 / (1.0 + exp(-x)) - share).abs() < 1e-9);
        }
    }

    #[test]
    fn a_coupled_minimum_has_no_gradient_and_is_the_same_from_anywhere() {
        let example = Example::new();
        let from = |start: f64| {
            let mut descent = Descent::new(Coupling(3.0), vec![start; 30], stopping(1e-18, 500));
            example.serve(&mut descent);
            let found = descent.minimum();
            assert!(found.converged);
            assert!(found.gradient.iter().all(|g| g.abs() < 1e-7), "{:?}", found.gradient);
            found.point
        };
        for (a, b) in from(0.0).into_iter().zip(from(4.0)) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn another_term_takes_up_what_is_known_of_the_loss() {
        let example = Example::new();
        let mut descent = Descent::new(Coupling(3.0), vec![1.0; 30], stopping(1e-16, 500));
        example.serve(&mut descent);
        descent.go_on(Coupling(2.0), stopping(1e-16, 500));
        let again = example.serve(&mut descent);
        let near = descent.minimum();
        let mut alone = Descent::new(Coupling(2.0), vec![1.0; 30], stopping(1e-16, 500));
        let anew = example.serve(&mut alone);
        let found = alone.minimum();
        assert!(near.converged && found.converged);
        assert!(again < anew, "{again} of {anew}");
        assert!((near.value - found.value).abs() < 1e-12 * found.value.abs());
        assert!(near.point.iter().zip(&found.point).all(|(a, b)| (a - b).abs() < 1e-6));
        // Nothing has changed, so nothing is asked.
        descent.go_on(Coupling(2.0), stopping(1e-16, 500));
        assert_eq!((descent.asks(), descent.minimum().iterations), (None, 0));
    }

    #[test]
    fn steps_are_limited() {
        let mut descent = Descent::new(Coupling(3.0), vec![2.0; 30], stopping(0.0, 3));
        Example::new().serve(&mut descent);
        let found = descent.minimum();
        assert_eq!((found.iterations, found.converged), (3, false));
    }

    #[test]
    fn a_tolerance_is_judged_by_the_diagonal_of_the_last_point() {
        let example = Example::new();
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let mut descent = Descent::new(NoTerm, vec![2.5; 30], stopping(tolerance, 500));
            example.serve(&mut descent);
            let found = descent.minimum();
            let (_, gradient, diagonal) = example.of(&found.point);
            let promised: f64 =
                gradient.iter().zip(&diagonal).map(|(slope, d)| 0.5 * slope * slope / d).sum();
            assert!(found.converged && promised <= tolerance, "{promised} above {tolerance}");
        }
    }
}
