//! The mean target of the training examples, whatever the example: what every regression has to beat.

use contract::{Context, Examples, Fit, FitError, MethodEntry, Regressor, Result};

/// The registry's entry.
pub static MEAN: MethodEntry = MethodEntry {
    kind: "mean",
    summary: "the mean target of the training examples, whatever the example",
    source: "as scikit-learn's DummyRegressor",
    cost: |_, shape| 1e-9 * shape.examples as f64,
    fits: &[Fit::Regression(|_, train, context, _| {
        context.check()?;
        if train.targets.is_empty() {
            return Err(FitError::NoExamples);
        }
        Ok(Box::new(Mean(of(&train.targets))))
    })],
    ..MethodEntry::PLAIN
};

/// The mean; of equal values it is their value.
pub(super) fn of(values: &[f64]) -> f64 {
    let Some(&first) = values.first() else { return 0.0 };
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

#[derive(Debug)]
struct Mean(f64);

impl Regressor for Mean {
    fn predict(&self, examples: &Examples, _: &Context) -> Result<Vec<f64>> {
        Ok(vec![self.0; examples.len()])
    }
}
