//! L1-regularised logistic regression of one binary variable on the others.
//!
//! The solution for a penalty λ minimises the mean over the examples of ln(1 + e^a) - y a, with
//! a = b + Σ_j w_j x_j and all variables in {0, 1}, plus λ Σ_j |w_j|; the constant b is free. Variables coded
//! as ±1 have the same solution with w half as large and λ twice as large. Of variables that are equal on all
//! examples only the first may have a weight.
//!
//! *Algorithm*: proximal Newton steps on a working set of variables, each solved by coordinate descent on
//! the quadratic model, with Armijo's rule; then all variables that violate the optimality conditions join
//! the set, until none does (J. D. Lee, Y. Sun and M. A. Saunders, "Proximal Newton-type methods for
//! minimizing composite functions", SIAM Journal on Optimization 24(3), 2014; the working sets are those of
//! J. Friedman, T. Hastie and R. Tibshirani, "Regularization paths for generalized linear models via
//! coordinate descent", Journal of Statistical Software 33(1), 2010). The Hessian is that of an earlier
//! point, also along a path, until a step reduces the violation too little. A step takes O(N + working
//! ones), a Hessian O(working ones × working variables), a check of all variables O(ones).
//!
//! A solution is close enough when the variables that it selects are those of the exact one, by what the
//! model says of the way that is left: [`Regression::solve`].

use std::collections::HashSet;

use contract::binary::{BinaryColumns, DistinctRows};
use contract::{Context, FitError, Result};
use math::special::ln;
use math::vector::{self, sum_at};

/// How far a derivative may be from the optimality conditions, in units of λ.
pub const TOLERANCE: f64 = 1e-3;
/// The part by which that falls while it is open which variables the exact solution selects, and where it
/// is left open: some solutions are not the only ones.
const TIGHTER: f64 = 0.1;
const TIGHTEST: f64 = 1e-6;
/// What rounding may leave of a derivative: to tell a support, no less is asked for.
const SLOPE_ROUNDING: f64 = 1e-15;
/// How much farther than the quadratic model says the exact solution may be.
const SAFETY: f64 = 2.0;
/// Newton steps after which a solution is given up.
const MOST_STEPS: usize = 500;
/// Sweeps over the coordinates of one quadratic model.
const MOST_SWEEPS: usize = 10_000;
/// Part of the promised decrease that a step must bring, and halvings after which it is given up.
const ARMIJO: f64 = 1e-3;
const HALVINGS: usize = 30;
/// What rounding may do to the mean loss: closer to the optimum than that, steps are trusted.
const ROUNDING: f64 = 1e-13;
/// Part of the violation above which what a step leaves is too much for an old Hessian.
const TOO_LITTLE: f64 = 0.2;
/// The least curvature along a coordinate, for variables whose every example is certain.
const LEAST_CURVATURE: f64 = 1e-12;

/// The regressions of one target, each solution the start of the next.
#[derive(Debug)]
pub struct Regression<'a> {
    columns: &'a BinaryColumns,
    target: usize,
    /// The part of the examples that each row stands for.
    parts: Vec<f64>,
    /// The variables that may have a weight: all but the target and those equal to an earlier one on all
    /// examples.
    candidates: Vec<u32>,
    /// The constant, and the weight of each variable.
    constant: f64,
    weights: Vec<f64>,
    /// By row: the probability of a one, ln(1 + e^a), the derivative of the mean loss by a.
    shares: Vec<f64>,
    softplus: Vec<f64>,
    errors: Vec<f64>,
    /// The mean loss.
    loss: f64,
    /// Derivatives of the mean loss by the weights at the last solution.
    slopes: Vec<f64>,
    model: Model,
    /// The least λ at which no variable has a weight.
    pub largest_lambda: f64,
    /// The violation at which a solution is close enough, in units of λ; 0 where its support must be certain.
    ending: f64,
}

/// The quadratic model of the mean loss.
#[derive(Debug, Default)]
struct Model {
    /// The working variables.
    variables: Vec<u32>,
    /// Second derivatives of the mean loss by each row's a.
    curvatures: Vec<f64>,
    /// Second derivatives by the working weights and, last, the constant.
    hessian: Vec<f64>,
}

