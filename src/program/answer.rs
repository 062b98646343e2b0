//! The answers of a program: read within bounds, checked, and put in the order of the rows that were asked.

mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use base::bounded;
use base::npy::LONGEST_HEADER;
use base::own::{self, NotOwn};
use ndarray::{Array1, Array2, Dim};

use crate::failure::{Ending, Failure};
use crate::hand_over::{About, BatchName, HandOver, LONGEST_NUMBER, Places};
use crate::npy;
use crate::program::Gives;

/// How far the probabilities of a row may be from a sum of 1, and one of them beyond 0 and 1.
pub const SLACK: f64 = 1e-6;

/// The most bytes of `metrics.json`.
const LONGEST_METRICS: u64 = 1 << 20;

/// The checked answers to a batch, in the order in which its rows were given to [`HandOver::write`].
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// The class of each row.
    Labels(Vec<u32>),
    /// A row for each row, a column for each class. Each sums to 1 within 1e-6.
    Probabilities(Array2<f64>),
    /// A row for each row, a column for each class; finite. The larger, the likelier.
    Scores(Array2<f64>),
    /// The predicted target of each row; finite.
    Values(Vec<f64>),
    /// The natural logarithm of the probability of each row; finite.
    LogLikelihoods(Vec<f64>),
}

/// Reads the answers to a batch from the folder in which a program left them.
///
/// # Errors
/// [`Ending::NoAnswer`] if there is no file; [`Ending::BadAnswer`] if it is not what it should be.
pub fn read(folder: &Path, batch: BatchName, hand_over: &HandOver) -> Result<Answers, Failure> {
    let word = batch.word();
    let places = hand_over.places(batch).ok_or_else(|| {
        let message = format!("there is no batch `{word}` in this hand-over to answer");
        Failure::new(Ending::BadAnswer, message)
    })?;
    let (rows, about) = (places.len(), hand_over.about());
    let raw = match raw_npy(folder, word, rows, about)? {
        Some(raw) => raw,
        None => raw_csv(folder, word, rows, about)?.ok_or_else(|| {
            let message = format!(
                "it said that it was done, and left no answers to `{word}`: write {word}.npy and {word}.token.npy, or \
                 {word}.csv, into the folder that `out` names"
            );
            Failure::new(Ending::NoAnswer, message)
        })?,
    };
    ordered(raw, places, about).map_err(|reason| bad(word, reason))
}

/// What a program counted of itself: the numbers of `metrics.json`; none where it wrote none.
///
/// # Errors
/// [`Ending::BadAnswer`] if it is not an object of finite numbers.
pub fn metrics(folder: &Path) -> Result<BTreeMap<String, f64>, Failure> {
    const FILE: &str = "metrics.json";
    let read = own::read_there(&folder.join(FILE), LONGEST_METRICS);
    let Some(bytes) = read.map_err(|error| unusable(FILE, &error))? else {
        return Ok(Default::default());
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        bad(FILE, format!("is no object of numbers: {error}; write {{\"name\": 1.5}}"))
    })
}

/// Answers as a program wrote them, each with its token.
struct Raw {
    /// In the order of the file.
    tokens: Vec<u64>,
    /// As many as tokens.
    values: Values,
}

/// Values that nobody has looked at yet.
enum Values {
    Labels(Vec<i64>),
    OfEachClass(Array2<f64>),
    Reals(Vec<f64>),
}

/// An answer that breaks a rule.
pub(crate) fn bad(what: &str, reason: impl std::fmt::Display) -> Failure {
    Failure::new(Ending::BadAnswer, format!("the answer to `{what}`: {reason}"))
}

fn unusable(file: &str, error: &io::Error) -> Failure {
    let todo = if NotOwn::caused(error) {
        "write the answer itself under another name in `out` and rename it"
    } else if bounded::is_too_long(error) {
        "one answer for each row is expected"
    } else {
        "write it under another name and rename it when it is whole"
    };
    Failure::new(Ending::BadAnswer, format!("{file} can't be used: {error}; {todo}"))
}

/// The bytes of a file of answers; none if it is not there.
fn bytes(folder: &Path, file: &str, most: usize) -> Result<Option<Vec<u8>>, Failure> {
    own::read_there(&folder.join(file), most as u64).map_err(|error| unusable(file, &error))
}

fn wrong(file: &str) -> impl Fn(String) -> Failure {
    move |reason| Failure::new(Ending::BadAnswer, format!("{file} {reason}"))
}

