//! The labels of training and test examples, classes or numbers.

use math::sample::Sample;

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
                f64::from(u8::from(of(train, test, one) != of(train, test, other)))
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
