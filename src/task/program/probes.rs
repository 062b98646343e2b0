//! Rows that are asked to see whether log-likelihoods are those of a distribution.

use base::digest::Digest;
use contract::binary::BinaryRows;
use math::random::Random;
use math::special::{exp, ln};
use program::{Ending, Failure};

/// All states of so many variables are asked; of more, [`DRAWN`] rows.
const MOST_LISTED: usize = 20;
/// How many rows are drawn.
const DRAWN: usize = 2000;
/// Training rows that rows are drawn around.
const CENTRES: usize = 200;
/// How probable it is that a value differs from that of the centre.
const FLIPPED: f64 = 0.05;
/// How far the total of all states may be from 1.
const ROUNDING: f64 = 1e-6;
/// Standard errors by which an estimated total may be above 1.
const ERRORS: f64 = 4.0;

/// The rows, and how probable each was to be drawn.
pub(super) struct Probes {
    /// In the order in which they are asked.
    pub rows: BinaryRows,
    /// Logarithm of the probability that a row is drawn; none where all states are asked.
    drawn: Option<Vec<f64>>,
}

impl Probes {
    /// All states of up to 20 variables. Of more, rows drawn around the training rows: a row q(x) is a mixture over some
    /// of these, of which each value is flipped with probability 0.05.
    pub fn new(train: &BinaryRows, variables: usize) -> Self {
        let mut rows = BinaryRows::new(variables);
        if variables <= MOST_LISTED {
            for state in 0u32..1 << variables {
                let ones = (0..variables as u32).filter(|v| state >> v & 1 == 1);
                rows.push(&ones.collect::<Vec<u32>>());
            }
            return Self { rows, drawn: None };
        }
        let count = train.len().min(CENTRES);
        let centres: Vec<&[u32]> = (0..count).map(|c| train.row(c * train.len() / count)).collect();
        let mut random = Random::new(Digest::of(b"probes of a density"));
        let mut drawn = Vec::with_capacity(DRAWN);
        for _ in 0..DRAWN {
            let mut ones = vec![false; variables];
            centres[random.below(count)].iter().for_each(|&one| ones[one as usize] = true);
            for one in &mut ones {
                *one ^= random.uniform() < FLIPPED;
            }
            let row: Vec<u32> = (0..variables as u32).filter(|&v| ones[v as usize]).collect();
            let near = centres.iter().map(|centre| {
                let common = centre.iter().filter(|&&one| ones[one as usize]).count();
                let apart = (centre.len() + row.len() - 2 * common) as f64;
                apart * ln(FLIPPED) + (variables as f64 - apart) * ln(1.0 - FLIPPED)
            });
            let near: Vec<f64> = near.collect();
            let most = near.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = near.iter().map(|value| exp(value - most)).sum();
            drawn.push(most + ln(sum) - ln(count as f64));
            rows.push(&row);
        }
        Self { rows, drawn: Some(drawn) }
    }

    /// The total probability of all states, or its estimate by importance sampling, from the log-likelihoods of the rows.
    ///
    /// # Errors
    /// If the total is not 1, or the estimate is so far above 1 as chance hardly ever takes it. An estimate below 1 may
    /// be of states that are hardly ever drawn, and refutes nothing.
    pub fn total(&self, values: &[f64]) -> Result<f64, Failure> {
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
            return Ok(total);
        };
        let ratios: Vec<f64> = values.iter().zip(drawn).map(|(p, q)| exp(p - q)).collect();
        let n = ratios.len() as f64;
        let total = ratios.iter().sum::<f64>() / n;
        let variance = ratios.iter().map(|r| (r - total) * (r - total)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt();
        if total - ERRORS * error > 1.0 + ROUNDING {
            return Err(Failure::new(
                Ending::NotNormalised,
                format!(
                    "the total probability is estimated as {total} ± {error} from {n} probed rows; it must be 1: normalise the \
                 density"
                ),
            ));
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::testing::rows_of;

    #[test]
    fn all_states_of_few_variables_must_sum_to_one() {
        let probes = Probes::new(&rows_of(&["010", "110"]), 3);
        assert_eq!(probes.rows.len(), 8);
        let even = vec![-ln(8.0); 8];
        assert!((probes.total(&even).unwrap() - 1.0).abs() < 1e-12);
        let double = vec![-ln(4.0); 8];
        assert!(
            matches!(probes.total(&double), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }

    /// Independent variables that are one with probability 0.1, asked at rows drawn around samples of them.
    #[test]
    fn totals_of_many_variables_are_estimated() {
        let variables = 30;
        let mut random = Random::new(Digest::of(b"independent"));
        let mut train = BinaryRows::new(variables);
        for _ in 0..500 {
            let ones = (0..variables as u32).filter(|_| random.uniform() < 0.1);
            train.push(&ones.collect::<Vec<u32>>());
        }
        let probes = Probes::new(&train, variables);
        let log = |row: &[u32]| {
            let ones = row.len() as f64;
            ones * ln(0.1) + (variables as f64 - ones) * ln(0.9)
        };
        let values: Vec<f64> = probes.rows.iter().map(log).collect();
        let total = probes.total(&values).unwrap();
        assert!((total - 1.0).abs() < 0.3, "{total}");
        let lifted: Vec<f64> = values.iter().map(|value| value + ln(4.0)).collect();
        assert!(
            matches!(probes.total(&lifted), Err(failure) if failure.ending == Ending::NotNormalised)
        );
    }
}
