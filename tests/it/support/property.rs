//! How many random cases a property is tried on, and files with random damages.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use reprise::base::digest::Digest;
use reprise::math::random::Random;

/// The same few cases each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for more and for others.
pub fn few(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let set = |name: &str| std::env::var_os(name).is_some();
    ProptestConfig {
        cases: if set("PROPTEST_CASES") { default.cases } else { cases },
        rng_seed: if set("PROPTEST_RNG_SEED") { default.rng_seed } else { RngSeed::Fixed(1) },
        ..default
    }
}

/// Few cases, the same each time; as many as `REPRISE_FUZZ_CASES` says, and others each time, where it says so.
pub fn fuzz() -> ProptestConfig {
    let asked = std::env::var("REPRISE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    match asked {
        Some(cases) => ProptestConfig { cases, ..ProptestConfig::default() },
        None => few(100),
    }
}

/// Characters that formats are made of.
const CHARACTERS: &[u8] = b",\"\n\r0-.e{}[]:= \\#\xff\0<>&;\t";

/// The bytes with so many places replaced, removed, repeated or cut off.
pub fn damaged(bytes: &[u8], seed: u64, times: usize) -> Vec<u8> {
    let mut random = Random::new(Digest::of(&seed.to_be_bytes()));
    let mut bytes = bytes.to_vec();
    for _ in 0..times {
        let at = random.below(bytes.len());
        let until = (at + random.below(20)).min(bytes.len());
        match random.below(8) {
            0 | 1 => drop(bytes.drain(at..until)),
            2 => bytes.truncate(at.max(1)),
            3 | 4 => {
                let again = bytes[at..until].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, again);
            }
            _ => bytes[at] = CHARACTERS[random.below(CHARACTERS.len())],
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}
