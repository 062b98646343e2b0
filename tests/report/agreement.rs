//! How cells stand to the paper's, and the notes on those that differ.

use reprise::data::split::SplitPlan;
use reprise::document::Spanned;
use reprise::report::{build as build_report, check_differences};
use reprise::run::Record;
use reprise::spec::*;

use crate::build::*;

/// Two sets, three methods, three seeds: `A` varies, `B` does not, `C` ran once.
fn example() -> (Experiment, Vec<Record>) {
    let mut experiment = experiment(&["nltcs", "kdd"], &["A", "B"]);
    experiment.published = vec![published(&[
        ("nltcs", "A", -6.04),
        ("kdd", "A", -2.10),
        ("nltcs", "B", -6.76),
        ("kdd", "B", -2.29),
    ])];
    let mut table = table(&experiment, "test_ll");
    table.published = Some("published/t.csv".into());
    table.sd = SdOver::Repeat;
    experiment.tables = vec![table];
    experiment.source.text = "rows = [\"nltcs\", \"kdd\"]\n".into();
    let mut records = vec![];
    // The mean of A on nltcs is -6.05, its sd 0.01: t(2, .975) 0.01 / sqrt(3) = 0.0248.
    for (repeat, nltcs, kdd) in [(0, -6.04, -2.145), (1, -6.05, -2.155), (2, -6.06, -2.15)] {
        records.push(record("nltcs", "A", "test_ll", nltcs - 0.01).at(repeat, 0, ""));
        records.push(record("kdd", "A", "test_ll", kdd).at(repeat, 0, ""));
        records.push(record("nltcs", "B", "test_ll", -6.7649).at(repeat, 0, ""));
        records.push(record("kdd", "B", "test_ll", -2.31).at(repeat, 0, ""));
    }
    (experiment, records)
}

fn difference(rows: &[&str], columns: &[&str], why: Why) -> Difference {
    let spanned = |ids: &[&str]| {
        ids.iter().map(|id| Spanned { value: (*id).to_owned(), span: 9..14, key: 0..0 }).collect()
    };
    let shows = Shows {
        choice: Some(("stopping".into(), None)),
        document: Some("docs/evm.md#table-5".into()),
    };
    Difference { table: "t".into(), rows: spanned(rows), columns: spanned(columns), why, shows }
}

fn words(experiment: &Experiment, records: &[Record]) -> Vec<String> {
    let report = report(experiment, records);
    rows(&report, "tables/t.csv").into_iter().map(|row| row["agreement"].clone()).collect()
}

#[test]
fn each_cell_has_one_word() {
    let (mut experiment, records) = example();
    assert_eq!(
        words(&experiment, &records),
        ["noise", "rounding", "unexplained", "no-noise-known"]
    );
    let row = |name: &str| {
        let report = report(&experiment, &records);
        rows(&report, "tables/t.csv").into_iter().map(|row| row[name].clone()).collect::<Vec<_>>()
    };
    // scipy.stats.t.ppf(.975, 2) * .01 / sqrt(3)
    let noise: f64 = row("noise")[0].parse().unwrap();
    assert!((noise - 0.024_841_377).abs() < 1e-9, "{noise}");
    assert_eq!(row("noise")[1], "");
    // A method without randomness shows no deviation.
    assert_eq!(row("sd")[1], "");
    assert_ne!(row("sd")[0], "");
    experiment.differences = vec![
        difference(&["kdd"], &["A"], Why::Cause("It stops too early.".into())),
        difference(&["kdd"], &["B"], Why::Tried("smoothing".into())),
    ];
    assert_eq!(words(&experiment, &records), ["noise", "rounding", "explained", "unexplained"]);
}

