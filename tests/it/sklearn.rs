//! Estimators of scikit-learn by their names. What one answers, and what its mistakes say, is tested in
//! `src/program/estimator`; with `REPRISE_ESTIMATORS=CACHE` the environment is built there, and estimators run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use reprise::program::{Determinism, Gives};
use reprise::spec::bytes_of_size;

use crate::support::audit::Ask;
use crate::support::experiment::Bench;
use crate::support::results::rows;
use crate::support::terminal::{assert_error, assert_says, text};

/// Two parts, of classes and of numbers, with this method in the first.
fn experiment(method: &str, metrics: &str) -> String {
    format!(
        r#"schema = 1
[experiment]
id = "own"
title = "own"
seed = 1
[program]
threads = 2
memory = "1GiB"
[[part]]
id = "classes"
kind = "classification"
datasets = ["generated-conjunction"]
split = {{ redrawn = {{ repeats = 2 }} }}
inner = {{ cv = 2 }}
methods = ["SVM"]
metrics = ["test_accuracy", "valid_accuracy"{metrics}]
[[part]]
id = "numbers"
kind = "regression"
datasets = ["rents"]
split = {{ cv = {{ folds = 2 }} }}
methods = ["lasso"]
[[method]]
id = "SVM"
{method}
[[method]]
id = "lasso"
estimator = "Lasso()"
alpha = 0.5
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_accuracy"
digits = 2
datasets = ["generated-conjunction"]
"#
    )
}

fn with(method: &str, metrics: &str) -> Bench {
    bench_of(&experiment(method, metrics))
}

/// With the numbers of the second part beside the file.
fn bench_of(spec: &str) -> Bench {
    let numbers = [
        ("datasets.toml", include_str!("../../src/cli/init/regression/datasets.toml")),
        ("rents.csv", include_str!("../../src/cli/init/regression/rents.csv")),
        ("requirements.txt", "scikit-learn==1.6.1\n"),
    ];
    Bench::with(spec, &numbers)
}

const SVM: &str = "estimator = \"make_pipeline(StandardScaler(), SVC())\"\nselect = \"valid_accuracy\"\n\
                   grid = { svc__C = [1, 10], svc__gamma = [\"scale\", 0.01] }";

#[test]
fn an_estimator_is_a_program_with_what_reprise_brings_along() {
    let bench = with(SVM, "");
    let session = bench.session("r");
    let program = |id| session.experiment.method(&id).unwrap().program.clone().unwrap();
    let (svm, lasso) = (program("SVM".into()), program("lasso".into()));
    assert_eq!((svm.gives, lasso.gives), (Gives::Labels, Gives::Values));
    assert_eq!((svm.threads, svm.memory), (2, bytes_of_size("1GiB")));
    assert_eq!(svm.determinism, Determinism::Bitwise);
    assert_eq!(svm.command.last().unwrap(), "make_pipeline(StandardScaler(), SVC())");
    let brought: Vec<&str> = svm.brought.iter().map(|file| &*file.path).collect();
    assert!(brought.contains(&"reprise/requirements.txt"), "{brought:?}");
    assert!(svm.brought.iter().all(|file| file.contents(&svm.folder).is_some()));
    // The expression is in the key of a trial; where metrics ask for probabilities or scores it gives them.
    let asked = |metrics: &str| {
        let other = with(&SVM.replace("SVC()", "SVC(degree=2)"), metrics);
        other.session("r").experiment.method(&"SVM".into()).unwrap().program.clone().unwrap()
    };
    assert_eq!(asked(", \"auc\", \"pr_auc\"").gives, Gives::Scores);
    assert_eq!(asked(", \"auc\", \"brier\"").gives, Gives::Probabilities);
    assert_eq!(asked("").gives, Gives::Labels);
    assert_ne!(asked("").digest(), svm.digest());
    // A requirements file of one's own is code, and what is built of it is another environment.
    let own = format!("{SVM}\nenvironment = \"requirements.txt\"");
    let bench = with(&own, "");
    let own = bench.session("r").experiment.method(&"SVM".into()).unwrap().program.clone().unwrap();
    assert_eq!(
        (own.lock.clone().unwrap().path.as_str(), own.brought.len()),
        ("requirements.txt", 2)
    );
    assert!(own.prepare[1].contains(&"requirements.txt".to_owned()), "{:?}", own.prepare);
}

