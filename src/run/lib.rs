//! Planning and executing trials, and keeping their records.

pub mod cause;
pub mod check;
pub mod chunk;
pub mod claim;
mod crash;
pub mod csv;
pub mod datasets;
pub mod endings;
pub mod error;
pub mod estimate;
mod examples;
pub mod executor;
#[cfg(test)]
mod for_tests;
mod interrupt;
pub mod journal;
pub mod needs;
pub mod only;
pub mod outcome;
pub mod plan;
pub mod pool;
pub mod programs;
mod queue;
pub mod record;
pub mod reserve;
pub mod segment;
pub mod select;
pub mod store;
pub mod trials_csv;
mod validated;
pub mod why;

pub use cause::{Cause, Status};
pub use outcome::Outcome;
pub use record::{Record, Setup, Trial, several};
