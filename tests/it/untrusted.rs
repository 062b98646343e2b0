//! Results that come from elsewhere lead nowhere: nothing outside of the cache and the results folder is read,
//! written or asked for because a folder of results says so.

use std::path::Path;

use reprise::base::digest::Digest;

use crate::support::experiment::{Bench, assert_says, outputs};
use crate::support::server::{Server, ok};

const SPEC: &str = r#"
schema = 1
[experiment]
id = "untrusted"
title = "Untrusted"
seed = 1
[task]
kind = "density"
datasets = ["generated-tree"]
split = "published"
metrics = ["test_ll"]
[[method]]
id = "CL"
kind = "chow-liu"
[[method]]
id = "Independent"
kind = "independent"
[[test]]
id = "paired"
kind = "paired-t"
metric = "test_ll"
reference = "CL"
pair_by = "example"
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
[[figure]]
id = "f"
kind = "dot"
x = "dataset"
y = "test_ll"
series = "method"
"#;

const ROWS: &str = "0,1\n1,0\n1,1\n";

/// A registry of one dataset, whose files have this source.
fn registry(source: &str) -> String {
    let file = |role: &str| {
        format!("{{ role = {role:?}, format = \"binary-csv\", sources = [{{ {source} }}] }},\n")
    };
    let files: String = ["train", "valid", "test"].map(file).concat();
    format!(
        "schema = 1\n[dataset.mine]\ntitle = \"Mine\"\nkind = \"binary\"\ncitation = \"none\"\n\
         licence = \"none\"\nshape = {{ variables = 2, train = 3, valid = 3, test = 3 }}\n\
         files = [\n{files}]\n"
    )
}

#[test]
fn no_folder_of_the_results_is_a_link_to_another_place() {
    for name in ["tables", "figures", "examples", "published", "timing"] {
        for sealed in [false, true] {
            let bench = Bench::new(SPEC);
            let elsewhere = bench.folder().join("elsewhere");
            std::fs::create_dir(&elsewhere).unwrap();
            std::fs::write(elsewhere.join("t.csv"), "mine").unwrap();
            let dir = bench.results("r");
            if sealed {
                bench.run("r", &[]);
                std::fs::remove_dir_all(dir.join(name)).unwrap_or_default();
            } else {
                std::fs::create_dir_all(&dir).unwrap();
            }
            std::os::unix::fs::symlink(&elsewhere, dir.join(name)).unwrap();
            let run = bench.command("r", &["--fresh"]).output().unwrap();
            let says = format!("{name} is a folder of results, but it is a symbolic link");
            assert_says(&run, 5, &[&says, "nothing was written"]);
            let report = bench.subcommand("report", "r", &[]).output().unwrap();
            assert!(!report.status.success());
            assert_eq!(std::fs::read_to_string(elsewhere.join("t.csv")).unwrap(), "mine");
            assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
        }
    }
}

#[test]
fn a_folder_of_somebody_elses_files_is_not_written() {
    let bench = Bench::new(SPEC);
    let dir = bench.results("r");
    std::fs::create_dir_all(&dir).unwrap();
    for file in ["datasets.toml", "report.md", "spec.toml", "manifest.toml"] {
        std::fs::write(dir.join(file), "mine").unwrap();
        let run = bench.command("r", &["--fresh"]).output().unwrap();
        let says = format!("it holds {file}, but neither a sound manifest.toml nor a journal");
        assert_says(&run, 5, &["is no results folder", &says, "name another --results folder"]);
        assert_eq!(std::fs::read_to_string(dir.join(file)).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
        std::fs::remove_file(dir.join(file)).unwrap();
    }
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    bench.run("r", &[]);
    assert!(dir.join("notes.txt").exists());
}

#[test]
fn results_do_not_lie_among_the_files_of_others() {
    let outer = Bench::new(SPEC);
    let inner = Bench::beside(&outer, &SPEC.replace("\"untrusted\"", "\"untrusted/tables/u\""));
    outer.run("r", &[]);
    let refused = inner.command("r", &[]).output().unwrap();
    assert_says(&refused, 5, &["would lie among the files of the results in", "another id"]);
    inner.run("other", &["--shard", "1/1"]);
    let refused = outer.command("other", &["--fresh"]).output().unwrap();
    assert_says(&refused, 5, &["untrusted/tables/u would lie among the files of the results in"]);
    assert!(inner.results("other").join(".journal/1-of-1.journal").exists());
    // Beside them, results may lie within results.
    let beside = Bench::beside(&outer, &SPEC.replace("\"untrusted\"", "\"untrusted/more\""));
    beside.run("r", &["--shard", "1/1"]);
    assert_says(&outer.command("r", &[]).output().unwrap(), 0, &["already sealed"]);
    outer.run("r", &["--fresh"]);
    assert!(beside.results("r").join(".journal/1-of-1.journal").exists());
}

#[test]
fn a_results_folder_that_is_a_link_is_not_written() {
    let bench = Bench::new(&SPEC.replace("id = \"untrusted\"", "id = \"un/trusted\""));
    let elsewhere = bench.folder().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("trusted/figures")).unwrap();
    std::fs::write(elsewhere.join("trusted/figures/mine.txt"), "mine").unwrap();
    std::fs::create_dir(bench.folder().join("r")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, bench.folder().join("r/un")).unwrap();
    let run = bench.command("r", &[]).output().unwrap();
    assert_says(&run, 5, &["r/un is a folder of results, but it is a symbolic link"]);
    assert!(elsewhere.join("trusted/figures/mine.txt").exists());
}

