//! One fit or ten iterations of each method, or a fit and its predictions, on one core.
//!
//! `cargo bench --bench methods`; `benches/peers/compare.py` runs NumPy beside it on the same data.
//! With REPRISE_MIRROR set the data are the published training sets, otherwise generated rows of
//! the same shape and density; classifiers are fitted to drawn bits, see [`drawn_bits`].

mod context;
mod rows;

use context::{context, sizes};
use divan::{Bencher, black_box};
use reprise::KNOWN;
use reprise::base::parallel::Cores;
use reprise::contract::binary::DistinctRows;
use reprise::contract::numeric::NumericRows;
use reprise::contract::packed::PackedRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{Classifier, Examples, Fit, Labelled, MethodEntry};
use reprise::method::baseline::knn::Knn;
use reprise::method::baseline::latent_nb::{Dense, Sparse};
use reprise::method::shared::em::{Assignment, Learner, Settings};
use reprise::papers::evm::learner::{MevmLearner, MevmSettings};
use reprise::papers::evm::mevm::MEVM;
use rows::training_rows;
use std::ops::Range;

const ITERATIONS: usize = 10;

fn main() {
    if std::env::args().any(|argument| argument == "--likelihoods") {
        return print_likelihoods();
    }
    if std::env::args().any(|argument| argument == "--neighbours") {
        return print_neighbours();
    }
    divan::main();
}

/// Example i in component i mod k: what the NumPy script starts from.
fn assignment(train: &DistinctRows, k: usize) -> Assignment {
    let mut weights = vec![0.0; train.rows.len() * k];
    for (example, &row) in train.of_example.iter().enumerate() {
        weights[row as usize * k + example % k] += 1.0;
    }
    Assignment { squares: weights.clone(), weights }
}

/// On one core.
fn run(learner: &mut impl Learner) -> f64 {
    (0..ITERATIONS).map(|_| learner.iterate().unwrap()).fold(f64::NAN, |_, last| last)
}

fn begun<L: Learner>(mut learner: L, train: &DistinctRows, k: usize) -> L {
    learner.begin(&assignment(train, k)).unwrap();
    learner
}

fn settings() -> (Settings, MevmSettings) {
    let parameters = Parameters::defaults(MEVM.parameters);
    (Settings::read(&parameters), MevmSettings::read(&parameters))
}

fn print_likelihoods() {
    let (settings, _) = settings();
    for set in ["plants", "bbc"] {
        let train = training_rows(set);
        let cores = Cores::new(0);
        let mut learner =
            begun(Sparse::new(&train, &settings, &cores), &train, settings.components);
        println!("{set} {:.9}", run(&mut learner) / train.examples() as f64);
    }
}

#[divan::bench(args = sizes(&["plants", "jester", "bbc", "c20ng"]), sample_count = 20, sample_size = 1)]
fn latent_nb_sparse(bencher: Bencher, set: &str) {
    let (train, cores, (settings, _)) = (training_rows(set), Cores::new(0), settings());
    bencher
        .with_inputs(|| begun(Sparse::new(&train, &settings, &cores), &train, settings.components))
        .bench_local_refs(run);
}

#[divan::bench(args = sizes(&["plants", "jester", "bbc", "c20ng"]), sample_count = 3, sample_size = 1)]
fn latent_nb_dense(bencher: Bencher, set: &str) {
    let (train, (settings, _)) = (training_rows(set), settings());
    bencher
        .with_inputs(|| begun(Dense::new(&train, &settings), &train, settings.components))
        .bench_local_refs(run);
}

#[divan::bench(args = sizes(&["plants", "jester", "bbc", "c20ng"]), sample_count = 10, sample_size = 1)]
fn mevm(bencher: Bencher, set: &str) {
    let (train, cores, (settings, mevm)) = (training_rows(set), Cores::new(0), settings());
    bencher
        .with_inputs(|| {
            begun(MevmLearner::new(&train, &settings, &mevm, &cores), &train, settings.components)
        })
        .bench_local_refs(run);
}

#[divan::bench(args = sizes(&["plants", "jester", "bbc", "c20ng"]), sample_count = 20, sample_size = 1)]
fn chow_liu(bencher: Bencher, set: &str) {
    let train = training_rows(set);
    let entry = KNOWN.catalogue.methods_of("chow-liu").next().unwrap();
    let fit = entry.density().unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    let context = context();
    bencher.bench_local(|| fit(black_box(&parameters), &train, &context, &mut None).unwrap());
}

/// Rows of 1,000 fair bits, word i of all rows SplitMix64 of i; the class is the parity of the first
/// three bits, wrong in one example of eight. The peers' scripts draw the same.
fn drawn_bits(examples: usize) -> Labelled {
    const WORDS: usize = 16;
    let mut words: Vec<u64> = (0..(examples * WORDS) as u64).map(split_mix).collect();
    words.chunks_exact_mut(WORDS).for_each(|row| row[WORDS - 1] &= (1 << 40) - 1);
    let class = |row: &[u64]| {
        let noisy = split_mix(row[0]).is_multiple_of(8);
        ((row[0] & 7).count_ones() % 2) ^ u32::from(noisy)
    };
    let labels = words.chunks_exact(WORDS).map(class).collect();
    let examples = Examples::Packed(PackedRows::new(1000, words));
    Labelled { examples, labels, classes: 2, known_blocks: None }
}

