//! Baselines that several papers share.

pub mod bernoulli_nb;
pub mod chow_liu;
pub mod independent;
pub mod knn;
