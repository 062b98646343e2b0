use base::digest::Digest;
use contract::parameter::Parameters;
use contract::{Carry, Value};
use math::special::exp;
use testing::{all_states, context, rows_of, total_probability};

use super::*;
use crate::circuit::network::{Circuit, Evidence, Leaf, Node};
use crate::circuit::tests::{drawn, fitted, logs};

fn set(states: i64, trees: i64, passes: i64) -> [(&'static str, Value); 4] {
    [
        ("states", Value::Integer(states)),
        ("trees", Value::Integer(trees)),
        ("passes", Value::Integer(passes)),
        ("batch_passes", Value::Integer(passes / 2)),
    ]
}

/// The same distribution as a circuit, node by node.
fn circuit(learned: &Learned) -> Circuit {
    let n = learned.shapes[0].of_variable.len();
    let h = learned.states;
    let mut circuit = Circuit::new(n);
    let mut terms = Vec::new();
    for (shape, tables) in learned.shapes.iter().zip(&learned.tables) {
        let mut u: Vec<Vec<Node>> = Vec::new();
        for inner in &shape.inner {
            let states = (0..h).map(|z| {
                let mut factors = Vec::new();
                for &variable in &inner.variables {
                    let [zero, one] = &tables.values[variable as usize];
                    let logs = [ln(zero[z]), ln(one[z])];
                    factors.push(circuit.leaf(Leaf { variable: Some(variable), logs }));
                }
                for &child in &inner.children {
                    let weights = &tables.states[child][z * h..(z + 1) * h];
                    let terms =
                        u[child].iter().copied().zip(weights.iter().map(|&weight| ln(weight)));
                    let terms: Vec<(Node, f64)> = terms.collect();
                    factors.push(circuit.sum(terms));
                }
                circuit.product(factors)
            });
            u.push(states.collect());
        }
        terms.extend(u.pop().unwrap().into_iter().zip(tables.prior.iter().map(|&prior| ln(prior))));
    }
    circuit.sum(terms);
    circuit.normalised().unwrap()
}

fn learned(n: usize, examples: usize, (states, trees): (usize, usize), passes: usize) -> Learned {
    let train = sorted(&drawn(n, examples).distinct()).unwrap();
    let context = context(Digest::of(b"hclt"), 0);
    let em = Em { train: &train, settings: settings(0.1, passes / 2), context: &context };
    let mut learned = em.begin(Shape::best(&train, trees, &context.cores), states);
    (0..passes).for_each(|_| em.pass(&mut learned).unwrap());
    learned
}

fn settings(pseudo_count: f64, batch_passes: usize) -> Settings {
    Settings { pseudo_count, batch: 64, batch_passes, ..Settings::read(&Parameters::default()) }
}

#[test]
fn likelihoods_are_those_of_its_circuit() {
    for (n, states, trees) in [(9, 3, 2), (12, 4, 1), (1, 2, 1), (2, 3, 4), (5, 12, 4)] {
        let learned = learned(n, 200, (states, trees), 6);
        let circuit = circuit(&learned);
        let states = all_states(n);
        for (one, other) in logs(&learned, &states).iter().zip(logs(&circuit, &states)) {
            assert!((one - other).abs() < 1e-11, "{n}: {one} {other}");
        }
        assert!((total_probability(&learned, n) - 1.0).abs() < 1e-10);
    }
}

/// The downward pass against that of the circuit: expected zeros and ones of each variable's leaf in each state.
#[test]
fn counts_are_those_of_its_circuit() {
    let learned = learned(7, 150, (3, 2), 4);
    let train = sorted(&drawn(7, 150).distinct()).unwrap();
    let context = context(Digest::of(b"counts"), 1);
    let em = Em { train: &train, settings: settings(0.0, 0), context: &context };
    let rows: Vec<usize> = (0..train.rows.len()).collect();
    let counts = em.counts(&learned, &rows).unwrap();
    let circuit = circuit(&learned);
    let total = |model: &dyn DensityModel| -> f64 {
        let logs = logs(model, &train.rows).into_iter().zip(&train.counts);
        logs.map(|(log, &count)| log * f64::from(count)).sum()
    };
    assert!((total(&learned) - total(&circuit)).abs() < 1e-9);
    let mut flows = vec![0.0; circuit.leaves.len()];
    let (mut values, mut inner) = (Vec::new(), Vec::new());
    for (row, &count) in train.rows.iter().zip(&train.counts) {
        let mut evidence = Evidence(vec![[1, 0]; 7]);
        row.iter().for_each(|&one| evidence.0[one as usize] = [0, 1]);
        circuit.upward::<1>(&evidence, &mut values);
        circuit.downward((&evidence, &values), &[f64::from(count)], &mut inner, &mut flows);
    }
    let mut flows = flows.into_iter();
    for (shape, counts) in learned.shapes.iter().zip(&counts) {
        for inner in &shape.inner {
            for state in 0..3 {
                for &variable in &inner.variables {
                    let [zeros, ones] = &counts.values[variable as usize];
                    let flow = flows.next().unwrap();
                    assert!((zeros[state] + ones[state] - flow).abs() < 1e-9);
                }
            }
        }
    }
    // The states of a hidden variable, given those of its parent, are as many as the states of the parent's leaf.
    for (shape, counts) in learned.shapes.iter().zip(&counts) {
        for (at, inner) in shape.inner.iter().enumerate() {
            let Some(parent) = inner.parent else { continue };
            let [zeros, ones] = &counts.values[shape.inner[parent].variables[0] as usize];
            for state in 0..3 {
                let row: f64 = counts.states[at][state * 3..(state + 1) * 3].iter().sum();
                assert!((row - zeros[state] - ones[state]).abs() < 1e-9);
            }
        }
    }
}

/// Without pseudo-counts the likelihood never falls; with them the penalised one does not.
#[test]
fn full_passes_climb() {
    let train = sorted(&drawn(10, 300).distinct()).unwrap();
    let context = context(Digest::of(b"climb"), 0);
    for (a, trees) in [(0.0, 1), (0.0, 3), (1.0, 1), (0.1, 2)] {
        let em = Em { train: &train, settings: settings(a, 0), context: &context };
        let mut learned = em.begin(Shape::best(&train, trees, &context.cores), 4);
        let mut before = f64::NEG_INFINITY;
        for _ in 0..60 {
            let logs = logs(&learned, &train.rows).into_iter().zip(&train.counts);
            let mut objective: f64 = logs.map(|(log, &count)| log * f64::from(count)).sum();
            let tables = learned.tables.clone();
            learned.each_sum(&tables, |weights, _| {
                let share = a / weights.len() as f64;
                if a > 0.0 {
                    objective += share * weights.iter().map(|&weight| ln(weight)).sum::<f64>();
                }
            });
            assert!(objective >= before - 1e-9 * objective.abs(), "{a}: {before} {objective}");
            before = objective;
            em.pass(&mut learned).unwrap();
        }
    }
}

#[test]
fn one_state_is_independence() {
    let train = drawn(8, 200).distinct();
    let model = fitted(
        &HCLT,
        &[&set(1, 1, 4)[..], &[("pseudo_count", Value::Real(0.1))]].concat(),
        &train,
        0,
    );
    // (ones + .05) / (N + .1) for each variable.
    let n = train.examples() as f64;
    let ones = {
        let mut ones = vec![0.0; 8];
        let rows = train.rows.iter().zip(&train.counts);
        rows.for_each(|(row, &count)| {
            row.iter().for_each(|&v| ones[v as usize] += f64::from(count))
        });
        ones
    };
    let states = all_states(8);
    for (log, row) in logs(&*model, &states).iter().zip(states.iter()) {
        let of = |v: u32| {
            let one = (ones[v as usize] + 0.05) / (n + 0.1);
            ln(if row.contains(&v) { one } else { 1.0 - one })
        };
        assert!((log - (0..8).map(of).sum::<f64>()).abs() < 1e-10);
    }
}

/// A star has one hidden variable: a mixture of products, by the formula of latent naive Bayes.
#[test]
fn one_hidden_variable_is_latent_naive_bayes() {
    let star: Vec<(u32, u32)> = (1..6).map(|leaf| (0, leaf)).collect();
    let shape = Shape::of(&Walk::centred(6, &star));
    assert_eq!((shape.inner.len(), shape.inner[0].variables.len()), (1, 6));
    let train = sorted(&drawn(6, 300).distinct()).unwrap();
    let context = context(Digest::of(b"star"), 0);
    let em = Em { train: &train, settings: settings(0.1, 0), context: &context };
    let mut learned = em.begin(vec![shape], 5);
    (0..20).for_each(|_| em.pass(&mut learned).unwrap());
    let tables = &learned.tables[0];
    let states = all_states(6);
    for (log, row) in logs(&learned, &states).iter().zip(states.iter()) {
        let of = |z: usize| {
            let value = |v: u32| tables.values[v as usize][usize::from(row.contains(&v))][z];
            tables.prior[z] * (0..6).map(value).product::<f64>()
        };
        assert!((log - ln((0..5).map(of).sum())).abs() < 1e-12);
    }
}

#[test]
fn cores_change_nothing_and_a_path_is_a_run() {
    let train = drawn(10, 600).distinct();
    let states = all_states(10);
    let [alone, helped] = [0, 1].map(|idle| fitted(&HCLT, &set(8, 2, 6), &train, idle));
    assert_eq!(logs(&*alone, &states), logs(&*helped, &states));
    let fit = HCLT.density().unwrap();
    let context = context(Digest::of(b"path"), 0);
    let run = |passes: i64, carry: &mut Carry| {
        let mut parameters = Parameters::defaults(HCLT.parameters);
        parameters.set("batch_passes", Value::Integer(4));
        parameters.set("passes", Value::Integer(passes));
        logs(&*fit(&parameters, &train, &context, carry).unwrap(), &states)
    };
    let mut carry = None;
    run(3, &mut carry);
    assert_eq!(run(7, &mut carry), run(7, &mut None));
    assert_eq!(run(2, &mut carry), run(2, &mut None));
}

#[test]
fn bad_examples_make_a_distribution() {
    for words in
        [&["0101"][..], &["1111", "1111"], &["1100", "0011"], &["0", "1", "1"], &["01", "10"]]
    {
        let train = rows_of(words).distinct();
        let model = fitted(&HCLT, &set(4, 4, 4), &train, 0);
        let total = total_probability(&*model, train.variables());
        assert!((total - 1.0).abs() < 1e-10, "{words:?}: {total}");
    }
    let train = drawn(2000, 10).distinct();
    let model = fitted(&HCLT, &set(2, 1, 2), &train, 0);
    let found = logs(&*model, &train.rows);
    assert!(found.iter().all(|log| log.is_finite() && exp(*log) < 1e-100), "{found:?}");
}
