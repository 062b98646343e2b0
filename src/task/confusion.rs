//! What is counted of predicted classes beside how many are right: how often each class is taken for each.

use contract::{Basis, Direction, Metric, Work};

use crate::measured::Measured;

static CONFUSION: Work = Work("counts of each class taken for each");

/// Mean over the classes of the share of its test examples whose class is predicted.
pub static BALANCED_ACCURACY: Metric = Metric {
    name: "balanced_accuracy",
    label: "Balanced accuracy",
    meaning: "mean over the classes that test examples have of the share of theirs whose class is predicted; measured where an experiment names it",
    rank: 121,
    direction: Direction::Higher,
    basis: Basis::Test,
    range: (0.0, 1.0),
    on_request: Some(&CONFUSION),
    ..Metric::NEUTRAL
};

/// Mean over the classes of the harmonic mean of precision and recall.
pub static F1_MACRO: Metric = Metric {
    name: "f1_macro",
    label: "Macro F1",
    meaning: "mean of F1, the harmonic mean of precision and recall on the test examples, over the classes that they have or are taken for; measured where an experiment names it",
    rank: 122,
    direction: Direction::Higher,
    basis: Basis::Test,
    range: (0.0, 1.0),
    on_request: Some(&CONFUSION),
    ..Metric::NEUTRAL
};

/// How often each class is taken for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    /// A row a class, a column for what it is taken for.
    counts: Vec<u64>,
}

impl Confusion {
    /// Counts predictions, both below `classes`.
    pub fn of(labels: &[u32], predicted: &[u32], classes: usize) -> Self {
        let mut counts = vec![0; classes * classes];
        for (&label, &predicted) in labels.iter().zip(predicted) {
            counts[label as usize * classes + predicted as usize] += 1;
        }
        Self { classes, counts }
    }

    /// How many examples of a class are taken for another, or for the same.
    pub fn count(&self, class: usize, predicted: usize) -> u64 {
        self.counts[class * self.classes + predicted]
    }

    /// Of each class: its examples, those taken for it, and those that are both.
    fn margins(&self) -> impl Iterator<Item = [f64; 3]> {
        (0..self.classes).map(|class| {
            let of = (0..self.classes).map(|other| self.count(class, other)).sum::<u64>();
            let taken = (0..self.classes).map(|other| self.count(other, class)).sum::<u64>();
            [of, taken, self.count(class, class)].map(|count| count as f64)
        })
    }

    /// Mean recall over the classes that have examples.
    pub fn balanced_accuracy(&self) -> f64 {
        let margins = self.margins().filter(|[of, ..]| *of > 0.0);
        mean(margins.map(|[of, _, both]| both / of))
    }

    /// Mean F1 over the classes that have examples or are predicted.
    pub fn f1_macro(&self) -> f64 {
        let margins = self.margins().filter(|[of, taken, _]| of + taken > 0.0);
        mean(margins.map(|[of, taken, both]| 2.0 * both / (of + taken)))
    }

    /// Adds the metrics.
    pub(crate) fn measured(&self, measured: &mut Measured) {
        measured.scalar(&BALANCED_ACCURACY, self.balanced_accuracy());
        measured.scalar(&F1_MACRO, self.f1_macro());
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_without_examples_or_predictions_do_not_count() {
        let found = Confusion::of(&[0, 0, 1, 1, 1], &[0, 1, 1, 1, 3], 5);
        assert_eq!((found.count(0, 1), found.count(1, 3), found.count(3, 1)), (1, 1, 0));
        // scikit-learn 1.9.1: balanced_accuracy_score, f1_score(average="macro").
        assert!((found.balanced_accuracy() - 0.583_333_333_333_333_3).abs() < 1e-15);
        assert!((found.f1_macro() - 0.444_444_444_444_444_4).abs() < 1e-15);
    }
}
