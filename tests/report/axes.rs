//! Layout: several axes, sweeps, parts, scale, the best and what is tied with it.

use reprise::contract::parameter::Value;
use reprise::contract::{ByMetric, Measure};
use reprise::report::significance::{PairedT, Pairing};
use reprise::run::Cause;
use reprise::spec::{Along, Axis, AxisRef, Best, Dependent, PairBy, Procedure};

use crate::build::*;

fn axis(name: &str, values: &[i64]) -> Axis {
    Axis { name: name.into(), values: values.iter().map(|v| Value::Integer(*v)).collect() }
}

#[test]
fn ids_of_several_axes_join_with_spaces() {
    let mut experiment = experiment(&["a"], &["L2", "APT", "NB"]);
    experiment.methods[0].sweep = vec![axis("degree", &[5, 15])];
    experiment.methods[1].sweep = vec![axis("degree", &[15])];
    let mut spec = table(&experiment, "test_ll");
    spec.columns = vec![AxisRef::Sweep("degree".into()).into(), AxisRef::Method.into()];
    experiment.tables = vec![spec];
    let records = [
        record("a", "L2", "test_ll", 1.0).sweep("degree", 5),
        record("a", "L2", "test_ll", 2.0).sweep("degree", 15),
        record("a", "APT", "test_ll", 3.0).sweep("degree", 15),
        record("a", "NB", "test_ll", 4.0),
    ];
    let report = report(&experiment, &records);
    let columns: Vec<(String, String)> = rows(&report, "tables/t.csv")
        .iter()
        .map(|row| (row["column"].clone(), row["value"].clone()))
        .collect();
    let wanted = [
        ("degree=5 L2", "1"),
        ("degree=5 APT", ""),
        ("NB", "4"),
        ("degree=15 L2", "2"),
        ("degree=15 APT", "3"),
    ];
    assert_eq!(columns, wanted.map(|(id, value)| (id.to_owned(), value.to_owned())));
    assert_eq!(cell(&report, "a", "degree=15 L2")["column_label"], "degree = 15, L2");
}

#[test]
fn a_method_without_the_sweep_is_the_same_in_every_row() {
    let mut experiment = experiment(&["a"], &["L2", "NB"]);
    experiment.methods[0].sweep = vec![axis("degree", &[5, 15])];
    let mut spec = table(&experiment, "test_ll");
    spec.rows.push(AxisRef::Sweep("degree".into()).into());
    experiment.tables = vec![spec];
    let records = [
        record("a", "L2", "test_ll", 1.0).sweep("degree", 5),
        record("a", "L2", "test_ll", 2.0).sweep("degree", 15),
        record("a", "NB", "test_ll", 4.0),
    ];
    let report = report(&experiment, &records);
    assert_eq!(cell(&report, "a degree=15", "L2")["value"], "2");
    assert_eq!(cell(&report, "a degree=5", "NB")["value"], "4");
    assert_eq!(cell(&report, "a degree=15", "NB")["value"], "4");
}

#[test]
fn parts_keep_their_own_datasets() {
    let mut experiment = experiment(&["a", "b"], &["M"]);
    let methods = experiment.methods.clone();
    experiment.parts = vec![part("one", &["a"], &methods), part("two", &["a", "b"], &methods)];
    let mut spec = table(&experiment, "test_ll");
    spec.rows = vec![AxisRef::Part.into(), AxisRef::Dataset.into()];
    experiment.tables = vec![spec];
    let in_part = |part: &str, dataset: &str, value| {
        record(dataset, "M", "test_ll", value).edit(|record| record.trial.part = part.into())
    };
    let records = [in_part("one", "a", 1.0), in_part("two", "a", 2.0), in_part("two", "b", 3.0)];
    let report = report(&experiment, &records);
    let cells: Vec<(String, String)> = rows(&report, "tables/t.csv")
        .iter()
        .map(|row| (row["row"].clone(), row["value"].clone()))
        .collect();
    let wanted = [("one a", "1"), ("two a", "2"), ("two b", "3")];
    assert_eq!(cells, wanted.map(|(id, value)| (id.to_owned(), value.to_owned())));
}

