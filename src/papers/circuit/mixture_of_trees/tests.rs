use base::digest::Digest;
use contract::Value;
use contract::testing::{all_states, context, rows_of, total_probability};
use method::baseline::chow_liu::CHOW_LIU;

use super::*;
use crate::circuit::testing::{drawn, fitted, logs};

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
    let em = Em { train: &train, smoothing: 1e-9, tolerance: 0.0, context: &context };
    let (mut mixture, mut shares) = em.begin(4).unwrap();
    for _ in 0..50 {
        let before = mixture.mean;
        (mixture, shares) = em.iterate(&mixture, shares).unwrap();
        assert!(mixture.mean >= before - 1e-9 * before.abs(), "{before} {}", mixture.mean);
    }
}

/// A trial that goes on from another gives what one from the start gives.
#[test]
fn a_path_is_a_run() {
    let train = drawn(8, 200).distinct();
    let mut carry = None;
    let fit = MIXTURE_OF_TREES.density().unwrap();
    let context = context(Digest::of(b"path"), 0);
    let run = |most: i64, carry: &mut Carry| {
        let mut parameters = Parameters::defaults(MIXTURE_OF_TREES.parameters);
        parameters.set("max_iterations", Value::Integer(most));
        let model = fit(&parameters, &train, &context, carry).unwrap();
        logs(&*model, &all_states(8))
    };
    run(3, &mut carry);
    assert_eq!(run(7, &mut carry), run(7, &mut None));
    // From further on it begins anew.
    assert_eq!(run(2, &mut carry), run(2, &mut None));
}

#[test]
fn bad_examples_make_a_distribution() {
    for words in [&["0101"][..], &["1111", "1111"], &["1100", "0011"], &["0", "1", "1"]] {
        let train = rows_of(words).distinct();
        let model = fitted(&MIXTURE_OF_TREES, &[], &train, 0);
        let total = total_probability(&*model, train.variables());
        assert!((total - 1.0).abs() < 1e-10, "{words:?}: {total}");
    }
}
