use base::digest::Digest;
use contract::Value;
use contract::parameter::Parameters;
use method::baseline::chow_liu::CHOW_LIU;
use testing::{all_states, context, rows_of, total_probability};

use super::*;
use crate::circuit::tests::{drawn, fitted, logs};

#[test]
fn one_tree_is_the_chow_liu_tree() {
    let train = drawn(8, 200).distinct();
    let smoothing = ("smoothing", Value::Real(0.5));
    let mixture = fitted(
        &MIXTURE_OF_TREES,
        &[("components", Value::Integer(1)), smoothing.clone()],
        &train,
        0,
    );
    let tree = fitted(&CHOW_LIU, &[smoothing], &train, 0);
    let states = all_states(8);
    for (one, other) in logs(&*mixture, &states).iter().zip(logs(&*tree, &states)) {
        assert!((one - other).abs() < 1e-10, "{one} {other}");
    }
}

#[test]
fn states_sum_to_one_and_cores_change_nothing() {
    let train = drawn(12, 300).distinct();
    let [alone, helped] = [0, 1].map(|idle| fitted(&MIXTURE_OF_TREES, &[], &train, idle));
    assert!((total_probability(&*alone, 12) - 1.0).abs() < 1e-10);
    let states = all_states(12);
    assert_eq!(logs(&*alone, &states), logs(&*helped, &states));
}

/// With hardly any smoothing the likelihood never falls.
#[test]
fn em_climbs() {
    let train = sorted(&drawn(10, 300).distinct()).unwrap();
    let context = context(Digest::of(b"em"), 0);
    let mut parameters = Parameters::defaults(MIXTURE_OF_TREES.parameters);
    parameters.set("components", Value::Integer(4));
    parameters.set("smoothing", Value::Real(1e-9));
    let settings = Settings::read(&parameters);
    for restart in 0..4 {
        let mut trees = Trees::new(&train, &settings, &context);
        let assignment = Assignment::initial(&train, &settings, &context, restart).unwrap();
        let mut before = trees.begin(&assignment).unwrap();
        for _ in 0..50 {
            let after = trees.iterate().unwrap();
            assert!(after >= before - 1e-9 * before.abs(), "{before} {after}");
            before = after;
        }
    }
}

#[test]
fn bad_examples_make_a_distribution() {
    for words in [&["0101"][..], &["1111", "1111"], &["1100", "0011"], &["0", "1", "1"]] {
        let train = rows_of(words).distinct();
        let few = ("components", Value::Integer(train.examples().min(2) as i64));
        let model = fitted(&MIXTURE_OF_TREES, &[few], &train, 0);
        let total = total_probability(&*model, train.variables());
        assert!((total - 1.0).abs() < 1e-10, "{words:?}: {total}");
    }
}
