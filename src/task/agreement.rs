//! Rows that belong together, such as those of one patient, whose group nobody has declared: their labels agree among the nearest few
//! and hardly beyond, or the nearest few are much nearer than the next. Rows that were made of others lie on the line between two of
//! their nearest.
//!
//! Of an honest row labels differ at most as much more among the next others as these are farther away, and where rows lie evenly the
//! r-th is as far as a power of r. That power is known from where no group reaches.

use base::digest::Digest;
use contract::Examples;
use contract::numeric::NumericRows;
use math::random::Random;
use math::sample::{Sample, mean};
use math::special::{exp, ln};

use crate::columns::MEASURES;
use crate::labels::Labels;
use crate::neighbours::scaled;

/// Of larger tables it is not asked: all pairs are looked at.
const MOST: usize = 20_000;
/// So many test examples are looked at.
const ASKED: usize = 1000;
/// Groups have so many other rows at most, and of small tables at most one row in so many.
const GROUP: usize = 12;
const ONE_IN: usize = 20;
/// So many more than in the group are looked at behind it, for where groups are small.
const MORE: usize = 3;
/// So many of the nearest are looked at.
const NEAREST: usize = 2 * GROUP + MORE;
/// So many standard errors may be chance.
const ERRORS: f64 = 2.0;
/// So many times nearer than the next are those that belong together. Of rows that lie evenly on a line every ninth has
/// such, on a plane every hundredth.
const NEARER: f64 = 10.0;
/// Of rows that fill more than a surface every fiftieth has such that are four times nearer.
const NEARER_IN_SPACE: f64 = 4.0;
/// The sine of the angle at a row that is on the line between two others. In five columns two of the nearest lie so by chance
/// once in some 100,000 rows;
const ON_LINE: f64 = 0.01;
const COLUMNS: usize = 5;
/// of which so many differ;
const MOVED: usize = 3;
/// but where rows fill a curve or a surface they often do: there the r-th nearest is farther than this power of r.
const SURFACE: f64 = 0.35;

/// What the nearest training examples of test examples say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Agreement {
    /// By how much more labels differ among the next than distances explain from how much they differ among the nearest
    /// few, two standard errors taken off. A share of the labels, or of the targets' standard deviation.
    pub drop: f64,
    /// How many these few are: those for which it is most.
    pub few: usize,
    /// The share of the test examples whose nearest few, of whatever labels, are [`NEARER`] than the next.
    pub close: f64,
    /// The share of the test examples that lie on the line between two of their nearest, and not at its ends.
    pub between: f64,
}

/// Whether test examples belong together with training examples.
pub(crate) fn agreement((train, test): (&Examples, &Examples), labels: &Labels<'_>) -> Agreement {
    let (Examples::Numeric(train), Examples::Numeric(test)) = (train, test) else {
        return Agreement::default();
    };
    let rows = measured(train, test);
    if rows.len() > MOST || train.len() < NEAREST || rows[0].len() < 2 {
        return Agreement::default();
    }
    let mut asked = Random::new(Digest::of(b"nearest examples")).permutation(test.len());
    asked.truncate(ASKED);
    let asked = asked.into_iter().map(|row| train.len() + row);
    let near = asked.map(|row| (row, nearest(&rows, train.len(), row)));
    let near: Vec<(usize, Vec<(f64, usize)>)> =
        near.filter(|(_, near)| near.len() == NEAREST).collect();
    let (last, middle) = (NEAREST, NEAREST.div_ceil(2));
    let growth = |(_, near): &(usize, Vec<(f64, usize)>)| ln(near[last - 1].0 / near[middle - 1].0);
    let growth = mean(&near.iter().map(growth).collect::<Vec<f64>>());
    let power = 0.5 * growth / ln(last as f64 / middle as f64);
    let nearer = if power <= SURFACE { NEARER_IN_SPACE } else { NEARER };
    let close = |(_, near): &&(usize, Vec<(f64, usize)>)| {
        near.windows(2).take(GROUP).any(|pair| pair[0].0 * nearer * nearer < pair[1].0)
    };
    let share = |count: usize| count as f64 / near.len().max(1) as f64;
    let close = share(near.iter().filter(close).count());
    let between = || near.iter().filter(|(row, near)| is_between(&rows, *row, near)).count();
    let fills = rows[0].len() >= COLUMNS && power <= SURFACE;
    let between = if fills { share(between()) } else { 0.0 };
    let distances: Vec<f64> = (1..=NEAREST).map(|rank| exp(power * ln(rank as f64))).collect();
    let differ = |(row, near): &(usize, Vec<(f64, usize)>)| -> Vec<f64> {
        near.iter().map(|(_, other)| labels.apart(*row, *other)).collect()
    };
    let differ: Vec<Vec<f64>> = near.iter().map(differ).collect();
    let lost = |few: usize| {
        let next = few..2 * few + MORE;
        let farther = mean(&distances[next.clone()]) / mean(&distances[..few]);
        let of = |differ: &Vec<f64>| mean(&differ[next.clone()]) - farther * mean(&differ[..few]);
        Some((at_least(differ.iter().map(of).collect())? / labels.unit(), few))
    };
    // Of equal ones the fewest.
    let few = (1..=GROUP.min(train.len() / ONE_IN)).rev();
    let most = few.filter_map(lost).max_by(|a, b| a.0.total_cmp(&b.0));
    let (drop, few) = most.filter(|(lost, _)| *lost > 0.0).unwrap_or((0.0, 0));
    Agreement { drop, few, close, between }
}

