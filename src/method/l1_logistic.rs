//! L1-regularised logistic regression of one binary variable on the others.
//!
//! The solution for a penalty λ minimises the mean over the examples of ln(1 + e^a) - y a, with
//! a = b + Σ_j w_j x_j and all variables in {0, 1}, plus λ Σ_j |w_j|; the constant b is free. Variables coded
//! as ±1 have the same solution with w twice as large and λ half as large.
//!
//! *Algorithm*: proximal Newton steps on a working set of variables, each solved by coordinate descent on
//! the quadratic model, with Armijo's rule; then all variables that violate the optimality conditions join
//! the set, until none does (J. D. Lee, Y. Sun and M. A. Saunders, "Proximal Newton-type methods for
//! minimizing composite functions", SIAM Journal on Optimization 24(3), 2014; the working sets are those of
//! J. Friedman, T. Hastie and R. Tibshirani, "Regularization paths for generalized linear models via
//! coordinate descent", Journal of Statistical Software 33(1), 2010). A step takes O(N + sum over rows of
//! the squared number of working ones), a check of all variables O(ones).

use crate::data::binary::{BinaryColumns, DistinctRows};
use crate::math::special::ln;
use crate::math::vector;
use crate::method::{Context, FitError};

/// How far a derivative may be from the optimality conditions, in units of λ.
pub const TOLERANCE: f64 = 1e-4;
/// Newton steps after which a solution is given up.
const MOST_STEPS: usize = 500;
/// Sweeps over the coordinates of one quadratic model.
const MOST_SWEEPS: usize = 1000;
/// Part of the promised decrease that a step must bring, and halvings after which it is given up.
const ARMIJO: f64 = 1e-3;
const HALVINGS: usize = 30;
/// The least curvature along a coordinate, for variables whose every example is certain.
const LEAST_CURVATURE: f64 = 1e-12;

/// The regressions of one target, each solution the start of the next.
#[derive(Debug)]
pub struct Regression<'a> {
    train: &'a DistinctRows,
    columns: &'a BinaryColumns,
    target: usize,
    is_one: Vec<bool>,
    examples: f64,
    /// The constant, and the weight of each variable; the target's stays 0.
    constant: f64,
    weights: Vec<f64>,
    /// Derivatives of the mean loss at the solution.
    slopes: Vec<f64>,
    working: Working,
}

/// The variables that a Newton step moves, and the rows by them.
#[derive(Debug, Default)]
struct Working {
    variables: Vec<u32>,
    offsets: Vec<u32>,
    /// Positions in `variables`.
    ones: Vec<u16>,
    /// By row: a, then the derivative of the loss; its second derivative.
    margins: Vec<f64>,
    softplus: Vec<f64>,
    curvatures: Vec<f64>,
}

/// One solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The penalty.
    pub lambda: f64,
    /// The constant b.
    pub constant: f64,
    /// The variables of non-zero weight, ascending, with their weights.
    pub weights: Vec<(u32, f64)>,
    /// Largest violation of the optimality conditions, in units of λ: at most [`TOLERANCE`].
    pub residual: f64,
    /// Newton steps from the solution before.
    pub steps: usize,
}

impl<'a> Regression<'a> {
    /// The regressions of `target`; `columns` are those of `train`. None if the target is constant.
    pub fn new(train: &'a DistinctRows, columns: &'a BinaryColumns, target: usize) -> Option<Self> {
        let mut is_one = vec![false; train.rows.len()];
        columns.of(target).iter().for_each(|&row| is_one[row as usize] = true);
        let examples = train.examples() as f64;
        let of_ones = columns.of(target).iter().map(|&row| f64::from(train.counts[row as usize]));
        let ones: f64 = of_ones.sum();
        if ones == 0.0 || ones == examples {
            return None;
        }
        let n = train.variables();
        let mut regression = Self {
            train,
            columns,
            target,
            is_one,
            examples,
            constant: ln(ones / (examples - ones)),
            weights: vec![0.0; n],
            slopes: vec![0.0; n],
            working: Working::default(),
        };
        regression.restrict(Vec::new());
        regression.differentiate();
        regression.check_all();
        Some(regression)
    }

    /// The least λ at which no variable has a weight; valid before the first solution.
    pub fn largest_lambda(&self) -> f64 {
        self.slopes.iter().fold(0.0, |top, slope| slope.abs().max(top))
    }

