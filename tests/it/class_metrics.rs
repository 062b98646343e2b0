//! Probabilities of classes and what is measured by them: of classifiers as scikit-learn 1.9.1 has it, see
//! `tests/reference/class_metrics.py`; in experiments where they are asked for, and nowhere else.

use std::collections::BTreeMap;
use std::path::Path;

use reprise::KNOWN;
use reprise::contract::{Labelled, Metric};
use reprise::harness::run::{Ended, Options};
use reprise::run::Record;
use reprise::task::classification::ClassificationData;
use reprise::task::overlap::Overlap;
use reprise::task::{Ask, Divided as _, Fitting};

use crate::numeric_reference::{SETS, examples};
use crate::support::audit::all;
use crate::support::experiment::Bench;
use crate::support::fits::{parameters, select};
use crate::support::results::rows;
use crate::support::terminal::assert_error;

const METRICS: [&str; 6] = ["log_loss", "brier", "ece", "auc", "balanced_accuracy", "f1_macro"];

/// As `tests/reference/class_metrics.py` prints them, of two classes and of four; of the tree, which has no ties then,
/// by the first column alone.
const EXPECTED: [[(&str, [f64; 6]); 5]; 2] = [
    [
        (
            "majority",
            [
                0.687_059_292_041_492_4,
                0.246_958_333_333_333_36,
                0.048_333_333_333_333_34,
                0.5,
                0.5,
                0.364_406_779_661_016_9,
            ],
        ),
        (
            "gaussian-nb",
            [
                1.063_586_324_868_978_3,
                0.139_476_254_227_770_27,
                0.144_292_157_766_477_75,
                0.859_874_636_627_906_9,
                0.848_201_308_139_534_9,
                0.847_145_008_435_331,
            ],
        ),
        (
            "logistic-regression",
            [
                0.509_928_323_420_602_8,
                0.131_890_935_110_386_02,
                0.107_161_039_243_369_27,
                0.855_877_543_604_651_2,
                0.855_014_534_883_720_9,
                0.853_938_563_615_983,
            ],
        ),
        (
            "knn",
            [
                4.396_281_765_832_433,
                0.142_666_666_666_666_7,
                0.127_999_999_999_999_95,
                0.857_853_379_360_465_1,
                0.851_108_284_883_720_9,
                0.850_401_196_790_425_7,
            ],
        ),
        (
            "decision-tree",
            [
                6.487_857_610_041_088,
                0.18,
                0.180_000_000_000_000_05,
                0.820_039_970_930_232_6,
                0.820_039_970_930_232_6,
                0.817_370_129_870_129_9,
            ],
        ),
    ],
    [
        (
            "majority",
            [
                1.386_655_089_443_444,
                0.750_183_333_333_333_3,
                0.011_666_666_666_666_714,
                0.5,
                0.25,
                0.101_063_829_787_234_04,
            ],
        ),
        (
            "gaussian-nb",
            [
                1.184_653_349_804_433_4,
                0.388_148_939_490_428_45,
                0.083_354_453_709_584_74,
                0.887_063_228_781_700_2,
                0.753_260_103_383_458_7,
                0.753_755_577_969_313_5,
            ],
        ),
        (
            "logistic-regression",
            [
                0.775_156_061_772_358_7,
                0.390_231_491_214_076,
                0.078_397_663_657_209_38,
                0.884_663_288_338_450_5,
                0.737_429_511_278_195_4,
                0.737_756_765_389_428_9,
            ],
        ),
        (
            "knn",
            [
                4.250_160_220_159_785,
                0.441_866_666_666_666_8,
                0.119_333_333_333_333_36,
                0.859_990_648_579_821_9,
                0.734_453_320_802_005,
                0.734_401_754_452_355_3,
            ],
        ),
        (
            "decision-tree",
            [
                24.029_102_259_411_43,
                1.333_333_333_333_333_3,
                0.666_666_666_666_666_7,
                0.553_610_764_124_883_7,
                0.328_761_356_516_290_74,
                0.330_941_559_335_428_9,
            ],
        ),
    ],
];

