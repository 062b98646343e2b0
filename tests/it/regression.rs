//! Regression from the experiment file to sealed results: native methods, programs, and what is refused.

use std::path::Path;

use reprise::harness::run::Options;

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::assert_error;

/// Sixty rows with a name, a number that may be missing, and a target.
fn table() -> String {
    let mut text = "size,colour,price\n".to_owned();
    for row in 0..60_u32 {
        let size = if row % 11 == 5 { "?".to_owned() } else { (row * 7 % 60).to_string() };
        let colour = ["red", "blue", "green"][(row * 5 % 3) as usize];
        let price = f64::from(row * 7 % 60) * 2.5 + f64::from(row * 5 % 3) * 10.0;
        text += &format!("{size},{colour},{price}\n");
    }
    text
}

const FILES: &str = "files = [{ role = \"all\", format = \"csv\", target = \"price\", categories = [\"colour\"], \
                     sources = [{ path = \"cars.csv\" }] }]";

fn bench(spec: &str, files: &[(&str, &str)]) -> Bench {
    let bench = Bench::with(spec, files);
    let rest = format!(
        "missing = \"median\"\nstandardised = true\nshape = {{ variables = 2, rows = 60, target = \"number\" }}\n{FILES}"
    );
    bench.write("datasets.toml", &registry::of(&[entry("cars", "numeric", &rest)]));
    bench.write("cars.csv", &table());
    bench
}

fn experiment(task: &str, datasets: &str, methods: &str) -> String {
    format!(
        r#"schema = 1
[experiment]
id = "regression"
title = "Regression"
seed = 3
[task]
kind = "{task}"
datasets = {datasets}
split = {{ cv = {{ folds = 5 }} }}
{methods}
"#
    )
}

const NATIVE: &str = r#"[[method]]
id = "mean"
kind = "mean"
[[method]]
id = "ridge"
kind = "ridge"
[[method]]
id = "tree"
kind = "regression-tree"
[[method]]
id = "3-NN"
kind = "knn-regression"
k = 3
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "rmse"
best = "min"
"#;

fn column(dir: &Path, method: &str, column: &str) -> Vec<f64> {
    let mut of_method = rows(&dir.join("trials.csv"));
    of_method.retain(|row| row["method"] == method);
    of_method.sort_by_key(|row| row["fold"].parse::<u32>().unwrap());
    of_method.iter().map(|row| row[column].parse().unwrap()).collect()
}

#[test]
fn regressions_are_compared_by_their_errors() {
    let bench = bench(&experiment("regression", "[\"cars\"]", NATIVE), &[]);
    let dir = bench.run("r");
    let mean = |method: &str, metric: &str| {
        let values = column(&dir, method, metric);
        assert_eq!(values.len(), 5, "{method} {metric}");
        values.iter().sum::<f64>() / 5.0
    };
    // The target is linear but for the sizes that are missing.
    assert!(mean("ridge", "rmse") < 0.6 * mean("mean", "rmse"));
    assert!(mean("mean", "r2") < 0.0 && mean("ridge", "r2") > 0.6);
    for method in ["mean", "ridge", "tree", "3-NN"] {
        assert!(mean(method, "mae") <= mean(method, "rmse"), "{method}");
    }
    // Size, and one column a colour.
    assert_eq!(column(&dir, "ridge", "variables"), [4.0; 5]);
}

#[test]
fn tasks_and_targets_that_do_not_go_together_are_refused() {
    let options = Options::default();
    let wrong = bench(&experiment("regression", "[\"cars\", \"conjunction-8\"]", NATIVE), &[]);
    assert_error(
        &wrong.refused("r", &options),
        &["dataset `conjunction-8` has classes, but the task is regression", "target = \"number\""],
    );
    let none = bench(&experiment("regression", "[\"parity\", \"generated-blocks\"]", NATIVE), &[]);
    assert_error(&none.refused("r", &options), &["but the task is regression"]);
    let methods = "[[method]]\nid = \"majority\"\nkind = \"majority\"\n";
    let classes = bench(&experiment("classification", "[\"cars\"]", methods), &[]);
    assert_error(
        &classes.refused("r", &options),
        &["dataset `cars` has no classes, but the task is classification"],
    );
    let stratified = experiment("regression", "[\"cars\"]", NATIVE)
        .replace("folds = 5", "folds = 5, stratified = true");
    assert_error(&bench(&stratified, &[]).refused("r", &options), &["cars", "classes"]);
}

/// The mean of the training targets, for every row.
const PROGRAM: &str = r#"#!/bin/sh
echo '{"ready": 1}' >&3
while read -r request; do
    field() { printf '%s' "$request" | sed "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/"; }
    data=$(field data) out=$(field out)
    grep -q '"task": "regression"' "$data/task.json" || exit 4
    [ "$(head -n 1 "$data/test.x.csv")" = "size,colour=red,colour=blue,colour=green" ] || exit 5
    mean=$(sed 1d "$data/train.y.csv" | awk '{ sum += $1 } END { printf "%.17g", sum / NR }')
    for batch in $(printf '%s' "$request" | sed 's/.*"answer": *\[\([^]]*\)\].*/\1/' | tr '",' '  '); do
        { echo token,answer; sed 1d "$data/$batch.token.csv" | ANSWER; } >"$out/$batch.partial"
        mv "$out/$batch.partial" "$out/$batch.csv"
    done
    echo "{\"trial\": \"$(field trial)\", \"done\": true}" >&3
done
"#;

fn program(id: &str, further: &str) -> String {
    format!(
        "[[method]]\nid = \"{id}\"\nkind = \"command\"\ncommand = [\"sh\", \"{id}.sh\"]\ncode = [\"{id}.sh\"]\n\
         data = \"csv\"\ngives = \"values\"\n{further}\n"
    )
}

#[test]
fn a_program_predicts_numbers() {
    let options = Options { jobs: 2, ..Options::default() };
    let methods = format!(
        "{}{}{}{NATIVE}",
        program("own", ""),
        program("nothing", "may_fail = true"),
        program("order", "may_fail = true")
    );
    let mean = PROGRAM.replace("ANSWER", "sed \"s/\\$/,$mean/\"");
    let nothing = PROGRAM.replace("ANSWER", "sed 's/$/,nan/'");
    let order = PROGRAM.replace("ANSWER", "awk '{ print $0 \",\" NR }'");
    let files = [("own.sh", &*mean), ("nothing.sh", &nothing), ("order.sh", &order)];
    let bench = bench(&experiment("regression", "[\"cars\"]", &methods), &files);
    let dir = bench.run_with("r", &options);
    for metric in ["rmse", "mae", "r2"] {
        let (own, native) = (column(&dir, "own", metric), column(&dir, "mean", metric));
        for (own, native) in own.iter().zip(native) {
            assert!((own - native).abs() < 1e-9, "{metric}: {own} and {native}");
        }
    }
    let all = rows(&dir.join("trials.csv"));
    for (method, why) in [("nothing", "it must be a finite number"), ("order", "must not depend")] {
        let failed: Vec<_> = all.iter().filter(|row| row["method"] == method).collect();
        assert_eq!(failed.len(), 5);
        for row in failed {
            assert_eq!(row["status"], "failed");
            assert!(row["message"].contains(why), "{}", row["message"]);
        }
    }
}

#[test]
fn a_program_of_another_task_is_refused() {
    let methods = program("own", "").replace("values", "labels");
    let bench = bench(&experiment("regression", "[\"cars\"]", &methods), &[("own.sh", PROGRAM)]);
    assert_error(&bench.open("r").unwrap_err(), &["regression"]);
}
