//! The surroundings of a benchmarked fit, and of what size it is.

use reprise::base::digest::Digest;
use reprise::contract::Context;

/// One core, no deadline, no cache.
pub fn context() -> Context {
    testing::context(Digest::of(b"bench"), 0)
}

/// The sizes of a benchmark. The first, which is the smallest, alone where benchmarks are only to be tried: by `cargo test`, and
/// where `REPRISE_BENCH_SMALLEST` is set.
pub fn sizes<T: Copy>(sizes: &[T]) -> Vec<T> {
    let measured = std::env::args().any(|argument| argument == "--bench");
    let tried = !measured || std::env::var_os("REPRISE_BENCH_SMALLEST").is_some();
    sizes[..if tried { 1 } else { sizes.len() }].to_vec()
}
