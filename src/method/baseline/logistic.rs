//! Logistic regression with an L2 penalty.
//!
//! For examples x_i of classes y_i the weights w and the intercepts b minimise
//!
//! ```text
//! |w|² / 2 - C sum over i of c_i ln P(y_i | x_i),    P(k | x) = exp(w_k·x + b_k) / sum over l of exp(w_l·x + b_l)
//! ```
//!
//! c_i is 1, or what `class_weight` gives the class of i. The intercepts are not penalised. Two classes share one vector of weights, that of the first being zero; more have
//! one each. That is the objective of scikit-learn's `LogisticRegression`. Classes without training examples are never
//! predicted.
//!
//! The minimum is found by Newton steps, each solved by conjugate gradients (Lin, Weng and Keerthi 2008), which the
//! diagonal of the second derivative preconditions, and halved until it brings what its slope promises.
//!
//! Rows are met by tiles, all vectors while a tile is near: scores, gradient and diagonal take one pass. The scores of
//! the present weights and of the step are kept, so a shorter step costs no pass. Parts of a pass, on idle cores, and
//! their sums do not depend on the number of cores.

use std::ops::Range;

use crate::metrics::{OBJECTIVE, PARAMETERS};
use crate::shared::class_weight::ClassWeight;
use crate::shared::prediction::{check_variables, distributions, highest, normalise, predict_each};
use crate::shared::refusals::numbers;
use contract::numeric::NumericRows;
use contract::parameter::{Choice, Count, Real, settings};
use contract::{
    Classifier, Context, Examples, Fit, Measure, MethodEntry, NOT_CONVERGED, Prediction, Reported,
    Result,
};
use math::vector::{
    self, add, add_rows, add_scaled, add_squares, dot, dots, exp_relative, logistic, sum,
};
use ndarray::Array2;

settings! {
    struct Settings {
        C c: Real::positive(1.0), "weight of the likelihood against the penalty";
        CLASS_WEIGHT class_weight: Choice<ClassWeight>::worded("none"), "how much the loss of an example counts".later();
        TOLERANCE tolerance: Real::positive(1e-8),
            "the search ends when the norm of the gradient is no more than this part of that at zero weights";
        MAX_ITERATIONS max_iterations: Count::from(1, 200), "most Newton steps; `not_converged` is 1 where they end the search";
    }
}

/// Part of the slope that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Halvings after which a step is given up: rounding hides what is left to gain.
const HALVINGS: usize = 40;
/// Examples that are multiplied with all vectors while they are near.
const TILE: usize = 256;
/// Into how many parts a pass is cut at most, and the fewest tiles of one: each has sums of its own.
const PARTS: usize = 16;
const SMALLEST: usize = 4;

/// The registry's entry.
pub static LOGISTIC: MethodEntry = MethodEntry {
    kind: "logistic-regression",
    summary: "logistic regression with an L2 penalty: one vector of weights for two classes, one each for more",
    source: "Cox 1958; Lin, Weng and Keerthi 2008 (Newton steps); as scikit-learn's LogisticRegression",
    revision: 3,
    parameters: Settings::PARAMETERS,
    reports: &[&PARAMETERS, &NOT_CONVERGED, &OBJECTIVE],
    probabilities: true,
    cost: |_, shape| 1e-7 * shape.entries as f64,
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        let Settings { c, class_weight, tolerance, max_iterations } = Settings::read(parameters);
        let rows = numbers(&train.examples)?;
        let (classes, weights) = class_weight.of(train)?;
        let first = usize::from(classes.len() <= 2);
        let place = |class: &u32| classes.binary_search(class).unwrap_or(0);
        let problem = Problem {
            rows,
            targets: train.labels.iter().map(place).collect(),
            weights,
            first,
            vectors: classes.len() - first,
            c,
            context,
        };
        let found = problem.solve(tolerance, max_iterations)?;
        let columns = rows.columns();
        Ok(Box::new(Logistic { columns, all: train.classes, classes, first, found }))
    })],
    ..MethodEntry::PLAIN
};

/// What is minimised. Weights are one vector behind another, the intercept of each behind it. A number for each example
/// and vector stands tile by tile: the examples of a tile for the first vector, then those for the next.
struct Problem<'a> {
    rows: &'a NumericRows,
    /// The place of each example's class among those that occur.
    targets: Vec<usize>,
    /// How much the loss of an example of each class counts.
    weights: Vec<f64>,
    /// The first class that has a vector.
    first: usize,
    vectors: usize,
    c: f64,
    context: &'a Context,
}