#[test]
fn scale_applies_to_ours_and_not_to_published_values() {
    let mut experiment = experiment(&["a"], &["M"]);
    let mut spec = table(&experiment, "test_ll");
    (spec.scale, spec.published) = (100.0, Some("published/t.csv".into()));
    experiment.tables = vec![spec];
    experiment.published = vec![published(&[("a", "M", 85.0)])];
    let cell = cell(&report(&experiment, &[record("a", "M", "test_ll", 0.8625)]), "a", "M");
    assert_eq!((cell["value"].as_str(), cell["published"].as_str()), ("86.25", "85"));
    assert_eq!(cell["difference"], "1.25");
}

#[test]
fn the_best_are_tied_at_the_tables_rounding() {
    let mut experiment = experiment(&["a", "b"], &["M", "N", "*Q"]);
    let mut spec = table(&experiment, "test_ll");
    spec.published = Some("published/t.csv".into());
    experiment.tables = vec![spec];
    experiment.published = vec![published(&[("a", "Q", -1.5), ("b", "Q", -1.0)])];
    let records = [
        record("a", "M", "test_ll", -1.201),
        record("a", "N", "test_ll", -1.196),
        record("b", "M", "test_ll", -1.21),
        record("b", "N", "test_ll", -1.196),
    ];
    let best = |experiment: &reprise::spec::Experiment, row: &str| {
        let report = report(experiment, &records);
        ["M", "N", "Q"].map(|column| cell(&report, row, column)["best"] == "true")
    };
    assert_eq!(best(&experiment, "a"), [true, true, false]);
    assert_eq!(best(&experiment, "b"), [false, false, true]);
    experiment.tables[0].digits = 3;
    assert_eq!(best(&experiment, "a"), [false, true, false]);
    experiment.tables[0].best = Best::Min;
    assert_eq!(best(&experiment, "a"), [false, false, true]);
    experiment.tables[0].best_along = Along::Column;
    assert_eq!(best(&experiment, "b"), [true, true, false]);
    experiment.tables[0].best = Best::None;
    assert_eq!(best(&experiment, "b"), [false, false, false]);
}

/// Repeats of a published split: the differences of A and B are 1, 1.2, 1.1, those of B and C 3, 0.2, -2, of A and C 4, 1.4, -0.9.
#[test]
fn bold_is_the_set_that_contains_the_best() {
    let mut experiment = experiment(&["a"], &["A", "B", "C"]);
    let by_repeat = PairedT { pairing: by(PairBy::Repeat) };
    experiment.tests = vec![test(&experiment, "t-test", by_repeat)];
    let mut spec = table(&experiment, "test_ll");
    let values = [("A", [5.0, 3.2, 1.1]), ("B", [4.0, 2.0, 0.0]), ("C", [1.0, 1.8, 2.0])];
    let records: Vec<_> = values
        .into_iter()
        .flat_map(|(method, values)| {
            let trial = move |(at, value)| record("a", method, "test_ll", value).at(at, 0, "");
            values.into_iter().enumerate().map(trial)
        })
        .collect();
    let mut significant = |procedure, alpha| {
        spec.bold = Some(in_bold("t-test", alpha, procedure).into());
        experiment.tables = vec![spec.clone()];
        let report = report(&experiment, &records);
        let of = |method: &str| cell(&report, "a", method)["significant"].clone();
        (["A", "B", "C"].map(of), text(&report, "tables/t.md"))
    };
    // B is beaten by A. Nobody beats C, although it is the last: of its differences little is known.
    let (marks, note) = significant(Procedure::Ours, 0.05);
    assert_eq!(marks, ["false", "true", "false"]);
    assert!(
        note.contains("no other of its row is better (t-test, one-sided at 0.05 / (methods - 1)): the best is among them with a probability of 0.95"),
        "{note}"
    );
    // scipy.stats.ttest_1samp([1, 1.2, 1.1], 0, alternative="greater").pvalue = .0013717, and there are two others.
    assert_eq!(significant(Procedure::Ours, 0.0028).0[1], "true");
    assert_eq!(significant(Procedure::Ours, 0.0027).0[1], "false");
    // Against the best alone, two-sided, whatever the others are: .0027435
    assert_eq!(significant(Procedure::Paper, 0.0028).0, ["", "true", "false"]);
    assert_eq!(significant(Procedure::Paper, 0.0027).0, ["", "false", "false"]);
}

