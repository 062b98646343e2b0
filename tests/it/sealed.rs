//! What a released version sealed, every later one audits: `tests/sealed` has a folder a version.

use std::path::Path;
use std::process::Command;

use crate::support::results::{digest, manifest};
use crate::support::terminal::assert_says;

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
