//! Regression by programs.

use std::borrow::Cow;

use base::digest::Digest;
use contract::Targeted;
use program::{BatchName, Failure, Labels};

use super::{Answered, Part, Parts, Served, Twice, again, asked};
use crate::metrics::TIME_PREDICT;
use crate::overlap::Overlap;
use crate::regression::RegressionData;
use crate::{Ask, Measured};

impl Served for RegressionData {
    fn overlap(&self) -> Option<&Overlap> {
        Some(&self.overlap)
    }

    fn parts(&self, _: Digest) -> Parts<'_> {
        Parts {
            columns: self.columns.clone(),
            classes: Vec::new(),
            batches: [&self.train, &self.valid, &self.test].map(part),
            probes: 0,
        }
    }

    fn asked(&self, _: &Ask) -> Vec<BatchName> {
        asked(false, !self.valid.targets.is_empty())
    }

    fn judge(&self, answered: &Answered<'_>, ask: &Ask) -> Result<Measured, Failure> {
        let mut measured = answered.timed(&TIME_PREDICT);
        let test = answered.numbers(BatchName::Test)?;
        let rows = again(test.len());
        let mut twice = Twice::new("value", &rows);
        twice.compare(ask, test, answered.numbers(BatchName::Again)?)?;
        twice.measured(&mut measured, ask);
        self.measured_on_test(&mut measured, test, ask);
        self.measured_overlap(&mut measured, ask);
        if !self.valid.targets.is_empty() {
            self.measured_on_valid(&mut measured, answered.numbers(BatchName::Valid)?);
        }
        Ok(measured)
    }
}

fn part(part: &Targeted) -> Part<'_> {
    (Cow::Borrowed(&part.examples), Some(Labels::Numbers(&part.targets)))
}
