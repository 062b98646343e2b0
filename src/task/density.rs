//! Density estimation: fit a joint distribution to the training examples, score all examples by
//! their log-likelihood.

use std::sync::Arc;
use std::time::Instant;

use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::parameter::Parameters;
use contract::{Carry, Context, DensityModel, Examples, FitDensity, FitError};
use data::Dataset;
use data::split::Division;

use crate::measured::Measured;
use contract::Measure;

/// The examples of one split, equal ones merged.
#[derive(Debug)]
pub struct DensityData {
    /// Training examples.
    pub train: DistinctRows,
    /// Validation examples; may be empty.
    pub valid: DistinctRows,
    /// Test examples.
    pub test: DistinctRows,
    /// The cluster of each parameter, where the data are drawn from a network.
    pub known_clusters: Option<Arc<Vec<u32>>>,
}

impl DensityData {
    /// Divides the rows of a dataset.
    ///
    /// # Errors
    /// If they are not of 0/1 variables.
    pub fn new(dataset: &Dataset, division: &Division) -> Result<Self, String> {
        let rows = &dataset.examples;
        let part = |examples: &[usize]| match rows {
            Examples::Binary(rows) => Ok(rows.select(examples.iter().copied()).distinct()),
            Examples::Packed(rows) => Ok(rows.select(examples).to_sparse().distinct()),
            Examples::Categorical(_) | Examples::Numeric(_) => {
                Err(format!("the task takes 0/1 variables, not {}", rows.described()))
            }
        };
        Ok(Self {
            train: part(&division.train)?,
            valid: part(&division.valid)?,
            test: part(&division.test)?,
            known_clusters: dataset.known_clusters.clone(),
        })
    }
}

/// Fits and scores one configuration.
///
/// # Errors
/// The method's own.
pub fn measure(
    fit: FitDensity,
    parameters: &Parameters,
    data: &DensityData,
    context: &Context,
    carry: &mut Carry,
) -> Result<Measured, FitError> {
    super::needs("test", data.test.examples())?;
    let mut measured = Measured::default();
    let start = Instant::now();
    let model = fit(parameters, &data.train, context, carry)?;
    let fit_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for (name, rows) in
        [("train_ll", &data.train), ("valid_ll", &data.valid), ("test_ll", &data.test)]
    {
        if rows.examples() > 0 {
            let values = log_likelihoods(model.as_ref(), rows, &context.cores);
            measured.scalar(name, mean(&values, &rows.counts));
            if name == "test_ll" {
                let of_examples = rows.of_example.iter().map(|&row| values[row as usize]);
                measured.examples.insert(name.to_owned(), of_examples.collect());
            }
        }
    }
    measured.times.insert("time:evaluate".to_owned(), start.elapsed().as_secs_f64());
    measured.times.insert("time:fit".to_owned(), fit_seconds);
    for (name, value) in [
        ("variables", data.train.variables()),
        ("train_examples", data.train.examples()),
        ("test_examples", data.test.examples()),
    ] {
        measured.scalar(name, value as f64);
    }
    for (name, measure) in model.measures() {
        if let ("iterations", Measure::Sample(sample)) = (name, measure) {
            let per_iteration = fit_seconds / (sample.mean * sample.n as f64);
            measured.times.insert("time:iteration".to_owned(), per_iteration);
        }
        measured.metrics.insert(name.to_owned(), measure);
    }
    Ok(measured)
}

fn log_likelihoods(model: &dyn DensityModel, rows: &DistinctRows, cores: &Cores) -> Vec<f64> {
    let mut values = vec![0.0; rows.rows.len()];
    model.log_likelihoods(&rows.rows, cores, &mut values);
    values
}

/// Mean over examples, each distinct row weighted by its count; summed in row order.
pub(super) fn mean(values: &[f64], counts: &[u32]) -> f64 {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let sum: f64 = values.iter().zip(counts).map(|(value, &count)| value * f64::from(count)).sum();
    sum / total as f64
}
