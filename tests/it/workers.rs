//! Workers: whoever executes which paths, wherever, and however they end, a run afterwards seals the same bytes; and
//! where two hosts contradict one another, nothing is sealed.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use reprise::base::digest::Digest;
use reprise::harness::Error;
use reprise::harness::run::Options;
use reprise::harness::worker::Work;

use crate::support::experiment::{Bench, choices, chunk, claims};
use crate::support::results::{journaled_paths, manifest, outputs, segment};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_error, assert_says, text};

const NB: &str = "\n[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\nrestarts = 2\n\
                  grid = { components = [2, 4] }\nselect = \"valid_ll\"\n";

/// Twenty paths that take a moment.
fn bench() -> Bench {
    Bench::new(&spec::density("workers", "repeats = 10", &format!("{CHOW_LIU}{NB}")))
}

/// What a run says when nobody works beside it.
fn alone(bench: &Bench) -> std::collections::BTreeMap<String, Vec<u8>> {
    outputs(&bench.run("alone"))
}

fn environment(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("timing/environment.toml")).unwrap()
}

#[test]
fn an_array_of_workers_executes_every_path_once() {
    let bench = bench();
    for index in ["2/3", "1/3", "3/3"] {
        bench.work_with("r", &chunk(index, "a"), &Options::default());
    }
    let dir = bench.results("r");
    assert!(!dir.join("manifest.toml").exists(), "a worker only journals");
    let paths = journaled_paths(&dir);
    assert_eq!((paths.len(), paths.values().sum::<usize>()), (30, 30));
    // One that is queued again finds its chunk done.
    bench.work_with("r", &chunk("2/3", "a"), &Options::default());
    assert_eq!(journaled_paths(&dir), paths);
    assert_eq!(outputs(&bench.run("r")), alone(&bench));
    let commit = manifest(&dir).commit.unwrap_or_else(|| "unknown".to_owned());
    assert!(environment(&dir).contains(&format!("\ncommit = \"{commit}\"\n")));
    let files: Vec<_> = std::fs::read_dir(dir.join(".journal")).unwrap().collect();
    assert_eq!(files.len(), 1, "only the lock is left: {files:?}");
    // Of a sealed experiment nothing is to do.
    bench.work_with("r", &chunk("1/1", "a"), &Options::default());
    assert!(journaled_paths(&dir).is_empty());
}

