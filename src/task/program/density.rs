//! Density estimation by programs: the answers must be those of one distribution.

use std::borrow::Cow;
use std::collections::HashMap;

use base::digest::Digest;
use contract::Examples;
use contract::binary::{BinaryRows, DistinctRows};
use math::special::exp;
use program::{BatchName, Ending, Failure};

use super::probes::Probes;
use super::{Answered, Parts, Served, asked, consistent};
use crate::density::{DensityData, TEST_LL, TOTAL_PROBABILITY, TRAIN_LL, VALID_LL};
use crate::metrics::TIME_EVALUATE;
use crate::{Ask, Measured};

impl DensityData {
    /// Of a trial.
    fn probes(&self, trial: Digest) -> Probes {
        Probes::new(&self.train, &self.test, &self.proposal, trial)
    }
}

/// The rows of examples, each as often as it occurs, in their order.
fn expanded(rows: &DistinctRows) -> BinaryRows {
    rows.rows.select(rows.of_example.iter().map(|&row| row as usize))
}

impl Served for DensityData {
    fn parts(&self, trial: Digest) -> Parts<'_> {
        let part = |rows| (Cow::Owned(Examples::Binary(rows)), None);
        let mut test = expanded(&self.test);
        let probes = self.probes(trial).rows;
        probes.iter().for_each(|row| test.push(row));
        Parts {
            columns: None,
            classes: Vec::new(),
            batches: [expanded(&self.train), expanded(&self.valid), test].map(part),
            probes: probes.len(),
        }
    }

    fn asked(&self, _: &Ask) -> Vec<BatchName> {
        asked(true, self.valid.examples() > 0)
    }

    fn judge(&self, answered: &Answered<'_>, _: &Ask) -> Result<Measured, Failure> {
        let values = |name| answered.numbers(name);
        let mut measured = answered.timed(&TIME_EVALUATE);
        let (test, probed) = values(BatchName::Test)?.split_at(self.test.examples());
        let rows = super::again(test.len());
        consistent(test, values(BatchName::Again)?, &rows, "log-likelihood")?;
        let probes = self.probes(answered.trial);
        measured.metrics.insert(&TOTAL_PROBABILITY, probes.total(probed)?);
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
        let (train, test) = (&self.train, &self.test);
        measured.sizes(train.variables(), train.examples(), test.examples());
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
