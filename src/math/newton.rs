//! Minimisation of smooth convex functions by Newton steps whose equations are solved by conjugate gradients.
//!
//! J. Nocedal and S. J. Wright, "Numerical Optimization", 2nd edition, 2006, section 7.1, with a line search for the
//! weak Wolfe conditions by expansion and bisection. The Hessian is that of an earlier point until a step leaves too
//! much of what the one before left; but what a minimum is judged by is the Hessian of that very point. Everything
//! is computed in one fixed order.
//!
//! A function is a loss that takes long to evaluate plus a quadratic term that does not. A [`Descent`] asks for the
//! loss and goes on when it is told, so that several of them can be served by one pass over the data; and when the
//! term changes, it goes on with what it knows of the loss.

use std::fmt::Debug;

use super::vector::{add_scaled, dot};

/// The matrix of second derivatives of a loss at some point: symmetric, with a diagonal that is positive and not so
/// small that a quotient leaves the numbers.
pub trait Hessian: Debug {
    /// Its diagonal.
    fn diagonal(&self) -> &[f64];

    /// Writes its product with a vector.
    fn multiply(&self, vector: &[f64], product: &mut [f64]);
}

/// The quadratic term.
pub trait Term {
    /// The term at a point; adds its derivatives to `gradient`.
    fn add(&self, point: &[f64], gradient: &mut [f64]) -> f64;

    /// Adds to `change` by how much the derivatives of the term change along a step.
    fn add_change(&self, step: &[f64], change: &mut [f64]);

    /// Divides a vector by a positive definite approximation of the whole function's Hessian: that of the term and
    /// the diagonal of that of the loss.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The value and the derivatives.
    Gradient,
    /// The second derivatives.
    Hessian,
}

/// Part of a gradient, in the metric of the approximated inverse Hessian, that conjugate gradients leave unsolved.
const UNSOLVED: f64 = 0.05;
/// Steps of conjugate gradients after which a solution is taken as it is.
const MOST_CONJUGATE: usize = 200;
/// Part of what a step with an old Hessian may leave of the promised decrease.
const STALE: f64 = 0.2;
/// Part of the promised decrease that a step must bring, and part of the slope that it may leave.
const DECREASE: f64 = 1e-4;
const SLOPE: f64 = 0.9;
/// Evaluations after which a line search is given up: rounding hides what is left to gain.
const TRIALS: usize = 40;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// The decrease that a Newton step promises, half the squared gradient in the metric of the inverse Hessian, at
    /// which the minimum counts as reached.
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

/// What a descent waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// The loss at the start.
    Starting,
    /// The Hessian where it is.
    Renewing,
    /// The loss at the trial of a line search.
    Searching(Search),
    /// Nothing.
    Ended { converged: bool },
}

/// A line search: from the point so many times the direction further.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Search {
    slope: f64,
    lower: f64,
    upper: f64,
    size: f64,
    trials: usize,
}

/// A minimisation under way.
pub struct Descent<T> {
    /// The term.
    pub term: T,
    /// When it stops.
    pub stopping: Stopping,
    /// Whether a minimum is judged by its own Hessian.
    certified: bool,
    /// The point where it is.
    pub point: Vec<f64>,
    /// The loss and its derivatives at the point.
    loss: f64,
    of_loss: Vec<f64>,
    /// The whole function's value and derivatives.
    pub value: f64,
    gradient: Vec<f64>,
    /// The last Hessian of the loss, and whether it is that of the point.
    hessian: Option<Box<dyn Hessian>>,
    /// Whether its Hessian is that of the point where it is.
    pub fresh: bool,
    /// The decrease that the last step promised.
    promised: f64,
    direction: Vec<f64>,
    trial: Vec<f64>,
    /// Steps since it last went on, and before.
    iterations: usize,
    earlier: usize,
    stage: Stage,
}

impl<T: Term> Descent<T> {
    /// From `start` on. It asks for the loss there first.
    pub fn new(term: T, start: Vec<f64>, stopping: Stopping, certified: bool) -> Self {
        let zeros = vec![0.0; start.len()];
        Self {
            term,
            stopping,
            certified,
            trial: start.clone(),
            point: start,
            loss: 0.0,
            of_loss: zeros.clone(),
            value: f64::INFINITY,
            gradient: zeros.clone(),
            hessian: None,
            fresh: false,
            promised: f64::INFINITY,
            direction: zeros,
            iterations: 0,
            earlier: 0,
            stage: Stage::Starting,
        }
    }

    /// What it has to be told; nothing once it has ended.
    pub fn asks(&self) -> Option<Asked> {
        match self.stage {
            Stage::Starting | Stage::Searching(_) => Some(Asked::Gradient),
            Stage::Renewing => Some(Asked::Hessian),
            Stage::Ended { .. } => None,
        }
    }

