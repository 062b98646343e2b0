//! How many random cases a property is tried on.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The same few cases each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for more and for others.
pub fn few(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let set = |name: &str| std::env::var_os(name).is_some();
    ProptestConfig {
        cases: if set("PROPTEST_CASES") { default.cases } else { cases },
        rng_seed: if set("PROPTEST_RNG_SEED") { default.rng_seed } else { RngSeed::Fixed(1) },
        failure_persistence: None,
        ..default
    }
}
