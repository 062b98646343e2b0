//! Curves that come of what a classifier answers to test examples.

use program::SLACK;

use crate::predictions::Predictions;
use crate::probabilities::{falling, interval, most_probable};

impl Predictions {
    /// The true positive rate at each of [`GRID`] false positive rates: of two classes that of the second, of more the mean over
    /// each against the rest. None without scores, or where a class has all test examples or none.
    pub fn roc(&self) -> Option<Vec<f64>> {
        self.over_classes(|steps, inside, outside| {
            let rates =
                steps.iter().map(|(found, taken)| ((taken - found) / outside, found / inside));
            let rates: Vec<(f64, f64)> = std::iter::once((0.0, 0.0)).chain(rates).collect();
            grid().map(|at| {
                let after = rates.partition_point(|&(x, _)| x <= at);
                let (x, y) = rates[after - 1];
                rates.get(after).map_or(y, |&(next, above)| y + (above - y) * (at - x) / (next - x))
            })
        })
    }

    /// The precision at each of [`GRID`] recalls: that of the first threshold which finds as many. Classes as for
    /// [`roc`](Self::roc).
    pub fn precision(&self) -> Option<Vec<f64>> {
        self.over_classes(|steps, inside, _| {
            grid().map(|at| {
                let enough = steps.partition_point(|&(found, _)| found / inside < at);
                let (found, taken) = steps[enough.min(steps.len() - 1)];
                found / taken
            })
        })
    }

    /// A curve over the scores of a class: of two that of the second, of more the mean over each against the rest. None
    /// without scores, or where a class has all test examples or none.
    fn over_classes(
        &self,
        curve: impl Fn(&[(f64, f64)], f64, f64) -> [f64; GRID],
    ) -> Option<Vec<f64>> {
        if self.scores.is_empty() {
            return None;
        }
        let classes = self.classes.len();
        let labels: Vec<u32> = self.truth.iter().map(|&class| class as u32).collect();
        let judged = if classes == 2 { 1..2 } else { 0..classes };
        let mut sum = vec![0.0; GRID];
        for class in judged.clone() {
            let values: Vec<f64> =
                self.scores.iter().skip(class).step_by(classes).copied().collect();
            let steps = falling(&values, &labels, class);
            let &(inside, all) = steps.last()?;
            if inside == 0.0 || inside == all {
                return None;
            }
            sum.iter_mut().zip(curve(&steps, inside, all - inside)).for_each(|(sum, y)| *sum += y);
        }
        Some(sum.iter().map(|sum| sum / judged.len() as f64).collect())
    }

    /// How probable the class that is looked at is for each example, and whether it is its class: of two classes the
    /// second, of more the most probable one. None without scores, or where they are no probabilities.
    fn confidences(&self) -> Option<Vec<(f64, bool)>> {
        let classes = self.classes.len();
        let of = |(row, &truth): (&[f64], &f64)| {
            let class = if classes == 2 { 1 } else { most_probable(row.into()) };
            let probable = row.iter().all(|p| (-SLACK..=1.0 + SLACK).contains(p))
                && (row.iter().sum::<f64>() - 1.0).abs() <= SLACK;
            probable.then(|| (row[class].clamp(0.0, 1.0), truth == class as f64))
        };
        let rows = self.scores.chunks_exact(classes.max(1)).zip(&self.truth);
        rows.map(of).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
    }
}

/// Examples by the probability of a class that is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// How many.
    pub examples: u64,
    /// Their mean probability; NaN of none.
    pub probability: f64,
    /// How many are of the class.
    pub right: u64,
}

/// The test examples of these fits together, in so many intervals of equal width, which are open below and closed above as
/// those of `ece`. Of two classes the second is looked at, of more the most probable one. None where a fit gives no
/// probabilities.
pub fn calibration<const N: usize>(fits: &[&Predictions]) -> Option<[Bin; N]> {
    let mut bins = [Bin::default(); N];
    for fit in fits {
        for (probability, right) in fit.confidences()? {
            let bin = &mut bins[interval(probability, N)];
            bin.examples += 1;
            bin.probability += probability;
            bin.right += u64::from(right);
        }
    }
    Some(bins.map(|bin| Bin { probability: bin.probability / bin.examples as f64, ..bin }))
}

