//! What a trial measured.

use std::collections::BTreeMap;

use contract::Measure;

use super::boundary::picture::Picture;

/// What a trial measured.
#[derive(Debug, Default)]
pub struct Measured {
    /// Metrics by name.
    pub metrics: BTreeMap<String, Measure>,
    /// Metrics that read a clock, in seconds.
    pub times: BTreeMap<String, f64>,
    /// Values of each test example, by metric.
    pub examples: BTreeMap<String, Vec<f64>>,
    /// What a figure shows of the trial, where one does.
    pub picture: Option<Picture>,
}

impl Measured {
    /// Adds a metric that is one number.
    pub fn scalar(&mut self, name: &str, value: f64) {
        self.metrics.insert(name.to_owned(), Measure::Scalar(value));
    }
}
