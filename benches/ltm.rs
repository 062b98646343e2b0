//! The structure of latent trees against the number of variables: 2,461 examples of random latent trees, as many as of
//! the largest of the twenty density sets, `ad`, which has 1,556 variables. Without EM.
//!
//! `cargo bench --bench ltm`

mod context;

use context::{context, sizes};
use divan::{Bencher, black_box};
use reprise::KNOWN;
use reprise::contract::parameter::{Parameters, Value};
use reprise::data::generate::density::{DensitySample, LatentKeys, Model, Sizes};
use reprise::data::generate::latent_tree::Shape;

const EXAMPLES: usize = 2461;

fn main() {
    divan::main();
}

fn structure(bencher: Bencher, algorithm: &str, variables: usize) {
    let sizes = Sizes { seed: 1, variables, train: EXAMPLES, valid: 0, test: 1 };
    let model = Model::LatentTree(LatentKeys {
        shape: Shape::Random,
        correlations: vec![0.5, 0.8],
        ones: 0.5,
    });
    let sample = DensitySample::new(sizes, model).unwrap();
    let train = sample.rows().select(0..EXAMPLES).distinct();
    let entry = KNOWN.catalogue.methods_of("latent-tree").next().unwrap();
    let fit = entry.density().unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("algorithm", Value::Text(algorithm.to_owned()));
    parameters.set("max_iterations", Value::Integer(0));
    bencher.bench_local(|| fit(&parameters, black_box(&train), &context(), &mut None));
}

/// Recursive grouping of neighbourhoods: O(n² N / 64 + n h) and O(m³) a neighbourhood of m.
#[divan::bench(args = sizes(&[100, 400, 1556]), sample_count = 3, sample_size = 1)]
fn clrg(bencher: Bencher, variables: usize) {
    structure(bencher, "clrg", variables);
}

/// Neighbour joining of neighbourhoods: as recursive grouping.
#[divan::bench(args = sizes(&[100, 400, 1556]), sample_count = 3, sample_size = 1)]
fn clnj(bencher: Bencher, variables: usize) {
    structure(bencher, "clnj", variables);
}

/// A neighbourhood at a time, with EM of small trees.
#[divan::bench(args = sizes(&[100, 400, 1556]), sample_count = 3, sample_size = 1)]
fn reg_clnj(bencher: Bencher, variables: usize) {
    structure(bencher, "reg-clnj", variables);
}

/// Neighbour joining of all variables: O(n³).
#[divan::bench(args = sizes(&[100, 400, 1556]), sample_count = 3, sample_size = 1)]
fn nj(bencher: Bencher, variables: usize) {
    structure(bencher, "nj", variables);
}

/// Recursive grouping of all variables: O(n³) a round.
#[divan::bench(args = sizes(&[100, 400]), sample_count = 3, sample_size = 1)]
fn rg(bencher: Bencher, variables: usize) {
    structure(bencher, "rg", variables);
}
