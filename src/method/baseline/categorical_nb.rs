//! Naive Bayes for categorical attributes: given the class, they are independent.

use crate::metrics::PARAMETERS;
use crate::shared::prediction::{distributions, highest, normalise, predict_each};
use contract::parameter::{Real, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, FitClassifier, Labelled, Measure, MethodEntry, Prediction,
    Reported, Result,
};
use math::special::ln;
use ndarray::Array2;

settings! {
    SMOOTHING smoothing: Real::positive(1.0),
        "added to the count of each class, and of each value of each attribute given the class";
}

/// The registry's entry.
pub static CATEGORICAL_NB: MethodEntry = MethodEntry {
    kind: "categorical-nb",
    summary: "naive Bayes with categorical attributes, a missing value being a value of its own",
    source: "Domingos and Pazzani 1997; as scikit-learn's CategoricalNB with smoothed priors",
    parameters: parameters![SMOOTHING],
    reports: &[&PARAMETERS],
    probabilities: true,
    cost: |_, shape| 1e-8 * shape.entries as f64,
    fits: &[Fit::Categorical(FIT)],
    ..MethodEntry::PLAIN
};

const FIT: FitClassifier = |parameters, train, _, _| {
    let smoothing = parameters.get(&SMOOTHING);
    let rows = train.examples.categorical()?;
    let values = rows.one_hot();
    let mut counts = vec![vec![0.0; values.variables()]; train.classes];
    let mut totals = vec![0.0; train.classes];
    for (ones, &label) in values.iter().zip(&train.labels) {
        totals[label as usize] += 1.0;
        ones.iter().for_each(|&one| counts[label as usize][one as usize] += 1.0);
    }
    let all = train.labels.len() as f64 + smoothing * train.classes as f64;
    let priors = totals.iter().map(|total| ln((total + smoothing) / all)).collect();
    let given = counts.iter().zip(&totals).map(|(of_class, total)| {
        let mut logs = Vec::with_capacity(of_class.len());
        for attribute in rows.attributes().iter() {
            let norm = total + smoothing * attribute.cardinality() as f64;
            let of_attribute = &of_class[logs.len()..][..attribute.cardinality()];
            logs.extend(of_attribute.iter().map(|count| ln((count + smoothing) / norm)));
        }
        logs
    });
    let (attributes, given) = (rows.attributes().len(), given.collect());
    Ok(Box::new(CategoricalNb { attributes, priors, given }))
};

/// A fitted naive Bayes classifier.
#[derive(Debug)]
struct CategoricalNb {
    /// Number of attributes.
    attributes: usize,
    /// For each class, ln P(y).
    priors: Vec<f64>,
    /// For each class, for each 0/1 variable that says that an attribute has a value, ln P(x | y).
    given: Vec<Vec<f64>>,
}

impl CategoricalNb {
    /// ln P(y, x), from the ones of x.
    fn joint(&self, ones: &[u32], class: usize) -> f64 {
        let given = &self.given[class];
        ones.iter().fold(self.priors[class], |sum, &one| sum + given[one as usize])
    }
}

impl Classifier for CategoricalNb {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = &examples.categorical()?.one_hot();
        let joints =
            |row| (0..self.priors.len()).map(move |class| self.joint(rows.row(row), class));
        Ok(predict_each(rows.len(), context, |row| highest(joints(row)))?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = examples.categorical()?.one_hot();
        let write = |row, out: &mut [f64]| {
            let logs = out.iter_mut().zip(0..);
            logs.for_each(|(log, class)| *log = self.joint(rows.row(row), class));
            normalise(out);
        };
        distributions(rows.len(), self.priors.len(), context, write).map(Some)
    }

    fn log_joints(&self, examples: &Labelled, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = examples.examples.categorical()?.one_hot();
        context.check()?;
        let labelled = rows.iter().zip(&examples.labels);
        Ok(Some(labelled.map(|(row, &label)| self.joint(row, label as usize)).collect()))
    }

    fn measures(&self) -> Reported {
        let places = self.given.first().map_or(0, Vec::len);
        let free = self.priors.len() - 1 + self.priors.len() * (places - self.attributes);
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use base::digest::Digest;
    use contract::categorical::{Attribute, CategoricalRows, MISSING};
    use contract::parameter::Parameters;
    use math::special::exp;
    use testing::context;

    fn labelled(codes: &[[u16; 2]], labels: &[u32]) -> Labelled {
        let attribute = |number: usize, missing| Attribute {
            values: (0..number).map(|value| value.to_string()).collect(),
            missing,
        };
        let mut rows =
            CategoricalRows::new(Arc::new(vec![attribute(2, true), attribute(3, false)]));
        codes.iter().for_each(|row| rows.push(row));
        let examples = Examples::Categorical(rows);
        Labelled { examples, labels: labels.to_vec(), classes: 2, known_blocks: None }
    }

    #[test]
    fn joint_probabilities_are_smoothed_products_and_sum_to_one() {
        let train = labelled(&[[0, 2], [1, 2], [MISSING, 0], [0, 1]], &[0, 0, 0, 1]);
        let context = context(Digest::of(b"nb"), 0);
        let parameters = Parameters::defaults(CATEGORICAL_NB.parameters);
        let model = FIT(&parameters, &train, &context, &mut None).unwrap();
        let mut all = Vec::new();
        for a in [0, 1, MISSING] {
            (0..3).for_each(|b| all.extend([([a, b], 0), ([a, b], 1)]));
        }
        let (codes, labels): (Vec<_>, Vec<_>) = all.iter().copied().unzip();
        let joint = model.log_joints(&labelled(&codes, &labels), &context);
        let joint: Vec<f64> = joint.unwrap().unwrap().into_iter().map(exp).collect();
        assert!((joint.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // By hand: 4/6 · 2/6 · 3/6 and 2/6 · 1/4 · 1/4.
        for (record, expected) in [(([MISSING, 2], 0), 1.0 / 9.0), (([1, 0], 1), 1.0 / 48.0)] {
            let at = all.iter().position(|known| *known == record).unwrap();
            assert!((joint[at] - expected).abs() < 1e-15, "{record:?}");
        }
        let predicted = model.predict(&train.examples, &context).unwrap().classes;
        assert_eq!(predicted, [0, 0, 0, 1]);
    }
}
