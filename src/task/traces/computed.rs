//! Columns that are sums or means of targets, such as nobody knows when a row is predicted.

use std::collections::BTreeMap;

use math::sample::mean;

use super::numbers::{Numbers, half_unit};

/// Means are of so many rows, at most.
const WINDOW: isize = 30;

/// The sums of a target by which columns may be made.
pub(super) struct Statistics<'a> {
    target: &'a [f64],
    mean: f64,
    /// Half of its last decimal, if it was rounded.
    rounding: f64,
    /// The place of each row in the order in which they follow, and the sums up to there.
    place: Vec<usize>,
    sums: Vec<f64>,
    /// By grouping, the sum of each row's group, and its size.
    groups: Vec<Vec<(f64, f64)>>,
}

impl<'a> Statistics<'a> {
    /// Of a target, be it the indicator of a class, whose rows follow in this order and are of these groups.
    pub fn of(target: &'a [f64], order: &[usize], groups: &[Vec<u32>]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let mut sums = vec![0.0];
        order.iter().for_each(|&row| sums.push(sums[sums.len() - 1] + target[row]));
        let is_indicator = target.iter().all(|target| [0.0, 1.0].contains(target));
        let rounding = if is_indicator { 0.0 } else { half_unit(target) };
        let groups = groups.iter().map(|codes| of_groups(codes, target)).collect();
        Self { target, mean: mean(target), rounding, place, sums, groups }
    }

    /// Whether they make a column.
    pub fn make(&self, one: &Numbers<'_>) -> bool {
        self.in_series(one) || self.groups.iter().any(|sums| self.in_groups(one, sums))
    }

    /// Whether a column is the mean or the sum of a row's group, with its own target or without.
    fn in_groups(&self, one: &Numbers<'_>, sums: &[(f64, f64)]) -> bool {
        let is = |made: fn((f64, f64), f64) -> f64| {
            let of = |row: usize| [made(sums[row], self.target[row]), self.mean];
            one.is_statistic(self.rounding, &|row| (sums[row].1 > 1.0).then(|| of(row)))
        };
        is(|(sum, n), _| sum / n)
            || is(|(sum, n), own| (sum - own) / (n - 1.0))
            || is(|(sum, _), _| sum)
    }

    /// The mean from a place on, of so many.
    fn mean(&self, from: isize, count: isize) -> Option<f64> {
        let [from, to] = [usize::try_from(from).ok()?, usize::try_from(from + count).ok()?];
        Some((self.sums.get(to)? - self.sums[from]) / count as f64)
    }

    /// Whether a column is the mean or sum of some targets around each row, or of all up to it, its own among them; or a later
    /// one.
    fn in_series(&self, one: &Numbers<'_>) -> bool {
        let is = |back: isize, count: isize| {
            let times = if count == 1 { &[1.0][..] } else { &[1.0, count as f64] };
            times.iter().any(|times| {
                one.is_statistic(times * self.rounding, &|row| {
                    let at = self.place[row] as isize;
                    let [made, known] =
                        [self.mean(at - back, count)?, self.mean(at - count, count)?];
                    Some([times * made, times * known])
                })
            })
        };
        let up_to = || {
            one.is_statistic(self.rounding, &|row| {
                let at = self.place[row] as isize;
                Some([self.mean(0, at + 1)?, self.mean(0, at).filter(|_| at > 0)?])
            })
        };
        // Not of those of earlier rows alone.
        (2..=WINDOW).any(|count| is(count - 1, count))
            || (1..=WINDOW / 4).any(|half| is(half, 2 * half + 1))
            || (2..=WINDOW / 2).any(|count| is(0, count))
            || (1..=3).any(|later| is(-later, 1))
            || up_to()
    }
}

/// The sum of the targets of a row's group, and its size.
fn of_groups(codes: &[u32], target: &[f64]) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (code, target) in codes.iter().zip(target) {
        let (sum, n) = sums.entry(*code).or_default();
        (*sum, *n) = (*sum + target, *n + 1.0);
    }
    codes.iter().map(|code| sums[code]).collect()
}
