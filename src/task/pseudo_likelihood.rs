//! Pseudo-likelihood: learn a Markov network from the training examples, score all examples by their
//! negative pseudo-log-likelihood.

use contract::parameter::Parameters;
use contract::{MethodEntry, Metric, Result, listed};

use crate::density::{DensityData, OF_NETWORKS, TEST_LL, TEST_NPLL, VALID_LL};
use crate::metrics::{SIZES, TIME_EVALUATE, TIME_FIT};
use crate::partition::{ADJUSTED_RAND, EXACT_RECOVERY};
use crate::{Divided, Portion, Task};

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
        listed![
            &[&TEST_LL, &VALID_LL],
            OF_NETWORKS,
            SIZES,
            &[&EXACT_RECOVERY, &ADJUSTED_RAND, &TIME_FIT, &TIME_EVALUATE]
        ]
    }

    fn serves(&self, method: &MethodEntry) -> bool {
        method.network().is_some()
    }

    fn divide(&self, portion: &Portion<'_>, _: &Parameters) -> Result<Box<dyn Divided>> {
        Ok(Box::new(DensityData::new(portion, &PSEUDO_LIKELIHOOD, true)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ask;
    use base::digest::Digest;
    use contract::testing::{context, rows_of};
    use data::Truth;
    use method::baseline::independent::INDEPENDENT;

    #[test]
    fn there_must_be_test_examples() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let (train, valid) = (rows(&["10", "01"]), rows(&["11"]));
        let test = contract::binary::BinaryRows::new(2).distinct();
        let data = |networks| {
            let parts = [train.clone(), valid.clone(), test.clone()];
            DensityData::of(parts, Truth::Unknown, (&PSEUDO_LIKELIHOOD, networks))
        };
        let parameters = Parameters::defaults(INDEPENDENT.parameters);
        let context = context(Digest::of(b""), 0);
        for networks in [true, false] {
            let ask = Ask::default();
            let error =
                data(networks).measure(&INDEPENDENT, &parameters, &ask, &context, &mut None);
            assert_eq!(error.unwrap_err().to_string(), "the split has no test examples");
        }
    }

    #[test]
    fn without_edges_it_is_the_likelihood() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let train = rows(&["10", "11", "00"]);
        let (valid, test) = (rows(&["11"]), rows(&["10", "01", "10"]));
        let data =
            DensityData::of([train, valid, test], Truth::Unknown, (&PSEUDO_LIKELIHOOD, true));
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
