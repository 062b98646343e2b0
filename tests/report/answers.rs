//! What a reader asks first: who wins, whether that was shown, and how far claims are from their opposites.

use reprise::report::claims::{Equivalent, Pair, Wins};
use reprise::report::figure::claimed;
use reprise::report::significance::WilcoxonPValue;
use reprise::report::significance::{Equivalence as Tost, EquivalenceForm};
use reprise::run::Record;
use reprise::spec::*;
use reprise::stats::Correction;

use crate::build::*;
use crate::claims::wins;

fn answers(experiment: &Experiment, records: &[Record]) -> Vec<String> {
    found(experiment, records, |findings| findings.answers())
}

#[test]
fn a_table_says_who_is_first_and_whether_a_test_shows_it() {
    // By the numbers that the paper prints: MEVM on 9 of 12, on two of them with NB.
    let (mut experiment, records) = table5(0.0);
    let first = "MEVM has the highest test log-likelihood on 9 of 12 data sets. ";
    assert_eq!(
        answers(&experiment, &records),
        [format!("{first}No test says whether that is more than chance.")]
    );
    let mut kind = test(&experiment, "w", wilcoxon(WilcoxonPValue::Normal));
    kind.design.methods = ids(&["MEVM", "NB", "CL"]);
    kind.design.reference = Some("MEVM".into());
    experiment.tests = vec![kind];
    // p = 0.0108 and 0.0022: scipy.stats.wilcoxon(zero_method="wilcox", method="approx").
    assert_eq!(
        answers(&experiment, &records),
        [format!("{first}Wilcoxon signed-rank at 0.05: better than CL and NB.")]
    );
    // Of what was not compared nothing is said.
    let without: Vec<Record> =
        records.iter().filter(|record| record.trial.method != "CL").cloned().collect();
    assert_eq!(
        answers(&experiment, &without),
        [format!("{first}Wilcoxon signed-rank at 0.05: better than NB.")]
    );
    experiment.tables[0].metric = Some(named("blocks").into());
    // It is neither good nor bad: what a test shows is said instead.
    let shown = answers(&experiment, &records);
    assert!(shown.len() == 1 && shown[0].starts_with("MEVM has a higher"), "{shown:?}");
    experiment.tests.clear();
    assert_eq!(answers(&experiment, &records), Vec::<String>::new(), "there is no test");
    experiment.claims = vec![claim("beats", wins(&["CL"], HowMany::All, false))];
    let claimed = answers(&experiment, &records);
    assert!(claimed.len() == 1 && claimed[0].starts_with("MEVM has a higher"), "{claimed:?}");
}

#[test]
fn ties_are_said_and_where_nobody_is_behind_nothing_is() {
    let mut experiment = experiment(&["a", "b"], &["M", "N"]);
    experiment.tables = vec![table(&experiment, "test_ll")];
    let of = |values: [f64; 4]| {
        let places = [("a", "M"), ("a", "N"), ("b", "M"), ("b", "N")];
        places.iter().zip(values).map(|((d, m), v)| record(d, m, "test_ll", v)).collect::<Vec<_>>()
    };
    let tied = answers(&experiment, &of([-1.0, -2.0, -2.0, -1.0]));
    assert_eq!(tied, ["M and N have the highest test log-likelihood on 1 of 2 data sets each."]);
    assert!(answers(&experiment, &of([-1.0; 4])).is_empty());
    let won = answers(&experiment, &of([-1.0, -2.0, -1.0, -2.0]));
    assert!(
        won[0].starts_with("M has the highest test log-likelihood on both data sets."),
        "{won:?}"
    );
    // Where rows are methods too.
    experiment.tables[0].rows = vec![AxisRef::Method.into()];
    experiment.tables[0].columns = vec![AxisRef::Metric.into()];
    (experiment.tables[0].best_along, experiment.tables[0].datasets) = (Along::Column, ids(&["a"]));
    experiment.tables[0].metrics = Some(vec![named("test_ll")].into());
    let won = answers(&experiment, &of([-1.0, -2.0, -1.0, -2.0]));
    assert_eq!(
        won,
        ["M has the highest test log-likelihood. No test says whether that is more than chance."]
    );
    experiment.tables[0].methods = ids(&["M"]);
    assert!(answers(&experiment, &of([-1.0, -2.0, -1.0, -2.0])).is_empty());
}

