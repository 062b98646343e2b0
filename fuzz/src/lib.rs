//! What `fuzz_targets` call; the tests of the program play the same on what is kept of earlier findings.

pub mod parsers;
