//! Planning and executing trials, and keeping their records.

pub mod record;

pub use record::{Outcome, Record, Status, Trial};
