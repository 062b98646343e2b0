//! How much memory a fit holds, so that trials that run at once do not need more together than there is.

use crate::Shape;

/// What a fit holds beside the examples, by the largest part of it. Roughly: it decides what runs at once, and nothing
/// that is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Memory {
    /// So many numbers for each stored entry, and each example.
    Entries(f64),
    /// So many numbers for each pair of examples, as a kernel matrix has.
    PairsOfExamples(f64),
    /// So many numbers for each pair of variables, as a matrix of dependences has.
    PairsOfVariables(f64),
}

impl Memory {
    /// The bytes for a dataset of a shape.
    pub fn bytes(self, shape: &Shape) -> u64 {
        let Shape { examples, variables, entries } = *shape;
        let pairs = |n: usize| n as f64 * n as f64;
        let linear = (entries + examples) as f64;
        let numbers = match self {
            Self::Entries(each) => each * linear,
            Self::PairsOfExamples(each) => each * pairs(examples) + linear,
            Self::PairsOfVariables(each) => each * pairs(variables) + linear,
        };
        (numbers * size_of::<f64>() as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_matrix_is_counted_whole() {
        let shape = Shape { examples: 10_000, variables: 10, entries: 100_000 };
        let linear = 8 * 110_000;
        assert_eq!(Memory::Entries(2.0).bytes(&shape), 2 * linear);
        assert_eq!(Memory::PairsOfExamples(1.0).bytes(&shape), 800_000_000 + linear);
        assert_eq!(Memory::PairsOfVariables(1.0).bytes(&shape), 800 + linear);
        let endless = Shape { examples: usize::MAX / 2, variables: 0, entries: 0 };
        assert_eq!(Memory::PairsOfExamples(1.0).bytes(&endless), u64::MAX);
    }
}
