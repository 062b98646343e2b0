//! The columns of a table, by what each alone tells of the labels.

use std::borrow::Cow;

use contract::Examples;
use contract::table::Column;
use data::Dataset;

use crate::boundary::picture::Line;

const COLUMNS: &str = "columns";
const COLUMN: &str = "column";
const LESS: &str = "less";

/// The columns of a table of numbers, names or attributes, by what they tell of the labels of the test examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// How many there are.
    pub all: usize,
    /// Those that identify rows, and those that tell most.
    pub most: Vec<Alone>,
}

/// A column, and what it tells of the labels of the test examples by what the training examples have in its place: the
/// shares of the classes, or the mean of the targets, in intervals of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    /// Its name, or its number from 1.
    pub column: String,
    /// The other column, where it is the difference of two.
    pub less: Option<String>,
    /// Accuracy, or R².
    pub score: f64,
    /// AUC, of several classes the mean over each against the rest; or R² again.
    pub order: f64,
    /// What may be wrong with it.
    pub marks: Vec<Mark>,
}

/// What may be wrong with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It says which row it is: whole numbers, each once, that rise or fall along the file or leave out few.
    Identifies,
    /// Its values follow the mean targets of the rows that share them more closely than chance can.
    Encoded,
    /// Two classes have a value of their own that far more rows share than any other.
    Filled,
    /// Labels agree among the rows that share a value, and hardly with those of the values next to it; or among those of a name.
    Groups,
    /// All rows were scaled or rotated together.
    Scaled,
    /// It tells what the best of very many columns tell by chance, as all others do.
    Selected,
    /// Many rows have the mean of all others.
    Averaged,
    /// It is a statistic of targets, the row's own or later ones among them.
    Computed,
    /// Whether it is missing tells the label.
    Missing,
    /// It lies on lines between values of rows before and after.
    Interpolated,
}

const MARKS: [Mark; 10] = [
    Mark::Identifies,
    Mark::Encoded,
    Mark::Filled,
    Mark::Groups,
    Mark::Scaled,
    Mark::Selected,
    Mark::Averaged,
    Mark::Computed,
    Mark::Missing,
    Mark::Interpolated,
];

/// What columns are called: their names, or without names their numbers from 1.
pub fn names(dataset: &Dataset) -> Vec<String> {
    let name = |at: usize| dataset.columns.as_ref()?.get(at).cloned();
    let named = |at: usize| name(at).unwrap_or_else(|| (at + 1).to_string());
    (0..dataset.examples.variables()).map(named).collect()
}

/// A column of numbers, names or attributes; of 0/1 variables only those that have names, as the columns of a table do.
pub(crate) fn column(dataset: &Dataset, at: usize) -> Option<Cow<'_, Column>> {
    let of_codes = |codes| Cow::Owned(Column::Names { names: Default::default(), codes });
    match &dataset.examples {
        Examples::Table(table) => Some(Cow::Borrowed(&table.columns()[at])),
        Examples::Numeric(rows) => Some(Cow::Owned(Column::Numbers(rows.column(at).collect()))),
        Examples::Categorical(rows) => Some(of_codes(rows.iter().map(|row| row[at]).collect())),
        Examples::Binary(_) | Examples::Packed(_) => {
            dataset.columns.as_ref()?;
            let rows = dataset.examples.binary().ok()?;
            let code = |row| u16::from(rows.is_one(row, at as u32));
            Some(of_codes((0..rows.len()).map(code).collect()))
        }
    }
}

impl Alone {
    /// The columns that it is made of.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        [&self.column].into_iter().chain(&self.less)
    }
}

impl Columns {
    pub(crate) fn to_lines(&self) -> Vec<Line> {
        let line = |one: &Alone| {
            let marks = MARKS.map(|mark| f64::from(u8::from(one.marks.contains(&mark))));
            let numbers = [&[one.score, one.order][..], &marks].concat();
            let less = one.less.clone().map(|less| (LESS, less, Vec::new()));
            [(COLUMN, one.column.clone(), numbers)].into_iter().chain(less)
        };
        let all = (COLUMNS, String::new(), vec![self.all as f64]);
        [all].into_iter().chain(self.most.iter().flat_map(line)).collect()
    }

    pub(crate) fn from_lines(lines: &[(&str, &str, Vec<f64>)]) -> Option<Self> {
        let [(COLUMNS, _, all), lines @ ..] = lines else { return None };
        let column = |lines: &[(&str, &str, Vec<f64>)]| {
            let [(COLUMN, name, numbers), less @ ..] = lines else { return None };
            let less = match less {
                [] => None,
                [(_, less, none)] if none.is_empty() => Some((*less).to_owned()),
                _ => return None,
            };
            let [score, order, ref marks @ ..] = numbers[..] else { return None };
            let marked = MARKS.into_iter().zip(marks).filter(|(_, mark)| **mark > 0.0);
            let marked = marked.map(|(mark, _)| mark).collect();
            let alone = Alone { column: (*name).to_owned(), less, score, order, marks: marked };
            (marks.len() == MARKS.len()).then_some(alone)
        };
        let [all] = all[..] else { return None };
        let most = lines.chunk_by(|_, (next, ..)| *next == LESS).map(column);
        Some(Self { all: all as usize, most: most.collect::<Option<_>>()? })
    }
}
