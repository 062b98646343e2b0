//! What tests of this room know.

use std::sync::LazyLock;

use contract::{Metric, Metrics};
use method::METHODS;
use task::TASKS;

/// The metrics of the tasks and baselines.
pub(crate) static METRICS: LazyLock<Metrics> = LazyLock::new(|| {
    let of_tasks = TASKS.iter().map(|task| task.metrics);
    Metrics::of(of_tasks.chain(METHODS.iter().map(|method| method.reports)))
});

/// The metric of this name.
pub(crate) fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.get(name)
}
