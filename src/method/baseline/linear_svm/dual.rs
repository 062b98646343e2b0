//! Dual coordinate descent for one class against the rest.
//!
//! C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual coordinate descent
//! method for large-scale linear SVM", ICML 2008: algorithm 3 for the squared hinge loss, that is with
//! D_ii = 1 / (2 C) and U = infinity.
//!
//! The dual minimises over a_i >= 0
//!
//! ```text
//! |sum_i a_i y_i x_i|² / 2 + sum_i a_i² / (4 C) - sum_i a_i
//! ```
//!
//! one a_i at a time, in a new random order each epoch, while w = sum_i a_i y_i x_i is kept up to date.
//! The gradient is G_i = y_i w·x_i - 1 + a_i / (2 C), the projected gradient PG_i is G_i, or min(G_i, 0)
//! where a_i = 0.
//!
//! *Shrinking*: an example with a_i = 0 and G_i above the largest PG of the epoch before (above nothing if
//! that was not positive) is left out of the following epochs.
//!
//! *Stopping*: at the end of an epoch in which max PG_i - min PG_i <= tolerance, each PG_i taken when the
//! epoch came to example i. If examples had been left out, the next epoch is over all of them again and
//! shrinks none, and only an epoch that ends with no example left out can be the last.

use super::padded;
use super::product::Product;
use crate::math::random::Random;
use crate::method::parameter::Parameters;
use crate::method::{Context, FitError};

/// How the problems are solved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Weight of the loss, C.
    pub c: f64,
    /// Whether there is a feature that is always 1.
    pub bias: bool,
    /// When an epoch is the last.
    pub tolerance: f64,
    /// Most epochs.
    pub max_epochs: usize,
}

impl Settings {
    /// From the method's parameters.
    pub fn read(parameters: &Parameters) -> Self {
        Self {
            c: parameters.real("c"),
            bias: parameters.bool("bias"),
            tolerance: parameters.real("tolerance"),
            max_epochs: parameters.count("max_epochs"),
        }
    }
}

/// The solution of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Weight of each variable, then zeros up to a whole word of variables.
    pub weights: Vec<f64>,
    /// Weight of the feature that is always 1; zero if there is none.
    pub bias: f64,
    /// Epochs, the last included.
    pub epochs: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// Value of the primal objective.
    pub objective: f64,
}

impl Solution {
    /// w·x + bias: positive for the class itself.
    pub fn decision(&self, rows: &impl Product, row: usize) -> f64 {
        rows.dot(row, &self.weights) + self.bias
    }
}

/// An example in the dual.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// a_i.
    alpha: f64,
    /// y_i.
    sign: f64,
    /// Second derivative by a_i: x_i·x_i + 1 / (2 C).
    curvature: f64,
}

/// Smaller projected gradients move nothing.
const STILL: f64 = 1e-12;
/// Examples between two looks at the clock.
const CHECKED: usize = 1024;

/// Solves one problem; `positive` says of each example whether it is of the class.
///
/// Time O(ones), for packed rows O(examples × variables), an epoch; memory 28 bytes an example and 8 a
/// variable.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn solve(
    rows: &impl Product,
    positive: impl Iterator<Item = bool>,
    settings: &Settings,
    mut random: Random,
    context: &Context,
) -> Result<Solution, FitError> {
    let diagonal = 0.5 / settings.c;
    let constant = f64::from(u8::from(settings.bias));
    let point = |(row, positive)| Point {
        alpha: 0.0,
        sign: if positive { 1.0 } else { -1.0 },
        curvature: rows.ones(row) as f64 + constant + diagonal,
    };
    let mut points: Vec<Point> = positive.enumerate().map(point).collect();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut solution = Solution {
        weights: vec![0.0; padded(rows.variables())],
        bias: 0.0,
        epochs: 0,
        converged: false,
        objective: 0.0,
    };
    let mut active = points.len();
    let mut shrink_above = f64::INFINITY;
    while !solution.converged && solution.epochs < settings.max_epochs {
        random.shuffle(&mut order[..active]);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut position = 0;
        while position < active {
            if position % CHECKED == 0 {
                context.check()?;
            }
            let row = order[position] as usize;
            let Point { alpha, sign, curvature } = points[row];
            let gradient = sign * solution.decision(rows, row) - 1.0 + alpha * diagonal;
            if alpha == 0.0 && gradient > shrink_above {
                active -= 1;
                order.swap(position, active);
                continue;
            }
            let projected = if alpha == 0.0 { gradient.min(0.0) } else { gradient };
            (least, most) = (least.min(projected), most.max(projected));
            if projected.abs() > STILL {
                let moved = (alpha - gradient / curvature).max(0.0);
                points[row].alpha = moved;
                let step = (moved - alpha) * sign;
                rows.add(row, step, &mut solution.weights);
                solution.bias += step * constant;
            }
            position += 1;
        }
        solution.epochs += 1;
        let within = most - least <= settings.tolerance;
        solution.converged = within && active == points.len();
        shrink_above = if within || most <= 0.0 { f64::INFINITY } else { most };
        if within {
            active = points.len();
        }
    }
    solution.objective = objective(rows, &points, settings.c, &solution);
    Ok(solution)
}

/// The primal objective f(w).
fn objective(rows: &impl Product, points: &[Point], c: f64, solution: &Solution) -> f64 {
    let squares: f64 = solution.weights.iter().map(|weight| weight * weight).sum();
    let losses = points.iter().enumerate().map(|(row, point)| {
        let loss = (1.0 - point.sign * solution.decision(rows, row)).max(0.0);
        loss * loss
    });
    0.5 * (squares + solution.bias * solution.bias) + c * losses.sum::<f64>()
}
