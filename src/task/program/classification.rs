//! Classification by programs.

use std::borrow::Cow;

use base::digest::Digest;
use program::{Answers, BatchName, Ending, Failure, Labels};

use super::{Answered, Part, Parts, Served, Twice, again, asked};
use crate::classification::{
    ClassificationData, TEST_JOINT_LL, TRAIN_ACCURACY, VALID_ACCURACY, hits, measured_on_train,
};
use crate::metrics::TIME_PREDICT;
use crate::overlap::Overlap;
use crate::probabilities;
use crate::{Ask, Measured};
use contract::Labelled;
use math::sample::mean;

impl Served for ClassificationData {
    fn overlap(&self) -> Option<&Overlap> {
        Some(&self.overlap)
    }

    fn parts(&self, _: Digest) -> Parts<'_> {
        Parts {
            columns: self.columns.clone(),
            classes: self.names.clone(),
            batches: [&self.train, &self.valid, &self.test].map(part),
            probes: 0,
        }
    }

    fn asked(&self, ask: &Ask) -> Vec<BatchName> {
        asked(ask.names(&TRAIN_ACCURACY), !self.valid.labels.is_empty())
    }

    fn judge(&self, answered: &Answered<'_>, ask: &Ask) -> Result<Measured, Failure> {
        let mut measured = answered.timed(&TIME_PREDICT);
        let of = |name| answered.answers.get(&name);
        let predicted =
            |name| classes(of(name).ok_or_else(|| Failure::new(Ending::BadAnswer, absent(name)))?);
        let test = predicted(BatchName::Test)?;
        let rows = again(test.len());
        match (of(BatchName::Test), of(BatchName::Again)) {
            (
                Some(Answers::Probabilities(first) | Answers::Scores(first)),
                Some(Answers::Probabilities(second) | Answers::Scores(second)),
            ) => {
                let mut twice = Twice::new("probability or score of a class", &rows);
                for (one, other) in first.columns().into_iter().zip(second.columns()) {
                    twice.compare(ask, &one.to_vec(), &other.to_vec())?;
                }
                twice.measured(&mut measured, ask);
            }
            _ => {
                let numbers =
                    |classes: &[u32]| classes.iter().map(|&c| f64::from(c)).collect::<Vec<f64>>();
                let second = predicted(BatchName::Again)?;
                let mut twice = Twice::new("class", &rows);
                twice.compare(ask, &numbers(&test), &numbers(&second))?;
                twice.measured(&mut measured, ask);
            }
        }
        self.measured_on_test(&mut measured, &test, ask);
        self.measured_overlap(&mut measured, ask);
        if ask.predictions || probabilities::asked(ask) {
            let tables = match of(BatchName::Test) {
                Some(Answers::Probabilities(table)) => [Some(table); 2],
                Some(Answers::Scores(table)) => [None, Some(table)],
                _ => [None; 2],
            };
            self.measured_by_class(&mut measured, tables, ask);
        }
        measured.lacks([&TEST_JOINT_LL], ask, "a program answers with nothing to compute it from");
        if !self.valid.labels.is_empty() {
            let valid = hits(&predicted(BatchName::Valid)?, &self.valid);
            measured.scalar(&VALID_ACCURACY, mean(&valid));
        }
        if ask.names(&TRAIN_ACCURACY) {
            let train = hits(&predicted(BatchName::Train)?, &self.train);
            measured_on_train(&mut measured, &train);
        }
        Ok(measured)
    }
}

fn part(part: &Labelled) -> Part<'_> {
    (Cow::Borrowed(&part.examples), Some(Labels::Classes(&part.labels)))
}

fn absent(name: BatchName) -> String {
    format!("there is no answer to `{}`", name.word())
}

/// The class of each row; of probabilities or scores that with the largest, of equal ones the first.
fn classes(answers: &Answers) -> Result<Vec<u32>, Failure> {
    match answers {
        Answers::Labels(labels) => Ok(labels.clone()),
        Answers::Probabilities(table) | Answers::Scores(table) => {
            let best = |row| probabilities::most_probable(row) as u32;
            Ok(table.outer_iter().map(best).collect())
        }
        Answers::Values(_) | Answers::LogLikelihoods(_) => Err(Failure::new(
            Ending::BadAnswer,
            "it answers with other numbers where classes are asked",
        )),
    }
}
