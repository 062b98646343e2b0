//! What a trial measured.

use std::time::Instant;

use contract::{ByMetric, Measure, Metric};

use super::Ask;
use super::metrics::{TEST_EXAMPLES, TRAIN_EXAMPLES, VARIABLES};
use super::picture::Picture;
use super::predictions::Predictions;

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
    /// What the model answers to each test example, where that is asked for.
    pub predictions: Option<Predictions>,
    /// Why metrics have no value that could have one, and what to do.
    pub lacks: ByMetric<String>,
}

impl Measured {
    /// Adds a metric that is one number.
    pub fn scalar(&mut self, metric: &'static Metric, value: f64) {
        self.metrics.insert(metric, Measure::Scalar(value));
    }

    /// Says why those of these metrics that are asked for have no value.
    pub fn lacks(
        &mut self,
        metrics: impl IntoIterator<Item = &'static Metric>,
        ask: &Ask,
        why: &str,
    ) {
        let asked = metrics.into_iter().filter(|metric| ask.names(metric));
        asked.for_each(|metric| self.lacks.insert(metric, why.to_owned()));
    }

    /// Adds the numbers of variables, of training and of test examples.
    pub fn sizes(&mut self, variables: usize, train: usize, test: usize) {
        self.counts([(&VARIABLES, variables), (&TRAIN_EXAMPLES, train), (&TEST_EXAMPLES, test)]);
    }

    /// Adds metrics that are numbers of something.
    pub fn counts(&mut self, counts: impl IntoIterator<Item = (&'static Metric, usize)>) {
        counts.into_iter().for_each(|(metric, count)| self.scalar(metric, count as f64));
    }

    /// Does some work, and adds its seconds.
    pub fn timed<T>(&mut self, metric: &'static Metric, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.times.insert(metric, start.elapsed().as_secs_f64());
        done
    }
}
