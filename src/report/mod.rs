//! report.
pub mod figure;
