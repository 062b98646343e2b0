//! What a user does with an experiment: run it, report on it, and see whether sealed results come out again. The
//! command line is arguments in, a call of this room, an exit code out.

pub mod again;
mod asked;
pub mod audit;
pub mod built_in;
mod checked;
pub mod clean;
mod compare;
mod draws;
pub mod engine;
pub mod environment;
pub mod error;
pub mod explain;
pub mod inputs;
pub mod merge;
pub mod options;
mod origin;
pub mod outputs;
pub mod planned;
mod promises;
pub mod report;
pub mod run;
pub mod scorecard;
pub mod sealed;
pub mod session;
mod sources;
pub mod standing;
pub mod submit;
pub mod universes;
pub mod versus;
pub mod worker;
mod written;

pub use error::Error;
pub use session::Session;
