//! The columns of a table, by what each alone tells of the labels.

use crate::boundary::picture::Line;

const COLUMNS: &str = "columns";
const COLUMN: &str = "column";

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
    /// Accuracy, or R².
    pub score: f64,
    /// AUC, of several classes the mean over each against the rest; or R² again.
    pub order: f64,
    /// Whether it says which row it is: whole numbers, each once, that rise or fall along the file or leave out few.
    pub identifies: bool,
}

impl Columns {
    pub(crate) fn to_lines(&self) -> Vec<Line> {
        let line = |one: &Alone| {
            let numbers = vec![one.score, one.order, f64::from(u8::from(one.identifies))];
            (COLUMN, one.column.clone(), numbers)
        };
        let all = (COLUMNS, String::new(), vec![self.all as f64]);
        [all].into_iter().chain(self.most.iter().map(line)).collect()
    }

    pub(crate) fn from_lines(lines: &[(&str, &str, Vec<f64>)]) -> Option<Self> {
        let [(COLUMNS, _, all), lines @ ..] = lines else { return None };
        let column = |(what, name, numbers): &(&str, &str, Vec<f64>)| {
            let [score, order, identifies] = numbers[..] else { return None };
            let (column, identifies) = ((*name).to_owned(), identifies > 0.0);
            (*what == COLUMN).then_some(Alone { column, score, order, identifies })
        };
        let [all] = all[..] else { return None };
        Some(Self { all: all as usize, most: lines.iter().map(column).collect::<Option<_>>()? })
    }
}
