//! Quantities on the command line, each read in one way.

use std::num::NonZeroUsize;

/// A number of worker threads, or of tasks.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a whole number from 1; without --jobs all cores are used".to_owned())
}

/// An amount of memory.
pub fn memory(text: &str) -> Result<u64, String> {
    let bytes = spec::bytes_of_size(text);
    bytes.ok_or_else(|| "expected a size such as 512MiB or 8GiB".to_owned())
}

/// A share of the paths.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.01".to_owned())
}

/// A length of time.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "expected a positive number of seconds, such as 300".to_owned())
}
