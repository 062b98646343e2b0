use super::*;
use crate::evm::model::BLOCKS;
use base::digest::Digest;
use contract::Measure;
use contract::binary::BinaryRows;
use contract::parameter::{Domain, Value};
use math::random::Random;
use math::special::{exp, ln, ln_gamma};
use method::baseline::bernoulli_nb::BernoulliNb;
use method::metrics::PARAMETERS;
use testing::{all_states, context, labelled, packed};

fn parameters(changes: &[(&str, Value)]) -> Parameters {
    let mut parameters = Parameters::defaults(MEVM_CLASSIFIER.parameters);
    for (name, value) in changes {
        let descriptor = MEVM_CLASSIFIER.parameters.iter().find(|p| p.name == *name).unwrap();
        parameters.set(name, descriptor.check(value.clone()).unwrap());
    }
    parameters
}

fn word(name: &'static str, word: &str) -> (&'static str, Value) {
    (name, Value::Text(word.to_owned()))
}

fn learned(train: &Labelled, changes: &[(&str, Value)]) -> MevmClassifier {
    let context = context(Digest::of(b"classifier"), 1);
    MevmClassifier::learn(&parameters(changes), train, &context).unwrap()
}

fn joint(classifier: &MevmClassifier, row: Row<'_>) -> Vec<f64> {
    let mut out = vec![0.0; classifier.structure().components()];
    let mut positions = classifier.structure().starts.to_vec();
    classifier.log_joint(row, &mut positions, &mut out);
    assert_eq!(positions, classifier.structure().starts);
    out
}

fn predicted(classifier: &MevmClassifier, examples: &Examples) -> Vec<u32> {
    classifier.predict(examples, &context(Digest::of(b"classifier"), 0)).unwrap().classes
}

/// Every option of every word parameter, one at a time.
fn options() -> Vec<(&'static str, Value)> {
    let mut options = vec![("bessel", Value::Bool(false)), ("prior_smoothing", Value::Real(2.0))];
    for parameter in MEVM_CLASSIFIER.parameters {
        if let Domain::Word(words) = parameter.domain {
            options.extend(words.iter().map(|(option, _)| word(parameter.name, option)));
        }
    }
    options
}

/// Rows with a gradient of means and correlated variables, in three classes of different kinds.
fn mixed(variables: usize, examples: usize) -> Labelled {
    let mut random = Random::new(Digest::of(b"mixed"));
    let mut rows = BinaryRows::new(variables);
    let mut labels = Vec::new();
    for example in 0..examples {
        let class = random.below(3);
        let level = random.uniform();
        let ones: Vec<u32> = (0..variables as u32)
            .filter(|&v| {
                let mean = (class + 1) as f64 / 8.0 + f64::from(v % 4) * 0.15;
                random.uniform() < mean * (0.5 + level)
            })
            .collect();
        rows.push(&ones);
        labels.push(if example % 9 == 0 { 0 } else { class as u32 });
    }
    let blocks = (0..variables as u32).map(|v| 7 * (v % 4)).collect();
    Labelled { known_blocks: Some(Arc::new(blocks)), ..labelled(&rows, &labels, 4) }
}

#[test]
fn estimates_are_those_of_theorem_4_2() {
    let train = mixed(6, 120);
    let Examples::Binary(rows) = &train.examples else { unreachable!() };
    let classifier = learned(&train, &[]);
    for row in all_states(6).iter() {
        let found = joint(&classifier, Row::Ones(row));
        for (class, found) in found.into_iter().enumerate() {
            let own = |label: &u32| *label as usize == class;
            let total = train.labels.iter().filter(|label| own(label)).count() as f64;
            let mut expected = ln(total / 120.0);
            for block in classifier.structure().partitions[class].members() {
                let ones_of =
                    |row: &[u32]| block.iter().filter(|v| row.contains(&(**v as u32))).count();
                let (size, ones) = (block.len() as f64, ones_of(row));
                let equal = rows.iter().zip(&train.labels).filter(|(r, _)| ones_of(r) == ones);
                let count = equal.filter(|(_, label)| own(label)).count() as f64;
                let l = ones as f64;
                let states = ln_gamma(size + 1.0) - ln_gamma(l + 1.0) - ln_gamma(size - l + 1.0);
                expected += ln((count + 0.1) / (total + 0.1 * (size + 1.0))) - states;
            }
            let equal = found == expected || (found - expected).abs() < 1e-9;
            assert!(equal, "{row:?} {class}: {found} {expected}");
        }
    }
}

