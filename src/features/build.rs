//! Cargo takes build dependencies into account where there is a build script.
fn main() {}
