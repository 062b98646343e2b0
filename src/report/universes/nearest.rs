//! The universe with the most published cells: how near to the paper options of choices come together.

use std::collections::BTreeSet;

use contract::DatasetId;
use spec::Comparisons;

use super::court::Court;
use crate::axis::{Scope, meeting};
use crate::cells::{Cells, Selection};
use crate::choices::Options;
use crate::table::{self, Table, near};

/// A published cell in a universe: whether ours is within rounding or noise, and how far it is in half widths of both.
type Cell = (bool, f64);

/// The universe that comes nearest to the published values. It is no cause by itself, and never adopted.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Its number.
    pub universe: usize,
    /// How many cells it has within rounding or noise.
    pub cells: usize,
    /// How many the chosen universe has.
    pub chosen: usize,
    /// Of how many.
    pub of: usize,
    /// Of each data set, how many of its cells the universe has that is nearest by all other data sets, and of how many.
    pub left_out: Vec<(DatasetId, usize, usize)>,
}

/// The cells of a universe with those of data sets that count: how many are near, and the mean distance.
fn score<'c>(cells: impl Iterator<Item = &'c (DatasetId, Cell)> + Clone) -> (usize, f64) {
    let n = cells.clone().count().max(1) as f64;
    let near = cells.clone().filter(|(_, (near, _))| *near).count();
    (near, cells.map(|(_, (_, distance))| distance).sum::<f64>() / n)
}

/// The best of universes by what counts of their cells; of equal ones the first.
fn best<'c>(
    cells: &'c [Vec<(DatasetId, Cell)>],
    counts: impl Fn(&DatasetId) -> bool + Copy + 'c,
) -> Option<usize> {
    let scores = cells.iter().map(|own| score(own.iter().filter(|(dataset, _)| counts(dataset))));
    let scores: Vec<(usize, f64)> = scores.collect();
    let better = |a: &usize, b: &usize| {
        let ((near, distance), (other, further)) = (scores[*a], scores[*b]);
        other.cmp(&near).then(distance.total_cmp(&further))
    };
    (0..scores.len()).min_by(better)
}

/// Of these cells of all universes; none where the paper prints none.
pub(super) fn nearest(cells: &[Vec<(DatasetId, Cell)>]) -> Option<Nearest> {
    let of = cells.iter().map(Vec::len).max().filter(|of| *of > 0)?;
    let universe = best(cells, |_| true)?;
    let mut datasets: Vec<&DatasetId> = cells[0].iter().map(|(dataset, _)| dataset).collect();
    datasets.dedup();
    let without = |dataset: &&DatasetId| {
        let chosen = best(cells, |other| other != *dataset)?;
        let own = cells[chosen].iter().filter(|(of, _)| of == *dataset);
        Some(((*dataset).clone(), score(own.clone()).0, own.count()))
    };
    let left_out = datasets.iter().filter_map(without).collect();
    let near = |at: usize| score(cells[at].iter()).0;
    Some(Nearest { universe, cells: near(universe), chosen: near(0), of, left_out })
}

impl<'a> Court<'a> {
    /// The published cells of a universe that have a value of ours, each once, however many tables show it.
    pub(super) fn near(&self, cells: &Cells<'a>) -> Vec<(DatasetId, Cell)> {
        let experiment = self.experiment;
        let (options, none) = (Options::new(experiment, &[]), Comparisons::default());
        let printed = experiment.tables.iter().filter(|table| table.published.is_some());
        let made = |spec| table::table(experiment, spec, cells, (&options, &none), self.titles);
        let tables: Vec<Table<'_>> = printed.map(made).collect();
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for table in &tables {
            let scope = Scope::of(experiment, table.spec);
            found.extend(table.placed().filter(|at| !at.cell().metric.is_time()).filter_map(
                |at| {
                    let (cell, [row, column]) = (at.cell(), at.headers());
                    let distance = (cell.ours.value? - cell.published?.0).abs();
                    let half = cell.unit / 2.0 + cell.noise.map_or(0.0, |noise| noise.interval);
                    let away = if half > 0.0 { distance / half } else { distance };
                    let Selection { datasets, methods, parts, sweep, grid } =
                        meeting(row, column, scope);
                    let points = sweep.into_iter().chain(grid);
                    let points: Vec<_> =
                        points.map(|(name, value)| (name, value.to_string())).collect();
                    let place = (datasets.clone(), methods, parts, points, cell.metric.name);
                    seen.insert(place).then_some(())?;
                    Some(((*datasets.first()?).clone(), (near(distance, half), away)))
                },
            ));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of the data sets a and b, two each.
    fn cells(near: [bool; 4], away: [f64; 4]) -> Vec<(DatasetId, Cell)> {
        let datasets = ["a", "a", "b", "b"].map(DatasetId::from);
        let cells = near.into_iter().zip(away);
        datasets.into_iter().zip(cells).collect()
    }

    #[test]
    fn the_nearest_universe_has_most_cells_and_is_chosen_without_each_data_set_too() {
        let universes = [
            cells([true, false, false, true], [0.9, 2.0, 3.0, 0.5]),
            cells([true, true, false, false], [0.5, 0.5, 2.0, 2.0]),
            cells([true, false, true, false], [0.2, 1.5, 0.1, 4.0]),
        ];
        // All have two cells: on average they are 1.6, 1.25 and 1.45 half widths away.
        let found = nearest(&universes).unwrap();
        assert_eq!((found.universe, found.cells, found.chosen, found.of), (1, 2, 2, 4));
        // By b alone the first is nearest, 1.75 against 2.05 away, and has one cell of a; by a alone the second, without any
        // cell of b.
        let left_out = [("a", 1, 2), ("b", 0, 2)];
        assert_eq!(found.left_out, left_out.map(|(id, near, of)| (DatasetId::from(id), near, of)));
        assert_eq!(nearest(&[Vec::new(), Vec::new()]), None);
    }
}
