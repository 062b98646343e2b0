//! Logistic regression with an L2 penalty.
//!
//! For examples x_i of classes y_i the weights w and the intercepts b minimise
//!
//! ```text
//! |w|² / 2 - C sum over i of ln P(y_i | x_i),    P(k | x) = exp(w_k·x + b_k) / sum over l of exp(w_l·x + b_l)
//! ```
//!
//! The intercepts are not penalised. Two classes share one vector of weights, that of the first being zero; more have
//! one each. That is the objective of scikit-learn's `LogisticRegression`. Classes without training examples are never
//! predicted.
//!
//! The minimum is found by Newton steps, each solved by conjugate gradients (Lin, Weng and Keerthi 2008), which the
//! diagonal of the second derivative preconditions.

use crate::metrics::{OBJECTIVE, PARAMETERS};
use crate::shared::prediction::{check_variables, distributions, highest, normalise, predict_each};
use crate::shared::scales::check_scales;
use contract::numeric::NumericRows;
use contract::parameter::{Count, Parameters, Real, parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry,
    Prediction, Reported, Result,
};
use math::special::{exp, ln};
use math::vector::{add_scaled, dot};
use ndarray::Array2;

const C: Real = Real::positive("c", 1.0, "weight of the likelihood against the penalty");

const TOLERANCE: Real = Real::positive(
    "tolerance",
    1e-8,
    "the search ends when the norm of the gradient is no more than this part of that at zero weights",
);

const MAX_ITERATIONS: Count =
    Count::from("max_iterations", 1, 200, "most Newton steps; a fit that takes more fails");

/// Part of the slope that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Halvings after which a step is given up: rounding hides what is left to gain.
const HALVINGS: usize = 40;

/// The registry's entry.
pub static LOGISTIC: MethodEntry = MethodEntry {
    kind: "logistic-regression",
    summary: "logistic regression with an L2 penalty: one vector of weights for two classes, one each for more",
    source: "Cox 1958; Lin, Weng and Keerthi 2008 (Newton steps); as scikit-learn's LogisticRegression",
    revision: 2,
    parameters: parameters![C, TOLERANCE, MAX_ITERATIONS],
    reports: &[&PARAMETERS, &OBJECTIVE],
    probabilities: true,
    cost: |_, shape| 1e-7 * shape.entries as f64,
    fits: &[Fit::Numeric(fit)],
    ..MethodEntry::PLAIN
};

fn fit(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>> {
    let rows = train.numeric()?;
    check_scales(rows)?;
    let mut occurs = vec![false; train.classes];
    train.labels.iter().for_each(|&class| occurs[class as usize] = true);
    let classes: Vec<u32> =
        (0..train.classes as u32).filter(|&class| occurs[class as usize]).collect();
    if classes.is_empty() {
        return Err(FitError::NoExamples);
    }
    let first = usize::from(classes.len() <= 2);
    let place = |class: &u32| classes.binary_search(class).unwrap_or(0);
    let problem = Problem {
        rows,
        targets: train.labels.iter().map(place).collect(),
        first,
        vectors: classes.len() - first,
        c: parameters.get(&C),
    };
    let most = parameters.get(&MAX_ITERATIONS);
    let (weights, objective) = problem.solve(parameters.get(&TOLERANCE), most, context)?;
    let columns = rows.columns();
    Ok(Box::new(Logistic { columns, all: train.classes, classes, first, weights, objective }))
}

/// What is minimised. Weights are one vector behind another, the intercept of each behind it.
struct Problem<'a> {
    rows: &'a NumericRows,
    /// The place of each example's class among those that occur.
    targets: Vec<usize>,
    /// The first class that has a vector.
    first: usize,
    vectors: usize,
    c: f64,
}

/// Value, gradient and what the second derivative needs at a place.
struct At {
    value: f64,
    gradient: Vec<f64>,
    /// Of each example the probability of each class that has a vector.
    probabilities: Vec<f64>,
}

