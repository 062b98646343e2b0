//! Records what the binary was built from: the compiler, and a digest of the sources; and compiles the
//! experiment files in.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

mod sources;

fn main() {
    println!("cargo::rerun-if-changed=../../src");
    println!("cargo::rerun-if-changed=../../experiments");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rerun-if-changed=../../datasets.toml");
    println!("cargo::rerun-if-changed=../../papers.toml");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    println!("cargo::rustc-env=REPRISE_RUSTC={version}");
    println!("cargo::rustc-env=REPRISE_SOURCES={}", sources::digest(Path::new("../..")));
    // A release names its commit, so that no path of the machine is in the binary.
    println!("cargo::rerun-if-env-changed=REPRISE_COMMIT");
    let released = std::env::var("REPRISE_COMMIT").ok().filter(|commit| !commit.is_empty());
    let checkout = std::path::absolute("../..").expect("the present folder has a path");
    let checkout = if released.is_some() { String::new() } else { checkout.display().to_string() };
    println!("cargo::rustc-env=REPRISE_COMMIT={}", released.or_else(commit).unwrap_or_default());
    println!("cargo::rustc-env=REPRISE_CHECKOUT={checkout}");
    write_experiments();
}

/// The commit that has these sources; none where they have changed since, or are not in a repository.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(["-C", "../.."]).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    git(&["ls-files", "--error-unmatch", "Cargo.lock"])?;
    let changes = git(&[&["status", "--porcelain", "--"][..], &sources::ROOTS].concat())?;
    changes.is_empty().then(|| git(&["rev-parse", "HEAD"])).flatten()
}

/// What `reprise init` writes, to be changed into another experiment: no results are compared with it.
const FIRST: [&str; 4] = ["first.toml", "datasets.toml", "flowers.csv", "published/first.csv"];

/// A table of all other files below `experiments/`: their paths there, and their texts.
fn write_experiments() {
    let root = std::path::absolute("../../experiments").expect("the present folder has a path");
    let mut files = Vec::new();
    list(&root, 2, &mut files);
    files.retain(|file| FIRST.iter().all(|first| *file != root.join(first)));
    files.sort();
    let mut text = "static FILES: &[(&str, &str)] = &[\n".to_owned();
    for file in &files {
        let name = file.strip_prefix(&root).expect("it was found there");
        let _ = writeln!(text, "    ({:?}, include_str!({:?})),", name.display().to_string(), file);
    }
    text += "];\n";
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("experiments.rs"), text).expect("OUT_DIR is writable");
}

/// The files of experiments: those below so many folders, where no environment or result of somebody lies.
fn list(folder: &Path, below: usize, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("experiments/ is part of the sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            if below > 0 {
                list(&path, below - 1, files);
            }
        } else if path
            .extension()
            .is_some_and(|end| ["toml", "csv", "py", "txt"].iter().any(|one| end == *one))
        {
            files.push(path);
        }
    }
}