#[test]
fn registries_beside_audited_results_are_not_read() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    // Each would be an error.
    std::fs::write(bench.folder().join("r/datasets.toml"), "no registry").unwrap();
    std::fs::write(bench.folder().join("datasets.toml"), "no registry").unwrap();
    let audit = bench.reprise().arg("audit").arg(&dir).args(["--rerun", "all"]).output().unwrap();
    assert_says(&audit, 0, &["2 of 2 paths executed again", "0 differences"]);
}

fn audit(bench: &Bench, dir: &Path, cache: &str, arguments: &[&str]) -> std::process::Output {
    let mut audit = bench.reprise();
    audit.env("REPRISE_CACHE", bench.folder().join(cache)).arg("audit").arg(dir);
    audit.args(["--rerun", "all"]).args(arguments).output().unwrap()
}

#[test]
fn urls_of_sealed_entries_are_opened_if_they_are_trusted() {
    let bench = Bench::new(&SPEC.replace("generated-tree", "mine"));
    let server = Server::start(|_, _| ok(ROWS.as_bytes()));
    let (url, digest) = (server.url("/rows"), Digest::of(ROWS.as_bytes()));
    let source = format!("url = {url:?}, sha256 = \"{digest}\", bytes = {}", ROWS.len());
    let file = bench.folder().join("datasets.toml");
    std::fs::write(&file, registry(&source)).unwrap();
    let dir = bench.run("r", &[]);
    let asked = server.requests().len();
    assert!(asked > 0);
    let refused = audit(&bench, &dir, "empty", &[]);
    assert_says(
        &refused,
        1,
        &[
            "not checked untrusted",
            "names sources that no registry here does:",
            &url,
            "--registry FILE names your own entries, --trust opens these",
        ],
    );
    assert_eq!(server.requests().len(), asked, "nobody was asked");
    let file = file.display().to_string();
    let known = audit(&bench, &dir, "one", &["--registry", &file]);
    assert_says(&known, 0, &["2 of 2 paths executed again"]);
    assert_says(
        &audit(&bench, &dir, "other", &["--trust"]),
        0,
        &[
            "2 of 2 paths executed again",
            "believed: datasets.toml: no registry here has the dataset mine",
        ],
    );
    assert!(server.requests().len() > asked);
    // The user's own entry counts, and a sealed one that differs is a difference.
    let other = registry(&source).replace("title = \"Mine\"", "title = \"Others'\"");
    std::fs::write(bench.folder().join("mine.toml"), other).unwrap();
    let differs = audit(&bench, &dir, "one", &["--registry", "mine.toml"]);
    assert_says(&differs, 1, &["datasets.toml: the entry of mine is not that of mine.toml"]);
}

#[test]
fn files_that_sealed_entries_name_are_not_read() {
    let bench = Bench::new(&SPEC.replace("generated-tree", "mine"));
    std::fs::write(bench.folder().join("rows.csv"), ROWS).unwrap();
    std::fs::write(bench.folder().join("datasets.toml"), registry("path = \"rows.csv\"")).unwrap();
    let dir = bench.run("r", &[]);
    let before = outputs(&dir);
    let refused = audit(&bench, &dir, "cache", &[]);
    assert_says(&refused, 1, &["not checked", "no registry here does: rows.csv"]);
    let known = audit(&bench, &dir, "cache", &["--registry", "datasets.toml"]);
    assert_says(&known, 0, &["0 differences"]);
    assert_eq!(outputs(&dir), before);
}
