//! Rows that belong together, and rows that come one after another: from the columns of a file to the folds.

use reprise::harness::run::Options;

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::assert_error;

/// Twenty patients with three visits each, which are alike; whether a patient is ill is chance.
fn visits() -> String {
    let mut text = "patient,day,pulse,ill\n".to_owned();
    for visit in 0..60_u32 {
        let patient = visit * 7 % 20;
        let pulse = 10 * patient * patient * patient + visit / 20;
        let ill = if [0, 3, 4, 5, 9, 10, 11, 14, 16, 19].contains(&patient) { "yes" } else { "no" };
        text +=
            &format!("p{patient},2026-{:02}-{:02},{pulse},{ill}\n", 1 + visit / 28, 1 + visit % 28);
    }
    text
}

fn bench(table: &str, marks: &str, split: &str) -> Bench {
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"visits\"\ntitle = \"Visits\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"visits\"]\nsplit = {split}\n[[method]]\nid = \"1-NN\"\nkind = \"knn\"\nk = 1\n"
    );
    let bench = Bench::with(&spec, &[("visits.csv", table)]);
    let rest = format!(
        "shape = {{ variables = 1, rows = 60, classes = 2 }}\n\
         files = [{{ role = \"all\", format = \"csv\", target = \"ill\", {marks}, sources = [{{ path = \"visits.csv\" }}] }}]"
    );
    bench.write("datasets.toml", &registry::of(&[entry("visits", "numeric", &rest)]));
    bench
}

const MARKS: &str = "group = \"patient\", time = \"day\"";

fn accuracies(split: &str) -> Vec<f64> {
    let bench = bench(&visits(), MARKS, split);
    let all = rows(&bench.run("r").join("trials.csv"));
    all.iter().map(|row| row["test_accuracy"].parse().unwrap()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn a_split_by_groups_hides_what_the_neighbours_of_a_row_give_away() {
    let apart = accuracies("{ cv = { folds = 5, repeats = 4 } }");
    let grouped = accuracies("{ cv = { folds = 5, repeats = 4, grouped = true } }");
    assert_eq!((apart.len(), grouped.len()), (20, 20));
    assert!(mean(&apart) > 0.95, "{apart:?}");
    assert!(mean(&grouped) < 0.75, "{grouped:?}");
    let apart = accuracies("{ share = { test = 0.2, repeats = 20 } }");
    let grouped = accuracies("{ share = { test = 0.2, repeats = 20, grouped = true } }");
    assert_eq!((apart.len(), grouped.len()), (20, 20));
    assert!(mean(&apart) > 0.95, "{apart:?}");
    assert!(mean(&grouped) < 0.75, "{grouped:?}");
}

#[test]
fn folds_in_time_are_trained_on_what_came_before() {
    let bench = bench(&visits(), MARKS, "{ time = { folds = 5 } }");
    let mut all = rows(&bench.run("r").join("trials.csv"));
    all.sort_by_key(|row| row["fold"].clone());
    let column = |name: &str| all.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("train_examples"), ["10", "20", "30", "40", "50"]);
    assert_eq!(column("test_examples"), ["10"; 5]);
    assert_eq!(column("split"), ["time-5"; 5]);
    // After twenty rows every patient is known.
    assert!(column("test_accuracy")[1..].iter().all(|accuracy| accuracy == "1"));
}

#[test]
fn marks_that_are_not_there_are_refused() {
    let split = "{ cv = { folds = 5, grouped = true } }";
    let refused = |table: &str, marks: &str, split: &str, phrases: &[&str]| {
        assert_error(&bench(table, marks, split).refused("r", &Options::default()), phrases);
    };
    let visits = &visits();
    let none = "attributes = [\"pulse\"]";
    refused(visits, none, split, &["`visits` has no groups", "`group` of its file"]);
    refused(visits, none, "{ time = { folds = 2 } }", &["`visits` has no times"]);
    refused(visits, "group = \"person\"", split, &["there is no column `person`"]);
    refused(
        visits,
        "group = \"patient\", attributes = [\"patient\"]",
        split,
        &["the group `patient` is an attribute or the target too", "leave it out of `attributes`"],
    );
    let gone = visits.replacen("p7,", ",", 1);
    refused(&gone, MARKS, split, &["visits.csv", "column `patient`", "the group is missing"]);
    let gone = visits.replacen("2026-01-02", "", 1);
    refused(&gone, MARKS, split, &["line 3, column `day`", "the time is missing"]);
    let mixed = visits.replacen("2026-01-02", "2", 1);
    refused(&mixed, MARKS, split, &["`2` is of another kind than the first time"]);
    let wrong = visits.replacen("2026-01-02", "2.1.2026", 1);
    refused(&wrong, MARKS, split, &["`2.1.2026` is no time", "2026-11-23"]);
    refused(
        visits,
        MARKS,
        "{ cv = { folds = 5, grouped = true, stratified = true } }",
        &["stratified and grouped"],
    );
    refused(
        visits,
        MARKS,
        "{ cv = { folds = 21, grouped = true } }",
        &["21 folds of the 20 groups of dataset `visits`"],
    );
    refused(
        visits,
        MARKS,
        "{ share = { test = 0.98, repeats = 2, grouped = true } }",
        &[
            "a share of 0.98 of the 60 examples of dataset `visits` to test",
            "wherever a group goes",
        ],
    );
    refused(visits, MARKS, "{ share = { test = 1, repeats = 2 } }", &["`test` can't be 1"]);
}