/// One solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
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
    pub fn new(train: &DistinctRows, columns: &'a BinaryColumns, target: usize) -> Option<Self> {
        let examples = train.examples() as f64;
        let parts: Vec<f64> =
            train.counts.iter().map(|&count| f64::from(count) / examples).collect();
        let count = |&row: &u32| u64::from(train.counts[row as usize]);
        let ones = columns.of(target).iter().map(count).sum::<u64>() as f64;
        if ones == 0.0 || ones == examples {
            return None;
        }
        let (rows, n) = (train.rows.len(), train.variables());
        let mut met = HashSet::new();
        let new = |&other: &usize| other != target && met.insert(columns.of(other));
        let mut regression = Self {
            columns,
            target,
            parts,
            candidates: (0..n).filter(new).map(|variable| variable as u32).collect(),
            constant: ln(ones / (examples - ones)),
            weights: vec![0.0; n],
            shares: vec![0.0; rows],
            softplus: vec![0.0; rows],
            errors: vec![0.0; rows],
            loss: 0.0,
            slopes: vec![0.0; n],
            model: Model::default(),
            largest_lambda: 0.0,
            ending: 0.0,
        };
        regression.differentiate();
        regression.differentiate_all();
        regression.largest_lambda =
            regression.slopes.iter().fold(0.0, |top, slope| slope.abs().max(top));
        regression.renew_model();
        Some(regression)
    }

    /// The same, whose solutions end at this violation of the optimality conditions in units of λ, whatever is
    /// selected there; with 0 once the support is certain.
    #[must_use]
    pub fn ending_at(self, violation: f64) -> Self {
        Self { ending: violation, ..self }
    }

    /// Solves for one λ, from the last solution on: to a violation of [`TOLERANCE`] × λ, and as much closer
    /// as it takes to tell which variables the exact solution selects.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts; if rounding or an extreme penalty keep it from
    /// converging.
    pub fn solve(&mut self, lambda: f64, context: &Context) -> Result<Solution> {
        let end = self.ending * lambda;
        let mut enough = if end > 0.0 { end } else { TOLERANCE * lambda };
        let mut steps = 0;
        loop {
            let reached = self.approach(lambda, enough, &mut steps, context)?;
            let residual = self.residual(lambda);
            if !reached && residual > end.max(TOLERANCE * lambda) {
                return Err(FitError::NoSolution(format!(
                    "the regression of variable {} did not converge at λ = {lambda}",
                    self.target
                )));
            }
            let least = (TIGHTEST * lambda).max(SLOPE_ROUNDING).max(end);
            if !reached || residual <= least || self.is_support_certain(lambda, residual) {
                let weights = (0..).zip(&self.weights).filter(|(_, weight)| **weight != 0.0);
                return Ok(Solution {
                    constant: self.constant,
                    weights: weights.map(|(variable, &weight)| (variable, weight)).collect(),
                    residual: residual / lambda,
                    steps,
                });
            }
            enough = (TIGHTER * residual).max(least);
        }
    }

    /// Newton steps until no derivative violates the conditions by more than `enough`; whether that is so.
    fn approach(
        &mut self,
        lambda: f64,
        enough: f64,
        steps: &mut usize,
        context: &Context,
    ) -> Result<bool> {
        loop {
            let works = |variable: &u32| {
                let (weight, slope) =
                    (self.weights[*variable as usize], self.slopes[*variable as usize]);
                weight != 0.0 || violation(weight, slope, lambda) > enough
            };
            let working = (0..self.weights.len() as u32).filter(works).collect();
            self.model.restrict(working, self.columns);
            let mut last = f64::INFINITY;
            let reached = loop {
                let slopes = self.working_slopes();
                let residual = self.working_residual(&slopes, lambda);
                if residual <= enough {
                    break true;
                }
                context.check()?;
                if residual > TOO_LITTLE * last {
                    self.renew_model();
                }
                last = residual;
                *steps += 1;
                if *steps > MOST_STEPS || !self.step(lambda, &slopes, enough) {
                    break false;
                }
            };
            self.differentiate_all();
            if !reached || self.residual(lambda) <= enough {
                return Ok(reached);
            }
        }
    }

    /// Whether the exact solution selects the same variables, by the quadratic model.
    ///
    /// The way that is left is the model's step d, and [`SAFETY`] covers what the model does not know. A
    /// weight keeps its sign if it is larger than the largest part of d. The derivative by any weight moves
    /// by Σ curvature x a over the rows, with x in {0, 1} and a what d adds to them: at most
    /// √(Σ curvature) √(d'Hd), by Cauchy and Schwarz. A weight stays 0 if its derivative stays below λ.
    fn is_support_certain(&self, lambda: f64, residual: f64) -> bool {
        let slopes = self.working_slopes();
        let start = self.working_point();
        let goal = self.model.minimum(&slopes, &start, lambda, TIGHTER * residual);
        let promised = promised(&slopes, &start, &goal, lambda);
        let largest =
            start.iter().zip(&goal).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let curvature = self.model.hessian[self.model.hessian.len() - 1];
        let moved = (curvature * (-promised).max(0.0)).sqrt();
        self.weights.iter().zip(&self.slopes).all(|(weight, slope)| match weight.abs() {
            0.0 => slope.abs() + SAFETY * moved < lambda,
            weight => weight > SAFETY * largest,
        })
    }

    /// Loss and derivatives by the rows' a, at the present weights.
    fn differentiate(&mut self) {
        self.shares.fill(self.constant);
        for &variable in &self.model.variables {
            let weight = self.weights[variable as usize];
            if weight != 0.0 {
                let rows = self.columns.of(variable as usize);
                rows.iter().for_each(|&row| self.shares[row as usize] += weight);
            }
        }
        let of_ones = self.columns.of(self.target);
        let linear = |&row: &u32| self.parts[row as usize] * self.shares[row as usize];
        let linear: f64 = of_ones.iter().map(linear).sum();
        vector::logistic(&mut self.shares, &mut self.softplus);
        for ((error, plus), (share, part)) in
            self.errors.iter_mut().zip(&mut self.softplus).zip(self.shares.iter().zip(&self.parts))
        {
            *error = part * share;
            *plus *= part;
        }
        of_ones.iter().for_each(|&row| self.errors[row as usize] -= self.parts[row as usize]);
        self.loss = vector::sum(&self.softplus) - linear;
    }

    /// Derivatives by all weights; 0 for what is no candidate.
    fn differentiate_all(&mut self) {
        for &variable in &self.candidates {
            let variable = variable as usize;
            self.slopes[variable] = sum_at(&self.errors, self.columns.of(variable));
        }
    }

    /// Derivatives by the working weights and, last, the constant.
    fn working_slopes(&self) -> Vec<f64> {
        let variables = self.model.variables.iter();
        let slopes = variables.map(|&v| sum_at(&self.errors, self.columns.of(v as usize)));
        slopes.chain([vector::sum(&self.errors)]).collect()
    }

    /// Largest violation of the optimality conditions among the working weights and the constant.
    fn working_residual(&self, slopes: &[f64], lambda: f64) -> f64 {
        let weights = self.model.variables.iter().map(|&variable| self.weights[variable as usize]);
        let violations = weights.zip(slopes).map(|(w, &slope)| violation(w, slope, lambda));
        violations.fold(slopes[slopes.len() - 1].abs(), f64::max)
    }

    /// Largest violation of the optimality conditions.
    fn residual(&self, lambda: f64) -> f64 {
        let violations = self.weights.iter().zip(&self.slopes);
        let violations = violations.map(|(&weight, &slope)| violation(weight, slope, lambda));
        violations.fold(vector::sum(&self.errors).abs(), f64::max)
    }

    /// The working weights and, last, the constant.
    fn working_point(&self) -> Vec<f64> {
        let weights = self.model.variables.iter().map(|&variable| self.weights[variable as usize]);
        weights.chain([self.constant]).collect()
    }

    /// Models the loss at the present weights.
    fn renew_model(&mut self) {
        let curvature = |(share, part): (&f64, &f64)| part * share * (1.0 - share);
        self.model.curvatures.clear();
        self.model.curvatures.extend(self.shares.iter().zip(&self.parts).map(curvature));
        let working = std::mem::take(&mut self.model.variables);
        self.model.restrict(working, self.columns);
    }

    /// One proximal Newton step on the working weights; whether it lowered the objective.
    fn step(&mut self, lambda: f64, slopes: &[f64], enough: f64) -> bool {
        let working = self.model.variables.len();
        let start = self.working_point();
        let goal = self.model.minimum(slopes, &start, lambda, TIGHTER * enough);
        let promised = promised(slopes, &start, &goal, lambda);
        let before = self.loss + lambda * norm(&start);
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            let between = |(to, from): (&f64, &f64)| from + part * (to - from);
            // Whole steps keep their exact zeros.
            let point: Vec<f64> = match part {
                1.0 => goal.clone(),
                _ => goal.iter().zip(&start).map(between).collect(),
            };
            for (&variable, &weight) in self.model.variables.iter().zip(&point) {
                self.weights[variable as usize] = weight;
            }
            self.constant = point[working];
            self.differentiate();
            let reached = self.loss + lambda * norm(&point);
            if reached <= before + ARMIJO * part * promised + ROUNDING {
                return true;
            }
            part *= 0.5;
        }
        false
    }
}

