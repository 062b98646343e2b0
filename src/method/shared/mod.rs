//! What methods of several papers and the baselines share.

pub mod by_class;
pub mod class_weight;
pub mod derived_key;
pub mod em;
pub mod l1_logistic;
pub mod prediction;
pub mod refusals;
