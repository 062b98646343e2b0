//! Density estimation by programs: the answers must be those of one distribution.

use std::path::Path;

use base::digest::Digest;
use contract::Examples;
use contract::binary::DistinctRows;
use program::{About, Answers, Batch, BatchName, HandOver, Program};

use super::probes::Probes;
use super::{Answered, Rejected, Served, consistent, some};
use crate::density::{DensityData, TEST_LL, TOTAL_PROBABILITY, TRAIN_LL, VALID_LL};
use crate::metrics::{TIME_EVALUATE, TIME_FIT};
use crate::{Ask, Measured};

impl DensityData {
    fn probes(&self) -> Probes {
        Probes::new(&self.train.rows, self.train.variables())
    }
}

/// The rows of examples, each as often as it occurs, in their order.
fn expanded(rows: &DistinctRows) -> Examples {
    Examples::Binary(rows.rows.select(rows.of_example.iter().map(|&row| row as usize)))
}

impl Served for DensityData {
    fn hand_over(
        &self,
        folder: &Path,
        program: &Program,
        seed: Digest,
    ) -> Result<HandOver, program::Error> {
        let about = About {
            gives: program.gives,
            form: program.form,
            sees_valid: program.sees_valid,
            columns: None,
            classes: Vec::new(),
        };
        let (train, valid) = (expanded(&self.train), expanded(&self.valid));
        let mut rows = self.test.rows.select(self.test.of_example.iter().map(|&row| row as usize));
        self.probes().rows.iter().for_each(|row| rows.push(row));
        let test = Examples::Binary(rows);
        let again = some(&expanded(&self.test));
        let batch = |name, examples| Batch { name, examples, labels: None };
        let mut batches = vec![batch(BatchName::Train, &train)];
        if !valid.is_empty() {
            batches.push(batch(BatchName::Valid, &valid));
        }
        batches.push(batch(BatchName::Test, &test));
        batches.push(batch(BatchName::Again, &again));
        HandOver::write(folder, about, &batches, seed)
    }

    fn asked(&self, _: &Ask) -> Result<Vec<BatchName>, String> {
        let mut asked = vec![BatchName::Train, BatchName::Test, BatchName::Again];
        if self.valid.examples() > 0 {
            asked.insert(1, BatchName::Valid);
        }
        Ok(asked)
    }

    fn judge(&self, answered: &Answered<'_>, _: &Ask) -> Result<Measured, Rejected> {
        let values = |name: BatchName| match answered.answers.get(&name) {
            Some(Answers::LogLikelihoods(values)) => Ok(&values[..]),
            _ => Err(Rejected::Bad(format!("there are no log-likelihoods of `{}`", name.word()))),
        };
        let mut measured = Measured::default();
        let (test, probed) = values(BatchName::Test)?.split_at(self.test.examples());
        let rows = super::again(test.len());
        consistent(test, values(BatchName::Again)?, &rows, "log-likelihood")?;
        let total = self.probes().total(probed)?;
        measured.scalar(&TOTAL_PROBABILITY, total);
        measured.over(&TRAIN_LL, &self.train, &of_rows(&self.train, values(BatchName::Train)?)?);
        if self.valid.examples() > 0 {
            let valid = of_rows(&self.valid, values(BatchName::Valid)?)?;
            measured.over(&VALID_LL, &self.valid, &valid);
        }
        measured.over(&TEST_LL, &self.test, &of_rows(&self.test, test)?);
        let (fit, evaluate) = answered.seconds();
        measured.times.insert(&TIME_FIT, fit);
        measured.times.insert(&TIME_EVALUATE, evaluate.unwrap_or_default());
        measured.sizes(self);
        Ok(measured)
    }
}

/// The value of each distinct row, from those of all examples. Equal examples have one value.
fn of_rows(rows: &DistinctRows, of_examples: &[f64]) -> Result<Vec<f64>, Rejected> {
    let mut values: Vec<Option<f64>> = vec![None; rows.rows.len()];
    for (&row, &value) in rows.of_example.iter().zip(of_examples) {
        let first = *values[row as usize].get_or_insert(value);
        consistent(&[first], &[value], &[0], "log-likelihood")?;
    }
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}
