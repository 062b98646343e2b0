//! Pseudo-likelihood: learn a Markov network from the training examples, score all examples by their
//! negative pseudo-log-likelihood.

use std::sync::Arc;
use std::time::Instant;

use contract::parameter::Parameters;
use contract::{Carry, Context, MethodEntry, Result, metrics};

use crate::density::{DensityData, TEST_LL, VALID_LL};
use crate::measured::Measured;
use crate::metrics::{TEST_EXAMPLES, TIME_EVALUATE, TIME_FIT, TRAIN_EXAMPLES, VARIABLES};
use crate::partition::{ADJUSTED_RAND, Agreement, EXACT_RECOVERY};
use crate::{Ask, Divided, Portion, Task};
use contract::Metric;
use data::Truth;

metrics! {
    pub TEST_NPLL: Task = "test_npll", "Test negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the test examples".lower().unit("nats per example").of_test().scores();
    pub VALID_NPLL: Task = "valid_npll", "Validation negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the validation examples".lower().unit("nats per example").of_validation();
    pub TRAIN_NPLL: Task = "train_npll", "Training negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the training examples".lower().unit("nats per example");
}

/// Learn a Markov network from the training examples, score others by their pseudo-likelihood.
#[derive(Debug)]
pub struct PseudoLikelihood;

/// The task.
pub static PSEUDO_LIKELIHOOD: PseudoLikelihood = PseudoLikelihood;

impl Task for PseudoLikelihood {
    fn word(&self) -> &'static str {
        "pseudo-likelihood"
    }

    fn meaning(&self) -> &'static str {
        "learn a Markov network, score held-out examples by their pseudo-log-likelihood"
    }

    fn score(&self) -> &'static Metric {
        &TEST_NPLL
    }

    fn metrics(&self) -> &'static [&'static Metric] {
        const {
            &[
                &TEST_LL,
                &VALID_LL,
                &TEST_NPLL,
                &VALID_NPLL,
                &TRAIN_NPLL,
                &VARIABLES,
                &TRAIN_EXAMPLES,
                &TEST_EXAMPLES,
                &EXACT_RECOVERY,
                &ADJUSTED_RAND,
                &TIME_FIT,
                &TIME_EVALUATE,
            ]
        }
    }

    fn serves(&self, method: &MethodEntry) -> bool {
        method.network().is_some()
    }

    fn divide(&self, portion: &Portion<'_>, _: &Parameters) -> Result<Box<dyn Divided>> {
        Ok(Box::new(NetworkData {
            rows: DensityData::new(portion.dataset, portion.division)?,
            known_clusters: match &portion.dataset.truth {
                Truth::Clusters(known) => Some(known.clone()),
                _ => None,
            },
        }))
    }
}

/// The examples of one split, and the clusters of the network's parameters.
#[derive(Debug)]
pub struct NetworkData {
    /// The examples.
    pub rows: DensityData,
    /// The cluster of each parameter of the network that the examples are drawn from, where it is known.
    pub known_clusters: Option<Arc<Vec<u32>>>,
}

impl Divided for NetworkData {
    fn measure(
        &self,
        method: &MethodEntry,
        parameters: &Parameters,
        _: &Ask,
        context: &Context,
        carry: &mut Carry,
    ) -> Result<Measured> {
        let fit = method.network().ok_or_else(|| PSEUDO_LIKELIHOOD.unserved())?;
        let DensityData { train, valid, test, .. } = &self.rows;
        crate::needs("test", test.examples())?;
        let mut measured = Measured::default();
        let start = Instant::now();
        let network = fit(parameters, train, context, carry)?;
        measured.seconds(&TIME_FIT, start);
        let start = Instant::now();
        for (metric, rows) in [(&TRAIN_NPLL, train), (&VALID_NPLL, valid), (&TEST_NPLL, test)] {
            if rows.examples() > 0 {
                let mut values = network.pseudo_log_likelihoods(&rows.rows, &context.cores);
                values.iter_mut().for_each(|value| *value = -*value);
                measured.over(metric, rows, &values);
            }
        }
        for (metric, rows) in [(&VALID_LL, valid), (&TEST_LL, test)] {
            if rows.examples() > 0 {
                let Some(values) = network.log_likelihoods(&rows.rows) else { break };
                measured.over(metric, rows, &values);
            }
        }
        measured.seconds(&TIME_EVALUATE, start);
        measured.sizes(&self.rows);
        if let (Some(known), Some(found)) = (&self.known_clusters, network.clusters())
            && known.len() == found.len()
        {
            let Agreement { exact, adjusted_rand, .. } = Agreement::of(known, found);
            measured.scalar(&ADJUSTED_RAND, adjusted_rand);
            measured.scalar(&EXACT_RECOVERY, f64::from(u8::from(exact)));
        }
        measured.metrics.extend(network.measures());
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::testing::{context, rows_of};
    use method::baseline::independent::INDEPENDENT;

    #[test]
    fn there_must_be_test_examples() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let (train, valid) = (rows(&["10", "01"]), rows(&["11"]));
        let test = contract::binary::BinaryRows::new(2).distinct();
        let rows = DensityData::of([train, valid, test], None);
        let data = NetworkData { rows, known_clusters: None };
        let parameters = Parameters::defaults(INDEPENDENT.parameters);
        let context = context(Digest::of(b""), 0);
        for data in [&data as &dyn Divided, &data.rows] {
            let ask = Ask::default();
            let error = data.measure(&INDEPENDENT, &parameters, &ask, &context, &mut None);
            assert_eq!(error.unwrap_err().to_string(), "the split has no test examples");
        }
    }

    #[test]
    fn without_edges_it_is_the_likelihood() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let train = rows(&["10", "11", "00"]);
        let (valid, test) = (rows(&["11"]), rows(&["10", "01", "10"]));
        let rows = DensityData::of([train, valid, test], None);
        let data = NetworkData { rows, known_clusters: None };
        let mut parameters = Parameters::defaults(INDEPENDENT.parameters);
        parameters.set("smoothing", contract::parameter::Value::Real(0.5));
        let context = context(Digest::of(b""), 0);
        let ask = Ask::default();
        let found = data.measure(&INDEPENDENT, &parameters, &ask, &context, &mut None).unwrap();
        // By hand: P(x0 = 1) = 2.5 / 4, P(x1 = 1) = 1.5 / 4.
        let ln = math::special::ln;
        let (both, first, second) = (ln(0.625 * 0.375), ln(0.625 * 0.625), ln(0.375 * 0.375));
        for (name, expected) in [
            ("valid_npll", -both),
            ("test_npll", -(2.0 * first + second) / 3.0),
            ("test_ll", (2.0 * first + second) / 3.0),
        ] {
            let found = found.metrics[name].value();
            assert!((found - expected).abs() < 1e-12, "{name}: {found}, not {expected}");
        }
        assert_eq!(found.examples["test_npll"].len(), 3);
    }
}
