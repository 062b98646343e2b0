//! Pseudo-likelihood: learn a Markov network from the training examples, score all examples by their
//! negative pseudo-log-likelihood.

use std::time::Instant;

use contract::parameter::Parameters;
use contract::{Carry, Context, FitError, FitMarkovNetwork};

use super::density::{DensityData, mean};
use super::partition::Agreement;
use crate::measured::Measured;

/// Learns and scores one configuration.
///
/// # Errors
/// The method's own.
pub fn measure(
    fit: FitMarkovNetwork,
    parameters: &Parameters,
    data: &DensityData,
    context: &Context,
    carry: &mut Carry,
) -> Result<Measured, FitError> {
    super::needs("test", data.test.examples())?;
    let mut measured = Measured::default();
    let start = Instant::now();
    let network = fit(parameters, &data.train, context, carry)?;
    measured.times.insert("time:fit".to_owned(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    for (name, rows) in
        [("train_npll", &data.train), ("valid_npll", &data.valid), ("test_npll", &data.test)]
    {
        if rows.examples() == 0 {
            continue;
        }
        let mut values = network.pseudo_log_likelihoods(&rows.rows, &context.cores);
        values.iter_mut().for_each(|value| *value = -*value);
        measured.scalar(name, mean(&values, &rows.counts));
        if name == "test_npll" {
            let of_examples = rows.of_example.iter().map(|&row| values[row as usize]);
            measured.examples.insert(name.to_owned(), of_examples.collect());
        }
    }
    for (name, rows) in [("valid_ll", &data.valid), ("test_ll", &data.test)] {
        if rows.examples() == 0 {
            continue;
        }
        let Some(values) = network.log_likelihoods(&rows.rows) else { break };
        measured.scalar(name, mean(&values, &rows.counts));
        if name == "test_ll" {
            let of_examples = rows.of_example.iter().map(|&row| values[row as usize]);
            measured.examples.insert(name.to_owned(), of_examples.collect());
        }
    }
    measured.times.insert("time:evaluate".to_owned(), start.elapsed().as_secs_f64());
    for (name, value) in [
        ("variables", data.train.variables()),
        ("train_examples", data.train.examples()),
        ("test_examples", data.test.examples()),
    ] {
        measured.scalar(name, value as f64);
    }
    if let (Some(known), Some(found)) = (&data.known_clusters, network.clusters())
        && known.len() == found.len()
    {
        let Agreement { exact, adjusted_rand, .. } = Agreement::of(known, found);
        measured.scalar("adjusted_rand", adjusted_rand);
        measured.scalar("exact_recovery", f64::from(u8::from(exact)));
    }
    let own = network.measures().into_iter().map(|(name, value)| (name.to_owned(), value));
    measured.metrics.extend(own);
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::testing::{context, rows_of};
    use contract::{Fit, FitMarkovNetwork, TaskKind};
    use method::baseline::independent::INDEPENDENT;

    fn without_edges() -> FitMarkovNetwork {
        match INDEPENDENT.fit(TaskKind::PseudoLikelihood) {
            Some(Fit::PseudoLikelihood(fit)) => fit,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn there_must_be_test_examples() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let (train, valid) = (rows(&["10", "01"]), rows(&["11"]));
        let test = contract::binary::BinaryRows::new(2).distinct();
        let data = DensityData { train, valid, test, known_clusters: None };
        let parameters = Parameters::defaults(INDEPENDENT.parameters);
        let context = context(Digest::of(b""), 0);
        let error = measure(without_edges(), &parameters, &data, &context, &mut None).unwrap_err();
        assert_eq!(error.to_string(), "the split has no test examples");
        let Some(Fit::Density(fit)) = INDEPENDENT.fit(TaskKind::Density) else { panic!() };
        let error = crate::density::measure(fit, &parameters, &data, &context, &mut None);
        assert_eq!(error.unwrap_err().to_string(), "the split has no test examples");
    }

    #[test]
    fn without_edges_it_is_the_likelihood() {
        let rows = |words: &[&str]| rows_of(words).distinct();
        let train = rows(&["10", "11", "00"]);
        let (valid, test) = (rows(&["11"]), rows(&["10", "01", "10"]));
        let data = DensityData { train, valid, test, known_clusters: None };
        let mut parameters = Parameters::defaults(INDEPENDENT.parameters);
        parameters.set("smoothing", contract::parameter::Value::Real(0.5));
        let context = context(Digest::of(b""), 0);
        let found = measure(without_edges(), &parameters, &data, &context, &mut None).unwrap();
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
