//! Grids that are selected inside of the training examples of each split.

use std::collections::BTreeMap;
use std::path::Path;

use reprise::base::digest::Digest;
use reprise::data::Dataset;
use reprise::data::inner;
use reprise::data::split::Division;
use reprise::harness::Session;
use reprise::harness::run::Options;
use reprise::run::plan::WithChoices;

use crate::support::audit::{Ask, all};
use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::assert_error;

const ROWS: usize = 40;

/// Cubes, of which no three are at equal distances.
fn x(row: usize) -> f64 {
    (row * row * row) as f64
}

/// Something that near rows do not quite share.
fn y(row: usize) -> f64 {
    (row * 7 % 13) as f64 + row as f64 / 2.0
}

fn bench(spec: &str, files: &[(&str, &str)]) -> Bench {
    let bench = Bench::with(spec, files);
    let rest = format!(
        "shape = {{ variables = 1, rows = {ROWS}, target = \"number\" }}\n\
         files = [{{ role = \"all\", format = \"csv\", target = \"y\", sources = [{{ path = \"line.csv\" }}] }}]"
    );
    bench.write("datasets.toml", &registry::of(&[entry("line", "numeric", &rest)]));
    let lines = (0..ROWS).map(|row| format!("{},{}\n", x(row), y(row)));
    bench.write("line.csv", &format!("x,y\n{}", lines.collect::<String>()));
    bench
}

fn experiment(task: &str, methods: &str) -> String {
    format!(
        "schema = 1\n[experiment]\nid = \"inner\"\ntitle = \"Inner\"\nseed = 5\n[task]\nkind = \"regression\"\n\
         datasets = [\"line\"]\n{task}\n{methods}\n"
    )
}

const CV: &str = "split = { cv = { folds = 4, repeats = 2 } }";
const KNN: &str = "[[method]]\nid = \"k-NN\"\nkind = \"knn-regression\"\ngrid = { k = [1, 2, 5] }\nselect = \"valid_rmse\"\n\
                   [[method]]\nid = \"mean\"\nkind = \"mean\"";

fn square(x: f64) -> f64 {
    x * x
}

/// The error of the mean of the k nearest training targets, on some rows.
fn rmse(k: usize, train: &[usize], rows: &[usize]) -> f64 {
    let squared = rows.iter().map(|&row| {
        let mut nearest = train.to_vec();
        nearest.sort_by(|&a, &b| (x(a) - x(row)).abs().total_cmp(&(x(b) - x(row)).abs()));
        let mean = nearest[..k].iter().map(|&near| y(near)).sum::<f64>() / k as f64;
        square(mean - y(row))
    });
    (squared.sum::<f64>() / rows.len() as f64).sqrt()
}

type Place = (String, String, String);

/// What each trial of the grid must have, by repeat, fold and k, of its division and the seed inside of it.
fn expected<T>(
    session: &Session,
    value: impl Fn(&Dataset, &Division, Digest, usize) -> T,
) -> BTreeMap<Place, T> {
    let plan = session.plan(&session.datasets().unwrap(), WithChoices::No).unwrap();
    let dataset = session.library.load("line").unwrap();
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let mut expected = BTreeMap::new();
    for path in plan.paths.iter().filter(|path| path.inner.is_some()) {
        for trial in path.trials.iter().map(|&trial| &plan.trials[trial]) {
            let split = &session.experiment.parts[path.part].split;
            let seed = path.division_seed;
            let division = split.divide(&dataset, &all, seed, trial.fold).unwrap();
            let k = trial.grid[0].1.to_string();
            let value =
                value(&dataset, &division, inner::seed(seed, trial.fold), k.parse().unwrap());
            expected.insert((trial.repeat.to_string(), trial.fold.to_string(), k), value);
        }
    }
    expected
}

/// Compares what was sealed of the grid with validation and test errors that were computed here; only selected
/// points have the second.
fn assert_sealed(dir: &Path, expected: &BTreeMap<Place, (f64, f64)>) {
    let all = rows(&dir.join("trials.csv"));
    let grid: Vec<_> = all.iter().filter(|row| row["method"] == "k-NN").collect();
    assert_eq!(grid.len(), expected.len());
    let place = |row: &BTreeMap<String, String>, k: &str| {
        (row["repeat"].clone(), row["fold"].clone(), k.to_owned())
    };
    for row in grid {
        let (valid, test) = expected[&place(row, &row["k"])];
        let near = |column: &str, value: f64| {
            let sealed: f64 = row[column].parse().unwrap();
            assert!((sealed - value).abs() < 1e-12, "{column} of {row:?}: {value}");
        };
        near("valid_rmse", valid);
        let best = ["1", "2", "5"].map(|k| expected[&place(row, k)].0);
        let best = best.into_iter().fold(f64::INFINITY, f64::min);
        assert_eq!(row["selected"], (valid == best).to_string());
        match row["selected"].as_str() {
            "true" => near("rmse", test),
            _ => assert_eq!(row["rmse"], ""),
        }
    }
    let others: Vec<_> = all.iter().filter(|row| row["method"] == "mean").collect();
    assert!(others.iter().all(|row| row["valid_rmse"].is_empty() && !row["rmse"].is_empty()));
}