/// Its rows are methods and its only column is a metric: of its data sets no cell tells.
#[test]
fn a_table_of_one_data_set_asks_the_tests_on_it() {
    let mut experiment = experiment(&["a", "b"], &["M", "N"]);
    let mut kind = wilcoxon(WilcoxonPValue::Exact);
    kind.pairing.unit.pair_by = PairBy::Repeat;
    experiment.tests = vec![test(&experiment, "w", kind)];
    experiment.tables = vec![table(&experiment, "test_ll")];
    let shown = &mut experiment.tables[0];
    (shown.rows, shown.columns) = (vec![AxisRef::Method.into()], vec![AxisRef::Metric.into()]);
    (shown.best_along, shown.datasets) = (Along::Column, ids(&["a"]));
    shown.metrics = Some(vec![named("test_ll")].into());
    let mut records = vec![];
    for repeat in 0..6 {
        let noise = 0.01 * repeat as f64;
        for (dataset, method, value) in [
            ("a", "M", -1.0 + noise),
            ("a", "N", -2.0 - noise * noise),
            ("b", "M", -3.0),
            ("b", "N", -2.0 + noise),
        ] {
            records.push(record(dataset, method, "test_ll", value).at(repeat, 0, ""));
        }
    }
    assert_eq!(
        answers(&experiment, &records),
        ["M has the highest test log-likelihood. Wilcoxon signed-rank at 0.05: better than N."]
    );
}

/// What a claim hangs on is positive on its side, whatever the metric's good side is and however often it must be so.
#[test]
fn claims_by_tests_stand_on_their_side_of_the_axis() {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    experiment.tests = vec![];
    let metric = named("test_npll");
    let mut records = vec![];
    for repeat in 0..6 {
        let noise = 0.01 * f64::from(repeat);
        for (method, value) in [("M", 1.0 + noise), ("N", 2.0 + noise * noise)] {
            records.push(record("a", method, metric.name, value).at(repeat as usize, 0, ""));
        }
    }
    let mut paired = test(
        &experiment,
        "t",
        reprise::report::significance::PairedT { pairing: by(PairBy::Repeat) },
    );
    (paired.design.metric, paired.design.word) = (metric, "paired-t");
    let tost = Tost {
        unit: unit(PairBy::Repeat, Dependent::Refused),
        margin: 1.5,
        form: EquivalenceForm::T,
        correcting: corrected(Correction::None),
        level: 0.9,
    };
    let mut alike = test(&experiment, "e", tost);
    (alike.design.metric, alike.design.word) = (metric, "equivalence");
    experiment.tests = vec![paired, alike];
    let better = |left: &str, right: &str, how_many| Wins {
        left: left.into(),
        metric,
        on: counted(ids(&["a"]), how_many),
        significant: Some(bold("t", 0.05)),
        ..wins(&[right], HowMany::All, false)
    };
    let equivalent = Equivalent {
        pair: Pair { left: "M".into(), right: spanned("N") },
        metric,
        margin: None,
        on: counted(ids(&["a"]), HowMany::All),
        significant: Some(Equivalence { test: spanned("e"), alpha: 0.05.into() }),
    };
    experiment.claims = vec![
        claim("smaller", better("M", "N", HowMany::All)),
        claim("larger", better("N", "M", HowMany::All)),
        claim("never", better("N", "M", HowMany::AtMost(0))),
        claim("alike", equivalent),
    ];
    let found = found(&experiment, &records, |findings| {
        let claims: Vec<_> = findings.claims.iter().collect();
        let strength = |claim: &&_| -> (Verdict, f64) {
            let claim: &reprise::report::claims::Claim<'_> = claim;
            (claim.ours.verdict, claim.ours.strength.unwrap().value)
        };
        (claims.iter().map(strength).collect::<Vec<_>>(), claimed("Claims", &claims).unwrap())
    });
    // The mean difference is 1 - .025 + mean of (.01 k)^2 = .9759 (k = 0..5).
    let by = 1.0 - 0.025 + 0.0055 / 6.0;
    for ((verdict, value), (expected, at)) in found.0.iter().zip([
        (Verdict::Holds, by),
        (Verdict::Fails, -by),
        (Verdict::Holds, by),
        (Verdict::Holds, 1.5 - by),
    ]) {
        assert_eq!(*verdict, expected);
        assert!((value - at).abs() < 1e-9, "{value} {at}");
    }
    let picture = found.1;
    for says in [
        "smaller: holds",
        "larger: fails",
        "data-series=\"ours\" data-at=\"larger\"",
        "left: fails, right: holds",
    ] {
        assert!(picture.contains(says), "{says}: {picture}");
    }
    assert!(!picture.contains("data-series=\"as published\""));
}

#[test]
fn a_claim_without_an_interval_says_its_number_in_the_picture() {
    let (mut experiment, records) = table5(0.0);
    experiment.claims = vec![
        claim("beats", wins(&["CL"], HowMany::All, false)),
        claim("missing", Wins { metric: named("train_ll"), ..wins(&["CL"], HowMany::All, false) }),
    ];
    let picture = found(&experiment, &records, |findings| {
        claimed("Claims", &findings.claims.iter().collect::<Vec<_>>()).unwrap()
    });
    // The least advantage over CL is .07, on book.
    for says in
        ["beats: holds", "by 0.07, no interval", "missing: no evidence", "values are missing"]
    {
        assert!(picture.contains(says), "{says}: {picture}");
    }
}
