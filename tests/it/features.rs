//! Packages have the same features whichever crate of the workspace is built or tested, so that none is built twice.

use std::collections::BTreeSet;
use std::process::Command;

/// The packages below a selection of crates, each with its features.
fn features(selection: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p}|{f}"])
        .args(selection)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).unwrap();
    let line = |line: &str| line.replace(" (*)", "").replace(" (proc-macro)", "");
    let lines = lines.lines().map(line);
    lines.filter(|line| !line.is_empty() && !line.starts_with("reprise")).collect()
}

#[test]
fn no_package_is_built_twice_for_its_features() {
    let all = features(&["--workspace", "--edges", "normal,build,dev"]);
    let manifest = include_str!("../../Cargo.toml");
    let rooms =
        manifest.lines().filter_map(|line| line.split_once("package = \"")?.1.split_once('"'));
    let rooms: Vec<&str> =
        rooms.map(|(room, _)| room).filter(|name| name.starts_with("reprise-")).collect();
    assert!(rooms.len() > 10);
    for room in rooms.iter().copied().chain(["reprise"]) {
        for edges in ["normal,build", "normal,build,dev"] {
            let other = features(&["--package", room, "--edges", edges]);
            let other: Vec<&String> = other.difference(&all).collect();
            assert!(other.is_empty(), "{room}, {edges}: pin in src/features/Cargo.toml {other:?}");
        }
    }
}
