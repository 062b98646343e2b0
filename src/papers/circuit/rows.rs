//! Training rows in an order of their own, so that what is learned does not depend on the order of the examples.

use contract::binary::{BinaryRows, DistinctRows};
use contract::{FitError, Result};

/// These rows, each standing for so many examples, in ascending order; equal ones are made one where they are to be merged.
pub fn gathered(rows: &BinaryRows, weights: &[u32], merge: bool) -> DistinctRows {
    let mut order: Vec<(&[u32], u32)> = rows.iter().zip(weights.iter().copied()).collect();
    order.sort_unstable();
    let mut gathered = BinaryRows::new(rows.variables());
    let mut counts: Vec<u32> = Vec::new();
    let mut last = None;
    for (row, weight) in order {
        match counts.last_mut() {
            Some(count) if merge && last == Some(row) => *count += weight,
            _ => {
                gathered.push(row);
                counts.push(weight);
            }
        }
        last = Some(row);
    }
    of(gathered, counts)
}

/// Rows that stand for so many examples each.
pub fn of(rows: BinaryRows, counts: Vec<u32>) -> DistinctRows {
    let repeated = |(row, &count): (u32, &u32)| std::iter::repeat_n(row, count as usize);
    let of_example = (0..).zip(&counts).flat_map(repeated).collect();
    DistinctRows { rows, counts, of_example }
}

/// The distinct training rows in ascending order.
///
/// # Errors
/// If there is none, or one has no variables.
pub fn sorted(train: &DistinctRows) -> Result<DistinctRows> {
    if train.examples() == 0 {
        return Err(FitError::NoExamples);
    }
    if train.variables() == 0 {
        return Err(FitError::NotApplicable("there are no variables".to_owned()));
    }
    Ok(gathered(&train.rows, &train.counts, true))
}

/// In how many examples each variable is one.
pub fn ones(rows: &DistinctRows) -> Vec<u32> {
    let mut ones = vec![0; rows.variables()];
    for (row, count) in rows.rows.iter().zip(&rows.counts) {
        row.iter().for_each(|&one| ones[one as usize] += count);
    }
    ones
}
