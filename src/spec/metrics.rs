//! Every metric: those that tasks measure, those that methods report, and that of a grid as a whole.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use contract::Metric;
use method::METHODS;
use task::metrics::OPTIMISM;
use task::{TASKS, Task};

/// Every metric, by rank: the order of the columns of `trials.csv` and of the reference.
pub static METRICS: LazyLock<Vec<&'static Metric>> = LazyLock::new(|| {
    let of_tasks = TASKS.iter().flat_map(|task| task.metrics());
    let of_methods = METHODS.iter().flat_map(|method| method.reports);
    let of_grids = [&OPTIMISM];
    let mut metrics: Vec<&'static Metric> =
        of_tasks.chain(of_methods).copied().chain(of_grids).collect();
    metrics.sort_by_key(|metric| (metric.rank, metric.name));
    // Only what is the same declaration: a test finds two of one name.
    metrics.dedup_by(|one, other| std::ptr::eq(*one, *other));
    metrics
});

/// The metric of this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    static BY_NAME: LazyLock<BTreeMap<&str, &Metric>> =
        LazyLock::new(|| METRICS.iter().map(|metric| (metric.name, *metric)).collect());
    BY_NAME.get(name).copied()
}

/// Whether the trials of a task can have a metric: it is the task's own, or that of a method which serves it.
pub fn measured(task: &dyn Task, metric: &Metric) -> bool {
    let own = task.metrics().iter();
    let methods = METHODS.iter().filter(|method| task.serves(method));
    own.chain(methods.flat_map(|method| method.reports)).any(|known| *known == metric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_metrics_have_one_name_or_one_place() {
        for pair in METRICS.windows(2) {
            assert!(pair[0].rank < pair[1].rank, "{} and {}", pair[0].name, pair[1].name);
        }
        let names: BTreeMap<&str, u16> =
            METRICS.iter().map(|metric| (metric.name, metric.rank)).collect();
        assert_eq!(names.len(), METRICS.len());
    }

    #[test]
    fn names_say_what_reads_a_clock() {
        for metric in METRICS.iter() {
            assert_eq!(metric.is_time(), metric.name.starts_with("time:"), "{}", metric.name);
        }
    }
}
