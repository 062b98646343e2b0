//! What is left in a file of what was made of all its rows before anybody divided them: columns that were scaled, selected or filled
//! in, means over the targets of other rows, names of those whose rows they are.

use std::collections::{BTreeMap, BTreeSet};

use contract::table::Column;
use data::{Dataset, Targets};
use math::sample::{Sample, mean};

use crate::agreement::at_least;
use crate::columns::{Mark, column};

/// A column measures something if it has so many values.
const VALUES: usize = 20;
/// So many columns at most are compared with one another,
const PAIRED: usize = 200;
/// and so uncorrelated are they by a rotation alone.
const UNCORRELATED: f64 = 1e-3;
/// So many columns at least, of half of all that measure something, reach from 0 to 1 by no chance.
const RANGED: usize = 3;

/// So many columns were selected, at least: each tells so much, in standard errors,
const SELECTED: usize = 8;
const TELLS: f64 = 2.0;
/// they are so large a part of those that measure something,
const MOST_OF: f64 = 0.8;
/// and half of them tell hardly more than the least, as in the tail of chance, where it is .7 divided by the least.
const TAIL: f64 = 1.1;

/// A value that was filled in has so many rows, and so many times as many as any other.
const FILLED: usize = 10;
const TIMES: usize = 5;

/// A statistic of targets is told from what was known before in so many rows, at least, and met in so large a part of them.
const LEAST: usize = 20;
const MET: f64 = 0.95;
/// Means are of so many rows, at most.
const WINDOW: isize = 30;
/// Of tables of more values, times classes, it is not asked.
const MOST: usize = 20_000_000;

/// Whether a value is missing goes with the target by so large a correlation.
const MISSING: f64 = 0.6;

/// Half of the rows lie on lines between values before and after, of so many slopes.
const SLOPES: usize = 10;

/// Names of persons, say: so many, which so large a part of the rows shares, with one in so many rows each at most,
const NAMES: usize = 20;
const SHARED: f64 = 0.4;
const ONE_IN: usize = 10;
/// take away so much of how far labels are apart.
const ALIKE: f64 = 0.6;

/// What may be wrong with each column of a dataset.
pub(crate) fn traces(dataset: &Dataset) -> Vec<Vec<Mark>> {
    let variables = dataset.examples.variables();
    if dataset.examples.len().saturating_mul(variables) > MOST {
        return vec![Vec::new(); variables];
    }
    let columns: Vec<_> = (0..variables)
        .map_while(|at| column(dataset, at).map(std::borrow::Cow::into_owned))
        .collect();
    let targets = targets(&dataset.targets);
    let numbers: Vec<Option<Numbers<'_>>> = columns
        .iter()
        .map(|column| column.numbers().and_then(|values| Numbers::of(values)))
        .collect();
    let measured: Vec<&Numbers<'_>> =
        numbers.iter().flatten().filter(|one| one.counts.len() >= VALUES).collect();
    let ranged = measured.iter().filter(|one| one.is_ranged()).count();
    let ranged = ranged >= RANGED && 2 * ranged >= measured.len();
    let selected = selected(&measured, &targets);
    let few = dataset.examples.len() * columns.len() * targets.len() <= MOST;
    let order = order(dataset);
    let made = if few { made(dataset, &order, &columns, &numbers, &targets) } else { Vec::new() };
    let marks = |at: usize| {
        let own = numbers[at].as_ref().filter(|one| one.counts.len() >= VALUES);
        let scaled = own.is_some_and(|one| {
            one.is_standard() || ranged && one.is_ranged() || one.is_rotated(&measured)
        });
        [
            (Mark::Scaled, scaled),
            (Mark::Selected, selected && own.is_some()),
            (Mark::Averaged, own.is_some_and(Numbers::is_filled)),
            (Mark::Computed, made.contains(&at)),
            (Mark::Interpolated, own.is_some_and(|one| one.is_interpolated(&order))),
            (Mark::Missing, is_missing(&columns[at], &targets)),
            (
                Mark::Groups,
                columns[at].names().is_some_and(|(_, codes)| go_together(codes, &targets)),
            ),
        ]
        .into_iter()
        .filter_map(|(mark, found)| found.then_some(mark))
        .collect()
    };
    (0..columns.len()).map(marks).collect()
}

