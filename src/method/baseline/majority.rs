//! The class that most training examples have, whatever the example: what every classifier has to beat. The probability
//! of a class is its share.

use crate::shared::prediction::distributions;
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
    let mut counts = vec![0_usize; train.classes];
    train.labels.iter().for_each(|&label| counts[label as usize] += 1);
    let most = counts.iter().copied().max().filter(|&most| most > 0).ok_or(FitError::NoExamples)?;
    let class = counts.iter().position(|&count| count == most).unwrap_or(0);
    let shares = counts.iter().map(|&count| count as f64 / train.labels.len() as f64).collect();
    Ok(Box::new(Majority { class: class as u32, shares }))
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

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let write = |_, out: &mut [f64]| out.copy_from_slice(&self.shares);
        Ok(Some(distributions(examples.len(), self.shares.len(), context, write)?))
    }
}
