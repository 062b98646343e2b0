//! How cells stand to the paper's, and the notes on those that differ.

use reprise::contract::DatasetId;
use reprise::contract::parameter::Value;
use reprise::data::dealt::Dealt;
use reprise::data::split::SplitPlan;
use reprise::document::Spanned;
use reprise::report::{Findings, check_differences};
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
    let values = "published/moved.csv".to_owned();
    let shows = Shows {
        moves_to: Some(MovesTo::Experiment("evm/other".into(), values)),
        document: Some("docs/evm.md#table-5".into()),
    };
    Difference { table: "t".into(), rows: spanned(rows), columns: spanned(columns), why, shows }
}

/// The value of A on kdd in another experiment.
fn moved(to: f64) -> PublishedFile {
    PublishedFile { path: "published/moved.csv".into(), ..published(&[("kdd", "A", to)]) }
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
    experiment.published.push(moved(-2.104));
    assert_eq!(words(&experiment, &records), ["noise", "rounding", "explained", "unexplained"]);
}

#[test]
fn a_cause_shows_what_it_explains() {
    let (mut experiment, records) = example();
    experiment.differences = vec![difference(&["kdd"], &["A"], Why::Cause("One.".into()))];
    experiment.published.push(moved(0.0));
    // Ours is -2.15 where -2.10 is printed.
    for (to, agreement, share, note) in [
        (-2.104, "explained", "0.92", "<sup>a</sup> One (evm/other"),
        (-2.12, "in-part", "0.6", "<sup>a</sup> In part, 60% of the difference: One (evm/other"),
        (-2.13, "unexplained", "0.4", "<sup>a</sup> Not explained. Tried: One (evm/other"),
        (-2.04, "unexplained", "-0.2", "<sup>a</sup> Not explained. Tried: One (evm/other"),
    ] {
        *experiment.published.last_mut().unwrap() = moved(to);
        let report = report(&experiment, &records);
        let row = row(&report, "tables/t.csv", &[("row", "kdd"), ("column", "A")]);
        let found = ["agreement", "share", "moved"].map(|name| row[name].as_str());
        assert_eq!(found, [agreement, share, &to.to_string()]);
        let md = text(&report, "tables/t.md");
        assert!(md.contains(note), "{md}");
    }
}

#[test]
fn an_option_closes_a_share_of_the_difference_over_its_own_repeats() {
    let (mut experiment, mut records) = example();
    experiment.choices = vec![Choice {
        id: "stopping".into(),
        question: "When?".into(),
        subject: Subject::Methods(vec!["A".into()]),
        parameter: "tolerance".into(),
        chosen: Value::Real(1e-3),
        options: vec![Value::Real(1e-3), Value::Real(1e-4)],
        why: "It is printed.".into(),
        seen: false,
        datasets: vec!["kdd".into()],
        methods: vec!["A".into()],
        repeats: 1,
    }];
    let mut cause = difference(&["kdd"], &["A"], Why::Cause("One.".into()));
    let option = Some(Value::Real(1e-4));
    cause.shows.moves_to = Some(MovesTo::Choice("stopping".into(), option));
    experiment.differences = vec![cause];
    assert_eq!(words(&experiment, &records)[2], "unexplained", "its trials are missing");
    records.push(record("kdd", "A", "test_ll", -2.12).choice("stopping=0.0001"));
    let row =
        row(&report(&experiment, &records), "tables/t.csv", &[("row", "kdd"), ("column", "A")]);
    // From -2.145, which ours is in the first repeat; against the mean of three it would be 0.6.
    assert_eq!((row["agreement"].as_str(), row["share"].as_str()), ("in-part", "0.5556"));
}

#[test]
fn notes_are_marked_and_counted() {
    let (mut experiment, records) = example();
    experiment.differences = vec![
        difference(&["kdd"], &["A"], Why::Cause("It stops too early.".into())),
        difference(&["kdd"], &["B"], Why::Tried("smoothing".into())),
    ];
    experiment.published.push(moved(-2.104));
    let report = report(&experiment, &records);
    let md = text(&report, "tables/t.md");
    assert!(
        md.contains("**-2.15** ± 0.01<sup>a</sup>") || md.contains("**-2.15** ± 0.00<sup>a</sup>"),
        "{md}"
    );
    assert!(md.contains("| -2.31<sup>b</sup> |"), "{md}");
    let cause = "It stops too early (evm/other; docs/evm.md#table-5).";
    assert!(md.contains(&format!("\n<sup>a</sup> {cause}\n")), "{md}");
    assert!(md.contains("\n<sup>b</sup> Not explained. Tried: smoothing (evm/other"), "{md}");
    assert!(
        md.contains("cells against the paper: 1 rounding, 1 noise, 1 explained, 1 unexplained")
    );
    assert!(text(&report, "report.md").contains(cause));
    let tex = text(&report, "tables/t.tex");
    assert!(tex.contains("$-2.31^{\\mathrm{b}}$"), "{tex}");
    assert!(tex.contains("$^{\\mathrm{a}}$ It stops too early"), "{tex}");
    assert!(report.terminal.to_string().contains("-2.31ᵇ"), "{}", report.terminal);
    let raised = format!("ᵃ {}", cause.trim_end_matches('.'));
    assert!(report.terminal.to_string().contains(&raised), "{}", report.terminal);
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
    let titles = |id: &DatasetId| id.to_string();
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
    assert!(Findings::new(&experiment, &records, &titles, &[]).is_err());
    // What has no value can't be said to agree.
    let none: Vec<Record> = vec![];
    experiment.differences.truncate(2);
    assert!(check_differences(&experiment, &none, &titles).is_ok());
    // Under a profile the numbers are others.
    experiment.id += "@smoke";
    assert!(check_differences(&experiment, &records, &titles).is_ok());
}

