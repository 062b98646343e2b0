//! The boundary task from the experiment file to the figure: what a repeat draws, what a folder keeps of it,
//! and what is said where a dataset has no plane.

use std::path::Path;

use reprise::harness::run::Options;

use crate::support::audit::all;
use crate::support::experiment::Bench;
use crate::support::results::{self, digest, outputs};
use crate::support::terminal::{assert_error, assert_says};

const SPEC: &str = r#"schema = 1

[experiment]
id = "boundary"
title = "Boundaries"
seed = 3

[task]
kind = "boundary"
datasets = ["tep-figure2"]
split = "published"
change = "outliers"
repeats = 3

[[method]]
id = "ADF"
kind = "bpm-adf"
bias = true

[[method]]
id = "EP"
kind = "bpm-ep"
bias = true

[[table]]
id = "table"
rows = "method"
columns = "metric"
metrics = ["displacement", "error_rise"]
sd = "repeat"

[[figure]]
id = "figure"
kind = "boundary"
y = "displacement"
"#;

/// These columns of the trials, sorted.
fn trials<const N: usize>(dir: &Path, columns: [&str; N]) -> Vec<[String; N]> {
    let rows = results::rows(&dir.join("trials.csv"));
    let mut rows: Vec<_> = rows.iter().map(|row| columns.map(|name| row[name].clone())).collect();
    rows.sort();
    rows
}

const COLUMNS: [&str; 4] = ["method", "repeat", "displacement", "setting"];

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn every_repeat_is_a_draw_and_the_first_one_is_drawn() {
    let bench = Bench::new(SPEC);
    let jobs = |jobs| Options { jobs, ..Options::default() };
    let dir = bench.run_with("one", &jobs(1));
    let rows = trials(&dir, COLUMNS);
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row[3] == "change=outliers"));
    assert_ne!(rows[0][2], rows[1][2], "another repeat, another displacement");
    let files = outputs(&dir);
    let text = |path: &str| String::from_utf8(files[path].clone()).unwrap();
    // One picture a method: the window, three groups of points, two curves of a line or more.
    let pictures = text("pictures.csv");
    for (what, count) in [("window", 2), ("points", 4), ("outliers", 2)] {
        let found = pictures.lines().filter(|line| line.contains(&format!(",{what},"))).count();
        assert_eq!(found, count, "{what}");
    }
    assert!(pictures.contains(",curve,without outliers,"));
    assert!(text("figures/figure.svg").contains("with outliers"));
    assert!(text("report.md").contains("figures/figure.svg"));
    // Any number of threads gives the same bytes, and so does a report from what is stored.
    assert_eq!(digest(&bench.run_with("two", &jobs(3))), digest(&dir));
    bench.report("one").unwrap();
    let changed = |(path, bytes): &(&String, &Vec<u8>)| files.get(*path) != Some(*bytes);
    let again = outputs(&dir);
    let changed: Vec<&String> = again.iter().filter(changed).map(|(path, _)| path).collect();
    assert!(changed.is_empty() && again.len() == files.len(), "{changed:?}");
    bench.audit(&dir, &all()).assert_same(6, 6);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_picture_that_is_not_stored_is_taken_when_a_figure_wants_it() {
    let (spec, figure) = SPEC.split_at(SPEC.find("[[figure]]").unwrap());
    let bench = Bench::new(spec);
    let dir = bench.run("one");
    assert!(!dir.join("pictures.csv").exists());
    let with = Bench::beside(&bench, &format!("{spec}{figure}"));
    let again = with.run("one");
    assert_eq!(dir, again);
    assert!(again.join("figures/figure.svg").exists());
    let fresh = Bench::new(SPEC);
    assert_eq!(digest(&again), digest(&fresh.run("one")));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn orders_are_those_of_one_dataset() {
    let spec = SPEC
        .replace("change = \"outliers\"", "change = \"order\"\norders = 3")
        .replace("\"error_rise\"", "\"error_range\"");
    let bench = Bench::new(&spec);
    let dir = bench.run("one");
    let rows = trials(&dir, COLUMNS);
    assert!(rows.iter().all(|row| row[3] == "change=order orders=3"));
    let moved = |row: &[String; 4]| row[2].parse::<f64>().unwrap();
    let (adf, ep): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[0] == "ADF");
    assert!(ep.iter().all(|row| moved(row) < 1e-3), "{rows:?}");
    assert!(adf.iter().all(|row| moved(row) > 1e-2), "{rows:?}");
    assert!(outputs(&dir).contains_key("figures/figure.svg"));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn what_has_no_plane_or_no_outliers_is_refused_before_anything_runs() {
    let refused = |spec: &str, why: &str| {
        let bench = Bench::new(spec);
        assert_error(&bench.refused("none", &Options::default()), &[why]);
    };
    refused(
        &SPEC.replace("tep-figure2", "tep-figure1"),
        "dataset `tep-figure1` has no outliers, but the task adds them",
    );
    refused(
        &SPEC.replace("tep-figure2", "generated-parity"),
        "dataset `generated-parity` has no numeric columns, or bins them",
    );
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn label_noise_is_another_trial_on_the_same_division() {
    let spec = r#"schema = 1
[experiment]
id = "noise"
title = "Noise"
seed = 1

[task]
kind = "classification"
datasets = ["tep-figure1"]
split = "published"
methods = ["EP"]
metrics = ["test_error", "train_error"]

[[part]]
id = "clean"

[[part]]
id = "noisy"
label_noise = 0.1
repeats = 2

[[method]]
id = "EP"
kind = "bpm-ep"
posterior = "gaussian"
eps = 0.1
"#;
    let bench = Bench::new(spec);
    let dir = bench.run("one");
    let columns = ["part", "repeat", "seed", "train_error", "setting", "log_evidence"];
    let rows = trials(&dir, columns);
    let [clean, noisy, other] = &rows[..] else { panic!("three trials: {rows:?}") };
    assert_eq!((&clean[2], &*clean[4], &*noisy[4]), (&noisy[2], "", "label_noise=0.1"));
    let error = |row: &[String; 6]| row[3].parse::<f64>().unwrap();
    // The components hardly overlap: nearly all flipped labels, and no others, are training errors.
    assert!((error(noisy) - error(clean) - 0.1).abs() < 0.01, "{rows:?}");
    assert_ne!(noisy[5], other[5], "every repeat flips others");
    let plan = bench.subcommand("plan", "one", &[]).output().unwrap();
    assert_says(&plan, 0, &[]);
    let less = Bench::beside(&bench, &spec.replace("label_noise = 0.1", "label_noise = 0.2"));
    let plan = less.subcommand("plan", "one", &[]).output().unwrap();
    assert_says(&plan, 0, &["setting was label_noise=0.1, is label_noise=0.2"]);
}
