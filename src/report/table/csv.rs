//! A table as tidy comma-separated values: one line per cell, at full precision.

use base::words::Worded as _;

use super::{Agreement, Table, TableCell};
use crate::axis::Header;
use crate::sheet::{Cell, Sheet};

type Placed<'t> = (&'t Header<'t>, &'t Header<'t>, &'t TableCell);

/// `row,column,metric,value,sd,n,published,difference,best,significant,status,row_label,column_label`;
/// behind them the published standard deviation; where a method marks what is worse, whether our value and the
/// published one are; where the table has published values, half the width of our 95% interval, how ours stands to
/// the paper's, half the width of the interval where another run by our procedure would lie, and whether the paper's
/// lies there.
pub fn csv(table: &Table) -> Vec<u8> {
    let cells = table.rows.iter().zip(&table.cells).flat_map(|(row, cells)| {
        table.columns.iter().zip(cells).map(move |(column, cell)| (row, column, cell))
    });
    let mut sheet = Sheet::of("", cells)
        .value("row", |(row, ..): Placed| &*row.id)
        .value("column", |(_, column, _)| &*column.id)
        .value("metric", |(.., cell)| cell.metric.name)
        .value("value", |(.., cell)| cell.ours.value)
        .value("sd", |(.., cell)| cell.ours.sd)
        .value("n", |(.., cell)| (cell.ours.n > 0).then_some(cell.ours.n))
        .value("published", |(.., cell)| cell.published.map(|(value, _)| value))
        .value("difference", |(.., cell)| cell.difference())
        .value("best", |(.., cell)| cell.best)
        .value("significant", |(.., cell)| cell.significant)
        .value("status", |(.., cell)| cell.ours.status.word())
        .value("row_label", |(row, ..)| Cell::prose(&row.label))
        .value("column_label", |(_, column, _)| Cell::prose(&column.label))
        .value("published_sd", |(.., cell)| cell.published.and_then(|(_, sd)| sd));
    if table.spec.worse_than.is_some() {
        sheet = sheet
            .value("worse", |(.., cell)| cell.worse[0])
            .value("published_worse", |(.., cell)| cell.worse[1]);
    }
    if table.spec.published.is_some() {
        let noise = |cell: &TableCell| cell.agreement.and(cell.noise);
        sheet = sheet
            .value("noise", |(.., cell)| noise(cell).map(|noise| noise.interval))
            .value("agreement", |(.., cell)| cell.agreement.map(|one| Agreement::WORDS.word(one)))
            .value("prediction", |(.., cell)| noise(cell).map(|noise| noise.prediction))
            .value("predicted", |(.., cell)| cell.agreement.and(cell.predicted()));
    }
    sheet.sheet().csv()
}