#[test]
fn redivisions_of_one_data_set_have_the_noise_of_the_division_alone() {
    // t(2, .975) .01 / sqrt(3), and the prediction of one more run or of a mean of three more:
    // tests/reference/statistics.py
    let (interval, one, three) = (0.024_841_377, 0.049_682_754, 0.035_131_012);
    let resample = SplitPlan::Resample { train: 200, test: 100, repeats: 3 };
    for (split, prediction) in [
        (SplitPlan::Published, one),
        (SplitPlan::Redrawn { repeats: 3 }, one),
        (resample, three),
        (SplitPlan::CrossValidation { folds: 10, repeats: 3, dealt: Dealt::default() }, three),
        (SplitPlan::Folds, one),
    ] {
        let (mut experiment, records) = example();
        experiment.parts[0].split = split;
        let row = rows(&report(&experiment, &records), "tables/t.csv").remove(0);
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert!((number("noise") - interval).abs() < 1e-8, "{split:?}: {row:?}");
        assert!((number("prediction") - prediction).abs() < 1e-8, "{split:?}: {row:?}");
    }
}

#[test]
fn the_folds_of_one_division_are_no_noise() {
    let cross_validation =
        |repeats| SplitPlan::CrossValidation { folds: 10, repeats, dealt: Dealt::default() };
    let values = [-6.04, -6.15, -6.05, -6.06, -6.00];
    let of_repeat = |repeat: usize| {
        let folds = values.iter().enumerate();
        folds.map(move |(fold, value)| {
            let value = value + 0.01 * repeat as f64;
            record("nltcs", "A", "test_ll", value).at(repeat, fold, "")
        })
    };
    let (mut experiment, _) = example();
    let mut row = |split: SplitPlan, repeats: usize| {
        experiment.parts[0].split = split;
        let records: Vec<Record> = (0..repeats).flat_map(of_repeat).collect();
        rows(&report(&experiment, &records), "tables/t.csv").remove(0)
    };
    for split in [SplitPlan::Folds, SplitPlan::LeaveOneOut, cross_validation(1)] {
        let row = row(split, 1);
        assert_eq!((row["noise"].as_str(), row["predicted"].as_str()), ("", ""), "{split:?}");
        assert_eq!(row["agreement"], "no-noise-known", "{split:?}");
    }
    // The repeats are .01 apart, whatever their folds are: t(2, .975) .01 / sqrt(3).
    let noise: f64 = row(cross_validation(3), 3)["noise"].parse().unwrap();
    assert!((noise - 0.024_841_377).abs() < 1e-8, "{noise}");
}

#[test]
fn another_run_may_lie_where_the_papers_value_is() {
    let (mut experiment, records) = example();
    // Ours is -6.06 ± .0248, another run ± .0497; printed to .01.
    for (paper, agreement, predicted) in
        [(-6.04, "noise", "true"), (-6.01, "unexplained", "true"), (-6.0, "unexplained", "false")]
    {
        experiment.published[0].values[0].value = paper;
        let row = rows(&report(&experiment, &records), "tables/t.csv").remove(0);
        let found = (row["agreement"].as_str(), row["predicted"].as_str());
        assert_eq!(found, (agreement, predicted), "{paper}");
    }
    let md = text(&report(&experiment, &records), "tables/t.md");
    let note = "of 2 cells with noise, 0 have the paper's value where another run by our procedure would lie (95%)";
    assert!(md.contains(note), "{md}");
}

#[test]
fn cells_that_nobody_speaks_of_are_named() {
    let (mut experiment, records) = example();
    let named = "differ without a cause or anything tried: KDD / ";
    let page = text(&report(&experiment, &records), "report.md");
    assert!(page.contains(&format!("{named}A, KDD / B")), "{page}");
    experiment.differences = vec![difference(&["kdd"], &["A"], Why::Tried("smoothing".into()))];
    let page = text(&report(&experiment, &records), "report.md");
    assert!(page.contains(&format!("{named}B")), "{page}");
}
