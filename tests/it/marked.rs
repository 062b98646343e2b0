//! Rows that belong together, and rows that come one after another: from the columns of a file to the folds.

use reprise::harness::run::{Ended, Options};

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::{self, assert_error};

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
fn a_gap_and_a_window_leave_earlier_rows_out() {
    let bench = bench(&visits(), MARKS, "{ time = { folds = 5, gap = 3, window = 12 } }");
    let mut all = rows(&bench.run("r").join("trials.csv"));
    all.sort_by_key(|row| row["fold"].clone());
    let column = |name: &str| all.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("train_examples"), ["7", "12", "12", "12", "12"]);
    assert_eq!(column("split"), ["time-5-gap-3-window-12"; 5]);
}

/// Four patients in four folds are divided in one way, whatever the order.
#[test]
fn repeats_that_coincide_do_not_run_and_the_plan_says_so() {
    let table = visits().lines().enumerate().fold(String::new(), |text, (row, line)| {
        let (_, rest) = line.split_once(',').unwrap();
        let patient = if row == 0 { "patient".to_owned() } else { format!("p{}", row * row % 7) };
        format!("{text}{patient},{rest}\n")
    });
    let split = "{ cv = { folds = 4, repeats = 10, grouped = true, stratified = true } }";
    let bench = bench(&table, MARKS, split);
    let found = bench.run("r");
    let all = rows(&found.join("trials.csv"));
    assert_eq!(all.len(), 4);
    let said = "1 of 10 repeats run, for the others divide as one of these does";
    let planned = terminal::text(&bench.subcommand("plan", "r", &[]).output().unwrap());
    assert!(planned.contains(&format!("visits: {said}.")), "{planned}");
}

#[test]
fn the_plan_says_which_share_of_rows_groups_are_and_which_classes_are_rare() {
    let split = "{ share = { test = 0.2, repeats = 30, grouped = true } }";
    let table = visits();
    // One patient more, with a hundred visits, and an illness that three rows have.
    let many = (0..97).map(|_| "p99,2026-05-01,1,yes\n").collect::<String>();
    let rare = (0..3).map(|_| "p99,2026-05-01,1,maybe\n").collect::<String>();
    let table = format!("{table}{many}{rare}");
    let planned = |split: &str| {
        let bench = bench(&table, MARKS, split);
        let registry = std::fs::read_to_string(bench.folder().join("datasets.toml")).unwrap();
        bench.write(
            "datasets.toml",
            &registry.replace("rows = 60, classes = 2", "rows = 160, classes = 3"),
        );
        terminal::text(&bench.subcommand("plan", "r", &[]).output().unwrap())
    };
    // Five of twenty-one patients: 15 of 160 rows, or 112.
    let said = planned(split);
    assert!(said.contains("visits: 0.0938 to 0.7 of the examples are tested, 0."), "{said}");
    let said = planned("{ cv = { folds = 5, stratified = true } }");
    assert!(
        said.contains(
            "visits: too few examples of class `maybe` for each fold of cv-5-stratified: 3."
        ),
        "{said}"
    );
    let said = planned("{ cv = { folds = 5, stratified = true, grouped = true } }");
    assert!(
        said.contains(
            "too few groups of class `maybe` for each fold of cv-5-stratified-by-group: 1."
        ),
        "{said}"
    );
}

/// Two ids of one file share their trials, and each has its row and its cell.
#[test]
fn two_ids_of_equal_content_are_both_named() {
    let bench = bench(&visits(), MARKS, "{ cv = { folds = 5 } }");
    let spec = std::fs::read_to_string(bench.spec()).unwrap();
    let table = "[[table]]\nid = \"t\"\nrows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_accuracy\"\n";
    std::fs::write(bench.spec(), spec.replace("[\"visits\"]", "[\"visits\", \"again\"]") + table)
        .unwrap();
    let registry = std::fs::read_to_string(bench.folder().join("datasets.toml")).unwrap();
    let other = registry.replacen("schema = 1\n[dataset.visits]", "[dataset.again]", 1);
    assert_ne!(other, registry);
    bench.write("datasets.toml", &(registry + &other));
    let dir = bench.run("r");
    let all = rows(&dir.join("trials.csv"));
    let keys = |id: &str| -> Vec<String> {
        all.iter().filter(|row| row["dataset"] == id).map(|row| row["key"].clone()).collect()
    };
    assert_eq!((all.len(), keys("visits").len()), (10, 5));
    assert_eq!(keys("visits"), keys("again"));
    let cells = rows(&dir.join("tables/t.csv"));
    assert_eq!(cells[0]["value"], cells[1]["value"]);
    // What is stored serves both.
    let again = bench.ended("r", &Options::default());
    assert!(matches!(again, Ok(Ended::AlreadySealed(_))), "{again:?}");
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
        "{ cv = { folds = 21, grouped = true } }",
        &["dataset `visits` has 20 groups, but the split has 21 folds"],
    );
    refused(
        visits,
        MARKS,
        "{ share = { test = 0.98, repeats = 2, grouped = true } }",
        &[
            "dataset `visits` has 20 groups, but the split tests on a share of 0.98",
            "both need some of the groups",
        ],
    );
    refused(visits, MARKS, "{ share = { test = 1, repeats = 2 } }", &["`test` can't be 1"]);
}