fn raw_npy(folder: &Path, word: &str, rows: usize, about: &About) -> Result<Option<Raw>, Failure> {
    const F8: &str = "f8 (numpy.float64)";
    let classes = about.classes.len();
    let file = format!("{word}.npy");
    let width = if about.gives == Gives::Labels { 4 } else { 8 * classes.max(1) };
    // An answer with too many rows is read as far as it takes to say so.
    let most = |width: usize| LONGEST_HEADER + 12 + width * rows.saturating_mul(2).max(1024);
    let Some(values) = bytes(folder, &file, most(width))? else { return Ok(None) };
    let labels = |found: Array1<i32>| Values::Labels(found.into_iter().map(i64::from).collect());
    let reals = |found: Array1<f64>| Values::Reals(found.to_vec());
    let values = match about.gives {
        Gives::Labels => npy::read(&values, Dim(rows), "i4 (numpy.int32)").map(labels),
        Gives::Probabilities | Gives::Scores => {
            npy::read(&values, Dim([rows, classes]), F8).map(Values::OfEachClass)
        }
        Gives::Values | Gives::LogLikelihoods => npy::read(&values, Dim(rows), F8).map(reals),
    };
    let values = values.map_err(wrong(&file))?;
    let file = format!("{word}.token.npy");
    let missing = || "is missing: save the tokens of the rows beside the answers".to_owned();
    let tokens = bytes(folder, &file, most(8))?.ok_or_else(missing).map_err(wrong(&file))?;
    let tokens: Array1<u64> =
        npy::read(&tokens, Dim(rows), "u8 (numpy.uint64)").map_err(wrong(&file))?;
    Ok(Some(Raw { tokens: tokens.to_vec(), values }))
}

fn raw_csv(folder: &Path, word: &str, rows: usize, about: &About) -> Result<Option<Raw>, Failure> {
    let file = format!("{word}.csv");
    let header: usize = about.classes.iter().map(|class| 2 * class.len() + 4).sum();
    let most = header + 64 + (rows + 1) * (about.classes.len().max(1) + 1) * LONGEST_NUMBER;
    let Some(text) = bytes(folder, &file, most)? else { return Ok(None) };
    text::read(&text, about).map(Some).map_err(wrong(&file))
}

/// Puts answers in the order of the rows, and looks at their values.
fn ordered(raw: Raw, places: &Places, about: &About) -> Result<Answers, String> {
    let order = order(&raw.tokens, places)?;
    let each = |row: usize| format!("of the row with token {}", raw.tokens[row]);
    match raw.values {
        Values::Labels(labels) => {
            let classes = about.classes.len() as i64;
            if let Some(row) = labels.iter().position(|label| !(0..classes).contains(label)) {
                let (label, each, last) = (labels[row], each(row), classes - 1);
                return Err(format!("the label {each} is {label}; classes go from 0 to {last}"));
            }
            Ok(Answers::Labels(order.iter().map(|&row| labels[row] as u32).collect()))
        }
        Values::OfEachClass(table) if about.gives == Gives::Scores => {
            let mut scores = table.indexed_iter();
            if let Some(((row, _), score)) = scores.find(|(_, score)| !score.is_finite()) {
                return Err(format!("a score {} is {score}; it must be finite", each(row)));
            }
            Ok(Answers::Scores(table.select(ndarray::Axis(0), &order)))
        }
        Values::OfEachClass(table) => {
            for (row, probabilities) in table.outer_iter().enumerate() {
                // What is not a number is in no range.
                if !probabilities.iter().all(|p| (-SLACK..=1.0 + SLACK).contains(p)) {
                    let each = each(row);
                    return Err(format!(
                        "a probability {each} is not between 0 and 1: {probabilities}"
                    ));
                }
                let sum: f64 = probabilities.iter().sum();
                if (sum - 1.0).abs() > SLACK {
                    return Err(format!("the probabilities {} sum to {sum}, not to 1", each(row)));
                }
            }
            Ok(Answers::Probabilities(table.select(ndarray::Axis(0), &order)))
        }
        Values::Reals(values) => {
            let densities = about.gives == Gives::LogLikelihoods;
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                let (value, each) = (values[row], each(row));
                return Err(match densities {
                    true => format!(
                        "the log-likelihood {each} is {value}; it must be finite, so give every row a probability above 0"
                    ),
                    false => format!("the value {each} is {value}; it must be a finite number"),
                });
            }
            let values = order.iter().map(|&row| values[row]).collect();
            Ok(if densities { Answers::LogLikelihoods(values) } else { Answers::Values(values) })
        }
    }
}

/// Where the answer to each row of a batch stands.
fn order(tokens: &[u64], places: &Places) -> Result<Vec<usize>, String> {
    let (found, expected) = (tokens.len(), places.len());
    if found != expected {
        return Err(format!("it has {found} rows, and {expected} were asked"));
    }
    let mut order = vec![usize::MAX; expected];
    for (row, &token) in tokens.iter().enumerate() {
        let &place = places.get(&token).ok_or_else(|| {
            format!("token {token} is of no row of this batch; repeat the tokens of its own file")
        })?;
        if order[place] != usize::MAX {
            return Err(format!("token {token} comes twice; answer each row once"));
        }
        order[place] = row;
    }
    Ok(order)
}

#[cfg(test)]
mod tests;