#[test]
fn joint_probabilities_sum_to_one_for_every_option() {
    let train = mixed(7, 200);
    for option in options() {
        let classifier = learned(&train, std::slice::from_ref(&option));
        let probability =
            |row: &[u32]| joint(&classifier, Row::Ones(row)).into_iter().map(exp).sum::<f64>();
        let total: f64 = all_states(7).iter().map(probability).sum();
        assert!((total - 1.0).abs() < 1e-9, "{option:?}: {total}");
    }
}

#[test]
fn packed_rows_give_the_same_bits() {
    // Long and short rows: blocks counted by masks, blocks counted by ones, walks over ones.
    for (variables, masks, option) in [
        (150, true, word("partition", "whole")),
        (150, true, word("partition", "known")),
        (150, false, word("partition", "singletons")),
        (150, true, word("conditions", "mean-variance-covariance")),
        (40, true, word("partition", "sorted-first")),
        (8, false, word("partition", "known")),
    ] {
        let train = mixed(variables, 300);
        let (sparse, bits) = (&train, &packed(&train));
        let options = std::slice::from_ref(&option);
        let (left, right) = (learned(sparse, options), learned(bits, options));
        assert_eq!(left.model, right.model, "{option:?}");
        assert_eq!(right.masks.is_some(), masks, "{option:?}");
        for index in 0..300 {
            let of_ones = joint(&left, Row::of(sparse.examples.binary().unwrap(), index));
            let of_bits = joint(&right, Row::of(bits.examples.binary().unwrap(), index));
            let digits =
                |scores: Vec<f64>| scores.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(digits(of_ones), digits(of_bits), "{option:?} {index}");
        }
    }
}

#[test]
fn blocks_of_one_variable_are_naive_bayes() {
    // Both add the constant to the two counts of each variable: the smoothing is the same too.
    let train = mixed(20, 250);
    let classifier = learned(&train, &[word("partition", "singletons")]);
    let bayes = BernoulliNb::learn(&train, 0.1, &context(Digest::of(b"nb"), 0)).unwrap();
    let expected = bayes.predict(&train.examples, &context(Digest::of(b"nb"), 0)).unwrap().classes;
    assert_eq!(predicted(&classifier, &train.examples), expected);
    assert_eq!(classifier.measures()[1], bayes.measures()[0]);
}

/// A Boolean function of all 2^n states, and of random subsets of them.
fn samples_of(n: usize, function: impl Fn(&[u32]) -> bool, known: &[u32]) -> Vec<Labelled> {
    let mut random = Random::new(Digest::of(b"subsets"));
    let mut samples = vec![(0..1 << n).collect::<Vec<usize>>()];
    samples.extend((0..20).map(|_| (0..1 << n).filter(|_| random.below(3) == 0).collect()));
    let sample = |states: Vec<usize>| {
        let rows = all_states(n).select(states);
        let labels: Vec<u32> = rows.iter().map(|row| u32::from(function(row))).collect();
        let known_blocks = Some(Arc::new(known.to_vec()));
        Labelled { known_blocks, ..labelled(&rows, &labels, 2) }
    };
    samples.into_iter().map(sample).collect()
}

#[test]
fn symmetric_functions_are_learned_without_loss() {
    // Theorem 4.4 (2): the Bayes rate of a function is 0, and every example of the sample is right.
    type Function = fn(&[u32]) -> bool;
    let functions: [Function; 4] = [
        |row| row.len() % 2 == 1,
        |row| row.len() >= 3,
        |row| row.len() % 5 == 3,
        |row| [0, 2, 6].contains(&row.len()),
    ];
    for function in functions {
        for sample in samples_of(7, function, &[0; 7]) {
            let classifier = learned(&sample, &[word("partition", "whole")]);
            assert_eq!(predicted(&classifier, &sample.examples), sample.labels);
        }
    }
}

