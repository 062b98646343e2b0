//! Pseudo-likelihood: learn a Markov network from the training examples, score all examples by their
//! negative pseudo-log-likelihood.

use contract::listed;

use crate::Task;
use crate::density::{DensityData, OF_NETWORKS, TEST_LL, TEST_NPLL, VALID_LL};
use crate::metrics::{SIZES, TIME_EVALUATE, TIME_FIT};
use crate::partition::{ADJUSTED_RAND, EXACT_RECOVERY};

/// Learn a Markov network from the training examples, score others by their pseudo-likelihood.
pub static PSEUDO_LIKELIHOOD: Task = Task {
    word: "pseudo-likelihood",
    meaning: "learn a Markov network, score held-out examples by their pseudo-log-likelihood",
    score: &TEST_NPLL,
    metrics: listed![
        &[&TEST_LL, &VALID_LL],
        OF_NETWORKS,
        SIZES,
        &[&EXACT_RECOVERY, &ADJUSTED_RAND, &TIME_FIT, &TIME_EVALUATE]
    ],
    serves: |method| method.network().is_some(),
    divide: |portion, _| Ok(Box::new(DensityData::new(portion, &PSEUDO_LIKELIHOOD, true)?)),
    ..Task::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ask, Divided as _, Fitting};
    use base::digest::Digest;
    use contract::Parameters;
    use data::Truth;
    use method::baseline::independent::INDEPENDENT;
    use testing::{context, rows_of};

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
            let error = data(networks).measure(
                &Fitting {
                    method: &INDEPENDENT,
                    parameters: &parameters,
                    ask: &ask,
                    context: &context,
                },
                &mut None,
            );
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
        let found = data
            .measure(
                &Fitting {
                    method: &INDEPENDENT,
                    parameters: &parameters,
                    ask: &ask,
                    context: &context,
                },
                &mut None,
            )
            .unwrap();
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
