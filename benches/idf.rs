//! The procedures of irreducible disjoint factors: 10,000 examples of Bayesian networks of four
//! variables each. divan's items are tests of independence.
//!
//! `cargo bench --bench idf`

mod context;

use context::{context, sizes};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::base::parallel::Cores;
use reprise::contract::parameter::Parameters;
use reprise::contract::{Context, Observed};
use reprise::data::generate::factors::{Factor, FactorSample, Family};

const EXAMPLES: usize = 10_000;

fn main() {
    divan::main();
}

fn observed(variables: usize) -> Observed {
    let family = Family::Random { factor: Factor::Network, variables, size: 4 };
    let sample = FactorSample::new(1, EXAMPLES, family).unwrap();
    Observed { examples: sample.drawn(Digest::of(b"bench")).examples, distribution: None }
}

fn run(bencher: Bencher, kind: &str, variables: usize, cores: usize) {
    let context = Context { cores: Cores::new(cores - 1), ..context() };
    let entry = KNOWN.catalogue.methods_of(kind).next().unwrap();
    let fit = entry.partition().unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    let observed = observed(variables);
    bencher
        .counter(ItemsCount::new(variables * (variables - 1) / 2))
        .bench_local(|| fit(&parameters, black_box(&observed), &context));
}

/// Theorem 7: every pair, nothing given.
#[divan::bench(args = sizes(&[12, 100]), sample_count = 3, sample_size = 1)]
fn composition(bencher: Bencher, variables: usize) {
    run(bencher, "idf-composition", variables, 1);
}

/// The same by the number of cores.
#[divan::bench(args = sizes(&[1, 2]), sample_count = 3, sample_size = 1)]
fn composition_of_1000_on_cores(bencher: Bencher, cores: usize) {
    run(bencher, "idf-composition", 1000, cores);
}

/// Theorem 5: every pair given all others.
#[divan::bench(args = sizes(&[12, 100]), sample_count = 3, sample_size = 1)]
fn intersection(bencher: Bencher, variables: usize) {
    run(bencher, "idf-intersection", variables, 1);
}

/// Theorem 8: every pair given what came before.
#[divan::bench(args = sizes(&[12, 100, 1000]), sample_count = 3, sample_size = 1)]
fn any(bencher: Bencher, variables: usize) {
    run(bencher, "idf-any", variables, 1);
}
