//! Why a statistic cannot be computed.

use miette::Diagnostic;

/// A statistic is not defined on this input.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Diagnostic)]
pub enum StatsError {
    /// Fewer values than the statistic needs.
    #[error("{what}: {needed} or more needed, {got} given")]
    #[diagnostic(help(
        "compare over more datasets, folds or repeats, or choose another `pair_by`"
    ))]
    TooFew {
        /// What there are too few of.
        what: &'static str,
        /// The smallest number that works.
        needed: usize,
        /// How many there are.
        got: usize,
    },
    /// More values than an exact computation can take.
    #[error("{what}: at most {most} supported, {got} given")]
    #[diagnostic(help("set `p_value = \"normal\"`: with so many pairs both agree"))]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// The largest number that works.
        most: usize,
        /// How many there are.
        got: usize,
    },
    /// A NaN or an infinity among the values.
    #[error("{what} number {} is {value}, not a finite number", index + 1)]
    #[diagnostic(help(
        "a failed or non-finite trial has no place in a test: leave its dataset or method out"
    ))]
    NonFinite {
        /// What the values are.
        what: &'static str,
        /// Position of the first such value, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// All values are equal, so that there is nothing to compare their size with.
    #[error("{what} do not vary")]
    #[diagnostic(help("the test divides by their spread; use the sign test, or no test"))]
    NoVariation {
        /// What does not vary.
        what: &'static str,
    },
    /// Values depend on each other in a way that no error of their mean is known for.
    #[error("{what} depend on each other, and no error of their mean is known that heeds it")]
    #[diagnostic(help("compare over other pairs, or give the means alone"))]
    Dependent {
        /// What depends on each other.
        what: &'static str,
    },
    /// Every difference is zero: the two sides are the same everywhere.
    #[error("{what} are all zero")]
    #[diagnostic(help("the two sides are equal everywhere, which no test can judge"))]
    AllZero {
        /// What is all zero.
        what: &'static str,
    },
    /// Rows of different lengths.
    #[error("block {} has {got} values, the first has {expected}", index + 1)]
    #[diagnostic(help("every block (dataset) needs one value of every treatment (method)"))]
    UnequalLengths {
        /// Position of the block, from 0.
        index: usize,
        /// Length of the first block.
        expected: usize,
        /// Length of this one.
        got: usize,
    },
    /// A setting outside its range.
    #[error("{what} is {value}, not {range}")]
    #[diagnostic(help("give {what} as a number {range}"))]
    OutOfRange {
        /// What is set.
        what: &'static str,
        /// To which value.
        value: f64,
        /// The range, in words that follow "a number".
        range: &'static str,
    },
}

/// Checks that every value is finite.
pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(StatsError::NonFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Checks that there are so many.
pub(super) fn at_least(needed: usize, what: &'static str, got: usize) -> Result<(), StatsError> {
    if got < needed { Err(StatsError::TooFew { what, needed, got }) } else { Ok(()) }
}

/// Checks that there are enough values and that every one is finite.
pub(super) fn enough(what: &'static str, values: &[f64], needed: usize) -> Result<(), StatsError> {
    at_least(needed, what, values.len())?;
    finite(what, values)
}

/// Checks that a setting is finite, and as a range, in words that follow "a number", wants it.
pub(super) fn ranged(
    (what, value): (&'static str, f64),
    range: &'static str,
    wanted: bool,
) -> Result<(), StatsError> {
    let fine = wanted && value.is_finite();
    fine.then_some(()).ok_or(StatsError::OutOfRange { what, value, range })
}

/// Checks that a level or probability lies strictly between 0 and 1.
pub(super) fn open_unit(what: &'static str, value: f64) -> Result<(), StatsError> {
    ranged((what, value), "between 0 and 1", value > 0.0 && value < 1.0)
}

/// Checks that there are two or more blocks of as many values, two or more in each, every one finite; gives the number of blocks
/// and of their values. `what` are the values of a block.
pub(super) fn blocks(
    what: &'static str,
    values: &[Vec<f64>],
) -> Result<(usize, usize), StatsError> {
    let (n, k) = (values.len(), values.first().map_or(0, Vec::len));
    at_least(2, "blocks", n)?;
    at_least(2, "treatments", k)?;
    for (index, block) in values.iter().enumerate() {
        if block.len() != k {
            return Err(StatsError::UnequalLengths { index, expected: k, got: block.len() });
        }
        finite(what, block)?;
    }
    Ok((n, k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_count_from_one_and_come_with_help() {
        let error = finite("differences", &[1.0, f64::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "differences number 2 is NaN, not a finite number");
        let error = open_unit("the level", 95.0).unwrap_err();
        assert_eq!(error.to_string(), "the level is 95, not between 0 and 1");
        assert_eq!(error.help().unwrap().to_string(), "give the level as a number between 0 and 1");
        assert!(open_unit("the level", f64::NAN).is_err());
        let error = enough("differences", &[1.0], 2).unwrap_err();
        assert_eq!(error.to_string(), "differences: 2 or more needed, 1 given");
        assert!(error.help().is_some());
    }
}
