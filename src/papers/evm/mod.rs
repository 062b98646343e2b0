//! Exchangeable Variable Models (Niepert and Domingos, ICML 2014).

mod class_structure;
pub mod classifier;
pub mod conditions;
pub mod learner;
mod masks;
pub mod mevm;
pub mod model;
pub mod partition;
mod passes;
mod smoothing;
pub mod structure;

#[cfg(test)]
mod tests;