/// The targets as numbers: those of each class that has some rows are 1 for these. None of too many.
pub(crate) fn targets(targets: &Targets) -> Vec<Vec<f64>> {
    match targets {
        Targets::None => Vec::new(),
        Targets::Numbers(numbers) => vec![numbers.clone()],
        Targets::Classes(labels) => {
            let mut rows = vec![0; labels.classes.len()];
            labels.of_example.iter().for_each(|&class| rows[class as usize] += 1);
            let classes = (0..rows.len()).filter(|&class| rows[class] >= LEAST);
            if labels.of_example.len() * classes.clone().count() > MOST {
                return Vec::new();
            }
            let of =
                |class| labels.of_example.iter().map(move |&own| f64::from(own as usize == class));
            classes.map(|class| of(class).collect()).collect()
        }
    }
}

/// How far the targets of two rows are apart in the mean.
pub(crate) fn apart_at_all(targets: &[Vec<f64>]) -> f64 {
    let of = |targets: &Vec<f64>| {
        let mut sorted = targets.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let weighted = |(at, target): (usize, &f64)| (2.0 * at as f64 + 1.0 - n) * target;
        2.0 * sorted.iter().enumerate().map(weighted).sum::<f64>() / (n * (n - 1.0))
    };
    targets.iter().map(of).sum()
}

/// How far those of these two are.
pub(crate) fn apart(targets: &[Vec<f64>], one: usize, other: usize) -> f64 {
    targets.iter().map(|target| (target[one] - target[other]).abs()).sum()
}

/// The values of a column of numbers, some of which may be missing.
struct Numbers<'a> {
    values: &'a [f64],
    sample: Sample,
    sd: f64,
    /// Ascending, with the rows that have each.
    counts: Vec<(f64, usize)>,
    /// Half of the last decimal.
    unit: f64,
}

impl<'a> Numbers<'a> {
    fn of(values: &'a [f64]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let sample: Sample = sorted.iter().copied().collect();
        let counts = sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect();
        let sd = sample.sd().filter(|sd| *sd > 0.0 && sd.is_finite())?;
        Some(Self { values, sample, sd, counts, unit: half_unit(&sorted) })
    }

    /// How far what is computed may be from what is written.
    fn off(&self) -> f64 {
        1.01 * self.unit + 1e-6 * self.sd
    }

    /// Whether it has the mean 0 and the standard deviation 1, to three decimals at least.
    fn is_standard(&self) -> bool {
        let of_all = self.sd * ((self.sample.n - 1) as f64 / self.sample.n as f64).sqrt();
        let is_one = |sd: f64| (sd - 1.0).abs() <= 2.0 * self.off();
        self.unit < 1e-3
            && self.sample.mean.abs() <= 2.0 * self.off()
            && [self.sd, of_all].into_iter().any(is_one)
    }

    /// Whether it reaches from 0 to 1, where hardly a row is, in steps that are no shares of few.
    fn is_ranged(&self) -> bool {
        let ends = [self.counts[0], self.counts[self.counts.len() - 1]];
        let few = |(_, rows): (f64, usize)| 50 * rows <= self.values.len();
        ends.map(|(value, _)| value) == [0.0, 1.0] && ends.into_iter().all(few) && self.unit < 5e-3
    }

    fn is_centred(&self) -> bool {
        self.unit < 1e-2 * self.sd && self.sample.mean.abs() <= 2.0 * self.off()
    }

    /// Whether it is centred, and uncorrelated with two others that are.
    fn is_rotated(&self, all: &[&Self]) -> bool {
        let with = |other: &&&Self| self.correlation(other.values).abs() < UNCORRELATED;
        all.len() <= PAIRED
            && self.is_centred()
            && all.iter().filter(|other| other.is_centred()).filter(with).nth(1).is_some()
    }

    fn correlation(&self, others: &[f64]) -> f64 {
        correlation(self.values, others)
    }

