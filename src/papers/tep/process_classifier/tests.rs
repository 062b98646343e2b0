use super::*;
use base::digest::Digest;
use contract::numeric::NumericRows;
use testing::{context, rows_of};

/// Two half-moons of three points each, and two far outliers.
fn train() -> Labelled {
    let values =
        vec![0.0, 1.0, 1.0, 1.2, 2.0, 0.8, 0.2, -1.0, 1.1, -0.8, 2.1, -1.1, 0.1, -3.0, 4.0, 2.0];
    Labelled {
        examples: Examples::Numeric(NumericRows::new(2, values)),
        labels: vec![1, 1, 1, 0, 0, 0, 1, 0],
        classes: 2,
        known_blocks: None,
    }
}

fn fit_with(
    entry: &'static MethodEntry,
    train: &Labelled,
    set: &[(&str, &str)],
) -> Result<Box<dyn Classifier>> {
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, text) in set {
        let found = entry.parameters.iter().find(|parameter| parameter.name == *name).unwrap();
        parameters.set(name, found.parse(text).unwrap());
    }
    let [Fit::Numeric(fit)] = entry.fits else { panic!("one fit") };
    fit(&parameters, train, &context(Digest::of(b"fit"), 0), &mut None)
}

fn decisions_of(classifier: &dyn Classifier, examples: &Examples) -> Vec<f64> {
    let context = context(Digest::of(b"fit"), 0);
    let values = classifier.decision_values(examples, &context).unwrap().unwrap();
    let predicted = classifier.predict(examples, &context).unwrap().classes;
    for (value, class) in values.iter().zip(&predicted) {
        assert_eq!(*value > 0.0, *class == 1);
    }
    values
}

#[test]
fn decisions_have_the_sign_of_the_classes() {
    let train = train();
    for entry in [&GPC_EP, &STC_EP] {
        for kernel in ["rbf", "rbf-ard", "linear"] {
            let fitted = fit_with(entry, &train, &[("kernel", kernel)]).unwrap();
            let test = Examples::Numeric(NumericRows::new(2, vec![1.0, 1.0, 1.0, -1.0]));
            let values = decisions_of(fitted.as_ref(), &test);
            assert!(values[0] > 0.0 && values[1] < 0.0, "{} {kernel} {values:?}", entry.kind);
        }
    }
}

#[test]
fn many_degrees_of_freedom_are_the_gaussian_process() {
    let train = train();
    let set = [("eps", "0.1"), ("tolerance", "1e-10")];
    let gaussian = fit_with(&GPC_EP, &train, &set).unwrap();
    let set = [("eps", "0.1"), ("tolerance", "1e-10"), ("dof", "1e6")];
    let student = fit_with(&STC_EP, &train, &set).unwrap();
    let values = decisions_of(gaussian.as_ref(), &train.examples);
    for (one, other) in values.iter().zip(decisions_of(student.as_ref(), &train.examples)) {
        assert!((one - other).abs() < 1e-4, "{one} {other}");
    }
    let names: Vec<&str> = gaussian.measures().iter().map(|(metric, _)| metric.name).collect();
    assert_eq!(
        names,
        ["sweeps", "converged", "skipped_sites", "log_evidence", "fitted_length_scale"]
    );
    let names: Vec<&str> = student.measures().iter().map(|(metric, _)| metric.name).collect();
    assert_eq!(
        names,
        ["sweeps", "converged", "skipped_sites", "q_log_evidence", "fitted_length_scale"]
    );
}

#[test]
fn what_it_cannot_take_it_says() {
    let error = |entry, train: &Labelled, set: &[(&str, &str)]| {
        fit_with(entry, train, set).err().unwrap().to_string()
    };
    let three = Labelled { classes: 3, ..train() };
    assert_eq!(
        error(&GPC_EP, &three, &[]),
        "it tells two classes apart, and there are 3; `classes = \"all-pairs\"` makes a problem of each pair"
    );
    let binary = Labelled { examples: Examples::Binary(rows_of(&["01", "10"])), ..train() };
    assert_eq!(
        error(&STC_EP, &binary, &[]),
        "it takes numeric columns, and the dataset has 0/1 variables"
    );
    let none = Examples::Numeric(NumericRows::new(2, Vec::new()));
    let none = Labelled { examples: none, labels: Vec::new(), ..train() };
    assert_eq!(error(&GPC_EP, &none, &[]), "there are no training examples");
    let equal = NumericRows::new(2, vec![1.0; 16]);
    let equal = Labelled { examples: Examples::Numeric(equal), ..train() };
    let set = [("hyperparameters", "fixed"), ("jitter", "0"), ("variant", "literal")];
    assert_eq!(
        error(&STC_EP, &equal, &set),
        "the kernel matrix is not positive definite to working precision, and the literal variant needs its \
         determinant; raise `jitter`"
    );
    let fitted = fit_with(&GPC_EP, &train(), &[]).unwrap();
    let one = Examples::Numeric(NumericRows::new(1, vec![1.0]));
    let found = fitted.predict(&one, &context(Digest::of(b"fit"), 0));
    assert_eq!(
        found.unwrap_err().to_string(),
        "the examples have 1 variables, those that the classifier was fitted to 2"
    );
}

/// A likelihood of signs sees no amplitude; the literal variant does (the paper mixes one and N dimensions).
#[test]
fn an_amplitude_scales_decisions_and_changes_the_literal_ones() {
    let train = train();
    let decisions = |variant: &str, amplitude: &str| {
        let set =
            [("variant", variant), ("eps", "0.1"), ("tolerance", "1e-10"), ("max_sweeps", "2000")];
        let set = [&set[..], &[("amplitude", amplitude)]].concat();
        let fitted = fit_with(&STC_EP, &train, &set).ok()?;
        Some(decisions_of(fitted.as_ref(), &train.examples))
    };
    let apart = |variant: &str, amplitude: f64| -> f64 {
        let (Some(one), Some(other)) =
            (decisions(variant, "1"), decisions(variant, &amplitude.to_string()))
        else {
            return f64::INFINITY;
        };
        let differences = one.iter().zip(&other).map(|(a, b)| (a - b / amplitude).abs());
        differences.fold(0.0, f64::max)
    };
    for amplitude in [0.1, 3.0] {
        for variant in ["self-consistent", "clipped"] {
            let found = apart(variant, amplitude);
            assert!(found < 1e-6, "{variant} {amplitude}: {found}");
        }
        let found = apart("literal", amplitude);
        assert!(found > 0.05, "literal {amplitude}: {found}");
    }
}
