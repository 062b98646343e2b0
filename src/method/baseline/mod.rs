//! Baselines that several papers share.

pub mod chow_liu;
pub mod independent;
