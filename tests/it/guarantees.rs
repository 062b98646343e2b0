//! The guarantees of the design: the same bytes for any number of threads, any order, any
//! workers and after any number of kills; nothing lost, nothing run twice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use reprise::harness::Error;
use reprise::harness::run::{Ended, Options};
use reprise::report::figure::Export;
use reprise::seal::{Class, LAYOUT};

use crate::support::audit::{Ask, all, some};
use crate::support::experiment::{Bench, choices, fresh, only};
use crate::support::golden;
use crate::support::results::{copy, digest, forge, journaled_paths, manifest, outputs};
use crate::support::terminal::assert_says;
use reprise::base::digest::Digest;
use reprise::math::random::Random;

/// Three methods on two generated datasets, a grid, a sweep and a choice: 70 paths that take a
/// second or two together.
const SPEC: &str = r#"
schema = 1
[experiment]
id = "guarantees"
title = "Every stage at once"
seed = 11
[task]
kind = "density"
datasets = ["generated-blocks", "generated-tree"]
split = "published"
repeats = 5
metrics = ["test_ll"]
[[method]]
id = "MEVM"
kind = "mevm"
components = 4
restarts = 2
sweep = { alpha = [0.05, 0.1] }
[[method]]
id = "NB"
kind = "latent-nb"
restarts = 2
grid = { components = [2, 4] }
select = "valid_ll"
[[method]]
id = "CL"
kind = "chow-liu"
grid = { smoothing = [0.01, 1.0] }
select = "valid_ll"
[[choice]]
id = "rule"
question = "?"
target = ["method:MEVM"]
parameter = "partition"
options = ["sorted-first", "components"]
chosen = "sorted-first"
why = "."
[[table]]
id = "t"
rows = "dataset"
columns = ["method", "sweep:alpha"]
metric = "test_ll"
digits = 3
sd = "repeat"
best = "max"
[[test]]
id = "w"
kind = "paired-t"
metric = "test_ll"
reference = "NB"
pair_by = "repeat"
methods = ["NB", "CL"]
[[figure]]
id = "f"
kind = "dot"
x = "dataset"
y = "test_ll"
series = "method"
methods = ["NB", "CL"]
"#;

/// The results of this experiment as nothing disturbed them: `plain`, and with `choices`. Tests that change them
/// take a copy.
fn undisturbed() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let bench = Bench::new(SPEC);
        bench.run("plain");
        bench.run_with("choices", &choices());
        bench
    })
}

