//! Measured values.

use std::collections::BTreeMap;
use std::fmt;

use super::Metric;
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

/// Values by metric, in the order of the metrics' names. Small, for there is one of these a trial.
#[derive(Clone, PartialEq)]
pub struct ByMetric<T>(Vec<(&'static Metric, T)>);

impl<T> ByMetric<T> {
    /// No values.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of the metric of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }

    /// Whether the metric of this name has a value.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Gives a metric a value in place of what it had.
    pub fn insert(&mut self, metric: &'static Metric, value: T) {
        match self.place(metric.name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (metric, value)),
        }
    }

    /// Adds the values of metrics that have none yet.
    pub fn add(&mut self, others: Self) {
        for (metric, value) in others.0 {
            if let Err(place) = self.place(metric.name) {
                self.0.insert(place, (metric, value));
            }
        }
    }

    /// Keeps the values of the metrics of which this says so.
    pub fn retain(&mut self, kept: impl Fn(&Metric) -> bool) {
        self.0.retain(|(metric, _)| kept(metric));
        self.0.shrink_to_fit();
    }

    /// Metrics with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Metric, &T)> {
        self.0.iter().map(|(metric, value)| (*metric, value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(metric, _)| metric.name.cmp(name))
    }
}

impl<T> Default for ByMetric<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Of two values of one metric the last.
impl<T> FromIterator<(&'static Metric, T)> for ByMetric<T> {
    fn from_iter<I: IntoIterator<Item = (&'static Metric, T)>>(values: I) -> Self {
        let mut all = Self::new();
        values.into_iter().for_each(|(metric, value)| all.insert(metric, value));
        all.0.shrink_to_fit();
        all
    }
}

impl<T: fmt::Debug> fmt::Debug for ByMetric<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(metric, value)| (metric.name, value))).finish()
    }
}

/// A measured value: one number, or a sample of them that is pooled per table cell (the "±" of
/// the EVM paper's tables is over partitions, not over trials).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// One number.
    Scalar(f64),
    /// A sample by its sufficient statistics.
    Sample(Sample),
}

impl Measure {
    /// The number, or the sample's mean.
    pub fn value(&self) -> f64 {
        match self {
            Self::Scalar(value) => *value,
            Self::Sample(sample) => sample.mean,
        }
    }
}

/// Size, mean and sum of squared deviations of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sample {
    /// Number of values.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub m2: f64,
}

impl Sample {
    /// Adds one value (Welford's update).
    pub fn push(&mut self, value: f64) {
        self.n += 1;
        let delta = value - self.mean;
        self.mean += delta / self.n as f64;
        self.m2 += delta * (value - self.mean);
    }

    /// The two samples as one (Chan, Golub and LeVeque's pairwise update).
    #[must_use]
    pub fn pooled(self, other: Self) -> Self {
        if self.n == 0 || other.n == 0 {
            return if self.n == 0 { other } else { self };
        }
        let n = self.n + other.n;
        let delta = other.mean - self.mean;
        let share = other.n as f64 / n as f64;
        Self {
            n,
            mean: self.mean + delta * share,
            m2: self.m2 + other.m2 + delta * delta * self.n as f64 * share,
        }
    }

    /// Standard deviation with n - 1; none for fewer than two values.
    pub fn sd(&self) -> Option<f64> {
        (self.n > 1).then(|| (self.m2 / (self.n - 1) as f64).sqrt())
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sample = Self::default();
        values.into_iter().for_each(|value| sample.push(value));
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_equals_one_pass() {
        let values = [3.0, 1.5, -2.0, 8.25, 0.5];
        let whole: Sample = values.into_iter().collect();
        let (left, right) = values.split_at(2);
        let pooled =
            left.iter().copied().collect::<Sample>().pooled(right.iter().copied().collect());
        assert_eq!(pooled.n, 5);
        assert!((pooled.mean - whole.mean).abs() < 1e-12);
        assert!((pooled.m2 - whole.m2).abs() < 1e-12);
        // By hand: mean 2.25, squares 0.5625 + 0.5625 + 18.0625 + 36 + 3.0625 = 58.25, over 4.
        assert!((whole.sd().unwrap() - 14.5625_f64.sqrt()).abs() < 1e-12);
    }
}
