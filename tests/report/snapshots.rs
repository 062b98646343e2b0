//! Everything that a person reads of a small experiment.

use reprise::report::claims::{Opponents, Wins};
use reprise::report::significance::WilcoxonPValue;
use reprise::run::{Cause, Record, Status};
use reprise::spec::*;

use crate::build::*;

/// Four methods on three data sets: one published only, one failed cell, one not run, a sample.
fn example() -> (Experiment, Vec<Record>) {
    let mut experiment =
        experiment(&["nltcs", "pumsb_star", "m-of-n"], &["MEVM", "NB & co", "*LTM", "CL"]);
    experiment.title = "Average test log-likelihood".into();
    experiment.published = vec![published(&[
        ("nltcs", "MEVM", -6.04),
        ("nltcs", "NB & co", -6.04),
        ("nltcs", "LTM", -6.46),
        ("nltcs", "CL", -6.76),
        ("pumsb_star", "LTM", -30.5),
        ("m-of-n", "MEVM", -2.13),
    ])];
    let kind = wilcoxon(WilcoxonPValue::Exact);
    experiment.tests = vec![test(&experiment, "wilcoxon", kind)];
    let mut likelihood = table(&experiment, "test_ll");
    likelihood.title = "Test log-likelihood, 100% of <data_sets>".into();
    likelihood.published = Some("published/t.csv".into());
    likelihood.bold = Some(in_bold("wilcoxon", 0.05, Procedure::Paper).into());
    let mut properties = table(&experiment, "variables");
    properties.id = "properties".into();
    properties.title = "Properties of the data sets".into();
    properties.columns = vec![AxisRef::Metric.into()];
    (properties.metric, properties.metrics) =
        (None, Some(vec![named("variables"), named("blocks")].into()));
    properties.methods = ids(&["MEVM"]);
    (properties.digits, properties.best, properties.sd) = (1, Best::None, SdOver::Sample);
    experiment.tables = vec![likelihood, properties];
    let claim = |id: &str, text: &str, check| ClaimSpec { text: text.into(), ..claim(id, check) };
    let wins = |right: &[&str], how_many| Wins {
        on: counted(all_datasets(&experiment), how_many),
        right: Opponents::Named(ids(right)).into(),
        left: "MEVM".into(),
        metric: named("test_ll"),
        or_tied: true.into(),
        margin: 0.0.into(),
        matters: 0.0.into(),
        negligible: 0.0.into(),
        significant: None,
    };
    experiment.claims = vec![
        claim(
            "chow-liu",
            "MEVM outperforms the Chow-Liu tree on every data set",
            wins(&["CL"], HowMany::All),
        ),
        claim(
            "all",
            "MEVM is at or above all others on one",
            wins(&["NB & co", "LTM"], HowMany::AtLeast(1)),
        ),
    ];
    let mut records = vec![];
    for (dataset, blocks, values) in [
        ("nltcs", [8.0, 9.0, 11.0], [-6.052, -6.048, -6.7593]),
        ("pumsb_star", [3.0, 3.0, 4.0], [-24.5, -25.1, -30.8]),
        ("m-of-n", [1.0, 2.0, 1.0], [-2.2, -2.1, -2.29]),
    ] {
        let [mevm, nb, cl] = values;
        let mevm = record(dataset, "MEVM", "test_ll", mevm);
        let variables = [16.0];
        records.push(mevm.sample("blocks", &blocks).sample("variables", &variables));
        records.push(record(dataset, "NB & co", "test_ll", nb));
        records.push(record(dataset, "CL", "test_ll", cl));
    }
    records[4] = records[4].clone().ended(Cause::Timeout);
    records[8] = records[8].clone().ended(Cause::GaveUp).edit(|record| {
        outcome(record).message = "column 3 | is constant".into();
    });
    records[2] = records[2].clone().not_run();
    (experiment, records)
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn tables_for_people() {
    let (experiment, records) = example();
    let report = report(&experiment, &records);
    insta::assert_snapshot!("table_csv", text(&report, "tables/t.csv"));
    insta::assert_snapshot!("table_md", text(&report, "tables/t.md"));
    insta::assert_snapshot!("table_tex", text(&report, "tables/t.tex"));
    insta::assert_snapshot!("properties_tex", text(&report, "tables/properties.tex"));
    insta::assert_snapshot!("terminal", report.terminal.to_string());
    insta::assert_snapshot!("report_md", text(&report, "report.md"));
    insta::assert_snapshot!("tests_csv", text(&report, "tests.csv"));
    insta::assert_snapshot!("claims_csv", text(&report, "claims.csv"));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn without_a_paper_claims_say_nothing_of_one() {
    let (mut experiment, records) = example();
    let header = |experiment: &Experiment| {
        let report = text(&report(experiment, &records), "report.md");
        report.lines().find(|line| line.starts_with("| Claim |")).unwrap().to_owned()
    };
    assert_eq!(header(&experiment), "| Claim | Source | Our numbers | The paper's numbers |");
    experiment.paper = None;
    assert_eq!(header(&experiment), "| Claim | Source | Our numbers |");
}

#[test]
fn wide_tables_are_broken_where_the_terminal_ends() {
    let ids: Vec<String> = (0..14).map(|at| format!("method-{at:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut experiment = experiment(&["nltcs"], &ids);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let records: Vec<Record> =
        ids.iter().map(|id| record("nltcs", id, "test_ll", -123.456)).collect();
    let terminal = report(&experiment, &records).terminal;
    for (width, blocks) in [(60, 4), (80, 3), (100, 2), (200, 1)] {
        let text = terminal.at(width);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert_eq!(text.matches("NLTCS").count(), blocks, "{text}");
        assert_eq!(text.matches("-123.46").count(), 14);
    }
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_summary_counts_trials_and_claims() {
    let (experiment, records) = example();
    let summary = report(&experiment, &records).summary;
    assert_eq!(summary.trials.of(Status::Ok), 6);
    assert_eq!(summary.trials.of(Status::Missing), 1);
    assert_eq!(
        summary.text(),
        "6 of 9 trials ok, 1 failed, 1 timeout, 1 missing; claims: 1 holds, 1 no evidence; cells: \
         3 no noise known"
    );
}
