//! Density estimation by programs: the answers must be those of one distribution.

use std::collections::HashMap;
use std::path::Path;

use base::digest::Digest;
use contract::Examples;
use contract::binary::DistinctRows;
use math::special::exp;
use program::{Answers, Batch, BatchName, Ending, Failure, HandOver, Program};

use super::probes::Probes;
use super::{Answered, Served, about, consistent, some};
use crate::density::{DensityData, TEST_LL, TOTAL_PROBABILITY, TRAIN_LL, VALID_LL};
use crate::metrics::{TIME_EVALUATE, TIME_FIT};
use crate::{Ask, Measured};

impl DensityData {
    /// Of a trial.
    fn probes(&self, trial: Digest) -> Probes {
        Probes::new(&self.train, &self.test, &self.proposal, trial)
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
        trial: Digest,
        seed: Digest,
    ) -> Result<HandOver, program::Error> {
        let about = about(program, None, Vec::new());
        let (train, valid) = (expanded(&self.train), expanded(&self.valid));
        let mut rows = self.test.rows.select(self.test.of_example.iter().map(|&row| row as usize));
        self.probes(trial).rows.iter().for_each(|row| rows.push(row));
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

    fn asked(&self, _: &Ask) -> Vec<BatchName> {
        let mut asked = vec![BatchName::Train, BatchName::Test, BatchName::Again];
        if self.valid.examples() > 0 {
            asked.insert(1, BatchName::Valid);
        }
        asked
    }

    fn judge(&self, answered: &Answered<'_>, _: &Ask) -> Result<Measured, Failure> {
        let values = |name: BatchName| match answered.answers.get(&name) {
            Some(Answers::LogLikelihoods(values)) => Ok(&values[..]),
            _ => Err(Failure::new(
                Ending::BadAnswer,
                format!("there are no log-likelihoods of `{}`", name.word()),
            )),
        };
        let mut measured = Measured::default();
        let (test, probed) = values(BatchName::Test)?.split_at(self.test.examples());
        let rows = super::again(test.len());
        consistent(test, values(BatchName::Again)?, &rows, "log-likelihood")?;
        let probes = self.probes(answered.trial);
        let total = probes.total(probed)?;
        measured.metrics.insert(&TOTAL_PROBABILITY, total);
        let mut parts = vec![(&TRAIN_LL, &self.train, values(BatchName::Train)?)];
        if self.valid.examples() > 0 {
            parts.push((&VALID_LL, &self.valid, values(BatchName::Valid)?));
        }
        parts.push((&TEST_LL, &self.test, test));
        let mut distinct: HashMap<&[u32], f64> =
            probes.rows.iter().zip(probed.iter().copied()).collect();
        for (metric, rows, of_examples) in parts {
            let values = of_rows(rows, of_examples)?;
            distinct.extend(rows.rows.iter().zip(values.iter().copied()));
            measured.over(metric, rows, &values);
        }
        at_most_one(&distinct)?;
        let (fit, evaluate) = answered.seconds();
        measured.times.insert(&TIME_FIT, fit);
        measured.times.insert(&TIME_EVALUATE, evaluate.unwrap_or_default());
        measured.sizes(self);
        Ok(measured)
    }
}

/// Refuses densities of which the rows that were asked, each counted once, have a probability above 1 together.
fn at_most_one(distinct: &HashMap<&[u32], f64>) -> Result<(), Failure> {
    let mut values: Vec<f64> = distinct.values().copied().collect();
    values.sort_by(f64::total_cmp);
    let mass: f64 = values.iter().map(|&value| exp(value)).sum();
    if mass > 1.0 + 1e-6 {
        return Err(Failure::new(
            Ending::NotNormalised,
            format!(
                "the {} different rows that were asked have a probability of {mass} together, above 1: normalise the density",
                values.len()
            ),
        ));
    }
    Ok(())
}

/// The value of each distinct row, from those of all examples. Equal examples have one value.
fn of_rows(rows: &DistinctRows, of_examples: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut values: Vec<Option<f64>> = vec![None; rows.rows.len()];
    for (&row, &value) in rows.of_example.iter().zip(of_examples) {
        let first = *values[row as usize].get_or_insert(value);
        consistent(&[first], &[value], &[0], "log-likelihood")?;
    }
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::special::ln;

    #[test]
    fn different_rows_have_at_most_all_of_the_probability() {
        let rows: [&[u32]; 3] = [&[], &[0], &[1, 2]];
        let of = |p: f64| rows.iter().map(|&row| (row, ln(p))).collect::<HashMap<&[u32], f64>>();
        assert_eq!(at_most_one(&of(1.0 / 3.0)), Ok(()));
        assert!(
            matches!(at_most_one(&of(0.4)), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }
}
