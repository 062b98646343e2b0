use base::digest::Digest;
use contract::parameter::Parameters;
use contract::{Carry, Value};
use testing::{all_states, context, rows_of, total_probability};

use super::*;
use crate::circuit::tests::{drawn, fitted, logs};

#[test]
fn states_sum_to_one_and_cores_change_nothing() {
    let train = drawn(12, 400).distinct();
    let [alone, helped] = [0, 1].map(|idle| fitted(&ACMN, &[], &train, idle));
    assert!((total_probability(&*alone, 12) - 1.0).abs() < 1e-10);
    let states = all_states(12);
    assert_eq!(logs(&*alone, &states), logs(&*helped, &states));
}

/// A run with a cost of splits is the beginning of one with a smaller cost, also where the costs do not descend.
#[test]
fn a_path_of_costs_is_a_run() {
    let train = drawn(8, 400).distinct();
    let fit = ACMN.density().unwrap();
    let context = context(Digest::of(b"path"), 0);
    let run = |cost: f64, carry: &mut Carry| {
        let mut parameters = Parameters::defaults(ACMN.parameters);
        parameters.set("split_cost", Value::Real(cost));
        let model = fit(&parameters, &train, &context, carry).unwrap();
        (model.measures(), logs(&*model, &all_states(8)))
    };
    let mut carry = None;
    let costs = [20.0, 10.0, 5.0, 1.0, 0.0, 10.0];
    let by_path = costs.map(|cost| run(cost, &mut carry));
    assert_eq!(by_path, costs.map(|cost| run(cost, &mut None)));
    assert_ne!(by_path[0], by_path[4]);
}

#[test]
fn bad_examples_make_a_distribution() {
    for words in
        [&["0101"][..], &["1111", "1111"], &["1100", "0011"], &["0", "1", "1"], &["01", "10"]]
    {
        let train = rows_of(words).distinct();
        let model =
            fitted(&ACMN, &[("l1", Value::Real(0.01)), ("edge_cost", Value::Real(0.0))], &train, 0);
        let total = total_probability(&*model, train.variables());
        assert!((total - 1.0).abs() < 1e-10, "{words:?}: {total}");
    }
}

#[test]
fn the_bound_of_edges_holds_and_is_named() {
    let train = drawn(10, 400).distinct();
    let set = [("max_edges", Value::Integer(120)), ("edge_cost", Value::Real(0.0))];
    let model = fitted(&ACMN, &set, &train, 0);
    let edges = model.measures().into_iter().find(|(metric, _)| **metric == CIRCUIT_EDGES).unwrap();
    assert!(edges.1.value() > 70.0 && edges.1.value() <= 120.0, "{edges:?}");
    let mut parameters = Parameters::defaults(ACMN.parameters);
    parameters.set("max_edges", Value::Integer(69));
    let context = context(Digest::of(b"bound"), 0);
    let error = ACMN.density().unwrap()(&parameters, &train, &context, &mut None).err().unwrap();
    assert_eq!(
        error.to_string(),
        "not applicable: the circuit of 10 independent variables has 70 edges: raise `max_edges`, 69"
    );
}
