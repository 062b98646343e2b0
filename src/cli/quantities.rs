//! Quantities on the command line, each read in one way.

use std::num::NonZeroUsize;

/// Another text than the one that is expected.
#[derive(Debug, thiserror::Error)]
#[error("expected {0}")]
pub struct Expected(pub &'static str);

/// A number of worker threads, or of tasks.
pub fn jobs(text: &str) -> Result<NonZeroUsize, Expected> {
    text.parse().map_err(|_| Expected("a whole number from 1; without --jobs all cores are used"))
}

/// An amount of memory.
pub fn memory(text: &str) -> Result<u64, Expected> {
    spec::bytes_of_size(text).ok_or(Expected("a size such as 512MiB or 8GiB"))
}

/// A share of the paths.
pub fn share(text: &str) -> Result<f64, Expected> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or(Expected("a number from 0 to 1, such as 0.01"))
}

/// A length of time.
pub fn seconds(text: &str) -> Result<f64, Expected> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or(Expected("a positive number of seconds, such as 300"))
}
