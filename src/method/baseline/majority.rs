//! The class that most training examples have, whatever the example: what every classifier has to beat. The probability
//! of a class is its share.

use crate::shared::prediction::highest;
use contract::{
    Classifier, Context, Examples, Fit, FitClassifier, FitError, MethodEntry, Prediction, Result,
};
use ndarray::Array2;

/// The registry's entry.
pub static MAJORITY: MethodEntry = MethodEntry {
    kind: "majority",
    summary: "the class that most training examples have; of equally frequent ones the first",
    source: "as scikit-learn's DummyClassifier(strategy=\"prior\")",
    probabilities: true,
    cost: |_, shape| 1e-9 * shape.examples as f64,
    fits: &[Fit::Classification(FIT), Fit::Numeric(FIT)],
    ..MethodEntry::PLAIN
};

const FIT: FitClassifier = |_, train, context, _| {
    context.check()?;
    if train.labels.is_empty() {
        return Err(FitError::NoExamples);
    }
    let mut counts = vec![0.0; train.classes];
    train.labels.iter().for_each(|&label| counts[label as usize] += 1.0);
    let shares = counts.iter().map(|count| count / train.labels.len() as f64).collect();
    Ok(Box::new(Majority { class: highest(&counts), shares }))
};

#[derive(Debug)]
struct Majority {
    class: u32,
    /// Of each class among the training examples.
    shares: Vec<f64>,
}

impl Classifier for Majority {
    fn predict(&self, examples: &Examples, _: &Context) -> Result<Prediction> {
        Ok(vec![self.class; examples.len()].into())
    }

    fn probabilities(&self, examples: &Examples, _: &Context) -> Result<Option<Array2<f64>>> {
        let shape = (examples.len(), self.shares.len());
        Ok(Some(Array2::from_shape_fn(shape, |(_, class)| self.shares[class])))
    }
}
