//! What is sealed is a function of the experiment file, the data and the code: a file that was edited between
//! two runs into one folder gives what it gives in an empty one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reprise::harness::run::Options;

use crate::support::experiment::{Bench, choices};
use crate::support::property::few;
use crate::support::registry;
use crate::support::results::{complete, outputs};
use crate::support::spec::choice;

fn registry() -> String {
    let plane = r#"generator = { kind = "normal-mixture", seed = 1, train = 8, test = 10, variance = 1, components = [
  { class = "negative", weight = 0.5, mean = [-1.5, -1.5] },
  { class = "positive", weight = 0.5, mean = [1.5, 1.5] },
] }"#;
    let votes = r#"shape = { variables = 2, rows = 8, classes = 2 }
files = [{ role = "all", format = "attribute-csv", class = "last", sources = [{ path = "votes.csv" }] }]"#;
    registry::of(&[
        registry::tree(),
        registry::coins(6, "uniform", 30, 20),
        registry::entry("plane", "numeric", plane),
        registry::entry("votes", "categorical", votes),
    ])
}

const VOTES: &str = "y,n,a\ny,y,a\nn,n,b\nn,y,b\ny,n,a\nn,y,a\nn,n,b\ny,n,b\n";

/// Tables, tests and figures of the density task that an edit adds or drops.
const OF_DENSITY: [&str; 4] = [
    "[[test]]\nid = \"t\"\nkind = \"paired-t\"\nmetric = \"test_ll\"\npair_by = \"example\"\n",
    "[[test]]\nid = \"auto\"\nkind = \"wilcoxon-signed-rank\"\nmetric = \"test_ll\"\npair_by = \"auto\"\n",
    "[[figure]]\nid = \"grid\"\nkind = \"line\"\nx = \"grid:smoothing\"\ny = \"test_ll\"\n\
     series = \"method\"\nmethods = [\"CL\"]\n",
    "[[table]]\nid = \"ll\"\nrows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_ll\"\ndigits = 3\n",
];

/// A density task: a grid whose points are one path, one whose points are a path each, and their selection.
fn density() -> impl Strategy<Value = String> {
    let smoothing =
        prop_oneof![Just("0.01, 1.0"), Just("1.0, 0.01"), Just("0.01, 1.0, 30.0"), Just("1.0")];
    let select = prop_oneof![Just("valid_ll"), Just("train_ll")];
    let blocks = proptest::sample::subsequence(OF_DENSITY.to_vec(), 0..=OF_DENSITY.len());
    let file = |(repeats, smoothing, select, chosen, blocks): (_, _, _, bool, Vec<&str>)| {
        format!(
            r#"schema = 1
[experiment]
id = "edits"
title = "Edits"
seed = 1
[task]
kind = "density"
datasets = ["tree"]
split = "published"
repeats = {repeats}
[[method]]
id = "CL"
kind = "chow-liu"
grid = {{ smoothing = [{smoothing}] }}
select = "{select}"
[[method]]
id = "Independent"
kind = "independent"
[[method]]
id = "Tuned"
kind = "independent"
grid = {{ smoothing = [{smoothing}] }}
select = "{select}"
{}{}"#,
            if chosen {
                choice("Independent", "smoothing", &["2.0", "0.1"])
            } else {
                String::new()
            },
            blocks.concat()
        )
    };
    (1..=2, smoothing, select, any::<bool>(), blocks).prop_map(file)
}

/// Tables, tests and figures of tasks with classes that an edit adds or drops.
const OF_CLASSES: [&str; 3] = [
    "[[test]]\nid = \"mcnemar\"\nkind = \"mcnemar\"\nmetric = \"test_accuracy\"\n\
     methods = [\"Categorical\", \"Gibbs\"]\ndatasets = [\"votes\"]\npair_by = \"example\"\n",
    "[[figure]]\nid = \"boundary\"\nkind = \"boundary\"\ny = \"displacement\"\nparts = [\"boundary\"]\n\
     methods = [\"ADF\"]\n",
    "[[table]]\nid = \"accuracy\"\nrows = \"dataset\"\ncolumns = \"method\"\n\
     datasets = [\"votes\"]\nmetric = \"test_accuracy\"\ndigits = 3\n",
];

