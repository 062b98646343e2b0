//! Experiment files: TOML in, a validated [`Experiment`] out, with errors that point at the line.

pub mod experiment;

pub use experiment::*;
