//! What `keep = "predictions"` seals: every metric of a trial comes of it again, and curves are drawn of it.

use std::collections::BTreeMap;
use std::path::Path;

use reprise::KNOWN;
use reprise::harness::run::Options;
use reprise::run::trials_csv;
use reprise::task::curves::calibration;
use reprise::task::predictions::Predictions;

use crate::support::audit::all;
use crate::support::experiment::Bench;
use crate::support::terminal::assert_error;

fn experiment(task: &str, further: &str) -> String {
    format!(
        "schema = 1\n[experiment]\nid = \"kept\"\ntitle = \"T\"\nseed = 1\n[task]\nkind = \"classification\"\n{task}\n\
         [[method]]\nid = \"nb\"\nkind = \"bernoulli-nb\"\n\
         [[method]]\nid = \"tree\"\nkind = \"decision-tree\"\n\
         [[method]]\nid = \"knn\"\nkind = \"knn\"\ngrid = {{ k = [1, 3] }}\nselect = \"valid_accuracy\"\n\
         {further}"
    )
}

const KEPT: &str = "datasets = [\"conjunction-8\"]\nsplit = { cv = { folds = 3, stratified = true } }\n\
                    inner = { cv = 2 }\nkeep = \"predictions\"";

const MEASURED: &str =
    "metrics = [\"test_accuracy\", \"valid_accuracy\", \"auc\", \"log_loss\", \"time:fit\"]";

const SVM: &str = "[[method]]\nid = \"svm\"\nkind = \"linear-svm\"\n";

const CURVES: &str = "[[figure]]\nid = \"roc\"\nkind = \"curve\"\nof = \"roc\"\ny = \"auc\"\n\
                      [[figure]]\nid = \"precision\"\nkind = \"curve\"\nof = \"precision-recall\"\ny = \"auc\"\n\
                      [[figure]]\nid = \"calibration\"\nkind = \"curve\"\nof = \"calibration\"\ny = \"log_loss\"\n\
                      [[figure]]\nid = \"spread\"\nkind = \"box\"\ny = \"test_accuracy\"\n\
                      [[figure]]\nid = \"over-loss\"\nkind = \"scatter\"\nx = \"log_loss\"\ny = \"test_accuracy\"\n\
                      [[figure]]\nid = \"over-time\"\nkind = \"scatter\"\nx = \"time:fit\"\nx_log = true\n\
                      each = \"dataset\"\ny = \"test_accuracy\"\n";

/// By method, what the selected trials keep, with their accuracies.
fn kept(dir: &Path) -> BTreeMap<String, Vec<(Predictions, f64)>> {
    let mut kept: BTreeMap<String, Vec<(Predictions, f64)>> = BTreeMap::new();
    for record in trials_csv::read(dir, &KNOWN.catalogue.metrics).unwrap() {
        let outcome = record.outcome.unwrap();
        let accuracy = outcome.metrics.get("test_accuracy").map(|measure| measure.value());
        // What is not selected keeps nothing.
        assert_eq!(outcome.predictions.is_some(), record.selected);
        if let Some(predictions) = outcome.predictions.as_deref() {
            let of_method = kept.entry(record.trial.method.to_string()).or_default();
            of_method.push((predictions.clone(), accuracy.unwrap()));
        }
    }
    kept
}

