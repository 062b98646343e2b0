//! What each column alone tells of the labels. A column that tells as much as all of them together may not be known
//! when a prediction is made.

use std::collections::{BTreeMap, BTreeSet};

use contract::table::Column;
use data::Dataset;
use itertools::Itertools as _;
use ndarray::Array2;

use crate::columns::{Alone, Columns, MEASURES, Mark, column, names};
use crate::errors::Errors;
use crate::labels::Labels;
use crate::made::Values;
use crate::probabilities::{area, most_probable};
use crate::whole::Whole;
use math::sample::mean;

/// So many columns are kept: those that tell most.
const KEPT: usize = 20;

/// The differences of so many columns of numbers are looked at, if these have so many values and hardly order the classes
/// themselves; in tables of at most so many rows.
const PAIRED: usize = 30;
const UNTOLD: f64 = 0.9;
const MOST: usize = 20_000;

/// So many training examples at least have values of one interval.
const LEAST: f64 = 5.0;

/// What each column of a dataset alone tells of the test labels.
pub(crate) fn columns(
    dataset: &Whole,
    (train, test): (&[usize], &[usize]),
    labels: &Labels<'_>,
) -> Columns {
    let (examples, names, traces) = (&dataset.examples, names(dataset), dataset.traces());
    let alone = |at: usize| {
        let column = column(dataset, at)?;
        let there = |row| !column.is_missing(row);
        let (score, order) = told(&cells(&column, train), &there, (train, test), labels);
        let rows = || train.iter().chain(test);
        let values = column.numbers().map(|values| rows().map(|&row| values[row]).collect());
        let values = values.map(|values: Vec<f64>| Values::of(&values));
        let marks = values.into_iter().flat_map(|values| values.marks(labels));
        let marks = identifies(&column).then_some(Mark::Identifies).into_iter().chain(marks);
        // Whoever has named the groups need not be asked for them.
        let asked = |mark: &Mark| *mark != Mark::Groups || dataset.marks.groups.is_none();
        let marks = marks.chain(traces[at].iter().copied()).filter(asked).collect();
        Some(Alone { column: names[at].clone(), less: None, score, order, marks })
    };
    let mut most: Vec<Alone> = (0..examples.variables()).map_while(alone).collect();
    let all = most.len();
    most.extend(difference(dataset, &most, (train, test), labels));
    let rank = |one: &Alone| (!one.marks.is_empty(), one.score.max(one.order));
    most.sort_by(|a, b| {
        let ((own, more), (other, less)) = (rank(a), rank(b));
        other.cmp(&own).then(less.total_cmp(&more))
    });
    // What is marked stands first, and is kept.
    let marked = most.iter().filter(|one| !one.marks.is_empty()).count();
    most.truncate(KEPT.max(marked));
    Columns { all, most }
}

/// The difference of two columns that tells most, where neither tells much.
fn difference(
    dataset: &Dataset,
    alone: &[Alone],
    (train, test): (&[usize], &[usize]),
    labels: &Labels<'_>,
) -> Option<Alone> {
    if train.len() + test.len() > MOST {
        return None;
    }
    let numbers = |(at, one): (usize, &Alone)| {
        let column = column(dataset, at).filter(|_| one.order <= UNTOLD)?;
        let values = column.numbers()?;
        let distinct: BTreeSet<u64> = values.iter().map(|value| value.to_bits()).collect();
        (distinct.len() >= MEASURES).then(|| (one.column.clone(), values.clone()))
    };
    let numbers: Vec<(String, Vec<f64>)> =
        alone.iter().enumerate().filter_map(numbers).take(PAIRED).collect();
    let told = |[(column, values), (less, others)]: [&(String, Vec<f64>); 2]| {
        let apart = values.iter().zip(others).map(|(one, other)| one - other);
        let apart = Column::Numbers(apart.collect());
        let there = |row| !apart.is_missing(row);
        let (score, order) = told(&cells(&apart, train), &there, (train, test), labels);
        let (column, less) = (column.clone(), Some(less.clone()));
        Alone { column, less, score, order, marks: Vec::new() }
    };
    let told = numbers.iter().array_combinations().map(told).filter(|one| one.order > UNTOLD);
    told.max_by(|a, b| a.order.total_cmp(&b.order))
}

