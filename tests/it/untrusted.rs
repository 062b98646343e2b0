//! Results that come from elsewhere lead nowhere: nothing outside of the cache and the results folder is read,
//! written or asked for because a folder of results says so.

use reprise::harness::run::Options;

use crate::support::audit::{Ask, all};
use crate::support::experiment::{Bench, fresh};
use crate::support::registry::{ROWS, mine, rows_at};
use crate::support::results::{outputs, segment};
use crate::support::server::{Server, ok};
use crate::support::spec::{self, CHOW_LIU, DOTS};
use crate::support::terminal::{assert_error, assert_says};

/// Two methods, and every folder of results.
fn spec(id: &str) -> String {
    let methods = format!("{CHOW_LIU}\n[[method]]\nid = \"Independent\"\nkind = \"independent\"");
    spec::density(id, "", &methods) + &spec::by_example("CL") + DOTS
}

fn bench() -> Bench {
    Bench::new(&spec("untrusted"))
}

#[test]
fn no_folder_of_the_results_is_a_link_to_another_place() {
    for name in ["tables", "figures", "examples", "published", "timing"] {
        for sealed in [false, true] {
            let bench = bench();
            let elsewhere = bench.folder().join("elsewhere");
            std::fs::create_dir(&elsewhere).unwrap();
            std::fs::write(elsewhere.join("t.csv"), "mine").unwrap();
            let dir = bench.results("r");
            if sealed {
                bench.run("r");
                std::fs::remove_dir_all(dir.join(name)).unwrap_or_default();
            } else {
                std::fs::create_dir_all(&dir).unwrap();
            }
            std::os::unix::fs::symlink(&elsewhere, dir.join(name)).unwrap();
            let says = format!("{name} is a folder of results, but it is a symbolic link");
            assert_error(&bench.refused("r", &fresh()), &[&says, "nothing was written"]);
            assert!(bench.report("r").is_err());
            assert_eq!(std::fs::read_to_string(elsewhere.join("t.csv")).unwrap(), "mine");
            assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
        }
    }
}

#[test]
fn a_folder_of_somebody_elses_files_is_not_written() {
    let bench = bench();
    let dir = bench.results("r");
    std::fs::create_dir_all(&dir).unwrap();
    for file in ["datasets.toml", "report.md", "spec.toml", "manifest.toml"] {
        std::fs::write(dir.join(file), "mine").unwrap();
        let says = format!("it holds {file}, but neither a sound manifest.toml nor a journal");
        let says = ["is no results folder", &says, "name another --results folder"];
        assert_error(&bench.refused("r", &fresh()), &says);
        assert_eq!(std::fs::read_to_string(dir.join(file)).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
        std::fs::remove_file(dir.join(file)).unwrap();
    }
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    bench.run("r");
    assert!(dir.join("notes.txt").exists());
}

#[test]
fn results_do_not_lie_among_the_files_of_others() {
    let outer = bench();
    let inner = Bench::beside(&outer, &spec("untrusted/tables/u"));
    outer.run("r");
    let refused = inner.command("r", &[]).output().unwrap();
    assert_says(&refused, 5, &["would lie among the files of the results in", "another id"]);
    // Sealed or half done: either is enough.
    let outside = outer.results("r");
    std::fs::remove_dir_all(outside.join(".journal")).unwrap();
    let says = "would lie among the files of the results in";
    assert_error(&inner.refused("r", &fresh()), &[says]);
    let (manifest, away) = (outside.join("manifest.toml"), outer.folder().join("away"));
    std::fs::rename(&manifest, &away).unwrap();
    std::fs::create_dir(outside.join(".journal")).unwrap();
    assert_error(&inner.refused("r", &fresh()), &[says]);
    assert!(!inner.results("r").exists());
    std::fs::rename(&away, &manifest).unwrap();
    inner.journal("other");
    let says = "untrusted/tables/u would lie among the files of the results in";
    assert_error(&outer.refused("other", &fresh()), &[says]);
    assert!(segment(&inner.results("other")).exists());
    // Beside them, results may lie within results.
    let beside = Bench::beside(&outer, &spec("untrusted/more"));
    beside.journal("r");
    assert_says(&outer.command("r", &[]).output().unwrap(), 0, &["already sealed"]);
    outer.run_with("r", &fresh());
    assert!(segment(&beside.results("r")).exists());
}

#[test]
fn a_results_folder_that_is_a_link_is_not_written() {
    let bench = Bench::new(&spec("un/trusted"));
    let elsewhere = bench.folder().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("trusted/figures")).unwrap();
    std::fs::write(elsewhere.join("trusted/figures/mine.txt"), "mine").unwrap();
    std::fs::create_dir(bench.folder().join("r")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, bench.folder().join("r/un")).unwrap();
    let says = "r/un is a folder of results, but it is a symbolic link";
    assert_error(&bench.refused("r", &Options::default()), &[says]);
    assert!(elsewhere.join("trusted/figures/mine.txt").exists());
}

