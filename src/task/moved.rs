//! Answers that depend on what they are asked with.

use contract::{Examples, Result, Work, metrics};

static ASKED_AGAIN: Work = Work("answers to test examples that are asked again");

metrics! {
    pub MOVED_ANSWERS: Examples = "moved_answers", "Moved answers",
        "share of the test examples, of those that are asked again, whose answer is another one with other test examples or in another order; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&ASKED_AGAIN);
}

/// The share of the examples whose first answer is not the same when they are asked again: every other one, the rest, both
/// in the opposite order, and one alone.
///
/// # Errors
/// Those of `ask`.
pub(crate) fn moved<T>(
    examples: &Examples,
    first: &[T],
    same: impl Fn(&T, &T) -> bool,
    mut ask: impl FnMut(&Examples) -> Result<Vec<T>>,
) -> Result<f64> {
    let rows = first.len();
    let mut moved = vec![false; rows];
    for asked in [
        (0..rows).rev().step_by(2).collect::<Vec<usize>>(),
        (0..rows.saturating_sub(1)).rev().step_by(2).collect(),
        vec![rows / 2],
    ] {
        if asked.is_empty() {
            continue;
        }
        for (&row, answer) in asked.iter().zip(ask(&examples.select(&asked))?) {
            moved[row] |= !same(&first[row], &answer);
        }
    }
    Ok(share(&moved))
}

/// The share of what moved.
pub(crate) fn share(moved: &[bool]) -> f64 {
    moved.iter().filter(|moved| **moved).count() as f64 / moved.len().max(1) as f64
}

/// Whether two numbers are the same but for rounding.
pub(crate) fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::rows_of;

    fn ones(examples: &Examples) -> Vec<u32> {
        match examples {
            Examples::Binary(rows) => rows.iter().map(|row| row.len() as u32).collect(),
            other => panic!("{}", other.described()),
        }
    }

    #[test]
    fn an_answer_is_moved_by_other_rows_by_their_order_and_by_being_alone() {
        let examples = Examples::Binary(rows_of(&["100", "110", "111", "000"]));
        let share = |ask: &dyn Fn(&Examples) -> Vec<u32>| {
            moved(&examples, &ask(&examples), PartialEq::eq, |rows| Ok(ask(rows))).unwrap()
        };
        assert_eq!(share(&ones), 0.0);
        // By the place: all but what stands where it stood each time.
        assert!(share(&|rows| (0..rows.len() as u32).collect()) > 0.5);
        // By the mean of the batch.
        let above = |rows: &Examples| {
            let ones = ones(rows);
            let mean = ones.iter().sum::<u32>() / ones.len() as u32;
            ones.iter().map(|&one| u32::from(one > mean)).collect()
        };
        assert!(share(&above) > 0.0);
        // Only where it is asked alone.
        assert_eq!(share(&|rows| vec![u32::from(rows.len() == 1); rows.len()]), 0.25);
    }
}
