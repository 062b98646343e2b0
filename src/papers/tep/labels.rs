//! What the classifiers of two classes share: labels as signs, decision values as classes.

use contract::numeric::NumericRows;
use contract::{Classifier, Context, Examples, FitError, Labelled, Prediction, Reported, Result};
use method::shared::prediction::check_variables;
use method::shared::refusals::numbers;

/// Training examples as numbers and signs: 1 for class 1, -1 for class 0.
///
/// # Errors
/// If the examples are no numbers, there are none, their scale is absurd, or the classes are other than two.
pub fn signed(train: &Labelled) -> Result<(&NumericRows, Vec<f64>)> {
    train.examples.numeric()?;
    if train.classes != 2 {
        return Err(FitError::Failed(format!(
            "it tells two classes apart, and there are {}; `classes = \"all-pairs\"` makes a problem of \
             each pair",
            train.classes
        )));
    }
    let rows = numbers(&train.examples)?;
    Ok((rows, train.labels.iter().map(|&class| if class == 1 { 1.0 } else { -1.0 }).collect()))
}

/// The decision function at each example, on idle cores. What `decide` gives must not depend on the
/// `scratch` that earlier examples left.
///
/// # Errors
/// If the examples are no numbers or have not `columns` columns, the deadline passes or the user
/// interrupts.
pub fn decisions<S>(
    examples: &Examples,
    columns: usize,
    context: &Context,
    scratch: impl Fn() -> S + Sync,
    decide: impl Fn(&mut S, &[f64]) -> f64 + Sync,
) -> Result<Vec<f64>> {
    let rows = examples.numeric()?;
    check_variables(examples, columns, "the classifier was fitted to")?;
    let decide = |scratch: &mut S, example| Ok(decide(scratch, rows.row(example)));
    context.each_with(rows.len(), 256, scratch, decide)
}

/// The class of each decision: 1 where it is positive.
pub fn classes(decisions: &[f64]) -> Vec<u32> {
    decisions.iter().map(|&value| u32::from(value > 0.0)).collect()
}

/// The classifier by the sign of a fitted function of the inputs.
pub struct BySign<D> {
    /// The function at each example, as [`decisions`].
    pub decide: D,
    /// As [`Classifier::measures`].
    pub measures: Reported,
}

impl<D> Classifier for BySign<D>
where
    D: Fn(&Examples, &Context) -> Result<Vec<f64>> + Send + Sync,
{
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        Ok(classes(&(self.decide)(examples, context)?).into())
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        (self.decide)(examples, context).map(Some)
    }

    fn measures(&self) -> Reported {
        self.measures.clone()
    }
}