/// What is known at a place.
struct At {
    value: f64,
    gradient: Vec<f64>,
    /// That of the second derivative. Columns of other units differ by orders of magnitude in it.
    diagonal: Vec<f64>,
    scores: Vec<f64>,
    probabilities: Vec<f64>,
}

/// Where the search ended.
#[derive(Debug)]
struct Found {
    weights: Vec<f64>,
    objective: f64,
    converged: bool,
}

impl Problem<'_> {
    /// Length of a vector with its intercept.
    fn width(&self) -> usize {
        self.rows.columns() + 1
    }

    /// Length of all vectors.
    fn length(&self) -> usize {
        self.vectors * self.width()
    }

    /// Adds what the penalty adds to the derivatives along a direction: all of it but the intercepts.
    fn penalise(&self, direction: &[f64], image: &mut [f64]) {
        let columns = self.rows.columns();
        for (of, image) in
            direction.chunks_exact(self.width()).zip(image.chunks_exact_mut(self.width()))
        {
            add_scaled(&mut image[..columns], 1.0, &of[..columns]);
        }
    }

    /// |w|² / 2.
    fn penalty(&self, weights: &[f64]) -> f64 {
        let columns = self.rows.columns();
        let squares =
            weights.chunks_exact(self.width()).map(|of| dot(&of[..columns], &of[..columns]));
        0.5 * squares.sum::<f64>()
    }

    /// What `work` makes of the tiles of each part, in order.
    fn parts<T: Send>(
        &self,
        work: impl Fn(&mut dyn Iterator<Item = Range<usize>>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let (examples, tiles) = (self.rows.len(), self.rows.len().div_ceil(TILE));
        let size = tiles.div_ceil(PARTS).max(SMALLEST);
        let parts = self.context.cores.map(tiles, size, |range| {
            self.context.check()?;
            Ok(work(&mut range.map(|tile| tile * TILE..((tile + 1) * TILE).min(examples))))
        });
        parts.into_iter().collect()
    }

    /// The rows of a tile, one behind another.
    fn tile(&self, tile: &Range<usize>) -> &[f64] {
        let columns = self.rows.columns();
        &self.rows.values()[tile.start * columns..tile.end * columns]
    }

    /// Appends the products of a tile with all vectors, their intercepts included.
    fn multiply(&self, tile: &Range<usize>, weights: &[f64], products: &mut Vec<f64>) {
        for of_vector in weights.chunks_exact(self.width()) {
            let before = products.len();
            products.resize(before + tile.len(), 0.0);
            let (intercept, of_columns) = of_vector.split_last().expect("an intercept");
            dots(self.tile(tile), of_columns, &mut products[before..]);
            products[before..].iter_mut().for_each(|product| *product += intercept);
        }
    }

    /// Adds the examples of a tile, each times its factor, to the totals of a vector.
    fn add(&self, vector: usize, tile: &Range<usize>, factors: &[f64], totals: &mut [f64]) {
        let of_vector = &mut totals[vector * self.width()..][..self.width()];
        let (last, of_columns) = of_vector.split_last_mut().expect("an intercept");
        add_rows(of_columns, factors, self.tile(tile));
        *last += sum(factors);
    }

    /// What the loss of an example with this target is multiplied by.
    fn cost(&self, target: usize) -> f64 {
        self.c * self.weights[target]
    }

    /// Replaces the scores of a tile by the probabilities of the classes that have vectors; minus the weighted sum of the
    /// log-probabilities of the targets.
    fn soften(&self, tile: &Range<usize>, scores: &mut [f64]) -> f64 {
        let targets = &self.targets[tile.clone()];
        let mut losses = vec![0.0; targets.len()];
        let weigh = |(loss, &target): (&mut f64, &usize)| *loss *= self.weights[target];
        if self.first == 1 {
            // The probability of the other class, which loses no digits.
            let turn = |(value, &target): (&mut f64, &usize)| *value *= 1.0 - 2.0 * target as f64;
            scores.iter_mut().zip(targets).for_each(turn);
            logistic(scores, &mut losses);
            for (share, &target) in scores.iter_mut().zip(targets) {
                *share = if target == 1 { 1.0 - *share } else { *share };
            }
            losses.iter_mut().zip(targets).for_each(weigh);
            return if self.vectors == 1 { sum(&losses) } else { 0.0 };
        }
        let mut tops = vec![f64::NEG_INFINITY; targets.len()];
        for of_vector in scores.chunks_exact(targets.len()) {
            tops.iter_mut().zip(of_vector).for_each(|(top, score)| *top = top.max(*score));
        }
        let own =
            targets.iter().enumerate().map(|(row, target)| scores[target * targets.len() + row]);
        let mut behind: Vec<f64> = tops.iter().zip(own).map(|(top, own)| top - own).collect();
        behind.iter_mut().zip(targets).for_each(weigh);
        for of_vector in scores.chunks_exact_mut(targets.len()) {
            of_vector.iter_mut().zip(&tops).for_each(|(score, top)| *score -= top);
            exp_relative(of_vector, 0.0, -708.0);
            add(&mut losses, of_vector);
        }
        for of_vector in scores.chunks_exact_mut(targets.len()) {
            of_vector.iter_mut().zip(&losses).for_each(|(share, total)| *share /= total);
        }
        vector::ln(&mut losses);
        losses.iter_mut().zip(targets).for_each(weigh);
        behind.iter().sum::<f64>() + sum(&losses)
    }

    fn at(&self, weights: &[f64]) -> Result<At> {
        let zeros = || vec![0.0; self.length()];
        let empty = || At {
            value: 0.0,
            gradient: zeros(),
            diagonal: zeros(),
            scores: Vec::new(),
            probabilities: Vec::new(),
        };
        let parts = self.parts(|tiles| {
            let (mut at, mut factors) = (empty(), Vec::new());
            for tile in tiles {
                let (before, targets) = (at.scores.len(), &self.targets[tile.clone()]);
                self.multiply(&tile, weights, &mut at.scores);
                at.probabilities.extend_from_slice(&at.scores[before..]);
                let probabilities = &mut at.probabilities[before..];
                at.value += self.c * self.soften(&tile, probabilities);
                for (vector, shares) in probabilities.chunks_exact(tile.len()).enumerate() {
                    let wrong = |(share, &target): (&f64, &usize)| {
                        let own = f64::from(vector + self.first == target);
                        self.cost(target) * (share - own)
                    };
                    factors.clear();
                    factors.extend(shares.iter().zip(targets).map(wrong));
                    self.add(vector, &tile, &factors, &mut at.gradient);
                    factors.clear();
                    let curved = |(share, &target): (&f64, &usize)| {
                        self.cost(target) * share * (1.0 - share)
                    };
                    factors.extend(shares.iter().zip(targets).map(curved));
                    let of_vector = &mut at.diagonal[vector * self.width()..][..self.width()];
                    let (last, of_columns) = of_vector.split_last_mut().expect("an intercept");
                    add_squares(of_columns, &factors, self.tile(&tile));
                    *last += sum(&factors);
                }
            }
            at
        })?;
        let mut at = empty();
        at.value = self.penalty(weights);
        self.penalise(weights, &mut at.gradient);
        self.penalise(&vec![1.0; weights.len()], &mut at.diagonal);
        for part in parts {
            at.value += part.value;
            add(&mut at.gradient, &part.gradient);
            add(&mut at.diagonal, &part.diagonal);
            at.scores.extend(part.scores);
            at.probabilities.extend(part.probabilities);
        }
        Ok(at)
    }

    /// The value at weights whose scores are these, and so many times others.
    fn value(&self, weights: &[f64], scores: &[f64], size: f64, along: &[f64]) -> Result<f64> {
        let parts = self.parts(|tiles| {
            let (mut loss, mut moved) = (0.0, Vec::new());
            for tile in tiles {
                let block = tile.start * self.vectors..tile.end * self.vectors;
                moved.clear();
                moved.extend_from_slice(&scores[block.clone()]);
                add_scaled(&mut moved, size, &along[block]);
                loss += self.c * self.soften(&tile, &mut moved);
            }
            loss
        })?;
        Ok(self.penalty(weights) + parts.into_iter().sum::<f64>())
    }

    /// The second derivative along a direction, and its scores.
    fn curvature(&self, at: &At, direction: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let parts = self.parts(|tiles| {
            let (mut image, mut along) = (vec![0.0; direction.len()], Vec::new());
            let (mut means, mut factors) = (Vec::new(), Vec::new());
            for tile in tiles {
                let before = along.len();
                self.multiply(&tile, direction, &mut along);
                let shares = &at.probabilities[tile.start * self.vectors..tile.end * self.vectors];
                let vectors = || {
                    shares.chunks_exact(tile.len()).zip(along[before..].chunks_exact(tile.len()))
                };
                means.clear();
                means.resize(tile.len(), 0.0);
                for (shares, along) in vectors() {
                    let terms = means.iter_mut().zip(shares.iter().zip(along));
                    terms.for_each(|(mean, (share, along))| *mean += share * along);
                }
                for (vector, (shares, along)) in vectors().enumerate() {
                    let factor =
                        |(((share, along), mean), &target): (((&f64, &f64), &f64), &usize)| {
                            self.cost(target) * share * (along - mean)
                        };
                    let targets = &self.targets[tile.clone()];
                    factors.clear();
                    factors.extend(shares.iter().zip(along).zip(&means).zip(targets).map(factor));
                    self.add(vector, &tile, &factors, &mut image);
                }
            }
            (image, along)
        })?;
        let (mut image, mut along) = (vec![0.0; direction.len()], Vec::new());
        self.penalise(direction, &mut image);
        for (of_part, scores) in parts {
            add(&mut image, &of_part);
            along.extend(scores);
        }
        Ok((image, along))
    }

    /// The weights at the minimum.
    fn solve(&self, tolerance: f64, most: usize) -> Result<Found> {
        let mut weights = vec![0.0; self.length()];
        let mut at = self.at(&weights)?;
        let norm = |gradient: &[f64]| dot(gradient, gradient).sqrt();
        let enough = tolerance * norm(&at.gradient);
        let ended =
            |weights, at: &At, converged| Ok(Found { weights, objective: at.value, converged });
        for _ in 0..most {
            let left = norm(&at.gradient);
            if left <= enough {
                return ended(weights, &at, true);
            }
            let (direction, along) = self.step(&at, left)?;
            let slope = dot(&at.gradient, &direction);
            let mut next = None;
            for size in std::iter::successors(Some(1.0), |size| Some(0.5 * size)).take(HALVINGS) {
                let mut moved = weights.clone();
                add_scaled(&mut moved, size, &direction);
                let value = self.value(&moved, &at.scores, size, &along)?;
                if value <= at.value + ARMIJO * size * slope {
                    next = Some(moved);
                    break;
                }
            }
            // Else nothing is left to gain that is more than rounding.
            let Some(next) = next else { return ended(weights, &at, true) };
            let after = self.at(&next)?;
            // Near the minimum the value is all rounding, and the gradient tells whether a step led anywhere.
            if after.value >= at.value && norm(&after.gradient) >= left {
                return ended(weights, &at, true);
            }
            (weights, at) = (next, after);
        }
        ended(weights, &at, false)
    }

    /// Solves H d = -g by conjugate gradients, preconditioned by the diagonal of H; the closer, the nearer the minimum
    /// is. With the scores of d.
    fn step(&self, at: &At, left: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        let scaled = |residual: &[f64]| -> Vec<f64> {
            let scale =
                |(value, scale): (&f64, &f64)| if *scale > 0.0 { value / scale } else { *value };
            residual.iter().zip(&at.diagonal).map(scale).collect()
        };
        let (mut solution, mut scores) = (vec![0.0; self.length()], vec![0.0; at.scores.len()]);
        let mut residual: Vec<f64> = at.gradient.iter().map(|g| -g).collect();
        let mut direction = scaled(&residual);
        let mut product = dot(&residual, &direction);
        let close = left.sqrt().min(0.1) * left;
        let enough = close * close;
        for _ in 0..10 * solution.len() {
            if dot(&residual, &residual) <= enough {
                break;
            }
            let (image, along) = self.curvature(at, &direction)?;
            let curved = dot(&direction, &image);
            if curved <= 0.0 {
                break;
            }
            let size = product / curved;
            add_scaled(&mut solution, size, &direction);
            add_scaled(&mut scores, size, &along);
            add_scaled(&mut residual, -size, &image);
            let next = scaled(&residual);
            let before = std::mem::replace(&mut product, dot(&residual, &next));
            let kept = product / before;
            direction.iter_mut().zip(&next).for_each(|(d, r)| *d = r + kept * *d);
        }
        Ok((solution, scores))
    }
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
    found: Found,
}