/// At how many values curves are averaged, from 0 to 1.
pub const GRID: usize = 101;

fn grid() -> [f64; GRID] {
    std::array::from_fn(|place| place as f64 / (GRID - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probabilities::area;

    fn of_two(scores: &[f64], truth: &[f64]) -> Predictions {
        Predictions {
            rows: (0..).take(truth.len()).collect(),
            classes: vec!["a".to_owned(), "b".to_owned()],
            truth: truth.to_vec(),
            predicted: vec![0.0; truth.len()],
            scores: scores.iter().flat_map(|p| [1.0 - p, *p]).collect(),
        }
    }

    #[test]
    fn curves_are_those_of_counting() {
        // Thresholds .9, .7, .4, .2: found 1, 1, 3, 3 of 3 and taken 1, 2, 5, 6.
        let kept = of_two(&[0.9, 0.7, 0.4, 0.4, 0.4, 0.2], &[1.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        let roc = kept.roc().unwrap();
        assert_eq!((roc[0], roc[100]), (1.0 / 3.0, 1.0));
        // Between the false positive rates of .7 and .4 the examples are equal: a straight line.
        assert!((roc[50] - (1.0 / 3.0 + 2.0 / 3.0 * (0.5 - 1.0 / 3.0) * 3.0)).abs() < 1e-12);
        let precision = kept.precision().unwrap();
        assert_eq!(
            (precision[0], precision[33], precision[34], precision[100]),
            (1.0, 1.0, 0.6, 0.6)
        );
        assert_eq!(kept.confidences().unwrap()[1], (0.7, false));
        // 7 of 25 are found before the one that is no such, though .28 * 25 is above 7 in doubles.
        let found = |at: usize| if at == 7 { 0.0 } else { 1.0 };
        let scores: Vec<f64> = (0..26).map(|at| 1.0 - at as f64 / 26.0).collect();
        let kept = of_two(&scores, &(0..26).map(found).collect::<Vec<f64>>());
        assert_eq!(kept.precision().unwrap()[28], 1.0);
    }

    #[test]
    fn the_area_under_the_curve_is_that_of_the_pairs() {
        let scores: Vec<f64> = (0..400).map(|at| f64::from(at * 7919 % 100) / 100.0).collect();
        let truth: Vec<f64> = (0..400).map(|at| f64::from(at * 31 % 100 < at % 60)).collect();
        let roc = of_two(&scores, &truth).roc().unwrap();
        let under = roc.windows(2).map(|ends| (ends[0] + ends[1]) / 200.0).sum::<f64>();
        let labels: Vec<u32> = truth.iter().map(|&class| class as u32).collect();
        assert!((under - area(&scores, &labels, 1)).abs() < 0.003);
    }

    #[test]
    fn without_scores_or_a_class_there_is_no_curve() {
        let kept = of_two(&[0.9, 0.7], &[1.0, 1.0]);
        assert_eq!((kept.roc(), kept.precision()), (None, None));
        let silent = Predictions { scores: Vec::new(), ..of_two(&[0.5, 0.5], &[0.0, 1.0]) };
        assert_eq!((silent.roc(), silent.confidences()), (None, None));
        let votes = Predictions { scores: vec![3.0, -3.0], ..of_two(&[0.5], &[0.0]) };
        assert_eq!(votes.confidences(), None);
        assert_eq!(calibration::<10>(&[&votes]), None);
    }

    #[test]
    fn an_interval_is_that_of_each_probability_and_not_of_their_mean() {
        // In doubles the mean of these three is above .3, which closes the third interval.
        let kept = of_two(&[0.3, 0.3, 0.3, 0.0], &[1.0, 0.0, 0.0, 0.0]);
        let bins = calibration::<10>(&[&kept]).unwrap();
        assert_eq!((bins[2].examples, bins[2].right, bins[0].examples), (3, 1, 1));
        assert!((bins[2].probability - 0.3).abs() < 1e-15 && bins[1].probability.is_nan());
    }
}