    /// Solves for one λ, from the last solution on.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts; if rounding or an extreme penalty keep it from
    /// converging.
    pub fn solve(&mut self, lambda: f64, context: &Context) -> Result<Solution, FitError> {
        let outside = |violation: f64| violation > TOLERANCE * lambda;
        let mut steps = 0;
        loop {
            let with_weight = |variable: &u32| {
                let weight = self.weights[*variable as usize];
                weight != 0.0 || outside(violation(weight, self.slopes[*variable as usize], lambda))
            };
            let working: Vec<u32> = (0..self.weights.len() as u32).filter(with_weight).collect();
            self.restrict(working);
            loop {
                let loss = self.differentiate();
                if !outside(self.working_residual(lambda)) {
                    break;
                }
                context.check()?;
                steps += 1;
                if steps > MOST_STEPS || !self.step(lambda, loss) {
                    return Err(FitError::Failed(format!(
                        "the regression of variable {} did not converge at λ = {lambda}",
                        self.target
                    )));
                }
            }
            self.check_all();
            let residual = self.residual(lambda);
            if !outside(residual) {
                let weights = (0..).zip(&self.weights).filter(|(_, weight)| **weight != 0.0);
                return Ok(Solution {
                    lambda,
                    constant: self.constant,
                    weights: weights.map(|(variable, &weight)| (variable, weight)).collect(),
                    residual: residual / lambda,
                    steps,
                });
            }
        }
    }

    /// Makes these the working variables.
    fn restrict(&mut self, variables: Vec<u32>) {
        let rows = self.train.rows.len();
        let working = &mut self.working;
        if working.variables == variables && !working.offsets.is_empty() {
            return;
        }
        working.variables = variables;
        working.offsets.clear();
        working.offsets.resize(rows + 1, 0);
        for &variable in &working.variables {
            for &row in self.columns.of(variable as usize) {
                working.offsets[row as usize + 1] += 1;
            }
        }
        (0..rows).for_each(|row| working.offsets[row + 1] += working.offsets[row]);
        working.ones.clear();
        working.ones.resize(working.offsets[rows] as usize, 0);
        let mut next = working.offsets.clone();
        for (position, &variable) in working.variables.iter().enumerate() {
            for &row in self.columns.of(variable as usize) {
                working.ones[next[row as usize] as usize] = position as u16;
                next[row as usize] += 1;
            }
        }
    }

    /// The mean loss; leaves the derivatives by row in the working set.
    fn differentiate(&mut self) -> f64 {
        let working = &mut self.working;
        let weights: Vec<f64> =
            working.variables.iter().map(|&variable| self.weights[variable as usize]).collect();
        working.margins.clear();
        for bounds in working.offsets.windows(2) {
            let ones = &working.ones[bounds[0] as usize..bounds[1] as usize];
            let sum: f64 = ones.iter().map(|&one| weights[one as usize]).sum();
            working.margins.push(self.constant + sum);
        }
        let of_ones = self.columns.of(self.target).iter();
        let count = |row: u32| f64::from(self.train.counts[row as usize]);
        let linear: f64 = of_ones.map(|&row| count(row) * working.margins[row as usize]).sum();
        working.softplus.resize(working.margins.len(), 0.0);
        vector::logistic(&mut working.margins, &mut working.softplus);
        let losses = working.softplus.iter().zip(&self.train.counts);
        let loss: f64 = losses.map(|(loss, &count)| loss * f64::from(count)).sum();
        working.curvatures.clear();
        let rows = working.margins.iter_mut().zip(&self.train.counts).zip(&self.is_one);
        for ((share, &count), &is_one) in rows {
            let part = f64::from(count) / self.examples;
            working.curvatures.push(part * *share * (1.0 - *share));
            *share = part * (*share - f64::from(u8::from(is_one)));
        }
        (loss - linear) / self.examples
    }

    /// Sums of the rows' derivatives over the working variables, that of the constant last.
    fn working_slopes(&self) -> Vec<f64> {
        let mut slopes = vec![0.0; self.working.variables.len() + 1];
        for (bounds, slope) in self.working.offsets.windows(2).zip(&self.working.margins) {
            for &one in &self.working.ones[bounds[0] as usize..bounds[1] as usize] {
                slopes[one as usize] += slope;
            }
        }
        slopes[self.working.variables.len()] = vector::sum(&self.working.margins);
        slopes
    }

    /// Largest violation of the optimality conditions among the working variables and the constant.
    fn working_residual(&self, lambda: f64) -> f64 {
        let slopes = self.working_slopes();
        let weights =
            self.working.variables.iter().map(|&variable| self.weights[variable as usize]);
        let violations = weights.zip(&slopes).map(|(w, &slope)| violation(w, slope, lambda));
        let constant = slopes[slopes.len() - 1].abs();
        violations.fold(constant, f64::max)
    }

    /// Derivatives of all variables, from those of the rows.
    fn check_all(&mut self) {
        for (variable, slope) in self.slopes.iter_mut().enumerate() {
            let rows = self.columns.of(variable).iter();
            *slope = rows.map(|&row| self.working.margins[row as usize]).sum();
        }
        self.slopes[self.target] = 0.0;
    }

