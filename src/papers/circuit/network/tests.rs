use base::digest::Digest;
use contract::LatentTree;
use math::mutual_information::Information;
use math::random::Random;
use math::spanning_tree::spanning;
use method::baseline::chow_liu::{CHOW_LIU, Cooccurrence};
use testing::{all_states, total_probability};

use super::*;
use crate::ltm::em::Fitted;
use crate::ltm::messages::Table;
use crate::ltm::model::LatentTreeModel;
use crate::ltm::pieces::Plan;

/// A random circuit over variables from `first` on, with what it is as a function.
fn random(circuit: &mut Circuit, random: &mut Random, variables: &[u32], depth: usize) -> Node {
    if let [variable] = *variables
        && (depth == 0 || random.below(2) == 0)
    {
        let p = 0.05 + 0.9 * random.uniform();
        return circuit.leaf(Leaf { variable: Some(variable), logs: [ln(1.0 - p), ln(p)] });
    }
    if variables.len() > 1 && (depth == 0 || random.below(2) == 0) {
        let cut = 1 + random.below(variables.len() - 1);
        let parts = [&variables[..cut], &variables[cut..]];
        let factors = parts.map(|part| self::random(circuit, random, part, depth.max(1) - 1));
        return circuit.product(factors);
    }
    let weights: Vec<f64> = (0..2 + random.below(2)).map(|_| 0.1 + random.uniform()).collect();
    let total: f64 = weights.iter().sum();
    let terms: Vec<(Node, f64)> = weights
        .iter()
        .map(|weight| (self::random(circuit, random, variables, depth - 1), ln(weight / total)))
        .collect();
    circuit.sum(terms)
}

fn drawn(random: &mut Random, n: usize) -> Circuit {
    let mut circuit = Circuit::new(n);
    let variables: Vec<u32> = (0..n as u32).collect();
    let root = self::random(&mut circuit, random, &variables, 4);
    circuit.product([root]);
    circuit.normalised().unwrap()
}

/// The value of a node in a state, and how often each leaf is used there, by the definition.
fn by_definition(circuit: &Circuit, node: Node, state: usize) -> (f64, Vec<f64>) {
    let mut used = vec![0.0; circuit.leaves.len()];
    let inner = match node {
        Node::Leaf(leaf) => {
            let Leaf { variable, logs } = circuit.leaves[leaf as usize];
            used[leaf as usize] = 1.0;
            return (exp(logs[state >> variable.unwrap() & 1]), used);
        }
        Node::Inner(inner) => circuit.inner[inner as usize],
    };
    let of = |edge: usize| {
        let (value, used) = by_definition(circuit, circuit.edges[edge], state);
        (value * exp(circuit.weights[edge]), used)
    };
    let parts: Vec<(f64, Vec<f64>)> = circuit.children(&inner).map(of).collect();
    let value = match inner.sum {
        true => parts.iter().map(|(value, _)| value).sum(),
        false => parts.iter().map(|(value, _)| value).product(),
    };
    for (part, of_part) in &parts {
        let share: f64 = if inner.sum { part / value } else { 1.0 };
        used.iter_mut().zip(of_part).for_each(|(used, of)| *used += share * of);
    }
    (value, used)
}

#[test]
fn values_marginals_and_counts_are_those_of_the_definition() {
    let mut stream = Random::new(Digest::of(b"circuits"));
    for draw in 0..1000 {
        let n = match draw {
            0 => 16,
            ..20 => 1 + stream.below(10),
            _ => 1 + stream.below(5),
        };
        let circuit = drawn(&mut stream, n);
        assert!((total_probability(&circuit, n) - 1.0).abs() < 1e-10);
        assert!(circuit.log_total().abs() < 1e-12);
        let root = Node::Inner(circuit.inner.len() as u32 - 1);
        let states = all_states(n);
        let logs = circuit.log_likelihoods(&states, &Cores::new(3));
        let hidden = stream.below(n);
        let observed = stream.below(1 << n);
        let (mut marginal, mut expected) = (0.0, vec![0.0; circuit.leaves.len()]);
        for (state, log) in logs.iter().enumerate() {
            let (value, used) = by_definition(&circuit, root, state);
            assert!((exp(*log) - value).abs() < 1e-12, "{draw}");
            if (state ^ observed) & !(1 << hidden) == 0 {
                marginal += value;
                expected.iter_mut().zip(used).for_each(|(all, used)| *all += value * used);
            }
        }
        let mut evidence = Evidence::none(n);
        for v in (0..n).filter(|&v| v != hidden) {
            evidence.0[v] = if observed >> v & 1 == 1 { [0, 1] } else { [1, 0] };
        }
        let (mut values, mut inner, mut flows) =
            (Vec::new(), Vec::new(), vec![0.0; expected.len()]);
        circuit.upward::<1>(&evidence, &mut values);
        assert!((exp(values.last().unwrap()[0]) - marginal).abs() < 1e-12);
        circuit.downward((&evidence, &values), &[3.0], &mut inner, &mut flows);
        for (flow, expected) in flows.iter().zip(expected) {
            assert!((flow - 3.0 * expected / marginal).abs() < 1e-10, "{flow} {expected}");
        }
    }
}

