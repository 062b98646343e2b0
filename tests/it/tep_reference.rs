//! Process classifiers decide what `tests/reference/tep.py` decides, and have its evidence.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::numeric::NumericRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{Examples, Labelled};
use reprise::math::special::{cos, sin};
use testing::context;

/// Training examples, length scale, eps, jitter, v (0 for the Gaussian process); decision values at the
/// three test inputs and the logarithm of Z_EP as the script prints them (NumPy 2.4.6, SciPy 1.17.1).
type Setting = (usize, f64, f64, f64, f64, [f64; 3], f64);

const REFERENCE: [Setting; 4] = [
    (16, 1.2, 0.05, 0.001, 0.0, [1.02427521597, -0.138578029182, 0.975963036862], -8.75826619407),
    (12, 0.8, 0.0, 0.01, 0.0, [0.759332106533, -0.795384597801, 0.891053155592], -5.3071675597),
    (6, 1.2, 0.05, 0.01, 10.0, [0.656091143504, -0.619680711137, 0.442279363917], -3.24333106009),
    (6, 0.8, 0.01, 0.01, 3.0, [0.434002729644, -0.400951316198, 0.324709292962], -2.49018310581),
];

const TEST: [f64; 6] = [0.3, -0.4, -1.0, 0.6, 1.5, 1.5];

/// The script's inputs and labels.
fn train(n: usize) -> Labelled {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for at in 0..n {
        let i = at as f64;
        let x = [sin(1.3 * i) * 2.0, cos(0.7 * i * i) * 1.5];
        values.extend(x);
        let right = x[0] + 0.5 * x[1] > 0.1;
        labels.push(u32::from(right != at.is_multiple_of(7)));
    }
    let examples = Examples::Numeric(NumericRows::new(2, values));
    Labelled { examples, labels, classes: 2, known_blocks: None }
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn decisions_and_evidences_agree_with_python() {
    let context = context(Digest::of(b"reference"), 0);
    for (n, length, eps, jitter, v, decisions, log_z) in REFERENCE {
        let entry =
            KNOWN.catalogue.methods_of(if v == 0.0 { "gpc-ep" } else { "stc-ep" }).next().unwrap();
        let fit = entry.numeric_classifier().unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        parameters.set("hyperparameters", Value::Text("fixed".to_owned()));
        let reals = [
            ("length_scale", length),
            ("eps", eps),
            ("jitter", jitter),
            ("tolerance", 1e-12),
            ("dof", v),
        ];
        for (name, value) in reals.into_iter().filter(|(name, _)| *name != "dof" || v > 0.0) {
            parameters.set(name, Value::Real(value));
        }
        parameters.set("max_sweeps", Value::Integer(2000));
        let fitted = fit(&parameters, &train(n), &context, &mut None).unwrap();
        let test = Examples::Numeric(NumericRows::new(2, TEST.to_vec()));
        let found = fitted.decision_values(&test, &context).unwrap().unwrap();
        for (one, other) in found.iter().zip(decisions) {
            assert!((one - other).abs() < 1e-8, "N {n} v {v}: {found:?}");
        }
        let name = if v == 0.0 { "log_evidence" } else { "q_log_evidence" };
        let measures = fitted.measures();
        let value =
            |name: &str| measures.iter().find(|(found, _)| found.name == name).unwrap().1.value();
        assert_eq!(value("converged"), 1.0, "N {n} v {v}");
        assert!((value(name) - log_z).abs() < 1e-8, "N {n} v {v}: {}", value(name));
    }
}
