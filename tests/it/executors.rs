//! Executors: an experiment that an engine executes in chunks is sealed with the same bytes, and the same command again
//! submits what is missing. Here stand-ins of Slurm's commands execute at once; `.ci/slurm` does the same with the real
//! ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::experiment::Bench;
use crate::support::results::{journaled_paths, outputs};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::assert_says;

/// Sixteen paths, which are expected to take three milliseconds each.
fn bench() -> Bench {
    let profile = "\n[profile.few]\ntask.repeats = 4\n";
    let bench = Bench::new(&(spec::density("far/away", "repeats = 16", CHOW_LIU) + profile));
    std::fs::create_dir(bench.folder().join("fake")).unwrap();
    bench
}

fn alone(bench: &Bench) -> BTreeMap<String, Vec<u8>> {
    outputs(&bench.run("alone"))
}

fn fake(bench: &Bench, file: &str) -> PathBuf {
    bench.folder().join("fake").join(file)
}

/// How `sbatch` was called since this was asked last.
fn calls(bench: &Bench) -> Vec<String> {
    let text = std::fs::read_to_string(fake(bench, "calls")).unwrap_or_default();
    let _ = std::fs::remove_file(fake(bench, "calls"));
    text.lines().map(str::to_owned).collect()
}

/// `reprise run --executor slurm` where eight chunks have two paths each.
fn slurm(bench: &Bench, arguments: &[&str], limits: &[(&str, &str)]) -> Output {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/slurm");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let mut run = bench.command("r", &["--executor", "slurm", "--chunk", "0.006"]);
    run.args(arguments).env("PATH", path).env("FAKE", bench.folder().join("fake"));
    run.env("XDG_CONFIG_HOME", bench.folder()).envs(limits.iter().copied()).output().unwrap()
}

#[test]
fn slurm_executes_and_seals() {
    let bench = bench();
    bench.write(
        "site.toml",
        "[slurm]\npartition = \"short\"\naccount = \"ml\"\ntime = 30\nthrottle = 3\n",
    );
    let site = bench.folder().join("site.toml");
    let arguments =
        ["--site", site.to_str().unwrap(), "--slurm", "memory=2G", "--slurm", "time=1:00:00"];
    let says = ["far/away: 8 of 8 chunks submitted: array 1, and job 2 that reports and seals"];
    assert_says(&slurm(&bench, &arguments, &[]), 0, &says);
    let calls = self::calls(&bench);
    assert_eq!(calls.len(), 2, "{calls:?}");
    for call in &calls {
        for says in [
            "--job-name=reprise-far-away",
            "--signal=B:TERM@60",
            "--partition=short",
            "--account=ml",
            "--time=1:00:00",
            "--mem=2G",
            "--cpus-per-task=1",
        ] {
            assert!(call.contains(says), "{says} is not in {call}");
        }
    }
    assert!(calls[0].contains("--array=0-7%3 "), "{}", calls[0]);
    assert!(calls[1].contains("--dependency=afterany:1 "), "{}", calls[1]);
    assert_eq!(outputs(&bench.results("r")), alone(&bench));
    assert_says(&slurm(&bench, &[], &[]), 0, &["already sealed in"]);
    assert!(self::calls(&bench).is_empty());
    assert!(bench.results("r").join(".journal/logs/1.log").exists());
}