    /// Whether far more rows than of any other have the mean or the median of all others, which none of them has to the last
    /// decimal.
    fn is_filled(&self) -> bool {
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
    fn is_interpolated(&self, order: &[usize]) -> bool {
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
    fn is(&self, rounding: f64, of: &dyn Fn(usize) -> Option<[f64; 2]>) -> bool {
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
fn correlation(one: &[f64], other: &[f64]) -> f64 {
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
fn half_unit(values: &[f64]) -> f64 {
    let mut scale = 1.0;
    for _ in 0..10 {
        if values.iter().all(|value| on_grid(*value, scale)) {
            return 0.5 / scale;
        }
        scale *= 10.0;
    }
    0.0
}

/// Whether columns tell what the best of very many columns tell by chance: most a little, half of these hardly more than the least,
/// and independently of each other.
fn selected(measured: &[&Numbers<'_>], targets: &[Vec<f64>]) -> bool {
    let errors = |one: &Numbers<'_>| {
        let all = targets.iter().map(|target| one.correlation(target).abs());
        all.fold(0.0, f64::max) * (one.sample.n as f64).sqrt()
    };
    let told = measured.iter().map(|one| (errors(one), *one));
    let mut those: Vec<(f64, &Numbers<'_>)> = told.filter(|(told, _)| *told >= TELLS).collect();
    if !(SELECTED..=PAIRED).contains(&those.len())
        || (those.len() as f64) < MOST_OF * measured.len() as f64
    {
        return false;
    }
    those.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (least, middle) = (those[0].0, those[those.len() / 2].0);
    if middle - least > TAIL / least {
        return false;
    }
    // What two columns have in common by the target alone is no more than both tell.
    let left = |one: &Numbers<'_>, other: &Numbers<'_>| {
        let by = |target: &Vec<f64>| one.correlation(target) * other.correlation(target);
        let by = targets.iter().map(by).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        (one.correlation(other.values) - by).abs()
    };
    let pairs = those.iter().enumerate();
    let pairs =
        pairs.flat_map(|(at, (_, one))| those[..at].iter().map(move |(_, other)| left(one, other)));
    // Of independent columns the mean is .8 standard errors.
    let chance = 1.2 * 0.8 / (those[0].1.sample.n as f64).sqrt();
    mean(&pairs.collect::<Vec<f64>>()) <= chance
}

/// The rows of each group in time; as they stand in the file where neither is named.
fn order(dataset: &Dataset) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dataset.examples.len()).collect();
    let at = |of: &Option<Vec<u32>>, row: usize| of.as_ref().map(|of| of[row]);
    let marks = &dataset.marks;
    order.sort_by_key(|&row| (at(&marks.groups, row), at(&marks.times, row)));
    order
}

/// The columns of numbers that are statistics of targets which nobody knows when a row is predicted.
fn made(
    dataset: &Dataset,
    order: &[usize],
    columns: &[Column],
    numbers: &[Option<Numbers<'_>>],
    targets: &[Vec<f64>],
) -> Vec<usize> {
    // Each missing name is somebody of its own.
    let named = |(row, &code): (usize, &u16)| match code {
        contract::categorical::MISSING => u32::from(u16::MAX) + 1 + row as u32,
        code => code.into(),
    };
    let codes = columns.iter().filter_map(|column| Some(column.names()?.1));
    let codes = codes.map(|codes| codes.iter().enumerate().map(named).collect());
    let groups: Vec<Vec<u32>> = codes.chain(dataset.marks.groups.clone()).collect();
    let mut found = Vec::new();
    for target in targets {
        let rounding = dataset.targets.numbers().map_or(0.0, half_unit);
        let sequence = Sequence::of(order, target, rounding);
        let grouped: Vec<Vec<(f64, f64)>> =
            groups.iter().map(|codes| sums(codes, target)).collect();
        let all = mean(target);
        for (at, one) in
            numbers.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?)))
        {
            let of_group = |sums: &Vec<(f64, f64)>| {
                let of = |made: fn((f64, f64), f64) -> f64| {
                    let of = |row: usize| [made(sums[row], target[row]), all];
                    one.is(rounding, &|row| (sums[row].1 > 1.0).then(|| of(row)))
                };
                of(|(sum, n), _| sum / n)
                    || of(|(sum, n), own| (sum - own) / (n - 1.0))
                    || of(|(sum, _), _| sum)
            };
            if sequence.makes(one) || grouped.iter().any(of_group) {
                found.push(at);
            }
        }
    }
    found
}

/// The sum of the targets of a row's group, and its size.
fn sums(codes: &[u32], target: &[f64]) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (code, target) in codes.iter().zip(target) {
        let (sum, n) = sums.entry(*code).or_default();
        (*sum, *n) = (*sum + target, *n + 1.0);
    }
    codes.iter().map(|code| sums[code]).collect()
}

/// Targets in an order: the place of each row, and the sums up to there.
struct Sequence {
    place: Vec<usize>,
    sums: Vec<f64>,
    rounding: f64,
}

impl Sequence {
    fn of(order: &[usize], target: &[f64], rounding: f64) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let mut sums = vec![0.0];
        order.iter().for_each(|&row| sums.push(sums[sums.len() - 1] + target[row]));
        Self { place, sums, rounding }
    }

