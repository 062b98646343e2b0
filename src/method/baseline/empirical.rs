//! The empirical distribution of records, smoothed: the model without any structure.

use crate::shared::prediction::highest;
use contract::categorical::CategoricalRows;
use contract::parameter::{Real, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, FitClassifier, Labelled, MethodEntry, Prediction, Result,
};
use math::special::ln;

settings! { SMOOTHING smoothing: Real::positive(1.0), "records added to the training records, spread evenly over all configurations"; }

/// The registry's entry.
pub static EMPIRICAL: MethodEntry = MethodEntry {
    kind: "empirical",
    summary: "smoothed empirical distribution of whole records, the class included",
    source: "relative frequencies",
    parameters: parameters![SMOOTHING],
    cost: |_, shape| 1e-9 * (shape.entries * shape.examples) as f64,
    fits: &[Fit::Categorical(FIT)],
    ..MethodEntry::PLAIN
};

const FIT: FitClassifier = |parameters, train, _, _| {
    let rows = train.examples.categorical()?.clone();
    let attributes = rows.attributes().iter();
    let values = attributes.map(|attribute| attribute.cardinality() as f64);
    Ok(Box::new(Empirical {
        smoothing: parameters.get(&SMOOTHING),
        configurations: values.product::<f64>() * train.classes as f64,
        labels: train.labels.clone(),
        classes: train.classes,
        rows,
    }))
};

#[derive(Debug)]
struct Empirical {
    smoothing: f64,
    configurations: f64,
    rows: CategoricalRows,
    labels: Vec<u32>,
    classes: usize,
}

impl Empirical {
    /// How many training records have these values, by class. O(records).
    fn counts(&self, row: &[u16]) -> Vec<f64> {
        let mut counts = vec![0.0; self.classes];
        let same = self.rows.iter().zip(&self.labels).filter(|(other, _)| *other == row);
        same.for_each(|(_, &label)| counts[label as usize] += 1.0);
        counts
    }
}

impl Classifier for Empirical {
    /// The most frequent class of the records that equal the example, the first of equally frequent
    /// ones.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = examples.categorical()?;
        let class = |row| Ok(highest(self.counts(rows.row(row))));
        Ok(context.each(rows.len(), 1, class)?.into())
    }

    fn log_joints(&self, examples: &Labelled, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = examples.examples.categorical()?;
        let total = self.labels.len() as f64 + self.smoothing;
        let log = |row| {
            let count = self.counts(rows.row(row))[examples.labels[row] as usize];
            Ok(ln((count + self.smoothing / self.configurations) / total))
        };
        context.each(rows.len(), 1, log).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use base::digest::Digest;
    use contract::categorical::Attribute;
    use contract::parameter::Parameters;
    use math::special::exp;
    use testing::context;

    #[test]
    fn records_share_the_smoothing_evenly() {
        let values = ["a", "b"].map(str::to_owned).to_vec();
        let mut rows = CategoricalRows::new(Arc::new(vec![Attribute { values, missing: false }]));
        [0, 0, 1, 0].iter().for_each(|&code| rows.push(&[code]));
        let examples = Examples::Categorical(rows);
        let train = Labelled { examples, labels: vec![0, 1, 0, 1], classes: 2, known_blocks: None };
        let context = context(Digest::of(b"empirical"), 0);
        let parameters = Parameters::defaults(EMPIRICAL.parameters);
        let model = FIT(&parameters, &train, &context, &mut None).unwrap();
        let joint = model.log_joints(&train, &context).unwrap().unwrap();
        // (1 + 1/4) / 5 and (2 + 1/4) / 5; (b, 1) never occurs.
        for (value, expected) in joint.into_iter().zip([0.25, 0.45, 0.25, 0.45]) {
            assert!((exp(value) - expected).abs() < 1e-15);
        }
        assert_eq!(model.predict(&train.examples, &context).unwrap().classes, [1, 1, 0, 1]);
    }
}
