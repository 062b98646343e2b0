//! What is known of the cells of a table, at full precision: a line each of a file, and what explains one.

use base::words::Worded as _;

use super::{Agreement, Table, TableCell};
use crate::axis::Header;
use crate::cells::Noise;
use crate::sheet::{Cell, Listing, Sheet};

/// A cell of a table, in its place.
#[derive(Clone, Copy)]
pub struct Placed<'t> {
    /// The table.
    pub table: &'t Table<'t>,
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
}

impl<'t> Placed<'t> {
    /// The cells of a row.
    pub fn in_row(table: &'t Table<'t>, row: usize) -> impl Iterator<Item = Self> {
        (0..table.cells[row].len()).map(move |column| Self { table, row, column })
    }

    /// What people read for its row and its column.
    pub fn labels(self) -> [&'t str; 2] {
        self.headers().map(|header| header.label.as_str())
    }

    /// What stands there.
    pub fn cell(self) -> &'t TableCell {
        &self.table.cells[self.row][self.column]
    }

    /// How ours stands to the published value, in a word.
    pub fn agreement(self) -> Option<&'static str> {
        self.cell().agreement.map(|agreement| Agreement::WORDS.word(agreement))
    }

    fn noise(self) -> Option<Noise> {
        self.cell().agreement.and(self.cell().noise)
    }

    /// Its row and its column.
    pub fn headers(self) -> [&'t Header<'t>; 2] {
        [&self.table.rows[self.row], &self.table.columns[self.column]]
    }
}

impl<'t> Table<'t> {
    /// Its cells, row by row.
    pub fn placed(&'t self) -> impl Iterator<Item = Placed<'t>> {
        (0..self.rows.len()).flat_map(|row| Placed::in_row(self, row))
    }
}

/// A table as tidy comma-separated values: one line per cell.
pub fn csv<'t>(table: &'t Table<'t>) -> Vec<u8> {
    cells(table, table.placed()).sheet().csv()
}

/// What programs read of cells:
/// `row,column,metric,value,sd,n,published,difference,best,significant,status,row_label,column_label`;
/// behind them the published standard deviation; where a method marks what is worse, whether our value and the
/// published one are; where the table has published values, half the width of our 95% interval, how ours stands to
/// the paper's, half the width of the interval where another run by our procedure would lie, and whether the paper's
/// lies there; what becomes of ours by what a note says moves it, and the share of the difference that this closes;
/// one unit of the last digit that the paper prints.
pub fn cells<'t>(
    table: &'t Table<'t>,
    cells: impl IntoIterator<Item = Placed<'t>>,
) -> Listing<Placed<'t>> {
    let published = |at: Placed<'t>| at.cell().published;
    let mut sheet = Sheet::of("", cells)
        .value("row", |at: Placed<'t>| &*at.headers()[0].id)
        .value("column", |at| &*at.headers()[1].id)
        .value("metric", |at| at.cell().metric.name)
        .value("value", |at| at.cell().ours.value)
        .value("sd", |at| at.cell().ours.sd)
        .value("n", |at| Some(at.cell().ours.n).filter(|n| *n > 0))
        .value("published", |at| published(at).map(|(value, _)| value))
        .value("difference", |at| at.cell().difference())
        .value("best", |at| at.cell().best)
        .value("significant", |at| at.cell().significant)
        .value("status", |at| at.cell().ours.status.word())
        .value("row_label", |at| Cell::prose(&at.headers()[0].label))
        .value("column_label", |at| Cell::prose(&at.headers()[1].label))
        .value("published_sd", |at| published(at).and_then(|(_, sd)| sd));
    if table.spec.worse_than.is_some() {
        sheet = sheet
            .value("worse", |at| at.cell().worse[0])
            .value("published_worse", |at| at.cell().worse[1]);
    }
    if table.spec.published.is_some() {
        sheet = sheet
            .value("noise", |at| at.noise().map(|noise| noise.interval))
            .value("agreement", Placed::agreement)
            .value("prediction", |at| at.noise().map(|noise| noise.prediction))
            .value("predicted", |at| at.cell().agreement.and(at.cell().predicted()))
            .value("moved", |at| at.cell().agreement.and(at.cell().moved).map(|moved| moved.to))
            .value("share", |at| Some(at.cell().moved?.share(published(at)?.0)))
            .value("unit", |at| at.cell().agreement.map(|_| at.cell().unit));
    }
    sheet
}
