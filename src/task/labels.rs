//! The labels of training and test examples, classes or numbers.

use data::Targets;
use math::sample::Sample;

/// A class of fewer rows is not asked for,
const LEAST: usize = 20;
/// nor are so many rows, times classes.
const MOST: usize = 20_000_000;

/// Labels of the training and of the test examples.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Labels<'a> {
    Classes { train: &'a [u32], test: &'a [u32], classes: usize },
    Numbers { train: &'a [f64], test: &'a [f64] },
}

impl Labels<'_> {
    /// Of the training examples and then of the test examples, as numbers that are equal where they are.
    pub(crate) fn keys(&self) -> Vec<u64> {
        match self {
            Self::Classes { train, test, .. } => {
                train.iter().chain(*test).map(|&class| class.into()).collect()
            }
            Self::Numbers { train, test } => {
                train.iter().chain(*test).map(|target| (target + 0.0).to_bits()).collect()
            }
        }
    }

    /// How far those of two examples are apart: 1 for two classes, or the difference of numbers.
    pub(crate) fn apart(&self, one: usize, other: usize) -> f64 {
        match *self {
            Self::Classes { train, test, .. } => {
                f64::from(of(train, test, one) != of(train, test, other))
            }
            Self::Numbers { train, test } => (of(train, test, one) - of(train, test, other)).abs(),
        }
    }

    /// The unit in which that is read.
    pub(crate) fn unit(&self) -> f64 {
        match self {
            Self::Classes { .. } => 1.0,
            Self::Numbers { train, .. } => {
                train.iter().copied().collect::<Sample>().sd().unwrap_or(1.0)
            }
        }
    }
}

/// Of an example among the training and then the test examples.
pub(crate) fn of<T: Copy>(train: &[T], test: &[T], example: usize) -> T {
    train.get(example).copied().unwrap_or_else(|| test[example - train.len()])
}

/// The targets as numbers: those of each class that has some rows are 1 for these. None of too many.
pub(crate) fn as_numbers(targets: &Targets) -> Vec<Vec<f64>> {
    match targets {
        Targets::None => Vec::new(),
        Targets::Numbers(numbers) => vec![numbers.clone()],
        Targets::Classes(labels) => {
            let mut rows = vec![0; labels.classes.len()];
            labels.of_example.iter().for_each(|&class| rows[class as usize] += 1);
            let classes = (0..rows.len()).filter(|&class| rows[class] >= LEAST);
            if labels.of_example.len() * classes.clone().count() > MOST {
                return Vec::new();
            }
            let of =
                |class| labels.of_example.iter().map(move |&own| f64::from(own as usize == class));
            classes.map(|class| of(class).collect()).collect()
        }
    }
}

/// How far the targets of two rows are apart in the mean.
pub(crate) fn apart_at_all(targets: &[Vec<f64>]) -> f64 {
    let of = |targets: &Vec<f64>| {
        let mut sorted = targets.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let weighted = |(at, target): (usize, &f64)| (2.0 * at as f64 + 1.0 - n) * target;
        2.0 * sorted.iter().enumerate().map(weighted).sum::<f64>() / (n * (n - 1.0))
    };
    targets.iter().map(of).sum()
}

/// How far those of these two are.
pub(crate) fn apart(targets: &[Vec<f64>], one: usize, other: usize) -> f64 {
    targets.iter().map(|target| (target[one] - target[other]).abs()).sum()
}
