//! What a column of numbers shows of how it was made: scaled, rotated, filled in, interpolated.

use std::collections::BTreeSet;

use math::sample::{Sample, mean};

use crate::columns::MEASURES;
use crate::made::{FILLED, TIMES};

/// So many columns at most are compared with one another,
pub(super) const PAIRED: usize = 200;
/// and so uncorrelated are they by a rotation alone.
const UNCORRELATED: f64 = 1e-3;

/// A statistic of targets is told from what was known before in so many rows, at least, and met in so large a part of them.
const LEAST: usize = 20;
const MET: f64 = 0.95;

/// Half of the rows lie on lines between values before and after, of so many slopes.
const SLOPES: usize = 10;

/// The values of a column of numbers, some of which may be missing.
pub(super) struct Numbers<'a> {
    values: &'a [f64],
    sample: Sample,
    sd: f64,
    /// Ascending, with the rows that have each.
    counts: Vec<(f64, usize)>,
    /// Half of the last decimal.
    unit: f64,
}

impl<'a> Numbers<'a> {
    /// None of those that do not vary.
    pub fn of(values: &'a [f64]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let sample: Sample = sorted.iter().copied().collect();
        let counts = sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect();
        let sd = sample.sd().filter(|sd| *sd > 0.0 && sd.is_finite())?;
        Some(Self { values, sample, sd, counts, unit: half_unit(&sorted) })
    }

    /// Whether it measures something.
    pub fn measures(&self) -> bool {
        self.counts.len() >= MEASURES
    }

    /// How many rows have a value.
    pub fn rows(&self) -> usize {
        self.sample.n as usize
    }

    /// One a row; not finite where it is missing.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// How far what is computed may be from what is written.
    fn off(&self) -> f64 {
        1.01 * self.unit + 1e-6 * self.sd
    }

    /// Whether it has the mean 0 and the standard deviation 1, to three decimals at least.
    pub fn is_standard(&self) -> bool {
        let of_all = self.sd * ((self.sample.n - 1) as f64 / self.sample.n as f64).sqrt();
        let is_one = |sd: f64| (sd - 1.0).abs() <= 2.0 * self.off();
        self.unit < 1e-3
            && self.sample.mean.abs() <= 2.0 * self.off()
            && [self.sd, of_all].into_iter().any(is_one)
    }

    /// Whether it reaches from 0 to 1, where hardly a row is, in steps that are no shares of few.
    pub fn is_ranged(&self) -> bool {
        let ends = [self.counts[0], self.counts[self.counts.len() - 1]];
        let few = |(_, rows): (f64, usize)| 50 * rows <= self.values.len();
        ends.map(|(value, _)| value) == [0.0, 1.0] && ends.into_iter().all(few) && self.unit < 5e-3
    }

    fn is_centred(&self) -> bool {
        self.unit < 1e-2 * self.sd && self.sample.mean.abs() <= 2.0 * self.off()
    }

    /// Whether it is centred, and uncorrelated with two others that are.
    pub fn is_rotated(&self, all: &[(usize, &Self)]) -> bool {
        let with = |other: &&Self| self.with(other).abs() < UNCORRELATED;
        let others = all.iter().map(|(_, other)| *other);
        all.len() <= PAIRED
            && self.is_centred()
            && others.filter(|other| other.is_centred()).filter(with).nth(1).is_some()
    }

    /// With other numbers, of the rows that have both.
    pub fn correlation(&self, others: &[f64]) -> f64 {
        correlation(self.values, others)
    }

    /// With another column.
    pub fn with(&self, other: &Self) -> f64 {
        correlation(self.values, other.values)
    }

    /// Whether far more rows than of any other have the mean or the median of all others, which none of them has to the last
    /// decimal.
    pub fn is_filled(&self) -> bool {
        let Some(most) = (0..self.counts.len()).max_by_key(|&at| self.counts[at].1) else {
            return false;
        };
        let (value, rows) = self.counts[most];
        let others =
            || self.counts.iter().enumerate().filter(|(at, _)| *at != most).map(|(_, one)| one);
        if rows < FILLED || others().any(|(_, other)| TIMES * other > rows) {
            return false;
        }
        let all: Vec<f64> =
            others().flat_map(|(value, rows)| std::iter::repeat_n(*value, *rows)).collect();
        let unit = half_unit(&all);
        let median = 0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2]);
        let met =
            |middle: f64| (value - middle).abs() <= 1.01 * unit.min(self.unit) + 1e-6 * self.sd;
        let finer = self.unit < unit || unit < 0.01 * self.sd;
        finer && (met(mean(&all)) || self.unit < unit && met(median))
    }

    /// Whether most of its values lie on the line between those of the rows before and after, where it does not count them.
    pub fn is_interpolated(&self, order: &[usize]) -> bool {
        let step = |one: usize, next: usize| self.values[next] - self.values[one];
        let straight = order.windows(3).filter_map(|rows| {
            let [before, after] = [step(rows[0], rows[1]), step(rows[1], rows[2])];
            let is = (after - before).abs() <= 4.0 * self.off() && before.abs() > 8.0 * self.off();
            is.then_some((1e3 * before / self.sd).round() as i64)
        });
        let slopes: Vec<i64> = straight.collect();
        let distinct: BTreeSet<&i64> = slopes.iter().collect();
        2 * slopes.len() >= order.len() && distinct.len() >= SLOPES
    }

    /// Whether it is a statistic of targets, where that is another than what was known before: [made, known]. The targets may be
    /// rounded too.
    pub fn is_statistic(&self, rounding: f64, of: &dyn Fn(usize) -> Option<[f64; 2]>) -> bool {
        let (mut met, mut missed, off) = (0, 0, self.off() + rounding);
        for (row, value) in self.values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let Some([made, known]) = of(row) else { continue };
            if (made - known).abs() > 2.0 * off {
                if (value - made).abs() <= off { met += 1 } else { missed += 1 }
            }
            if missed > LEAST && missed > met {
                return false;
            }
        }
        met >= LEAST && f64::from(met as u32) >= MET * f64::from((met + missed) as u32)
    }
}

/// Of the rows that have both numbers.
pub(super) fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let both = || one.iter().zip(other).filter(|(a, b)| (**a + **b).is_finite());
    let (one, other) =
        (both().map(|(a, _)| *a).collect::<Sample>(), both().map(|(_, b)| *b).collect::<Sample>());
    let product = both().map(|(a, b)| (a - one.mean) * (b - other.mean)).sum::<f64>();
    let size = (one.m2 * other.m2).sqrt();
    if size > 0.0 { product / size } else { 0.0 }
}

/// Whether a value is whole once it is scaled, but for its last bits.
fn on_grid(value: f64, scale: f64) -> bool {
    let scaled = value * scale;
    (scaled - scaled.round()).abs() < (4e-15 * scaled.abs()).max(1e-6)
}

/// Half of the last decimal that values have; nothing where they have more than nine.
pub(super) fn half_unit(values: &[f64]) -> f64 {
    let mut scale = 1.0;
    for _ in 0..10 {
        if values.iter().all(|value| on_grid(*value, scale)) {
            return 0.5 / scale;
        }
        scale *= 10.0;
    }
    0.0
}