impl Problem<'_> {
    /// Length of a vector with its intercept.
    fn width(&self) -> usize {
        self.rows.columns() + 1
    }

    fn penalised(&self, place: usize) -> bool {
        place % self.width() != self.rows.columns()
    }

    fn at(&self, weights: &[f64]) -> At {
        let mut gradient = vec![0.0; weights.len()];
        let mut probabilities = Vec::with_capacity(self.rows.len() * self.vectors);
        let mut loss = 0.0;
        for (row, &target) in self.rows.iter().zip(&self.targets) {
            let (log, of_row) = self.probabilities(row, target, weights);
            loss -= log;
            for (vector, &p) in of_row.iter().enumerate() {
                let wrong = p - f64::from(u8::from(vector + self.first == target));
                self.add(vector, self.c * wrong, row, &mut gradient);
            }
            probabilities.extend(of_row);
        }
        let mut square = 0.0;
        for (place, weight) in weights.iter().enumerate().filter(|(at, _)| self.penalised(*at)) {
            square += weight * weight;
            gradient[place] += weight;
        }
        At { value: 0.5 * square + self.c * loss, gradient, probabilities }
    }

    /// Only the value.
    fn value(&self, weights: &[f64]) -> f64 {
        let logs = self.rows.iter().zip(&self.targets);
        let loss: f64 = logs.map(|(row, &t)| -self.probabilities(row, t, weights).0).sum();
        let kept = weights.iter().enumerate().filter(|(at, _)| self.penalised(*at));
        0.5 * kept.map(|(_, weight)| weight * weight).sum::<f64>() + self.c * loss
    }

    /// The log-probability of the target, and the probability of each class that has a vector.
    fn probabilities(&self, row: &[f64], target: usize, weights: &[f64]) -> (f64, Vec<f64>) {
        let mut scores = scores(row, weights, self.width());
        let own = if target < self.first { 0.0 } else { scores[target - self.first] };
        let base = if self.first == 1 { 0.0 } else { f64::NEG_INFINITY };
        let top = scores.iter().copied().fold(base, f64::max);
        scores.iter_mut().for_each(|score| *score = exp(*score - top));
        let rest = if self.first == 1 { exp(-top) } else { 0.0 };
        let total = rest + scores.iter().sum::<f64>();
        scores.iter_mut().for_each(|score| *score /= total);
        (own - top - ln(total), scores)
    }

    /// Adds an example, times a factor, to a vector.
    fn add(&self, vector: usize, factor: f64, row: &[f64], totals: &mut [f64]) {
        let of_vector = &mut totals[vector * self.width()..(vector + 1) * self.width()];
        let (last, of_columns) = of_vector.split_last_mut().expect("an intercept");
        add_scaled(of_columns, factor, row);
        *last += factor;
    }

    /// The second derivative along a direction.
    fn curvature(&self, at: &At, direction: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; direction.len()];
        for (row, of_row) in self.rows.iter().zip(at.probabilities.chunks_exact(self.vectors)) {
            let along = scores(row, direction, self.width());
            let mean = dot(of_row, &along);
            for (vector, (p, along)) in of_row.iter().zip(&along).enumerate() {
                self.add(vector, self.c * p * (along - mean), row, &mut image);
            }
        }
        for (place, value) in direction.iter().enumerate().filter(|(at, _)| self.penalised(*at)) {
            image[place] += value;
        }
        image
    }

    /// The weights at the minimum, and its value.
    fn solve(&self, tolerance: f64, most: usize, context: &Context) -> Result<(Vec<f64>, f64)> {
        let mut weights = vec![0.0; self.vectors * self.width()];
        let mut at = self.at(&weights);
        let norm = |gradient: &[f64]| dot(gradient, gradient).sqrt();
        let enough = tolerance * norm(&at.gradient);
        for _ in 0..most {
            context.check()?;
            let left = norm(&at.gradient);
            if left <= enough {
                return Ok((weights, at.value));
            }
            let direction = self.step(&at, left, context)?;
            let slope = dot(&at.gradient, &direction);
            let mut sizes =
                std::iter::successors(Some(1.0), |size| Some(0.5 * size)).take(HALVINGS);
            let found = sizes.find_map(|size| {
                let mut next = weights.clone();
                add_scaled(&mut next, size, &direction);
                (self.value(&next) <= at.value + ARMIJO * size * slope).then_some(next)
            });
            // Else nothing is left to gain that is more than rounding.
            let Some(next) = found else { return Ok((weights, at.value)) };
            let after = self.at(&next);
            // Near the minimum the value is all rounding, and the gradient tells whether a step led anywhere.
            if after.value >= at.value && norm(&after.gradient) >= left {
                return Ok((weights, at.value));
            }
            (weights, at) = (next, after);
        }
        Err(FitError::Failed(format!(
            "it has not converged after {most} Newton steps; raise `max_iterations`, or give `standardised = \
             true` to the dataset"
        )))
    }

    /// The diagonal of the second derivative. Columns of other units differ by orders of magnitude in it.
    fn diagonal(&self, at: &At) -> Vec<f64> {
        let mut diagonal: Vec<f64> = (0..at.gradient.len())
            .map(|place| f64::from(u8::from(self.penalised(place))))
            .collect();
        for (row, of_row) in self.rows.iter().zip(at.probabilities.chunks_exact(self.vectors)) {
            for (of_vector, p) in diagonal.chunks_exact_mut(self.width()).zip(of_row) {
                let weight = self.c * p * (1.0 - p);
                let (last, of_columns) = of_vector.split_last_mut().expect("an intercept");
                of_columns.iter_mut().zip(row).for_each(|(total, x)| *total += weight * (x * x));
                *last += weight;
            }
        }
        diagonal
    }

    /// Solves H d = -g by conjugate gradients, preconditioned by the diagonal of H; the closer, the nearer the minimum
    /// is.
    fn step(&self, at: &At, left: f64, context: &Context) -> Result<Vec<f64>> {
        let diagonal = self.diagonal(at);
        let scaled = |residual: &[f64]| -> Vec<f64> {
            let scale =
                |(value, scale): (&f64, &f64)| if *scale > 0.0 { value / scale } else { *value };
            residual.iter().zip(&diagonal).map(scale).collect()
        };
        let mut solution = vec![0.0; at.gradient.len()];
        let mut residual: Vec<f64> = at.gradient.iter().map(|g| -g).collect();
        let mut direction = scaled(&residual);
        let mut product = dot(&residual, &direction);
        let close = left.sqrt().min(0.1) * left;
        let enough = close * close;
        for _ in 0..10 * solution.len() {
            if dot(&residual, &residual) <= enough {
                break;
            }
            context.check()?;
            let image = self.curvature(at, &direction);
            let curved = dot(&direction, &image);
            if curved <= 0.0 {
                break;
            }
            let size = product / curved;
            add_scaled(&mut solution, size, &direction);
            add_scaled(&mut residual, -size, &image);
            let next = scaled(&residual);
            let before = std::mem::replace(&mut product, dot(&residual, &next));
            let kept = product / before;
            direction.iter_mut().zip(&next).for_each(|(d, r)| *d = r + kept * *d);
        }
        Ok(solution)
    }
}

