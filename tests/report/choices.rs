//! What options change.

use reprise::contract::Assignment;
use reprise::contract::parameter::Value;
use reprise::spec::{Choice, Subject};

use crate::build::*;

fn choice(id: &str, options: &[&str]) -> Choice {
    let options: Vec<Value> = options.iter().map(|word| Value::Text((*word).into())).collect();
    Choice {
        id: id.into(),
        question: "How?".into(),
        subject: Subject::Methods(ids(&["MEVM"])),
        parameter: id.into(),
        chosen: options[0].clone(),
        options,
        why: "It fits.".into(),
        seen: false,
        datasets: ids(&["nltcs", "msnbc"]),
        methods: ids(&["MEVM"]),
        repeats: 2,
    }
}

#[test]
fn options_are_compared_over_the_repeats_that_they_ran() {
    let (mut experiment, mut records) = table5(0.0);
    experiment.choices = vec![choice("rule", &["sorted", "components"])];
    let trial = |repeat, value| record("nltcs", "MEVM", "test_ll", value).at(repeat, 0, "");
    records.retain(|record| record.trial.dataset != "nltcs" || record.trial.method != "MEVM");
    records.extend([trial(0, -6.0), trial(1, -6.5), trial(2, -9.0)]);
    records.extend([trial(0, -7.0), trial(1, -8.0)].map(|r| r.choice("rule=components")));
    let report = report(&experiment, &records);
    let get = |option: &str, dataset: &str| {
        row(
            &report,
            "choices.csv",
            &[("option", option), ("dataset", dataset), ("metric", "test_ll")],
        )
    };
    let chosen = get("sorted", "nltcs");
    assert_eq!((chosen["chosen"].as_str(), chosen["value"].as_str()), ("true", "-6.25"));
    assert_eq!((chosen["choice"].as_str(), chosen["published"].as_str()), ("rule", "-6.04"));
    assert_eq!((chosen["method"].as_str(), chosen["n"].as_str()), ("MEVM", "2"));
    let other = get("components", "nltcs");
    assert_eq!((other["chosen"].as_str(), other["value"].as_str()), ("false", "-7.5"));
    // It loses 1.25 on its two repeats; against the three of the table it would gain.
    assert_eq!((chosen["moves"].as_str(), other["moves"].as_str()), ("", "-1.25"));
    assert_eq!(get("components", "msnbc")["status"], "missing");
    // All three repeats feed the table.
    let value: f64 = cell(&report, "nltcs", "MEVM")["value"].parse().unwrap();
    assert!((value - -21.5 / 3.0).abs() < 1e-12);
    let page = text(&report, "report.md");
    assert!(page.contains("| Data set | Method | Metric | sorted (chosen) | components | paper |"));
    assert!(page.contains("| -6.25 ± 0.35 | -7.50 ± 0.71 | -6.04 |"), "{page}");
    assert!(page.contains("|\n\n±: standard deviation over repeats.\n"), "{page}");
}

#[test]
fn choices_that_were_not_planned_have_no_rows() {
    let (mut experiment, records) = table5(0.0);
    experiment.choices = vec![choice("rule", &["sorted", "components"])];
    assert!(rows(&report(&experiment, &records), "choices.csv").is_empty());
}

/// An option is told from options that are crossed, also where its text looks like theirs.
#[test]
fn an_option_that_looks_like_several_has_no_rows_of_others() {
    let (mut experiment, mut records) = table5(0.0);
    experiment.choices = vec![choice("rule", &["sorted", "a;b"])];
    let trial = record("nltcs", "MEVM", "test_ll", -6.5);
    records.push(trial.edit(|it| it.trial.choice = Assignment::of(&"rule".into(), "a;b")));
    let mut options: Vec<(String, String)> = rows(&report(&experiment, &records), "choices.csv")
        .iter()
        .map(|row| (row["choice"].clone(), row["option"].clone()))
        .collect();
    options.dedup();
    assert_eq!(options, [("rule", "sorted"), ("rule", "a;;b")].map(|(c, o)| (c.into(), o.into())));
}