/// The cell of each row: its name, or the interval of its number, which has enough training examples. A value that many
/// have is an interval of its own; missing ones are above all others.
fn cells(column: &Column, train: &[usize]) -> Vec<usize> {
    let values = match column {
        Column::Names { codes, .. } => return codes.iter().map(|&code| code.into()).collect(),
        Column::Numbers(values) => values,
    };
    let mut sorted: Vec<f64> = train.iter().map(|&row| values[row]).collect();
    sorted.sort_by(f64::total_cmp);
    let least = LEAST.max(0.5 * (sorted.len() as f64).sqrt()) as usize;
    let (mut ends, mut rows) = (Vec::new(), 0);
    for equal in sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
        rows += equal.len();
        if rows >= least {
            ends.push(equal[0]);
            rows = 0;
        }
    }
    let interval = |value: &f64| ends.partition_point(|end| end.total_cmp(value).is_lt());
    values.iter().map(interval).collect()
}

/// The score and the order of the test examples by their cells. The order of classes is that of the rows that have a value,
/// if these are half of them: where a sensor failed, it still tells all of the others.
fn told(
    cells: &[usize],
    there: &dyn Fn(usize) -> bool,
    (train, test): (&[usize], &[usize]),
    labels: &Labels<'_>,
) -> (f64, f64) {
    match *labels {
        Labels::Classes { train: of_train, test: of_test, classes } => {
            let mut all = vec![0.0; classes];
            let mut known: BTreeMap<usize, (Vec<f64>, f64)> = BTreeMap::new();
            for (row, &class) in train.iter().zip(of_train) {
                all[class as usize] += 1.0 / of_train.len() as f64;
                let none = || (vec![0.0; classes], 0.0);
                let (counts, sum) = known.entry(cells[*row]).or_insert_with(none);
                counts[class as usize] += 1.0;
                *sum += 1.0;
            }
            // One more example, as all of them are.
            let shares = Array2::from_shape_fn((test.len(), classes), |(row, class)| {
                let counts = known.get(&cells[test[row]]);
                counts
                    .map_or(all[class], |(counts, sum)| (counts[class] + all[class]) / (sum + 1.0))
            });
            let rows = shares.outer_iter().zip(of_test);
            let hits = rows.filter(|(row, class)| most_probable(*row) == **class as usize).count();
            let mut valued: Vec<usize> = (0..test.len()).filter(|&at| there(test[at])).collect();
            if 2 * valued.len() < test.len() {
                valued = (0..test.len()).collect();
            }
            let of_valued: Vec<u32> = valued.iter().map(|&at| of_test[at]).collect();
            let apart = |class: &u32| {
                of_valued.contains(class) && of_valued.iter().any(|other| other != class)
            };
            let classes = (0..classes as u32).filter(apart);
            let area = |class: u32| {
                let class = class as usize;
                let shares: Vec<f64> = valued.iter().map(|&at| shares[(at, class)]).collect();
                area(&shares, &of_valued, class)
            };
            let areas: Vec<f64> = classes.map(area).collect();
            let order = if areas.is_empty() { 0.5 } else { mean(&areas) };
            (hits as f64 / test.len() as f64, order)
        }
        Labels::Numbers { train: of_train, test: of_test } => {
            let all = mean(of_train);
            let mut known: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
            for (row, target) in train.iter().zip(of_train) {
                let (sum, count) = known.entry(cells[*row]).or_insert((all, 1.0));
                (*sum, *count) = (*sum + target, *count + 1.0);
            }
            let of = |row: &usize| known.get(&cells[*row]).map_or(all, |(sum, count)| sum / count);
            let predicted: Vec<f64> = test.iter().map(of).collect();
            let r2 = Errors::of(&predicted, of_test).r2(of_test).unwrap_or(0.0);
            (r2, r2)
        }
    }
}

