//! What classifiers and regressions share when they predict.

use std::borrow::Borrow;

use contract::{Context, Examples, FitError, Result};
use math::special::exp;
use ndarray::Array2;

/// Examples between two looks at the clock.
pub const CHUNK: usize = 1024;

/// The prediction for each of `count` examples, on idle cores.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn predict_each<T: Send>(
    count: usize,
    context: &Context,
    predicted: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    context.each(count, CHUNK, |example| Ok(predicted(example)))
}

/// The probability of each class for each of `count` examples, on idle cores: a row an example. `write` fills the row
/// of an example, which is zero before.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn distributions(
    count: usize,
    classes: usize,
    context: &Context,
    write: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<Array2<f64>> {
    distributions_with(count, classes, context, || (), |(), row, out| write(row, out))
}

/// The same with a state of each thread; what is written must not depend on what earlier examples left in it.
///
/// # Errors
/// As [`distributions`].
pub fn distributions_with<S>(
    count: usize,
    classes: usize,
    context: &Context,
    scratch: impl Fn() -> S + Sync,
    write: impl Fn(&mut S, usize, &mut [f64]) + Sync,
) -> Result<Array2<f64>> {
    let chunks = context.cores.map_chunks(count, CHUNK, scratch, |scratch, range| {
        context.check()?;
        let mut values = vec![0.0; range.len() * classes];
        for (example, row) in range.zip(values.chunks_exact_mut(classes)) {
            write(scratch, example, row);
        }
        Ok(values)
    });
    let values = chunks.into_iter().collect::<Result<Vec<_>>>()?.concat();
    Ok(Array2::from_shape_vec((count, classes), values).expect("a value for each class of a row"))
}

/// Replaces logarithms of probabilities up to a constant by the probabilities. Of infinite ones none counts, and the
/// largest is finite.
pub fn normalise(logs: &mut [f64]) {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let probability =
        |log: f64| if log == f64::NEG_INFINITY { 0.0 } else { exp((log - top).max(-745.0)) };
    logs.iter_mut().for_each(|log| *log = probability(*log));
    let sum: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|probability| *probability /= sum);
}

/// Checks that examples have as many variables as those behind a fit; `fit` names it, such as "the tree
/// was grown on".
///
/// # Errors
/// If they have more or fewer.
pub fn check_variables(examples: &Examples, fitted: usize, fit: &'static str) -> Result<()> {
    match examples.variables() {
        found if found == fitted => Ok(()),
        found => Err(FitError::OtherVariables { found, fitted, fit }),
    }
}

/// The class of the highest score, the first of equal ones.
pub fn highest(scores: impl IntoIterator<Item: Borrow<f64>>) -> u32 {
    let mut scores = scores.into_iter().map(|score| *score.borrow());
    let mut best = (0, scores.next().unwrap_or(f64::NAN));
    for (class, score) in (1..).zip(scores) {
        if score > best.1 {
            best = (class, score);
        }
    }
    best.0
}
