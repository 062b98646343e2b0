//! What a released version sealed, every later one audits: `tests/sealed` has a folder a version.

use std::path::Path;
use std::process::Command;

use reprise::base::layout::MANIFEST;

use crate::support::results::{committed, copy, digest, manifest, outputs};
use crate::support::terminal::{assert_says, text};

/// The version, and the digest that it printed. A line once written stays: docs/developing/compatibility.md
const SEALED: [(&str, &str); 1] =
    [("0.1.0", "63bdee3371829c87a6d519ec0e4c47279309dbd46effb805934a2f3ba0e2f821")];

#[test]
fn results_of_every_release_are_audited() {
    let all = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sealed"));
    let versions = std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().file_name());
    let mut versions: Vec<String> = versions.map(|name| name.into_string().unwrap()).collect();
    versions.sort_unstable();
    assert_eq!(versions, SEALED.map(|(version, _)| version));
    for (version, printed) in SEALED {
        let folder = all.join(version).join("stages");
        assert_eq!(digest(&folder), printed);
        for file in ["trials.csv", "claims.csv", "choices.csv", "tests.csv", "universes/claims.csv"]
        {
            assert!(manifest(&folder).files.iter().any(|one| one.path == file), "{file}");
        }
        let mut audit = Command::new(env!("CARGO_BIN_EXE_reprise"));
        assert_says(&audit.arg("audit").arg(&folder).output().unwrap(), 0, &["ok stages", printed]);
    }
}

/// What is reported anew with each run of the tests: tables of more bytes of trials take seconds.
const FEW: u64 = 1 << 20;

/// A line of the code can change a table without a revision that says so: what is committed is what its trials give today.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn committed_results_are_what_their_trials_give() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = tempfile::tempdir().unwrap();
    let files = committed(MANIFEST);
    assert!(files.len() > 30, "{}", files.len());
    for dir in files.iter().map(|file| file.parent().unwrap()) {
        let id = dir.strip_prefix(checkout.join("results")).unwrap();
        let spec = checkout.join("experiments").join(id).with_extension("toml");
        // Examples that an experiment keeps have manifests of their own.
        if !spec.exists() {
            continue;
        }
        let trials = ["trials.csv", "universes/trials.csv"].map(|file| dir.join(file).metadata());
        if trials.into_iter().flatten().map(|file| file.len()).sum::<u64>() > FEW {
            continue;
        }
        let copied = own.path().join("results").join(id);
        copy(dir, &copied);
        let mut report = Command::new(env!("CARGO_BIN_EXE_reprise"));
        report.args(["report", "--offline", "--results", "results", "--cache", "cache"]);
        let done = report.arg(spec).current_dir(own.path()).output().unwrap();
        assert!(done.status.success(), "{}: {}", id.display(), text(&done));
        let (before, after) = (outputs(dir), outputs(&copied));
        let moved = |(file, bytes): &(&String, &Vec<u8>)| after.get(*file) != Some(*bytes);
        let moved: Vec<&String> = before.iter().filter(moved).map(|(file, _)| file).collect();
        assert!(moved.is_empty(), "{}: {moved:?}", id.display());
        assert_eq!(digest(&copied), digest(dir), "{}", id.display());
    }
}