    fn residual(&self, lambda: f64) -> f64 {
        let violations = self.weights.iter().zip(&self.slopes);
        let violations = violations.map(|(&weight, &slope)| violation(weight, slope, lambda));
        violations.fold(vector::sum(&self.working.margins).abs(), f64::max)
    }

    /// One proximal Newton step on the working variables; whether it lowered the objective.
    fn step(&mut self, lambda: f64, loss: f64) -> bool {
        let slopes = self.working_slopes();
        let size = slopes.len();
        let hessian = self.hessian();
        let at = |variable: usize| self.working.variables.get(variable).map(|&v| v as usize);
        let start: Vec<f64> = (0..size)
            .map(|position| at(position).map_or(self.constant, |v| self.weights[v]))
            .collect();
        let penalty = |position: usize| if position + 1 < size { lambda } else { 0.0 };
        let point = minimise_model(&hessian, &slopes, &start, penalty, lambda);
        let norm = |point: &[f64]| point[..size - 1].iter().map(|w| w.abs()).sum::<f64>();
        let along: f64 =
            slopes.iter().zip(point.iter().zip(&start)).map(|(s, (p, q))| s * (p - q)).sum();
        let promised = along + lambda * (norm(&point) - norm(&start));
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> =
                point.iter().zip(&start).map(|(p, q)| q + part * (p - q)).collect();
            // Whole steps keep their exact zeros.
            let trial = if part == 1.0 { point.clone() } else { trial };
            for (position, &value) in trial.iter().enumerate() {
                match self.working.variables.get(position) {
                    Some(&variable) => self.weights[variable as usize] = value,
                    None => self.constant = value,
                }
            }
            let reached = self.differentiate() + lambda * norm(&trial);
            let before = loss + lambda * norm(&start);
            if reached <= before + ARMIJO * part * promised + 1e-15 {
                return true;
            }
            part *= 0.5;
        }
        false
    }

    /// Second derivatives of the mean loss among the working variables and the constant.
    fn hessian(&self) -> Vec<f64> {
        let size = self.working.variables.len() + 1;
        let mut hessian = vec![0.0; size * size];
        for (bounds, &curvature) in self.working.offsets.windows(2).zip(&self.working.curvatures) {
            let ones = &self.working.ones[bounds[0] as usize..bounds[1] as usize];
            for (index, &one) in ones.iter().enumerate() {
                let row = &mut hessian[one as usize * size..(one as usize + 1) * size];
                ones[..=index].iter().for_each(|&other| row[other as usize] += curvature);
            }
        }
        for one in 0..size {
            for other in 0..one {
                hessian[other * size + one] = hessian[one * size + other];
            }
        }
        // The constant is one in every row.
        let last = size - 1;
        let mut with_constant = vec![0.0; size];
        for (bounds, &curvature) in self.working.offsets.windows(2).zip(&self.working.curvatures) {
            let ones = &self.working.ones[bounds[0] as usize..bounds[1] as usize];
            ones.iter().for_each(|&one| with_constant[one as usize] += curvature);
        }
        with_constant[last] = vector::sum(&self.working.curvatures);
        for (one, value) in with_constant.into_iter().enumerate() {
            hessian[one * size + last] = value;
            hessian[last * size + one] = value;
        }
        hessian
    }
}

/// How far the derivative `slope` of the loss is from the optimality condition of a weight.
fn violation(weight: f64, slope: f64, lambda: f64) -> f64 {
    if weight == 0.0 {
        (slope.abs() - lambda).max(0.0)
    } else {
        (slope + lambda * weight.signum()).abs()
    }
}

