//! Classification from a file of documents to the report: problems of class pairs, vocabularies, choices
//! about datasets, and tests by what a dataset has several of.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::audit::{Ask, all};
use crate::support::experiment::{Bench, choices};
use crate::support::registry;
use crate::support::results::rows;
use crate::support::terminal::{assert_error, assert_says};
use reprise::harness::run::Options;

/// Three classes, each with a word of its own; `rare` is in the training documents of class c only, `new`
/// in no training document.
const TRAIN: &str =
    "a\tapple both\na\tapple pear\nb\tbread both\nb\tbread pear\nc\tcorn rare\nc\tcorn\n";
const TEST: &str = "a\tapple new\nb\tbread new\nc\tcorn both\n";

fn registry() -> String {
    let words = r#"vocabulary = "problem"
shape = { variables = 7, train = 6, test = 3, classes = 3 }
files = [
  { role = "train", format = "labelled-lines", sources = [{ path = "train.txt" }] },
  { role = "test", format = "labelled-lines", sources = [{ path = "test.txt" }] },
]"#;
    registry::of(&[
        registry::entry("words", "text", words),
        registry::coins(9, "uniform-count", 60, 40),
        registry::tree(),
    ])
}

const SPEC: &str = r#"
schema = 1
[experiment]
id = "words"
title = "Words"
seed = 1
[task]
kind = "classification"
classes = "all-pairs"
datasets = ["words", "coins"]
split = "published"
[[method]]
id = "NB"
kind = "bernoulli-nb"
[[method]]
id = "DT"
kind = "decision-tree"
ties = "first"
[[choice]]
id = "vocabulary"
question = "Whose words?"
target = "dataset:words"
parameter = "vocabulary"
options = ["problem", "training"]
chosen = "problem"
why = "."
[[choice]]
id = "sampling"
question = "How?"
target = "dataset:coins"
parameter = "sampling"
options = ["uniform-count", "balanced"]
chosen = "uniform-count"
why = "."
[[test]]
id = "t"
kind = "paired-t"
metric = "test_accuracy"
pair_by = "auto"
dependence = "ignored"
[[table]]
id = "accuracy"
rows = "dataset"
columns = "method"
metric = "test_accuracy"
digits = 3
[[table]]
id = "sizes"
rows = "dataset"
columns = "metric"
methods = ["NB"]
metrics = ["variables", "train_examples", "test_examples"]
digits = 2
"#;

fn bench(spec: &str) -> Bench {
    let files = [("train.txt", TRAIN), ("test.txt", TEST), ("datasets.toml", &*registry())];
    Bench::with(spec, &files)
}

#[test]
fn every_pair_of_classes_is_a_problem_with_its_own_words() {
    let bench = bench(SPEC);
    let dir = bench.run_with("r", &choices());
    let trials = rows(&dir.join("trials.csv"));
    let of = |choice: &str| {
        let of_choice = trials.iter().filter(|t| t["dataset"] == "words" && t["choice"] == choice);
        of_choice.collect::<Vec<_>>()
    };
    let problems: BTreeSet<&str> = of("").iter().map(|trial| trial["problem"].as_str()).collect();
    assert_eq!(problems.into_iter().collect::<Vec<_>>(), ["a/b", "a/c", "b/c"]);
    let variables = |choice: &str, problem: &str| {
        let trial = of(choice).into_iter().find(|t| t["problem"] == problem && t["method"] == "NB");
        trial.unwrap()["variables"].clone()
    };
    // apple both pear bread; apple both pear corn rare; the training words of all classes.
    assert_eq!(variables("", "a/b"), "4");
    assert_eq!(variables("", "a/c"), "5");
    assert_eq!(variables("vocabulary=training", "a/b"), "6");
    let sizes = rows(&dir.join("tables/sizes.csv"));
    let cell = |row: &str, metric: &str| {
        let cell = sizes.iter().find(|c| c["row"] == row && c["column"] == metric);
        cell.unwrap()["value"].parse::<f64>().unwrap()
    };
    assert!((cell("words", "variables") - (4.0 + 5.0 + 5.0) / 3.0).abs() < 1e-12);
    assert_eq!((cell("words", "train_examples"), cell("words", "test_examples")), (4.0, 2.0));
    // A class pair has words of its own, so every test document is told by its class's word.
    let accuracy = rows(&dir.join("tables/accuracy.csv"));
    let words = accuracy.iter().filter(|cell| cell["row"] == "words");
    assert!(words.map(|cell| cell["value"].as_str()).eq(["1", "1"]));
}

#[test]
fn tests_pair_what_a_dataset_has_several_of() {
    let bench = bench(SPEC);
    let dir = bench.run("r");
    let tests = rows(&dir.join("tests.csv"));
    let n = |dataset: &str| tests.iter().find(|t| t["dataset"] == dataset).unwrap()["n"].clone();
    // Two classes are one problem, so what is left are its 40 test examples.
    assert_eq!(n("coins"), "40");
    let kept = rows(&dir.join("examples/test_accuracy.csv"));
    assert_eq!(kept.len(), 2, "only the trials that a test needs keep values per example");
    assert!(kept.iter().all(|row| row["bits"].len() == 40 && row["values"].is_empty()));
    let words = tests.iter().find(|test| test["dataset"] == "words").unwrap();
    assert!(words["note"].contains("differences"), "equal accuracies on three pairs: {words:?}");
}

