//! Rows that stand in small tight clusters, such as several of one patient: groups that nobody has declared.
//!
//! Around a row of an honest table the examples lie evenly: with squared distances d₁ < d₂ < … to the others,
//! s · ln (dₛ₊₁ / dₛ) is exponential with the same mean for each s, whatever the number of columns. So a row with a gap
//! behind its first few neighbours that is many times the mean of its far ones is in a cluster of its own.

use base::digest::Digest;
use contract::Examples;
use contract::numeric::NumericRows;
use math::random::Random;
use math::special::ln;

use crate::labels::Labels;
use crate::neighbours::scaled;
use math::sample::mean;

/// Of larger tables the clusters are not sought: all pairs are looked at.
const MOST: usize = 20_000;
/// So many test examples are looked at.
const ASKED: usize = 1000;
/// A cluster has at most so many neighbours of a row.
const CLUSTER: usize = 8;
/// The gaps from this neighbour up to twice as far say what is usual.
const FAR: usize = 20;
/// A gap so many times the usual one has the probability exp(-7), below one in a thousand.
const GAP: f64 = 7.0;
/// A column measures something if it has so many values, or a fifth as many as there are rows.
const VALUES: usize = 100;

/// The share of the test examples in a tight cluster with training examples, and how much more alike the labels are in
/// their clusters than just outside: a share of the labels, or of the targets' standard deviation.
pub(crate) fn tight((train, test): (&Examples, &Examples), labels: &Labels<'_>) -> (f64, f64) {
    let (Examples::Numeric(train), Examples::Numeric(test)) = (train, test) else {
        return (0.0, 0.0);
    };
    let rows = measured(train, test);
    if rows.len() > MOST || rows.len() <= 2 * FAR || rows[0].len() < 2 {
        return (0.0, 0.0);
    }
    let mut asked = Random::new(Digest::of(b"tight clusters")).permutation(test.len());
    asked.truncate(ASKED);
    let asked: Vec<usize> = asked.into_iter().map(|row| train.len() + row).collect();
    let near: Vec<Vec<(f64, usize)>> = asked.iter().map(|&row| nearest(&rows, row)).collect();
    let gap = |near: &[(f64, usize)], s: usize| s as f64 * ln(near[s].0 / near[s - 1].0);
    let whole = || near.iter().filter(|near| near.len() == 2 * FAR);
    let usual: Vec<f64> = whole().flat_map(|near| (FAR..2 * FAR).map(|s| gap(near, s))).collect();
    let usual = mean(&usual);
    let (mut found, mut inside, mut outside) = (0, Vec::new(), Vec::new());
    for (&row, near) in asked.iter().zip(&near).filter(|(_, near)| near.len() == 2 * FAR) {
        let wide = |s: &usize| gap(near, *s) > GAP * usual;
        let Some(size) = (1..=CLUSTER).rev().find(wide) else { continue };
        if !near[..size].iter().any(|(_, other)| *other < train.len()) {
            continue;
        }
        found += 1;
        let alike = |near: &[(f64, usize)]| {
            mean(&near.iter().map(|(_, other)| labels.alike(row, *other)).collect::<Vec<f64>>())
        };
        inside.push(alike(&near[..size]));
        outside.push(alike(&near[size..2 * size + 3]));
    }
    if found == 0 {
        return (0.0, 0.0);
    }
    (found as f64 / asked.len() as f64, (mean(&inside) - mean(&outside)) / labels.unit())
}

/// The rows by the columns that measure something, in units of their standard deviations.
fn measured(train: &NumericRows, test: &NumericRows) -> Vec<Vec<f64>> {
    let all = train.len() + test.len();
    let measures = |column: &usize| {
        let mut values: Vec<f64> = train.column(*column).chain(test.column(*column)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.len() >= VALUES.min(all.div_ceil(5))
    };
    let columns: Vec<usize> = (0..train.columns()).filter(measures).collect();
    let row = |row: &[f64]| columns.iter().map(|&column| row[column]).collect();
    scaled(train.iter().chain(test.iter()).map(row).collect())
}

/// The nearest others that are not equal, with their squared distances, ascending.
fn nearest(rows: &[Vec<f64>], row: usize) -> Vec<(f64, usize)> {
    let apart = |(one, other): (&f64, &f64)| (one - other) * (one - other);
    let distance = |other: &Vec<f64>| rows[row].iter().zip(other).map(apart).sum::<f64>();
    let others = rows.iter().enumerate().map(|(at, other)| (distance(other), at));
    let mut others: Vec<(f64, usize)> = others.filter(|(distance, _)| *distance > 0.0).collect();
    let nearer = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if others.len() > 2 * FAR {
        others.select_nth_unstable_by(2 * FAR, nearer);
        others.truncate(2 * FAR);
    }
    others.sort_by(nearer);
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows around 40 centres, so many each; the class is that of the centre, or of the row.
    fn found(each: usize, spread: f64, of_centre: bool) -> (f64, f64) {
        let mut random = Random::new(Digest::of(b"centres"));
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            let centre = [(); 3].map(|()| random.normal());
            let class = random.below(2) as u32;
            for _ in 0..each {
                values.extend(centre.map(|value| value + spread * random.normal()));
                let own = random.below(2) as u32;
                labels.push(if of_centre { class } else { own });
            }
        }
        // Those of a centre are on both sides.
        let order = random.permutation(labels.len());
        let rows = NumericRows::new(3, values).select(&order);
        let labels: Vec<u32> = order.iter().map(|&row| labels[row]).collect();
        let train = labels.len() * 3 / 4;
        let side = |range: std::ops::Range<usize>| {
            Examples::Numeric(rows.select(&range.collect::<Vec<usize>>()))
        };
        let (of_train, of_test) = labels.split_at(train);
        let labels_of = Labels::Classes { train: of_train, test: of_test, classes: 2 };
        tight((&side(0..train), &side(train..labels.len())), &labels_of)
    }

    #[test]
    fn groups_are_found_and_rows_that_lie_evenly_are_not() {
        let (share, alike) = found(5, 0.02, true);
        assert!(share > 0.8 && alike > 0.3, "{share} {alike}");
        let (share, alike) = found(5, 0.02, false);
        assert!(share > 0.8 && alike.abs() < 0.2, "{share} {alike}");
        let (share, _) = found(5, 5.0, true);
        assert!(share < 0.1, "{share}");
        assert_eq!(found(1, 0.1, true), (0.0, 0.0));
    }
}
