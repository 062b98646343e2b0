use proptest::prelude::*;

use super::*;
use base::digest::Digest;
use contract::Carry;
use contract::parameter::Parameters;
use math::special::exp;
use testing::{all_states, context, rows_of, total_probability};

fn learn(rows: &BinaryRows) -> Tree {
    Tree::learn(&rows.distinct(), &context(Digest::of(b"chow-liu"), 0)).unwrap()
}

fn mean(model: &dyn DensityModel, rows: &BinaryRows) -> f64 {
    model.log_likelihoods(rows, &Cores::default()).iter().sum::<f64>() / rows.len() as f64
}

const SMALL: &[&str] =
    &["11000", "11010", "10010", "11100", "00110", "00111", "00001", "11011", "00101", "01110"];

#[test]
fn equals_an_independent_computation() {
    // tests/reference/chow_liu.py on these rows (NumPy 2.4.6): spanning_tree gives the edges
    // (0,2) (0,1) (0,4) (3,4); log_likelihood the means and the value of the state of zeros.
    let rows = rows_of(SMALL);
    let tree = learn(&rows);
    let parents: Vec<Option<usize>> = tree.parents.iter().map(|p| p.map(|(v, _)| v)).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(4), Some(0)]);
    let zeros = rows_of(&["00000"]);
    for (smoothing, average, of_zeros) in [
        (0.0, -2.939826446110909, -4.54063166),
        (1e-3, -2.9398264535047405, -4.54045253),
        (2.0, -2.9583670602858643, -4.27221177),
    ] {
        let model = tree.smoothed(smoothing);
        assert!((mean(&model, &rows) - average).abs() < 1e-12);
        assert!((mean(&model, &zeros) - of_zeros).abs() < 1e-8);
    }
}

