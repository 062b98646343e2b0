//! One fit or ten EM iterations of each method, on one core.
//!
//! `cargo bench --bench methods`; `benches/peers/compare.py` runs NumPy beside it on the same data.
//! With REPRISE_MIRROR set the data are the published training sets, otherwise generated rows of
//! the same shape and density.

use std::sync::atomic::AtomicBool;

use divan::{Bencher, black_box};
use reprise::data::binary::{BinaryRows, DistinctRows};
use reprise::data::{DataConfig, Examples, Library};
use reprise::math::digest::Digest;
use reprise::math::parallel::Cores;
use reprise::math::random::Random;
use reprise::method::evm::em::{Assignment, Learner, Settings};
use reprise::method::evm::latent_nb::{Dense, Sparse};
use reprise::method::evm::learner::{MevmLearner, MevmSettings};
use reprise::method::evm::mevm::MEVM;
use reprise::method::parameter::Parameters;
use reprise::method::{Context, Fit, find};
use reprise::task::TaskKind;

const ITERATIONS: usize = 10;

fn main() {
    if std::env::args().any(|argument| argument == "--likelihoods") {
        return print_likelihoods();
    }
    divan::main();
}

/// N, n and the share of ones.
fn shape(set: &str) -> (usize, usize, f64) {
    match set {
        "plants" => (17_412, 69, 0.18),
        "jester" => (9_000, 100, 0.608),
        "bbc" => (1_670, 1058, 0.078),
        _ => (11_293, 910, 0.049),
    }
}

fn data(set: &str) -> DistinctRows {
    if let Ok(mirror) = std::env::var("REPRISE_MIRROR") {
        let config = DataConfig { mirror: Some(mirror), offline: true, ..DataConfig::default() };
        let dataset = Library::open(&config, None).unwrap().load(set).unwrap();
        let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
        return rows.slice(dataset.published.unwrap().train).distinct();
    }
    let (examples, variables, density) = shape(set);
    let mut random = Random::new(Digest::of(set.as_bytes()));
    let mut rows = BinaryRows::new(variables);
    for _ in 0..examples {
        let ones: Vec<u32> = (0..variables as u32).filter(|_| random.uniform() < density).collect();
        rows.push(&ones);
    }
    rows.distinct()
}

/// Example i in component i mod k: what the NumPy script starts from.
fn assignment(train: &DistinctRows, k: usize) -> Assignment {
    let mut weights = vec![0.0; train.rows.len() * k];
    for (example, &row) in train.of_example.iter().enumerate() {
        weights[row as usize * k + example % k] += 1.0;
    }
    Assignment { squares: weights.clone(), weights }
}

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
        let train = data(set);
        let cores = Cores::new(0);
        let mut learner =
            begun(Sparse::new(&train, &settings, &cores), &train, settings.components);
        println!("{set} {:.9}", run(&mut learner) / train.examples() as f64);
    }
}

#[divan::bench(args = ["plants", "jester", "bbc", "c20ng"], sample_count = 20, sample_size = 1)]
fn latent_nb_sparse(bencher: Bencher, set: &str) {
    let (train, cores, (settings, _)) = (data(set), Cores::new(0), settings());
    bencher
        .with_inputs(|| begun(Sparse::new(&train, &settings, &cores), &train, settings.components))
        .bench_local_refs(run);
}

#[divan::bench(args = ["plants", "jester", "bbc", "c20ng"], sample_count = 3, sample_size = 1)]
fn latent_nb_dense(bencher: Bencher, set: &str) {
    let (train, (settings, _)) = (data(set), settings());
    bencher
        .with_inputs(|| begun(Dense::new(&train, &settings), &train, settings.components))
        .bench_local_refs(run);
}

#[divan::bench(args = ["plants", "jester", "bbc", "c20ng"], sample_count = 10, sample_size = 1)]
fn mevm(bencher: Bencher, set: &str) {
    let (train, cores, (settings, mevm)) = (data(set), Cores::new(0), settings());
    bencher
        .with_inputs(|| {
            begun(MevmLearner::new(&train, &settings, &mevm, &cores), &train, settings.components)
        })
        .bench_local_refs(run);
}

#[divan::bench(args = ["plants", "jester", "bbc", "c20ng"], sample_count = 20, sample_size = 1)]
fn chow_liu(bencher: Bencher, set: &str) {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let train = data(set);
    let entry = find("chow-liu").next().unwrap();
    let Some(Fit::Density(fit)) = entry.fit(TaskKind::Density) else { panic!("no density") };
    let parameters = Parameters::defaults(entry.parameters);
    let context = Context {
        split_seed: Digest::of(b"bench"),
        cores: Cores::new(0),
        deadline: None,
        interrupt: &NEVER,
    };
    bencher.bench_local(|| fit(black_box(&parameters), &train, &context, &mut None).unwrap());
}
