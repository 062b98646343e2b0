//! Measured values.

use std::fmt;
use std::ops::Index;

use crate::Metric;
use math::sample::Sample;

/// Values by metric, in the order of the metrics' names. Small, for there is one of these a trial.
#[derive(Clone, PartialEq)]
pub struct ByMetric<T>(Vec<(&'static Metric, T)>);

impl<T> ByMetric<T> {
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

/// The value of the metric of a name. Panics if it has none.
impl<T> Index<&str> for ByMetric<T> {
    type Output = T;

    fn index(&self, name: &str) -> &T {
        self.get(name).unwrap_or_else(|| panic!("there is no `{name}`"))
    }
}

impl<T> Default for ByMetric<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Of two values of one metric the last.
impl<T> Extend<(&'static Metric, T)> for ByMetric<T> {
    fn extend<I: IntoIterator<Item = (&'static Metric, T)>>(&mut self, values: I) {
        values.into_iter().for_each(|(metric, value)| self.insert(metric, value));
    }
}

/// Of two values of one metric the last.
impl<T> FromIterator<(&'static Metric, T)> for ByMetric<T> {
    fn from_iter<I: IntoIterator<Item = (&'static Metric, T)>>(values: I) -> Self {
        let mut all = Self::default();
        all.extend(values);
        all.0.shrink_to_fit();
        all
    }
}

impl<T: fmt::Debug> fmt::Debug for ByMetric<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(metric, value)| (metric.name, value))).finish()
    }
}

/// What a method reports of itself: metrics that its entry names, with their values.
pub type Reported = Vec<(&'static Metric, Measure)>;

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