/// Likelihood of the tree with these edges, from pair tables alone.
fn tree_likelihood(rows: &BinaryRows, edges: &[(usize, usize)]) -> f64 {
    let total = rows.len() as f64;
    let has = |row: &[u32], v: usize| row.contains(&(v as u32));
    let share =
        |test: &dyn Fn(&[u32]) -> bool| rows.iter().filter(|r| test(r)).count() as f64 / total;
    rows.iter()
        .map(|row| {
            let mut value = 0.0;
            let mut degree = vec![0.0; rows.variables()];
            for &(a, b) in edges {
                let (x, y) = (has(row, a), has(row, b));
                value += ln(share(&|r| has(r, a) == x && has(r, b) == y));
                degree[a] += 1.0;
                degree[b] += 1.0;
            }
            for (v, degree) in degree.iter().enumerate() {
                let x = has(row, v);
                value += (1.0 - degree) * ln(share(&|r| has(r, v) == x));
            }
            value
        })
        .sum::<f64>()
        / total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_tree_of_four_variables_is_more_likely(states in prop::collection::vec(0usize..16, 1..30)) {
        let rows = all_states(4).select(states);
        let model = learn(&rows).smoothed(0.0);
        let pairs: Vec<(usize, usize)> =
            (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b))).collect();
        let mut trees = 0;
        let mut best = f64::NEG_INFINITY;
        for chosen in (0u32..64).filter(|set| set.count_ones() == 3) {
            let edges: Vec<_> =
                pairs.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, &e)| e).collect();
            // Three edges that touch all four vertices without a triangle span them.
            let mut groups = [0, 1, 2, 3];
            for &(a, b) in &edges {
                let (from, to) = (groups[a], groups[b]);
                groups.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
            if groups.iter().all(|&g| g == groups[0]) {
                trees += 1;
                best = best.max(tree_likelihood(&rows, &edges));
            }
        }
        prop_assert_eq!(trees, 16);
        prop_assert!((mean(&model, &rows) - best).abs() < 1e-12);
    }

    #[test]
    fn models_are_distributions(
        states in prop::collection::vec(0usize..64, 1..40),
        smoothing in prop::sample::select(vec![0.0, 1e-3, 0.1, 10.0]),
    ) {
        let rows = all_states(6).select(states);
        let model = learn(&rows).smoothed(smoothing);
        prop_assert!((total_probability(&model, 6) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_pairs_of_an_edge_occur_as_often_as_in_the_data(
        states in prop::collection::vec(0usize..32, 1..40),
    ) {
        let rows = all_states(5).select(states);
        let tree = learn(&rows);
        let model = tree.smoothed(0.0);
        let all = all_states(5);
        let out = model.log_likelihoods(&all, &Cores::default());
        for (v, parent) in tree.parents.iter().enumerate() {
            let Some((parent, both)) = *parent else { continue };
            let share: f64 = (0..32)
                .filter(|state| state >> v & state >> parent & 1 == 1)
                .map(|state| exp(out[state]))
                .sum();
            prop_assert!((share - f64::from(both) / rows.len() as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn lists_and_packed_columns_count_alike(
        states in prop::collection::vec(0usize..512, 1..200),
        helpers in 0usize..2,
    ) {
        let rows = all_states(9).select(states);
        let cores = Cores::new(helpers);
        let lists = Cooccurrence::over_lists(&rows.distinct(), &cores);
        prop_assert_eq!(&lists, &Cooccurrence::over_columns(&rows.distinct(), &cores));
        for a in 0..9 {
            for b in 0..9 {
                let both = rows.iter().filter(|r| r.contains(&a) && r.contains(&b)).count();
                prop_assert_eq!(lists.get(a as usize, b as usize) as usize, both);
            }
        }
    }
}

#[test]
fn constant_columns_are_joined() {
    // Variable 0 is never one, variable 3 always; 1 and 2 are equal.
    let rows = rows_of(&["0001", "0111", "0001", "0111", "0111"]);
    let tree = learn(&rows);
    let parents: Vec<Option<usize>> = tree.parents.iter().map(|p| p.map(|(v, _)| v)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(0)]);
    let model = tree.smoothed(1e-3);
    // With a thousandth of a pseudo-example, the state 1110 has a small but positive probability.
    assert!(mean(&model, &rows_of(&["1110"])).is_finite());
    assert!((total_probability(&model, 4) - 1.0).abs() < 1e-12);
    let exact = tree.smoothed(0.0);
    assert_eq!(mean(&exact, &rows_of(&["1001"])), f64::NEG_INFINITY);
    assert!((mean(&exact, &rows_of(&["0111"])) - ln(0.6)).abs() < 1e-15);
}

#[test]
fn ties_go_to_the_lowest_pair() {
    // All sixteen states: every mutual information is zero.
    let tree = learn(&all_states(4));
    assert!(tree.parents[1..].iter().all(|parent| matches!(parent, Some((0, 4)))));
    // Three equal columns: the edges (0,1) and (0,2) go before (1,2).
    let tree = learn(&rows_of(&["111", "000", "111"]));
    assert!(tree.parents[1..].iter().all(|parent| matches!(parent, Some((0, 2)))));
}

#[test]
fn a_trial_of_a_path_is_the_same_alone() {
    let train = rows_of(SMALL).distinct();
    let context = context(Digest::of(b"path"), 0);
    let mut parameters = Parameters::defaults(CHOW_LIU.parameters);
    let mut carry = None;
    let mut score = |smoothing: f64, carry: &mut Carry| {
        parameters.set("smoothing", contract::parameter::Value::Real(smoothing));
        mean(
            &*(CHOW_LIU.density().unwrap())(&parameters, &train, &context, carry).unwrap(),
            &all_states(5),
        )
    };
    score(0.1, &mut carry);
    assert!(carry.is_some());
    assert_eq!(score(1.0, &mut carry).to_bits(), score(1.0, &mut None).to_bits());
}

#[test]
fn no_examples_are_an_error() {
    let nothing = BinaryRows::new(3).distinct();
    let error = Tree::learn(&nothing, &context(Digest::of(b"none"), 0)).unwrap_err();
    assert_eq!(error.to_string(), "there are no training examples");
}