#[test]
fn conjunctions_and_disjunctions_are_learned_without_loss() {
    // Theorem 4.4 (1), the relevant variables being one block and the others each their own.
    let blocks = [0, 1, 0, 0, 2, 3];
    let relevant = |row: &[u32]| row.iter().filter(|v| blocks[**v as usize] == 0).count();
    for sample in samples_of(6, |row| relevant(row) == 3, &blocks).into_iter().chain(samples_of(
        6,
        |row| relevant(row) > 0,
        &blocks,
    )) {
        let classifier = learned(&sample, &[word("partition", "known")]);
        assert_eq!(classifier.structure().partitions[1].block_of, blocks);
        assert_eq!(predicted(&classifier, &sample.examples), sample.labels);
    }
}

#[test]
fn corrected_and_global_tests_keep_equal_means_together() {
    let mut random = Random::new(Digest::of(b"equal"));
    let mut rows = BinaryRows::new(100);
    for _ in 0..2000 {
        rows.push(&(0..100).filter(|_| random.below(2) == 0).collect::<Vec<u32>>());
    }
    let labels: Vec<u32> = rows.iter().map(|row| row.len() as u32 % 2).collect();
    let train = labelled(&rows, &labels, 2);
    let blocks = |changes: &[(&str, Value)]| -> Vec<usize> {
        learned(&train, changes).structure().partitions.iter().map(|p| p.blocks).collect()
    };
    assert!(blocks(&[]).into_iter().all(|blocks| blocks > 1));
    assert_eq!(blocks(&[word("correction", "bonferroni")]), [1, 1]);
    assert_eq!(blocks(&[word("correction", "sidak")]), [1, 1]);
    assert_eq!(blocks(&[word("global_test", "cochran-q")]), [1, 1]);
    // At a higher level the global test rejects, and the tests of pairs decide.
    let level = ("alpha", Value::Real(0.999));
    assert!(blocks(&[level, word("global_test", "cochran-q")]).into_iter().all(|b| b > 1));
}

#[test]
fn a_class_without_examples_is_one_block_and_never_predicted() {
    let train = mixed(8, 100);
    assert!(!train.labels.contains(&3));
    let classifier = learned(&train, &[]);
    assert_eq!(classifier.structure().partitions[3], Partition::whole(8));
    let examples = Examples::Binary(all_states(8));
    assert!(!predicted(&classifier, &examples).contains(&3));
    // A smoothed prior makes it possible.
    let smoothed = learned(&train, &[("prior_smoothing", Value::Real(1e6))]);
    assert!(predicted(&smoothed, &examples).contains(&3));
}

#[test]
fn measures_are_a_sample_over_classes_and_the_number_of_parameters() {
    let train = mixed(8, 100);
    let classifier = learned(&train, &[word("partition", "known")]);
    let sample = [4.0; 4].into_iter().collect();
    // k + k n - 1
    let expected = [(&BLOCKS, Measure::Sample(sample)), (&PARAMETERS, Measure::Scalar(35.0))];
    assert_eq!(classifier.measures(), expected);
}

#[test]
fn known_blocks_that_are_not_there_are_not_applicable() {
    let error = |train: &Labelled| {
        let parameters = parameters(&[word("partition", "known")]);
        let context = context(Digest::of(b"known"), 0);
        MevmClassifier::learn(&parameters, train, &context).unwrap_err().to_string()
    };
    let train = mixed(8, 50);
    assert_eq!(
        error(&Labelled { known_blocks: None, ..train.clone() }),
        "not applicable: partition = \"known\" needs data whose generator states blocks"
    );
    assert_eq!(
        error(&Labelled { known_blocks: Some(Arc::new(vec![0; 9])), ..train }),
        "not applicable: partition = \"known\" needs the blocks of 8 variables, and the data state \
         those of 9"
    );
}
