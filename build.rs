//! Records what the binary was built from: the compiler, and a digest of the sources.

use std::path::Path;
use std::process::Command;

#[path = "src/seal/sources.rs"]
mod sources;

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=datasets.toml");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    println!("cargo::rustc-env=REPRISE_RUSTC={version}");
    println!("cargo::rustc-env=REPRISE_SOURCES={}", sources::digest(Path::new(".")));
}
