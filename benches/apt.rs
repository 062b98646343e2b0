//! Pairwise Markov networks: gradients of the pseudo-likelihood, paths of L1-regularised regressions, exact
//! k-means. One core. With REPRISE_MIRROR set the data are the published training sets, otherwise generated
//! rows of the same shape and density.
//!
//! divan's items of a gradient are terms: variables and neighbours of ones, over all examples, which is what
//! a loop over the examples would compute. `benches/peers/l1_path.py` runs scikit-learn's LIBLINEAR beside
//! the paths.

mod context;
mod rows;

use context::{context, sizes};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use reprise::base::digest::Digest;
use reprise::contract::Context;
use reprise::contract::binary::DistinctRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::math::k_means::k_means;
use reprise::math::newton::Stopping;
use reprise::math::random::Random;
use reprise::method::shared::l1_logistic::Regression;
use reprise::papers::apt::converged::Converged;
use reprise::papers::apt::network::Network;
use reprise::papers::apt::objective::{self, Loss as _};
use reprise::papers::apt::pseudo_likelihood::PseudoLikelihood;
use reprise::papers::apt::sgd::{Settings, Sgd};
use reprise::papers::apt::structure::{self, DEGREE, Structure};
use rows::training_rows;

fn main() {
    divan::main();
}

/// One gradient at d = 15.
#[divan::bench(args = sizes(&["plants", "jester", "dna", "book"]), sample_count = 20)]
fn gradient(bencher: Bencher, set: &str) {
    let (train, context) = (training_rows(set), context());
    let network = network(&train, &context);
    let terms = ItemsCount::new(terms(&network, &train));
    let pseudo = PseudoLikelihood::new(network, &train, &context).unwrap();
    let point = vec![0.01; pseudo.network().parameters()];
    bencher
        .counter(terms)
        .bench_local(|| objective::gradient(&pseudo, black_box(&point), &context.cores));
}

/// Ten thousand stochastic steps at d = 15. Items are terms, as of a gradient.
#[divan::bench(args = sizes(&["plants", "jester", "dna", "book", "c20ng"]), sample_count = 5, sample_size = 1)]
fn stochastic_steps(bencher: Bencher, set: &str) {
    const STEPS: usize = 10_000;
    let (train, context) = (training_rows(set), context());
    let network = network(&train, &context);
    let terms = terms(&network, &train) / train.examples() * STEPS;
    let loss = PseudoLikelihood::new(network, &train, &context).unwrap();
    let stopping = Stopping { tolerance: 1.0, max_iterations: 0 };
    let converged = Converged { loss: &loss, context: &context, stopping, free: 0 };
    let settings = Settings { step_size: 0.05, steps: STEPS, interval: STEPS, raised: true };
    let sgd = Sgd { train: &train, settings, converged };
    bencher
        .counter(ItemsCount::new(terms))
        .bench_local(|| sgd.walk(black_box(1.0), None, None).unwrap());
}

/// The structure at d = 15.
fn network(train: &DistinctRows, context: &Context) -> Network {
    let mut parameters = Parameters::defaults(structure::Settings::PARAMETERS);
    parameters.set(DEGREE.parameter.name, Value::Integer(15));
    Structure::learn(&parameters, train, context).unwrap().network
}

/// What a loop over the examples computes: variables and neighbours of ones, over all examples.
fn terms(network: &Network, train: &DistinctRows) -> usize {
    let neighbours = |row: &[u32]| -> usize {
        row.iter().map(|&one| network.neighbours(one as usize).len()).sum()
    };
    let counts = train.counts.iter().map(|&count| count as usize);
    train.rows.iter().zip(counts).map(|(row, c)| c * (train.variables() + neighbours(row))).sum()
}

/// The penalties of a path: 30 of them, each nine tenths of the one before.
const STEPS: usize = 30;
const RATIO: f64 = 0.9;

/// Paths of the regressions of the first ten variables.
#[divan::bench(args = sizes(&["plants", "dna"]), sample_count = 3, sample_size = 1)]
fn l1_path(bencher: Bencher, set: &str) {
    let (train, context) = (training_rows(set), context());
    let columns = train.rows.by_column();
    bencher.bench_local(|| {
        for target in 0..10 {
            let Some(mut regression) = Regression::new(&train, &columns, target) else { continue };
            let mut lambda = regression.largest_lambda;
            for _ in 0..STEPS {
                lambda *= RATIO;
                black_box(regression.solve(lambda, &context).unwrap());
            }
        }
    });
}

/// Clustering of 40,000 values.
#[divan::bench(args = sizes(&[2, 20, 1000, 10_000]), sample_count = 5, sample_size = 1)]
fn cluster(bencher: Bencher, k: usize) {
    let mut random = Random::new(Digest::of(b"values"));
    let normal = |random: &mut Random| (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let values: Vec<f64> = (0..40_000).map(|_| normal(&mut random)).collect();
    bencher.bench_local(|| k_means(black_box(&values), k));
}
