//! The class that most training examples have, whatever the example: what every classifier has to beat.

use contract::parameter::Parameters;
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, MethodEntry, Prediction,
};

/// The registry's entry.
pub static MAJORITY: MethodEntry = MethodEntry {
    kind: "majority",
    summary: "the class that most training examples have; of equally frequent ones the first",
    source: "as scikit-learn's DummyClassifier",
    revision: 1,
    parameters: &[],
    along: &[],
    reports: &[],
    cost: |_, shape| 1e-9 * shape.examples as f64,
    fits: &[Fit::Classification(fit), Fit::Numeric(fit)],
};

fn fit(
    _: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    context.check()?;
    let mut counts = vec![0_usize; train.classes];
    train.labels.iter().for_each(|&label| counts[label as usize] += 1);
    let most = counts.iter().copied().max().filter(|&most| most > 0).ok_or(FitError::NoExamples)?;
    let class = counts.iter().position(|&count| count == most).unwrap_or(0);
    Ok(Box::new(Majority(class as u32)))
}

#[derive(Debug)]
struct Majority(u32);

impl Classifier for Majority {
    fn predict(&self, examples: &Examples, _: &Context) -> Result<Prediction, FitError> {
        Ok(vec![self.0; examples.len()].into())
    }
}