#[test]
fn registries_beside_audited_results_are_not_read() {
    let bench = bench();
    let dir = bench.run("r");
    // Each would be an error.
    std::fs::write(bench.folder().join("r/datasets.toml"), "no registry").unwrap();
    std::fs::write(bench.folder().join("datasets.toml"), "no registry").unwrap();
    bench.audit(&dir, &all()).assert_same(2, 2);
    // Nor by the program, which stands in the folder.
    let audit = bench.reprise().arg("audit").arg(&dir).args(["--rerun", "all"]).output().unwrap();
    assert_says(&audit, 0, &["2 of 2 paths executed again", "0 differences"]);
}

/// The audit that executes every path with another cache.
fn with_cache(bench: &Bench, cache: &str) -> Ask {
    Ask { cache: Some(bench.folder().join(cache)), ..all() }
}

#[test]
fn urls_of_sealed_entries_are_opened_if_they_are_trusted() {
    let server = Server::start(|_, _| ok(ROWS.as_bytes()));
    let url = server.url("/rows");
    let registry = mine(&rows_at(&url));
    let spec = spec("untrusted").replace("generated-tree", "mine");
    let bench = Bench::with(&spec, &[("datasets.toml", &registry)]);
    let dir = bench.run("r");
    let asked = server.requests().len();
    assert!(asked > 0);
    bench.audit(&dir, &with_cache(&bench, "empty")).assert_not_checked(&[
        "names sources that no registry here does:",
        &url,
        "--data-dir DIR the folder of local files, --trust opens these",
    ]);
    assert_eq!(server.requests().len(), asked, "nobody was asked");
    let known = |file: &str, cache: &str| {
        let registry = Some(bench.folder().join(file));
        bench.audit(&dir, &Ask { registry, ..with_cache(&bench, cache) })
    };
    known("datasets.toml", "one").assert_same(2, 2);
    let trusted = bench.audit(&dir, &Ask { trust: true, ..with_cache(&bench, "other") });
    trusted.assert_same(2, 2);
    trusted.assert_believes(&["datasets.toml: no registry here has the dataset mine"]);
    assert!(server.requests().len() > asked);
    // The user's own entry counts, and a sealed one that differs is a difference.
    bench.write("mine.toml", &registry.replace("title = \"mine\"", "title = \"Others'\""));
    known("mine.toml", "one")
        .assert_differs(&["datasets.toml: the entry of mine is not that of", "mine.toml"]);
}

#[test]
fn files_that_sealed_entries_name_are_not_read() {
    let spec = spec("untrusted").replace("generated-tree", "mine");
    let registry = mine("path = \"rows.csv\"");
    let bench = Bench::with(&spec, &[("rows.csv", ROWS), ("datasets.toml", &registry)]);
    let dir = bench.run("r");
    let before = outputs(&dir);
    bench.audit(&dir, &all()).assert_not_checked(&["no registry here does: rows.csv"]);
    let registry = Some(bench.folder().join("datasets.toml"));
    bench.audit(&dir, &Ask { registry, ..all() }).assert_same(2, 2);
    assert_eq!(outputs(&dir), before);
    // Of results that were moved, or received, the files are where the user says.
    let (moved, elsewhere) = (bench.folder().join("moved"), bench.folder().join("elsewhere"));
    std::fs::rename(&dir, &moved).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(bench.folder().join("rows.csv"), elsewhere.join("rows.csv")).unwrap();
    let in_folder = || Ask { data_dir: Some(elsewhere.clone()), ..all() };
    bench.audit(&moved, &in_folder()).assert_same(2, 2);
    bench.write("elsewhere/rows.csv", "1,1\n1,0\n0,0\n");
    bench.audit(&moved, &in_folder()).assert_differs(&["the digest of dataset mine"]);
}

#[test]
fn a_file_of_another_dataset_is_no_source_that_is_known() {
    let spec = spec("untrusted").replace("generated-tree", "mine");
    let bench = Bench::with(&spec, &[("rows.csv", ROWS)]);
    let rows = bench.folder().join("rows.csv");
    let registry = mine(&format!("path = {rows:?}"));
    bench.write("datasets.toml", &registry);
    let dir = bench.run("r");
    let other = bench.folder().join("other.toml");
    bench.write("other.toml", &registry.replace("dataset.mine]", "dataset.other]"));
    let ask = Ask { registry: Some(other), ..all() };
    bench.audit(&dir, &ask).assert_not_checked(&["no registry here does: ", "rows.csv"]);
}
