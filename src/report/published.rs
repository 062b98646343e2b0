//! The paper's own numbers.

use contract::Metric;
use contract::parameter::Value;
use spec::{Experiment, PublishedFile, PublishedValue};

use super::axis::{self, Scope, Titles};
use super::cells::{Selection, same_value};

/// The published value at (row, column, metric) of one file.
pub fn look_up<'a>(
    file: &'a PublishedFile,
    row: &str,
    column: &str,
    metric: &Metric,
) -> Option<&'a PublishedValue> {
    file.values
        .iter()
        .find(|value| value.row == row && value.column == column && *value.metric == *metric)
}

/// The file of this path.
pub fn file<'a>(experiment: &'a Experiment, path: Option<&str>) -> Option<&'a PublishedFile> {
    experiment.published.iter().find(|file| Some(file.path.as_str()) == path)
}

/// Published values by what they measure: each belongs to the trials of the table cell where it is
/// printed.
pub struct Published<'a> {
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    at: Selection<'a>,
    metric: &'static Metric,
    /// In the metric's unit.
    value: f64,
}

impl<'a> Published<'a> {
    /// The published values of all tables; where two print the same, the first counts.
    pub fn new(experiment: &'a Experiment, titles: Titles) -> Self {
        let mut entries = Vec::new();
        for table in &experiment.tables {
            let Some(file) = file(experiment, table.published.as_deref()) else { continue };
            let scope = Scope::of(experiment, table);
            let columns =
                axis::headers(table.columns.iter().map(|axis| &axis.value), scope, titles);
            for row in axis::headers(table.rows.iter().map(|axis| &axis.value), scope, titles) {
                for column in &columns {
                    let metric = row.metric.or(column.metric).or(table.metrics().first().copied());
                    let Some(metric) = metric else { continue };
                    let Some(found) = look_up(file, &row.id, &column.id, metric) else {
                        continue;
                    };
                    let at = axis::meeting(&row, column, scope);
                    entries.push(Entry { at, metric, value: found.value / table.scale });
                }
            }
        }
        Self { entries }
    }

    /// The value of a place of one method on one dataset, in the metric's unit.
    pub fn value(&self, place: &Selection<'_>, metric: &Metric) -> Option<f64> {
        let Selection { datasets, methods, parts, sweep, .. } = place;
        let (1, 1) = (datasets.len(), methods.len()) else { return None };
        let is_there = |(name, value): &(&str, &Value), at: &Selection| {
            at.sweep.iter().any(|(n, v)| n == name && same_value(v, value))
        };
        let found = self.entries.iter().find(|Entry { at, metric: of, .. }| {
            **of == *metric
                && at.parts.iter().any(|part| parts.contains(part))
                && at.datasets == *datasets
                && at.methods == *methods
                && at.sweep.len() == sweep.len()
                && sweep.iter().all(|point| is_there(point, at))
        });
        found.map(|entry| entry.value)
    }
}
