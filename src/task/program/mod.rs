//! What a program that is a method is handed, and how its answers are measured: by the metrics and the code of native
//! methods.

mod classification;
mod density;
mod probes;
pub(crate) mod proposal;
mod regression;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::digest::Digest;
use contract::Examples;
use program::{About, Answers, BatchName, Ending, Failure, HandOver, Program, Seconds};

use crate::moved::{MOVED_ANSWERS, near, share};
use crate::{Ask, Measured};

/// How many rows are asked again.
const AGAIN: usize = 32;

/// The examples of a split, for programs.
pub trait Served {
    /// Writes them into a new folder: in an order that follows from `seed`, with what is asked beside them of this trial.
    ///
    /// # Errors
    /// If it can't be written, or the examples can't be handed over.
    fn hand_over(
        &self,
        folder: &Path,
        program: &Program,
        trial: Digest,
        seed: Digest,
    ) -> Result<HandOver, program::Error>;

    /// The batches that a trial asks.
    fn asked(&self, ask: &Ask) -> Vec<BatchName>;

    /// Measures the answers to what was [asked](Self::asked).
    ///
    /// # Errors
    /// What is wrong with them.
    fn judge(&self, answered: &Answered<'_>, ask: &Ask) -> Result<Measured, Failure>;
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
    /// The seconds of fit and prediction: what the program says, else all of them as those of the fit.
    fn seconds(&self) -> (f64, Option<f64>) {
        let said = self.seconds.unwrap_or(Seconds { fit: None, predict: None });
        (said.fit.unwrap_or(self.elapsed.as_secs_f64()), said.predict)
    }
}

/// What a hand-over says beside its rows.
fn about(program: &Program, columns: Option<Vec<String>>, classes: Vec<String>) -> About {
    let Program { gives, form, sees_valid, .. } = *program;
    About { gives, form, sees_valid, columns, classes }
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

/// Some of the examples, as they are asked again.
fn some(examples: &Examples) -> Examples {
    examples.select(&again(examples.len()))
}
