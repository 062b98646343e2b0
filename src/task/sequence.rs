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
/// This part of the rows before and after stands near in the file, of at least and at most so many rows.
const NEAR_ROWS: (usize, [usize; 2]) = (20, [10, 50]);

/// By how much less labels differ between rows that follow each other, or between a row and the one whose columns are most
/// alike, than where that one stands far off in the file; two standard errors taken off: a part of how much those of any two
/// do. 0 where the dataset names groups or times, and where the file stands in the order of its labels; what follows each other
/// says nothing where it stands in long runs of them.
pub(crate) fn in_file(dataset: &Dataset) -> f64 {
    let n = dataset.examples.len();
    let named = dataset.marks.groups.is_some() || dataset.marks.times.is_some();
    if named
        || !(LEAST..=MOST).contains(&n)
        || dataset.published.is_some()
        || sorted(&dataset.targets, 0)
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
    let (part, [least, most]) = NEAR_ROWS;
    let near = (n / part).clamp(least, most);
    let mut following = Sample::default();
    let mut nearer = [Sample::default(); 2];
    for row in asked.into_iter().map(|row| row + 1) {
        let distance = |other: &Vec<f64>| -> f64 {
            rows[row].iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum()
        };
        let distances: Vec<f64> = rows.iter().map(distance).collect();
        let differ: Vec<f64> = (0..n).map(|other| apart(&targets, row, other)).collect();
        // How much its label differs from that of the most alike row that is so far off, and from all of these.
        let most_alike = |off: usize| {
            let others = || (0..n).filter(|other| row.abs_diff(*other) > off);
            let alike = others().min_by(|a, b| distances[*a].total_cmp(&distances[*b]));
            let sum: f64 = others().map(|other| differ[other]).sum();
            (differ[alike.expect("a row that is far off")], sum / others().count() as f64)
        };
        let next = 0.5 * (differ[row - 1] + differ[row + 1]);
        let ((far, by_chance), (alike, of_any)) = (most_alike(near), most_alike(0));
        following.push(next);
        nearer[0].push((far - next) / all);
        nearer[1].push((far - by_chance - alike + of_any) / all);
    }
    if following.mean > NEAR * all || sorted(&dataset.targets, n / ROWS) {
        nearer[0] = Sample::default();
    }
    nearer.into_iter().filter_map(at_least).fold(0.0, f64::max)
}

/// The numbers of a column that measures something and does not count the rows; the mean where one is missing.
fn measures(column: &Column) -> Option<Vec<f64>> {
    let values = column.numbers()?;
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let known: Sample = sorted.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let falls = || values.iter().rev().is_sorted_by(|a, b| a < b);
    let ordered = values.is_sorted_by(|a, b| a < b) || falls();
    let value = |value: &f64| if value.is_finite() { *value } else { known.mean };
    (sorted.len() >= MEASURES && !ordered).then(|| values.iter().map(value).collect())
}

/// Whether a file stands in the order of its labels, or its classes change less often than so.
fn sorted(targets: &Targets, often: usize) -> bool {
    match targets {
        Targets::None => true,
        Targets::Classes(labels) => {
            let changes = labels.of_example.windows(2).filter(|pair| pair[0] != pair[1]).count();
            changes < often.max(CHANGES * labels.classes.len())
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

    /// Columns drift along with a class that changes seldom: the row that is most alike is the one before or after.
    #[test]
    fn rows_are_alike_because_they_are_near_in_the_file() {
        let found = |drifts: f64| {
            let mut random = Random::new(Digest::of(b"drift"));
            let mut walk = || {
                let mut at = 0.0;
                let mut step = || {
                    at += drifts * random.normal();
                    at + random.normal()
                };
                Column::Numbers((0..400).map(|_| step()).collect())
            };
            let examples = Examples::Table(Table::new(vec![walk(), walk(), walk()]));
            let of_example = (0..400).map(|row| row / 40 % 2).collect();
            let of = ["a", "b"].map(str::to_owned).to_vec();
            let targets = Targets::Classes(Labels { classes: of, of_example });
            in_file(&Dataset { targets, ..Dataset::new("d", Digest::of(b"d"), examples) })
        };
        assert!(found(2.0) > 0.3, "{}", found(2.0));
        assert!(found(0.0) < 0.1, "{}", found(0.0));
    }

    /// Files often begin with one class.
    #[test]
    fn a_file_in_the_order_of_its_classes_says_hardly_anything() {
        assert_eq!(found(200, 0.0, false), 0.0);
        for each in [40, 25] {
            assert!(found(each, 0.0, false) < 0.05, "{}", found(each, 0.0, false));
        }
    }
}
