//! What can be known before the first trial is refused before it, by `plan` and `run` alike, with its place and what to
//! do.

use std::path::Path;

use crate::support::experiment::Bench;
use crate::support::terminal::{assert_says, text};

/// Classification of generated 0/1 rows, which have no validation examples, and of a table of numbers.
const SPEC: &str = r#"schema = 1
[experiment]
id = "foreseen"
title = "Foreseen"
seed = 1
[[part]]
id = "coins"
kind = "classification"
datasets = ["generated-m-of-n", "generated-parity"]
split = "published"
metrics = ["test_accuracy"]
[[part]]
id = "numbers"
kind = "classification"
datasets = ["mine"]
split = { cv = { folds = 2 } }
metrics = ["test_accuracy"]
[[method]]
id = "NB"
kind = "bernoulli-nb"
[[method]]
id = "GNB"
kind = "gaussian-nb"
[[method]]
id = "majority"
kind = "majority"
[[table]]
id = "coins"
rows = "dataset"
columns = "method"
parts = ["coins"]
metric = "test_accuracy"
"#;

const REGISTRY: &str = r#"schema = 1
[dataset.mine]
title = "Mine"
kind = "numeric"
citation = "this test"
licence = "MIT"
shape = { variables = 2, rows = 8, classes = 2 }
files = [{ role = "all", format = "csv", target = "y", sources = [{ path = "mine.csv" }] }]
"#;

const ROWS: &str = "a,b,y\n1,2,x\n3,4,z\n1,3,x\n3,5,z\n2,2,x\n4,4,z\n1,1,x\n4,5,z\n";

fn bench(spec: &str) -> Bench {
    Bench::with(spec, &[("datasets.toml", REGISTRY), ("mine.csv", ROWS)])
}

fn edited(from: &str, to: &str) -> String {
    assert!(SPEC.contains(from), "{from}");
    SPEC.replacen(from, to, 1)
}

/// Asserts that the file is refused with exit 2, with its line, and that nothing is written.
#[track_caller]
fn refused(spec: &str, phrases: &[&str]) {
    let bench = bench(spec);
    for subcommand in ["plan", "run"] {
        let output = bench.subcommand(subcommand, "r", &[]).output().unwrap();
        assert_says(&output, 2, phrases);
        assert!(text(&output).contains(".toml:"), "{}", text(&output));
    }
    assert!(!bench.folder().join("r").exists());
}

#[test]
fn methods_run_where_they_fit_and_tables_show_what_runs() {
    let bench = bench(SPEC);
    let dir = bench.run("r");
    let table = std::fs::read_to_string(dir.join("tables/coins.csv")).unwrap();
    assert!(!table.contains("not-applicable"), "{table}");
    for method in ["NB", "majority", "GNB"] {
        assert!(table.contains(&format!(",{method},")), "{table}");
    }
    assert!(!table.contains("mine"), "{table}");
    let trials = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    assert!(trials.contains(",mine,numbers,,GNB,") && !trials.contains(",mine,numbers,,NB,"));
}

#[test]
fn a_method_that_does_not_take_the_data() {
    // It would run nowhere.
    refused(
        &edited("\"gaussian-nb\"", "\"empirical\""),
        &["`GNB` does not take", "which has 0/1 variables", "takes categorical attributes"],
    );
    // It is named where it does not fit.
    refused(
        &edited("datasets = [\"mine\"]", "datasets = [\"mine\"]\nmethods = [\"NB\", \"GNB\"]"),
        &[
            "`NB` does not take `mine`, which has numeric columns",
            "takes 0/1 variables and categorical attributes",
            "`gaussian-nb`",
            "give the dataset a `binning`",
        ],
    );
    // Binned numbers are categorical.
    let binned = REGISTRY.replace("licence", "binning = \"equal-width\"\nlicence");
    let spec = edited("datasets = [\"mine\"]", "datasets = [\"mine\"]\nmethods = [\"NB\"]");
    let spec = spec.replace("\"gaussian-nb\"", "\"knn\"");
    let bench = Bench::with(&spec, &[("datasets.toml", &*binned), ("mine.csv", ROWS)]);
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["8 trials"]);
}

