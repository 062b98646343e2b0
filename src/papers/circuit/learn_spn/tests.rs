use contract::parameter::Parameters;
use contract::{Carry, Value};
use testing::{all_states, rows_of, total_probability};

use super::*;
use crate::circuit::tests::{drawn, fitted, logs};

#[test]
fn states_sum_to_one_and_cores_change_nothing() {
    for merged in [true, false] {
        let train = drawn(12, 400).distinct();
        let set = [("merged", Value::Bool(merged)), ("cluster_penalty", Value::Real(0.2))];
        let [alone, helped] = [0, 1].map(|idle| fitted(&LEARN_SPN, &set, &train, idle));
        assert!((total_probability(&*alone, 12) - 1.0).abs() < 1e-10);
        let states = all_states(12);
        assert_eq!(logs(&*alone, &states), logs(&*helped, &states));
    }
}

/// Two halves that are independent of each other, each of equal variables: below the root the halves are parts.
#[test]
fn independent_halves_are_factors() {
    let words = ["0000", "0011", "1100", "1111"].repeat(50);
    let rows = sorted(&rows_of(&words.iter().map(|word| &**word).collect::<Vec<_>>()).distinct());
    let rows = rows.unwrap();
    let context = testing::context(base::digest::Digest::of(b"halves"), 0);
    let learner = Learner::new(Settings::read(&Parameters::defaults(&[])), &context);
    assert_eq!(learner.parts(&rows), [vec![0, 1], vec![2, 3]]);
    // G of equal fair variables is 2 N ln 2 = 277.3.
    assert!(277.0 > learner.threshold);
}

#[test]
fn leaves_are_smoothed_when_all_is_learned() {
    let train = drawn(6, 200).distinct();
    let fit = LEARN_SPN.density().unwrap();
    let context = testing::context(base::digest::Digest::of(b"leaves"), 0);
    let run = |s: f64, sums: &str, carry: &mut Carry| {
        let mut parameters = Parameters::defaults(LEARN_SPN.parameters);
        parameters.set("leaf_smoothing", Value::Real(s));
        parameters.set("sums", Value::Text(sums.to_owned()));
        logs(&*fit(&parameters, &train, &context, carry).unwrap(), &all_states(6))
    };
    let mut carry = None;
    run(2.0, "exact", &mut carry);
    assert_eq!(run(0.5, "exact", &mut carry), run(0.5, "exact", &mut None));
    // What is printed is less everywhere: each sum on the way loses at most ln(1.01 / .971).
    let exact = run(0.5, "exact", &mut None);
    for (printed, exact) in run(0.5, "as-printed", &mut carry).iter().zip(exact) {
        assert!(*printed < exact && *printed > exact - 1.0, "{printed} {exact}");
    }
}

#[test]
fn bad_examples_make_a_distribution() {
    for words in
        [&["0101"][..], &["1111", "1111"], &["1100", "0011"], &["0", "1", "1"], &["01", "10"]]
    {
        let train = rows_of(words).distinct();
        let model = fitted(&LEARN_SPN, &[], &train, 0);
        let total = total_probability(&*model, train.variables());
        assert!((total - 1.0).abs() < 1e-10, "{words:?}: {total}");
    }
    let train = crate::circuit::tests::drawn(2000, 20).distinct();
    let model = fitted(&LEARN_SPN, &[], &train, 0);
    assert!(logs(&*model, &train.rows).iter().all(|log| log.is_finite()));
}

#[test]
fn too_many_clusters_are_refused() {
    let train = drawn(14, 60_000).distinct();
    assert!(train.rows.len() > 10_000, "{}", train.rows.len());
    let mut parameters = Parameters::defaults(LEARN_SPN.parameters);
    parameters.set("cluster_penalty", Value::Real(1e-6));
    let context = testing::context(base::digest::Digest::of(b"many"), 0);
    let error = LEARN_SPN.density().unwrap()(&parameters, &train, &context, &mut None);
    let error = error.err().unwrap().to_string();
    assert!(error.ends_with("rows: raise `cluster_penalty`"), "{error}");
}
