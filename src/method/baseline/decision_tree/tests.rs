use crate::baseline::decision_tree::{DEPTH, NODES};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use base::digest::Digest;
use contract::FitError;
use contract::Labelled;
use contract::binary::BinaryRows;
use math::random::Random;
use testing::{context, labelled, packed, rows_of};

fn grow(train: &Labelled, ties: Option<Random>) -> DecisionTree {
    grow::grow(train, ties, &context(Digest::of(b"tree"), 0)).unwrap()
}

fn random(seed: u64) -> Random {
    Random::new(Digest::of(&seed.to_le_bytes()))
}

/// n_one n_zero times the score of a split and n_one n_zero, from the definition.
fn score(train: &Labelled, examples: &[usize], variable: u32) -> (u64, u64) {
    let Examples::Binary(rows) = &train.examples else { panic!("not sparse") };
    let mut sizes = vec![[0u64; 2]; train.classes];
    for &example in examples {
        let one = rows.row(example).contains(&variable);
        sizes[train.labels[example] as usize][usize::from(one)] += 1;
    }
    let count = |side: usize| sizes.iter().map(|size| size[side]).sum::<u64>();
    let squares = |side: usize| sizes.iter().map(|size| size[side] * size[side]).sum::<u64>();
    (squares(0) * count(1) + squares(1) * count(0), count(0) * count(1))
}

/// Checks the subtree of a node by trying every variable.
fn check(tree: &DecisionTree, node: usize, train: &Labelled, examples: &[usize], first: bool) {
    let Examples::Binary(rows) = &train.examples else { panic!("not sparse") };
    let scores: Vec<_> = (0..rows.variables() as u32)
        .map(|variable| score(train, examples, variable))
        .enumerate()
        .filter(|(_, (_, both))| *both > 0)
        .collect();
    let mut of_class = vec![0; train.classes];
    examples.iter().for_each(|&example| of_class[train.labels[example] as usize] += 1);
    let pure = of_class.iter().filter(|&&count| count > 0).count() == 1;
    match tree.nodes[node] {
        Node::Leaf(class) => {
            assert!(pure || scores.is_empty(), "a leaf that can be split");
            let lowest = (0..train.classes).rev().max_by_key(|&class| of_class[class]).unwrap();
            assert_eq!(class as usize, lowest);
        }
        Node::Split { variable, zero } => {
            assert!(!pure);
            let own = score(train, examples, variable);
            for (other, score) in scores {
                let (left, right) = (own.0 * score.1, score.0 * own.1);
                assert!(left >= right, "{other} is better than {variable}");
                assert!(!first || left > right || variable as usize <= other, "{other} is first");
            }
            let (ones, zeros): (Vec<usize>, Vec<usize>) =
                examples.iter().partition(|&&example| rows.row(example).contains(&variable));
            check(tree, zero as usize, train, &zeros, first);
            check(tree, zero as usize + 1, train, &ones, first);
        }
    }
}

prop_compose! {
    fn examples()(
        classes in 2usize..5,
        variables in 1usize..8,
        rows in proptest::collection::vec((proptest::collection::vec(any::<bool>(), 8), 0u32..4), 1..40),
    ) -> Labelled {
        let mut sparse = BinaryRows::new(variables);
        let mut labels = Vec::new();
        for (row, label) in rows {
            let ones: Vec<u32> = (0..variables as u32).filter(|&v| row[v as usize]).collect();
            sparse.push(&ones);
            labels.push(label % classes as u32);
        }
        labelled(&sparse, &labels, classes)
    }
}

proptest! {
    #[test]
    fn every_split_is_the_best_of_all(train in examples(), seed in any::<u64>()) {
        let all: Vec<usize> = (0..train.labels.len()).collect();
        check(&grow(&train, None), 0, &train, &all, true);
        check(&grow(&train, Some(random(seed))), 0, &train, &all, false);
    }

    #[test]
    fn training_examples_get_the_majority_of_their_equals(train in examples(), seed in any::<u64>()) {
        let tree = grow(&train, Some(random(seed)));
        let predicted = tree.predict(&train.examples, &context(Digest::of(b""), 0)).unwrap().classes;
        let Examples::Binary(rows) = &train.examples else { panic!("not sparse") };
        for (example, class) in predicted.into_iter().enumerate() {
            let mut of_class = vec![0; train.classes];
            (0..train.labels.len())
                .filter(|&other| rows.row(other) == rows.row(example))
                .for_each(|other| of_class[train.labels[other] as usize] += 1);
            let lowest = (0..train.classes).rev().max_by_key(|&class| of_class[class]).unwrap();
            prop_assert_eq!(class as usize, lowest);
        }
    }
}

