use super::*;
use base::digest::Digest;
use contract::Labelled;
use contract::Metric;
use contract::numeric::NumericRows;
use contract::parameter::Parameters;
use testing::context;

fn train(n: usize) -> Labelled {
    let values = [0.2, -0.5, 1.0, 0.3, -0.4, 0.6, 2.0, 1.0];
    Labelled {
        examples: Examples::Numeric(NumericRows::new(2, values[..2 * n].to_vec())),
        labels: [1, 0, 1, 0][..n].to_vec(),
        classes: 2,
        known_blocks: None,
    }
}

fn fit_with(train: &Labelled, set: &[(&str, &str)]) -> Result<Box<dyn Classifier>> {
    let mut parameters = Parameters::defaults(PROCESS_EXACT.parameters);
    for (name, text) in set {
        let found = PROCESS_EXACT.parameters.iter().find(|parameter| parameter.name == *name);
        parameters.set(name, found.unwrap().parse(text).unwrap());
    }
    (PROCESS_EXACT.numeric_classifier().unwrap())(
        &parameters,
        train,
        &context(Digest::of(b"exact"), 0),
        &mut None,
    )
}

fn value(measures: &[(&'static Metric, Measure)], name: &str) -> f64 {
    measures.iter().find(|(found, _)| found.name == name).unwrap().1.value()
}

/// The proposition: evidence and class probabilities know no v.
#[test]
fn every_v_has_the_evidence_and_the_probabilities_of_the_gaussian_process() {
    let context = context(Digest::of(b"exact"), 0);
    let test = Examples::Numeric(NumericRows::new(2, vec![0.0, 0.0, 0.9, -0.3, -2.0, 1.5]));
    for n in 1..=3 {
        for eps in ["0", "0.1"] {
            let classifier = |prior, dof| {
                fit_with(&train(n), &[("prior", prior), ("dof", dof), ("eps", eps)]).unwrap()
            };
            let gaussian = classifier("gaussian", "10");
            let expected = gaussian.decision_values(&test, &context).unwrap().unwrap();
            for dof in ["1", "3", "10", "100", "1e4"] {
                let student = classifier("student-t", dof);
                let found = student.decision_values(&test, &context).unwrap().unwrap();
                let noticed = student.predict(&test, &context).unwrap().noticed;
                for (one, other) in found.iter().zip(&expected) {
                    assert!((one - other).abs() < 1e-7, "N {n} v {dof}: {one} {other}");
                }
                let measures = student.measures();
                assert!(value(&measures, "evidence_difference") < 1e-7, "N {n} v {dof}");
                assert!(value(&noticed, "probability_difference") < 1e-7, "N {n} v {dof}");
            }
        }
    }
}

/// With a test example as a further training example the closed form gives the joint probability.
#[test]
fn probabilities_are_ratios_of_closed_evidences() {
    let context = context(Digest::of(b"exact"), 0);
    let kernel = Kernel::new(Family::Rbf, 2, 1.0);
    for n in 1..=2 {
        let both = train(n + 1);
        let Examples::Numeric(rows) = &both.examples else { panic!("numbers") };
        let mut matrix = kernel.matrix(rows, 0.0);
        (0..n).for_each(|at| matrix.set(at, at, 1.0 + 1e-6));
        let signs: Vec<f64> =
            both.labels.iter().map(|&l| if l == 1 { 1.0 } else { -1.0 }).collect();
        let alone = Matrix::from_fn(n, n, |row, column| matrix.at(row, column));
        let mut signs = signs;
        signs[n] = 1.0;
        let expected =
            closed_evidence(&matrix, &signs, 0.1) / closed_evidence(&alone, &signs[..n], 0.1);
        let classifier = fit_with(&train(n), &[("eps", "0.1"), ("dof", "3")]).unwrap();
        let last = Examples::Numeric(rows.select(&[n]));
        let found = classifier.decision_values(&last, &context).unwrap().unwrap()[0] + 0.5;
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
}

#[test]
fn what_it_cannot_take_it_says() {
    let error = |train: &Labelled, set| fit_with(train, set).err().unwrap().to_string();
    assert_eq!(
        error(&train(4), &[]),
        "4 training examples; it integrates over the latent values of at most three"
    );
    let values = vec![1.0, 1.0, 1.0, 1.0];
    let twice = Labelled { examples: Examples::Numeric(NumericRows::new(2, values)), ..train(2) };
    assert_eq!(
        error(&twice, &[("jitter", "0")]),
        "the kernel matrix is not positive definite to working precision; raise `jitter`"
    );
}
