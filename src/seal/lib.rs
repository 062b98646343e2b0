//! Sealing results, so that anyone can audit them by checksum.

pub mod audit;
pub mod manifest;
pub mod write;

pub use audit::{Difference, Folder, audit, check};
pub use manifest::{Class, FileEntry, LAYOUT, Manifest, SCHEMA};