#[test]
fn metrics_of_probabilities_are_those_of_scikit_learn() {
    let asked: Vec<&'static Metric> =
        METRICS.iter().map(|name| KNOWN.catalogue.metrics.get(name).unwrap()).collect();
    for (set, methods) in SETS.iter().zip(EXPECTED) {
        let [train, test] = examples(set);
        for (kind, expected) in methods {
            let method = KNOWN.catalogue.methods_of(kind).next().unwrap();
            let exact: &[(&str, &str)] = match kind {
                "logistic-regression" => &[("tolerance", "1e-12")],
                _ => &[],
            };
            let columns = if kind == "decision-tree" { 0..1 } else { 0..set.columns };
            let some = |all: &Labelled| Labelled {
                examples: all.examples.columns(&columns),
                ..all.clone()
            };
            let data = ClassificationData {
                valid: select(&some(&train), &[]),
                train: some(&train),
                test: some(&test),
                names: (0..set.classes).map(|class| class.to_string()).collect(),
                columns: None,
                overlap: Overlap::default(),
            };
            let ask = Ask { metrics: asked.clone(), ..Ask::default() };
            let context = testing::context(reprise::base::digest::Digest::of(b"metrics"), 0);
            let parameters = parameters(method, exact);
            let found = data
                .measure(
                    &Fitting { method, parameters: &parameters, ask: &ask, context: &context },
                    &mut None,
                )
                .unwrap();
            for (name, expected) in METRICS.iter().zip(expected) {
                let value = found.metrics[name].value();
                let error = (value - expected).abs();
                assert!(error < 1e-7, "{kind} {name}: {value} for {expected}");
            }
            for name in ["log_loss", "brier"] {
                let of_each = &found.examples[name];
                let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
                assert!((mean - found.metrics[name].value()).abs() < 1e-5, "{kind} {name}");
            }
        }
    }
}

