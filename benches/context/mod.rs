//! The surroundings of a benchmarked fit.

use std::sync::atomic::AtomicBool;

use reprise::base::derived::Derived;
use reprise::base::digest::Digest;
use reprise::base::parallel::Cores;
use reprise::contract::Context;

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