/// Tasks with classes: metrics on request, and pictures. A decision tree and naive Bayes fail for want of
/// `test_joint_ll`.
fn classes() -> impl Strategy<Value = String> {
    let on_request = ["train_accuracy", "train_error", "test_joint_ll"];
    let on_request = proptest::sample::subsequence(on_request.to_vec(), 0..=3);
    let blocks = proptest::sample::subsequence(OF_CLASSES.to_vec(), 0..=OF_CLASSES.len());
    let flags = (any::<bool>(), any::<bool>());
    let file =
        |(repeats, folds, on_request, (angle, tree), blocks): (_, _, Vec<&str>, _, Vec<&str>)| {
            let on_request: String =
                on_request.iter().map(|name| format!(", \"{name}\"")).collect();
            format!(
                r#"schema = 1
[experiment]
id = "edits"
title = "Edits"
seed = 1
[task]
repeats = {repeats}
split = "published"
[[part]]
id = "classes"
kind = "classification"
datasets = ["coins"]
metrics = ["test_accuracy"{on_request}]
methods = ["NB"{}]
[[part]]
id = "joint"
kind = "classification"
datasets = ["votes"]
split = {{ cv = {{ folds = {folds} }} }}
metrics = ["test_accuracy"{on_request}]
methods = ["Categorical", "Gibbs"]
[[part]]
id = "boundary"
kind = "boundary"
change = "order"
orders = 2
datasets = ["plane"]
metrics = ["displacement"{}]
methods = ["ADF"]
[[method]]
id = "NB"
kind = "bernoulli-nb"
may_fail = true
[[method]]
id = "Categorical"
kind = "categorical-nb"
[[method]]
id = "Gibbs"
kind = "gibbs"
[[method]]
id = "DT"
kind = "decision-tree"
may_fail = true
[[method]]
id = "ADF"
kind = "bpm-adf"
bias = true
{}"#,
                if tree { ", \"DT\"" } else { "" },
                if angle { ", \"angle_range\"" } else { "" },
                blocks.concat()
            )
        };
    (1..=2, 2..=3, on_request, flags, blocks).prop_map(file)
}

/// Runs a file and an edited one into one folder, and the edited one into an empty one.
fn check(before: &str, after: &str) -> Result<(), TestCaseError> {
    let files = [("datasets.toml", &*registry()), ("votes.csv", VOTES)];
    let bench = Bench::with(before, &files);
    bench.run_with("edited", &choices());
    let bench = Bench::beside(&bench, after);
    let edited = bench.run_with("edited", &Options { replace: true, ..choices() });
    let alone = bench.run_with("alone", &choices());
    let expected = outputs(&alone);
    prop_assert_eq!(complete(&edited), complete(&alone));
    same(&outputs(&edited), &expected)?;
    // Nor does a report of what is sealed add anything, or lose it.
    let report = bench.report("edited");
    prop_assert!(report.is_ok(), "{report:?}");
    prop_assert_eq!(complete(&edited), complete(&alone));
    same(&outputs(&edited), &expected)
}

fn same(found: &Files, expected: &Files) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, bytes) in expected {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        prop_assert_eq!(text(&found[path]), text(bytes), "{}", path);
    }
    Ok(())
}

type Files = BTreeMap<String, Vec<u8>>;

proptest! {
    #![proptest_config(few(20))]

    #[test]
    fn an_edited_density_task_gives_what_it_gives_alone(before in density(), after in density()) {
        check(&before, &after)?;
    }

    #[test]
    #[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
    fn edited_tasks_with_classes_give_what_they_give_alone(before in classes(), after in classes()) {
        check(&before, &after)?;
    }
}