#[test]
fn inner_folds_select_and_all_training_examples_are_fitted_again() {
    let task = format!("{CV}\ninner = {{ cv = 3 }}");
    let bench = bench(&experiment(&task, KNN), &[]);
    let dir = bench.run_with("r", &Options { jobs: 2, ..Options::default() });
    let session = bench.session("r");
    let inner = session.experiment.parts[0].inner.unwrap();
    let expected = expected(&session, |dataset, division, seed, k| {
        let errors = (0..3).map(|round| {
            let inside = inner.round(dataset, division, seed, round).unwrap();
            rmse(k, &inside.train, &inside.valid)
        });
        (errors.sum::<f64>() / 3.0, rmse(k, &division.train, &division.test))
    });
    assert_eq!(expected.len(), 4 * 2 * 3);
    assert_sealed(&dir, &expected);
    let alone = bench.run_with("alone", &Options { jobs: 1, ..Options::default() });
    let bytes = |dir: &Path| std::fs::read(dir.join("trials.csv")).unwrap();
    assert_eq!(bytes(&dir), bytes(&alone));
    let registry = Some(bench.folder().join("datasets.toml"));
    bench.audit(&dir, &Ask { registry, ..all() }).assert_same(32, 32);
}

#[test]
fn a_sample_of_a_grid_is_the_same_everywhere_and_hangs_on_the_seed() {
    let tried = |sample: &str, seed: &str| {
        let methods = KNN.replace("select =", &format!("{sample}\nselect ="));
        let spec = experiment(&format!("{CV}\ninner = {{ cv = 3 }}"), &methods);
        let bench = bench(&spec.replace("seed = 5", seed), &[]);
        let mut tried: BTreeMap<(String, String), Vec<u32>> = BTreeMap::new();
        for row in rows(&bench.run_with("r", &Options::default()).join("trials.csv")) {
            if let Ok(k) = row["k"].parse() {
                tried.entry((row["repeat"].clone(), row["fold"].clone())).or_default().push(k);
            }
        }
        let mut of_folds: Vec<Vec<u32>> = tried.into_values().collect();
        of_folds.iter_mut().for_each(|tried| tried.sort_unstable());
        assert_eq!(of_folds.len(), 8);
        of_folds.dedup();
        assert_eq!(of_folds.len(), 1, "{of_folds:?}");
        of_folds.remove(0)
    };
    let all = tried("", "seed = 5");
    let seeds = ["seed = 5", "seed = 6", "seed = 7", "seed = 8"];
    let mut samples = seeds.map(|seed| tried("grid_sample = 2", seed)).to_vec();
    assert!(samples.iter().flatten().all(|k| all.contains(k)));
    assert!(samples.iter().all(|sample| sample.len() == 2 && sample[0] < sample[1]));
    samples.dedup();
    assert!(samples.len() > 1, "{samples:?}");
    assert_eq!(tried("grid_sample = 9", "seed = 5"), all);
}

#[test]
fn a_share_selects_with_and_without_a_refit() {
    for (task, refit) in [("", true), (", refit = false", false)] {
        let task = format!("{CV}\ninner = {{ share = 0.2{task} }}");
        let bench = bench(&experiment(&task, KNN), &[]);
        let dir = bench.run("r");
        let session = bench.session("r");
        let inner = session.experiment.parts[0].inner.unwrap();
        let expected = expected(&session, |dataset, division, seed, k| {
            let inside = inner.round(dataset, division, seed, 0).unwrap();
            assert_eq!((inside.train.len(), inside.valid.len()), (24, 6));
            let fitted = if refit { &division.train } else { &inside.train };
            (rmse(k, &inside.train, &inside.valid), rmse(k, fitted, &division.test))
        });
        assert_sealed(&dir, &expected);
        // What was fitted is what a corrected t counts.
        let fitted = if refit { "30" } else { "24" };
        let rows = rows(&dir.join("trials.csv"));
        let mut rows =
            rows.iter().filter(|row| row["method"] == "k-NN" && row["selected"] == "true");
        assert!(
            rows.all(|row| (&*row["train_examples"], &*row["test_examples"]) == (fitted, "10"))
        );
    }
}

