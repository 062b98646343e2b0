//! The harness itself: 20,000 trials that do next to nothing, planned, run, journaled, reported and
//! sealed by the command as a user runs it.

use std::path::Path;
use std::process::Command;

use divan::Bencher;

const DATASETS: &str = r#"
schema = 1
[dataset.tiny]
title = "Tiny"
kind = "binary"
citation = "generated"
licence = "MIT OR Apache-2.0"
generator = { kind = "independent", seed = 1, variables = 4, probabilities = [0.2, 0.8], train = 8, valid = 2, test = 4 }
"#;

const SPEC: &str = r#"
schema = 1
[experiment]
id = "no-op"
title = "Trials that do next to nothing"
seed = 1
[task]
kind = "density"
datasets = ["tiny"]
split = "published"
repeats = 20000
[[method]]
id = "independent"
kind = "independent"
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 3
sd = "repeat"
"#;

fn main() {
    divan::main();
}

fn reprise(folder: &Path, subcommand: &str) {
    let status = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .current_dir(folder)
        .args([subcommand, "no-op.toml", "--cache", "cache"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("datasets.toml"), DATASETS).unwrap();
    std::fs::write(folder.path().join("no-op.toml"), SPEC).unwrap();
    folder
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn run_20000_trials(bencher: Bencher) {
    bencher.with_inputs(folder).bench_refs(|folder| reprise(folder.path(), "run"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn report_20000_trials(bencher: Bencher) {
    let folder = folder();
    reprise(folder.path(), "run");
    bencher.bench(|| reprise(folder.path(), "report"));
}
