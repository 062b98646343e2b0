use proptest::prelude::*;

use base::digest::{Digest, FieldHasher};
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Parameters, Value};
use contract::{Context, DensityModel, LatentTree};
use math::random::Random;
use math::special::{exp, ln};
use testing::{all_states, context, total_probability};

use super::distances::{Distances, Estimate};
use super::em::{Initial, Settings, em, fit};
use super::entry::LATENT_TREE;
use super::graph::Graph;
use super::grouping::{self, Families};
use super::local::{Builder, group_locally};
use super::messages::{Table, expectations};
use super::model::LatentTreeModel;
use super::pieces::{Column, Columns, Plan};
use math::spanning_tree::spanning;
use method::baseline::chow_liu::CHOW_LIU;

/// How many random trees are tried: more where `REPRISE_FUZZ_CASES` says so.
fn cases(few: usize) -> usize {
    std::env::var("REPRISE_FUZZ_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn random(purpose: &str, number: usize) -> Random {
    Random::new(FieldHasher::new(purpose).number(number as u64).finish())
}

/// A random minimal latent tree of some observed nodes, one in five of them within it, with lengths from 0.15 to 0.6.
fn random_tree(observed: usize, random: &mut Random) -> Graph {
    let mut graph = Graph::new(observed);
    let mut roots = random.permutation(observed);
    let inner = roots.split_off(observed - observed / 5);
    let mut inner = inner.into_iter();
    let mut length = {
        let mut own = random.clone();
        move || 0.15 + 0.45 * own.uniform()
    };
    random.word();
    while roots.len() > 1 {
        let last = roots.len() <= 4;
        let count = if last { roots.len() } else { 2 + random.below(3) };
        // A hidden root needs three neighbours, an observed one any number.
        let by_observed = (last && count < 3) || random.below(4) == 0;
        let parent = match inner.next() {
            Some(node) if by_observed => node,
            Some(node) => {
                roots.push(node);
                graph.add_hidden()
            }
            None if last && count < 3 => {
                graph.join(roots[0], roots[1], length());
                roots.truncate(1);
                break;
            }
            None => graph.add_hidden(),
        };
        for _ in 0..count {
            let child = roots.swap_remove(random.below(roots.len()));
            graph.join(child, parent, length());
        }
        roots.push(parent);
    }
    if let Some(&last) = roots.first() {
        let mut last = last;
        for node in inner {
            graph.join(node, last, length());
            last = node;
        }
    }
    graph.suppress(observed);
    graph
}

fn exact(graph: &Graph) -> Distances {
    let n = graph.observed();
    let exact = |&distance: &f64| Estimate { distance, variance: 0.0 };
    let rows = (0..n).map(|v| graph.paths(v)[..n].iter().map(exact).collect()).collect();
    Distances { rows, samples: f64::INFINITY }
}

/// k-medoids is not among them: it may miss families that are there without doubt.
fn builders() -> [Builder; 3] {
    let grouping = |families| {
        Builder::Grouping(grouping::Settings { families, spread: 1.0, contraction: 0.07 })
    };
    [Builder::Joining(0.07), grouping(Families::Noise), grouping(Families::Silhouette)]
}

fn by_groups(distances: &Distances, builder: &Builder, context: &Context) -> Graph {
    let n = distances.nodes();
    let mut graph = Graph::new(n);
    let parents = spanning(n, |a, b| -distances.of(a, b), || context.check()).unwrap();
    for (child, parent) in parents.into_iter().enumerate() {
        if let Some(parent) = parent {
            graph.join(child, parent, distances.of(child, parent));
        }
    }
    let mut random = random("groups", 0);
    group_locally(&mut graph, &mut distances.clone(), builder, &mut random, context).unwrap();
    graph
}

/// A thousand trees of 10 to 100 leaves: `REPRISE_FUZZ_CASES=1000 cargo test --release -p reprise-method exact_distances`.
#[test]
fn exact_distances_give_the_true_tree() {
    let context = context(Digest::of(b"exact"), 1);
    for case in 0..cases(100) {
        let mut own = random("random tree", case);
        let observed = 10 + own.below(91);
        let truth = random_tree(observed, &mut own);
        let (tree, _) = truth.finish();
        let distances = exact(&truth);
        for builder in builders() {
            let local = by_groups(&distances, &builder, &context).finish().0;
            assert_eq!(local.robinson_foulds(&tree), 0, "case {case}, local {builder:?}");
            let whole = builder.build(&distances, &mut own, &context).unwrap().finish().0;
            assert_eq!(whole.robinson_foulds(&tree), 0, "case {case}, whole {builder:?}");
        }
    }
}

/// Random tables for a tree, as what a fit gives.
fn random_model(tree: &LatentTree, random: &mut Random) -> (Plan, Vec<Vec<Table>>, Vec<Table>) {
    let observed = tree.observed();
    let plan = Plan::new(tree, |node| node < observed);
    let mut table = || {
        let mut row = || {
            let one = 0.05 + 0.9 * random.uniform();
            [1.0 - one, one]
        };
        [row(), row()]
    };
    let pieces = plan.pieces.iter().map(|piece| piece.nodes.iter().map(|_| table()).collect());
    let pieces = pieces.collect();
    let pairs = plan.pairs.iter().map(|_| table()).collect();
    (plan, pieces, pairs)
}

fn fitted(plan: Plan, pieces: Vec<Vec<Table>>, pairs: Vec<Table>) -> super::em::Fitted {
    let roots = plan.roots.iter().map(|_| [0.3, 0.7]).collect();
    let iterations = Vec::new();
    super::em::Fitted {
        plan,
        roots,
        pairs,
        pieces,
        log_likelihood: 0.0,
        iterations,
        unconverged: 0,
    }
}

fn small_tree(observed: usize, random: &mut Random) -> LatentTree {
    random_tree(observed, random).finish().0
}

/// P of every state of all nodes of a tree, hidden ones among them; bit v of a state is node v.
fn enumerated(tree: &LatentTree, fitted: &super::em::Fitted) -> Vec<f64> {
    let mut edges: Vec<(usize, usize, Table)> = Vec::new();
    for (piece, tables) in fitted.plan.pieces.iter().zip(&fitted.pieces) {
        for (place, (node, table)) in piece.nodes.iter().zip(tables).enumerate() {
            let parent = if place == 0 { piece.root } else { piece.nodes[node.parent].name };
            edges.push((parent, node.name, *table));
        }
    }
    for (&[parent, child], table) in fitted.plan.pairs.iter().zip(&fitted.pairs) {
        edges.push((parent, child, *table));
    }
    let state = |state: usize| {
        let roots: f64 = (fitted.plan.roots.iter().zip(&fitted.roots))
            .map(|(&root, p)| p[state >> root & 1])
            .product();
        edges.iter().fold(roots, |product, (parent, child, table)| {
            product * table[state >> parent & 1][state >> child & 1]
        })
    };
    (0..1usize << tree.nodes()).map(state).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn messages_are_sums_over_all_states(seed in 0usize..1_000_000, observed in 3usize..8) {
        let mut own = random("enumerate", seed);
        let tree = small_tree(observed, &mut own);
        prop_assume!(tree.nodes() <= 14);
        let (plan, pieces, pairs) = random_model(&tree, &mut own);
        let fitted = fitted(plan, pieces, pairs);
        let all = enumerated(&tree, &fitted);
        let model = LatentTreeModel { tree: tree.clone(), fitted: fitted.clone() };
        let states = all_states(observed);
        let logs = model.log_likelihoods(&states, &context(Digest::of(b""), 1).cores);
        let mut marginal = vec![0.0; states.len()];
        for (state, p) in all.iter().enumerate() {
            marginal[state & (states.len() - 1)] += p;
        }
        for (log, p) in logs.iter().zip(&marginal) {
            prop_assert!((exp(*log) - p).abs() < 1e-12 * p, "{} for {p}", exp(*log));
        }
        // Expected counts, of rows that each count as often as their number says.
        let mut rows = BinaryRows::new(observed);
        let weights: Vec<usize> = (0..states.len()).map(|_| own.below(4)).collect();
        for (state, &weight) in weights.iter().enumerate() {
            (0..weight).for_each(|_| rows.push(states.row(state)));
        }
        let columns = Columns::of_rows(&rows.distinct());
        for (piece, tables) in fitted.plan.pieces.iter().zip(&fitted.pieces) {
            let names: Vec<usize> =
                std::iter::once(piece.root).chain(piece.nodes.iter().map(|node| node.name)).collect();
            let of = names.iter().map(|&name| columns.of.get(name).cloned().unwrap_or(Column::Hidden));
            let own = Columns { weights: columns.weights.clone(), of: of.collect() };
            let found = expectations(piece, tables, &own, &context(Digest::of(b""), 1).cores);
            for (place, node) in piece.nodes.iter().enumerate() {
                let parent = if place == 0 { piece.root } else { piece.nodes[node.parent].name };
                let mut expected = [[0.0; 2]; 2];
                for (state, p) in all.iter().enumerate() {
                    let row = state & (states.len() - 1);
                    let share = p / marginal[row] * weights[row] as f64;
                    expected[state >> parent & 1][state >> node.name & 1] += share;
                }
                for (found, expected) in
                    found.counts[place].iter().flatten().zip(expected.iter().flatten())
                {
                    prop_assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
                }
            }
        }
    }

    #[test]
    fn em_never_lowers_the_likelihood(seed in 0usize..1_000_000) {
        let mut own = random("monotone", seed);
        let tree = small_tree(7, &mut own);
        let mut rows = BinaryRows::new(7);
        for _ in 0..150 {
            rows.push(&(0..7).filter(|_| own.below(3) == 0).collect::<Vec<u32>>());
        }
        let columns = Columns::of_rows(&rows.distinct());
        let context = context(Digest::of(b""), 0);
        for (smoothing, initial) in [(0.0, Initial::Random), (1.0, Initial::Distances)] {
            let mut last = f64::NEG_INFINITY;
            for max_iterations in 0..12 {
                let settings = Settings { smoothing, tolerance: 0.0, max_iterations, initial };
                let lengths = vec![0.4; tree.edges().len()];
                let start = &mut random("start", seed);
                let fitted = fit(&tree, &lengths, &columns, &settings, start, &context).unwrap();
                let logs = fitted.pieces.iter().flatten().flatten().flatten().map(|&p| ln(p));
                let objective = fitted.log_likelihood + 0.25 * smoothing * logs.sum::<f64>();
                prop_assert!(objective >= last - 1e-9, "{objective} after {last}");
                last = objective;
            }
        }
    }
}

/// Rows of a distribution over all states of n variables, each as often as its probability times `total`, rounded.
fn population(n: usize, total: f64, p: impl Fn(usize) -> f64) -> DistinctRows {
    let states = all_states(n);
    let mut rows = BinaryRows::new(n);
    for state in 0..states.len() {
        (0..(p(state) * total).round() as usize).for_each(|_| rows.push(states.row(state)));
    }
    rows.distinct()
}

/// Lazarsfeld's solution: the covariances are π(1-π) δ_i δ_j, the third central moment π(1-π)(1-2π) δ_0 δ_1 δ_2.
#[test]
fn three_leaves_have_the_closed_form() {
    let (pi, low, high) = (0.3, [0.2, 0.1, 0.35], [0.7, 0.9, 0.8]);
    let p = |state: usize| {
        let given = |ones: [f64; 3]| -> f64 {
            (0..3).map(|v| if state >> v & 1 == 1 { ones[v] } else { 1.0 - ones[v] }).product()
        };
        (1.0 - pi) * given(low) + pi * given(high)
    };
    let train = population(3, 1e6, p);
    let columns = Columns::of_rows(&train);
    let n = columns.total();
    let mean: Vec<f64> = (0..3).map(|v| columns.both(v, v) / n).collect();
    let covariance = |a: usize, b: usize| columns.both(a, b) / n - mean[a] * mean[b];
    let third: f64 = train
        .rows
        .iter()
        .zip(&train.counts)
        .map(|(row, &count)| {
            let centred = |v: usize| f64::from(row.contains(&(v as u32))) - mean[v];
            f64::from(count) * centred(0) * centred(1) * centred(2) / n
        })
        .sum();
    let (a, b, c) = (covariance(0, 1), covariance(0, 2), covariance(1, 2));
    let skew = third / (a * b * c).sqrt();
    let product = 1.0 / (4.0 + skew * skew);
    let closed_pi = 0.5 * (1.0 - (1.0 - 4.0 * product).sqrt() * skew.signum());
    let delta = [(a * b / c), (a * c / b), (b * c / a)].map(|square| (square / product).sqrt());
    let tree = LatentTree::new(3, 1, [[0, 3], [1, 3], [2, 3]]).unwrap();
    let settings = Settings {
        smoothing: 0.0,
        tolerance: 1e-12,
        max_iterations: 100_000,
        initial: Initial::Distances,
    };
    let context = context(Digest::of(b""), 0);
    let fitted =
        fit(&tree, &[0.5; 3], &columns, &settings, &mut random("three", 0), &context).unwrap();
    // The piece hangs at leaf 0; its nodes are the hidden one and the leaves 1 and 2.
    let [given_root, one, two] = fitted.pieces[0][..] else { panic!() };
    let hidden = (1.0 - mean[0]) * given_root[0][1] + mean[0] * given_root[1][1];
    assert!((hidden - closed_pi).abs() < 1e-5, "{hidden}, not {closed_pi}");
    for (v, table) in [(1, one), (2, two)] {
        let zero_given = mean[v] - closed_pi * delta[v];
        for (s, expected) in [zero_given, zero_given + delta[v]].into_iter().enumerate() {
            assert!((table[s][1] - expected).abs() < 1e-5, "{}, not {expected}", table[s][1]);
        }
    }
    let root_given_one = given_root[1][1] * mean[0] / hidden;
    let expected = mean[0] - closed_pi * delta[0] + delta[0];
    assert!((root_given_one - expected).abs() < 1e-5, "{root_given_one}, not {expected}");
}

fn set(parameters: &[(&str, Value)]) -> Parameters {
    let mut all = Parameters::defaults(LATENT_TREE.parameters);
    parameters.iter().for_each(|(name, value)| all.set(name, value.clone()));
    all
}

fn word(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Rows of a mixture of three, with an empty column, a full one, and two equal ones.
fn mixed_rows(count: usize) -> BinaryRows {
    let mut own = random("rows", count);
    let mut rows = BinaryRows::new(12);
    for _ in 0..count {
        let component = own.below(3);
        let mut ones: Vec<u32> = (0..8)
            .filter(|v| own.below(10) < if v % 3 == component { 8 } else { 3 })
            .map(|v| v as u32)
            .collect();
        ones.push(9);
        if own.below(2) == 0 {
            ones.extend([10, 11]);
        }
        rows.push(&ones);
    }
    rows
}

fn model(parameters: &[(&str, Value)], train: &DistinctRows, idle: usize) -> Box<dyn DensityModel> {
    let fit = LATENT_TREE.density().unwrap();
    fit(&set(parameters), train, &context(Digest::of(b"model"), idle), &mut None).unwrap()
}

fn scores(model: &dyn DensityModel, rows: &BinaryRows, idle: usize) -> Vec<f64> {
    model.log_likelihoods(rows, &context(Digest::of(b""), idle).cores)
}

const ALGORITHMS: [&str; 6] = ["clrg", "clnj", "reg-clrg", "reg-clnj", "rg", "nj"];

#[test]
fn every_algorithm_normalises_joins_equal_and_parts_constant_variables() {
    let train = mixed_rows(400).distinct();
    for algorithm in ALGORITHMS {
        for families in ["noise", "silhouette", "k-medoids"] {
            for states in ["sampled", "expected"] {
                let set = [
                    ("algorithm", word(algorithm)),
                    ("families", word(families)),
                    ("states", word(states)),
                ];
                let model = model(&set, &train, 0);
                let sum = total_probability(model.as_ref(), 12);
                assert!((sum - 1.0).abs() < 1e-9, "{algorithm} {families} {states}: {sum}");
                let neighbours = model.tree().unwrap().neighbours();
                assert!(neighbours[10].contains(&11), "equal variables are joined: {algorithm}");
                assert!(neighbours[8].is_empty() && neighbours[9].is_empty(), "{algorithm}");
                assert!(neighbours[12..].iter().all(|of_hidden| of_hidden.len() > 2));
            }
        }
    }
}

#[test]
fn cores_do_not_change_a_bit() {
    let rows = mixed_rows(3000);
    let train = rows.distinct();
    for algorithm in ALGORITHMS {
        let set = [("algorithm", word(algorithm)), ("initial", word("random"))];
        let [alone, helped] =
            [0, 3].map(|idle| scores(model(&set, &train, idle).as_ref(), &rows, idle));
        assert!(alone.iter().zip(&helped).all(|(a, b)| a.to_bits() == b.to_bits()), "{algorithm}");
    }
}

#[test]
fn with_every_hidden_node_contracted_it_is_the_chow_liu_tree() {
    let rows = mixed_rows(500);
    let train = rows.distinct();
    let context = context(Digest::of(b""), 0);
    let fit = CHOW_LIU.density().unwrap();
    let expected =
        fit(&Parameters::defaults(CHOW_LIU.parameters), &train, &context, &mut None).unwrap();
    let expected = scores(expected.as_ref(), &rows, 0);
    for algorithm in ["clnj", "reg-clnj"] {
        let set = [
            ("algorithm", word(algorithm)),
            ("spanning", word("information")),
            ("contraction", Value::Real(1e9)),
        ];
        let model = model(&set, &train, 0);
        assert_eq!(model.tree().unwrap().hidden(), 0);
        for (own, expected) in scores(model.as_ref(), &rows, 0).iter().zip(&expected) {
            // An edge of no information is left out here; its smoothed counts are not quite independent there.
            assert!((own - expected).abs() < 1e-4, "{own}, not {expected}");
        }
    }
}

/// EM from the structure finds at least what the Chow-Liu tree has.
#[test]
fn hidden_nodes_raise_the_likelihood_of_a_mixture() {
    let mut own = random("star", 0);
    let mut rows = BinaryRows::new(9);
    for _ in 0..2000 {
        let hidden = own.below(2);
        rows.push(&(0..9).filter(|_| own.below(10) < 2 + 6 * hidden).collect::<Vec<u32>>());
    }
    let train = rows.distinct();
    for algorithm in ALGORITHMS {
        let model = model(&[("algorithm", word(algorithm))], &train, 0);
        let tree = model.tree().unwrap();
        let star = LatentTree::new(9, 1, (0..9).map(|v| [v, 9])).unwrap();
        let far = tree.robinson_foulds(&star);
        assert!(far <= 2, "{algorithm}: {far} from the star, {tree:?}");
        let mean = scores(model.as_ref(), &rows, 0).iter().sum::<f64>() / 2000.0;
        // By enumeration of the true distribution its entropy is 5.13.
        assert!(mean > -5.2, "{algorithm}: {mean}");
    }
}

/// One example in thirty is one: distances are far less certain than those of variables that are one in half of them.
#[test]
fn a_star_of_rare_ones_has_one_hidden_node() {
    let mut own = random("rare", 0);
    let mut rows = BinaryRows::new(30);
    for _ in 0..5000 {
        let (p, correlation) = (0.03, 0.65);
        let hidden = own.uniform() < p;
        let one = if hidden { p + correlation * (1.0 - p) } else { p * (1.0 - correlation) };
        rows.push(&(0..30).filter(|_| own.uniform() < one).collect::<Vec<u32>>());
    }
    let train = rows.distinct();
    for algorithm in ["clrg", "clnj", "rg", "nj"] {
        let tree = model(&[("algorithm", word(algorithm))], &train, 0).tree().unwrap().clone();
        assert_eq!(tree.hidden(), 1, "{algorithm}");
    }
}

#[test]
fn a_structure_is_kept_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let train = mixed_rows(300).distinct();
    let derived = base::derived::Derived::new(folder.path());
    let context = Context { derived, ..context(Digest::of(b"kept"), 0) };
    let parameters = set(&[("algorithm", word("clrg"))]);
    let learn = || super::structure::Structure::learn(&parameters, &train, &context).unwrap();
    let first = learn();
    let kept = || std::fs::read_dir(folder.path().join("derived")).unwrap().count();
    assert_eq!(kept(), 2);
    assert_eq!(learn(), first);
    // Each is kept by all that its algorithm looks at: another rule of families gives another one.
    for (algorithm, name, value) in [
        ("clrg", "families", word("silhouette")),
        ("clrg", "contraction", Value::Real(0.0)),
        ("reg-clnj", "penalty", Value::Real(2.0)),
        ("reg-clnj", "states", word("expected")),
    ] {
        let before = kept();
        for parameters in [vec![], vec![(name, value)]] {
            let parameters = set(&[vec![("algorithm", word(algorithm))], parameters].concat());
            super::structure::Structure::learn(&parameters, &train, &context).unwrap();
        }
        assert!(kept() > before, "{algorithm} {name}");
    }
}

#[test]
fn the_first_examples_alone_can_be_learned_from() {
    let (rows, few) = (mixed_rows(300), mixed_rows(300).select(0..200));
    let own = model(&[("examples", Value::Integer(200))], &rows.distinct(), 0);
    let alone = model(&[], &few.distinct(), 0);
    assert_eq!(scores(&*own, &rows, 0), scores(&*alone, &rows, 0));
    let fit = LATENT_TREE.density().unwrap();
    let more = set(&[("examples", Value::Integer(301))]);
    let refused = fit(&more, &rows.distinct(), &context(Digest::of(b"model"), 0), &mut None);
    assert!(refused.err().unwrap().to_string().contains("there are 300 training examples"));
}

#[test]
fn uncertain_evidence_is_exact() {
    // A hidden node whose probability is given is a hidden node with one more leaf of that likelihood.
    let tree = LatentTree::new(2, 1, [[0, 2], [1, 2]]).unwrap();
    let rows = all_states(2).distinct();
    let mut columns = Columns::of_rows(&rows);
    let soft: Vec<f64> = (0..columns.weights.len()).map(|row| (row % 5) as f64 / 4.0).collect();
    columns.of.push(Column::Soft(soft.clone()));
    let plan = Plan::new(&tree, |node| node < 2);
    let piece = &plan.pieces[0];
    let tables: Vec<Table> = vec![[[0.8, 0.2], [0.3, 0.7]], [[0.9, 0.1], [0.4, 0.6]]];
    let own = Columns {
        weights: columns.weights.clone(),
        of: vec![columns.of[0].clone(), columns.of[2].clone(), columns.of[1].clone()],
    };
    let context = context(Digest::of(b""), 0);
    let found = expectations(piece, &tables, &own, &context.cores).log_likelihood;
    let expected: f64 = (0..4)
        .map(|state: usize| {
            let (x, y) = (state & 1, state >> 1);
            let weight = |h: usize| if h == 1 { soft[state] } else { 1.0 - soft[state] };
            ln((0..2).map(|h| tables[0][x][h] * weight(h) * tables[1][h][y]).sum())
        })
        .sum();
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    let settings =
        Settings { smoothing: 0.0, tolerance: 0.0, max_iterations: 3, initial: Initial::Random };
    let run = em(piece, tables, &own, &settings, &context).unwrap();
    assert!(run.log_likelihood >= found);
}
