//! A sheet: what is read, as columns and rows of typed cells. It is declared once, and written for terminals, as
//! Markdown, LaTeX, CSV and JSON here, and as HTML by the room `page`.
//!
//! ```
//! use reprise_report::sheet::{Cell, Sheet};
//!
//! let scores = [("iris", Some(0.9533)), ("wine", None)];
//! let sheet = Sheet::of("Scores", &scores)
//!     .text("dataset", "Data set", |(dataset, _): &(&str, Option<f64>)| *dataset)
//!     .number("score", "Score", |(_, score)| Cell::fixed(*score, 2))
//!     .value("missing", |(_, score)| score.is_none())
//!     .sheet();
//! assert_eq!(sheet.terminal(80), "Scores\nData set  Score\niris       0.95\nwine\n");
//! assert_eq!(sheet.csv(), b"dataset,score,missing\niris,0.9533,false\nwine,,true\n");
//! ```

mod cell;
mod csv;
mod latex;
mod letters;
mod markdown;
mod terminal;

pub use cell::{Cell, Number, SIGNS, Tone};
pub(crate) use latex::latex;
pub use letters::mark;
pub(crate) use markdown::escaped;
pub use terminal::PROSE;

use serde_json::{Map, Value};

/// Columns, rows of cells, and what stands under them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// How a terminal lays it out.
    pub form: Form,
    /// Whether the first cell of a row is its name.
    pub named: bool,
    /// Columns from left to right.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Paragraphs under it, without their full stops.
    pub notes: Vec<String>,
    /// What bold means, if a cell is bold: behind the first note.
    pub bold: Option<String>,
    /// What raised letters behind numbers mean.
    pub marks: Vec<(String, String)>,
    /// How many rows are left out, and the file that has them.
    pub more: Option<(usize, Option<&'static str>)>,
    /// What stands on a terminal where a cell is empty.
    pub empty: &'static str,
}

/// How a terminal lays a sheet out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// A line a row; long cells are broken between words.
    #[default]
    List,
    /// A line a cell behind its label, a row below the other; a row without others is an object for programs.
    Record,
    /// Numbers under their labels behind the names of the rows; what is too wide is broken into blocks of columns.
    Grid,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// What programs call it; empty if only people read it.
    pub id: &'static str,
    /// What people read over it; none if only programs read it.
    pub label: Option<String>,
    /// Whether its cells are numbers, flush right.
    pub number: bool,
    /// Whether it stands only on pages, which have the room.
    pub roomy: bool,
    /// In a grid, columns of one group stand side by side under one label.
    pub group: usize,
    /// Whose values it has, where a sheet has those of two.
    pub side: Option<Side>,
}

/// Whose values a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Ours.
    Ours,
    /// The paper's.
    Paper,
}

impl Side {
    /// What people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Paper => "paper",
        }
    }
}

impl Column {
    /// Of texts.
    pub fn text(id: &'static str, label: impl Into<String>) -> Self {
        Self { id, label: Some(label.into()), ..Self::default() }
    }

    /// Of numbers.
    pub fn number(id: &'static str, label: impl Into<String>) -> Self {
        Self { number: true, ..Self::text(id, label) }
    }

    /// What people read over it.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or_default()
    }

    /// Whose values it has, in a word.
    fn side(&self) -> &'static str {
        self.side.map_or("", Side::word)
    }
}

impl Sheet {
    /// A sheet over these, one row each; its columns are added to it.
    pub fn of<R: Copy>(title: impl Into<String>, rows: impl IntoIterator<Item = R>) -> Listing<R> {
        let items: Vec<R> = rows.into_iter().collect();
        let rows = vec![Vec::new(); items.len()];
        Listing { sheet: Self { title: title.into(), rows, ..Self::default() }, items }
    }

    /// The places of the columns that people read, on a page or elsewhere.
    pub fn seen(&self, page: bool) -> Vec<usize> {
        let seen = |at: &usize| {
            let column = &self.columns[*at];
            column.label.is_some() && (page || !column.roomy)
        };
        (0..self.columns.len()).filter(seen).collect()
    }

    /// Its first rows; a file may have the others.
    pub fn first(mut self, most: usize, file: Option<&'static str>) -> Self {
        let more = self.rows.len().saturating_sub(most);
        self.more = (more > 0).then_some((more, file));
        self.rows.truncate(most);
        self
    }

    /// The same, in which people do not see the columns without anything.
    pub fn without_empty(mut self) -> Self {
        let nothing = |cell: &Cell| match cell {
            Cell::Empty | Cell::Count(0) => true,
            Cell::Text(text) | Cell::Prose(text) => text.is_empty(),
            _ => false,
        };
        for (at, column) in self.columns.iter_mut().enumerate() {
            if self.rows.iter().all(|row| nothing(&row[at])) {
                column.label = None;
            }
        }
        self
    }

    /// An object for each row, for programs.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let named = self.columns.iter().zip(row).filter(|(column, _)| !column.id.is_empty());
            Value::Object(
                named.map(|(one, cell)| (one.id.to_owned(), cell.json())).collect::<Map<_, _>>(),
            )
        };
        self.rows.iter().map(object).collect()
    }

    /// Positions of columns, those of one group together.
    fn grouped<'c>(&self, columns: &'c [usize]) -> impl Iterator<Item = &'c [usize]> {
        columns.chunk_by(|a, b| self.columns[*a].group == self.columns[*b].group)
    }

    /// Whether columns say whose values they have.
    fn sides(&self) -> bool {
        self.columns.iter().any(|column| column.side == Some(Side::Paper))
    }

    /// The notes, with what bold means, called `bold` here, behind the first.
    pub fn paragraphs(&self, bold: &str) -> Vec<String> {
        let meaning = self.bold.as_ref().map(|meaning| format!("{bold}: {meaning}"));
        let mut notes = self.notes.clone();
        match (notes.first_mut(), meaning) {
            (Some(first), Some(meaning)) => *first += &format!("; {meaning}"),
            (None, Some(meaning)) => notes.push(meaning),
            (_, None) => {}
        }
        notes
    }
}

