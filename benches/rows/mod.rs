//! The binary rows of the density sets.

use reprise::base::digest::Digest;
use reprise::contract::Examples;
use reprise::contract::binary::{BinaryRows, DistinctRows};
use reprise::data::{DataConfig, Library};
use reprise::math::random::Random;

/// N, n and the share of ones.
fn shape(set: &str) -> (usize, usize, f64) {
    match set {
        "plants" => (17_412, 69, 0.18),
        "jester" => (9_000, 100, 0.608),
        "dna" => (1_600, 180, 0.246),
        "book" => (8_700, 500, 0.016),
        "bbc" => (1_670, 1058, 0.078),
        _ => (11_293, 910, 0.049),
    }
}

/// The training rows of a density set from `REPRISE_MIRROR`; without it, generated rows of the same shape and
/// density.
pub fn training_rows(set: &str) -> DistinctRows {
    if let Ok(mirror) = std::env::var("REPRISE_MIRROR") {
        let config = DataConfig { mirror: Some(mirror), offline: true, ..DataConfig::default() };
        let dataset = Library::open(&config, None).unwrap().load(set).unwrap();
        let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
        return rows.select(dataset.published.unwrap().train).distinct();
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
