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
    /// The metrics of these lists, each once: by what they are about, then as they are listed. One stands before those that its
    /// list has after it, if they are known already: a further list moves none of those before it.
    ///
    /// # Panics
    /// If two of them have one name.
    pub fn of(lists: impl IntoIterator<Item = &'static [&'static Metric]>) -> Self {
        let mut listed: Vec<&'static Metric> = Vec::new();
        for list in lists {
            for (at, metric) in list.iter().enumerate() {
                if listed.iter().any(|known| std::ptr::eq(*known, *metric)) {
                    continue;
                }
                let behind =
                    |known: &&Metric| known.about == metric.about && list[at + 1..].contains(known);
                let place = listed.iter().position(behind);
                listed.insert(place.unwrap_or(listed.len()), metric);
            }
        }
        listed.sort_by_key(|metric| metric.about);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::metrics! {
        A: Model = "a", "A", "the first";
        B: Model = "b", "B", "the second";
        C: Model = "c", "C", "the third";
        SCORE: Task = "score", "Score", "of the task";
    }

    fn order(lists: &[&'static [&'static Metric]]) -> Vec<&'static str> {
        Metrics::of(lists.iter().copied()).iter().map(|metric| metric.name).collect()
    }

    #[test]
    fn a_metric_stands_before_those_that_its_list_has_after_it() {
        assert_eq!(
            order(const { &[&[&B, &SCORE], &[&A, &B], &[&B, &C]] }),
            ["score", "a", "b", "c"]
        );
        // Of another kind, `score` keeps `c` in no place.
        assert_eq!(order(const { &[&[&SCORE, &B], &[&C, &SCORE]] }), ["score", "b", "c"]);
    }

    #[test]
    #[should_panic(expected = "two metrics are called `a`")]
    fn two_declarations_have_two_names() {
        crate::metrics! { OTHER: Model = "a", "A", "another"; }
        order(const { &[&[&A, &OTHER]] });
    }
}
