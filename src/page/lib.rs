//! The pages that people open: an experiment's results, the scorecard over all of them, and what differs between two
//! results. Each is one file that asks for nothing: no request leaves it, which its own Content-Security-Policy
//! enforces, and without script it can be read.
//!
//! A page is derived: made of what is sealed, outside of the digest, so it may show the digest, the commit and seconds.

mod block;
mod choices;
mod claims;
pub mod commands;
pub mod comparison;
mod conclusions;
mod figures;
mod leaks;
mod provenance;
mod results;
pub mod scorecard;
pub mod scored;
mod sheet;
mod shell;
mod significance;
mod summary;
mod tables;

pub use commands::{Commands, Local};
pub use provenance::Provenance;
pub use results::results;
pub use summary::{duration, spent};
