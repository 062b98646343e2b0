//! `list`, `status` and `clean` over results and caches; completions and man pages.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::experiment::{Bench, only};
use crate::support::results::{digest, forge, segment};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_says, text};

fn experiment(id: &str) -> String {
    spec::density(id, "repeats = 2", CHOW_LIU)
}

#[test]
fn each_experiment_stands_as_it_does() {
    let bench = Bench::new(&experiment("sealed"));
    bench.run("r");
    let half = Bench::beside(&bench, &experiment("deep/half"));
    half.journal("r");
    Bench::beside(&bench, &experiment("part")).run_with("r", &only("repeat=0"));
    let broken = Bench::beside(&bench, &experiment("broken")).run("r");
    std::fs::write(broken.join("manifest.toml"), "no manifest").unwrap();
    let running = Bench::beside(&bench, &experiment("running"));
    let running = running.journal("r");
    let lock = File::options().write(true).open(running.join(".journal/lock")).unwrap();
    lock.lock().unwrap();
    // A link leads nowhere.
    let elsewhere = Bench::new(&experiment("elsewhere"));
    elsewhere.run("r");
    symlink(elsewhere.folder().join("r/elsewhere"), bench.folder().join("r/linked")).unwrap();

    let reprise = |arguments: &[&str]| bench.reprise().args(arguments).output().unwrap();
    let list = reprise(&["list", "--results", "r"]);
    assert_says(
        &list,
        0,
        &[
            "sealed sealed",
            "deep/half half done",
            "running running",
            "part incomplete",
            "broken broken",
        ],
    );
    assert!(!text(&list).contains("linked") && !text(&list).contains("elsewhere"));
    let status = reprise(&["status", "--results", "r"]);
    assert_says(
        &status,
        0,
        &[
            "sealed sealed 2 0",
            "deep/half half done 2 of 2 0",
            "running running 2 of 2 0",
            "1 half done",
        ],
    );
    let json = reprise(&["status", "--results", "r", "--format", "json"]);
    let values: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let of =
        |id: &str| values.as_array().unwrap().iter().find(|one| one["experiment"] == id).unwrap();
    assert_eq!(values.as_array().unwrap().len(), 5);
    assert_eq!((&of("sealed")["state"], &of("sealed")["trials"]), (&"sealed".into(), &2.into()));
    assert!(of("sealed")["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(of("deep/half")["state"], "half done");
    assert_says(
        &reprise(&["status", "--results", "gone"]),
        2,
        &["failed to list gone", "--results DIR"],
    );
}

#[test]
fn failed_trials_are_counted() {
    let bench = Bench::new(&experiment("failed"));
    let dir = bench.run("r");
    // The name of a folder is no line of its own.
    let forged = bench.folder().join("forged/one\nfailed sealed 2 0");
    crate::support::results::copy(&dir, &forged);
    for command in ["list", "status"] {
        let listed = bench.reprise().args([command, "--results", "forged"]).output().unwrap();
        assert_says(&listed, 0, &["one\\u{a}failed sealed 2 0"]);
    }
    forge(&dir, "trials.csv", |text| text.replacen(",ok,", ",failed,", 1));
    let status = bench.reprise().args(["status", "--results", "r"]).output().unwrap();
    assert_says(&status, 0, &["failed sealed 2 1"]);
}

#[test]
fn what_nothing_needs_goes_and_all_else_stays() {
    let bench = Bench::new(&experiment("sealed"));
    let dir = bench.run("r");
    let sealed = digest(&dir);
    std::fs::write(dir.join(".journal/old.journal"), "lines\n").unwrap();
    let half = Bench::beside(&bench, &experiment("half")).journal("r");
    let cache = bench.folder().join("cache");
    let key = "0".repeat(64);
    let file = |path: &str| {
        let path = cache.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "0123456789").unwrap();
        path
    };
    let gone = [
        dir.join(".journal/old.journal"),
        file(&format!("derived/{key}")),
        file(&format!("data/{key}.partial")),
        file(&format!("environments/{key}/bin/python")),
    ];
    // A download that is done, an environment that is whole, what is not ours, and what a process is at work on.
    let held = file(&format!("data/{}.lock", "1".repeat(64)));
    let lock = File::open(&held).unwrap();
    lock.lock().unwrap();
    let making = file(&format!("derived/{}.lock", "5".repeat(64)));
    let made = File::open(&making).unwrap();
    made.lock().unwrap();
    file(&format!("environments/{}/.reprise-ready", "2".repeat(64)));
    let kept = [
        segment(&half),
        file(&format!("data/{key}")),
        file(&format!("data/{}.partial", "1".repeat(64))),
        file(&format!("environments/{}/bin/python", "2".repeat(64))),
        file("derived/notes.txt"),
        file(&format!("derived/{}", "5".repeat(64))),
        making,
        held,
    ];
    // Nothing behind a link is looked at.
    let outside = tempfile::tempdir().unwrap();
    let behind = outside.path().join(&key);
    std::fs::write(&behind, "mine").unwrap();
    symlink(&behind, cache.join("derived").join("3".repeat(64))).unwrap();

    let clean = |arguments: &[&str], answer: &str| {
        let mut command = bench.reprise();
        command.args(["clean", "--results", "r"]).args(arguments);
        command.env("TMPDIR", outside.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    for answer in ["n\n", "", "\n"] {
        let asked = clean(&[], answer);
        assert_says(
            &asked,
            0,
            &[
                "1 journals 6 B",
                "1 derived 10 B",
                "1 downloads 10 B",
                "1 environments 10 B",
                "4 in all 36 B",
                "nothing was removed",
            ],
        );
        assert!(gone.iter().chain(&kept).all(|path| path.exists()));
    }
    assert_says(&clean(&[], "y\n"), 0, &["removed: 36 B are free"]);
    assert!(gone.iter().all(|path| !path.exists()));
    assert!(kept.iter().chain([&behind]).all(|path| path.exists()));
    assert_eq!(digest(&dir), sealed);
    assert_says(&clean(&["--yes"], ""), 0, &["nothing to remove"]);
}

#[test]
fn completions_and_pages_are_those_of_the_command_line() {
    let bench = Bench::new(&experiment("any"));
    for shell in ["bash", "zsh", "fish"] {
        let output = bench.reprise().args(["completions", shell]).output().unwrap();
        assert_says(&output, 0, &["status", "max-trials"]);
        assert!(!text(&output).contains("execute-path"), "{shell}");
    }
    let output = bench.reprise().args(["man", "pages"]).output().unwrap();
    assert_says(&output, 0, &["wrote the pages in pages"]);
    let page = std::fs::read_to_string(bench.folder().join("pages/reprise-run.1")).unwrap();
    assert!(page.starts_with(".") && page.contains("overlay.toml"), "{page}");
    assert!(bench.folder().join("pages/reprise-data-add.1").exists());
    assert!(!bench.folder().join("pages/reprise-execute-path.1").exists());
}