/// Rows of which each variable is one with its own probability, and noisy labels.
fn drawn(variables: usize, examples: usize, density: f64) -> Labelled {
    let mut random = random(1);
    let mut rows = BinaryRows::new(variables);
    let mut labels = Vec::new();
    for _ in 0..examples {
        let one = |&v: &u32| random.uniform() < density * f64::from(v % 7) / 3.0;
        let ones: Vec<u32> = (0..variables as u32).filter(one).collect();
        labels.push(if random.uniform() < 0.2 { 2 } else { ones.len() as u32 % 2 });
        rows.push(&ones);
    }
    labelled(&rows, &labels, 3)
}

#[test]
fn layout_and_cores_change_nothing() {
    // The first stays sparse, the second is packed by `grow` itself.
    for (variables, examples, density) in [(700, 6000, 0.01), (90, 6000, 0.5)] {
        let train = drawn(variables, examples, density);
        let tree = grow(&train, Some(random(2)));
        assert!(tree.nodes.len() > 1000);
        assert_eq!(grow(&packed(&train), Some(random(2))), tree);
        let shared = context(Digest::of(b""), 3);
        for train in [&train, &packed(&train)] {
            assert_eq!(grow::grow(train, Some(random(2)), &shared).unwrap(), tree);
        }
        let one_core = tree.predict(&train.examples, &context(Digest::of(b""), 0)).unwrap().classes;
        assert_eq!(tree.predict(&packed(&train).examples, &shared).unwrap().classes, one_core);
    }
}

#[test]
fn ties_are_drawn_evenly_or_go_to_the_first() {
    // Variables 1, 2 and 4 are the class or its opposite, 0 is constant, 3 tells nothing.
    let rows = rows_of(&["01100", "01110", "00001", "00011"]);
    let train = labelled(&rows, &[0, 0, 1, 1], 2);
    assert_eq!(grow(&train, None).nodes[0], Node::Split { variable: 1, zero: 1 });
    let mut counts = [0; 5];
    for seed in 0..3000 {
        let Node::Split { variable, .. } = grow(&train, Some(random(seed))).nodes[0] else {
            panic!("not split")
        };
        counts[variable as usize] += 1;
    }
    assert_eq!((counts[0], counts[3]), (0, 0));
    // Six standard deviations of a binomial(3000, 1/3) are 155.
    assert!([1, 2, 4].iter().all(|&v| i32::abs(counts[v] - 1000) < 155), "{counts:?}");
}

#[test]
fn a_split_that_gains_nothing_is_still_made() {
    // Exclusive or: no first split lowers the impurity.
    let train = labelled(&rows_of(&["00", "01", "10", "11"]), &[0, 1, 1, 0], 2);
    let tree = grow(&train, None);
    assert_eq!((tree.nodes.len(), tree.depth), (7, 2));
    assert_eq!(tree.measures()[0], (&NODES, Measure::Scalar(7.0)));
    assert_eq!(tree.measures()[1], (&DEPTH, Measure::Scalar(2.0)));
    let predicted = tree.predict(&train.examples, &context(Digest::of(b""), 0)).unwrap().classes;
    assert_eq!(predicted, train.labels);
}

#[test]
fn a_tree_may_be_thousands_of_nodes_deep() {
    // Every example has a variable of its own, so a split takes one off.
    let n = 4000u32;
    let mut rows = BinaryRows::new(n as usize);
    (0..n).for_each(|variable| rows.push(&[variable]));
    let labels: Vec<u32> = (0..n).map(|example| example % 2).collect();
    let train = labelled(&rows, &labels, 2);
    let tree = grow(&train, None);
    assert_eq!(tree.depth as u32, n / 2);
    let predicted = tree.predict(&train.examples, &context(Digest::of(b""), 0)).unwrap().classes;
    assert_eq!(predicted, labels);
}

#[test]
fn one_class_or_no_variable_gives_one_leaf() {
    let rows = rows_of(&["01", "10", "11"]);
    let tree = grow(&labelled(&rows, &[2, 2, 2], 3), Some(random(0)));
    assert_eq!((tree.nodes, tree.depth), (vec![Node::Leaf(2)], 0));
    let mut empty = BinaryRows::new(0);
    (0..4).for_each(|_| empty.push(&[]));
    let train = labelled(&empty, &[2, 1, 1, 2], 3);
    assert_eq!(grow(&train, None).nodes, [Node::Leaf(1)]);
}

#[test]
fn bad_input_and_a_stop_are_errors() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let rows = rows_of(&["01", "10"]);
    let train = labelled(&rows, &[0, 1], 2);
    let running = context(Digest::of(b""), 0);
    let stopped = Context { interrupt: &STOP, ..running.clone() };
    assert_eq!(grow::grow(&train, None, &stopped), Err(FitError::Interrupted));
    let tree = grow(&train, None);
    assert_eq!(tree.predict(&train.examples, &stopped), Err(FitError::Interrupted));
    let others = Examples::Binary(rows_of(&["010"]));
    assert_eq!(
        tree.predict(&others, &running).unwrap_err().to_string(),
        "the examples have 3 variables, those that the tree was grown on 2"
    );
}