    /// Where it has to be told.
    pub fn place(&self) -> &[f64] {
        match self.stage {
            Stage::Searching(_) => &self.trial,
            _ => &self.point,
        }
    }

    /// Tells the loss and its derivatives.
    pub fn told(&mut self, loss: f64, gradient: &[f64]) {
        match self.stage {
            Stage::Starting => {
                self.loss = loss;
                self.of_loss.copy_from_slice(gradient);
                self.evaluate();
                self.stage = Stage::Renewing;
            }
            Stage::Searching(search) => self.tried(search, loss, gradient),
            Stage::Renewing | Stage::Ended { .. } => {}
        }
    }

    /// Tells the Hessian of the loss.
    pub fn told_hessian(&mut self, hessian: Box<dyn Hessian>) {
        self.hessian = Some(hessian);
        self.fresh = true;
        self.judge();
    }

    /// Goes on from where it is with another term, another tolerance, certified or not. What is known of the loss
    /// stays; the limit of steps is for those to come.
    pub fn go_on(&mut self, term: T, stopping: Stopping, certified: bool) {
        (self.term, self.stopping, self.certified) = (term, stopping, certified);
        self.earlier += self.iterations;
        self.iterations = 0;
        self.promised = f64::INFINITY;
        self.evaluate();
        self.judge();
    }

    /// Where it is, and whether it has ended there.
    pub fn minimum(&self) -> Minimum {
        Minimum {
            point: self.point.clone(),
            value: self.value,
            gradient: self.gradient.clone(),
            iterations: self.earlier + self.iterations,
            converged: self.stage == Stage::Ended { converged: true },
        }
    }

    fn evaluate(&mut self) {
        self.gradient.copy_from_slice(&self.of_loss);
        self.value = self.loss + self.term.add(&self.point, &mut self.gradient);
    }

    /// Ends, asks for the Hessian, or searches along a new direction.
    fn judge(&mut self) {
        let Some(hessian) = &self.hessian else {
            self.stage = Stage::Renewing;
            return;
        };
        solve(hessian.as_ref(), &self.term, &self.gradient, &mut self.direction);
        let slope = dot(&self.gradient, &self.direction);
        let promised = 0.5 * slope;
        // Numbers that left their range promise nothing, and are no minimum.
        let known = promised > 0.0 || self.gradient.iter().all(|slope| *slope == 0.0);
        let converged = known && promised <= self.stopping.tolerance;
        if converged || !known || self.iterations == self.stopping.max_iterations {
            self.stage = if self.fresh || (known && !self.certified) {
                Stage::Ended { converged }
            } else {
                Stage::Renewing
            };
            return;
        }
        if !self.fresh && promised > STALE * self.promised {
            self.stage = Stage::Renewing;
            return;
        }
        self.promised = promised;
        self.direction.iter_mut().for_each(|part| *part = -*part);
        let slope = -slope;
        self.search(Search { slope, lower: 0.0, upper: f64::INFINITY, size: 1.0, trials: 0 });
    }

    fn search(&mut self, search: Search) {
        let along = self.point.iter().zip(&self.direction);
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
            std::mem::swap(&mut self.point, &mut self.trial);
            self.of_loss.copy_from_slice(of_loss);
            (self.loss, self.value, self.gradient) = (loss, reached, gradient);
            self.fresh = false;
            self.iterations += 1;
            self.judge();
            return;
        }
        let (lower, upper) = if falls { (size, upper) } else { (lower, size) };
        if trials + 1 == TRIALS {
            // Another Hessian may show another direction.
            self.stage =
                if self.fresh { Stage::Ended { converged: false } } else { Stage::Renewing };
            return;
        }
        let size = if upper.is_finite() { 0.5 * (lower + upper) } else { 2.0 * size };
        self.search(Search { slope, lower, upper, size, trials: trials + 1 });
    }
}

