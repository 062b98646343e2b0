//! Rows that are asked to see whether log-likelihoods are those of a distribution.

use base::digest::Digest;
use contract::Measure;
use contract::binary::{BinaryRows, DistinctRows};
use math::random::Random;
use math::sample::Sample;
use math::special::exp;
use program::{Ending, Failure};

use super::proposal::Proposal;

/// All states of so many variables are asked; of more, [`DRAWN`] rows.
const MOST_LISTED: usize = 20;
/// How many rows are drawn.
const DRAWN: usize = 2000;
/// How far the total of all states may be from 1.
const ROUNDING: f64 = 1e-6;
/// Standard errors by which an estimated total may be above 1.
const ERRORS: f64 = 4.0;

/// The rows, and how probable each was to be drawn.
#[derive(Debug)]
pub(crate) struct Probes {
    /// In the order in which they are asked.
    pub rows: BinaryRows,
    /// Logarithm of the probability that a row is drawn; none where all states are asked.
    drawn: Option<Vec<f64>>,
}

impl Probes {
    /// All states of up to 20 variables. Of more, rows drawn from a [`Proposal`].
    pub fn new(train: &DistinctRows) -> Self {
        let variables = train.variables();
        let mut rows = BinaryRows::new(variables);
        if variables <= MOST_LISTED {
            for state in 0u32..1 << variables {
                let ones = (0..variables as u32).filter(|v| state >> v & 1 == 1);
                rows.push(&ones.collect::<Vec<u32>>());
            }
            return Self { rows, drawn: None };
        }
        let proposal = Proposal::new(train);
        let mut random = Random::new(Digest::of(b"probes of a density"));
        let mut drawn = Vec::with_capacity(DRAWN);
        for _ in 0..DRAWN {
            let row = proposal.draw(&mut random);
            drawn.push(proposal.log(&row));
            rows.push(&row);
        }
        Self { rows, drawn: Some(drawn) }
    }

    /// The total probability of all states, or its estimate by importance sampling, from the log-likelihoods of the rows:
    /// a sample, whose mean it is.
    ///
    /// # Errors
    /// If the total is not 1, or the estimate is so far above 1 as chance hardly ever takes it. An estimate below 1 may
    /// be of states that are hardly ever drawn, and refutes nothing.
    pub fn total(&self, values: &[f64]) -> Result<Measure, Failure> {
        let Some(drawn) = &self.drawn else {
            let total: f64 = values.iter().map(|&value| exp(value)).sum();
            if (total - 1.0).abs() > ROUNDING {
                let states = values.len();
                return Err(Failure::new(
                    Ending::NotNormalised,
                    format!(
                        "the probabilities of all {states} states sum to {total}, not to 1: normalise the density"
                    ),
                ));
            }
            return Ok(Measure::Scalar(total));
        };
        let mut total = Sample::default();
        values.iter().zip(drawn).for_each(|(p, q)| total.push(exp(p - q)));
        let (n, mean) = (total.n, total.mean);
        let error = total.sd().unwrap_or(0.0) / (n as f64).sqrt();
        if mean - ERRORS * error > 1.0 + ROUNDING {
            return Err(Failure::new(
                Ending::NotNormalised,
                format!(
                    "the total probability is estimated as {mean} ± {error} from {n} probed rows; it must be 1: normalise the \
                 density"
                ),
            ));
        }
        Ok(Measure::Sample(total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::testing::rows_of;
    use math::special::ln;

    #[test]
    fn all_states_of_few_variables_must_sum_to_one() {
        let probes = Probes::new(&rows_of(&["010", "110"]).distinct());
        assert_eq!(probes.rows.len(), 8);
        let even = vec![-ln(8.0); 8];
        assert!((probes.total(&even).unwrap().value() - 1.0).abs() < 1e-12);
        let double = vec![-ln(4.0); 8];
        assert!(
            matches!(probes.total(&double), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }

    /// Independent variables that are one with probability 0.1.
    #[test]
    fn totals_of_many_variables_are_estimated() {
        let variables = 30;
        let mut random = Random::new(Digest::of(b"independent"));
        let mut train = BinaryRows::new(variables);
        for _ in 0..500 {
            let ones = (0..variables as u32).filter(|_| random.uniform() < 0.1);
            train.push(&ones.collect::<Vec<u32>>());
        }
        let probes = Probes::new(&train.distinct());
        let log = |row: &[u32]| {
            let ones = row.len() as f64;
            ones * ln(0.1) + (variables as f64 - ones) * ln(0.9)
        };
        let values: Vec<f64> = probes.rows.iter().map(log).collect();
        let total = probes.total(&values).unwrap().value();
        assert!((total - 1.0).abs() < 0.05, "{total}");
        let lifted: Vec<f64> = values.iter().map(|value| value + ln(1.2)).collect();
        assert!(
            matches!(probes.total(&lifted), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }
}
