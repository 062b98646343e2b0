//! Baselines that several papers share.

pub mod chow_liu;
pub mod decision_tree;
pub mod independent;
pub mod linear_svm;
