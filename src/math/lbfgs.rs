//! Minimisation of smooth convex functions by the limited-memory BFGS method.
//!
//! D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical
//! Programming 45, 1989, with an initial inverse Hessian that the function supplies, and a line search for
//! the weak Wolfe conditions by expansion and bisection. Everything is computed in one fixed order.

use std::collections::VecDeque;

use super::vector::{add_scaled, dot};

/// A smooth function.
pub trait Smooth {
    /// Why an evaluation is given up.
    type Error;

    /// The value at a point; writes the gradient.
    ///
    /// # Errors
    /// If the evaluation is given up; the minimisation ends with it.
    fn value(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64, Self::Error>;

    /// Says that the minimisation is at this point: at the first, and after every [`REFRESH`] steps.
    fn approximate(&mut self, point: &[f64]);

    /// Multiplies a vector with a positive definite approximation of the inverse Hessian, at the point of
    /// the last [`Self::approximate`].
    fn precondition(&self, vector: &mut [f64]);
}

/// Steps between approximations of the Hessian.
pub const REFRESH: usize = 25;
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
    /// Newton step with it promises, at which the minimum counts as reached.
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

/// Minimises a function from `start`.
///
/// # Errors
/// The function's own.
pub fn minimise<F: Smooth>(
    function: &mut F,
    start: Vec<f64>,
    stopping: Stopping,
) -> Result<Minimum, F::Error> {
    let mut point = start;
    let mut gradient = vec![0.0; point.len()];
    let mut value = function.value(&point, &mut gradient)?;
    function.approximate(&point);
    let mut iterations = 0;
    let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    let (mut trial, mut trial_gradient) = (point.clone(), gradient.clone());
    let mut direction = vec![0.0; point.len()];
    let mut converged;
    loop {
        direction.copy_from_slice(&gradient);
        function.precondition(&mut direction);
        converged = 0.5 * dot(&gradient, &direction) <= stopping.tolerance;
        if converged || iterations == stopping.max_iterations {
            break;
        }
        downwards(function, &pairs, &gradient, &mut direction);
        let mut slope = dot(&gradient, &direction);
        if slope >= 0.0 {
            // Rounding spoilt the pairs.
            pairs.clear();
            downwards(function, &pairs, &gradient, &mut direction);
            slope = dot(&gradient, &direction);
        }
        let (mut lower, mut upper, mut size) = (0.0, f64::INFINITY, 1.0);
        let mut found = None;
        for _ in 0..TRIALS {
            for (trial, (at, along)) in trial.iter_mut().zip(point.iter().zip(&direction)) {
                *trial = at + size * along;
            }
            let reached = function.value(&trial, &mut trial_gradient)?;
            let slope_there = dot(&trial_gradient, &direction);
            // Near the minimum values are equal up to rounding, and the slope tells.
            let rounding = 1e-15 * value.abs();
            let falls = reached <= value + DECREASE * size * slope
                || (reached <= value + rounding && slope_there <= (2.0 * DECREASE - 1.0) * slope);
            if !falls {
                upper = size;
            } else if slope_there < SLOPE * slope {
                lower = size;
            } else {
                found = Some(reached);
                break;
            }
            size = if upper.is_finite() { 0.5 * (lower + upper) } else { 2.0 * size };
        }
        let Some(reached) = found else { break };
        let step: Vec<f64> = trial.iter().zip(&point).map(|(to, from)| to - from).collect();
        let change: Vec<f64> =
            trial_gradient.iter().zip(&gradient).map(|(to, from)| to - from).collect();
        let pair = Pair::new(step, change);
        if pair.curvature > 0.0 {
            if pairs.len() == MEMORY {
                pairs.pop_front();
            }
            pairs.push_back(pair);
        }
        std::mem::swap(&mut point, &mut trial);
        std::mem::swap(&mut gradient, &mut trial_gradient);
        value = reached;
        iterations += 1;
        if iterations.is_multiple_of(REFRESH) {
            function.approximate(&point);
        }
    }
    Ok(Minimum { point, value, gradient, iterations, converged })
}

/// Minus the approximated inverse Hessian times the gradient.
fn downwards<F: Smooth>(
    function: &F,
    pairs: &VecDeque<Pair>,
    gradient: &[f64],
    direction: &mut [f64],
) {
    direction.iter_mut().zip(gradient).for_each(|(d, g)| *d = -g);
    let share = |product: f64, pair: &Pair| 1.0 / pair.curvature * product;
    two_loops(pairs.iter(), direction, share, |direction| function.precondition(direction));
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::special::{exp, ln_1p};

    /// Σ_i scale_i (ln(1 + e^x_i) - share_i x_i) + coupling/2 (Σ x_i)².
    struct Example {
        scales: Vec<f64>,
        shares: Vec<f64>,
        coupling: f64,
        diagonal: Vec<f64>,
    }

    impl Smooth for Example {
        type Error = Infallible;

        fn value(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
            let sum: f64 = point.iter().sum();
            let mut value = 0.5 * self.coupling * sum * sum;
            for (at, &x) in point.iter().enumerate() {
                value += self.scales[at] * (ln_1p(exp(x)) - self.shares[at] * x);
                let share = 1.0 / (1.0 + exp(-x));
                gradient[at] = self.scales[at] * (share - self.shares[at]) + self.coupling * sum;
            }
            Ok(value)
        }

        fn approximate(&mut self, point: &[f64]) {
            let curvature = |(&x, scale): (&f64, &f64)| {
                let share = 1.0 / (1.0 + exp(-x));
                scale * share * (1.0 - share) + self.coupling
            };
            self.diagonal = point.iter().zip(&self.scales).map(curvature).collect();
        }

        fn precondition(&self, vector: &mut [f64]) {
            vector.iter_mut().zip(&self.diagonal).for_each(|(v, d)| *v /= d);
        }
    }

    fn example(coupling: f64) -> Example {
        let scales = (0..30).map(|at| 0.1 + f64::from(at * at)).collect();
        let shares = (0..30).map(|at| 0.02 + 0.03 * f64::from(at)).collect();
        Example { scales, shares, coupling, diagonal: Vec::new() }
    }

    #[test]
    fn a_separable_minimum_is_that_of_each_variable() {
        let stopping = Stopping { tolerance: 1e-20, max_iterations: 200 };
        let found = minimise(&mut example(0.0), vec![0.0; 30], stopping).unwrap();
        assert!(found.converged, "{found:?}");
        for (x, share) in found.point.iter().zip(&example(0.0).shares) {
            assert!((1.0 / (1.0 + exp(-x)) - share).abs() < 1e-9);
        }
    }

    #[test]
    fn a_coupled_minimum_has_no_gradient_and_is_the_same_from_anywhere() {
        let stopping = Stopping { tolerance: 1e-18, max_iterations: 500 };
        let from = |start: f64| {
            let found = minimise(&mut example(3.0), vec![start; 30], stopping).unwrap();
            assert!(found.converged);
            assert!(found.gradient.iter().all(|g| g.abs() < 1e-7), "{:?}", found.gradient);
            found.point
        };
        for (a, b) in from(0.0).into_iter().zip(from(4.0)) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn steps_are_limited() {
        let stopping = Stopping { tolerance: 0.0, max_iterations: 3 };
        let found = minimise(&mut example(3.0), vec![2.0; 30], stopping).unwrap();
        assert_eq!((found.iterations, found.converged), (3, false));
    }
}
