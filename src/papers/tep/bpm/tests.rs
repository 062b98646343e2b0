use super::*;
use base::digest::Digest;
use contract::numeric::NumericRows;
use math::random::Random;
use testing::context;

/// Two overlapping clouds.
fn train() -> Labelled {
    let mut random = Random::new(Digest::of(b"bpm"));
    let labels: Vec<u32> = (0..80).map(|at| at % 2).collect();
    let values = labels.iter().flat_map(|&label| {
        let center = 2.4 * f64::from(label) - 1.2;
        [center + 3.0 * random.uniform() - 1.5, 0.5 * center + 3.0 * random.uniform() - 1.5]
    });
    let rows = NumericRows::new(2, values.collect());
    Labelled { examples: Examples::Numeric(rows), labels, classes: 2, known_blocks: None }
}

fn decisions_of(entry: &'static MethodEntry, set: &[(&str, &str)], seed: &[u8]) -> Vec<f64> {
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, text) in set {
        let found = entry.parameters.iter().find(|parameter| parameter.name == *name).unwrap();
        parameters.set(name, found.parse(text).unwrap());
    }
    let [Fit::Numeric(fit)] = entry.fits else { panic!("one fit") };
    parameters.set("eps", contract::parameter::Value::Real(0.1));
    let (train, context) = (train(), context(Digest::of(seed), 0));
    let fitted = fit(&parameters, &train, &context, &mut None).unwrap();
    let values = fitted.decision_values(&train.examples, &context).unwrap().unwrap();
    let predicted = fitted.predict(&train.examples, &context).unwrap().classes;
    let hits = predicted.iter().zip(&train.labels).filter(|(one, other)| one == other).count();
    assert!(hits > 60, "{hits} hits of {}", entry.kind);
    values
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

#[test]
fn a_repeat_is_another_order_and_matters_to_filtering_only() {
    for posterior in ["student-t", "gaussian"] {
        for bias in ["true", "false"] {
            let set = [("posterior", posterior), ("bias", bias)];
            let adf = |seed: &[u8]| decisions_of(&BPM_ADF, &set, seed);
            let ep = |seed: &[u8]| decisions_of(&BPM_EP, &set, seed);
            assert_eq!(adf(b"one"), adf(b"one"));
            assert!(distance(&adf(b"one"), &adf(b"two")) > 1e-3);
            assert!(distance(&ep(b"one"), &ep(b"two")) < 1e-6);
        }
        let set = [("posterior", posterior), ("order", "given")];
        let adf = |seed: &[u8]| decisions_of(&BPM_ADF, &set, seed);
        assert_eq!(adf(b"one"), adf(b"two"));
    }
}

#[test]
fn the_prior_scale_is_a_unit_of_the_weights() {
    let narrow = decisions_of(&BPM_EP, &[("prior_scale", "0.5")], b"one");
    let wide = decisions_of(&BPM_EP, &[("prior_scale", "5")], b"one");
    let scaled: Vec<f64> = narrow.iter().map(|value| 10.0 * value).collect();
    assert!(distance(&wide, &scaled) < 1e-6 * wide.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
}

#[test]
fn three_classes_are_too_many() {
    let train = Labelled { classes: 3, ..train() };
    let [Fit::Numeric(fit)] = BPM_ADF.fits else { panic!("one fit") };
    let parameters = Parameters::defaults(BPM_ADF.parameters);
    let found = fit(&parameters, &train, &context(Digest::of(b"one"), 0), &mut None);
    assert!(
        found
            .err()
            .unwrap()
            .to_string()
            .starts_with("it tells two classes apart, and there are 3; ")
    );
}
