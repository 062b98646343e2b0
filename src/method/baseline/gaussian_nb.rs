//! Naive Bayes for numbers: given the class, columns are independent and normal.
//!
//! ```text
//! ln P(y, x) = ln P(y) - 1/2 sum over j of ln(2 π v_yj) + (x_j - m_yj)² / v_yj
//! ```
//!
//! with the mean m and the variance v (divided by the number of examples) of the class's training examples. As in
//! scikit-learn's `GaussianNB`, a part of the largest variance of a column over all training examples is added to
//! each v, and P(y) is the share of the class. Classes without training examples are never predicted.

use std::f64::consts::PI;

use crate::metrics::PARAMETERS;
use crate::shared::prediction::{check_variables, distributions, highest, normalise, predict_each};
use crate::shared::refusals::numbers;
use contract::numeric::NumericRows;
use contract::parameter::{Real, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, Labelled, Measure, MethodEntry, Prediction, Reported,
    Result,
};
use math::special::ln;
use ndarray::Array2;

settings! { VAR_SMOOTHING var_smoothing: Real::positive(1e-9), "part of the largest variance of a column that is added to all variances"; }

/// The registry's entry.
pub static GAUSSIAN_NB: MethodEntry = MethodEntry {
    kind: "gaussian-nb",
    summary: "naive Bayes with normal columns, of a mean and a variance for each class",
    source: "Duda and Hart 1973; as scikit-learn's GaussianNB",
    parameters: parameters![VAR_SMOOTHING],
    reports: &[&PARAMETERS],
    probabilities: true,
    cost: |_, shape| 1e-8 * shape.entries as f64,
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        let rows = numbers(&train.examples)?;
        context.check()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let largest = variances(rows, &all).1.into_iter().fold(0.0, f64::max);
        // Where no column varies, the shares of the classes decide.
        let added = parameters.get(&VAR_SMOOTHING) * if largest > 0.0 { largest } else { 1.0 };
        let normal = |class: usize| {
            let of_class = |row: &usize| train.labels[*row] as usize == class;
            let members: Vec<usize> = all.iter().copied().filter(of_class).collect();
            if members.is_empty() {
                return None;
            }
            let (means, mut variances) = variances(rows, &members);
            variances.iter_mut().for_each(|variance| *variance += added);
            let share = members.len() as f64 / all.len() as f64;
            let norm: f64 = variances.iter().map(|variance| ln(2.0 * PI * variance)).sum();
            Some(Normal { offset: ln(share) - 0.5 * norm, means, variances })
        };
        let classes = (0..train.classes).map(normal).collect();
        Ok(Box::new(GaussianNb { columns: rows.columns(), classes }))
    })],
    ..MethodEntry::PLAIN
};

/// Of each column the mean and the variance over some rows.
fn variances(rows: &NumericRows, members: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let zeros = vec![0.0; rows.columns()];
    let means = means(rows, members, &zeros, |value, _| value);
    let squares = |value, mean| (value - mean) * (value - mean);
    let variances = self::means(rows, members, &means, squares);
    (means, variances)
}

/// Of each column the mean over some rows of what `of` makes of a value and of the column's centre. Goes through the rows
/// as they lie; each column is summed in the same order as alone.
fn means(
    rows: &NumericRows,
    members: &[usize],
    centres: &[f64],
    of: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let mut sums = vec![0.0; rows.columns()];
    for &row in members {
        let places = sums.iter_mut().zip(rows.row(row)).zip(centres);
        places.for_each(|((sum, value), centre)| *sum += of(*value, *centre));
    }
    sums.into_iter().map(|sum| sum / members.len() as f64).collect()
}

/// A class with training examples.
#[derive(Debug)]
struct Normal {
    /// What does not depend on the example.
    offset: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
}

#[derive(Debug)]
struct GaussianNb {
    columns: usize,
    classes: Vec<Option<Normal>>,
}

impl GaussianNb {
    /// ln P(y, x); negative infinity for classes without training examples.
    fn joint(&self, row: &[f64], class: usize) -> f64 {
        let Some(Normal { offset, means, variances }) = &self.classes[class] else {
            return f64::NEG_INFINITY;
        };
        let term = |((x, mean), variance): ((&f64, &f64), &f64)| {
            let distance = x - mean;
            distance * distance / variance
        };
        offset - 0.5 * row.iter().zip(means).zip(variances).map(term).sum::<f64>()
    }

    fn rows<'e>(&self, examples: &'e Examples) -> Result<&'e NumericRows> {
        check_variables(examples, self.columns, "the classes were fitted to")?;
        examples.numeric()
    }
}

impl Classifier for GaussianNb {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = self.rows(examples)?;
        let joints =
            |row| (0..self.classes.len()).map(move |class| self.joint(rows.row(row), class));
        Ok(predict_each(rows.len(), context, |row| highest(joints(row)))?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = self.rows(examples)?;
        let write = |row, out: &mut [f64]| {
            let logs = out.iter_mut().zip(0..);
            logs.for_each(|(log, class)| *log = self.joint(rows.row(row), class));
            normalise(out);
        };
        distributions(rows.len(), self.classes.len(), context, write).map(Some)
    }

    fn log_joints(&self, examples: &Labelled, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = self.rows(&examples.examples)?;
        context.check()?;
        let labelled = rows.iter().zip(&examples.labels);
        Ok(Some(labelled.map(|(row, &label)| self.joint(row, label as usize)).collect()))
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = self.rows(examples)?;
        context.check()?;
        let [Some(_), Some(_)] = &self.classes[..] else { return Ok(None) };
        Ok(Some(rows.iter().map(|row| self.joint(row, 1) - self.joint(row, 0)).collect()))
    }

    fn measures(&self) -> Reported {
        let classes = self.classes.iter().flatten().count();
        let free = classes.saturating_sub(1) + 2 * classes * self.columns;
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}
