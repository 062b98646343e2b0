//! What goes wrong in daily use: a clear error, the right exit code, and nothing lost.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use reprise::harness::run::Options;

use crate::support::experiment::Bench;
use crate::support::registry;
use crate::support::results::{journaled_paths, outputs, segment};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_error, assert_says};

/// One quick method on generated data.
fn quick() -> String {
    spec::density("quick", "repeats = 2", CHOW_LIU)
}

/// Minutes of work in many small pieces.
fn slow() -> String {
    quick()
        .replace("repeats = 2", "repeats = 400")
        .replace("kind = \"chow-liu\"", "kind = \"mevm\"\ncomponents = 10\nrestarts = 4")
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn ranks_of_blocks_of_examples() {
    // Of 1,000 test examples each is kept, of 1,001 the means of blocks.
    let of = |examples: usize| {
        let generator = format!(
            "kind = \"tree\", seed = 1, variables = 5, train = 20, valid = 10, test = {examples}"
        );
        registry::of(&[registry::generated("many", &generator)])
    };
    let methods = CHOW_LIU.to_owned() + "\n[[method]]\nid = \"I\"\nkind = \"independent\"";
    let test = spec::by_example("CL").replace("\"paired\"", "\"ranks\"");
    let spec = spec::density("ranks", "", CHOW_LIU)
        .replace(CHOW_LIU, &methods)
        .replace("\"generated-tree\"", "\"many\"");
    let bench = |examples: usize, kind: &str| {
        let spec = spec.clone() + &test.replace("\"paired-t\"", kind);
        Bench::with(&spec, &[("datasets.toml", &of(examples))])
    };
    for kind in ["\"wilcoxon-signed-rank\"", "\"sign\"", "\"bayesian-signed-rank\"\nregion = 0.1"] {
        let says = ["`ranks` would rank blocks of test examples: `many` has 1001", "paired-t"];
        assert_error(&bench(1001, kind).refused("r", &Options::default()), &says);
    }
    bench(1001, "\"paired-t\"").run("r");
    bench(1000, "\"sign\"").run("r");
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_misspelt_key() {
    let bench = Bench::new(&quick().replace("repeats", "repeat"));
    let output = bench.command("r", &[]).output().unwrap();
    assert_says(&output, 2, &["`repeat`", "`repeats`", ".toml:11"]);
    assert!(!bench.results("r").exists(), "nothing is written before the file is right");
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn an_unknown_dataset() {
    let bench = Bench::new(&quick().replace("generated-tree", "generated-trees"));
    let output = bench.command("r", &[]).output().unwrap();
    assert_says(&output, 2, &["`generated-trees`", "`generated-tree`"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn no_network_and_no_mirror() {
    let bench = Bench::new(&quick().replace("generated-tree", "nltcs"));
    let output = bench.command("r", &["--offline"]).output().unwrap();
    assert_says(
        &output,
        3,
        &["nltcs train, 46204 bytes: https://", "nltcs valid", "nltcs test", "--mirror"],
    );
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_wrong_checksum() {
    let bench = Bench::new(&quick().replace("generated-tree", "nltcs"));
    let path = "raw.githubusercontent.com/nicoladimauro/dcsn/\
                dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/generative";
    let mirror = bench.folder().join("mirror");
    std::fs::create_dir_all(mirror.join(path)).unwrap();
    for part in ["ts", "valid", "test"] {
        std::fs::write(mirror.join(path).join(format!("nltcs.{part}.data.gz")), "0,1\n").unwrap();
    }
    let mirror = mirror.to_string_lossy().into_owned();
    let output = bench.command("r", &["--offline", "--mirror", &mirror]).output().unwrap();
    assert_says(&output, 3, &["nltcs.ts.data.gz", "da721d2666af894485a4ffe10fedf651"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_results_folder_that_cannot_be_written() {
    let bench = Bench::new(&quick());
    // A file where the folder should be: permissions do not stop root.
    std::fs::write(bench.folder().join("r"), "").unwrap();
    let output = bench.command("r", &[]).output().unwrap();
    assert_says(&output, 5, &["failed to create", "quick"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_read_only_results_folder() {
    let bench = Bench::new(&quick());
    let results = bench.folder().join("r");
    std::fs::create_dir(&results).unwrap();
    std::fs::set_permissions(&results, std::fs::Permissions::from_mode(0o555)).unwrap();
    let output = bench.command("r", &[]).output().unwrap();
    // Root may write all the same.
    if !output.status.success() {
        assert_says(&output, 5, &["failed to create", "writable"]);
    }
    std::fs::set_permissions(&results, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_full_disk() {
    // A limit on the size of files makes every write beyond it fail, as a full disk does.
    let bench = Bench::new(&quick().replace("repeats = 2", "repeats = 60"));
    let limited = |blocks: u32| {
        let mut shell = std::process::Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""))
            .arg(env!("CARGO_BIN_EXE_reprise"))
            .args(["run".as_ref(), bench.spec().as_os_str()])
            .arg("--results")
            .arg(bench.folder().join("r"))
            .env("REPRISE_CACHE", bench.folder().join("cache"));
        shell.output().unwrap()
    };
    let output = limited(8);
    assert_says(&output, 5, &["failed to write", "run.journal", "goes on from there"]);
    let kept = journaled_paths(&bench.results("r"));
    assert!(!kept.is_empty());
    let undisturbed = bench.run("undisturbed");
    assert_eq!(outputs(&bench.run("r")), outputs(&undisturbed));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_truncated_journal() {
    let bench = Bench::new(&quick());
    let whole = bench.run("whole");
    bench.journal("cut");
    let journal = segment(&bench.results("cut"));
    let bytes = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(outputs(&bench.run("cut")), outputs(&whole));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_damaged_journal() {
    let bench = Bench::new(&quick());
    let whole = bench.run("whole");
    bench.journal("bad");
    let journal = segment(&bench.results("bad"));
    let damaged = std::fs::read_to_string(&journal).unwrap().replacen("test_ll", "test_lx", 1);
    std::fs::write(&journal, damaged).unwrap();
    let output = bench.command("bad", &[]).output().unwrap();
    assert_says(&output, 0, &[".journal, line 1: damaged"]);
    assert_eq!(outputs(&bench.results("bad")), outputs(&whole));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_hand_edited_result() {
    let bench = Bench::new(&quick());
    let dir = bench.run("r");
    let table = dir.join("tables/t.csv");
    let edited = std::fs::read_to_string(&table).unwrap().replacen("CL", "LC", 1);
    std::fs::write(&table, &edited).unwrap();
    let audit = bench.reprise().arg("audit").arg(&dir).output().unwrap();
    assert_says(&audit, 1, &["tables/t.csv: changed after sealing"]);
    let again = bench.command("r", &[]).output().unwrap();
    assert_says(&again, 1, &["tables/t.csv: changed after sealing", "--fresh"]);
    assert_eq!(std::fs::read_to_string(&table).unwrap(), edited, "nothing is overwritten");
    assert!(bench.command("r", &["--fresh"]).status().unwrap().success());
    let audit = bench.reprise().arg("audit").arg(&dir).output().unwrap();
    assert_says(&audit, 0, &["0 differences"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_metric_that_is_not_a_number() {
    // Without smoothing, a test row that no training row supports has probability zero.
    let spec = quick()
        .replace("generated-tree", "rare")
        .replace("kind = \"chow-liu\"", "kind = \"chow-liu\"\nsmoothing = 0.0");
    let file = |role: &str, path: &str| {
        format!(
            "{{ role = {role:?}, format = \"binary-csv\", sources = [{{ path = {path:?} }}] }},"
        )
    };
    let files = [("train", "train.csv"), ("valid", "test.csv"), ("test", "test.csv")];
    let files: String = files.map(|(role, path)| file(role, path)).concat();
    let shape = "shape = { variables = 2, train = 2, valid = 1, test = 1 }";
    let rare = registry::entry("rare", "binary", &format!("{shape}\nfiles = [{files}]"));
    let files = [
        ("train.csv", "0,0\n0,0\n"),
        ("test.csv", "0,1\n"),
        ("datasets.toml", &registry::of(&[rare])),
    ];
    let bench = Bench::with(&spec, &files);
    let output = bench.command("r", &[]).output().unwrap();
    assert_says(&output, 4, &["nonfinite", "test_ll"]);
    // What is sealed ends as the run did that sealed it.
    let again = bench.command("r", &[]).output().unwrap();
    assert_says(&again, 4, &["nonfinite", "test_ll", "already sealed"]);
    let table = std::fs::read_to_string(bench.results("r").join("tables/t.csv")).unwrap();
    assert!(table.contains("nonfinite"), "{table}");
    let may_fail =
        Bench::beside(&bench, &spec.replace("smoothing = 0.0", "smoothing = 0.0\nmay_fail = true"));
    assert_says(&may_fail.command("allowed", &[]).output().unwrap(), 0, &[]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn two_runs_of_the_same_experiment_at_once() {
    let bench = Bench::new(&slow());
    let mut first =
        bench.command("r", &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while journaled_paths(&bench.results("r")).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = bench.command("r", &[]).output().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_says(&second, 5, &["another reprise process is running this experiment"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn control_c() {
    let bench = Bench::new(&slow());
    let mut child = bench.command("r", &[]).stderr(Stdio::piped()).spawn().unwrap();
    while journaled_paths(&bench.results("r")).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to a child of this process.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let kept = journaled_paths(&bench.results("r"));
    assert!(!kept.is_empty());
    assert!(!bench.results("r").join("manifest.toml").exists());
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn nothing_to_report_or_to_audit() {
    let bench = Bench::new(&quick());
    let report = bench.subcommand("report", "none", &[]).output().unwrap();
    assert_says(&report, 5, &["no stored trials", "reprise run"]);
    let audit = bench.reprise().arg("audit").arg(bench.folder().join("none")).output().unwrap();
    assert_says(&audit, 1, &["failed to list"]);
    std::fs::create_dir(bench.folder().join("empty")).unwrap();
    let audit = bench.reprise().arg("audit").arg(bench.folder().join("empty")).output().unwrap();
    assert_says(&audit, 1, &["no results below"]);
}
