//! Significance tests, ranks, intervals and corrections for multiple comparisons.
//!
//! All tests are two-sided. A test that its input cannot support is a [`StatsError`], never a
//! number: too few values, a NaN, or no variation at all.

mod adjust;
mod bootstrap;
mod distribution;
mod error;
mod friedman;
mod mcnemar;
mod ranks;
mod sign;
mod student;
mod studentized_range;
mod wilcoxon;

pub use adjust::{Correction, adjust};
pub use bootstrap::{Interval, bootstrap_mean_interval};
pub use error::StatsError;
pub use friedman::{
    AgainstControl, Friedman, critical_difference, friedman, holm_against_control, nemenyi_p,
};
pub use mcnemar::mcnemar;
pub use ranks::{printed_difference, ranks};
pub use sign::sign;
pub use student::{corrected_resampled_t, paired_t, t_interval, welch_t};
pub use wilcoxon::{EXACT_MOST, Zeros, wilcoxon_signed_rank};

/// What a significance test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// The test statistic; each test says which.
    pub statistic: f64,
    /// Two-sided p-value, in [0, 1].
    pub p: f64,
    /// Number of observations that entered the statistic.
    pub n: usize,
}
