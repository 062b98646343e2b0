//! The columns of a table, by what each alone tells of the labels.

use std::borrow::Cow;

use base::words;
use base::words::Worded as _;
use contract::Examples;
use contract::table::Column;
use data::Dataset;

use crate::boundary::picture::Line;

const COLUMNS: &str = "columns";
const COLUMN: &str = "column";
const LESS: &str = "less";
const MARK: &str = "mark";

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

/// A column measures something if it has so many values.
pub(crate) const MEASURES: usize = 20;

words! {
    /// What may be wrong with a column, and how that is said of it.
    pub enum Mark {
        /// Whole numbers, each once, that rise or fall along the file or leave out few.
        Identifies = "identifies", "says which row it is";
        /// They follow more closely than chance can.
        Encoded = "encoded", "follows the mean targets of the rows that share its values: encoded by all rows?";
        /// Far more rows share each than any other.
        Filled = "filled", "has a value for each of several classes, in many rows: filled in by class?";
        Groups = "groups", "rows of one value have like labels, and others have not: whose rows are they? name the `group`";
        Scaled = "scaled", "scaled or rotated by all rows: leave that to `standardised` of the entry, or to the method";
        Selected = "selected", "tell what the best of very many columns tell by chance: selected by all rows?";
        Multiplied = "multiplied", "multiply up to the target, all but exactly: are all of them known when a prediction is made?";
        Averaged = "averaged", "has in many rows the mean of all others: filled in by all rows?";
        Computed = "computed", "is a mean or sum of targets, the row's own or later ones among them; if the file runs backwards, name the `time`";
        Missing = "missing", "is missing, or 0, by the label: is it known when a prediction is made?";
        Interpolated = "interpolated", "lies on lines between values of rows before and after: interpolated over all rows?";
    }
}

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
            let less = one.less.clone().map(|less| (LESS, less, Vec::new()));
            let marks = one.marks.iter().map(|mark| (MARK, mark.word().to_owned(), Vec::new()));
            let column = (COLUMN, one.column.clone(), vec![one.score, one.order]);
            [column].into_iter().chain(less).chain(marks).collect::<Vec<_>>()
        };
        let all = (COLUMNS, String::new(), vec![self.all as f64]);
        [all].into_iter().chain(self.most.iter().flat_map(line)).collect()
    }

    pub(crate) fn from_lines(lines: &[(&str, &str, Vec<f64>)]) -> Option<Self> {
        let [(COLUMNS, _, all), lines @ ..] = lines else { return None };
        let column = |lines: &[(&str, &str, Vec<f64>)]| {
            let [(COLUMN, name, numbers), further @ ..] = lines else { return None };
            let [score, order] = numbers[..] else { return None };
            let mut alone =
                Alone { column: (*name).to_owned(), less: None, score, order, marks: Vec::new() };
            for (what, text, none) in further {
                match *what {
                    LESS if none.is_empty() && alone.less.is_none() => {
                        alone.less = Some((*text).to_owned());
                    }
                    MARK if none.is_empty() => alone.marks.push(Mark::WORDS.value(text)?),
                    _ => return None,
                }
            }
            Some(alone)
        };
        let [all] = all[..] else { return None };
        let most = lines.chunk_by(|_, (next, ..)| *next != COLUMN).map(column);
        Some(Self { all: all as usize, most: most.collect::<Option<_>>()? })
    }
}
