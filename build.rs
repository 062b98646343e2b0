//! Records what the binary was built from: the compiler, and a digest of the sources.

use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

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
    let mut hasher = Sha256::new();
    for root in ["src", "Cargo.lock", "datasets.toml"] {
        add(Path::new(root), &mut hasher);
    }
    let digest: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=REPRISE_SOURCES={digest}");
}

fn add(path: &Path, hasher: &mut Sha256) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| add(entry, hasher));
    } else if let Ok(bytes) = std::fs::read(path) {
        let name = path.to_string_lossy();
        for field in [name.as_bytes(), &bytes] {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
    }
}