#[test]
fn what_is_no_distribution_is_refused() {
    let leaf = |variable| Leaf { variable: Some(variable), logs: [ln(0.25), ln(0.75)] };
    let said = |n: usize, build: &dyn Fn(&mut Circuit)| {
        let mut circuit = Circuit::new(n);
        build(&mut circuit);
        circuit.normalised().unwrap_err().to_string()
    };
    let twice = said(1, &|circuit| {
        let leaves = [leaf(0), leaf(0)].map(|leaf| circuit.leaf(leaf));
        circuit.product(leaves);
    });
    assert_eq!(twice, "two factors of a product have a variable in common");
    let uneven = said(2, &|circuit| {
        let terms = [leaf(0), leaf(1)].map(|leaf| (circuit.leaf(leaf), ln(0.5)));
        circuit.sum(terms);
    });
    assert_eq!(uneven, "two terms of a sum have other variables");
    let heavy = said(1, &|circuit| {
        let terms = [leaf(0), leaf(0)].map(|leaf| (circuit.leaf(leaf), ln(0.75)));
        circuit.sum(terms);
    });
    assert_eq!(heavy, "the weights of a sum total 1.5");
    let less = said(2, &|circuit| {
        let leaf = circuit.leaf(leaf(1));
        circuit.product([leaf]);
    });
    assert_eq!(less, "some variables are in no leaf");
    let uncertain = said(1, &|circuit| {
        let leaf = circuit.leaf(Leaf { logs: [ln(0.5), ln(0.75)], ..leaf(0) });
        circuit.product([leaf]);
    });
    assert_eq!(uncertain, "the probabilities of a leaf total 1.25");
    // A child behind its parent.
    let early = said(1, &|circuit| {
        circuit.product([Node::Inner(1)]);
        let leaf = circuit.leaf(leaf(0));
        circuit.product([leaf]);
    });
    assert_eq!(early, "a node stands before its child");
}

/// The arithmetic: .97101 at 0, and the sum of two equal terms by hand.
#[test]
fn printed_sums_are_rough() {
    assert!((rough_exp(0.0) - 0.97101).abs() < 5e-6, "{}", rough_exp(0.0));
    assert_eq!(rough_exp(-71.0), exp(-71.0));
    let mut circuit = Circuit::new(1);
    let leaves = [[0.5, 0.5], [0.25, 0.75]].map(|p| p.map(ln));
    let terms = leaves.map(|logs| (circuit.leaf(Leaf { variable: Some(0), logs }), ln(0.5)));
    circuit.sum(terms);
    let printed = circuit.normalised().unwrap().with(Sums::AsPrinted);
    let out = printed.log_likelihoods(&all_states(1), &Cores::default());
    // Of a zero: .25 and .125, with e(0) = .97101 and e(ln ½) = .5 less .0097 or so.
    let expected = ln(0.25) + ln(rough_exp(0.0) + rough_exp(ln(0.5))) - ln(1.01);
    assert!((out[0] - expected).abs() < 1e-12 && expected < ln(0.375) - 0.03, "{out:?}");
}

/// A node of a rooted tree with all below it, given the node above it and its value: a sum over its values, each with its
/// literal if it is one of the observed ones, which come first.
fn terms(
    circuit: &mut Circuit,
    (parents, observed): (&[Option<usize>], usize),
    logs: &dyn Fn(Option<(usize, usize)>, usize) -> [f64; 2],
    (above, node): (Option<(usize, usize)>, usize),
) -> Node {
    let weights = logs(above, node);
    let of_value = [0, 1].map(|value| {
        let mut literal = [f64::NEG_INFINITY; 2];
        literal[value] = 0.0;
        let leaf = Leaf { variable: Some(node as u32), logs: literal };
        let own = (node < observed).then(|| circuit.leaf(leaf));
        let below = (0..parents.len()).filter(|&child| parents[child] == Some(node));
        let below: Vec<Node> = below
            .map(|child| terms(circuit, (parents, observed), logs, (Some((node, value)), child)))
            .collect();
        circuit.product(own.into_iter().chain(below))
    });
    circuit.sum(of_value.into_iter().zip(weights))
}