#[test]
fn optimism_is_what_a_selection_by_test_examples_would_have_gained() {
    let table = "[[table]]\nid = \"t\"\nrows = \"dataset\"\ncolumns = \"method\"\nmethods = [\"k-NN\"]\nmetric = \"optimism\"\n";
    let without = format!("{CV}\ninner = {{ cv = 3 }}");
    let with = format!("{without}\noptimism = true");
    let bench = bench(&experiment(&with, &format!("{KNN}\n{table}")), &[]);
    let dir = bench.run("r");
    let all = rows(&dir.join("trials.csv"));
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let mut seen = 0;
    for selected in all.iter().filter(|row| row["selected"] == "true" && row["method"] == "k-NN") {
        let grid = all.iter().filter(|row| {
            row["method"] == "k-NN"
                && ["repeat", "fold"].iter().all(|key| row[*key] == selected[*key])
        });
        let errors: Vec<f64> = grid.map(|row| number(row, "rmse")).collect();
        let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(
            (errors.len(), number(selected, "optimism")),
            (3, number(selected, "rmse") - best)
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
    let others = all.iter().filter(|row| row["selected"] == "false" || row["method"] == "mean");
    others.for_each(|row| assert_eq!(row["optimism"], ""));
    // What was measured for it is no part of results without it.
    std::fs::write(bench.spec(), experiment(&without, KNN)).unwrap();
    let dir = bench.run_with("r", &crate::support::experiment::replace());
    let kept = rows(&dir.join("trials.csv"));
    assert!(kept.iter().all(|row| !row.contains_key("optimism")));
    assert!(kept.iter().all(|row| (row["rmse"].is_empty()) == (row["selected"] == "false")));
}

/// The mean of the training targets and of the parameter, for every row; it says how many rows it was trained on.
const PROGRAM: &str = r#"#!/bin/sh
echo '{"ready": 1}' >&3
while read -r request; do
    field() { printf '%s' "$request" | sed "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/"; }
    data=$(field data) out=$(field out)
    shift=$(printf '%s' "$request" | sed 's/.*"shift": *\([0-9]*\).*/\1/')
    mean=$(sed 1d "$data/train.y.csv" | awk -v shift="$shift" '{ sum += $1 } END { printf "%.17g", shift + sum / NR }')
    for batch in $(printf '%s' "$request" | sed 's/.*"answer": *\[\([^]]*\)\].*/\1/' | tr '",' '  '); do
        { echo token,answer; sed 1d "$data/$batch.token.csv" | sed "s/\$/,$mean/"; } >"$out/$batch.partial"
        mv "$out/$batch.partial" "$out/$batch.csv"
    done
    echo "{\"trial\": \"$(field trial)\", \"done\": true}" >&3
done
"#;

#[test]
fn grids_of_programs_are_selected_by_inner_folds_too() {
    let method = "[[method]]\nid = \"shifted\"\nkind = \"command\"\ncommand = [\"sh\", \"own.sh\"]\n\
                  code = [\"own.sh\"]\ndata = \"csv\"\ngives = \"values\"\n\
                  parameters = { shift = { type = \"integer\", from = 0, default = 0 } }\n\
                  grid = { shift = [9, 0, 4] }\nselect = \"valid_rmse\"\n";
    let task = format!("{CV}\ninner = {{ cv = 3 }}");
    let bench = bench(&experiment(&task, method), &[("own.sh", PROGRAM)]);
    let dir = bench.run_with("r", &Options { jobs: 2, ..Options::default() });
    let session = bench.session("r");
    let inner = session.experiment.parts[0].inner.unwrap();
    let expected = expected(&session, |dataset, division, seed, shift| {
        let error = |train: &[usize], rows: &[usize]| {
            let mean = train.iter().map(|&row| y(row)).sum::<f64>() / train.len() as f64;
            let squared = rows.iter().map(|&row| square(mean + shift as f64 - y(row)));
            (squared.sum::<f64>() / rows.len() as f64).sqrt()
        };
        let rounds = (0..3).map(|round| inner.round(dataset, division, seed, round).unwrap());
        rounds.map(|inside| error(&inside.train, &inside.valid)).sum::<f64>() / 3.0
    });
    let all = rows(&dir.join("trials.csv"));
    assert_eq!(all.len(), 24);
    for row in &all {
        let place = (row["repeat"].clone(), row["fold"].clone(), row["shift"].clone());
        let sealed: f64 = row["valid_rmse"].parse().unwrap();
        assert!((sealed - expected[&place]).abs() < 1e-9, "{row:?}");
        assert_eq!(row["selected"], (row["shift"] == "0").to_string());
    }
}

#[test]
fn what_can_never_select_is_refused() {
    let refused = |task: &str, methods: &str, phrases: &[&str]| {
        let spec = experiment(&format!("{CV}\n{task}"), methods);
        assert_error(&bench(&spec, &[]).refused("r", &Options::default()), phrases);
    };
    refused(
        "inner = { cv = 3, refit = false }",
        KNN,
        &["folds without a refit", "none of the fits on the folds is that of the table"],
    );
    refused("inner = { cv = 3, share = 0.2 }", KNN, &["folds and a share"]);
    refused("inner = {}", KNN, &["nothing says which training examples validate"]);
    refused("", KNN, &["nothing can select a point", "inner = { cv = 5 }"]);
    refused(
        "inner = { cv = 3 }",
        "[[method]]\nid = \"mean\"\nkind = \"mean\"",
        &["there is no grid that validation examples would select from"],
    );
    refused(
        "inner = { cv = 31 }",
        KNN,
        &["dataset `line` has a split of 30 training examples, too few for inner=cv-31"],
    );
    refused("inner = { cv = 3, stratified = true }", KNN, &["`line`", "has no classes"]);
}
