//! seal.
