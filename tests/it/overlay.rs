//! `--set`: checked as if the file said so, sealed beside it, and made again by an audit.

use crate::support::audit::all;
use crate::support::experiment::Bench;
use crate::support::results::{digest, outputs, rows};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_says, text};

fn spec() -> String {
    spec::density("set", "repeats = 2", CHOW_LIU)
}

#[test]
fn what_is_set_counts_as_if_the_file_said_so() {
    let bench = Bench::new(&spec());
    let set = ["--set", "experiment.seed=7", "--set", "method.CL.smoothing=0.5"];
    assert_says(&bench.command("set", &set).output().unwrap(), 0, &["2 trials, sealed in"]);
    let dir = bench.results("set");
    let overlay = std::fs::read_to_string(dir.join("overlay.toml")).unwrap();
    assert_eq!(overlay, "experiment.seed = 7\nmethod.CL.smoothing = 0.5\n");
    assert_eq!(std::fs::read_to_string(dir.join("spec.toml")).unwrap(), spec());
    // The trials are those of a file that says so.
    let said = spec()
        .replace("seed = 1", "seed = 7")
        .replace(CHOW_LIU, &format!("{CHOW_LIU}\nsmoothing = 0.5"));
    let said = Bench::new(&said);
    let written = said.run("written");
    let keys = |dir| rows(dir).into_iter().map(|row| row["key"].clone()).collect::<Vec<_>>();
    assert_eq!(keys(&dir.join("trials.csv")), keys(&written.join("trials.csv")));
    assert_eq!(outputs(&dir)["tables/t.csv"], outputs(&written)["tables/t.csv"]);
    // The same settings in another order are the same experiment.
    let again = bench.command("set", &[set[2], set[3], set[0], set[1]]).output().unwrap();
    assert_says(&again, 0, &["already sealed"]);
    // The audit makes it again from what is sealed, and says what it had to believe.
    let verdict = bench.audit(&dir, &all());
    assert_eq!(verdict.differences, Vec::<String>::new());
    let believed = verdict.believed.join("\n");
    assert!(
        believed.contains("overlay.toml: set from outside with --set: experiment.seed=7"),
        "{believed}"
    );
    assert!(
        std::fs::read_to_string(dir.join("report.html"))
            .unwrap()
            .contains("--set experiment.seed=7")
    );
    // A forged overlay is a difference, and so is one that is gone.
    std::fs::write(dir.join("overlay.toml"), "experiment.seed = 8\n").unwrap();
    assert!(!bench.audit(&dir, &all()).differences.is_empty());
    std::fs::remove_file(dir.join("overlay.toml")).unwrap();
    assert!(!bench.audit(&dir, &all()).differences.is_empty());
}

#[test]
fn without_settings_nothing_is_beside_and_sealed_trials_are_kept() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
    assert!(!dir.join("overlay.toml").exists());
    let sealed = digest(&dir);
    let other = bench.command("r", &["--set", "experiment.seed=2"]).output().unwrap();
    assert_says(&other, 2, &["2 sealed trials", "--replace"]);
    let plan = bench.subcommand("plan", "r", &["--set", "task.repeats=5"]).output().unwrap();
    assert_says(&plan, 0, &["5 trials in 5 paths, 2 done"]);
    assert_eq!(digest(&dir), sealed);
}

#[test]
fn settings_are_checked_like_the_file() {
    let bench = Bench::new(&spec());
    for (setting, phrases) in [
        (
            "task.repeat=3",
            &["`[task]` has no key `repeat`", "did you mean `repeats`?", "--set:1"][..],
        ),
        ("task.repeats=0", &["`repeats` can't be 0", "--set:1"]),
        ("method.CX.smoothing=1", &["there is no method `CX` to override", "did you mean `CL`?"]),
        (
            "method.CL.kind=chow-lui",
            &["there is no method of kind `chow-lui`", "did you mean `chow-liu`?"],
        ),
        ("experiment.id=other", &["an experiment's id can't be set"]),
        ("run.seed=2", &["no key of `run` can be set", "`experiment`, `task`"]),
        ("seed", &["`seed` is no setting", "KEY=VALUE"]),
        ("task.datasets=[\"nltsc\"]", &["there is no dataset `nltsc`"]),
    ] {
        let output = bench.command("r", &["--set", setting]).output().unwrap();
        assert_says(&output, 2, phrases);
    }
    assert!(!bench.folder().join("r").exists());
    // Tables are merged key by key where the file has their keys, and else replaced.
    let bench = Bench::new(
        &spec().replace("split = \"published\"", "split = { cv = { folds = 4, repeats = 3 } }"),
    );
    for (setting, trials) in [
        ("task.split.cv.folds=2", "12 trials"),
        ("task.split.resample={ train = 100, test = 50, repeats = 2 }", "4 trials"),
        ("task.split=published", "2 trials"),
    ] {
        let plan = bench.subcommand("plan", "r", &["--set", setting]).output().unwrap();
        assert_says(&plan, 0, &[trials]);
    }
    let help = bench.reprise().args(["run", "--help"]).output().unwrap();
    assert!(text(&help).contains("overlay.toml"));
}