#[test]
fn bold_are_the_best_and_what_is_not_significantly_worse() {
    let mut experiment = experiment(&["a"], &["M", "N", "W"]);
    let by_repeat = PairedT { pairing: by(PairBy::Repeat) };
    experiment.tests = vec![test(&experiment, "t-test", by_repeat)];
    let mut spec = table(&experiment, "test_ll");
    spec.bold = Some(in_bold("t-test", 0.05, Procedure::Paper).into());
    experiment.tables = vec![spec];
    let trial = |method: &str, repeat: usize, value| {
        record("a", method, "test_ll", value).at(repeat, 0, "")
    };
    // Differences of M and N: 3, -2.5, 1: far from significant. Of M and W: about 10 each.
    let records = [
        trial("M", 0, 10.0),
        trial("M", 1, 11.0),
        trial("M", 2, 12.0),
        trial("N", 0, 7.0),
        trial("N", 1, 13.5),
        trial("N", 2, 11.0),
        trial("W", 0, 0.1),
        trial("W", 1, 0.9),
        trial("W", 2, 2.2),
    ];
    let report = report(&experiment, &records);
    let marks = ["M", "N", "W"].map(|method| {
        let cell = cell(&report, "a", method);
        (cell["best"].clone(), cell["significant"].clone())
    });
    let wanted = [("true", ""), ("false", "false"), ("false", "true")];
    assert_eq!(marks, wanted.map(|(best, worse)| (best.to_owned(), worse.to_owned())));
    let tex = text(&report, "tables/t.tex");
    assert!(tex.contains("$\\mathbf{11.00}$ & $\\mathbf{10.50}$ & $1.07$"), "{tex}");
    assert!(!text(&report, "tables/t.md").contains("not compared"));

    let note = "the largest of its row, or not significantly different from it (t-test, alpha 0.05, uncorrected: the paper's procedure)";
    assert!(text(&report, "tables/t.md").contains(note), "{}", text(&report, "tables/t.md"));

    // What the test leaves out is not bold for another reason than being worse.
    experiment.tests[0].design.methods = ids(&["M", "W"]);
    experiment.methods[1].label = "The second".into();
    let markdown = text(&crate::build::report(&experiment, &records), "tables/t.md");
    assert!(markdown.contains("not compared by t-test: The second"), "{markdown}");
}

#[test]
fn a_dagger_marks_what_is_worse_than_a_method() {
    let mut experiment = experiment(&["a", "b"], &["M", "N", "edgeless"]);
    experiment.methods[2].label = "no edges".into();
    let mut spec = table(&experiment, "test_ll");
    spec.published = Some("published/t.csv".into());
    spec.worse_than = Some("edgeless".into());
    spec.methods = vec!["M".into(), "N".into()];
    experiment.tables = vec![spec];
    experiment.published = vec![published(&[("a", "M", -1.3), ("a", "N", -1.2), ("b", "N", -1.1)])];
    // Of -1.204 against -1.2 the table sees nothing.
    let records = [
        record("a", "M", "test_ll", -1.204),
        record("a", "N", "test_ll", -1.25),
        record("a", "edgeless", "test_ll", -1.2),
        record("b", "M", "test_ll", -1.0),
        record("b", "N", "test_ll", -1.05),
    ];
    let found = report(&experiment, &records);
    let marks = |row: &str, column: &str| {
        let cell = cell(&found, row, column);
        (cell["worse"] == "true", cell["published_worse"] == "true")
    };
    assert_eq!(marks("a", "M"), (false, true));
    assert_eq!(marks("a", "N"), (true, false));
    assert_eq!((marks("b", "M"), marks("b", "N")), ((false, false), (false, false)));
    let markdown = text(&found, "tables/t.md");
    assert!(markdown.contains("| A | **-1.20** | -1.30† | -1.25† | -1.20 |"), "{markdown}");
    assert!(markdown.contains("†: worse than no edges"), "{markdown}");
    let latex = text(&found, "tables/t.tex");
    assert!(latex.contains("$-1.30^{\\dagger}$ & $-1.25^{\\dagger}$"), "{latex}");
    assert!(latex.contains("$\\dagger$: worse than no edges"), "{latex}");
    // Without the key nothing is marked, and the file has no such columns.
    experiment.tables[0].worse_than = None;
    let found = report(&experiment, &records);
    assert!(!text(&found, "tables/t.csv").contains("worse"));
    assert!(!text(&found, "tables/t.md").contains('†'));
}

