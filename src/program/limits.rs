//! How much a program may take, beside its time and memory.

use std::time::Duration;

/// How many processes and threads a program may have at once.
pub(crate) const PROCESSES: u64 = 512;

/// How many files a process may have open.
pub(crate) const DESCRIPTORS: u64 = 1_024;

/// How much a program may take, beside the time and the memory that an experiment file gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of all that it writes, beside what answers to all rows take as text.
    pub output: u64,
    /// The most bytes of its log that are kept: half of them from its beginning, half from its end.
    pub log: usize,
    /// How long it may take until it is ready.
    pub start: Duration,
    /// How long it may take to end after it was asked to.
    pub grace: Duration,
    /// How often its memory and its output are looked at.
    pub interval: Duration,
    /// How many processes may wait for a next trial.
    pub idle: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            output: 256 << 20,
            log: 1 << 20,
            start: Duration::from_secs(300),
            grace: Duration::from_secs(2),
            interval: Duration::from_millis(100),
            idle: base::parallel::available_cores(),
        }
    }
}
