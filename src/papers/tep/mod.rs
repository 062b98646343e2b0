//! Expectation propagation for the t-exponential family (Futami, Sato and Sugiyama, NIPS 2017): the Bayes
//! point machine and the Student-t process classifier, with their Gaussian limits.
//!
//! The formulas follow the paper's numbers; `docs/papers/tep.md` lists what is corrected and why.

pub mod adf;
pub mod bpm;
pub mod evidence;
pub mod exact;
pub mod hyper;
pub mod kernel;
pub mod labels;
pub mod process;
pub mod process_classifier;
pub mod schedule;
pub mod site;
pub mod step;
pub mod weights;

#[cfg(test)]
mod tests;
