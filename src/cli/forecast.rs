//! How long the rest of a run will take: by what the paths that ended took for what they were expected to cost.
//!
//! Costs of one method are in proportion to its seconds; those of two methods are not. So what is left of a method on a
//! dataset is reckoned by its own paths there, else by those of the method, else by all. What comes out are seconds of
//! one core, which are shared out as those before were.

use contract::{DatasetId, MethodId};
use std::collections::BTreeMap;
use std::time::Duration;

use run::estimate::LEAST;

/// A method on a dataset.
type Place<'a> = (&'a MethodId, &'a DatasetId);

/// Expected costs and seconds of so many paths.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    paths: usize,
    cost: f64,
    seconds: f64,
}

impl Sums {
    fn add(&mut self, cost: f64, seconds: f64) {
        self.paths += 1;
        self.cost += cost;
        self.seconds += seconds;
    }

    /// Seconds for a cost of 1; none where nothing has ended.
    fn rate(&self) -> Option<f64> {
        (self.cost > 0.0 && self.seconds > 0.0).then(|| self.seconds / self.cost)
    }
}

/// What is left, and what ended.
#[derive(Debug, Default)]
pub struct Forecast<'a> {
    left: BTreeMap<Place<'a>, Sums>,
    ended: BTreeMap<Place<'a>, Sums>,
    by_method: BTreeMap<&'a MethodId, Sums>,
    all: Sums,
}

impl<'a> Forecast<'a> {
    /// Adds a path of this method and dataset that is to run.
    pub fn expect(&mut self, method: &'a MethodId, dataset: &'a DatasetId, cost: f64) {
        self.left.entry((method, dataset)).or_default().add(positive(cost), 0.0);
    }

    /// One of them has ended, after so many seconds.
    pub fn ended(&mut self, method: &'a MethodId, dataset: &'a DatasetId, cost: f64, seconds: f64) {
        let (place, cost) = ((method, dataset), positive(cost));
        if let Some(left) = self.left.get_mut(&place) {
            left.paths = left.paths.saturating_sub(1);
            left.cost = (left.cost - cost).max(0.0);
        }
        self.ended.entry(place).or_default().add(cost, seconds);
        self.by_method.entry(method).or_default().add(cost, seconds);
        self.all.add(cost, seconds);
    }

    /// How long the rest will take, if what ended took so long altogether. None before the first end.
    pub fn left(&self, elapsed: Duration) -> Option<Duration> {
        let overall = self.all.rate()?;
        let rate = |place: &Place<'_>| {
            let own = self.ended.get(place).and_then(Sums::rate);
            own.or_else(|| self.by_method.get(place.0)?.rate()).unwrap_or(overall)
        };
        let seconds = self.left.iter().map(|(place, left)| {
            let least = if self.ended.contains_key(place) { 0.0 } else { LEAST };
            (left.cost * rate(place)).max(left.paths as f64 * least)
        });
        let seconds: f64 = seconds.sum();
        let at_once = (self.all.seconds / elapsed.as_secs_f64().max(1e-9)).max(1e-9);
        Duration::try_from_secs_f64(seconds / at_once).ok()
    }
}

/// A cost that counts.
fn positive(cost: f64) -> f64 {
    if cost.is_finite() { cost.max(1e-9) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths of two methods whose costs say nothing of one another, on two cores.
    #[test]
    fn the_rest_is_reckoned_by_what_is_like_it() {
        let [slow, quick] = ["slow", "quick"].map(MethodId::from);
        let [a] = ["a"].map(DatasetId::from);
        let mut forecast = Forecast::default();
        for _ in 0..10 {
            forecast.expect(&slow, &a, 1.0);
            forecast.expect(&quick, &a, 1.0);
        }
        assert_eq!(forecast.left(Duration::ZERO), None);
        for _ in 0..2 {
            forecast.ended(&slow, &a, 1.0, 10.0);
        }
        // Of the quick ones nothing is known yet: 18 paths as slow, two at once.
        assert_eq!(forecast.left(Duration::from_secs(10)), Some(Duration::from_secs(90)));
        for _ in 0..2 {
            forecast.ended(&quick, &a, 1.0, 1.0);
        }
        // 8 of 10 s and 8 of 1 s, two at once.
        let left = forecast.left(Duration::from_secs(11)).unwrap();
        assert!((left.as_secs_f64() - 44.0).abs() < 1e-9, "{left:?}");
    }

    #[test]
    fn a_path_that_costs_nothing_has_its_data_prepared() {
        let [known, trivial] = ["known", "trivial"].map(MethodId::from);
        let [a] = ["a"].map(DatasetId::from);
        let mut forecast = Forecast::default();
        forecast.expect(&known, &a, 1.0);
        (0..4).for_each(|_| forecast.expect(&trivial, &a, 1e-6));
        forecast.ended(&known, &a, 1.0, 3.0);
        let left = forecast.left(Duration::from_secs(3)).unwrap();
        assert!((left.as_secs_f64() - 4.0 * LEAST).abs() < 1e-9, "{left:?}");
    }

    #[test]
    fn the_method_on_another_dataset_says_more_than_other_methods() {
        let [slow, quick] = ["slow", "quick"].map(MethodId::from);
        let [a, b] = ["a", "b"].map(DatasetId::from);
        let mut forecast = Forecast::default();
        forecast.expect(&slow, &a, 1.0);
        forecast.expect(&slow, &b, 2.0);
        forecast.expect(&quick, &a, 1.0);
        forecast.ended(&slow, &a, 1.0, 10.0);
        forecast.ended(&quick, &a, 1.0, 1.0);
        assert_eq!(forecast.left(Duration::from_secs(11)), Some(Duration::from_secs(20)));
    }
}
