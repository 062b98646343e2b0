//! Truncated Newton steps for one class against the rest.
//!
//! L. Galli and C.-J. Lin, "A study on truncated Newton methods for linear classification", IEEE
//! Transactions on Neural Networks and Learning Systems 33(7), 2022, without preconditioning. The
//! gradient and the generalised Hessian of the objective are
//!
//! ```text
//! g   = w - 2 sum over i in I of C_i (1 - y_i w·x_i) y_i x_i
//! H v = v + 2 sum over i in I of C_i (x_i·v) x_i
//! ```
//!
//! with I the examples of positive loss. A step solves H d = -g by conjugate gradients until the residual
//! is a tenth of g, then goes along d by the largest of 1, 1/2, 1/4, … that lowers the objective by a
//! hundredth of what the slope promises (Armijo).
//!
//! *Stopping*: as LIBLINEAR's, when |g| <= tolerance × max(min(P, N), 1) / (P + N) × |g at w = 0|, with P
//! positive and N negative examples, or when |g| is no more than the rounding error of its sum. A product
//! with H and a gradient count as an epoch each.

use super::{Product, Settings, Sides, Solution};
use contract::{Context, Result};
use math::vector::{add, dot};

/// Part of the gradient that conjugate gradients leave.
const RESIDUAL: f64 = 0.1;
/// Part of the promised decrease that a step must bring.
const ARMIJO: f64 = 0.01;
/// Halvings after which a step is given up: rounding hides what is left to gain.
const HALVINGS: usize = 40;
/// Into how many parts a pass is cut at most, and the fewest examples of one: each has a sum of its own.
const PARTS: usize = 16;
const SMALLEST: usize = 1024;

/// Solves one problem.
///
/// Time O(ones), for packed rows O(examples × variables), an epoch; memory 40 bytes an example and at most
/// 200 a variable. Passes are shared with idle cores.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn solve(
    rows: &(impl Product + ?Sized),
    sides: &Sides,
    settings: &Settings,
    context: &Context,
) -> Result<Solution> {
    let signs = &sides.signs[..];
    let mut solution = Solution::new(sides.variables);
    let bias = solution.weights.len();
    let constant = f64::from(settings.bias);
    let passes = Passes { rows, constant, length: bias + 1, context };
    let positive = signs.iter().filter(|&&sign| sign > 0.0).count();
    let rarer = positive.min(signs.len() - positive).max(1) as f64 / signs.len() as f64;
    let length = |row| sides.weight(row) * (rows.square(row) + constant).sqrt();
    let rounding = f64::EPSILON * 2.0 * settings.c * (0..signs.len()).map(length).sum::<f64>();
    // The weights, that of the constant feature last; and the products with the examples.
    let mut weights = vec![0.0; passes.length];
    let mut products = vec![0.0; signs.len()];
    let mut enough = None;
    loop {
        let loss = |row: usize| 1.0 - signs[row] * products[row];
        let of_loss: Vec<u32> =
            (0..signs.len() as u32).filter(|&row| loss(row as usize) > 0.0).collect();
        let cost = |row: usize| settings.c * sides.weight(row);
        let pull = |row: usize| -2.0 * cost(row) * loss(row) * signs[row];
        let gradient = passes.combine(&weights, &of_loss, pull)?;
        solution.epochs += 1;
        let norm = dot(&gradient, &gradient).sqrt();
        let enough = *enough.get_or_insert((settings.tolerance * rarer * norm).max(rounding));
        solution.converged = norm <= enough;
        // A step takes at least one product and the next gradient.
        let most = settings.max_epochs.saturating_sub(solution.epochs + 1);
        if solution.converged || most == 0 {
            break;
        }
        let hessian =
            |v: &[f64]| passes.combine(v, &of_loss, |row| 2.0 * cost(row) * passes.product(row, v));
        let (direction, taken) = conjugate_gradients(hessian, &gradient, most)?;
        solution.epochs += taken;
        let steps =
            context.each(signs.len(), SMALLEST, |row| Ok(passes.product(row, &direction)))?;
        let [slope, along, square] = [&gradient, &weights, &direction].map(|v| dot(v, &direction));
        // What a step adds to the objective.
        let change = |size: f64| {
            let losses = (0..signs.len()).map(|row| {
                let after = loss(row) - size * signs[row] * steps[row];
                let (before, after) = (loss(row).max(0.0), after.max(0.0));
                sides.weight(row) * (after - before) * (after + before)
            });
            size * along + 0.5 * size * size * square + settings.c * losses.sum::<f64>()
        };
        let mut sizes = std::iter::successors(Some(1.0), |size| Some(0.5 * size)).take(HALVINGS);
        let Some(size) = sizes.find(|&size| change(size) <= ARMIJO * size * slope) else { break };
        weights.iter_mut().zip(&direction).for_each(|(weight, d)| *weight += size * d);
        products.iter_mut().zip(&steps).for_each(|(product, step)| *product += size * step);
    }
    solution.bias = weights.split_off(bias)[0];
    solution.weights = weights;
    Ok(solution.with_objective(rows, sides, settings.c))
}

/// Solves H d = -g to within [`RESIDUAL`] with at most `most` products; with the number of them.
fn conjugate_gradients(
    hessian: impl Fn(&[f64]) -> Result<Vec<f64>>,
    gradient: &[f64],
    most: usize,
) -> Result<(Vec<f64>, usize)> {
    let mut solution = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut direction = residual.clone();
    let mut square = dot(&residual, &residual);
    let enough = RESIDUAL * RESIDUAL * square;
    let mut taken = 0;
    while taken < most && square > enough {
        let image = hessian(&direction)?;
        taken += 1;
        let size = square / dot(&direction, &image);
        for (place, (d, h)) in direction.iter().zip(&image).enumerate() {
            solution[place] += size * d;
            residual[place] -= size * h;
        }
        let before = std::mem::replace(&mut square, dot(&residual, &residual));
        let kept = square / before;
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + kept * *d);
    }
    Ok((solution, taken))
}

/// Passes over the examples. Their parts and so their sums do not depend on the number of cores.
struct Passes<'a, P: ?Sized> {
    rows: &'a P,
    /// Value of the constant feature, 0 or 1.
    constant: f64,
    /// Number of weights, that of the constant feature included.
    length: usize,
    context: &'a Context,
}

impl<P: Product + ?Sized> Passes<'_, P> {
    /// x_i·v.
    fn product(&self, row: usize, v: &[f64]) -> f64 {
        self.rows.dot(row, v) + self.constant * v[self.length - 1]
    }

    /// The sum of a vector and of some examples, each times its coefficient.
    fn combine(
        &self,
        vector: &[f64],
        chosen: &[u32],
        coefficient: impl Fn(usize) -> f64 + Sync,
    ) -> Result<Vec<f64>> {
        let parts = self.context.cores.map(
            chosen.len(),
            chosen.len().div_ceil(PARTS).max(SMALLEST),
            |range| {
                let mut total = vec![0.0; self.length];
                for some in chosen[range].chunks(SMALLEST) {
                    self.context.check()?;
                    for &row in some {
                        let number = coefficient(row as usize);
                        self.rows.add(row as usize, number, &mut total);
                        total[self.length - 1] += self.constant * number;
                    }
                }
                Ok(total)
            },
        );
        let mut total = vec![0.0; self.length];
        for part in parts {
            add(&mut total, &part?);
        }
        add(&mut total, vector);
        Ok(total)
    }
}