impl Model {
    /// Makes these the working variables; what is known of the Hessian is kept.
    fn restrict(&mut self, variables: Vec<u32>, columns: &BinaryColumns) {
        let (size, old) = (variables.len() + 1, self.variables.len() + 1);
        let mut hessian = vec![0.0; size * size];
        let known: Vec<Option<usize>> =
            variables.iter().map(|variable| self.variables.binary_search(variable).ok()).collect();
        let mut of_column = vec![0.0; self.curvatures.len()];
        for (one, &variable) in variables.iter().enumerate() {
            let rows = columns.of(variable as usize);
            if known[one].is_none() {
                rows.iter().for_each(|&r| of_column[r as usize] = self.curvatures[r as usize]);
            }
            // The second derivative with the constant, and with the variables up to this one and those
            // whose row was made before it could be known.
            hessian[one * size + size - 1] = match known[one] {
                Some(place) => self.hessian[place * old + old - 1],
                None => sum_at(&self.curvatures, rows),
            };
            for (other, &second) in variables.iter().enumerate() {
                hessian[one * size + other] = match (known[one], known[other]) {
                    (Some(a), Some(b)) => self.hessian[a * old + b],
                    (Some(_), None) => continue,
                    (None, None) if other < one => hessian[other * size + one],
                    (None, _) => sum_at(&of_column, columns.of(second as usize)),
                };
            }
            if known[one].is_none() {
                rows.iter().for_each(|&r| of_column[r as usize] = 0.0);
            }
        }
        for one in 0..size - 1 {
            for other in 0..size - 1 {
                if known[one].is_some() && known[other].is_none() {
                    hessian[one * size + other] = hessian[other * size + one];
                }
            }
            hessian[(size - 1) * size + one] = hessian[one * size + size - 1];
        }
        hessian[size * size - 1] = vector::sum(&self.curvatures);
        self.hessian = hessian;
        self.variables = variables;
    }