fn identifies(column: &Column) -> bool {
    let Some(values) = column.numbers() else { return false };
    let whole = |value: &f64| value.fract() == 0.0;
    if values.len() < 2 * LEAST as usize || !values.iter().all(whole) {
        return false;
    }
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let range = sorted[sorted.len() - 1] - sorted[0];
    let falls = || values.iter().rev().is_sorted_by(|a, b| a < b);
    sorted.is_sorted_by(|a, b| a < b)
        && (range < 2.0 * values.len() as f64 || values.is_sorted_by(|a, b| a < b) || falls())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base::digest::Digest;
    use contract::Examples;
    use contract::numeric::NumericRows;

    use super::*;

    /// A column that says nothing, one that is the class with a gap of missing order, and a row number.
    fn dataset() -> Dataset {
        let row = |row: u32| [f64::from(row * 7 % 10), f64::from(row % 2 * 100), f64::from(row)];
        let values = (0..40).flat_map(row).collect();
        let examples = Examples::Numeric(NumericRows::new(3, values));
        let columns = Some(["noise", "class", "row"].map(str::to_owned).to_vec());
        Dataset { columns, ..Dataset::new("d", Digest::of(b"d"), examples) }
    }

    #[test]
    fn a_value_that_is_missing_says_nothing_of_those_that_are_there() {
        let class = |row: u32| row % 2;
        let (train, test): (Vec<u32>, Vec<u32>) =
            ((0..30).map(class).collect(), (30..40).map(class).collect());
        let labels = Labels::Classes { train: &train, test: &test, classes: 2 };
        let value = |row: u32| if row % 5 < 2 { f64::NAN } else { f64::from(row % 2) };
        let values = Column::Numbers((0..40).map(value).collect());
        let (train, test): (Vec<usize>, Vec<usize>) = ((0..30).collect(), (30..40).collect());
        let order = |there: &dyn Fn(usize) -> bool| {
            told(&cells(&values, &train), there, (&train, &test), &labels).1
        };
        assert_eq!(order(&|row| !values.is_missing(row)), 1.0);
        assert!(order(&|_| true) < 1.0);
    }

    fn of(labels: &Labels<'_>) -> Columns {
        let (train, test): (Vec<usize>, Vec<usize>) = ((0..30).collect(), (30..40).collect());
        columns(&Whole::from(Arc::new(dataset())), (&train, &test), labels)
    }

    /// The class is whether a visit is long, of which neither its first nor its last day says much.
    #[test]
    fn of_differences_the_one_that_tells_is_kept() {
        let row = |row: u32| {
            let (first, noise) = (f64::from(row * 37 % 101), f64::from(row * 11 % 23));
            [noise, first, first + f64::from(row * 7 % 10)]
        };
        let examples = Examples::Numeric(NumericRows::new(3, (0..200).flat_map(row).collect()));
        let columns = Some(["noise", "first", "last"].map(str::to_owned).to_vec());
        let dataset = Dataset { columns, ..Dataset::new("d", Digest::of(b"d"), examples) };
        let class = |row: u32| u32::from(row * 7 % 10 > 4);
        let (train, test): (Vec<usize>, Vec<usize>) = ((0..150).collect(), (150..200).collect());
        let of = |rows: std::ops::Range<u32>| rows.map(class).collect::<Vec<u32>>();
        let (of_train, of_test) = (of(0..150), of(150..200));
        let labels = Labels::Classes { train: &of_train, test: &of_test, classes: 2 };
        let dataset = Whole::from(Arc::new(dataset));
        let found = super::columns(&dataset, (&train, &test), &labels);
        let difference = found.most.iter().find(|one| one.less.is_some()).unwrap();
        assert_eq!(difference.columns().collect::<Vec<_>>(), ["first", "last"]);
        assert!(difference.order > 0.99 && found.all == 3, "{found:?}");
        let lines = found.to_lines();
        let lines: Vec<(&str, &str, Vec<f64>)> =
            lines.iter().map(|(what, name, numbers)| (*what, &**name, numbers.clone())).collect();
        let less = lines.iter().find(|(what, ..)| *what == "less").unwrap().clone();
        assert_eq!(Columns::from_lines(&lines), Some(found));
        assert_eq!(Columns::from_lines(&[&lines[..], &[less.clone(), less]].concat()), None);
    }

    #[test]
    fn a_column_that_is_the_label_tells_all_and_a_row_number_identifies() {
        let class = |row: u32| row % 2;
        let (train, test): (Vec<u32>, Vec<u32>) =
            ((0..30).map(class).collect(), (30..40).map(class).collect());
        let found = of(&Labels::Classes { train: &train, test: &test, classes: 2 });
        assert_eq!((found.all, &*found.most[0].column), (3, "row"));
        assert_eq!(
            (&found.most[0].marks[..], &found.most[1].marks[..]),
            (&[Mark::Identifies][..], &[][..])
        );
        assert_eq!(
            (&*found.most[1].column, found.most[1].score, found.most[1].order),
            ("class", 1.0, 1.0)
        );
        let lines = found.to_lines();
        let lines: Vec<(&str, &str, Vec<f64>)> =
            lines.iter().map(|(what, name, numbers)| (*what, &**name, numbers.clone())).collect();
        assert_eq!(Columns::from_lines(&lines), Some(found));
        assert_eq!(Columns::from_lines(&lines[1..]), None);
        let numbers = |class: &Vec<u32>| class.iter().map(|&c| f64::from(c)).collect::<Vec<f64>>();
        let found = of(&Labels::Numbers { train: &numbers(&train), test: &numbers(&test) });
        // The means are drawn a little to that of all: 15.5 / 16 and 0.5 / 16.
        let r2 = 1.0 - 4.0 / 256.0 / 4.0;
        assert!((found.most[1].score - r2).abs() < 1e-12, "{found:?}");
    }
}