#[test]
fn a_metric_that_the_split_or_the_task_cannot_give() {
    refused(
        &edited(
            "metrics = [\"test_accuracy\"]",
            "metrics = [\"test_accuracy\", \"valid_accuracy\"]",
        ),
        &[
            "no trial has validation examples to measure `valid_accuracy` by",
            "split = \"published\"",
        ],
    );
    refused(
        &edited("\"test_accuracy\"\n", "\"test_ll\"\n")
            .replace("metrics = [\"test_ll\"]", "metrics = [\"test_accuracy\"]"),
        &[
            "trials do not report `test_ll`",
            "the task classification does not measure it",
            "`test_accuracy`",
        ],
    );
    refused(
        &SPEC
            .replace("metrics = [\"test_accuracy\"]", "metrics = [\"test_accuracy\", \"nodes\"]")
            .replace("metric = \"test_accuracy\"", "metric = \"nodes\""),
        &["no method of the file reports `nodes`", "methods of kind `decision-tree`"],
    );
}

#[test]
fn a_grid_that_nothing_can_select_from() {
    let grid = |select: &str| {
        edited("\"bernoulli-nb\"", "\"bernoulli-nb\"\ngrid = { smoothing = [0.1, 1.0] }")
            .replace("1.0] }", &format!("1.0] }}\n{select}"))
    };
    refused(
        &grid("select = \"valid_accuracy\""),
        &[
            "nothing can select a point of the grid of `NB`",
            "`generated-m-of-n` has no validation examples under the split `published`",
            "make it a `sweep`",
        ],
    );
    // The help names no metric that the task has not.
    let output = bench(&grid("")).subcommand("plan", "r", &[]).output().unwrap();
    let example = "for example select = \"valid_accuracy\", by validation examples of the split";
    assert_says(&output, 2, &["a grid needs `select`", example]);
    assert!(!text(&output).contains("valid_ll"), "{}", text(&output));
}

#[test]
fn a_test_with_fewer_than_two_blocks() {
    let test = |keys: &str| {
        format!(
            "{SPEC}[[test]]\nid = \"t\"\nkind = \"wilcoxon-signed-rank\"\nmetric = \"test_accuracy\"\nreference = \"majority\"\n{keys}\n"
        )
    };
    for (keys, found) in [
        ("pair_by = \"dataset\"\ndatasets = [\"mine\"]", "one dataset"),
        ("pair_by = \"repeat\"", "one repeat"),
        ("pair_by = \"fold\"\ndatasets = [\"generated-parity\"]", "one fold"),
        ("pair_by = \"problem\"", "one problem"),
    ] {
        refused(
            &test(keys),
            &["test `t` has fewer than two values of each method", found, "pair_by = \"auto\""],
        );
    }
    for keys in
        ["pair_by = \"dataset\"", "pair_by = \"fold\"\ndatasets = [\"mine\"]", "pair_by = \"auto\""]
    {
        let keys = format!("{keys}\ndependence = \"ignored\"");
        let plan = bench(&test(&keys)).subcommand("plan", "r", &[]).output().unwrap();
        assert_says(&plan, 0, &["trials"]);
    }
}

#[test]
fn a_published_method_without_values() {
    let quoted =
        SPEC.replace("[[table]]", "[[method]]\nid = \"Doe\"\npublished_only = true\n[[table]]");
    refused(
        &quoted,
        &[
            "`Doe` is only published, and there is no published value of it",
            "no table names a file",
        ],
    );
    let published = quoted + "published = \"published/t.csv\"\n";
    let header = "row,column,metric,value,sd\n";
    let of = |lines: &str| {
        let bench = bench(&published);
        bench.write("published/t.csv", &(header.to_owned() + lines));
        bench.subcommand("plan", "r", &[]).output().unwrap()
    };
    let says = ["`Doe` is only published", "add lines with it as row or column to published/t.csv"];
    assert_says(&of("generated-parity,NB,test_accuracy,0.5,\n"), 2, &says);
    assert_says(&of("generated-parity,Doe,test_accuracy,0.5,\n"), 0, &["trials"]);
}