#[test]
fn workers_that_claim_chunks_share_them_out() {
    let bench = bench();
    let all: Vec<_> = (0..4)
        .map(|n| {
            let arguments = ["--chunk", "0.01", "--jobs", "1", "--host", ["a", "b"][n % 2]];
            let mut worker = bench.subcommand("worker", "r", &arguments);
            worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for worker in all {
        assert_says(&worker.wait_with_output().unwrap(), 0, &["workers: ", " paths are in "]);
    }
    let paths = journaled_paths(&bench.results("r"));
    assert_eq!((paths.len(), paths.values().sum::<usize>()), (30, 30));
    // A worker that comes late has nothing to do.
    bench.work_with("r", &claims(0.01, "late"), &Options::default());
    assert_eq!(journaled_paths(&bench.results("r")), paths);
    let dir = bench.run("r");
    assert_eq!(outputs(&dir), alone(&bench));
    assert!(environment(&dir).contains("hosts = 2"), "{}", environment(&dir));
}

/// Claims are of time only: where they say what is not so, the work is done all the same.
#[test]
fn claims_that_lie_cost_nothing_but_time() {
    let bench = bench();
    bench.work_with("r", &claims(0.01, "a"), &Options::default());
    let dir = bench.results("r");
    // All that was written is lost, and the claims say that it is done.
    std::fs::remove_file(segment(&dir)).unwrap();
    bench.work_with("r", &claims(0.01, "b"), &Options::default());
    assert_eq!(journaled_paths(&dir).len(), 30);
    // Empty, foreign and endless claims.
    for entry in std::fs::read_dir(dir.join(".journal")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "claim") {
            std::fs::write(path, "x".repeat(100)).unwrap();
        }
    }
    std::fs::remove_file(segment(&dir)).unwrap();
    bench.work_with("r", &claims(0.01, "c"), &Options::default());
    assert_eq!(outputs(&bench.run("r")), alone(&bench));
}

#[test]
fn a_worker_that_is_killed_or_asked_to_stop_loses_nothing() {
    let bench = Bench::new(&spec::density("workers", "repeats = 200", &format!("{CHOW_LIU}{NB}")));
    let dir = bench.results("r");
    for signal in [libc::SIGTERM, libc::SIGKILL, libc::SIGTERM] {
        let before = journaled_paths(&dir).len();
        // The one that is killed is surely within a chunk.
        let chunk = if signal == libc::SIGKILL { "1000" } else { "0.05" };
        let mut worker = bench.subcommand("worker", "r", &["--jobs", "1", "--chunk", chunk]);
        let worker = worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while journaled_paths(&dir).len() < before + 3 && start.elapsed() < Duration::from_secs(20)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        // SAFETY: a signal to a child of this process.
        unsafe { libc::kill(worker.id() as i32, signal) };
        let ended = worker.wait_with_output().unwrap();
        if signal == libc::SIGTERM {
            assert_says(&ended, 130, &["interrupted; what finished is kept"]);
        } else {
            let status = bench.reprise().args(["status", "--results", "r"]).output().unwrap();
            assert_says(&status, 0, &["workers running", "claimed by workers"]);
        }
    }
    bench.work_with("r", &claims(0.05, "b"), &Options::default());
    let paths = journaled_paths(&dir);
    assert!(paths.values().all(|&times| times == 1), "a finished path ran twice");
    assert_eq!(outputs(&bench.run("r")), alone(&bench));
}

/// A path that ran out of time has run: whoever comes later does not run it for as long again.
#[test]
fn what_ran_out_of_time_is_claimed_once() {
    let slow = NB.replace("restarts = 2", "restarts = 1000000");
    let methods = format!("{CHOW_LIU}{slow}");
    let bench = Bench::new(&spec::density("workers", "timeout = 0.05", &methods));
    bench.work_with("r", &claims(0.01, "a"), &Options::default());
    let paths = journaled_paths(&bench.results("r"));
    assert_eq!(paths.len(), 3);
    bench.work_with("r", &claims(0.01, "b"), &Options::default());
    assert_eq!(journaled_paths(&bench.results("r")), paths);
}

/// Whoever seals at this moment has not yet written the manifest whole; else one that can't be read is an error.
#[test]
fn a_worker_goes_on_beside_a_seal_that_is_being_written() {
    let bench = bench();
    let dir = bench.run("r");
    std::fs::write(dir.join("manifest.toml"), "half a manif").unwrap();
    let refused = bench.subcommand("worker", "r", &["--index", "1/1"]).output().unwrap();
    assert_ne!(refused.status.code(), Some(0));
    assert!(text(&refused).contains("manifest.toml"), "{}", text(&refused));
    let lock = File::options().write(true).open(dir.join(".journal/lock")).unwrap();
    lock.lock().unwrap();
    bench.work_with("r", &chunk("1/1", "a"), &Options::default());
    assert_eq!(journaled_paths(&dir).len(), 30);
}

#[test]
fn trees_that_share_no_folder_are_merged() {
    let bench = bench();
    bench.work_with("one", &chunk("1/2", "a"), &choices());
    bench.work_with("two", &chunk("2/2", "b"), &choices());
    let merge = |says: &str| {
        let mut merge = bench.reprise();
        let merged = merge.args(["merge", "one", "two", "--into", "all"]).output().unwrap();
        assert_says(&merged, 0, &[says]);
    };
    merge("workers: 2 journals added, 30 trials in all/workers");
    merge("workers: 0 journals added");
    // What holds no trial is looked at, and not copied.
    std::fs::create_dir_all(bench.folder().join("bad/workers/.journal")).unwrap();
    let bad = bench.folder().join("bad/workers/.journal/run.journal");
    std::fs::write(bad, "no trial\n".repeat(1000)).unwrap();
    let looked = bench.reprise().args(["merge", "bad", "--into", "empty"]).output().unwrap();
    assert_says(&looked, 0, &["workers: 0 journals added, 0 trials"]);
    assert_eq!(outputs(&bench.run("all")), alone(&bench));
    // What is sealed, and what is half done.
    let mut merge = bench.reprise();
    let merged = merge.args(["merge", "all", "one", "--into", "again"]).output().unwrap();
    assert_says(&merged, 0, &["workers: 2 journals added, 30 trials in again/workers"]);
    assert_eq!(outputs(&bench.run("again")), alone(&bench));
    // A worker's journal that has grown since replaces its beginning; one that says something else lies beside it.
    let whole = segment(&bench.results("one"));
    let lines = std::fs::read_to_string(&whole).unwrap();
    let (first, rest) = lines.split_once('\n').unwrap();
    let name = whole.file_name().unwrap().to_str().unwrap();
    for (tree, lines) in [("begun", format!("{first}\n")), ("other", rest.to_owned())] {
        let journals = bench.folder().join(tree).join("workers/.journal");
        std::fs::create_dir_all(&journals).unwrap();
        std::fs::write(journals.join(name), lines).unwrap();
    }
    let journals = bench.folder().join("grown/workers/.journal");
    for (tree, added) in [("begun", 1), ("one", 1), ("begun", 0), ("one", 0), ("other", 1)] {
        let mut merge = bench.reprise();
        let merged = merge.args(["merge", tree, "--into", "grown"]).output().unwrap();
        assert_says(&merged, 0, &[&format!("workers: {added} journals added")]);
        let there = std::fs::read_to_string(journals.join(name)).unwrap();
        assert_eq!(there == lines, (tree, added) != ("begun", 1), "{tree}");
    }
    let beside = Digest::of(rest.as_bytes()).short();
    let beside = name.replace(".journal", &format!("-{beside}.journal"));
    assert_eq!(std::fs::read_to_string(journals.join(beside)).unwrap(), rest);
    let mut merge = bench.reprise();
    let none = merge.args(["merge", "nowhere", "--into", "again"]).output().unwrap();
    assert_says(&none, 2, &["no sealed results in nowhere"]);
}

#[test]
fn trials_of_two_hosts_are_compared_and_counted() {
    let bench = bench();
    let check = |index, host| Work { cross_check: 0.5, ..chunk(index, host) };
    bench.work_with("r", &check("1/2", "a"), &Options::default());
    bench.work_with("r", &check("2/2", "b"), &Options::default());
    let twice = journaled_paths(&bench.results("r")).values().filter(|&&times| times == 2).count();
    assert!((5..25).contains(&twice), "{twice}");
    let dir = bench.run("r");
    assert_eq!(outputs(&dir), alone(&bench));
    let says = format!("cross_checked = \"{twice} trials executed on two hosts, equal\"");
    assert!(environment(&dir).contains(&says), "{}", environment(&dir));

    // Without an array, whoever comes last executes what the other host had.
    let check = |host| Work { cross_check: 0.5, ..claims(0.01, host) };
    bench.work_with("claimed", &check("a"), &Options::default());
    bench.work_with("claimed", &check("a"), &Options::default());
    let paths = journaled_paths(&bench.results("claimed"));
    assert!(paths.values().all(|&times| times == 1), "one host compares with itself");
    bench.work_with("claimed", &check("b"), &Options::default());
    let found = environment(&bench.run("claimed"));
    assert!(found.contains(&says), "{found}");
}

#[test]
fn hosts_that_contradict_one_another_seal_nothing() {
    let bench = bench();
    let dir = bench.work_with("r", &chunk("1/1", "a"), &Options::default());
    let text = std::fs::read_to_string(segment(&dir)).unwrap();
    let line = text.lines().find(|line| line.contains("\"test_ll\":-")).unwrap();
    let (_, body) = line.split_once(' ').unwrap();
    let place = body.find("\"test_ll\":-").unwrap() + "\"test_ll\":-".len();
    let digit = if &body[place..=place] == "7" { "8" } else { "7" };
    let body = format!("{}{digit}{}", &body[..place], &body[place + 1..]);
    let other = format!("{} {body}\n", &Digest::of(body.as_bytes()).to_string()[..16]);
    std::fs::write(dir.join(".journal/b-7-0000002a.journal"), other).unwrap();
    let refused = bench.refused("r", &Options::default());
    assert!(matches!(refused, Error::Disagreement { .. }));
    assert_error(
        &refused,
        &["two executions of one trial differ: ", " on generated", "test_ll in ", "b-7-0000002a"],
    );
    assert_says(&bench.command("r", &[]).output().unwrap(), 1, &["remove what it wrote from"]);
    assert!(!dir.join("manifest.toml").exists());
    std::fs::remove_file(dir.join(".journal/b-7-0000002a.journal")).unwrap();
    assert_eq!(outputs(&bench.run("r")), alone(&bench));
}

#[test]
fn a_worker_finds_its_chunk_in_its_environment() {
    let bench = bench();
    let worker = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut worker = bench.subcommand("worker", "r", arguments);
        worker.envs(variables.iter().copied()).output().unwrap()
    };
    let slurm = |id| {
        let range = [("SLURM_ARRAY_TASK_MIN", "0"), ("SLURM_ARRAY_TASK_MAX", "1")];
        worker(&[("SLURM_ARRAY_TASK_ID", id), range[0], range[1]], &[])
    };
    assert_says(&slurm("1"), 0, &["paths are in"]);
    let half = journaled_paths(&bench.results("r")).len();
    assert!((10..20).contains(&half), "{half}");
    assert_says(&worker(&[("PBS_ARRAY_INDEX", "2")], &["--count", "2"]), 0, &["paths are in"]);
    assert_eq!(journaled_paths(&bench.results("r")).len(), 30);
    assert_says(&slurm("x"), 2, &["SLURM_ARRAY_TASK_ID=x", "--index I/N"]);
    assert_says(&worker(&[], &["--count", "2"]), 2, &["this process is in none"]);
    assert_says(&worker(&[], &["--index", "3/2"]), 2, &["expected I/N"]);
    assert_says(&worker(&[], &["--cross-check", "2"]), 2, &["a number from 0 to 1"]);
    assert_says(&worker(&[], &["--host", "a/b"]), 2, &["expected letters, digits"]);
}
