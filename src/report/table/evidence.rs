//! What becomes of cells by what their notes say moves them.

use contract::{Assignment, Metric};
use spec::{Difference, Experiment, MovesTo, SdOver, TableSpec};

use super::Moved;
use crate::cells::{Cells, Selection};
use crate::choices::Options;
use crate::published;

/// What the differences of a table name, each with the cells of its option and those of the same repeats without it.
pub(super) struct Evidence<'a> {
    experiment: &'a Experiment,
    scale: f64,
    named: Vec<(&'a Difference, Option<[Cells<'a>; 2]>)>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(experiment: &'a Experiment, table: &TableSpec, options: &Options<'a>) -> Self {
        let cells = |one: &'a Difference| match &one.shows.moves_to {
            Some(MovesTo::Choice(choice, Some(option))) => {
                Some(options.beside(&Assignment::of(choice, option)))
            }
            Some(MovesTo::Choice(_, None) | MovesTo::Experiment(..)) | None => None,
        };
        let of_table = experiment.differences.iter().filter(|one| one.table == table.id);
        let named = of_table.map(|one| (one, cells(one))).collect();
        Self { experiment, scale: table.scale, named }
    }

    /// What becomes of the cell in this row and column, whose value is `ours`; nothing where no note says what moves it,
    /// or where that has no value.
    pub(super) fn moved(
        &self,
        (row, column): (&str, &str),
        ours: f64,
        (selection, metric): (&Selection<'a>, &Metric),
    ) -> Option<Moved> {
        let names = |(one, _): &&(&Difference, _)| one.names(&one.table, row, column);
        match self.named.iter().find(names)? {
            (_, Some([own, base])) => {
                let value = |cells: &Cells<'a>| {
                    let cell = cells.cell(selection, metric, SdOver::None);
                    Some(cell.value? * self.scale)
                };
                let noise = own.noise(selection, metric);
                let noise = noise.map(|noise| noise.scaled(self.scale).interval);
                Some(Moved { from: value(base)?, to: value(own)?, noise })
            }
            (one, None) => match &one.shows.moves_to {
                Some(MovesTo::Experiment(_, values)) => {
                    let file = published::file(self.experiment, Some(values))?;
                    let to = published::look_up(file, row, column, metric)?.value;
                    Some(Moved { from: ours, to, noise: None })
                }
                Some(MovesTo::Choice(..)) | None => None,
            },
        }
    }
}
