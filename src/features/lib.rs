//! Nothing: the manifest of this crate pins features of packages.