/// A mean that is above chance: less its standard errors. None of fewer than two values.
pub(crate) fn at_least(sample: Sample) -> Option<f64> {
    Some(sample.mean - ERRORS * sample.sd()? / (sample.n as f64).sqrt())
}

/// The rows by the columns that measure something, in units of their standard deviations.
fn measured(train: &NumericRows, test: &NumericRows) -> Vec<Vec<f64>> {
    let measures = |column: &usize| {
        let mut values: Vec<f64> = train.column(*column).chain(test.column(*column)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.len() >= MEASURES
    };
    let columns: Vec<usize> = (0..train.columns()).filter(measures).collect();
    let row = |row: &[f64]| columns.iter().map(|&column| row[column]).collect();
    scaled(train.iter().chain(test.iter()).map(row).collect())
}

/// The nearest of the first rows that are not equal to a row, with their squared distances, ascending.
fn nearest(rows: &[Vec<f64>], first: usize, row: usize) -> Vec<(f64, usize)> {
    let apart = |(one, other): (&f64, &f64)| (one - other) * (one - other);
    let distance = |other: &Vec<f64>| rows[row].iter().zip(other).map(apart).sum::<f64>();
    let others = rows[..first].iter().enumerate().map(|(at, other)| (distance(other), at));
    let mut others: Vec<(f64, usize)> = others.filter(|(distance, _)| *distance > 0.0).collect();
    let nearer = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if others.len() > NEAREST {
        others.select_nth_unstable_by(NEAREST, nearer);
        others.truncate(NEAREST);
    }
    others.sort_by(nearer);
    others
}

/// Whether a row is on the line between two of its nearest.
fn is_between(rows: &[Vec<f64>], row: usize, near: &[(f64, usize)]) -> bool {
    let away = |&(_, other): &(f64, usize)| -> Vec<f64> {
        rows[other].iter().zip(&rows[row]).map(|(other, own)| other - own).collect()
    };
    let away: Vec<Vec<f64>> = near.iter().map(away).collect();
    let straight = (1.0 - ON_LINE * ON_LINE).sqrt();
    let opposite = |one: usize, other: usize| {
        let moved = away[one].iter().zip(&away[other]).filter(|(a, b)| **a != 0.0 && **b != 0.0);
        // Of counts, neighbours often differ in one alone.
        if moved.count() < MOVED {
            return false;
        }
        let product: f64 = away[one].iter().zip(&away[other]).map(|(a, b)| a * b).sum();
        product < -straight * (near[one].0 * near[other].0).sqrt()
    };
    (0..near.len()).any(|one| (0..one).any(|other| opposite(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows around 40 centres, so many each; the class is that of the centre, or of the row.
    fn found(each: usize, spread: f64, of_centre: bool) -> Agreement {
        let mut random = Random::new(Digest::of(b"centres"));
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            let centre = [(); 4].map(|()| random.normal());
            let class = random.below(2) as u32;
            for _ in 0..each {
                values.extend(centre.map(|value| value + spread * random.normal()));
                let own = random.below(2) as u32;
                labels.push(if of_centre { class } else { own });
            }
        }
        // Those of a centre are on both sides.
        let order = random.permutation(labels.len());
        let rows = NumericRows::new(4, values).select(&order);
        let labels: Vec<u32> = order.iter().map(|&row| labels[row]).collect();
        let train = labels.len() * 3 / 4;
        let side = |range: std::ops::Range<usize>| {
            Examples::Numeric(rows.select(&range.collect::<Vec<usize>>()))
        };
        let (of_train, of_test) = labels.split_at(train);
        let labels_of = Labels::Classes { train: of_train, test: of_test, classes: 2 };
        agreement((&side(0..train), &side(train..labels.len())), &labels_of)
    }

    #[test]
    fn groups_are_found_and_rows_that_lie_evenly_are_not() {
        for (each, spread) in [(5, 0.02), (5, 0.2), (12, 0.2)] {
            let Agreement { drop, few, .. } = found(each, spread, true);
            // Three of four of the others train.
            assert!(drop > 0.1 && few.abs_diff(3 * (each - 1) / 4) <= 1, "{each}: {drop} {few}");
        }
        for (each, spread, of_centre) in [(5, 0.02, false), (5, 5.0, true), (1, 0.1, true)] {
            let Agreement { drop, .. } = found(each, spread, of_centre);
            assert!(drop < 0.1, "{each} {spread}: {drop}");
        }
    }

    /// As SMOTE makes them: between a row and one of its five nearest.
    #[test]
    fn rows_that_are_made_between_others_are_found() {
        let found = |columns: usize, made: usize, spread: f64| {
            let mut random = Random::new(Digest::of(b"between"));
            let mut rows: Vec<Vec<f64>> = (0..400 - made)
                .map(|_| {
                    let first = random.normal();
                    (0..columns).map(|_| first + spread * random.normal()).collect()
                })
                .collect();
            let given = rows.len();
            for _ in 0..made {
                let one = random.below(given);
                let other = nearest(&rows, given, one)[random.below(5)].1;
                let part = random.uniform();
                let between = |(a, b): (&f64, &f64)| a + part * (b - a);
                rows.push(rows[one].iter().zip(&rows[other]).map(between).collect());
            }
            let order = random.permutation(rows.len());
            let side = |at: &[usize]| {
                let values = at.iter().flat_map(|&row| rows[row].clone()).collect();
                Examples::Numeric(NumericRows::new(columns, values))
            };
            let (train, test) = order.split_at(300);
            let labels = Labels::Numbers { train: &[0.0; 300], test: &[0.0; 100] };
            agreement((&side(train), &side(test)), &labels).between
        };
        // Of 100 test rows half are made; two in three of these have both others in training, and few are not among the nearest.
        assert!(found(6, 200, 1.0) > 0.2, "{}", found(6, 200, 1.0));
        // None is made, there are few columns, or the rows fill a line.
        for (columns, made, spread) in [(6, 0, 1.0), (4, 200, 1.0), (6, 200, 1e-4)] {
            assert_eq!(found(columns, made, spread), 0.0, "{columns} {made} {spread}");
        }
    }

    #[test]
    fn copies_with_noise_are_close_whatever_their_labels() {
        for (each, spread, least, most) in
            [(2, 0.01, 0.5, 1.0), (3, 0.01, 0.5, 1.0), (1, 0.1, 0.0, 0.05), (5, 0.5, 0.0, 0.05)]
        {
            let Agreement { close, .. } = found(each, spread, false);
            assert!((least..=most).contains(&close), "{each} {spread}: {close}");
        }
    }
}
