//! What a trial measured.

use std::time::Instant;

use contract::{ByMetric, Measure, Metric};

use super::picture::Picture;

/// What a trial measured.
#[derive(Debug, Default)]
pub struct Measured {
    /// Values of metrics.
    pub metrics: ByMetric<Measure>,
    /// Metrics that read a clock, in seconds.
    pub times: ByMetric<f64>,
    /// Values of each test example, by metric; real values of many examples as means of blocks ([`crate::blocks`]).
    pub examples: ByMetric<Vec<f64>>,
    /// What a figure shows of the trial, where one does.
    pub picture: Option<Picture>,
}

impl Measured {
    /// Adds a metric that is one number.
    pub fn scalar(&mut self, metric: &'static Metric, value: f64) {
        self.metrics.insert(metric, Measure::Scalar(value));
    }

    /// Adds the seconds since `start`.
    pub fn seconds(&mut self, metric: &'static Metric, start: Instant) {
        self.times.insert(metric, start.elapsed().as_secs_f64());
    }
}
