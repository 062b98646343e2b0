//! What the tests of several circuits need.

use base::digest::Digest;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::{DensityModel, MethodEntry, Parameters, Value};
use math::random::Random;
use testing::context;

use super::acmn::ACMN;
use super::hclt::HCLT;
use super::learn_spn::LEARN_SPN;
use super::mixture_of_trees::MIXTURE_OF_TREES;

/// Rows in which neighbours depend on each other, and all on one of three classes.
pub fn drawn(variables: usize, examples: usize) -> BinaryRows {
    let mut random = Random::new(Digest::of(b"rows of circuits"));
    let mut rows = BinaryRows::new(variables);
    for _ in 0..examples {
        let class = random.below(3) as u32;
        let mut ones = Vec::new();
        for v in 0..variables as u32 {
            let near = ones.last() == Some(&v.wrapping_sub(1));
            let p = 0.15 + 0.2 * f64::from((v + class) % 3) + if near { 0.3 } else { 0.0 };
            if random.uniform() < p {
                ones.push(v);
            }
        }
        rows.push(&ones);
    }
    rows
}

/// A model with these parameters.
pub fn fitted(
    entry: &MethodEntry,
    set: &[(&str, Value)],
    train: &DistinctRows,
    idle: usize,
) -> Box<dyn DensityModel> {
    let mut parameters = Parameters::defaults(entry.parameters);
    set.iter().for_each(|(name, value)| parameters.set(name, value.clone()));
    let context = context(Digest::of(b"circuits"), idle);
    entry.density().unwrap()(&parameters, train, &context, &mut None).unwrap()
}

/// The log-likelihoods of rows.
pub fn logs(model: &dyn DensityModel, rows: &BinaryRows) -> Vec<f64> {
    model.log_likelihoods(rows, &Cores::default())
}

#[test]
fn two_thousand_variables_have_finite_likelihoods() {
    let rows = drawn(2000, 60);
    let train = rows.distinct();
    let whole = Value::Integer;
    for (entry, set) in [
        (&MIXTURE_OF_TREES, vec![("components", whole(2))]),
        (&LEARN_SPN, vec![]),
        (&HCLT, vec![("states", whole(2)), ("batch_passes", whole(1))]),
        (&ACMN, vec![("max_edges", whole(14_200)), ("split_cost", Value::Real(0.0))]),
    ] {
        let model = fitted(entry, &set, &train, 1);
        let found = logs(&*model, &rows);
        assert!(found.iter().all(|log| log.is_finite() && *log < 0.0), "{}", entry.kind);
    }
}