#[test]
fn mistakes_of_the_file_are_told_with_their_place() {
    let error = |method: &str| with(method, "").open("r").unwrap_err();
    let says = |method: &str, phrases: &[&str]| assert_error(&error(method), phrases);
    says(
        &format!("{SVM}\nkind = \"knn\""),
        &["`kind` beside `estimator`", "made by the estimator"],
    );
    says("estimator = 5", &["`estimator` can't be 5"]);
    says(
        "estimator = \"SVC()\"\nC = [1, 10]",
        &["`C` can't be a list", "several stand in `sweep` or `grid`"],
    );
    says(&format!("{SVM}\nsvc__C = 2"), &["`svc__C` has a value of its own"]);
    says(&SVM.replace("svc__C", "memory"), &["a parameter can't be called `memory`"]);
    says(&SVM.replace("svc__C", "test_accuracy"), &["a column of trials.csv"]);
    says(&format!("{SVM}\nenvironment = \"absent.txt\""), &["cannot use `absent.txt`"]);
    says(&format!("{SVM}\ncode = [\"absent/*.py\"]"), &["no file matches it"]);
    says("published_only = true\nestimator = \"SVC()\"", &["has no `estimator`"]);
    says("threads = 1", &["lacks `kind`", "an `estimator`"]);
    says(
        &format!("{SVM}\nframe = true"),
        &[
            "`SVM` does not take `generated-conjunction`, which has 0/1 variables",
            "frame = true",
            "write kind = \"numeric\" in the dataset's entry",
            "takes categorical attributes and numeric columns",
        ],
    );
}

#[test]
fn without_its_environment_a_plan_says_so_and_offline_it_stops() {
    let bench = with(SVM, "");
    let planned = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&planned, 0, &["SVM, lasso: parameters not checked: environment not built."]);
    let run = bench.subcommand("run", "r", &["--offline"]).output().unwrap();
    let says = ["the environment of `SVM` is not built, and --offline forbids to fetch it"];
    assert_says(&run, 3, &says);
    assert!(!bench.results("r").join("manifest.toml").exists());
}

/// Without a Python nothing is built.
#[test]
fn a_run_says_that_it_builds_the_environment_and_its_size() {
    let says = |method: &str, other: &str, size: &str| {
        let bench = bench_of(&experiment(method, "").replace("estimator = \"Lasso()\"", other));
        let run = bench.subcommand("run", "r", &[]).env("PATH", "").output().unwrap();
        let built =
            format!("the environment of `SVM` is not there yet: it is built now, once{size} ");
        assert_says(
            &run,
            2,
            &[&built, "cannot build the environment of `SVM`", "can't be started"],
        );
    };
    let own = "environment = \"requirements.txt\"";
    says(SVM, "estimator = \"Lasso()\"", ", with a download; it takes 390 MB");
    // Of another one nothing is known before.
    says(&format!("{SVM}\n{own}"), &format!("estimator = \"Lasso()\"\n{own}"), "");
}

/// A regressor of one's own, which predicts how many models its process has fitted, in millions.
const COUNTING: &str = "
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

fitted = 0


class Counting(RegressorMixin, BaseEstimator):
    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, x, y):
        global fitted
        fitted += 1
        self.fitted_ = fitted
        return self

    def predict(self, x):
        return np.full(len(x), 1e6 * self.fitted_)
";