#[test]
fn the_same_command_submits_what_is_missing() {
    let bench = bench();
    std::fs::write(fake(&bench, "lost"), "2\n5\n6\n").unwrap();
    std::fs::write(fake(&bench, "requeued"), "1\n").unwrap();
    std::fs::write(fake(&bench, "unsealed"), "").unwrap();
    assert_says(&slurm(&bench, &[], &[]), 0, &["8 of 8 chunks submitted"]);
    let paths = journaled_paths(&bench.results("r"));
    assert_eq!((paths.len(), paths.values().sum::<usize>()), (10, 10));
    let mut status = bench.reprise();
    let status = status.args(["status", "--results", "r"]).output().unwrap();
    assert_says(&status, 0, &["far/away half done 10 of 16 0 0"]);
    // A worker of another plan beside it.
    let other = ["--set", "experiment.seed=7", "--index", "1/1"];
    let other = bench.subcommand("worker", "r", &other).output().unwrap();
    assert_says(&other, 0, &["16 paths are in"]);
    let mut status = bench.reprise();
    let status = status.args(["status", "--results", "r"]).output().unwrap();
    assert_says(&status, 0, &["far/away half done 10 of 16 0 0"]);
    calls(&bench);
    std::fs::remove_file(fake(&bench, "lost")).unwrap();
    // As soon as nothing is missing, the same command seals.
    assert_says(&slurm(&bench, &[], &[]), 0, &["sealed in"]);
    assert!(calls(&bench)[0].contains("--array=2,5-6 "));
    assert_eq!(outputs(&bench.results("r")), alone(&bench));
}

#[test]
fn what_no_worker_has_begun_is_queued_and_profiles_are_listed() {
    let bench = bench();
    let tasks: Vec<String> = (0..8).map(|task| task.to_string()).collect();
    std::fs::write(fake(&bench, "lost"), tasks.join("\n")).unwrap();
    std::fs::write(fake(&bench, "unsealed"), "").unwrap();
    assert_says(&slurm(&bench, &[], &[]), 0, &["8 of 8 chunks submitted"]);
    let profile = bench.subcommand("worker", "r", &["--profile", "few", "--index", "1/2"]).output();
    assert_says(&profile.unwrap(), 0, &["paths are in"]);
    let mut status = bench.reprise();
    let status = status.args(["status", "--results", "r"]).output().unwrap();
    let says = ["far/away queued 0 of 16 0 0", "far/away@few half done 2 of 4 0 0", "1 queued"];
    assert_says(&status, 0, &says);
}

#[test]
fn the_limits_of_a_site_are_honoured() {
    let bench = bench();
    // Several arrays.
    let limits = [("MAX_ARRAY", "3")];
    std::fs::write(fake(&bench, "lost"), "1\n").unwrap();
    std::fs::write(fake(&bench, "unsealed"), "").unwrap();
    let says = ["8 of 8 chunks submitted: arrays 1, 2, 3, and job 4"];
    assert_says(&slurm(&bench, &[], &limits), 0, &says);
    let arrays = |calls: Vec<String>| -> Vec<String> {
        let words = calls.iter().flat_map(|call| call.split(' '));
        words.filter(|word| word.starts_with("--array=")).map(str::to_owned).collect()
    };
    assert_eq!(arrays(calls(&bench)), ["--array=0-2", "--array=0-2", "--array=0-1"]);
    assert_says(&slurm(&bench, &[], &limits), 0, &["3 of 8 chunks submitted"]);
    assert_eq!(arrays(calls(&bench)), ["--array=1", "--array=1", "--array=1"]);
    std::fs::write(fake(&bench, "lost"), "0\n").unwrap();
    // Longer chunks: with the job that seals, there are as many jobs as are allowed.
    let says = ["3 of 4 chunks submitted"];
    assert_says(&slurm(&bench, &["--slurm", "max_submit_jobs=5"], &[]), 0, &says);
    std::fs::remove_file(fake(&bench, "lost")).unwrap();
    assert_says(&slurm(&bench, &[], &[("MAX_JOBS", "3")]), 0, &["sealed in"]);
    assert_eq!(outputs(&bench.results("r")), alone(&bench));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_path_that_takes_longer_than_the_limit_is_named_and_waits_for_more() {
    let slow = "\n[[method]]\nid = \"slow\"\nrepeats = 1\nkind = \"mevm\"\ncomponents = 10\nrestarts = 100000\n";
    let methods = CHOW_LIU.to_owned() + slow;
    let bench = Bench::new(&spec::density("far/away", "repeats = 4", &methods));
    std::fs::create_dir(bench.folder().join("fake")).unwrap();
    std::fs::write(fake(&bench, "limit"), "4").unwrap();
    std::fs::write(fake(&bench, "unsealed"), "").unwrap();
    let run = |time: &str, code: i32, says: &[&str]| {
        let time = format!("time={time}");
        assert_says(&slurm(&bench, &["--slurm", &time], &[]), code, says);
    };
    let short = ["time = \"1\" leaves a task no time", "60 s before its end", "more than 60 s"];
    run("1", 2, &short);
    assert!(calls(&bench).is_empty());
    run("1:01", 0, &["chunks submitted: array 1, and job 2"]);
    run("1:01", 0, &["1 of", "chunks submitted"]);
    assert!(calls(&bench).iter().all(|call| call.contains("--time=1:01")));
    let too_long =
        ["far/away: nothing was submitted", "slow on", "stopped twice", "once `time` is"];
    run("1:01", 4, &too_long);
    assert!(calls(&bench).is_empty());
    // What others lost is submitted without it, and not sealed.
    let journals = bench.results("r").join(".journal");
    for file in std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "journal") {
            std::fs::remove_file(file).unwrap();
        }
    }
    run("1:01", 4, &["chunks submitted: array 5; logs are in", "slow on"]);
    assert_eq!(calls(&bench).len(), 1);
    run("2:00", 0, &["1 of", "chunks submitted: array 6, and job 7"]);
    // A program may take five minutes to start.
    let program = "\n[[method]]\nid = \"own\"\nkind = \"command\"\ngives = \"log-likelihoods\"\n\
                   command = [\"sh\", \"own.sh\"]\ncode = [\"own.sh\"]\n";
    let methods = CHOW_LIU.to_owned() + program;
    let bench = Bench::with(&spec::density("far/off", "", &methods), &[("own.sh", "exit 1\n")]);
    std::fs::create_dir(bench.folder().join("fake")).unwrap();
    let says = ["its start may take 300 s", "more than 360 s"];
    assert_says(&slurm(&bench, &["--slurm", "time=6"], &[]), 2, &says);
}