#[test]
fn options_of_datasets_are_sealed_and_come_out_again() {
    let bench = bench(SPEC);
    let dir = bench.run_with("r", &choices());
    let manifest = std::fs::read_to_string(dir.join("manifest.toml")).unwrap();
    for variant in ["words", "words vocabulary=training", "coins", "coins sampling=balanced"] {
        assert!(manifest.contains(&format!("{variant:?}")) || manifest.contains(variant));
    }
    let choices = rows(&dir.join("choices.csv"));
    let options: BTreeSet<(&str, &str)> =
        choices.iter().map(|row| (row["choice"].as_str(), row["option"].as_str())).collect();
    assert_eq!(options.len(), 4, "{options:?}");
    let own = Some(bench.folder().join("datasets.toml"));
    bench.audit(&dir, &Ask { registry: own, ..all() }).assert_same(16, 16);
    // A run without choices keeps what is sealed of them.
    let again = bench.run("r");
    assert_eq!(rows(&again.join("choices.csv")), choices);
}

/// An option of one method makes it the other method: they share one outcome.
#[test]
fn configurations_that_coincide_keep_what_any_of_them_needs() {
    let choice = r#"
[[choice]]
id = "smoothing"
question = "How much?"
target = "method:NB"
parameter = "smoothing"
options = [0.1, 1.0]
chosen = 0.1
why = "."
[[method]]
id = "NB-1"
kind = "bernoulli-nb"
smoothing = 1.0
"#;
    let bench = bench(&format!("{SPEC}{choice}"));
    let dir = bench.run_with("r", &choices());
    let tests = rows(&dir.join("tests.csv"));
    let of_coins = |test: &&BTreeMap<String, String>| test["dataset"] == "coins";
    assert_eq!(tests.iter().filter(of_coins).count(), 3);
    assert!(tests.iter().filter(of_coins).all(|test| test["n"] == "40"), "{tests:?}");
    let manifest = std::fs::read_to_string(dir.join("manifest.toml")).unwrap();
    assert!(manifest.contains("\ncomplete = true"), "{manifest}");
}

#[test]
fn tests_by_example_need_no_more_than_there_is() {
    let complete = |metric: &str| {
        let spec = SPEC.replace(
            "metric = \"test_accuracy\"\npair_by",
            &format!("metric = {metric:?}\npair_by"),
        );
        let bench = bench(&spec);
        let dir = bench.run("r");
        let tests = rows(&dir.join("tests.csv"));
        let coins = tests.into_iter().find(|test| test["dataset"] == "coins").unwrap();
        let manifest = std::fs::read_to_string(dir.join("manifest.toml")).unwrap();
        assert!(manifest.contains("\ncomplete = true"), "{metric}: {manifest}");
        (coins["n"].clone(), coins["note"].clone())
    };
    assert_eq!(complete("test_error").0, "40");
    assert_eq!(complete("variables"), (String::new(), "NB: not applicable".to_owned()));
}

#[test]
fn a_failed_trial_is_named_with_its_problem() {
    let knn = "kind = \"knn\"\nk = 5";
    let spec = SPEC.replace("kind = \"decision-tree\"\nties = \"first\"", knn);
    let output = bench(&spec).subcommand("run", "r", &[]).output().unwrap();
    // A pair has four training documents.
    let message =
        "DT on words b/c, repeat 0, fold 0: failed: k = 5 neighbours can't be found among 4";
    assert_says(&output, 4, &[message]);
}

#[test]
fn options_of_datasets_run_with_the_methods_that_the_choice_names() {
    let spec = SPEC
        .replace("target = \"dataset:words\"", "target = \"dataset:words\"\nmethods = [\"DT\"]");
    let bench = bench(&spec);
    let dir = bench.run_with("r", &choices());
    let with = |file: &str, column: &str, value: &str| -> BTreeSet<(String, String)> {
        let found = rows(&dir.join(file)).into_iter().filter(|row| row[column] == value);
        found.map(|row| (row["dataset"].clone(), row["method"].clone())).collect()
    };
    let pairs = |of: &[(&str, &str)]| -> BTreeSet<(String, String)> {
        of.iter().map(|(dataset, method)| ((*dataset).to_owned(), (*method).to_owned())).collect()
    };
    let tree = pairs(&[("words", "DT")]);
    assert_eq!(with("trials.csv", "choice", "vocabulary=training"), tree);
    for option in ["problem", "training"] {
        assert_eq!(with("choices.csv", "option", option), tree, "{option}");
    }
    let both = pairs(&[("coins", "DT"), ("coins", "NB")]);
    assert_eq!(with("trials.csv", "choice", "sampling=balanced"), both);
}

#[test]
fn a_dataset_without_classes_is_a_usage_error() {
    let bench = bench(&SPEC.replace("\"words\", \"coins\"", "\"words\", \"coins\", \"tree\""));
    let message = "dataset `tree` has no classes, but the task is classification";
    assert_error(&bench.refused("r", &Options::default()), &[message]);
}

#[test]
fn an_option_outside_a_datasets_domain_points_at_the_line() {
    let spec = SPEC.replace("[\"problem\", \"training\"]", "[\"problem\", \"all\"]");
    let refused = bench(&spec).refused("r", &Options::default());
    assert_error(&refused, &["options = [\"problem\", \"all\"]", "training"]);
}