#[test]
fn a_process_serves_several_trials_and_finds_classes_of_ones_own() {
    let Some(cache) = std::env::var_os("REPRISE_ESTIMATORS").map(PathBuf::from) else {
        return eprintln!("skipped: REPRISE_ESTIMATORS names no folder for their environment");
    };
    let own = "estimator = \"counting.Counting()\"\ncode = [\"counting.py\"]\n\
               determinism = \"stochastic\"\nsweep = { alpha = [1.0, 2.0, 3.0] }";
    let lasso = "estimator = \"Lasso()\"\nalpha = 0.5";
    let bench = bench_of(&experiment(SVM, "").replace(lasso, own));
    bench.write("counting.py", COUNTING);
    let arguments = ["--jobs", "1", "--cache", cache.to_str().unwrap()];
    let run = bench.subcommand("run", "r", &arguments).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let trials = rows(&bench.results("r").join("external/trials.csv"));
    let own = trials.iter().filter(|row| row["method"] == "lasso");
    let millions = |row: &BTreeMap<String, String>| row["mae"].parse::<f64>().unwrap() / 1e6;
    let fitted: Vec<u32> = own.map(|row| millions(row).round() as u32).collect();
    // Two folds of three trials each. A process waits for the next one, unless others are more than the cores.
    let started = fitted.iter().filter(|fitted| **fitted == 1).count();
    assert_eq!(fitted.len(), 6);
    assert!((2..6).contains(&started), "{fitted:?}");
}

#[test]
fn estimators_run_and_what_is_wrong_stops_a_run_before_its_first_trial() {
    let Some(cache) = std::env::var_os("REPRISE_ESTIMATORS").map(PathBuf::from) else {
        return eprintln!("skipped: REPRISE_ESTIMATORS names no folder for their environment");
    };
    let at = ["--cache", cache.to_str().unwrap()];
    let bench = with(&SVM.replace("SVC()", "SVC(probability=True)"), ", \"auc\"");
    let run = bench.subcommand("run", "r", &at).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let dir = bench.results("r");
    let trials = rows(&dir.join("trials.csv"));
    assert_eq!(trials.iter().filter(|row| row["method"] == "SVM").count(), 8);
    assert!(trials.iter().all(|row| row["status"] == "ok"), "{trials:?}");
    assert!(dir.join("code/reprise/estimator.py").exists());
    let again = bench.subcommand("run", "r", &at).output().unwrap();
    assert_says(&again, 0, &["already sealed"]);
    let listed = bench.reprise().arg("methods").args(at).output().unwrap();
    assert_says(
        &listed,
        0,
        &["NAME(…)", "HistGradientBoostingClassifier,", "make_column_selector,"],
    );
    // The records are read again in their own types: a text, a real number and a whole one.
    bench.audit(&dir, &Ask::default()).assert_same(0, 0);
    // Decision values where metrics only rank, and in the other part names and gaps of a table.
    let ranked = experiment(SVM, ", \"auc\"").replace(
        "estimator = \"Lasso()\"\nalpha = 0.5",
        "estimator = \"make_pipeline(make_column_transformer((OneHotEncoder(), ['district'])), Ridge())\"\nframe = true",
    );
    let bench = bench_of(&ranked);
    let run = bench.subcommand("run", "r", &at).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let trials = rows(&bench.results("r").join("trials.csv"));
    assert!(trials.iter().all(|row| row["status"] == "ok"), "{trials:?}");
    let areas = trials.iter().filter(|row| row["method"] == "SVM" && !row["auc"].is_empty());
    // Those of the selected points.
    assert_eq!(areas.count(), 2);
    for (from, to, says) in [
        (
            "Scaler()",
            "Scalar()",
            "`lightgbm.LGBMClassifier`); did you mean `StandardScaler`? make_",
        ),
        ("svc__C", "svm__C", "has no parameter `svm__C`; did you mean `svc__C`?"),
        ("[1, 10]", "[1, -10]", "The 'C' parameter of SVC must be a float in the range"),
        ("Lasso()", "SVC()", "`SVC()` is no regressor, which the task needs"),
    ] {
        for command in ["plan", "run"] {
            let wrong = bench_of(&experiment(SVM, "").replace(from, to).replace("alpha = 0.5", ""));
            assert_says(&wrong.subcommand(command, "r", &at).output().unwrap(), 2, &[says]);
        }
    }
}