/// A Chow-Liu tree as a circuit: for each value of a variable its literal and, for each of its children, a sum over theirs.
#[test]
fn a_chow_liu_tree_is_a_circuit() {
    const N: usize = 9;
    let train = crate::circuit::tests::drawn(N, 300).distinct();
    let pairs = Cooccurrence::count(&train, &Cores::default());
    let total = train.examples() as u32;
    let information = Information::new(total);
    let weight =
        |a: usize, b: usize| information.of(pairs.get(a, a), pairs.get(b, b), pairs.get(a, b));
    let parents = spanning(N, weight, || Ok::<_, ()>(())).unwrap();
    let smoothed = |parent: Option<(usize, usize)>, child: usize| {
        let cell = |p: usize, c: usize| {
            let both = f64::from(pairs.get(parent.map_or(child, |(at, _)| at), child));
            let of = |v: usize| f64::from(pairs.get(v, v));
            let above = parent.map_or(0.0, |(at, _)| of(at));
            [[f64::from(total) - above - of(child) + both, of(child) - both], [above - both, both]]
                [p][c]
                + 0.25
        };
        match parent {
            Some((_, value)) => {
                [0, 1].map(|c| ln(cell(value, c) / (cell(value, 0) + cell(value, 1))))
            }
            None => {
                let ones = f64::from(pairs.get(child, child)) + 0.5;
                [1.0 - ones / (f64::from(total) + 1.0), ones / (f64::from(total) + 1.0)].map(ln)
            }
        }
    };
    let mut circuit = Circuit::new(N);
    let roots = (0..N).filter(|&variable| parents[variable].is_none());
    let factors: Vec<Node> =
        roots.map(|root| terms(&mut circuit, (&parents, N), &smoothed, (None, root))).collect();
    circuit.product(factors);
    let circuit = circuit.normalised().unwrap();
    let set = [("smoothing", contract::Value::Real(1.0))];
    let tree = crate::circuit::tests::fitted(&CHOW_LIU, &set, &train, 0);
    let states = all_states(N);
    let [own, converted] =
        [&*tree, &circuit as &dyn DensityModel].map(|of| crate::circuit::tests::logs(of, &states));
    for (own, converted) in own.iter().zip(converted) {
        assert!((own - converted).abs() < 1e-10, "{own} {converted}");
    }
}

#[test]
fn a_latent_tree_is_a_circuit() {
    const OBSERVED: usize = 7;
    let edges = [[0, 7], [1, 7], [7, 8], [2, 8], [8, 9], [3, 9], [4, 9], [4, 5], [5, 6]];
    let tree = LatentTree::new(OBSERVED, 3, edges).unwrap();
    let plan = Plan::new(&tree, |node| node < OBSERVED);
    let mut random = Random::new(Digest::of(b"latent trees"));
    let mut two = || {
        let p = 0.05 + 0.9 * random.uniform();
        [1.0 - p, p]
    };
    let roots: Vec<[f64; 2]> = plan.roots.iter().map(|_| two()).collect();
    let pairs: Vec<Table> = plan.pairs.iter().map(|_| [two(), two()]).collect();
    let pieces =
        plan.pieces.iter().map(|piece| piece.nodes.iter().map(|_| [two(), two()]).collect());
    let pieces: Vec<Vec<Table>> = pieces.collect();
    let mut parents = vec![None; tree.nodes()];
    let mut tables = vec![[[0.0; 2]; 2]; tree.nodes()];
    for (&[parent, child], table) in plan.pairs.iter().zip(&pairs) {
        (parents[child], tables[child]) = (Some(parent), *table);
    }
    for (piece, of_piece) in plan.pieces.iter().zip(&pieces) {
        for (place, (node, table)) in piece.nodes.iter().zip(of_piece).enumerate() {
            let above = if place == 0 { piece.root } else { piece.nodes[node.parent].name };
            (parents[node.name], tables[node.name]) = (Some(above), *table);
        }
    }
    for (&root, p) in plan.roots.iter().zip(&roots) {
        tables[root] = [*p; 2];
    }
    let logs = |above: Option<(usize, usize)>, node: usize| {
        tables[node][above.map_or(0, |(_, value)| value)].map(ln)
    };
    let mut circuit = Circuit::new(OBSERVED);
    let tops: Vec<usize> = (0..tree.nodes()).filter(|&node| parents[node].is_none()).collect();
    assert_eq!(tops, plan.roots);
    let factors: Vec<Node> = tops
        .iter()
        .map(|&root| terms(&mut circuit, (&parents, OBSERVED), &logs, (None, root)))
        .collect();
    circuit.product(factors);
    let circuit = circuit.normalised().unwrap();
    let fitted = Fitted {
        plan,
        roots,
        pairs,
        pieces,
        log_likelihood: 0.0,
        iterations: Vec::new(),
        unconverged: 0,
    };
    let model = LatentTreeModel { tree, fitted };
    let states = all_states(OBSERVED);
    let [own, converted] =
        [&model as &dyn DensityModel, &circuit].map(|of| crate::circuit::tests::logs(of, &states));
    for (own, converted) in own.iter().zip(converted) {
        assert!((own - converted).abs() < 1e-12, "{own} {converted}");
    }
}
