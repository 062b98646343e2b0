//! What classifiers and regressions share when they predict.

use contract::{Context, Examples, FitError};

/// Examples between two looks at the clock.
const CHUNK: usize = 1024;

/// The prediction for each of `count` examples, on idle cores. What `predicted` gives must not depend on the
/// `scratch` that earlier examples left.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn predict_each<S, T: Clone + Send>(
    count: usize,
    context: &Context,
    scratch: impl Fn() -> S + Sync,
    predicted: impl Fn(&mut S, usize) -> T + Sync,
) -> Result<Vec<T>, FitError> {
    let chunks = context.cores.map_chunks(count, CHUNK, scratch, |scratch, range| {
        context.check()?;
        Ok(range.map(|example| predicted(scratch, example)).collect::<Vec<T>>())
    });
    Ok(chunks.into_iter().collect::<Result<Vec<_>, FitError>>()?.concat())
}

/// Checks that examples have as many variables as those behind a fit; `fit` names it, such as "the tree
/// was grown on".
///
/// # Errors
/// If they have more or fewer.
pub fn check_variables(
    examples: &Examples,
    fitted: usize,
    fit: &'static str,
) -> Result<(), FitError> {
    match examples.variables() {
        found if found == fitted => Ok(()),
        found => Err(FitError::OtherVariables { found, fitted, fit }),
    }
}

/// The class of the highest score, the first of equal ones.
pub fn highest(scores: &[f64]) -> u32 {
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best as u32
}
