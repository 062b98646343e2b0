//! How large an experiment may be: its trials are counted before any of them is made.

use reprise::harness::universes::Which;
use reprise::harness::{Error, Session};
use reprise::run::plan::{MAX_TRIALS, WithChoices};

use crate::support::experiment::Bench;
use crate::support::registry;
use crate::support::spec::choice;
use crate::support::terminal::{assert_error, assert_says};

/// As many classes as documents.
fn names() -> String {
    let rest = r#"vocabulary = "training"
shape = { variables = 1, train = 2000, test = 2000, classes = 2000 }
files = [
  { role = "train", format = "labelled-lines", sources = [{ path = "names.txt" }] },
  { role = "test", format = "labelled-lines", sources = [{ path = "names.txt" }] },
]"#;
    registry::entry("names", "text", rest)
}

fn bench(task: &str, rest: &str) -> Bench {
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"limits\"\ntitle = \"Limits\"\nseed = 1\n[task]\n{task}\n{rest}"
    );
    let coins = registry::coins(6, "uniform", 30, 20);
    let datasets = registry::of(&[registry::tree(), coins, names()]);
    let documents: String = (0..2000).map(|class| format!("c{class}\tword\n")).collect();
    Bench::with(&spec, &[("datasets.toml", &datasets), ("names.txt", &documents)])
}

/// How many trials with the options of choices, and in how many paths, of an experiment that may have so many.
fn planned(bench: &Bench, max_trials: u64) -> Result<(usize, usize), Error> {
    let session = Session { max_trials, ..bench.session("r") };
    let plan = session.plan(&session.datasets()?, WithChoices::Yes)?;
    Ok((plan.trials.len(), plan.paths.len()))
}

const DENSITY: &str = "kind = \"density\"\ndatasets = [\"tree\"]\nsplit = \"published\"\n";
const INDEPENDENT: &str = "[[method]]\nid = \"I\"\nkind = \"independent\"\n";

