//! Exchangeable Variable Models (Niepert and Domingos, ICML 2014).

mod conditions;
pub mod em;
pub mod latent_nb;
pub mod learner;
pub mod mevm;
pub mod partition;
mod passes;
pub mod query;
pub mod structure;