/// A sheet to which columns are added.
#[derive(Debug, Clone)]
pub struct Listing<R> {
    items: Vec<R>,
    sheet: Sheet,
}

impl<R: Copy> Listing<R> {
    /// A column of texts.
    pub fn text<C: Into<Cell>>(self, id: &'static str, label: &str, of: impl Fn(R) -> C) -> Self {
        self.column(Column::text(id, label), of)
    }

    /// A column of numbers.
    pub fn number<C: Into<Cell>>(self, id: &'static str, label: &str, of: impl Fn(R) -> C) -> Self {
        self.column(Column::number(id, label), of)
    }

    /// A column that only programs read.
    pub fn value<C: Into<Cell>>(self, id: &'static str, of: impl Fn(R) -> C) -> Self {
        self.column(Column { id, ..Column::default() }, of)
    }

    /// A column that only people read.
    pub fn shown<C: Into<Cell>>(self, label: &str, of: impl Fn(R) -> C) -> Self {
        self.text("", label, of)
    }

    /// A column of any kind.
    pub fn column<C: Into<Cell>>(mut self, column: Column, of: impl Fn(R) -> C) -> Self {
        let group = self.sheet.columns.len();
        self.sheet.columns.push(Column { group, ..column });
        for (item, row) in self.items.iter().zip(&mut self.sheet.rows) {
            row.push(of(*item).into());
        }
        self
    }

    /// What stands on a terminal where a cell is empty.
    pub fn empty(mut self, text: &'static str) -> Self {
        self.sheet.empty = text;
        self
    }

    /// Its first column has the names of the rows.
    pub fn named(mut self) -> Self {
        self.sheet.named = true;
        self
    }

    /// Paragraphs under it, without their full stops.
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.sheet.notes.extend(notes);
        self
    }

    /// The sheet.
    pub fn sheet(self) -> Sheet {
        self.sheet
    }
}

/// Things of these widths in blocks behind a stub: as many in each as are no wider together than `most`, one at least.
fn packed<T>(things: impl IntoIterator<Item = (T, f64)>, stub: f64, most: f64) -> Vec<Vec<T>> {
    let (mut blocks, mut block, mut width) = (Vec::new(), Vec::new(), stub);
    for (thing, more) in things {
        if !block.is_empty() && width + more > most {
            blocks.push(std::mem::take(&mut block));
            width = stub;
        }
        block.push(thing);
        width += more;
    }
    blocks.push(block);
    blocks
}

/// Values by what they have in common, in the order in which it is first met.
pub(crate) fn gathered<K: PartialEq, V>(pairs: impl Iterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut gathered: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match gathered.iter_mut().find(|(other, _)| *other == key) {
            Some((_, values)) => values.push(value),
            None => gathered.push((key, vec![value])),
        }
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One listing in all forms, with what each must escape, round or leave out.
    #[test]
    fn a_sheet_is_written_for_people_and_programs() {
        let rows = [("a_b", Some(0.123_456), "=1|2"), ("c", None, "")];
        type Row<'r> = &'r (&'r str, Option<f64>, &'r str);
        let sheet = Sheet::of("Scores", &rows)
            .text("id", "Name", |(id, ..): Row| *id)
            .number("score", "Score", |(_, score, _)| Cell::fixed(*score, 2))
            .value("all", |(_, score, _)| score.is_some())
            .shown("Remark", |(.., remark)| Cell::prose(*remark))
            .value("remark", |(.., remark)| Cell::prose(*remark))
            .empty("-")
            .notes(["two of many".to_owned()])
            .sheet();
        assert_eq!(
            sheet.terminal(80),
            "Scores\nName  Score  Remark\na_b    0.12  =1|2\nc         -\ntwo of many\n"
        );
        assert_eq!(
            sheet.markdown(),
            "| Name | Score | Remark |\n|:--|--:|:--|\n| a\\_b | 0.12 | =1\\|2 |\n| c |  |  |\n\ntwo of many.\n"
        );
        assert_eq!(
            String::from_utf8(sheet.csv()).unwrap(),
            "id,score,all,remark\na_b,0.123456,true,'=1|2\nc,,false,\n"
        );
        assert_eq!(
            sheet.json(),
            serde_json::json!([
                { "id": "a_b", "score": 0.123_456, "all": true, "remark": "=1|2" },
                { "id": "c", "score": null, "all": false, "remark": "" },
            ])
        );
        let grid = Sheet { form: Form::Grid, ..sheet.clone() };
        assert_eq!(
            grid.terminal(80),
            "Scores\nName   Score    Remark\na_b     0.12      =1|2\nc\ntwo of many\n"
        );
        let first = sheet.first(1, Some("scores.csv"));
        assert!(first.terminal(80).contains("\nand 1 more in scores.csv\n"));
        assert!(first.markdown().contains("\nAnd 1 more in `scores.csv`.\n"));
    }
}
