//! What a user does with an experiment: its data, its outputs, and whether sealed results come out again.

pub mod again;
pub mod audit;
pub mod built_in;
mod compare;
pub mod error;
pub mod inputs;
pub mod outputs;
pub mod session;

pub use error::Error;
pub use session::Session;
