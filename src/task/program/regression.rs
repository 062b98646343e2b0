//! Regression by programs.

use std::path::Path;

use base::digest::Digest;
use contract::Targeted;
use program::{Answers, Batch, BatchName, Ending, Failure, HandOver, Labels, Program};

use super::{Answered, Served, Twice, about, again, some};
use crate::classification::TIME_PREDICT;
use crate::metrics::TIME_FIT;
use crate::regression::RegressionData;
use crate::{Ask, Measured};

impl Served for RegressionData {
    fn hand_over(
        &self,
        folder: &Path,
        program: &Program,
        _: Digest,
        seed: Digest,
    ) -> Result<HandOver, program::Error> {
        let about = about(program, self.columns.clone(), Vec::new());
        let again = some(&self.test.examples);
        let mut batches = vec![batch(BatchName::Train, &self.train, true)];
        if !self.valid.targets.is_empty() {
            batches.push(batch(BatchName::Valid, &self.valid, program.sees_valid));
        }
        batches.push(batch(BatchName::Test, &self.test, false));
        batches.push(Batch { name: BatchName::Again, examples: &again, labels: None });
        HandOver::write(folder, about, &batches, seed)
    }

    fn asked(&self, _: &Ask) -> Vec<BatchName> {
        let mut asked = vec![BatchName::Test, BatchName::Again];
        if !self.valid.targets.is_empty() {
            asked.insert(0, BatchName::Valid);
        }
        asked
    }

    fn judge(&self, answered: &Answered<'_>, ask: &Ask) -> Result<Measured, Failure> {
        let values = |name: BatchName| match answered.answers.get(&name) {
            Some(Answers::Values(values)) => Ok(&values[..]),
            _ => Err(Failure::new(
                Ending::BadAnswer,
                format!("there are no values of `{}`", name.word()),
            )),
        };
        let mut measured = Measured::default();
        let (fit, predict) = answered.seconds();
        measured.times.insert(&TIME_FIT, fit);
        measured.times.insert(&TIME_PREDICT, predict.unwrap_or_default());
        let test = values(BatchName::Test)?;
        let rows = again(test.len());
        let mut twice = Twice::new("value", &rows);
        twice.compare(ask, test, values(BatchName::Again)?)?;
        twice.measured(&mut measured, ask);
        self.measured_on_test(&mut measured, test, ask);
        self.measured_overlap(&mut measured, ask);
        if !self.valid.targets.is_empty() {
            self.measured_on_valid(&mut measured, values(BatchName::Valid)?);
        }
        Ok(measured)
    }
}

fn batch(name: BatchName, part: &Targeted, seen: bool) -> Batch<'_> {
    let labels = seen.then_some(Labels::Numbers(&part.targets));
    Batch { name, examples: &part.examples, labels }
}
