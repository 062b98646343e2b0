//! Training examples that nothing can be learned from: none, too many, or of a size that can't be computed with.

use contract::numeric::NumericRows;
use contract::{Examples, FitError, Result};

/// Largest absolute values of a column from its inverse to this have squares, and sums of products with other such
/// columns, that are numbers with all their digits.
const LARGEST: f64 = 1e100;

/// The number of training examples, if there are any and no more than the method can count.
///
/// # Errors
/// If there are none, or too many.
pub fn countable(examples: usize, most: u32) -> Result<u32> {
    match u32::try_from(examples) {
        Ok(0) => Err(FitError::NoExamples),
        Ok(examples) if examples <= most => Ok(examples),
        _ => Err(FitError::TooManyExamples { most }),
    }
}

/// The training examples as rows of numbers that can be computed with.
///
/// # Errors
/// If they are no numbers, there are none, or [`check_scales`] refuses them.
pub fn numbers(examples: &Examples) -> Result<&NumericRows> {
    let rows = examples.numeric()?;
    if rows.is_empty() {
        return Err(FitError::NoExamples);
    }
    check_scales(rows)?;
    Ok(rows)
}

/// Refuses columns whose squares leave the numbers: distances, variances and correlations would be infinite or zero,
/// and predictions without meaning. Columns of zeros are fine.
///
/// # Errors
/// If a column's largest absolute value is above 1e100, or below 1e-100 and not 0.
pub fn check_scales(rows: &NumericRows) -> Result<()> {
    let mut largest = vec![0.0_f64; rows.columns()];
    for row in rows.iter() {
        largest.iter_mut().zip(row).for_each(|(most, value)| *most = most.max(value.abs()));
    }
    let outside = |most: &f64| *most > LARGEST || (*most > 0.0 && *most < 1.0 / LARGEST);
    match largest.iter().position(outside) {
        None => Ok(()),
        Some(column) => Err(FitError::Failed(format!(
            "the largest absolute value of column {} is {:e}, and squares of it are no numbers; give the column \
             another unit, or `standardised = true` to the dataset (1e-100 to 1e100 can be computed with)",
            column + 1,
            largest[column]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_counted_up_to_a_limit() {
        let most = i32::MAX as u32;
        assert_eq!(countable(most as usize, most), Ok(most));
        assert_eq!(countable(0, most), Err(FitError::NoExamples));
        let refused = |many, most| countable(many, most).unwrap_err().to_string();
        for many in [1 << 31, 1 << 32] {
            assert_eq!(countable(many, most), Err(FitError::TooManyExamples { most }));
            assert_eq!(refused(many, most), "more than 2,147,483,647 training examples");
        }
        assert_eq!(refused(1 << 32, u32::MAX), "more than 4,294,967,295 training examples");
        assert_eq!(refused(901, 900), "more than 900 training examples");
        assert_eq!(refused(123_457, 123_456), "more than 123,456 training examples");
    }

    #[test]
    fn absurd_scales_are_named() {
        let check = |values: [f64; 4]| {
            check_scales(&NumericRows::new(2, values.to_vec())).map_err(|error| error.to_string())
        };
        assert_eq!(check([0.0, 1e100, 0.0, -3.0]), Ok(()));
        assert_eq!(check([1e-300, 1.0, 2.0, 1e-300]), Ok(()));
        for (values, column, largest) in
            [([1.0, 2.0, 3.0, -1e200], 2, "1e200"), ([1e-170, 2.0, 0.0, 1.0], 1, "1e-170")]
        {
            let expected = format!(
                "the largest absolute value of column {column} is {largest}, and squares of it are no numbers; \
                 give the column another unit, or `standardised = true` to the dataset (1e-100 to 1e100 can be \
                 computed with)"
            );
            assert_eq!(check(values), Err(expected));
        }
    }
}
