//! The class whose training examples have the nearest mean, in Euclidean distance.

use crate::metrics::PARAMETERS;
use crate::shared::prediction::{check_variables, highest, predict_each};
use crate::shared::refusals::numbers;
use contract::{
    Classifier, Context, Examples, Fit, Measure, MethodEntry, Prediction, Reported, Result,
};

/// The registry's entry.
pub static NEAREST_CENTROID: MethodEntry = MethodEntry {
    kind: "nearest-centroid",
    summary: "the class whose training examples have the nearest mean; of equally near ones the first",
    source: "Tibshirani, Hastie, Narasimhan and Chu 2002, without shrinking; as scikit-learn's NearestCentroid",
    reports: &[&PARAMETERS],
    fits: &[Fit::Numeric(|_, train, context, _| {
        let rows = numbers(&train.examples)?;
        context.check()?;
        let mut counts = vec![0.0; train.classes];
        let mut means = vec![vec![0.0; rows.columns()]; train.classes];
        for (row, &label) in rows.iter().zip(&train.labels) {
            counts[label as usize] += 1.0;
            means[label as usize].iter_mut().zip(row).for_each(|(total, value)| *total += value);
        }
        let centroid = |(mut total, count): (Vec<f64>, f64)| {
            total.iter_mut().for_each(|value| *value /= count);
            (count > 0.0).then_some(total)
        };
        let means = means.into_iter().zip(counts).map(centroid).collect();
        Ok(Box::new(Centroids { columns: rows.columns(), means }))
    })],
    ..MethodEntry::PLAIN
};

#[derive(Debug)]
struct Centroids {
    columns: usize,
    /// Of each class with training examples.
    means: Vec<Option<Vec<f64>>>,
}

impl Centroids {
    /// The squared distance to a class; infinite without training examples.
    fn distance(&self, row: &[f64], class: usize) -> f64 {
        let Some(mean) = &self.means[class] else { return f64::INFINITY };
        row.iter().zip(mean).map(|(x, m)| (x - m) * (x - m)).sum()
    }
}

impl Classifier for Centroids {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        check_variables(examples, self.columns, "the means are of")?;
        let rows = examples.numeric()?;
        let near =
            |row| (0..self.means.len()).map(move |class| -self.distance(rows.row(row), class));
        Ok(predict_each(rows.len(), context, |row| highest(near(row)))?.into())
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        check_variables(examples, self.columns, "the means are of")?;
        let rows = examples.numeric()?;
        context.check()?;
        let [Some(_), Some(_)] = &self.means[..] else { return Ok(None) };
        Ok(Some(rows.iter().map(|row| self.distance(row, 0) - self.distance(row, 1)).collect()))
    }

    fn measures(&self) -> Reported {
        let free = self.means.iter().flatten().count() * self.columns;
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}