/// The products of a row with vectors and their intercepts.
fn scores(row: &[f64], weights: &[f64], width: usize) -> Vec<f64> {
    weights.chunks_exact(width).map(|of| dot(&of[..width - 1], row) + of[width - 1]).collect()
}

#[derive(Debug)]
struct Logistic {
    columns: usize,
    /// How many classes there are.
    all: usize,
    /// Those with training examples, ascending.
    classes: Vec<u32>,
    /// The first of them that has a vector.
    first: usize,
    weights: Vec<f64>,
    objective: f64,
}

impl Logistic {
    fn rows<'e>(&self, examples: &'e Examples) -> Result<&'e NumericRows> {
        check_variables(examples, self.columns, "the weights were fitted to")?;
        examples.numeric()
    }
}

impl Classifier for Logistic {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = self.rows(examples)?;
        let class = |all: &mut Vec<f64>, row: usize| {
            all.clear();
            all.resize(self.first, 0.0);
            all.extend(scores(rows.row(row), &self.weights, self.columns + 1));
            self.classes[highest(all) as usize]
        };
        Ok(predict_each(rows.len(), context, Vec::new, class)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = self.rows(examples)?;
        let table = distributions(
            rows.len(),
            self.all,
            context,
            || (),
            |(), row, out| {
                out.fill(f64::NEG_INFINITY);
                let fixed = std::iter::repeat_n(0.0, self.first);
                let all = fixed.chain(scores(rows.row(row), &self.weights, self.columns + 1));
                self.classes
                    .iter()
                    .zip(all)
                    .for_each(|(&class, score)| out[class as usize] = score);
                normalise(out);
            },
        )?;
        Ok(Some(table))
    }

    /// The logarithm of the odds.
    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = self.rows(examples)?;
        context.check()?;
        if self.all != 2 || self.classes.len() != 2 {
            return Ok(None);
        }
        let odds = |row: &[f64]| scores(row, &self.weights, self.columns + 1)[0];
        Ok(Some(rows.iter().map(odds).collect()))
    }

    fn measures(&self) -> Reported {
        vec![
            (&OBJECTIVE, Measure::Scalar(self.objective)),
            (&PARAMETERS, Measure::Scalar(self.weights.len() as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::testing::context;
    use math::random::Random;

    /// Noisy classes from columns of these scales.
    fn problem(seed: u64, scales: &[f64], c: f64) -> (NumericRows, Vec<usize>, f64) {
        let mut random = Random::new(Digest::of(&seed.to_le_bytes()));
        let (mut values, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..45 {
            let row: Vec<f64> = scales.iter().map(|_| random.uniform() - 0.5).collect();
            let noise = random.uniform() - 0.5;
            targets.push(usize::from(row.iter().sum::<f64>() + noise > 0.0));
            values.extend(row.iter().zip(scales).map(|(x, scale)| x * scale));
        }
        (NumericRows::new(scales.len(), values), targets, c)
    }

    #[test]
    fn every_search_ends_at_a_minimum_whatever_the_units_of_the_columns() {
        let context = context(Digest::of(b""), 0);
        for scales in [[1.0, 1.0, 1.0], [1e5, 1.0, 1e-3]] {
            for c in [0.01, 0.1, 1.0, 100.0] {
                for seed in 0..40 {
                    let (rows, targets, c) = problem(seed, &scales, c);
                    let problem = Problem { rows: &rows, targets, first: 1, vectors: 1, c };
                    let (weights, value) = problem.solve(1e-8, 200, &context).unwrap();
                    let at = problem.at(&weights);
                    assert_eq!(at.value, value);
                    // A quadratic model has no more to gain than rounding.
                    let gain: f64 = at
                        .gradient
                        .iter()
                        .zip(problem.diagonal(&at))
                        .map(|(slope, curvature)| slope * slope / curvature)
                        .sum();
                    assert!(gain <= 1e-9 * value, "{scales:?}, {c}, {seed}: {gain} of {value}");
                }
            }
        }
    }
}
