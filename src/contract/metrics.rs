//! The metrics that are known.

use std::collections::BTreeMap;

use crate::Metric;

/// Metrics in the order of the columns of `trials.csv`, found by their names.
#[derive(Debug)]
pub struct Metrics {
    listed: Vec<&'static Metric>,
    by_name: BTreeMap<&'static str, &'static Metric>,
}

impl Metrics {
    /// The metrics of these lists, each once.
    ///
    /// # Panics
    /// If two of them have one name.
    pub fn of(lists: impl IntoIterator<Item = &'static [&'static Metric]>) -> Self {
        let mut listed: Vec<&'static Metric> = lists.into_iter().flatten().copied().collect();
        listed.sort_by_key(|metric| (metric.rank, metric.name));
        // Only what is the same declaration.
        listed.dedup_by(|one, other| std::ptr::eq(*one, *other));
        let mut by_name = BTreeMap::new();
        for metric in &listed {
            let other = by_name.insert(metric.name, *metric);
            assert!(other.is_none(), "two metrics are called `{}`", metric.name);
        }
        Self { listed, by_name }
    }

    /// The metric of this name.
    pub fn get(&self, name: &str) -> Option<&'static Metric> {
        self.by_name.get(name).copied()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &'static Metric> + Clone {
        self.listed.iter().copied()
    }

    /// Their names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.iter().map(|metric| metric.name)
    }
}
