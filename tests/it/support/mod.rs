//! What several tests share.

pub mod experiment;
pub mod server;
