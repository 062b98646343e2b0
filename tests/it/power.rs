//! `reprise power`: what a test of a claim would have shown, from what is stored.

use serde_json::Value;

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::assert_says;

const SPEC: &str = r#"
schema = 1
[experiment]
id = "power"
title = "Two methods on six divisions"
seed = 3
[task]
kind = "classification"
datasets = ["flowers"]
metrics = ["test_accuracy"]
split = { share = { test = 0.5, repeats = 6 } }
[[method]]
id = "tree"
kind = "decision-tree"
[[method]]
id = "guess"
kind = "nearest-centroid"
[[test]]
id = "t"
kind = "corrected-resampled-t"
metric = "test_accuracy"
methods = ["tree", "guess"]
reference = "tree"
[[claim]]
id = "better"
text = "Trees are better by two points."
source = "a test"
check = { wins = { left = "tree", right = "guess", metric = "test_accuracy", at_least = "all", matters = 0.02, significant = { test = "t", alpha = 0.05 } } }
[[claim]]
id = "higher"
text = "Trees have more."
source = "a test"
check = { wins = { left = "tree", right = "guess", metric = "test_accuracy", at_least = "all" } }
"#;

/// Two classes that no straight line divides.
fn flowers() -> String {
    let row = |at: u32| {
        let (a, b) = (at * 37 % 101, at * 53 % 89);
        let kind = if (a * 3 + b * b / 7) % 50 < 23 { "rose" } else { "daisy" };
        format!("{a},{b},{kind}\n")
    };
    format!("a,b,kind\n{}", (0..240).map(row).collect::<String>())
}

/// The experiment on them.
fn on_flowers(spec: &str) -> Bench {
    let bench = Bench::with(spec, &[("flowers.csv", &flowers())]);
    let file = "shape = { variables = 2, rows = 240, classes = 2 }\n\
                files = [{ role = \"all\", format = \"csv\", target = \"kind\", sources = [{ path = \"flowers.csv\" }] }]";
    bench.write("datasets.toml", &registry::of(&[entry("flowers", "numeric", file)]));
    bench
}

#[test]
fn where_values_decide_there_is_no_power() {
    let (methods, _) = SPEC.split_once("[[test]]").unwrap();
    let (_, by_values) = SPEC.rsplit_once("[[claim]]").unwrap();
    let bench = on_flowers(&format!("{methods}[[claim]]{by_values}"));
    bench.run_with("results", &Default::default());
    let command = ["power", bench.spec().to_str().unwrap(), "--results", "results"];
    let said = bench.reprise().args(command).output().unwrap();
    assert_says(&said, 0, &["no claim is decided by a test"]);
}

#[test]
fn the_smallest_difference_is_that_of_the_stored_trials() {
    let bench = on_flowers(SPEC);
    let dir = bench.run_with("results", &Default::default());

    let accuracy = |method: &str| -> Vec<f64> {
        let mut of_method = rows(&dir.join("trials.csv"));
        of_method.retain(|row| row["method"] == method);
        of_method.sort_by_key(|row| row["repeat"].parse::<usize>().unwrap());
        of_method.iter().map(|row| row["test_accuracy"].parse().unwrap()).collect()
    };
    let differences: Vec<f64> =
        accuracy("tree").iter().zip(accuracy("guess")).map(|(tree, guess)| tree - guess).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let deviation =
        (differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    // scipy.stats, five degrees of freedom: t.ppf(.975), t.ppf(.8), chi2.ppf(.2). As many rows are tested as fitted.
    let (t, power, chi2) = (2.570_581_835_636_314, 0.919_543_780_236_355_9, 2.342_534_305_841_12);
    let most = deviation * (5.0_f64 / chi2).sqrt();
    // norm.ppf(.975), norm.ppf(.8): of very many repeats.
    let floor = (1.959_963_984_540_054 + 0.841_621_233_572_914_3) * most;
    let smallest = (t + power) * most * (1.0 / n + 1.0_f64).sqrt();

    let command = ["power", bench.spec().to_str().unwrap(), "--results", "results"];
    let said = bench.reprise().args(command).args(["--format", "json"]).output().unwrap();
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    let listed = said.as_array().unwrap();
    assert_eq!(listed.len(), 1, "the claim of values has no test: {said}");
    let near = |column: &str, value: f64| {
        let found = listed[0][column].as_f64().unwrap();
        assert!((found / value - 1.0).abs() < 0.01, "{column}: {found}, expected {value}");
    };
    assert_eq!(listed[0]["claim"], "better");
    near("n", n);
    near("sd", most);
    near("smallest", smallest + 0.02);
    near("floor", floor + 0.02);
    // A difference below the floor is shown by no number of repeats.
    let needed = if floor > 0.02 { "no number decides this" } else { "matters" };
    assert_says(&bench.reprise().args(command).output().unwrap(), 0, &["better", needed]);
    let journals = std::fs::read_dir(dir.join(".journal")).unwrap();
    assert!(journals.map(|entry| entry.unwrap().file_name()).all(|name| name == "lock"));
}

#[test]
fn what_is_not_stored_is_said() {
    let bench = Bench::with(SPEC, &[("flowers.csv", &flowers())]);
    let command = ["power", bench.spec().to_str().unwrap(), "--results", "results"];
    let said = bench.reprise().args(command).output().unwrap();
    assert_ne!(said.status.code(), Some(0));
    assert!(said.stdout.is_empty() && !said.stderr.is_empty());
}
