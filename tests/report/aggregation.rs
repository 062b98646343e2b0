//! From trials to cells: means, deviations, statuses, what counts.

use reprise::contract::parameter::Value;
use reprise::data::split::SplitPlan;
use reprise::report::significance::Bootstrap;
use reprise::run::Cause;
use reprise::spec::{AxisRef, Dependent, PairBy, SdOver};
use reprise::stats::Ends;

use crate::build::*;

/// Unbalanced on purpose, so that the order of averaging shows.
fn nested() -> Vec<reprise::run::Record> {
    let at =
        |repeat, fold, problem, value| record("a", "M", "test_ll", value).at(repeat, fold, problem);
    vec![
        at(0, 0, "p", 1.0),
        at(0, 0, "q", 3.0),
        at(0, 1, "p", 8.0),
        at(1, 0, "p", 5.0),
        at(1, 0, "q", 9.0),
    ]
}

#[test]
fn the_mean_is_over_problems_then_folds_then_repeats() {
    let mut experiment = experiment(&["a"], &["M"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    // By hand. Folds: (1 + 3)/2 = 2, 8, (5 + 9)/2 = 7. Repeats: (2 + 8)/2 = 5, 7. Mean: 6.
    let cell = cell(&report(&experiment, &nested()), "a", "M");
    assert_eq!((cell["value"].as_str(), cell["n"].as_str()), ("6", "5"));
    assert_eq!((cell["sd"].as_str(), cell["status"].as_str()), ("", "ok"));
}

#[test]
fn the_deviation_is_over_what_the_table_says() {
    let mut experiment = experiment(&["a"], &["M"]);
    // By hand. Repeats 5, 7: variance 2. Folds 2, 8, 7: mean 17/3, squares 98 - ... = 62/3, /2 =
    // 31/3. Problems: p is ((1 + 8)/2 + 5)/2 = 4.75, q is (3 + 9)/2 = 6: variance 1.25²/2.
    for (over, variance, n) in [
        (SdOver::Repeat, 2.0, "2"),
        (SdOver::Fold, 31.0 / 3.0, "3"),
        (SdOver::Problem, 1.25 * 1.25 / 2.0, "2"),
        (SdOver::StandardError, 31.0 / 9.0, "3"),
    ] {
        let mut spec = table(&experiment, "test_ll");
        spec.sd = over;
        experiment.tables = vec![spec];
        let cell = cell(&report(&experiment, &nested()), "a", "M");
        let sd: f64 = cell["sd"].parse().unwrap();
        assert!((sd * sd - variance).abs() < 1e-12, "{over:?}: {sd}");
        assert_eq!((cell["value"].as_str(), cell["n"].as_str()), ("6", n));
    }
}

#[test]
fn equal_values_have_that_mean_and_no_deviation() {
    let mut experiment = experiment(&["a"], &["M"]);
    let mut spec = table(&experiment, "test_ll");
    spec.sd = SdOver::Repeat;
    experiment.tables = vec![spec];
    // As binary numbers, (0.1 + 0.1 + 0.1) / 3 is not 0.1.
    let records: Vec<_> =
        (0..3).map(|repeat| record("a", "M", "test_ll", 0.1).at(repeat, 0, "")).collect();
    let cell = cell(&report(&experiment, &records), "a", "M");
    assert_eq!((cell["value"].as_str(), cell["sd"].as_str()), ("0.1", ""));
    experiment.parts[0].split = SplitPlan::LeaveOneOut;
    let cell = self::cell(&report(&experiment, &records), "a", "M");
    assert_eq!((cell["value"].as_str(), cell["sd"].as_str()), ("0.1", "0"));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn samples_are_pooled_per_cell() {
    let mut experiment = experiment(&["a"], &["M"]);
    let mut spec = table(&experiment, "blocks");
    spec.sd = SdOver::Sample;
    experiment.tables = vec![spec];
    let trial = |repeat| record("a", "M", "test_ll", -1.0).at(repeat, 0, "");
    let records =
        [trial(0).sample("blocks", &[3.0, 5.0]), trial(1).sample("blocks", &[4.0, 4.0, 9.0])];
    // By hand: 3, 5, 4, 4, 9 have mean 5 and squares 4 + 0 + 1 + 1 + 16 = 22, over 4.
    let cell = cell(&report(&experiment, &records), "a", "M");
    let sd: f64 = cell["sd"].parse().unwrap();
    assert_eq!((cell["value"].as_str(), cell["n"].as_str()), ("5", "5"));
    assert!((sd * sd - 5.5).abs() < 1e-12);
}

#[test]
fn a_cell_has_the_worst_status_of_its_trials_and_then_no_value() {
    let mut experiment = experiment(&["a"], &["M"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let trial = |repeat| record("a", "M", "test_ll", 1.0).at(repeat, 0, "");
    let status = |records: &[reprise::run::Record]| {
        let report = report(&experiment, records);
        let cell = cell(&report, "a", "M");
        assert_eq!(cell["value"].is_empty(), cell["status"] != "ok");
        cell["status"].clone()
    };
    assert_eq!(status(&[trial(0), trial(1)]), "ok");
    assert_eq!(status(&[]), "missing");
    assert_eq!(status(&[trial(0), trial(1).not_run()]), "missing");
    assert_eq!(status(&[trial(0).not_run(), trial(1).ended(Cause::GaveUp)]), "failed");
    assert_eq!(status(&[trial(0).ended(Cause::GaveUp), trial(1).ended(Cause::Crashed)]), "crashed");
    assert_eq!(status(&[trial(0), trial(1).ended(Cause::NotApplicable)]), "not-applicable");
    assert_eq!(status(&[trial(0), trial(1).ended(Cause::Timeout)]), "timeout");
    assert_eq!(status(&[record("a", "M", "test_ll", f64::NAN)]), "nonfinite");
    assert_eq!(status(&[record("a", "M", "train_ll", 1.0)]), "not-applicable");
}

#[test]
fn what_was_never_planned_is_published_only_or_not_applicable() {
    let mut experiment = experiment(&["a", "b"], &["M", "*Q"]);
    let mut spec = table(&experiment, "test_ll");
    spec.published = Some("published/t.csv".into());
    experiment.tables = vec![spec];
    experiment.published = vec![published(&[("a", "Q", -2.0), ("b", "M", -3.0)])];
    experiment.parts[0].datasets = ids(&["a"]);
    let report = report(&experiment, &[record("a", "M", "test_ll", -1.0)]);
    let status = |row, column| cell(&report, row, column)["status"].clone();
    assert_eq!(status("a", "M"), "ok");
    assert_eq!(status("a", "Q"), "published-only");
    assert_eq!(status("b", "M"), "published-only");
    assert_eq!(status("b", "Q"), "published-only");
    assert_eq!(cell(&report, "a", "Q")["published"], "-2");
    assert_eq!(cell(&report, "a", "Q")["best"], "false");
    experiment.tables[0].published = None;
    assert_eq!(cell(&crate::build::report(&experiment, &[]), "b", "M")["status"], "not-applicable");
}

#[test]
fn only_selected_grid_points_of_chosen_options_count() {
    let mut experiment = experiment(&["a"], &["M"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let point = |degree: i64, value: f64| {
        record("a", "M", "test_ll", value).edit(|record| {
            record.trial.grid = vec![("degree".into(), Value::Integer(degree))];
            record.selected = false;
        })
    };
    let value = |records: &[reprise::run::Record]| {
        let cell = cell(&report(&experiment, records), "a", "M");
        (cell["value"].clone(), cell["status"].clone())
    };
    let selected = point(2, -2.0).edit(|record| record.selected = true);
    let option = record("a", "M", "test_ll", -50.0).choice("rule=other");
    assert_eq!(value(&[point(1, -1.0), selected, option.clone()]), ("-2".into(), "ok".into()));
    // Nothing could be selected: the cell says why.
    let failed = [point(1, 0.0).ended(Cause::GaveUp), point(2, 0.0).ended(Cause::Timeout)];
    assert_eq!(value(&failed), (String::new(), "timeout".into()));
    assert_eq!(value(&[point(1, -1.0), point(2, -2.0)]), (String::new(), "missing".into()));
    assert_eq!(value(&[option]), (String::new(), "missing".into()));
}

#[test]
fn trials_that_no_axis_tells_apart_are_not_averaged() {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    let mut spec = table(&experiment, "test_ll");
    spec.columns = vec![AxisRef::Metric.into()];
    spec.metrics = Some(vec![named("test_ll"), named("variables")].into());
    spec.metric = None;
    experiment.tables = vec![spec];
    let variables = |record: reprise::run::Record| record.sample("variables", &[16.0]);
    let records = [
        variables(record("a", "M", "test_ll", -1.0)),
        variables(record("a", "N", "test_ll", -2.0)),
    ];
    let report = report(&experiment, &records);
    assert_eq!(cell(&report, "a", "variables")["value"], "16");
    assert_eq!(cell(&report, "a", "test_ll")["status"], "not-applicable");
}

#[test]
fn the_order_of_records_does_not_matter() {
    let (mut experiment, _) = table5(0.0);
    let kind = Bootstrap {
        unit: unit(PairBy::Dataset, Dependent::Refused),
        resamples: 200,
        interval: Ends::Percentile,
        level: 0.9,
    };
    experiment.tests = vec![test(&experiment, "b", kind)];
    let mut records: Vec<_> = (0..3)
        .flat_map(|repeat| {
            let (_, records) = table5(0.1 / (repeat as f64 + 3.0));
            records.into_iter().map(move |record| record.at(repeat, 0, ""))
        })
        .collect();
    let forward = report(&experiment, &records);
    records.reverse();
    assert_eq!(forward.files, report(&experiment, &records).files);
}