/// Solves (Hessian of the loss + that of the term) x = `right` by preconditioned conjugate gradients. Whatever is left
/// unsolved, x is a direction in which a function with the gradient `right` rises.
fn solve(hessian: &dyn Hessian, term: &impl Term, right: &[f64], x: &mut [f64]) {
    x.fill(0.0);
    let mut residual = right.to_vec();
    let mut scaled = residual.clone();
    term.precondition(hessian.diagonal(), &mut scaled);
    let mut direction = scaled.clone();
    let mut image = vec![0.0; right.len()];
    let mut size = dot(&residual, &scaled);
    let enough = UNSOLVED * UNSOLVED * size;
    for step in 0..MOST_CONJUGATE {
        hessian.multiply(&direction, &mut image);
        term.add_change(&direction, &mut image);
        let curvature = dot(&direction, &image);
        if curvature.is_nan() || curvature <= 0.0 {
            if step == 0 {
                x.copy_from_slice(&scaled);
            }
            break;
        }
        let share = size / curvature;
        add_scaled(x, share, &direction);
        add_scaled(&mut residual, -share, &image);
        scaled.copy_from_slice(&residual);
        term.precondition(hessian.diagonal(), &mut scaled);
        let left = dot(&residual, &scaled);
        if left <= enough {
            break;
        }
        let keep = left / size;
        for (part, new) in direction.iter_mut().zip(&scaled) {
            *part = new + keep * *part;
        }
        size = left;
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

    #[derive(Debug)]
    struct Diagonal(Vec<f64>);

    impl Hessian for Diagonal {
        fn diagonal(&self) -> &[f64] {
            &self.0
        }

        fn multiply(&self, vector: &[f64], product: &mut [f64]) {
            for (product, (value, d)) in product.iter_mut().zip(vector.iter().zip(&self.0)) {
                *product = value * d;
            }
        }
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
            (value, gradient, diagonal.map(|d| d.max(1e-12)).collect())
        }

        /// Serves a descent to its end; returns the number of gradients and of Hessians.
        fn serve<T: Term>(&self, descent: &mut Descent<T>) -> [usize; 2] {
            let [mut gradients, mut hessians] = [0; 2];
            while let Some(asked) = descent.asks() {
                let (value, gradient, diagonal) = self.of(descent.place());
                match asked {
                    Asked::Gradient => {
                        gradients += 1;
                        descent.told(value, &gradient);
                    }
                    Asked::Hessian => {
                        hessians += 1;
                        descent.told_hessian(Box::new(Diagonal(diagonal)));
                    }
                }
            }
            [gradients, hessians]
        }
    }

    /// weight/2 (Σ x_i)², of whose Hessian conjugate gradients are told nothing beforehand.
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
            vector.iter_mut().zip(diagonal).for_each(|(value, d)| *value /= d);
        }
    }

    fn stopping(tolerance: f64, max_iterations: usize) -> Stopping {
        Stopping { tolerance, max_iterations }
    }

    #[test]
    fn a_separable_minimum_is_that_of_each_variable() {
        let example = Example::new();
        let mut descent = Descent::new(NoTerm, vec![0.0; 30], stopping(1e-20, 200), true);
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
            let mut descent =
                Descent::new(Coupling(3.0), vec![start; 30], stopping(1e-18, 500), true);
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
        let stopping = stopping(1e-16, 500);
        let mut descent = Descent::new(Coupling(3.0), vec![1.0; 30], stopping, true);
        example.serve(&mut descent);
        descent.go_on(Coupling(2.0), stopping, true);
        let again = example.serve(&mut descent);
        let near = descent.minimum();
        let mut alone = Descent::new(Coupling(2.0), vec![1.0; 30], stopping, true);
        let anew = example.serve(&mut alone);
        let found = alone.minimum();
        assert!(near.converged && found.converged);
        assert!(again < anew, "{again:?} of {anew:?}");
        assert!((near.value - found.value).abs() < 1e-12 * found.value.abs());
        assert!(near.point.iter().zip(&found.point).all(|(a, b)| (a - b).abs() < 1e-6));
        // Nothing has changed, so nothing is asked.
        descent.go_on(Coupling(2.0), stopping, true);
        assert_eq!((descent.asks(), descent.minimum()), (None, near));
    }

    #[test]
    fn steps_are_limited() {
        let mut descent = Descent::new(Coupling(3.0), vec![2.0; 30], stopping(0.0, 3), true);
        Example::new().serve(&mut descent);
        let found = descent.minimum();
        assert_eq!((found.iterations, found.converged), (3, false));
    }

    #[test]
    fn a_tolerance_is_judged_by_the_hessian_of_the_last_point() {
        let example = Example::new();
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let of = |certified| {
                let mut descent =
                    Descent::new(NoTerm, vec![2.5; 30], stopping(tolerance, 500), certified);
                let asked = example.serve(&mut descent);
                (asked, descent)
            };
            let (asked, descent) = of(true);
            let found = descent.minimum();
            let (_, gradient, diagonal) = example.of(&found.point);
            let promised: f64 =
                gradient.iter().zip(&diagonal).map(|(slope, d)| 0.5 * slope * slope / d).sum();
            assert!(found.converged && promised <= tolerance, "{promised} above {tolerance}");
            assert!(descent.fresh);
            assert!(of(false).0 <= asked);
        }
    }
}