#[test]
fn metrics_come_of_what_is_kept() {
    let bench = Bench::new(&experiment(&format!("{KEPT}\n{MEASURED}"), CURVES));
    let dir = bench.run("r");
    let kept = kept(&dir);
    assert_eq!(kept.keys().collect::<Vec<_>>(), ["knn", "nb", "tree"]);
    for (method, trials) in &kept {
        let mut tested: Vec<u32> = trials.iter().flat_map(|(one, _)| one.rows.clone()).collect();
        tested.sort_unstable();
        // Each example once: rows are places in the dataset, over all folds.
        assert!(trials.len() == 3 && tested.iter().copied().eq(0..tested.len() as u32), "{method}");
        for (one, accuracy) in trials {
            let hits = one.truth.iter().zip(&one.predicted).filter(|(truth, found)| truth == found);
            assert_eq!(hits.count() as f64 / one.truth.len() as f64, *accuracy, "{method}");
            assert!(one.roc().is_some() && calibration::<10>(&[one]).is_some());
        }
    }
    let pale = ["roc", "precision", "calibration"].map(|figure| {
        let svg = std::fs::read_to_string(dir.join(format!("figures/{figure}.svg"))).unwrap();
        assert!(svg.contains("nb (") && svg.contains("tree ("), "{figure}: {svg}");
        assert!(dir.join(format!("figures/{figure}.csv")).exists());
        svg.matches("#DEDEDE").count()
    });
    // Beside the lines of the same axes the diagonal, where it says what chance gives.
    assert_eq!(pale, [pale[1] + 1, pale[1], pale[1] + 1]);
    // Of the intervals of calibration the examples are counted, each once.
    let calibrated = std::fs::read_to_string(dir.join("figures/calibration.csv")).unwrap();
    let counted = |method: &str, column: &str| -> f64 {
        let rows = calibrated.lines().filter(|line| line.starts_with(method));
        rows.filter_map(|line| line.split_once(&format!(",{column},"))?.1.parse::<f64>().ok()).sum()
    };
    let positive = kept["nb"].iter().flat_map(|(one, _)| &one.truth).sum::<f64>();
    assert_eq!((counted("nb", "Examples"), counted("nb", "Of the class")), (256.0, positive));
    let spread = std::fs::read_to_string(dir.join("figures/spread.csv")).unwrap();
    let mut accuracies: Vec<f64> = kept["nb"].iter().map(|(_, accuracy)| *accuracy).collect();
    accuracies.sort_by(f64::total_cmp);
    let median = format!("{}", accuracies[1]);
    assert!(spread.lines().any(|line| line.contains("nb") && line.contains(&median)), "{spread}");
    // One metric over another, a mark each; over seconds it is no part of the digest.
    for figure in ["figures/over-loss.svg", "timing/figures/over-time.svg"] {
        let svg = std::fs::read_to_string(dir.join(figure)).unwrap();
        for method in ["nb", "tree", "knn"] {
            assert_eq!(svg.matches(&format!("data-series=\"{method}\"")).count(), 1, "{figure}");
        }
    }
    bench.audit(&dir, &all()).assert_same(12, 12);
}

#[test]
fn what_is_kept_moves_no_value() {
    let plain = Bench::new(&experiment(&KEPT.replace("keep = \"predictions\"", ""), SVM));
    let bench = Bench::new(&experiment(KEPT, SVM));
    let trials = |dir: &Path| std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    assert_eq!(trials(&plain.run("r")), trials(&bench.run("r")));
    assert!(!plain.results("r").join("predictions").exists());
    // A method without scores keeps what it answers.
    let kept = kept(&bench.results("r"));
    assert!(kept["svm"].iter().all(|(one, _)| one.scores.is_empty() && !one.predicted.is_empty()));
    // A changed bit of what is kept is found, by the seal and by its readers.
    let array = bench.results("r").join("predictions/conjunction-8.npy");
    let mut bytes = std::fs::read(&array).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&array, &bytes).unwrap();
    bench.audit(&bench.results("r"), &all()).assert_differs(&["predictions/conjunction-8.npy"]);
    std::fs::write(&array, &bytes[1..]).unwrap();
    let error = trials_csv::read(&bench.results("r"), &KNOWN.catalogue.metrics).unwrap_err();
    assert!(error.to_string().contains("no array of predictions"), "{error}");
}

#[test]
fn what_has_no_predictions_is_told_so() {
    let refused = |text: &str| Bench::new(text).refused("r", &Options::default());
    let measured = format!("{KEPT}\n{MEASURED}");
    let nothing = experiment(&measured.replace("keep = \"predictions\"", ""), CURVES);
    assert_error(
        &refused(&nothing),
        &["curves are of predictions, which are not kept", "write keep = \"predictions\""],
    );
    let accuracy = experiment(&measured, &CURVES.replace("auc", "test_accuracy"));
    assert_error(
        &refused(&accuracy),
        &["a curve needs scores of classes, and `test_accuracy` needs none", "write y = \"auc\""],
    );
    let ranked = experiment(&measured, &CURVES.replace("log_loss", "auc"));
    assert_error(&refused(&ranked), &["a curve needs scores", "write y = \"log_loss\""]);
    let density = "schema = 1\n[experiment]\nid = \"d\"\ntitle = \"T\"\nseed = 1\n[task]\nkind = \"density\"\n\
                   datasets = [\"generated-blocks\"]\nsplit = \"published\"\nkeep = \"predictions\"\n\
                   [[method]]\nid = \"nb\"\nkind = \"independence\"\n";
    assert_error(&refused(density), &["a density task has no predictions to keep"]);
    let word = experiment(&KEPT.replace("keep = \"predictions\"", "keep = \"models\""), "");
    assert_error(&refused(&word), &["models", "predictions"]);
    // 256 examples of 2 classes are 32 bytes each.
    let many = KEPT.replace("folds = 3", "folds = 3, repeats = 9000");
    assert_error(
        &refused(&experiment(&many, "")),
        &["the predictions of `conjunction-8` would be", "more than 200", "fewer repeats"],
    );
}
