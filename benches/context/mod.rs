//! The surroundings of a benchmarked fit.

use reprise::base::digest::Digest;
use reprise::contract::{Context, testing};

/// One core, no deadline, no cache.
pub fn context() -> Context {
    testing::context(Digest::of(b"bench"), 0)
}
