//! Exchangeable Variable Models (Niepert and Domingos, ICML 2014).

pub mod em;
pub mod latent_nb;
pub mod learner;
pub mod mevm;
pub mod partition;
pub mod query;
pub mod structure;
