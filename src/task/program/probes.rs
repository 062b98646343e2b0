//! Rows that are asked to see whether log-likelihoods are those of a distribution.

use std::sync::OnceLock;

use base::digest::{Digest, FieldHasher};
use contract::Measure;
use contract::binary::{BinaryRows, DistinctRows};
use math::random::Random;
use math::sample::Sample;
use math::special::{exp, ln};
use math::vector::log_sum_exp;
use program::{Ending, Failure};

use super::proposal::{Flipped, Proposal};

/// All states of so many variables are asked; of more, [`DRAWN`] rows.
const MOST_LISTED: usize = 20;
/// How many rows are drawn.
const DRAWN: usize = 2000;
/// How far the total of all states may be from 1.
const ROUNDING: f64 = 1e-6;
/// Standard errors by which an estimated total may be above 1.
const ERRORS: f64 = 4.0;
/// An estimate above this is refused whatever its error: of a normalised density it is above 1/p with a probability of at
/// most p (Markov's inequality), and few huge weights have an error as large as their mean.
const MOST: f64 = 1e4;

/// The rows, and how probable each was to be drawn.
#[derive(Debug)]
pub(crate) struct Probes {
    /// In the order in which they are asked.
    pub rows: BinaryRows,
    /// Logarithm of the probability that a row is drawn; none where all states are asked.
    drawn: Option<Vec<f64>>,
}

impl Probes {
    /// All states of up to 20 variables. Of more, rows that follow from `seed`: half of them drawn from the proposal, half
    /// near the test rows. All are weighed by how probable they are to be drawn in either way.
    pub fn new(
        train: &DistinctRows,
        test: &DistinctRows,
        of: &OnceLock<Proposal>,
        seed: Digest,
    ) -> Self {
        let variables = train.variables();
        let mut rows = BinaryRows::new(variables);
        if variables <= MOST_LISTED {
            for state in 0u32..1 << variables {
                let ones = (0..variables as u32).filter(|v| state >> v & 1 == 1);
                rows.push(&ones.collect::<Vec<u32>>());
            }
            return Self { rows, drawn: None };
        }
        let proposal = of.get_or_init(|| Proposal::new(train));
        let mut random =
            Random::new(FieldHasher::new("probes of a density").field(seed.0).finish());
        let flipped = Flipped::new(test, &mut random);
        let mut drawn = Vec::with_capacity(DRAWN);
        for place in 0..DRAWN {
            let row = match place % 2 {
                0 => proposal.draw(&mut random),
                _ => flipped.draw(&mut random),
            };
            drawn.push(log_sum_exp(&[proposal.log(&row), flipped.log(&row)]) - ln(2.0));
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
        let total: Sample = values.iter().zip(drawn).map(|(p, q)| exp(p - q)).collect();
        let (n, mean) = (total.n, total.mean);
        let error = total.sd().unwrap_or(0.0) / (n as f64).sqrt();
        // What overflowed is above every bound.
        if mean.is_nan() || mean > MOST || mean - ERRORS * error > 1.0 + ROUNDING {
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
    use math::special::ln;
    use testing::rows_of;

    #[test]
    fn all_states_of_few_variables_must_sum_to_one() {
        let rows = rows_of(&["010", "110"]).distinct();
        let probes = Probes::new(&rows, &rows, &OnceLock::new(), Digest::of(b"trial"));
        assert_eq!(probes.rows.len(), 8);
        let even = vec![-ln(8.0); 8];
        assert!((probes.total(&even).unwrap().value() - 1.0).abs() < 1e-12);
        let double = vec![-ln(4.0); 8];
        assert!(
            matches!(probes.total(&double), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }

    /// Rows of independent variables that are one with this probability.
    fn independent(variables: usize, one: f64, seed: &str) -> DistinctRows {
        let mut random = Random::new(Digest::of(seed.as_bytes()));
        let mut rows = BinaryRows::new(variables);
        for _ in 0..500 {
            let ones = (0..variables as u32).filter(|_| random.uniform() < one);
            rows.push(&ones.collect::<Vec<u32>>());
        }
        rows.distinct()
    }

    fn log(row: &[u32], variables: usize, one: f64) -> f64 {
        let ones = row.len() as f64;
        ones * ln(one) + (variables as f64 - ones) * ln(1.0 - one)
    }

    fn is_refused(probes: &Probes, values: &[f64]) -> bool {
        matches!(probes.total(values), Err(failure) if failure.ending == Ending::NotNormalised)
    }

    #[test]
    fn totals_of_many_variables_are_estimated() {
        let (train, test) = (independent(30, 0.1, "train"), independent(30, 0.1, "test"));
        let of = OnceLock::new();
        let probes = Probes::new(&train, &test, &of, Digest::of(b"trial"));
        let values: Vec<f64> = probes.rows.iter().map(|row| log(row, 30, 0.1)).collect();
        let total = probes.total(&values).unwrap().value();
        assert!((total - 1.0).abs() < 0.1, "{total}");
        let lifted: Vec<f64> = values.iter().map(|value| value + ln(1.5)).collect();
        assert!(is_refused(&probes, &lifted));
        // Of another trial other rows are asked: code can't know them before it is written.
        let other = Probes::new(&train, &test, &of, Digest::of(b"another trial"));
        let common = other.rows.iter().filter(|row| probes.rows.iter().any(|one| one == *row));
        assert!(common.count() < DRAWN / 2);
    }

    /// What test rows have in common and training rows have not.
    #[test]
    fn mass_near_test_rows_is_found() {
        let (train, test) = (independent(200, 0.1, "train"), independent(200, 0.5, "test"));
        let probes = Probes::new(&train, &test, &OnceLock::new(), Digest::of(b"trial"));
        let near = |row: &[u32]| row.len() > 60;
        let value = |row: &[u32]| if near(row) { -20.0 } else { log(row, 200, 0.1) };
        let values: Vec<f64> = probes.rows.iter().map(value).collect();
        assert!(is_refused(&probes, &values), "{:?}", probes.total(&values));
    }

    #[test]
    fn few_huge_weights_are_refused_though_their_error_is_as_large() {
        let (train, test) = (independent(200, 0.1, "train"), independent(200, 0.1, "test"));
        let probes = Probes::new(&train, &test, &OnceLock::new(), Digest::of(b"trial"));
        let mut values = vec![-1e4; DRAWN];
        values[7] = 300.0;
        assert!(is_refused(&probes, &values));
        values[7] = 1e4;
        assert!(is_refused(&probes, &values), "it overflows");
    }
}