fn split_mix(i: u64) -> u64 {
    let z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fits a classifier at its defaults but for one parameter.
fn classifier(kind: &str, set: Option<(&str, i64)>, train: &Labelled) -> Box<dyn Classifier> {
    let classifier = |entry: &'static MethodEntry| {
        entry.fits.iter().find_map(|fit| match fit {
            Fit::Classification(fit) => Some((entry, fit)),
            _ => None,
        })
    };
    let (entry, fit) = KNOWN.catalogue.methods_of(kind).find_map(classifier).unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    if let Some((name, value)) = set {
        parameters.set(name, Value::Integer(value));
    }
    fit(black_box(&parameters), train, &context(), &mut None).unwrap()
}

#[divan::bench(args = sizes(&[2_000, 20_000, 200_000]), sample_count = 5, sample_size = 1)]
fn decision_tree(bencher: Bencher, examples: usize) {
    let train = drawn_bits(examples);
    bencher.bench_local(|| classifier("decision-tree", None, &train));
}

#[divan::bench(args = sizes(&[2_000, 20_000, 200_000]), sample_count = 5, sample_size = 1)]
fn linear_svm(bencher: Bencher, examples: usize) {
    let train = drawn_bits(examples);
    bencher
        .bench_local(|| classifier("linear-svm", Some(("max_epochs", ITERATIONS as i64)), &train));
}

/// Examples whose classes are predicted.
const QUERIES: usize = 2_000;

/// Training examples, and the queries drawn after them.
fn drawn_parts(examples: usize) -> [Labelled; 2] {
    let drawn = drawn_bits(examples + QUERIES);
    [0..examples, examples..examples + QUERIES].map(|range| Labelled {
        labels: drawn.labels[range.clone()].to_vec(),
        examples: drawn.examples.select(&range.collect::<Vec<usize>>()),
        ..drawn.clone()
    })
}

/// A fit and its predictions.
fn fit_and_predict(bencher: Bencher, kind: &str, examples: usize) {
    let [train, test] = drawn_parts(examples);
    bencher.bench_local(|| {
        classifier(kind, None, &train).predict(&test.examples, &context()).unwrap().classes
    });
}

#[divan::bench(args = sizes(&[2_000, 20_000, 200_000]), sample_count = 5, sample_size = 1)]
fn knn(bencher: Bencher, examples: usize) {
    fit_and_predict(bencher, "knn", examples);
}

#[divan::bench(args = sizes(&[2_000, 20_000, 80_000]), sample_count = 5, sample_size = 1)]
fn knn_numbers(bencher: Bencher, examples: usize) {
    const COLUMNS: usize = 50;
    let drawn = |range: Range<usize>| {
        let words = range.start * COLUMNS..range.end * COLUMNS;
        let number = |i| (split_mix(i as u64) >> 11) as f64 / (1u64 << 53) as f64;
        Labelled {
            examples: Examples::Numeric(NumericRows::new(COLUMNS, words.map(number).collect())),
            labels: range.map(|row| row as u32 % 3).collect(),
            classes: 3,
            known_blocks: None,
        }
    };
    let (train, test) = (drawn(0..examples), drawn(examples..examples + QUERIES));
    bencher.bench_local(|| {
        classifier("knn", None, &train).predict(&test.examples, &context()).unwrap().classes
    });
}

#[divan::bench(args = sizes(&[2_000, 20_000, 200_000, 1_000_000]), sample_count = 5, sample_size = 1)]
fn bernoulli_nb(bencher: Bencher, examples: usize) {
    fit_and_predict(bencher, "bernoulli-nb", examples);
}

#[divan::bench(args = sizes(&[2_000, 20_000, 200_000, 1_000_000]), sample_count = 5, sample_size = 1)]
fn mevm_classifier(bencher: Bencher, examples: usize) {
    fit_and_predict(bencher, "mevm", examples);
}

/// Median milliseconds of cpu of nearest neighbours' fit and predictions, the number of queries without a
/// tie at the boundary, and of those that are predicted to be of the second class: what
/// `benches/peers/knn.py` prints too.
fn print_neighbours() {
    let [train, test] = drawn_parts(20_000);
    let vote = || {
        let knn = Knn::new(black_box(&train), 5).unwrap();
        knn.neighbours_vote(&test.examples, &context()).unwrap()
    };
    let timed = |_| {
        let start = cpu_seconds();
        black_box(vote());
        cpu_seconds() - start
    };
    let mut seconds: Vec<f64> = (0..11).map(timed).collect();
    seconds.sort_by(f64::total_cmp);
    let untied: Vec<u32> =
        vote().into_iter().filter(|(_, tied)| !tied).map(|(class, _)| class).collect();
    println!("{:.3} {} {}", seconds[5] * 1e3, untied.len(), untied.iter().sum::<u32>());
}

/// Cpu time that this process has used.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes to `time`, which is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