#[test]
fn notes_are_marked_and_counted() {
    let (mut experiment, records) = example();
    experiment.differences = vec![
        difference(&["kdd"], &["A"], Why::Cause("It stops too early.".into())),
        difference(&["kdd"], &["B"], Why::Tried("smoothing".into())),
    ];
    let report = report(&experiment, &records);
    let md = text(&report, "tables/t.md");
    assert!(
        md.contains("**-2.15** ± 0.01<sup>a</sup>") || md.contains("**-2.15** ± 0.00<sup>a</sup>"),
        "{md}"
    );
    assert!(md.contains("| -2.31<sup>b</sup> |"), "{md}");
    let cause = "It stops too early (choice stopping; docs/evm.md#table-5).";
    assert!(md.contains(&format!("\n<sup>a</sup> {cause}\n")), "{md}");
    assert!(md.contains("\n<sup>b</sup> Not explained. Tried: smoothing (choice stopping"), "{md}");
    assert!(
        md.contains("cells against the paper: 1 rounding, 1 noise, 1 explained, 1 unexplained")
    );
    assert!(text(&report, "report.md").contains(cause));
    let tex = text(&report, "tables/t.tex");
    assert!(tex.contains("$-2.31^{\\mathrm{b}}$"), "{tex}");
    assert!(tex.contains("$^{\\mathrm{a}}$ It stops too early"), "{tex}");
    assert!(report.terminal.contains("-2.31ᵇ"), "{}", report.terminal);
    let raised = format!("ᵃ {}", cause.trim_end_matches('.'));
    assert!(report.terminal.contains(&raised), "{}", report.terminal);
    let counts = "cells: 1 rounding, 1 noise, 1 explained, 1 unexplained";
    assert!(report.summary.text().ends_with(counts), "{}", report.summary.text());
}

#[test]
fn one_cause_of_several_cells_is_one_note() {
    let (mut experiment, records) = example();
    let cause = Why::Cause("One.".into());
    experiment.differences =
        vec![difference(&["kdd"], &["B"], cause.clone()), difference(&["kdd"], &["A"], cause)];
    let md = text(&report(&experiment, &records), "tables/t.md");
    assert_eq!(md.matches("<sup>a</sup>").count(), 3, "{md}");
    assert!(!md.contains("<sup>b</sup>"), "{md}");
}

#[test]
fn a_note_on_a_cell_that_does_not_differ_is_an_error() {
    let (mut experiment, records) = example();
    let titles = |id: &str| id.to_owned();
    let cause = || Why::Cause("One.".into());
    experiment.differences = vec![
        difference(&["nltcs"], &["A", "B"], cause()),
        difference(&["kdd"], &["A"], cause()),
        difference(&["kdd"], &["none"], cause()),
    ];
    let errors = check_differences(&experiment, &records, &titles).unwrap_err();
    let messages: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
    let expected = |row: &str, column: &str| {
        format!("row `{row}`, column `{column}` of `t` can't be explained")
    };
    assert_eq!(messages, [expected("nltcs", "A"), expected("nltcs", "B"), expected("kdd", "none")]);
    insta::assert_snapshot!(reprise::document::render::text(&errors, false));
    assert!(build_report(&experiment, &records, &titles, &[]).is_err());
    // What has no value can't be said to agree.
    let none: Vec<Record> = vec![];
    experiment.differences.truncate(2);
    assert!(check_differences(&experiment, &none, &titles).is_ok());
    // Under a profile the numbers are others.
    experiment.id += "@smoke";
    assert!(check_differences(&experiment, &records, &titles).is_ok());
}

#[test]
fn noise_of_overlapping_training_sets_is_corrected() {
    let (mut experiment, records) = example();
    experiment.parts[0].split = SplitPlan::Resample { train: 200, test: 100, repeats: 3 };
    experiment.tables[0].sd = SdOver::StandardError;
    let row = rows(&report(&experiment, &records), "tables/t.csv").remove(0);
    // .01 sqrt(1 / 3 + 1 / 2); t(2, .975) = 4.302652729696142.
    let (sd, noise): (f64, f64) = (row["sd"].parse().unwrap(), row["noise"].parse().unwrap());
    assert!((sd - 0.009_128_709_291_752_768).abs() < 1e-12, "{sd}");
    assert!((noise - 0.039_277_667).abs() < 1e-8, "{noise}");
}
