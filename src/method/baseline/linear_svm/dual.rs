//! Dual coordinate descent for one class against the rest.
//!
//! C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual coordinate descent
//! method for large-scale linear SVM", ICML 2008: algorithm 3 for the squared hinge loss, that is with
//! D_ii = 1 / (2 C_i) and U = infinity.
//!
//! The dual minimises over a_i >= 0
//!
//! ```text
//! |sum_i a_i y_i x_i|² / 2 + sum_i a_i² / (4 C_i) - sum_i a_i
//! ```
//!
//! one a_i at a time, in a new random order each epoch, while w = sum_i a_i y_i x_i is kept up to date.
//! The gradient is G_i = y_i w·x_i - 1 + a_i / (2 C_i), the projected gradient PG_i is G_i, or min(G_i, 0)
//! where a_i = 0.
//!
//! *Shrinking*: an example with a_i = 0 and G_i above the largest PG of the epoch before (above nothing if
//! that was not positive) is left out of the following epochs.
//!
//! *Stopping*: at the end of an epoch in which max(PG_i, 0) - min(PG_i, 0) <= tolerance over all i, each
//! PG_i taken when the epoch came to example i. (LIBLINEAR leaves out the zeros, and so stops where all
//! PG_i are equal by accident, far from the solution.) If examples had been left out, the next epoch is
//! over all of them again and shrinks none, and only an epoch that ends with no example left out can be
//! the last.

use super::{Product, Settings, Sides, Solution};
use contract::{Context, Result};
use math::random::Random;

/// An example in the dual.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// a_i.
    alpha: f64,
    /// y_i.
    sign: f64,
    /// 1 / (2 C_i).
    diagonal: f64,
    /// Second derivative by a_i: x_i·x_i + 1 / (2 C_i).
    curvature: f64,
}

/// Smaller projected gradients move nothing.
const STILL: f64 = 1e-12;
/// Examples between two looks at the clock.
const CHECKED: usize = 1024;

/// Solves one problem.
///
/// Time O(ones), for packed rows O(examples × variables), an epoch; memory 36 bytes an example and 8 a
/// variable.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn solve(
    rows: &(impl Product + ?Sized),
    sides: &Sides,
    settings: &Settings,
    mut random: Random,
    context: &Context,
) -> Result<Solution> {
    let constant = f64::from(settings.bias);
    let point = |(row, &sign)| {
        let diagonal = 0.5 / (settings.c * sides.weight(row));
        let curvature = rows.square(row) + constant + diagonal;
        Point { alpha: 0.0, sign, diagonal, curvature }
    };
    let mut points: Vec<Point> = sides.signs.iter().enumerate().map(point).collect();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut solution = Solution::new(sides.variables);
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
            let Point { alpha, sign, diagonal, curvature } = points[row];
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
        let within = most.max(0.0) - least.min(0.0) <= settings.tolerance;
        solution.converged = within && active == points.len();
        shrink_above = if within || most <= 0.0 { f64::INFINITY } else { most };
        if within {
            active = points.len();
        }
    }
    Ok(solution.with_objective(rows, sides, settings.c))
}