#[test]
fn a_cell_is_of_the_trials_that_report_and_says_why_others_do_not() {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let at = |method: &str, repeat: usize, value| {
        record("a", method, "test_ll", value).at(repeat, 0, "")
    };
    let mut records = vec![at("M", 0, -1.0), at("M", 1, -2.0), at("M", 2, -9.0)];
    records.extend([at("N", 0, -1.2), at("N", 1, -2.5), at("N", 2, -2.3)]);
    let mut lacks = ByMetric::default();
    lacks.insert(named("test_ll"), "one class".to_owned());
    let empty = outcome(&mut records[2]);
    (empty.metrics, empty.lacks) = (ByMetric::default(), lacks);
    let found = report(&experiment, &records);
    let of = cell(&found, "a", "M");
    assert_eq!((of["value"].as_str(), of["n"].as_str()), ("-1.5", "2"));
    let markdown = text(&found, "tables/t.md");
    assert!(markdown.contains("| A | **-1.50** (2) | -2.00 |"), "{markdown}");
    assert!(markdown.contains("in parentheses: of so many trials"), "{markdown}");
    assert!(markdown.contains("no value in trials of A / M: one class"), "{markdown}");
    // A test pairs what both have.
    experiment.parts[0].split =
        reprise::data::split::SplitPlan::Resample { train: 100, test: 25, repeats: 3 };
    let pairing = Pairing { unit: unit(PairBy::Repeat, Dependent::Ignored), ..by(PairBy::Repeat) };
    experiment.tests = vec![test(&experiment, "t", PairedT { pairing })];
    let row = row(&report(&experiment, &records), "tests.csv", &[]);
    let note = "dependence ignored: training sets overlap; without 1 of 3 trials, where a method has no value";
    assert_eq!((row["n"].as_str(), row["note"].as_str()), ("2", note));
    // A failed trial is no trial that has nothing to report.
    outcome(&mut records[2]).cause = Some(Cause::GaveUp);
    assert_eq!(cell(&report(&experiment, &records), "a", "M")["status"], "failed");
}

#[test]
fn published_values_of_no_cell_are_named() {
    let mut experiment = experiment(&["a"], &["M"]);
    let mut spec = table(&experiment, "test_ll");
    spec.published = Some("published/t.csv".into());
    experiment.tables = vec![spec];
    experiment.published = vec![published(&[("a", "degree=5 M", -1.0)])];
    let records = [record("a", "M", "test_ll", -1.5)];
    let note = "no value of published/t.csv is in this table: its rows and columns have other ids than a and \
                degree=5 M";
    assert!(text(&report(&experiment, &records), "tables/t.md").contains(note));
    experiment.published = vec![published(&[("a", "M", -1.0), ("b", "M", -2.0)])];
    assert!(!text(&report(&experiment, &records), "tables/t.md").contains("no value of"));
}

#[test]
fn a_sign_marks_fits_that_did_not_converge_and_points_that_failed() {
    let mut experiment = experiment(&["a"], &["M", "N", "Q"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let fit = |method: &str, repeat: usize, problems: f64| {
        record("a", method, "test_ll", -1.0).at(repeat, 0, "").edit(|record| {
            let metrics = &mut outcome(record).metrics;
            metrics.insert(named("not_converged"), Measure::Scalar(problems));
        })
    };
    let failed = fit("N", 0, 0.0).ended(Cause::GaveUp).edit(|record| {
        record.trial.grid.push(("c".into(), Value::Integer(2)));
        record.selected = false;
    });
    let records = [fit("M", 0, 0.0), fit("M", 1, 2.0), fit("N", 0, 0.0), failed, fit("Q", 0, 0.0)];
    let found = report(&experiment, &records);
    let markdown = text(&found, "tables/t.md");
    assert!(markdown.contains("| A | **-1.00**§ | **-1.00**§ | **-1.00** |"), "{markdown}");
    for note in [
        "§: A / M: 1 of 2 fits did not converge",
        "§: A / N: 1 of 1 fits of points that are not selected failed",
    ] {
        assert!(markdown.contains(note), "{markdown}");
    }
    let latex = text(&found, "tables/t.tex");
    assert!(latex.contains("$\\mathbf{-1.00}^{\\S}$"), "{latex}");
    // What is no score is no better for it.
    experiment.tables = vec![table(&experiment, "not_converged")];
    assert!(!text(&report(&experiment, &records), "tables/t.md").contains('§'));
}
