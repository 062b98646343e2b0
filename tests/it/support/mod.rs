//! What several tests share.

pub mod audit;
pub mod download;
pub mod experiment;
pub mod fits;
pub mod golden;
pub mod guide_page;
pub mod paper;
pub mod property;
pub mod registry;
pub mod results;
pub mod server;
pub mod spec;
pub mod terminal;
