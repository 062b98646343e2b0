//! What predictions score by chance: on average over all orders of the test examples.
//!
//! Where labels have nothing to do with attributes, all assignments of the test labels to the test examples are equally
//! probable, whatever was learned. So the score of an honest prediction is on average that of the same predictions in a
//! random order, which the counts of classes, or the means, give. It is at most that of the best constant: the majority
//! share, or an R² of 0.

use contract::{Metric, Work, metrics};

use crate::Ask;
use crate::measured::Measured;

/// What shows of a task's scores whether a method knows what it can't know.
#[derive(Debug, Clone, Copy)]
pub struct Chance {
    /// What falls to chance where labels have nothing to do with attributes.
    pub score: &'static Metric,
    /// What it falls to.
    pub by_chance: &'static Metric,
    /// The share of the test examples that are answered right, of those that say one of two things or a class: what
    /// labels that are drawn are scored by.
    pub hits: &'static Metric,
}

static CHANCE: Work = Work("scores of the predictions in a random order");

metrics! {
    pub CHANCE_ACCURACY: Examples = "chance_accuracy", "Accuracy by chance",
        "accuracy of the same predictions on average over all orders of the test examples: the sum over the classes of their share times the share of predictions of them; measured where an experiment names it".of_test().within(0.0, 1.0).asked(&CHANCE);
    pub MAJORITY_SHARE: Examples = "majority_share", "Majority share",
        "share of the largest class of the test examples, the most that `chance_accuracy` can be, or of the larger side where `right_side` is measured; measured where an experiment names it".of_test().within(0.0, 1.0).asked(&CHANCE);
}

static CHANCE_OF_NUMBERS: Work = Work("R² of the predictions in a random order");
static SIDES: Work = Work("on which side of the middle each prediction is");

metrics! {
    pub CHANCE_R2: Examples = "chance_r2", "R² by chance",
        "R² of the same predictions on average over all orders of the test examples: less the mean squared distance of the predictions from the mean of the test targets, over the variance of these; 0 where they are all equal; measured where an experiment names it".of_test().within(f64::NEG_INFINITY, 0.0).asked(&CHANCE_OF_NUMBERS);
    pub RIGHT_SIDE: Examples = "right_side", "Right side",
        "share of the test examples whose prediction is on the side of their target: above the middle between the least and the greatest of all targets, or not; not there where all are equal; measured where an experiment names it".of_test().within(0.0, 1.0).asked(&SIDES);
}

/// Adds those of predicted classes, if they are asked for.
pub(crate) fn of_classes(
    measured: &mut Measured,
    ask: &Ask,
    (labels, predicted): (&[u32], &[u32]),
    classes: usize,
) {
    if !ask.names(&CHANCE_ACCURACY) {
        return;
    }
    let counts = |of: &[u32]| {
        let mut counts = vec![0u64; classes];
        of.iter().for_each(|&class| counts[class as usize] += 1);
        counts
    };
    let (labels, predicted) = (counts(labels), counts(predicted));
    let examples = labels.iter().sum::<u64>() as f64;
    let pairs: f64 = labels.iter().zip(&predicted).map(|(&a, &b)| a as f64 * b as f64).sum();
    measured.scalar(&CHANCE_ACCURACY, pairs / (examples * examples));
    let most = labels.iter().max().copied().unwrap_or(0);
    measured.scalar(&MAJORITY_SHARE, most as f64 / examples);
}

/// Adds those of predicted numbers, if they are asked for.
pub(crate) fn of_numbers(measured: &mut Measured, ask: &Ask, targets: &[f64], predicted: &[f64]) {
    if !ask.names(&CHANCE_R2) {
        return;
    }
    let mean = targets.iter().sum::<f64>() / targets.len() as f64;
    let around = |values: &[f64]| values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    let equal = targets.iter().all(|target| *target == targets[0]);
    let chance = if equal { 0.0 } else { -around(predicted) / around(targets) };
    measured.scalar(&CHANCE_R2, chance + 0.0);
}

