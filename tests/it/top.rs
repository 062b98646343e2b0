//! The top of the checkout: what stands there is meant to.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use proptest::prelude::ProptestConfig;

/// Everything at the top that is committed.
const TOP: [&str; 27] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "assets",
    "benches",
    "clients",
    "clippy.toml",
    "datasets.toml",
    "deny.toml",
    "docs",
    "experiments",
    "fuzz",
    "papers.toml",
    "pyproject.toml",
    "results",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "src",
    "tests",
];

#[test]
fn nothing_slips_in_at_the_top() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !root.join(".git").exists() {
        eprintln!("skipped: this is no checkout");
        return;
    }
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let paths = String::from_utf8(listed.stdout).unwrap();
    let found: BTreeSet<&str> =
        paths.split_terminator('\0').filter_map(|path| path.split('/').next()).collect();
    assert_eq!(found, BTreeSet::from(TOP));
}

#[test]
fn the_first_page_is_short() {
    let readme = include_str!("../../README.md");
    assert!(readme.lines().count() <= 130, "{} lines", readme.lines().count());
}

/// `.cargo/config.toml` says so for all rooms.
#[test]
fn a_property_that_fails_writes_nothing_into_the_sources() {
    assert!(ProptestConfig::default().failure_persistence.is_none());
}