/// A copy of the undisturbed results of this name, in a folder of its own.
fn copied(name: &str) -> (Bench, PathBuf) {
    let bench = Bench::new(SPEC);
    copy(&undisturbed().folder().join(name), &bench.folder().join(name));
    let dir = bench.results(name);
    (bench, dir)
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn one_job_and_two_give_the_same_bytes() {
    let bench = Bench::new(SPEC);
    let jobs = |jobs| Options { jobs, exports: [Export::Png, Export::Pdf].into(), ..choices() };
    let one = bench.run_with("one", &jobs(1));
    let two = bench.run_with("two", &jobs(2));
    for figure in ["figures/f.png", "figures/f.pdf"] {
        assert!(outputs(&one).contains_key(figure));
    }
    assert_eq!(outputs(&one), outputs(&two));
    assert_eq!(digest(&one), digest(&two));
}

/// The same records have the same outputs. Where this digest changes, and no revision of a method or of the
/// generated data does, the layout is another one: raise [`LAYOUT`], so that what earlier programs sealed is
/// not called different.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_layout_has_one_digest() {
    const FILE: &str = "layout.csv";
    let manifest = manifest(&undisturbed().results("choices"));
    let line = |what: &str, name: &str, value: String| [what.to_owned(), name.to_owned(), value];
    let methods = manifest.methods.iter();
    let datasets = manifest.datasets.iter();
    let files = manifest.files.iter().filter(|file| Class::of(&file.path) == Class::Deterministic);
    // What a moved digest may come from.
    let mut causes = vec![line("layout", "", LAYOUT.to_string())];
    causes.extend(methods.map(|(kind, revision)| line("method", kind, revision.to_string())));
    causes.extend(datasets.map(|(id, digest)| line("dataset", id, digest.short())));
    let mut found = causes.clone();
    found.push(line("digest", "", manifest.digest.to_string()));
    found.extend(files.map(|file| line("file", &file.path, file.sha256.short())));
    let listed = golden::read::<3>(FILE);
    let digest = listed.iter().find(|line| line[0] == "digest").map_or("", |line| &line[2]);
    let moved = !digest.is_empty() && digest != manifest.digest.to_string();
    let unraised = moved && causes.iter().all(|cause| listed.contains(cause));
    let says = format!(
        "The same records have other outputs, and the layout is still {LAYOUT}: `audit` would call what \
         earlier programs sealed different. If the change is meant, raise LAYOUT first."
    );
    let must_not_move = if unraised { vec![says] } else { Vec::new() };
    golden::compare(FILE, ["what", "name", "value"], &found, &must_not_move);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn any_order_of_execution_gives_the_same_bytes() {
    let bench = Bench::new(SPEC);
    // Every dataset, method and repeat for itself, in a random order: only the last run finds
    // everything done.
    let mut pieces: Vec<String> = Vec::new();
    for dataset in ["generated-blocks", "generated-tree"] {
        for method in ["MEVM", "NB", "CL"] {
            for repeat in 0..5 {
                pieces.push(format!("dataset={dataset},method={method},repeat={repeat}"));
            }
        }
    }
    Random::new(Digest::of(b"order")).shuffle(&mut pieces);
    for piece in &pieces {
        bench.run_with("pieces", &only(piece));
    }
    let pieces = bench.run("pieces");
    assert_eq!(outputs(&undisturbed().results("plain")), outputs(&pieces));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn twenty_kills_lose_nothing_and_repeat_nothing() {
    let bench = Bench::new(SPEC);
    let expected = outputs(&undisturbed().results("choices"));
    let mut random = Random::new(Digest::of(b"kills"));
    let dir = bench.results("killed");
    let mut kills = 0;
    let mut before = BTreeMap::new();
    // A worker only journals, so that the journal can be looked at after the last kill. The
    // delays grow, so that every stage of a run is hit: the start, the paths, the end.
    loop {
        let mut child = bench
            .subcommand("worker", "killed", &["--index", "1/1", "--choices", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 + random.below(40 + 8 * kills) as u64));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let after = journaled_paths(&dir);
        assert!(before.keys().all(|path| after.contains_key(path)), "a finished path was lost");
        before = after;
        if let Some(status) = ended {
            assert!(status.success());
            if kills >= 20 {
                break;
            }
        } else {
            kills += 1;
        }
    }
    assert!(before.values().all(|&times| times == 1), "a finished path ran twice");
    // The sealing run is killed too.
    for delay in (0..60).step_by(3) {
        let mut child = bench
            .command("killed", &["--choices"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let killed = bench.run_with("killed", &choices());
    assert_eq!(expected, outputs(&killed));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_sealed_result_is_not_touched_again() {
    let (bench, dir) = copied("plain");
    let stamps = |dir: &Path| {
        let files = ["manifest.toml", "trials.csv", "tables/t.csv"];
        files.map(|file| std::fs::metadata(dir.join(file)).unwrap().modified().unwrap())
    };
    let before = stamps(&dir);
    let ended = bench.ended("plain", &Options::default());
    assert!(matches!(ended, Ok(Ended::AlreadySealed(_))), "{ended:?}");
    assert_says(&bench.command("plain", &[]).output().unwrap(), 0, &["already sealed"]);
    assert_eq!(before, stamps(&dir));
    bench.run_with("plain", &fresh());
    assert_ne!(before, stamps(&dir));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_changed_experiment_runs_only_what_is_new() {
    let (bench, _) = copied("plain");
    let grown = Bench::beside(&bench, &SPEC.replace("repeats = 5", "repeats = 6"));
    let plan = grown.subcommand("plan", "plain", &[]).output().unwrap();
    let text = String::from_utf8(plan.stdout).unwrap();
    // Six repeats of 2 datasets x (2 + 2 + 2) trials, five of them done.
    assert!(text.contains("72 trials in 60 paths, 60 done"), "{text}");
    assert!(text.contains("1 to run: new") || text.contains("2 to run: new"), "{text}");
    let fresh = grown.run("fresh");
    assert_eq!(outputs(&grown.run("plain")), outputs(&fresh));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn report_gives_the_same_bytes_without_training() {
    let (bench, dir) = copied("choices");
    let before = outputs(&dir);
    bench.report("choices").unwrap();
    assert_eq!(before, outputs(&dir));
    std::fs::remove_file(dir.join("tables/t.csv")).unwrap();
    let broken = bench.report("choices");
    assert!(matches!(broken, Err(Error::Tampered { .. })), "a broken seal is not reported on");
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn audit_executes_again_and_finds_the_same() {
    let (bench, dir) = copied("choices");
    bench.audit(&dir, &Ask { data: true, ..all() }).assert_same(70, 70);
    bench.audit(&dir, &some(3)).assert_same(3, 70);
    for (expected, code) in [(digest(&dir), 0), ("0".repeat(64), 1)] {
        let mut audit = bench.reprise();
        audit.arg("audit").arg(&dir).args(["--expect", &expected]);
        assert_says(&audit.output().unwrap(), code, &[]);
    }

    // A consistent forgery: a changed number under a new seal. Only executing again finds it.
    forge(&dir, "trials.csv", |text| {
        let at = text.find(",-").unwrap() + 6;
        let digit = if &text[at..=at] == "7" { "8" } else { "7" };
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    });
    bench.audit(&dir, &Ask::default()).assert_same(0, 0);
    bench.audit(&dir, &all()).assert_differs(&["sealed as"]);
}

const KEPT: &str = r#"
schema = 1
[experiment]
id = "kept"
title = "Kept parameters"
seed = 3
[task]
kind = "pseudo-likelihood"
datasets = ["generated-tree"]
split = "published"
metrics = ["test_npll"]
[[method]]
id = "L2"
kind = "mple-l2"
degree = 3
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_npll"
"#;

/// What a run kept of its work would confirm itself: forged parameters in the cache are neither audited by
/// nor computed with.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn audit_and_fresh_runs_believe_nothing_that_was_kept() {
    let bench = Bench::new(KEPT);
    let dir = bench.run("kept");
    let sealed = digest(&dir);
    let mut forged = 0;
    for file in std::fs::read_dir(bench.folder().join("cache/derived")).unwrap() {
        let path = file.unwrap().path();
        let content = std::fs::read_to_string(&path).unwrap();
        let text = content.split_once('\n').map_or("", |(_, text)| text);
        let Ok(mut kept) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        // The last parameter of a solution.
        let parameters = kept.pointer_mut("/0/parameters").and_then(|it| it.as_array_mut());
        let Some(last) = parameters.and_then(|parameters| parameters.last_mut()) else { continue };
        *last = 3.0.into();
        let text = kept.to_string();
        std::fs::write(path, format!("{}\n{text}", Digest::of(text.as_bytes()))).unwrap();
        forged += 1;
    }
    assert_eq!(forged, 1);
    assert_ne!(digest(&bench.run("believing")), sealed);
    bench.audit(&dir, &all()).assert_same(1, 1);
    assert_eq!(digest(&bench.run_with("fresh", &fresh())), sealed);
}

/// What was kept before would make it look faster.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn who_measures_time_keeps_nothing() {
    let bench = Bench::new(&KEPT.replace("seed = 3", "seed = 3\nexclusive = true"));
    bench.run("timed");
    assert!(!bench.folder().join("cache/derived").exists());
}