#[test]
fn messages_say_what_is_wrong_once() {
    let run = |spec: &str, files: &[(&str, &str)], arguments: &[&str]| {
        let bench = bench(spec);
        files.iter().for_each(|(name, text)| bench.write(name, text));
        bench.command("r", arguments).output().unwrap()
    };
    assert_says(&run(SPEC, &[], &["-j", "0"]), 2, &["expected a whole number from 1"]);
    let twice = SPEC.to_owned() + &SPEC[SPEC.find("[[table]]").unwrap()..];
    assert_says(
        &run(&twice, &[], &[]),
        2,
        &["there are two tables `coins`", "again", "ids are unique"],
    );
    let one = run(&edited("rows =", "published = \"x.csv\"\nrows ="), &[], &[]);
    assert_says(&one, 2, &["1 error", "the path of a `.csv` file in `published/`"]);
    // A misspelt id of one letter is no other one.
    let letter = run(&edited("parts =", "methods = [\"N\"]\nparts ="), &[], &[]);
    assert_says(&letter, 2, &["there is no method `N`", "there is `NB`, `GNB`, `majority`"]);
    // A number with decimals is shown with them.
    let real = run(&edited("seed = 1", "seed = 1.0"), &[], &[]);
    assert_says(&real, 2, &["`seed` can't be 1.0"]);
    // A value of the data is named once.
    let wrong = run(SPEC, &[("mine.csv", &ROWS.replace("4,5", "4,oops"))], &[]);
    assert_says(&wrong, 3, &["mine.csv, line 9, column `b`: `oops` is no number"]);
    assert_eq!(text(&wrong).matches("oops").count(), 1, "{}", text(&wrong));
}

#[test]
fn a_missing_local_file_is_not_the_networks() {
    let bench = Bench::with(SPEC, &[("datasets.toml", REGISTRY)]);
    for arguments in [&[][..], &["--offline"]] {
        let output = bench.command("r", arguments).output().unwrap();
        assert_says(
            &output,
            3,
            &[
                "mine.csv",
                "does not exist",
                "put it there, or name the folder that has it with --data-dir",
            ],
        );
        assert!(!text(&output).contains("network"), "{}", text(&output));
    }
}

#[test]
fn a_failed_fetch_says_why_before_it_lists() {
    let generated = "\"generated-m-of-n\", \"generated-parity\"";
    let spec = edited(generated, "\"mnist\", \"reuters-8\", \"webkb\"");
    let bench = bench(&spec);
    let mut command = bench.command("r", &[]);
    // Nobody listens there.
    command.env("https_proxy", "http://127.0.0.1:9");
    let said = text(&command.output().unwrap());
    let at =
        |phrase: &str| said.find(phrase).unwrap_or_else(|| panic!("{phrase:?} is not in:\n{said}"));
    assert!(at("tried http") < at("mnist train,"), "{said}");
    assert!(at("mnist train,") < at("more: `reprise data path`"), "{said}");
}

#[test]
fn the_reference_says_which_data_a_method_takes() {
    let reference =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/methods-classification.md");
    let reference = std::fs::read_to_string(reference).unwrap();
    assert!(
        reference.contains("It takes 0/1 variables, categorical attributes and numeric columns.")
    );
    let bench = bench(SPEC);
    let output = bench.reprise().args(["methods", "gaussian-nb"]).output().unwrap();
    assert_says(&output, 0, &["takes: 0/1 variables, categorical attributes and numeric columns"]);
}