impl Logistic {
    /// The score of each class with training examples: its product with a row, or 0 of one that has no vector.
    fn scores(&self, row: &[f64]) -> impl Iterator<Item = f64> {
        let vectors = self.found.weights.chunks_exact(self.columns + 1);
        let products = vectors.map(|of| dot(&of[..self.columns], row) + of[self.columns]);
        std::iter::repeat_n(0.0, self.first).chain(products)
    }

    fn rows<'e>(&self, examples: &'e Examples) -> Result<&'e NumericRows> {
        check_variables(examples, self.columns, "the weights were fitted to")?;
        examples.numeric()
    }
}

impl Classifier for Logistic {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = self.rows(examples)?;
        let class = |row| self.classes[highest(self.scores(rows.row(row))) as usize];
        Ok(predict_each(rows.len(), context, class)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = self.rows(examples)?;
        let write = |row, out: &mut [f64]| {
            out.fill(f64::NEG_INFINITY);
            let scores = self.classes.iter().zip(self.scores(rows.row(row)));
            scores.for_each(|(&class, score)| out[class as usize] = score);
            normalise(out);
        };
        distributions(rows.len(), self.all, context, write).map(Some)
    }

    /// The logarithm of the odds.
    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = self.rows(examples)?;
        context.check()?;
        if self.all != 2 || self.classes.len() != 2 {
            return Ok(None);
        }
        Ok(Some(rows.iter().flat_map(|row| self.scores(row).skip(self.first)).collect()))
    }

    fn measures(&self) -> Reported {
        vec![
            (&OBJECTIVE, Measure::Scalar(self.found.objective)),
            (&NOT_CONVERGED, Measure::Scalar(f64::from(!self.found.converged))),
            (&PARAMETERS, Measure::Scalar(self.found.weights.len() as f64)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::random::Random;
    use testing::context;

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
                    let context = &context;
                    let (rows, weights) = (&rows, vec![0.5, 2.0]);
                    let problem =
                        Problem { rows, targets, weights, first: 1, vectors: 1, c, context };
                    let Found { weights, objective: value, .. } = problem.solve(1e-8, 200).unwrap();
                    let at = problem.at(&weights).unwrap();
                    assert_eq!(at.value, value);
                    // A quadratic model has no more to gain than rounding.
                    let gain: f64 = at
                        .gradient
                        .iter()
                        .zip(&at.diagonal)
                        .map(|(slope, curvature)| slope * slope / curvature)
                        .sum();
                    assert!(gain <= 1e-9 * value, "{scales:?}, {c}, {seed}: {gain} of {value}");
                }
            }
        }
    }

    #[test]
    fn parts_are_summed_alike_by_any_number_of_threads_and_a_search_that_is_cut_says_so() {
        let mut random = Random::new(Digest::of(b"parts"));
        let values: Vec<f64> = (0..3000 * 3).map(|_| random.uniform() - 0.5).collect();
        let rows = NumericRows::new(3, values);
        let class = |row: &[f64]| usize::from(row[0] > 0.0) + usize::from(row[1] + row[2] > 0.2);
        let targets: Vec<usize> = rows.iter().map(class).collect();
        let found = |first: usize, idle: usize, most: usize| {
            let context = &context(Digest::of(b""), idle);
            let targets = targets.iter().map(|&target| target.min(2 - first)).collect();
            let (rows, weights, vectors) = (&rows, vec![0.5, 1.0, 2.0], 3 - 2 * first);
            Problem { rows, targets, weights, first, vectors, c: 10.0, context }
                .solve(1e-8, most)
                .unwrap()
        };
        for first in [0, 1] {
            let (alone, shared) = (found(first, 0, 200), found(first, 3, 200));
            assert!(alone.converged && shared.converged);
            assert_eq!(alone.weights, shared.weights);
            assert_eq!(alone.objective.to_bits(), shared.objective.to_bits());
            let cut = found(first, 0, 2);
            assert!(!cut.converged && cut.objective > alone.objective);
        }
    }
}
