//! Decision trees and linear SVMs agree with scikit-learn: see `tests/reference/tree_and_svm.py`, which
//! draws the same sets and prints the numbers below.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::binary::BinaryRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{Classifier, Context, Examples, Fit, Labelled};
use testing::context;

const TRAIN: usize = 1500;
const ALL: usize = 5500;
const TREES: u8 = 20;

/// What scikit-learn 1.9.1 gives for a set.
struct Reference {
    /// Number of ones and sum of the labels: the set is the script's.
    checksum: [usize; 2],
    /// Mean test accuracy of the trees.
    tree: f64,
    /// Test accuracy of the SVM.
    svm: f64,
    /// Mean of the objectives of the SVM's problems.
    objective: f64,
}

/// Number i of a stream is SplitMix64 of stream * 2^32 + i, as a real in [0, 1).
fn uniform(stream: u64, i: usize) -> f64 {
    let mut z = ((stream << 32) + i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The rows whose ones are given, of `variables` variables.
fn drawn(
    variables: usize,
    classes: usize,
    ones: impl Fn(usize) -> Vec<usize>,
    class: impl Fn(usize, &[u32]) -> usize,
) -> Labelled {
    let (mut rows, mut labels) = (BinaryRows::new(variables), Vec::new());
    for index in 0..ALL {
        let mut ones: Vec<u32> = ones(index).into_iter().map(|one| one as u32).collect();
        ones.sort_unstable();
        ones.dedup();
        labels.push(class(index, &ones) as u32);
        rows.push(&ones);
    }
    Labelled { examples: Examples::Binary(rows), labels, classes, known_blocks: None }
}

/// The variables below `variables` with a one in row `index`.
fn bits(stream: u64, variables: usize, index: usize, share: impl Fn(usize) -> f64) -> Vec<usize> {
    (0..variables).filter(|&v| uniform(stream, index * variables + v) < share(v)).collect()
}

/// Whether at least `least` of the first variables are ones, or the opposite if that is noisy.
fn at_least(least: usize, first: u32, ones: &[u32], noisy: bool) -> usize {
    let count = ones.iter().filter(|&&one| one < first).count();
    usize::from((count >= least) != noisy)
}

fn part(set: &Labelled, examples: std::ops::Range<usize>) -> Labelled {
    Labelled {
        examples: set.examples.select(&examples.clone().collect::<Vec<_>>()),
        labels: set.labels[examples].to_vec(),
        ..set.clone()
    }
}

/// Fits a method at its defaults, but for one word if there is one.
fn fitted(
    kind: &str,
    set: Option<(&str, &str)>,
    train: &Labelled,
    seed: u8,
) -> (Box<dyn Classifier>, Context) {
    let context = context(Digest::of(&[seed]), 1);
    let entry = KNOWN.catalogue.methods_of(kind).next().unwrap();
    let [Fit::Classification(fit), ..] = entry.fits else { panic!("no classifier") };
    let mut parameters = Parameters::defaults(entry.parameters);
    if let Some((name, word)) = set {
        parameters.set(name, Value::Text(word.to_owned()));
    }
    (fit(&parameters, train, &context, &mut None).unwrap(), context)
}

fn accuracy((classifier, context): &(Box<dyn Classifier>, Context), test: &Labelled) -> f64 {
    let predicted = classifier.predict(&test.examples, context).unwrap().classes;
    let right = predicted.iter().zip(&test.labels).filter(|(one, other)| one == other).count();
    right as f64 / predicted.len() as f64
}

/// Accuracies to half a point, the objective of both solvers to one part in a thousand.
fn check(set: &Labelled, reference: &Reference) {
    let sum = set.labels.iter().map(|&label| label as usize).sum();
    assert_eq!([set.examples.total_ones(), sum], reference.checksum, "not the script's set");
    let (train, test) = (part(set, 0..TRAIN), part(set, TRAIN..ALL));
    let trees =
        (0..TREES).map(|seed| accuracy(&fitted("decision-tree", None, &train, seed), &test));
    let tree = trees.sum::<f64>() / f64::from(TREES);
    assert!((tree - reference.tree).abs() < 0.005, "tree: {tree} for {}", reference.tree);
    for solver in ["dual", "primal"] {
        let svm = fitted("linear-svm", Some(("solver", solver)), &train, 0);
        let value = accuracy(&svm, &test);
        assert!((value - reference.svm).abs() < 0.005, "{solver}: {value} for {}", reference.svm);
        let measures = svm.0.measures();
        let objective =
            measures.iter().find(|(metric, _)| metric.name == "objective").unwrap().1.value();
        let error = objective / reference.objective - 1.0;
        assert!(error.abs() < 1e-3, "{solver}: {objective} for {}", reference.objective);
    }
}

#[test]
fn a_threshold_of_fair_bits() {
    let class = |i: usize, ones: &[u32]| at_least(6, 11, ones, uniform(2, i) < 0.1);
    let set = drawn(60, 2, |index| bits(1, 60, index, |_| 0.5), class);
    let reference =
        Reference { checksum: [165_202, 2822], tree: 0.62035, svm: 0.8635, objective: 872.6282 };
    check(&set, &reference);
}

#[test]
fn a_rare_class() {
    let class = |i: usize, ones: &[u32]| at_least(2, 4, ones, uniform(4, i) < 0.03);
    let set = drawn(80, 2, |index| bits(3, 80, index, |_| 0.12), class);
    let reference =
        Reference { checksum: [52_960, 538], tree: 0.94785, svm: 0.95625, objective: 229.3384 };
    check(&set, &reference);
}

#[test]
fn five_classes() {
    let class = |i: usize| (uniform(5, i) * 5.0) as usize;
    let likely = |class: usize, v: usize| uniform(6, class * 50 + v) < 0.5;
    let ones = |i: usize| bits(7, 50, i, |v| if likely(class(i), v) { 0.6 } else { 0.3 });
    let objective = (311.6720 + 310.4110 + 333.1555 + 367.7146 + 356.7130) / 5.0;
    let reference =
        Reference { checksum: [122_961, 11_259], tree: 0.42584, svm: 0.80675, objective };
    check(&drawn(50, 5, ones, |i, _| class(i)), &reference);
}

#[test]
fn words_of_three_topics() {
    let (length, vocabulary) = (60, 8000.0);
    let class = |i: usize| (uniform(8, i) * 3.0) as usize;
    let word = |i: usize, place: usize| {
        let u = uniform(9, i * length + place);
        let frequent = u * u * u * u;
        match uniform(10, i * length + place) < 0.17 {
            true => (frequent * 900.0) as usize * 3 + class(i),
            false => (frequent * vocabulary) as usize,
        }
    };
    let ones = |i: usize| (0..length).map(|place| word(i, place)).collect();
    let objective = (10.3877 + 10.5281 + 9.5497) / 3.0;
    let reference = Reference { checksum: [286_634, 5560], tree: 0.53769, svm: 0.793, objective };
    check(&drawn(8000, 3, ones, |i, _| class(i)), &reference);
}
