//! What several tests share.

pub mod server;
