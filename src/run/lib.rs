//! Planning and executing trials, and keeping their records.

pub mod check;
pub mod crash;
pub mod csv;
pub mod datasets;
pub mod executor;
pub mod journal;
pub mod needs;
pub mod only;
pub mod plan;
pub mod pool;
pub mod programs;
pub mod record;
mod reserve;
pub mod select;
pub mod store;
pub mod trials_csv;
pub mod why;

pub use record::{Outcome, Record, Setup, Several, Status, Trial, several};
