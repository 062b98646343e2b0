//! The surroundings of a benchmarked fit.

use std::sync::atomic::AtomicBool;

use reprise::data::derived::Derived;
use reprise::math::digest::Digest;
use reprise::math::parallel::Cores;
use reprise::method::Context;

/// One core, no deadline, no cache.
pub fn context() -> Context {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Context {
        split_seed: Digest::of(b"bench"),
        cores: Cores::new(0),
        derived: Derived::default(),
        deadline: None,
        interrupt: &NEVER,
    }
}