/// Adds on which side of the middle of all targets the test examples are, and are predicted, if that is asked for.
pub(crate) fn of_sides(
    measured: &mut Measured,
    ask: &Ask,
    (train, test): (&[f64], &[f64]),
    predicted: &[f64],
) {
    if !ask.names(&RIGHT_SIDE) {
        return;
    }
    let all = || train.iter().chain(test).copied();
    let (least, greatest) =
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if least == greatest {
        measured.lacks.insert(&RIGHT_SIDE, "all targets are equal".to_owned());
        return;
    }
    let above = |value: &f64| *value > 0.5 * least + 0.5 * greatest;
    let examples = test.len() as f64;
    let right = test.iter().zip(predicted).filter(|(target, value)| above(target) == above(value));
    measured.scalar(&RIGHT_SIDE, right.count() as f64 / examples);
    let share = test.iter().filter(|target| above(target)).count() as f64 / examples;
    measured.scalar(&MAJORITY_SHARE, share.max(1.0 - share));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let longer = |shorter: Vec<usize>| {
            (0..n).map(move |at| {
                let mut longer = shorter.clone();
                longer.insert(at, n - 1);
                longer
            })
        };
        permutations(n - 1).into_iter().flat_map(longer).collect()
    }

    #[test]
    fn chance_is_the_mean_score_over_all_orders() {
        let (labels, predicted) = ([0u32, 0, 0, 1, 2], [0u32, 1, 0, 0, 1]);
        let ask = Ask { metrics: vec![&CHANCE_ACCURACY, &CHANCE_R2], ..Ask::default() };
        let mut measured = Measured::default();
        of_classes(&mut measured, &ask, (&labels, &predicted), 3);
        let (targets, values) = ([1.0, 2.0, 4.0, 8.0, -3.0], [0.5, 3.0, 3.0, 1.0, -1.0]);
        of_numbers(&mut measured, &ask, &targets, &values);
        let orders = permutations(5);
        let of = |order: &Vec<usize>| {
            let hits = (0..5).filter(|&at| predicted[order[at]] == labels[at]).count();
            let mean = targets.iter().sum::<f64>() / 5.0;
            let square = |value: f64| value * value;
            let error: f64 = (0..5).map(|at| square(values[order[at]] - targets[at])).sum();
            let around: f64 = targets.iter().map(|target| square(target - mean)).sum();
            (hits as f64 / 5.0, 1.0 - error / around)
        };
        let scores: Vec<(f64, f64)> = orders.iter().map(of).collect();
        assert_eq!(scores.len(), 120);
        let accuracy = scores.iter().map(|score| score.0).sum::<f64>() / 120.0;
        let r2 = scores.iter().map(|score| score.1).sum::<f64>() / 120.0;
        assert!((measured.metrics["chance_accuracy"].value() - accuracy).abs() < 1e-12);
        assert!((measured.metrics["chance_r2"].value() - r2).abs() < 1e-12);
        assert_eq!(measured.metrics["majority_share"].value(), 0.6);
        assert!(r2 < 0.0 && accuracy < 0.6);
    }

    #[test]
    fn sides_are_those_of_the_middle_of_all_targets() {
        let ask = Ask { metrics: vec![&RIGHT_SIDE], ..Ask::default() };
        let mut measured = Measured::default();
        // The middle is 4: of 0, 8, 4 and 5 the second and the last are above it.
        let targets = (&[8.0, 1.0][..], &[0.0, 8.0, 4.0, 5.0][..]);
        of_sides(&mut measured, &ask, targets, &[3.0, 4.5, 5.0, -9.0]);
        assert_eq!(measured.metrics["right_side"].value(), 0.5);
        assert_eq!(measured.metrics["majority_share"].value(), 0.5);
        let mut measured = Measured::default();
        of_sides(&mut measured, &ask, (&[2.0], &[2.0]), &[2.0]);
        assert!(measured.metrics.is_empty() && measured.lacks.has(RIGHT_SIDE.name));
    }

    #[test]
    fn a_constant_prediction_scores_by_chance_what_it_scores() {
        let ask = Ask { metrics: vec![&CHANCE_ACCURACY, &CHANCE_R2], ..Ask::default() };
        let mut measured = Measured::default();
        of_classes(&mut measured, &ask, (&[0, 1, 1, 1], &[1, 1, 1, 1]), 2);
        assert_eq!(measured.metrics["chance_accuracy"].value(), 0.75);
        of_numbers(&mut measured, &ask, &[1.0, 3.0], &[2.0, 2.0]);
        assert_eq!(measured.metrics["chance_r2"].value(), 0.0);
        of_numbers(&mut measured, &ask, &[3.0, 3.0], &[2.0, 2.0]);
        assert_eq!(measured.metrics["chance_r2"].value(), 0.0);
    }
}