    /// Where the quadratic model of the loss around `start` with the penalty is least, by coordinate
    /// descent until no derivative changes by more than `enough`.
    fn minimum(&self, slopes: &[f64], start: &[f64], lambda: f64, enough: f64) -> Vec<f64> {
        let size = slopes.len();
        let (mut point, mut slopes) = (start.to_vec(), slopes.to_vec());
        for _ in 0..MOST_SWEEPS {
            let mut largest = 0.0_f64;
            for at in 0..size {
                let row = &self.hessian[at * size..(at + 1) * size];
                let curvature = row[at].max(LEAST_CURVATURE);
                let penalty = if at + 1 < size { lambda } else { 0.0 };
                let free = point[at] * curvature - slopes[at];
                let next = (free.abs() - penalty).max(0.0) * free.signum() / curvature;
                let change = next - point[at];
                if change != 0.0 {
                    point[at] = next;
                    largest = largest.max(change.abs() * curvature);
                    slopes.iter_mut().zip(row).for_each(|(slope, h)| *slope += change * h);
                }
            }
            if largest <= enough {
                break;
            }
        }
        point
    }
}

/// How much of the weights and, last, the constant is penalised.
fn norm(point: &[f64]) -> f64 {
    point[..point.len() - 1].iter().map(|weight| weight.abs()).sum()
}

/// By how much the way from `start` to `goal` changes the penalised loss, to first order.
fn promised(slopes: &[f64], start: &[f64], goal: &[f64], lambda: f64) -> f64 {
    let change = |(slope, (to, from)): (&f64, (&f64, &f64))| slope * (to - from);
    let along: f64 = slopes.iter().zip(goal.iter().zip(start)).map(change).sum();
    along + lambda * (norm(goal) - norm(start))
}

/// How far the derivative `slope` of the loss is from the optimality condition of a weight.
fn violation(weight: f64, slope: f64, lambda: f64) -> f64 {
    if weight == 0.0 {
        (slope.abs() - lambda).max(0.0)
    } else {
        (slope + lambda * weight.signum()).abs()
    }
}

#[cfg(test)]
mod tests;