/// A parameter's values on a line: 1 to n.
fn values(n: usize) -> String {
    (1..=n).map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn more_trials_than_anybody_wants_are_refused_before_they_are_planned() {
    let bench = bench(&format!("{DENSITY}repeats = 1000000000\n"), INDEPENDENT);
    for subcommand in ["plan", "run"] {
        let output = bench.subcommand(subcommand, "r", &[]).output().unwrap();
        let says = [
            "the experiment would be 1000000000 trials, more than 1000000",
            "fewer repeats",
            "--max-trials 1000000000",
        ];
        assert_says(&output, 2, &says);
        assert!(!bench.results("r").join("manifest.toml").exists());
    }
}

#[test]
fn whatever_multiplies_trials_is_counted() {
    let huge = 1_000_000_000;
    let nb = "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\n";
    let three = ["components", "restarts", "max_iterations"];
    let axes = |kind: &str| {
        let axes: Vec<String> =
            three.iter().map(|name| format!("{name} = [{}]", values(200))).collect();
        format!("{nb}{kind} = {{ {} }}\n", axes.join(", "))
    };
    let grid = format!("{}select = \"valid_ll\"\n", axes("grid"));
    let choices: String = three
        .iter()
        .map(|name| {
            format!(
                "[[choice]]\nid = \"{name}\"\nquestion = \"?\"\ntarget = \"method:NB\"\nparameter = \"{name}\"\n\
                 options = [{}]\nchosen = 1\nwhy = \".\"\n",
                values(200)
            )
        })
        .collect();
    let together = format!("{nb}{choices}[universes]\ncover = 1\n");
    let coins = "kind = \"classification\"\ndatasets = [\"coins\"]\n";
    let many = format!("{coins}split = {{ cv = {{ folds = 10, repeats = 1000000000 }} }}\n");
    let resampled = format!(
        "{coins}repeats = {huge}\nsplit = {{ resample = {{ train = 9, test = 9, repeats = {huge} }} }}\n"
    );
    let classifier = "[[method]]\nid = \"NB\"\nkind = \"bernoulli-nb\"\n";
    let swept = format!("{classifier}sweep = {{ smoothing = [{}] }}\n", values(20));
    let names = "kind = \"classification\"\ndatasets = [\"names\"]\nclasses = \"all-pairs\"\n\
                 split = \"published\"\n";
    for (task, rest, says) in [
        (DENSITY, axes("sweep").as_str(), "would be 8000000 trials"),
        (DENSITY, &grid, "would be 8000000 trials"),
        (&many, classifier, "would be 10000000000 trials"),
        (&resampled, &swept, "would be at least 18446744073709551615 trials"),
        (names, classifier, "the problems of the 2000 classes of `names` would be 1999000 trials"),
    ] {
        let error = planned(&bench(task, rest), MAX_TRIALS).unwrap_err();
        assert_error(&error, &[says, "more than 1000000"]);
    }
    let all = bench(DENSITY, &together).session("r").with_universes(Which::All).unwrap_err();
    assert_error(&all, &["would be 8000000 paths", "more than 1000000"]);
}

#[test]
fn the_options_about_a_dataset_are_counted_before_it_is_drawn() {
    let task = "kind = \"classification\"\ndatasets = [\"coins\"]\nsplit = \"published\"\n";
    let choice = "[[choice]]\nid = \"sampling\"\nquestion = \"?\"\ntarget = \"dataset:coins\"\n\
                  parameter = \"sampling\"\noptions = [\"uniform\", \"uniform-count\", \"balanced\"]\n\
                  chosen = \"uniform\"\nwhy = \".\"\n";
    let bench = bench(task, &format!("[[method]]\nid = \"NB\"\nkind = \"bernoulli-nb\"\n{choice}"));
    let says = "the options of the choices about `coins` would be 3 trials";
    assert_error(&planned(&bench, 2).unwrap_err(), &[says]);
    assert_eq!(planned(&bench, 3).unwrap(), (3, 3));
}

/// Sweeps, a grid, choices of all repeats and of the first only, a part without one of the
/// methods.
#[test]
fn as_many_trials_are_counted_as_are_planned() {
    let nb = |parameter: &str, options: &[&str], rest: &str| {
        format!("{}{rest}\n", choice("NB", parameter, options))
    };
    let rest = [
        "[[part]]\nid = \"one\"\nrepeats = 3\n[[part]]\nid = \"two\"\nrepeats = 2\nmethods = [\"I\"]\n",
        "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\nsweep = { components = [1, 2] }\n\
         grid = { smoothing = [0.1, 1.0, 2.0] }\nselect = \"valid_ll\"\n",
        INDEPENDENT,
        &nb("remainder", &["\"unassigned\"", "\"spread\""], ""),
        &nb("initial", &["\"hard\"", "\"soft\""], "repeats = 1"),
        &nb("restarts", &["1", "2", "3"], "repeats = 2"),
    ]
    .concat();
    let bench = bench(DENSITY, &rest);
    // Of NB in part one: 2 x 3 points, times 1 + 1 + 1 + 2 assignments, then 1 + 1 + 2, then 2. Of I: 3 + 2.
    let trials = 6 * (5 + 4 + 2) + 5;
    assert_eq!(planned(&bench, trials as u64).unwrap().0, trials);
    let says = [format!("would be {trials} trials"), format!("--max-trials {trials}")];
    let error = planned(&bench, trials as u64 - 1).unwrap_err();
    assert_error(&error, &says.each_ref().map(String::as_str));
}

/// A file with so many methods, tables and profiles.
fn file(methods: usize, tables: usize, profiles: usize) -> Bench {
    let methods =
        (0..methods).map(|at| format!("[[method]]\nid = \"m{at}\"\nkind = \"independent\"\n"));
    let tables = (0..tables).map(|at| {
        let axes = "rows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_ll\"\ndigits = 2";
        format!("[[table]]\nid = \"t{at}\"\n{axes}\n")
    });
    let profiles = (0..profiles).map(|at| format!("[profile.p{at}.task]\nrepeats = {}\n", at + 1));
    bench(DENSITY, &methods.chain(tables).chain(profiles).collect::<String>())
}

/// Everything in a file is compared with everything else, and under each profile anew.
#[test]
fn a_file_of_more_tables_than_anybody_writes_is_refused_at_once() {
    let before = std::time::Instant::now();
    for (file, says) in [
        (file(1_001, 0, 0), ["the file has 1001 `[[method]]`", "expected at most 1000"]),
        (file(20, 5_000, 100), ["the file has 5000 `[[table]]`", "expected at most 1000"]),
        (
            file(100, 100, 100),
            ["the file has 203 tables, which are read 101 times", "at most 20000"],
        ),
    ] {
        assert_says(&file.subcommand("plan", "r", &[]).output().unwrap(), 2, &says);
    }
    assert!(before.elapsed().as_secs() < 20, "it was read before it was refused");
    // What is allowed is read in seconds.
    let large = file(500, 500, 18);
    assert_eq!(planned(&large, MAX_TRIALS).unwrap().0, 500);
    assert!(before.elapsed().as_secs() < 120);
}
