//! What methods of several papers and the baselines share.

pub mod by_class;
pub(crate) mod derived_key;
pub mod em;
pub mod l1_logistic;
pub(crate) mod prediction;
pub(crate) mod scales;