#[test]
fn what_an_engine_refuses_is_said() {
    let bench = bench();
    std::fs::write(fake(&bench, "full"), "").unwrap();
    let says = [
        "failed to submit: sbatch --parsable",
        "violates accounting/QOS policy",
        "submits what is missing",
    ];
    assert_says(&slurm(&bench, &[], &[]), 5, &says);
    assert_says(
        &slurm(&bench, &["--fresh"], &[]),
        2,
        &["--fresh forgets", "--results folder of its own"],
    );
    assert_says(
        &slurm(&bench, &["--slurm", "cpu=2"], &[]),
        2,
        &["unknown field `cpu`", "cluster.md"],
    );
    let nowhere = bench.command("r", &["--executor", "slurm"]).env("PATH", "").output().unwrap();
    assert_says(&nowhere, 5, &["failed to submit: scontrol show config: No such file"]);
}

#[test]
fn any_engine_is_a_command() {
    let bench = bench();
    let run = |template: &str, code: i32, says: &[&str]| {
        let arguments = ["--executor", "command", "--chunk", "0.012", "--submit", template];
        assert_says(&bench.command("r", &arguments).output().unwrap(), code, says);
    };
    run("true {index}", 2, &["expected a command with {worker} in it"]);
    run("exit 3; {worker}", 5, &["failed to submit: exit 3; ", "exit status: 3"]);
    run(
        "echo {index}/{count} >> handed; : {worker}",
        0,
        &["4 of 4 chunks submitted: run the same command again"],
    );
    let handed = std::fs::read_to_string(bench.folder().join("handed")).unwrap();
    assert_eq!(handed, "1/4\n2/4\n3/4\n4/4\n");
    assert!(journaled_paths(&bench.results("r")).is_empty());
    // One that waits for each chunk: then all is there, and is sealed.
    run("{worker} > log-{index}", 0, &["sealed in"]);
    assert_eq!(outputs(&bench.results("r")), alone(&bench));
    let none = bench.command("s", &["--executor", "command"]).output().unwrap();
    assert_says(&none, 2, &["needs a command for a chunk", "--submit 'ssh node{index} {worker}'"]);
}
