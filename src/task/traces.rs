//! What is left in a file of what was made of all its rows before anybody divided them.

mod computed;
mod multiplied;
mod numbers;
mod selected;

use std::borrow::Cow;
use std::collections::BTreeMap;

use contract::categorical;
use contract::table::Column;
use data::Dataset;
use math::sample::{Sample, mean};

use crate::agreement::at_least;
use crate::columns::{Mark, column};
use crate::labels::{apart, apart_at_all, as_numbers};
use crate::made::may_be_groups;
use computed::Statistics;
use multiplied::multiplied;
use numbers::{Numbers, correlation};
use selected::selected;

/// Of tables of more values, times classes, it is not asked.
const MOST: usize = 20_000_000;
/// So many columns at least, of half of all that measure something, reach from 0 to 1 by no chance.
const RANGED: usize = 3;
/// Whether a value is missing goes with the target by so large a correlation, or it is so much more often missing in one class than
/// in others; so many rows have one, and so many have none.
const MISSING: f64 = 0.6;
const LEAST: f64 = 20.0;
/// The names of persons, say, take away so much of how far labels are apart.
const ALIKE: f64 = 0.6;

/// What may be wrong with each column of a dataset.
pub(crate) fn traces(dataset: &Dataset) -> Vec<Vec<Mark>> {
    let variables = dataset.examples.variables();
    let values = dataset.examples.len().saturating_mul(variables);
    if values > MOST {
        return vec![Vec::new(); variables];
    }
    let columns: Vec<Cow<'_, Column>> =
        (0..variables).map_while(|at| column(dataset, at)).collect();
    let targets = as_numbers(&dataset.targets);
    let numbers = columns.iter().map(|column| Numbers::of(column.numbers()?));
    let numbers: Vec<Option<Numbers<'_>>> = numbers.collect();
    let measured = numbers.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?)));
    let measured: Vec<(usize, &Numbers<'_>)> = measured.filter(|(_, one)| one.measures()).collect();
    let ranged = measured.iter().filter(|(_, one)| one.is_ranged()).count();
    let ranged = ranged >= RANGED && 2 * ranged >= measured.len();
    let selected = selected(&measured, &targets);
    let factors = dataset.targets.numbers().map(|target| multiplied(&measured, target));
    let factors = factors.unwrap_or_default();
    let (order, groups) = (order(dataset), groups(dataset, &columns));
    let asked = if values * targets.len() <= MOST { &targets[..] } else { &[] };
    let statistics: Vec<Statistics<'_>> =
        asked.iter().map(|target| Statistics::of(target, &order, &groups)).collect();
    let classes = dataset.targets.labels().is_some();
    let marks = |at: usize| {
        let (column, own) = (&columns[at], &numbers[at]);
        let measures = own.as_ref().filter(|one| one.measures());
        let is = |found: &dyn Fn(&Numbers<'_>) -> bool| measures.is_some_and(found);
        let scaled = |one: &Numbers<'_>| {
            one.is_standard() || ranged && one.is_ranged() || one.is_rotated(&measured)
        };
        let computed = |one| statistics.iter().any(|of| of.make(one));
        let named = |(_, codes)| go_together(codes, &targets);
        // Of what is measured 0 often says that nothing was there to measure.
        let zero = |row: usize| classes && measures.is_some_and(|one| one.values()[row] == 0.0);
        let lacks = (0..column.len()).map(|row| column.is_missing(row) || zero(row));
        let lacks: Vec<f64> = lacks.map(f64::from).collect();
        [
            (Mark::Scaled, is(&scaled)),
            (Mark::Selected, selected.contains(&at)),
            (Mark::Multiplied, factors.contains(&at)),
            (Mark::Averaged, is(&|one| one.is_filled())),
            (Mark::Computed, own.as_ref().is_some_and(computed)),
            (Mark::Interpolated, is(&|one| one.is_interpolated(&order))),
            (Mark::Missing, is_missing(&lacks, &targets, classes)),
            (Mark::Groups, column.names().is_some_and(named)),
        ]
        .into_iter()
        .filter_map(|(mark, found)| found.then_some(mark))
        .collect()
    };
    (0..columns.len()).map(marks).collect()
}

/// The rows of each group in time; as they stand in the file where neither is named.
fn order(dataset: &Dataset) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dataset.examples.len()).collect();
    let at = |of: &Option<Vec<u32>>, row: usize| of.as_ref().map(|of| of[row]);
    let marks = &dataset.marks;
    order.sort_by_key(|&row| (at(&marks.groups, row), at(&marks.times, row)));
    order
}

/// The groups of rows that columns of names make, and those that are named. Each missing name is somebody of its own.
fn groups(dataset: &Dataset, columns: &[Cow<'_, Column>]) -> Vec<Vec<u32>> {
    let named = |(row, &code): (usize, &u16)| match code {
        categorical::MISSING => u32::from(u16::MAX) + 1 + row as u32,
        code => code.into(),
    };
    let codes = columns.iter().filter_map(|column| Some(column.names()?.1));
    let codes = codes.map(|codes| codes.iter().enumerate().map(named).collect());
    codes.chain(dataset.marks.groups.clone()).collect()
}

/// Whether rows have a value or not by their targets.
fn is_missing(missing: &[f64], targets: &[Vec<f64>], classes: bool) -> bool {
    let count = missing.iter().sum::<f64>();
    let squares = |values: &[f64]| values.iter().copied().collect::<Sample>().m2;
    let tells = |target: &Vec<f64>| {
        // Of a class the slope is the difference of two shares, which a rare one does not make small.
        let slope = if classes { (squares(missing) / squares(target)).sqrt() } else { 1.0 };
        correlation(missing, target).abs() * slope.max(1.0) > MISSING
    };
    count.min(missing.len() as f64 - count) >= LEAST && targets.iter().any(tells)
}

/// Whether the rows of one name have like targets, where there are many names.
fn go_together(codes: &[u16], targets: &[Vec<f64>]) -> bool {
    let mut rows: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    codes.iter().enumerate().for_each(|(row, &code)| rows.entry(code).or_default().push(row));
    rows.remove(&categorical::MISSING);
    rows.retain(|_, rows| rows.len() > 1);
    if targets.is_empty() || !may_be_groups(rows.values().map(Vec::len), codes.len()) {
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
mod tests;