    /// The mean from a place on, of so many.
    fn mean(&self, from: isize, count: isize) -> Option<f64> {
        let [from, to] = [usize::try_from(from).ok()?, usize::try_from(from + count).ok()?];
        Some((self.sums.get(to)? - self.sums[from]) / count as f64)
    }

    /// Whether a column is the mean or sum of some targets around each row, or of all up to it, its own among them; or a later
    /// one.
    fn makes(&self, one: &Numbers<'_>) -> bool {
        let is = |back: isize, count: isize| {
            let times = if count == 1 { &[1.0][..] } else { &[1.0, count as f64] };
            times.iter().any(|times| {
                one.is(times * self.rounding, &|row| {
                    let at = self.place[row] as isize;
                    let [made, known] =
                        [self.mean(at - back, count)?, self.mean(at - count, count)?];
                    Some([times * made, times * known])
                })
            })
        };
        let up_to = || {
            one.is(self.rounding, &|row| {
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

/// Whether rows have a value or not by their targets.
fn is_missing(column: &Column, targets: &[Vec<f64>]) -> bool {
    let missing: Vec<f64> =
        (0..column.len()).map(|row| f64::from(column.is_missing(row))).collect();
    let count = missing.iter().sum::<f64>();
    count.min(missing.len() as f64 - count) >= LEAST as f64
        && targets.iter().any(|target| correlation(&missing, target).abs() > MISSING)
}

/// Whether the rows of one name have like targets, where there are many names.
fn go_together(codes: &[u16], targets: &[Vec<f64>]) -> bool {
    let mut rows: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    codes.iter().enumerate().for_each(|(row, &code)| rows.entry(code).or_default().push(row));
    rows.remove(&contract::categorical::MISSING);
    rows.retain(|_, rows| rows.len() > 1);
    let shared: usize = rows.values().map(Vec::len).sum();
    let of_few = rows.values().all(|rows| ONE_IN * rows.len() <= codes.len());
    if targets.is_empty()
        || rows.len() < NAMES
        || (shared as f64) < SHARED * codes.len() as f64
        || !of_few
    {
        return false;
    }
    let all = apart_at_all(targets);
    let nearer = |rows: &Vec<usize>| {
        let within: Vec<f64> =
            rows.windows(2).map(|pair| apart(targets, pair[0], pair[1])).collect();
        1.0 - mean(&within) / all
    };
    at_least(rows.values().map(nearer).collect()).is_some_and(|nearer| nearer >= ALIKE)
}

#[cfg(test)]
mod tests {
    use base::digest::Digest;
    use contract::Examples;
    use contract::table::Table;
    use math::random::Random;
    use std::sync::Arc;

    use super::*;

    const ROWS: usize = 400;

    fn normal(random: &mut Random) -> Vec<f64> {
        (0..ROWS).map(|_| random.normal()).collect()
    }

    /// A column as a file has it.
    fn written(values: impl IntoIterator<Item = f64>) -> Column {
        Column::Numbers(values.into_iter().map(|value| (1e4 * value).round() / 1e4).collect())
    }

    fn marks(columns: Vec<Column>, targets: Targets) -> Vec<Vec<Mark>> {
        let examples = Examples::Table(Table::new(columns));
        traces(&Dataset { targets, ..Dataset::new("d", Digest::of(b"d"), examples) })
    }

    fn standard(values: &[f64]) -> Vec<f64> {
        let sample: Sample = values.iter().copied().collect();
        values.iter().map(|value| (value - sample.mean) / sample.sd().unwrap()).collect()
    }

    #[test]
    fn columns_that_all_rows_scaled_or_rotated_are_known() {
        let mut random = Random::new(Digest::of(b"scaled"));
        let raw: Vec<Vec<f64>> = (0..4).map(|_| normal(&mut random)).collect();
        let found = |columns: Vec<Column>| {
            let numbers = Targets::Numbers(raw[3].clone());
            marks(columns, numbers)
                .iter()
                .map(|marks| marks.contains(&Mark::Scaled))
                .collect::<Vec<bool>>()
        };
        let [one, two, three] = [0, 1, 2].map(|at| raw[at].clone());
        assert_eq!(found(vec![written(standard(&one)), written(two.clone())]), [true, false]);
        let range = |values: &[f64]| {
            let ends = values.iter().fold([f64::MAX, f64::MIN], |[a, b], v| [a.min(*v), b.max(*v)]);
            written(values.iter().map(|value| (value - ends[0]) / (ends[1] - ends[0])))
        };
        assert_eq!(found([&one, &two, &three].map(|of| range(of)).to_vec()), [true; 3]);
        assert_eq!(found(vec![range(&one), written(two.clone()), range(&three)]), [false; 3]);
        // Gram and Schmidt.
        let mut rotated: Vec<Vec<f64>> = Vec::new();
        for own in [&one, &two, &three] {
            let mut left: Vec<f64> = standard(own).iter().map(|value| 3.0 * value).collect();
            for before in &rotated {
                let product =
                    |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let share = product(&left, before) / product(before, before);
                left.iter_mut().zip(before).for_each(|(left, before)| *left -= share * before);
            }
            rotated.push(left);
        }
        assert_eq!(found(rotated.into_iter().map(written).collect()), [true; 3]);
    }

    #[test]
    fn columns_that_were_selected_among_many_are_known_and_weak_ones_are_not() {
        let mut random = Random::new(Digest::of(b"selected"));
        let classes: Vec<u32> = (0..ROWS).map(|_| random.below(2) as u32).collect();
        let labels = || {
            let (of, of_example) = (["a", "b"].map(str::to_owned).to_vec(), classes.clone());
            Targets::Classes(data::Labels { classes: of, of_example })
        };
        let told = |column: &Vec<f64>| {
            let target: Vec<f64> = classes.iter().map(|class| f64::from(*class)).collect();
            Numbers::of(column).unwrap().correlation(&target).abs()
        };
        let mut noise: Vec<Vec<f64>> = (0..2000).map(|_| normal(&mut random)).collect();
        noise.sort_by(|a, b| told(b).total_cmp(&told(a)));
        let any = |columns: &[Vec<f64>]| {
            let columns = columns.iter().map(|column| written(column.iter().copied())).collect();
            marks(columns, labels()).iter().all(|marks| marks.contains(&Mark::Selected))
        };
        assert!(any(&noise[..15]));
        assert!(!any(&noise[500..515]));
        let weak = |random: &mut Random| {
            classes.iter().map(|class| 0.4 * f64::from(*class) + random.normal()).collect()
        };
        let weak: Vec<Vec<f64>> = (0..15).map(|_| weak(&mut random)).collect();
        assert!(!any(&weak));
    }

    #[test]
    fn a_value_that_is_the_mean_of_all_others_was_filled_in() {
        let mut random = Random::new(Digest::of(b"averaged"));
        let values: Vec<f64> = (0..ROWS).map(|_| (10.0 * random.normal()).round() / 10.0).collect();
        let there: Vec<bool> = (0..ROWS).map(|_| random.below(5) > 0).collect();
        let of = |filled: f64| {
            let cells = values.iter().zip(&there);
            let cells = cells.map(|(value, there)| if *there { *value } else { filled });
            Numbers::of(&cells.collect::<Vec<f64>>()).unwrap().is_filled()
        };
        let known = values.iter().zip(&there).filter(|(_, there)| **there);
        let middle = mean(&known.map(|(value, _)| *value).collect::<Vec<f64>>());
        assert!(of(middle) && of((1e4 * middle).round() / 1e4));
        assert!(!of(-2.0) && !of(middle + 0.03));
    }

    #[test]
    fn statistics_of_later_targets_are_known_and_those_of_earlier_ones_are_not() {
        let mut random = Random::new(Digest::of(b"computed"));
        let mut target = vec![0.0];
        (1..ROWS).for_each(|row| target.push(0.8 * target[row - 1] + random.normal()));
        let window = |from: isize, to: isize| {
            (0..ROWS as isize).map(move |row| (row + from, row + to)).map(|(from, to)| {
                let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
                let own = range.and_then(|(from, to)| target.get(from..=to));
                own.map_or(f64::NAN, mean)
            })
        };
        let names = |rows: &[usize]| Column::Names {
            names: Arc::new((0..40).map(|name| format!("{name:02}")).collect()),
            codes: rows.iter().map(|&row| row as u16).collect(),
        };
        let group: Vec<usize> = (0..ROWS).map(|_| random.below(40)).collect();
        let of_group = |row: usize, own: bool| {
            let rows =
                (0..ROWS).filter(|other| group[*other] == group[row] && (own || *other != row));
            mean(&rows.map(|row| target[row]).collect::<Vec<f64>>())
        };
        // The targets are written in fewer digits than those that were averaged.
        let columns = vec![
            written(window(-3, 0)),
            written(window(-2, 2)),
            written(window(1, 1)),
            written(window(-4, -1)),
            written((0..ROWS).map(|row| of_group(row, false))),
            written((0..ROWS).map(|row| of_group(row, true))),
            names(&group),
        ];
        let rounded = target.iter().map(|target| (1e2 * target).round() / 1e2).collect();
        let found = marks(columns, Targets::Numbers(rounded));
        let found: Vec<bool> = found.iter().map(|marks| marks.contains(&Mark::Computed)).collect();
        assert_eq!(found, [true, true, true, false, true, true, false]);
    }

    #[test]
    fn values_between_those_before_and_after_are_interpolated_and_a_clock_is_not() {
        let mut random = Random::new(Digest::of(b"interpolated"));
        let ends = normal(&mut random);
        let between = |row: usize| {
            let share = (row % 6) as f64 / 6.0;
            (1.0 - share) * ends[row / 6] + share * ends[row / 6 + 1]
        };
        let is = |column: Column| {
            let values = column.numbers().unwrap();
            let order: Vec<usize> = (0..values.len()).collect();
            Numbers::of(values).unwrap().is_interpolated(&order)
        };
        assert!(is(written((0..ROWS).map(between))));
        assert!(!is(written((0..ROWS).map(|row| (row % 24) as f64))));
        assert!(!is(written(ends.iter().copied())));
    }

    #[test]
    fn what_is_missing_by_class_and_names_of_persons_are_known() {
        let mut random = Random::new(Digest::of(b"missing"));
        let persons: Vec<(u16, u32)> = (0..ROWS as u16)
            .map(|_| random.below(60) as u16)
            .map(|person| (person, u32::from(person % 2)))
            .collect();
        let classes: Vec<u32> = persons.iter().map(|(_, class)| *class).collect();
        let names = |codes: Vec<u16>| Column::Names {
            names: Arc::new((0..60).map(|name| format!("{name:02}")).collect()),
            codes,
        };
        let mut value = |often: [usize; 2]| {
            let cell = classes.iter().map(|class| {
                if random.below(10) < often[*class as usize] { f64::NAN } else { random.normal() }
            });
            Column::Numbers(cell.collect())
        };
        let missing = [value([0, 10]), value([4, 6])];
        let others = (0..ROWS).map(|_| random.below(60) as u16).collect();
        let persons = persons.iter().map(|(person, _)| *person).collect();
        let columns = missing.into_iter().chain([names(persons), names(others)]).collect();
        let labels = data::Labels {
            classes: ["a", "b"].map(str::to_owned).to_vec(),
            of_example: classes.clone(),
        };
        let found = marks(columns, Targets::Classes(labels));
        assert_eq!(found, [&[Mark::Missing][..], &[], &[Mark::Groups], &[]]);
    }
}