fn experiment(metrics: &str, methods: &[&str]) -> String {
    let method = |kind: &&str| format!("[[method]]\nid = \"{kind}\"\nkind = \"{kind}\"\n");
    let methods: String = methods.iter().map(method).collect();
    format!(
        "schema = 1\n[experiment]\nid = \"probable\"\ntitle = \"T\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"conjunction-8\"]\nsplit = {{ cv = {{ folds = 3, stratified = true }} }}\n{metrics}\n{methods}\n\
         [[table]]\nid = \"t\"\nrows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_accuracy\"\n"
    )
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn they_are_measured_where_they_are_asked_for() {
    let methods = ["majority", "bernoulli-nb", "decision-tree", "knn", "mevm"];
    let plain = Bench::new(&experiment("", &methods)).run_results();
    let asked = "metrics = [\"test_accuracy\", \"log_loss\", \"auc\", \"f1_macro\"]";
    let asked = Bench::new(&experiment(asked, &methods)).run_results();
    for row in &plain {
        assert!(METRICS.iter().all(|name| !row.contains_key(*name)), "{row:?}");
    }
    for (row, before) in asked.iter().zip(&plain) {
        // Metrics are what is said of a trial, not what it is.
        assert_eq!(
            (&row["key"], &row["test_accuracy"]),
            (&before["key"], &before["test_accuracy"])
        );
        let auc: f64 = row["auc"].parse().unwrap();
        assert!((0.0..=1.0).contains(&auc), "{auc}");
        assert!(row["log_loss"].parse::<f64>().unwrap() >= 0.0);
    }
    let majority: Vec<f64> = (asked.iter().filter(|row| row["method"] == "majority"))
        .map(|row| row["auc"].parse().unwrap())
        .collect();
    assert_eq!(majority, [0.5; 3]);
}

trait RunResults {
    fn run_results(&self) -> Vec<std::collections::BTreeMap<String, String>>;
}

impl RunResults for Bench {
    fn run_results(&self) -> Vec<std::collections::BTreeMap<String, String>> {
        rows(&self.run("r").join("trials.csv"))
    }
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_method_without_probabilities_is_refused_before_the_run() {
    let metrics = "metrics = [\"test_accuracy\", \"brier\"]";
    let bench = Bench::new(&experiment(metrics, &["majority", "linear-svm"]));
    assert_error(
        &bench.open("r").unwrap_err(),
        &[
            "a method of kind `linear-svm` gives no probabilities of classes, which `brier` needs",
            "methods that give them: mevm, gibbs, decision-tree, bernoulli-nb, categorical-nb, gaussian-nb, \
             logistic-regression, majority, knn",
            "gives = \"probabilities\"",
        ],
    );
    // What comes of the predicted classes alone every classifier has.
    let metrics = "metrics = [\"test_accuracy\", \"f1_macro\", \"balanced_accuracy\"]";
    let bench = Bench::new(&experiment(metrics, &["majority", "linear-svm"]));
    assert_eq!(bench.run_results().len(), 6);
    let program = experiment("metrics = [\"test_accuracy\", \"auc\"]", &[])
        + "[[method]]\nid = \"own\"\nkind = \"command\"\ngives = \"labels\"\ncommand = [\"sh\", \"own.sh\"]\ncode = \
           [\"own.sh\"]\n";
    let bench = Bench::with(&program, &[("own.sh", "exit 1\n")]);
    assert_error(
        &bench.open("r").unwrap_err(),
        &[
            "a program that gives `labels` gives no probabilities",
            "\"probabilities\" or \"scores\"",
        ],
    );
    let of_scores = program.replace("\"labels\"", "\"scores\"");
    let bench = |text: &str| Bench::with(text, &[("own.sh", "exit 1\n")]);
    assert!(bench(&of_scores).open("r").is_ok());
    assert_error(
        &bench(&of_scores.replace("\"auc\"", "\"auc\", \"brier\"")).open("r").unwrap_err(),
        &["a program that gives `scores` gives no probabilities of classes, which `brier` needs"],
    );
}

#[test]
fn a_split_without_a_class_has_no_auc() {
    let text = experiment("metrics = [\"test_accuracy\", \"auc\"]", &["majority"])
        .replace("{ cv = { folds = 3, stratified = true } }", "\"leave-one-out\"");
    assert_error(
        &Bench::new(&text).open("r").unwrap_err(),
        &["one test example has no `auc`", "the split leaves one out", "cv = { folds = 10 }"],
    );
    let text =
        text.replace("\"leave-one-out\"", "{ resample = { train = 9, test = 1, repeats = 3 } }");
    let areas = text.replace("id = \"t\"", "id = \"areas\"");
    let (_, areas) = areas.split_once("[[table]]").unwrap();
    let areas = areas.replace("test_accuracy", "auc");
    let bench = Bench::new(&format!("{text}[[table]]{areas}"));
    // The trial stands, with what else it measured.
    let trials = bench.run_results();
    let accuracies: f64 =
        trials.iter().map(|row| row["test_accuracy"].parse::<f64>().unwrap()).sum();
    assert!(accuracies <= 3.0 && trials.iter().all(|row| row["status"] == "ok"), "{trials:?}");
    let lacks = rows(&bench.results("r").join("lacks.csv"));
    assert_eq!(lacks.len(), 3, "{lacks:?}");
    let why = "none of the test examples, or all of them, are of class `";
    assert!(
        lacks.iter().all(|row| row["metric"] == "auc" && row["why"].starts_with(why)),
        "{lacks:?}"
    );
    let page = std::fs::read_to_string(bench.results("r").join("report.html")).unwrap();
    let title = format!(" title=\"{why}");
    assert_eq!(page.matches(&title).count(), 1, "{title}");
    bench.audit(&bench.results("r"), &all()).assert_same(3, 3);
    // What is sealed is enough: nothing runs again.
    assert!(matches!(bench.ended("r", &Options::default()), Ok(Ended::AlreadySealed(_))));
    // Where nobody asks for it, the same trials end well.
    let without = Bench::beside(&bench, &text.replace(", \"auc\"", ""));
    let ended = without.sealed("r", &Options::default());
    let ends_well = |record: &Record| record.outcome.as_ref().unwrap().cause.is_none();
    assert!(ended.records.iter().all(ends_well), "{:?}", ended.records);
}

const CONFUSION: &str = "[[figure]]\nid = \"taken\"\nkind = \"confusion\"\ny = \"test_accuracy\"\n";

#[test]
fn a_confusion_matrix_counts_each_test_example_of_all_folds_and_repeats() {
    let text = experiment("repeats = 2", &["majority", "knn"]) + CONFUSION;
    let bench = Bench::new(&text);
    let dir = bench.run("r");
    let mut counts: BTreeMap<(String, bool), f64> = BTreeMap::new();
    let mut recall: BTreeMap<(String, String), f64> = BTreeMap::new();
    for row in rows(&dir.join("figures/taken.csv")) {
        let value = row["value"].parse().unwrap_or(f64::NAN);
        if let Some(taken) = row["column"].strip_prefix("as ") {
            *counts.entry((row["of"].clone(), row["row"] == taken)).or_default() += value;
        } else if row["column"] == "Recall" {
            recall.insert((row["of"].clone(), row["row"].clone()), value);
        }
    }
    for method in ["majority", "knn"] {
        let of = |right| counts[&(method.to_owned(), right)];
        assert_eq!(of(true) + of(false), 2.0 * 256.0);
        let trials = rows(&dir.join("trials.csv"));
        let trials = trials.iter().filter(|row| row["method"] == method);
        let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
        let right: f64 =
            trials.map(|row| number(row, "test_accuracy") * number(row, "test_examples")).sum();
        assert!((of(true) - right).abs() < 1e-9, "{method}: {} and {right}", of(true));
    }
    assert_eq!(recall[&("majority".to_owned(), "false".to_owned())], 1.0);
    assert_eq!(recall[&("majority".to_owned(), "true".to_owned())], 0.0);
    let page = std::fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(page.contains("| Class | as true | as false | Precision | Recall | F1 |"), "{page}");
    // What the trials measured does not hang on what is drawn of them.
    let plain = Bench::new(&experiment("repeats = 2", &["majority", "knn"]));
    let read = |dir: &Path| std::fs::read(dir.join("trials.csv")).unwrap();
    assert_eq!(read(&dir), read(&plain.run("r")));
    // Sealed results give the figure again.
    let before = std::fs::read(dir.join("figures/taken.svg")).unwrap();
    bench.report("r").unwrap();
    assert_eq!(std::fs::read(dir.join("figures/taken.svg")).unwrap(), before);
}

#[test]
fn only_selected_points_are_counted() {
    let grid = "[[method]]\nid = \"tuned\"\nkind = \"knn\"\ngrid = { k = [1, 3, 5] }\nselect = \
                \"valid_accuracy\"\n";
    let text = experiment("inner = { cv = 3 }", &[]) + grid + CONFUSION;
    let bench = Bench::new(&text);
    let dir = bench.run("r");
    let counted = rows(&dir.join("figures/taken.csv"));
    let counted = counted.iter().filter(|row| row["column"].starts_with("as "));
    assert_eq!(counted.map(|row| row["value"].parse::<f64>().unwrap()).sum::<f64>(), 256.0);
    let pictures = rows(&dir.join("pictures.csv"));
    let keys: std::collections::BTreeSet<&String> =
        pictures.iter().map(|row| &row["key"]).collect();
    assert_eq!(keys.len(), 3, "one selected point a fold");
}

#[test]
fn other_tasks_have_no_confusion_matrix() {
    let text = experiment("", &["empirical"]) + CONFUSION;
    let text = text
        .replace("\"classification\"", "\"density\"")
        .replace("conjunction-8", "generated-blocks")
        .replace("split = { cv = { folds = 3, stratified = true } }", "split = \"published\"")
        .replace("test_accuracy", "test_ll");
    assert_error(
        &Bench::new(&text).open("r").unwrap_err(),
        &["only classification tasks have confusion matrices to draw", "kind \"classification\""],
    );
}
