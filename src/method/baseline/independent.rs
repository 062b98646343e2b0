//! Independent variables: the product of the marginals, the floor under every density estimator.

use crate::metrics::PARAMETERS;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Parameters, Real, parameters, settings};
use contract::{DensityModel, Fit, FitDensity, Measure, MethodEntry, Reported};
use math::special::ln;

settings! { SMOOTHING smoothing: Real::positive(0.1), "added to the count of each value of each variable"; }

/// The registry's entry.
pub static INDEPENDENT: MethodEntry = MethodEntry {
    kind: "independent",
    summary: "product of the variables' smoothed marginals",
    source: "maximum likelihood under independence",
    parameters: parameters![SMOOTHING],
    reports: &[&PARAMETERS],
    cost: |_, shape| 1e-8 * shape.entries as f64,
    fits: &[Fit::Density(LEARN), Fit::Network(LEARN)],
    ..MethodEntry::PLAIN
};

/// Also the Markov network without edges.
const LEARN: FitDensity =
    |parameters, train, _, _| Ok(Box::new(Independent::learn(parameters, train)));

/// Marginals as logarithms.
#[derive(Debug)]
struct Independent {
    /// Log-probability of the row without ones.
    all_zero: f64,
    /// What a one in each variable adds to it.
    gain: Vec<f64>,
}

impl Independent {
    fn learn(parameters: &Parameters, train: &DistinctRows) -> Self {
        let smoothing = parameters.get(&SMOOTHING);
        let mut ones = vec![0.0; train.variables()];
        for (row, &count) in train.rows.iter().zip(&train.counts) {
            row.iter().for_each(|&one| ones[one as usize] += f64::from(count));
        }
        let total = train.examples() as f64 + 2.0 * smoothing;
        let log = |count: f64| ln((count + smoothing) / total);
        let zeros: Vec<f64> = ones.iter().map(|ones| log(train.examples() as f64 - ones)).collect();
        Self {
            all_zero: zeros.iter().sum(),
            gain: ones.iter().zip(&zeros).map(|(&ones, zero)| log(ones) - zero).collect(),
        }
    }
}

impl DensityModel for Independent {
    fn log_likelihoods(&self, rows: &BinaryRows, _: &Cores) -> Vec<f64> {
        let gains =
            |row: &[u32]| row.iter().fold(self.all_zero, |sum, &one| sum + self.gain[one as usize]);
        rows.iter().map(gains).collect()
    }

    fn pseudo_log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Option<Vec<f64>> {
        Some(self.log_likelihoods(rows, cores))
    }

    fn measures(&self) -> Reported {
        vec![(&PARAMETERS, Measure::Scalar(self.gain.len() as f64))]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use base::derived::Derived;
    use base::digest::Digest;
    use contract::Context;
    use math::special::exp;

    #[test]
    fn probabilities_are_products_of_smoothed_marginals() {
        static NO: AtomicBool = AtomicBool::new(false);
        let mut rows = BinaryRows::new(2);
        [&[0][..], &[0, 1], &[]].iter().for_each(|row| rows.push(row));
        let parameters = Parameters::defaults(INDEPENDENT.parameters);
        let context = Context {
            split_seed: Digest::of(b""),
            cores: Cores::new(0),
            derived: Derived::default(),
            deadline: None,
            path: [].into(),
            interrupt: &NO,
        };
        let model = LEARN(&parameters, &rows.distinct(), &context, &mut None).unwrap();
        let out = model.log_likelihoods(&rows, &Cores::new(0));
        // By hand: P(x0 = 1) = 2.1 / 3.2, P(x1 = 1) = 1.1 / 3.2.
        let (a, b) = (2.1 / 3.2, 1.1 / 3.2);
        let expected = [a * (1.0 - b), a * b, (1.0 - a) * (1.0 - b)];
        for (value, expected) in out.iter().zip(expected) {
            assert!((exp(*value) - expected).abs() < 1e-12);
        }
    }
}
