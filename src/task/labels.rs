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

    /// How alike those of two examples are: whether they are equal, or minus their difference.
    pub(crate) fn alike(&self, one: usize, other: usize) -> f64 {
        match self {
            Self::Classes { train, test, .. } => {
                let of = |row: usize| train.get(row).unwrap_or_else(|| &test[row - train.len()]);
                f64::from(u8::from(of(one) == of(other)))
            }
            Self::Numbers { train, test } => {
                let of = |row: usize| train.get(row).unwrap_or_else(|| &test[row - train.len()]);
                -(of(one) - of(other)).abs()
            }
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
