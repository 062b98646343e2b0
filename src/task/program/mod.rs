//! What a program that is a method is handed, and how its answers are measured: by the metrics and the code of native
//! methods.

mod classification;
mod density;
mod probes;
pub(crate) mod proposal;
mod regression;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::digest::Digest;
use contract::{Examples, Metric};
use program::{
    About, Answers, Batch, BatchName, Ending, Failure, HandOver, Labels, Program, Seconds,
};

use crate::metrics::{TIME_FIT, TIME_PROGRAM};
use crate::moved::{MOVED_ANSWERS, near, share};
use crate::overlap::Overlap;
use crate::{Ask, Measured};

/// How many rows are asked again.
const AGAIN: usize = 32;

/// The examples of a split, for programs.
pub trait Served {
    /// The batches, with what is asked beside the test rows in this trial.
    fn parts(&self, trial: Digest) -> Parts<'_>;

    /// What knows the columns that its rows had before anything was made of them; none where nothing does.
    fn overlap(&self) -> Option<&Overlap> {
        None
    }

    /// The batches that a trial asks.
    fn asked(&self, ask: &Ask) -> Vec<BatchName>;

    /// Measures the answers to what was [asked](Self::asked).
    ///
    /// # Errors
    /// What is wrong with them.
    fn judge(&self, answered: &Answered<'_>, ask: &Ask) -> Result<Measured, Failure>;

    /// Writes the batches into a new folder: in an order that follows from `seed`.
    ///
    /// # Errors
    /// If it can't be written, or the examples can't be handed over.
    fn hand_over(
        &self,
        folder: &Path,
        program: &Program,
        trial: Digest,
        seed: Digest,
    ) -> Result<HandOver, program::Error> {
        let mut parts = self.parts(trial);
        let Program { gives, form, sees_valid, frame, .. } = *program;
        if frame {
            let tables = self.overlap().and_then(Overlap::tables);
            let none = || program::Error::Examples("they are no table".to_owned());
            let (columns, tables) = tables.ok_or_else(none)?;
            parts.columns = columns;
            for (part, table) in parts.batches.iter_mut().zip(tables) {
                part.0 = Cow::Owned(table);
            }
        }
        let Parts { columns, classes, batches: [train, valid, test], probes } = parts;
        let about = About { gives, form, sees_valid, columns, classes };
        let again = (Cow::Owned(test.0.select(&again(test.0.len() - probes))), None);
        let mut batches = Vec::new();
        for (name, (examples, labels), seen) in [
            (BatchName::Train, &train, true),
            (BatchName::Valid, &valid, sees_valid),
            (BatchName::Test, &test, false),
            (BatchName::Again, &again, false),
        ] {
            if name != BatchName::Valid || !examples.is_empty() {
                batches.push(Batch { name, examples, labels: labels.filter(|_| seen) });
            }
        }
        HandOver::write(folder, about, &batches, seed)
    }
}

/// What programs are handed of a split.
#[derive(Debug)]
pub struct Parts<'a> {
    /// Names of the variables, where they have some.
    columns: Option<Vec<String>>,
    /// Names of the classes, where there are some.
    classes: Vec<String>,
    /// Those of training, validation and test.
    batches: [Part<'a>; 3],
    /// How many of the test rows, the last, are asked beside those of the split.
    probes: usize,
}

/// Rows, and what is learned of each.
type Part<'a> = (Cow<'a, Examples>, Option<Labels<'a>>);

/// The batches that are asked: those of the test rows, and others.
fn asked(train: bool, valid: bool) -> Vec<BatchName> {
    let others = [(BatchName::Train, train), (BatchName::Valid, valid)];
    let others = others.into_iter().filter_map(|(name, asked)| asked.then_some(name));
    others.chain([BatchName::Test, BatchName::Again]).collect()
}

/// The checked answers of a program.
#[derive(Debug)]
pub struct Answered<'a> {
    /// Key of the trial.
    pub trial: Digest,
    /// By batch, in the order of the rows that were handed over.
    pub answers: &'a BTreeMap<BatchName, Answers>,
    /// What the program says of its seconds.
    pub seconds: Option<Seconds>,
    /// From the request to the reply.
    pub elapsed: Duration,
}

impl Answered<'_> {
    /// The seconds of the fit, those of what this metric is of, and the rest: what the program says, else all of them as
    /// those of the fit.
    fn timed(&self, predict: &'static Metric) -> Measured {
        let said = self.seconds.unwrap_or(Seconds { fit: None, predict: None });
        let elapsed = self.elapsed.as_secs_f64();
        let predicted = said.predict.unwrap_or_default();
        let fitted = said.fit.unwrap_or_else(|| (elapsed - predicted).max(0.0));
        let mut measured = Measured::default();
        measured.times.insert(&TIME_FIT, fitted);
        measured.times.insert(predict, predicted);
        measured.times.insert(&TIME_PROGRAM, (elapsed - fitted - predicted).max(0.0));
        measured
    }

    /// The number that is answered to each row of a batch.
    fn numbers(&self, name: BatchName) -> Result<&[f64], Failure> {
        match self.answers.get(&name) {
            Some(Answers::Values(values) | Answers::LogLikelihoods(values)) => Ok(values),
            _ => Err(Failure::new(
                Ending::BadAnswer,
                format!("there are no numbers of `{}`", name.word()),
            )),
        }
    }
}

/// The rows of a batch that are asked again: at most [`AGAIN`], and half of them, so that they meet other rows; spread
/// evenly.
fn again(rows: usize) -> Vec<usize> {
    let count = rows.div_ceil(2).min(AGAIN);
    (0..count).map(|place| place * rows / count).collect()
}

/// The answers to some of the rows, asked twice.
struct Twice<'a> {
    /// What is answered, for messages.
    what: &'static str,
    /// The rows that were asked again.
    rows: &'a [usize],
    moved: Vec<bool>,
}

impl<'a> Twice<'a> {
    fn new(what: &'static str, rows: &'a [usize]) -> Self {
        Self { what, rows, moved: vec![false; rows.len()] }
    }

    /// Compares numbers of all rows with those of the ones that were asked again, with other rows and in another order.
    ///
    /// # Errors
    /// If a row is answered in another way, unless an experiment asks how many are.
    fn compare(&mut self, ask: &Ask, first: &[f64], repeated: &[f64]) -> Result<(), Failure> {
        for ((&row, &second), moved) in self.rows.iter().zip(repeated).zip(&mut self.moved) {
            let one = first[row];
            *moved |= !near(one, second);
            if *moved && !ask.names(&MOVED_ANSWERS) {
                let what = self.what;
                return Err(Failure::new(
                    Ending::BadAnswer,
                    format!(
                        "the {what} of a test row is {one} among all test rows and {second} among a few of them: an answer must \
                         not depend on the rows that it is asked with, or on their order"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Adds how many moved, if that is asked for.
    fn measured(&self, measured: &mut Measured, ask: &Ask) {
        if ask.names(&MOVED_ANSWERS) {
            measured.scalar(&MOVED_ANSWERS, share(&self.moved));
        }
    }
}

/// Refuses rows that are answered in another way when they are asked again.
fn consistent(
    first: &[f64],
    repeated: &[f64],
    rows: &[usize],
    what: &'static str,
) -> Result<(), Failure> {
    Twice::new(what, rows).compare(&Ask::default(), first, repeated)
}
