//! Rows that follow each other in a file: made one after another, or of one person, they have like labels for no reason that a column
//! tells.

use base::digest::Digest;
use contract::table::Column;
use data::{Dataset, Targets};
use math::random::Random;
use math::sample::Sample;

use crate::agreement::at_least;
use crate::columns::{MEASURES, column};
use crate::labels::{apart, apart_at_all, as_numbers};
use crate::neighbours::scaled;

/// Of larger tables it is not asked: all pairs are looked at.
const MOST: usize = 20_000;
/// So many rows are looked at, and so many there are at least.
const ASKED: usize = 1000;
const LEAST: usize = 100;
/// A file stands in the order of its classes if they change so many times as there are classes,
const CHANGES: usize = 3;
/// or once in so many rows: parts that are sorted, one after another,
const ROWS: usize = 25;
/// or of its numbers where so large a part of them rises, or falls.
const RISES: f64 = 0.95;
/// Rows that follow each other are apart by so much of what any two are, at most.
const NEAR: f64 = 0.7;

/// By how much less labels differ between rows that follow each other than between rows whose columns are alike, two standard errors
/// taken off: a part of how much those of any two do. 0 where the dataset names groups or times, and where the file stands in the
/// order of its labels.
pub(crate) fn in_file(dataset: &Dataset) -> f64 {
    let n = dataset.examples.len();
    let named = dataset.marks.groups.is_some() || dataset.marks.times.is_some();
    if named
        || !(LEAST..=MOST).contains(&n)
        || dataset.published.is_some()
        || sorted(&dataset.targets)
    {
        return 0.0;
    }
    let columns = (0..dataset.examples.variables()).map_while(|at| column(dataset, at));
    let columns: Vec<Vec<f64>> = columns.filter_map(|column| measures(&column)).collect();
    if columns.len() < 2 {
        return 0.0;
    }
    let rows =
        scaled((0..n).map(|row| columns.iter().map(|column| column[row]).collect()).collect());
    let targets = as_numbers(&dataset.targets);
    if targets.is_empty() {
        return 0.0;
    }
    let all = apart_at_all(&targets);
    let mut asked = Random::new(Digest::of(b"rows that follow each other")).permutation(n - 2);
    asked.truncate(ASKED);
    let (mut nearer, mut following) = (Sample::default(), Sample::default());
    for row in asked.into_iter().map(|row| row + 1) {
        let distance = |other: &Vec<f64>| -> f64 {
            rows[row].iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum()
        };
        let others = rows.iter().enumerate().filter(|(other, _)| row.abs_diff(*other) > 1);
        let Some((like, _)) =
            others.map(|(at, other)| (at, distance(other))).min_by(|a, b| a.1.total_cmp(&b.1))
        else {
            continue;
        };
        let next = 0.5 * (apart(&targets, row, row - 1) + apart(&targets, row, row + 1));
        following.push(next);
        nearer.push((apart(&targets, row, like) - next) / all);
    }
    if following.mean > NEAR * all { 0.0 } else { at_least(nearer).unwrap_or(0.0).max(0.0) }
}

/// The numbers of a column that measures something, none of them missing, and does not count the rows.
fn measures(column: &Column) -> Option<Vec<f64>> {
    let values = column.numbers()?;
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let falls = || values.iter().rev().is_sorted_by(|a, b| a < b);
    let ordered = values.is_sorted_by(|a, b| a < b) || falls();
    (sorted.len() >= MEASURES && !ordered && values.iter().all(|value| value.is_finite()))
        .then(|| values.clone())
}

/// Whether a file stands in the order of its labels.
fn sorted(targets: &Targets) -> bool {
    match targets {
        Targets::None => true,
        Targets::Classes(labels) => {
            let changes = labels.of_example.windows(2).filter(|pair| pair[0] != pair[1]).count();
            changes < (CHANGES * labels.classes.len()).max(labels.of_example.len() / ROWS)
        }
        Targets::Numbers(numbers) => {
            let most = RISES * numbers.len() as f64;
            let rises = numbers.windows(2).filter(|pair| pair[0] <= pair[1]).count();
            let falls = numbers.windows(2).filter(|pair| pair[0] >= pair[1]).count();
            rises.max(falls) as f64 >= most
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Examples;
    use contract::table::Table;
    use data::Labels;

    use super::*;

    /// So many rows of one person follow each other, whose class no column tells; or a column tells it.
    fn found(each: usize, tells: f64, shuffled: bool) -> f64 {
        let mut random = Random::new(Digest::of(b"sequence"));
        let persons: Vec<u32> = (0..400 / each).map(|_| random.below(2) as u32).collect();
        let mut classes: Vec<u32> = (0..400).map(|row| persons[row / each]).collect();
        if shuffled {
            classes = random.permutation(400).into_iter().map(|row| classes[row]).collect();
        }
        let mut column = |tells: f64| {
            let value = classes.iter().map(|class| tells * f64::from(*class) + random.normal());
            Column::Numbers(value.collect())
        };
        let examples = Examples::Table(Table::new(vec![column(tells), column(0.0), column(0.0)]));
        let of = ["a", "b"].map(str::to_owned).to_vec();
        let targets = Targets::Classes(Labels { classes: of, of_example: classes });
        in_file(&Dataset { targets, ..Dataset::new("d", Digest::of(b"d"), examples) })
    }

    #[test]
    fn rows_that_follow_each_other_are_alike_where_no_column_says_so() {
        assert!(found(8, 0.0, false) > 0.3, "{}", found(8, 0.0, false));
        assert!(found(8, 6.0, false) < 0.1, "{}", found(8, 6.0, false));
        assert!(found(8, 0.0, true) < 0.1, "{}", found(8, 0.0, true));
        assert!(found(1, 1.0, false) < 0.1, "{}", found(1, 1.0, false));
    }

    /// Files often begin with one class.
    #[test]
    fn a_file_in_the_order_of_its_classes_says_nothing() {
        assert_eq!(found(200, 0.0, false), 0.0);
    }
}