/// Minimises slopes·(p - start) + ½ (p - start)·H (p - start) + Σ penalty |p| by coordinate descent.
fn minimise_model(
    hessian: &[f64],
    slopes: &[f64],
    start: &[f64],
    penalty: impl Fn(usize) -> f64,
    lambda: f64,
) -> Vec<f64> {
    let size = slopes.len();
    let mut point = start.to_vec();
    let mut slopes = slopes.to_vec();
    for _ in 0..MOST_SWEEPS {
        let mut largest = 0.0_f64;
        for at in 0..size {
            let curvature = hessian[at * size + at].max(LEAST_CURVATURE);
            let free = point[at] * curvature - slopes[at];
            let next = (free.abs() - penalty(at)).max(0.0) * free.signum() / curvature;
            let change = next - point[at];
            if change != 0.0 {
                point[at] = next;
                largest = largest.max(change.abs() * curvature);
                let row = &hessian[at * size..(at + 1) * size];
                slopes.iter_mut().zip(row).for_each(|(slope, h)| *slope += change * h);
            }
        }
        if largest <= 0.1 * TOLERANCE * lambda {
            break;
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binary::BinaryRows;
    use crate::math::digest::Digest;
    use crate::math::random::Random;
    use crate::method::testing::{context, rows_of};

    const WORDS: [&str; 16] = [
        "1101", "1111", "1100", "1010", "0011", "0000", "0010", "1001", "1101", "0110", "0001",
        "0010", "1110", "0100", "1011", "0000",
    ];

    #[test]
    fn solutions_agree_with_scikit_learn() {
        // scikit-learn 1.9.1: LogisticRegression(l1_ratio=1, C=1/(16 λ), solver="saga", tol=1e-13,
        // max_iter=5000000) of the first column on the others; intercept, then weights.
        let train = rows_of(&WORDS).distinct();
        let columns = train.rows.columns();
        let mut regression = Regression::new(&train, &columns, 0).unwrap();
        for (lambda, expected) in EXPECTED {
            let found = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
            let mut weights = [found.constant, 0.0, 0.0, 0.0];
            found.weights.iter().for_each(|&(variable, w)| weights[variable as usize] = w);
            for (found, expected) in weights.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-4,
                    "λ = {lambda}: {weights:?}, not {expected}"
                );
            }
        }
    }

    const EXPECTED: [(f64, [f64; 4]); 4] = [
        (0.1, [-0.007619137, 0.0, 0.0, 0.0]),
        (0.05, [-0.660083708, 0.756554417, 0.0, 0.756554417]),
        (0.02, [-1.225554589, 1.411284542, 0.0, 1.411284542]),
        (0.002, [-2.022889747, 2.045657371, 0.493695628, 2.045657371]),
    ];

    #[test]
    fn every_solution_of_a_path_is_optimal() {
        let mut random = Random::new(Digest::of(b"path"));
        let mut rows = BinaryRows::new(30);
        for _ in 0..400 {
            let hidden = random.below(3);
            let share = |v: usize| if v % 3 == hidden { 0.7 } else { 0.15 };
            let ones: Vec<u32> =
                (0..30).filter(|&v| random.uniform() < share(v as usize)).collect();
            rows.push(&ones);
        }
        let train = rows.distinct();
        let columns = train.rows.columns();
        let mut regression = Regression::new(&train, &columns, 4).unwrap();
        let mut lambda = regression.largest_lambda();
        let first = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
        assert_eq!(first.weights, []);
        while lambda > 1e-4 {
            lambda *= 0.8;
            let found = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
            assert!(found.residual <= TOLERANCE);
            // The optimality conditions from the rows themselves.
            let mut slopes = [0.0; 30];
            for row in rows.iter() {
                let weight = |w: &(u32, f64)| if row.contains(&w.0) { w.1 } else { 0.0 };
                let margin = found.constant + found.weights.iter().map(weight).sum::<f64>();
                let share = 1.0 / (1.0 + crate::math::special::exp(-margin));
                let error = share - f64::from(u8::from(row.contains(&4)));
                row.iter().for_each(|&one| slopes[one as usize] += error / 400.0);
            }
            for variable in (0..30).filter(|&variable| variable != 4) {
                let of = found.weights.iter().find(|w| w.0 == variable as u32);
                let violation = violation(of.map_or(0.0, |w| w.1), slopes[variable], lambda);
                assert!(
                    violation <= 2.0 * TOLERANCE * lambda,
                    "{variable}: {violation} at {lambda}"
                );
            }
        }
        assert!(found_all(&regression), "the path ends with every variable");
    }

    fn found_all(regression: &Regression<'_>) -> bool {
        regression.weights.iter().filter(|weight| **weight != 0.0).count() > 25
    }

    #[test]
    fn separable_and_constant_targets() {
        let train = rows_of(&["110", "110", "000", "010", "000", "110"]).distinct();
        let columns = train.rows.columns();
        assert!(Regression::new(&train, &columns, 2).is_none());
        // The first variable with itself as the second where that is one in half the rows.
        let train = rows_of(&["11", "00", "11", "00"]).distinct();
        let columns = train.rows.columns();
        let mut regression = Regression::new(&train, &columns, 0).unwrap();
        assert_eq!(regression.largest_lambda(), 0.25);
        let found = regression.solve(1e-5, &context(Digest::of(b""), 0)).unwrap();
        // By hand: with b = -w/2 the derivative is 1/2 σ(-w/2) = λ.
        let expected = 2.0 * ln((0.5 - 1e-5) / 1e-5);
        assert!((found.weights[0].1 - expected).abs() < 1e-2, "{found:?} instead of {expected}");
    }
}
