//! Nothing that reads a clock leaves `timing/`.

use reprise::base::layout::TIMING;
use reprise::report::claims::{Opponents, PValue, Pair, Wins};
use reprise::report::significance::{Sign, SignPValue};
use reprise::spec::{AxisRef, HowMany, PairBy, Procedure};

use crate::build::*;

fn timed(seconds: f64) -> reprise::report::Report {
    let (mut experiment, mut records) = table5(0.0);
    for (at, record) in records.iter_mut().enumerate() {
        let time = seconds * (1.0 + at as f64 / 7.0);
        outcome(record).times.insert(named("time:fit"), time);
    }
    let mut by_time = test(
        &experiment,
        "time",
        Sign { pairing: by(PairBy::Dataset), p_value: SignPValue::Exact },
    );
    by_time.design.metric = named("time:fit");
    by_time.design.methods = ids(&["MEVM", "NB"]);
    experiment.tests = vec![by_time];
    let mut marked = table(&experiment, "test_ll");
    marked.id = "marked-by-time".into();
    marked.bold = Some(in_bold("time", 0.05, Procedure::Paper).into());
    let mut times = table(&experiment, "time:fit");
    times.id = "times".into();
    let mut mixed = table(&experiment, "test_ll");
    mixed.id = "mixed".into();
    mixed.metrics = Some(vec![named("test_ll"), named("time:fit")].into());
    mixed.rows.push(AxisRef::Metric.into());
    experiment.tables.extend([marked, times, mixed]);
    let mut plot = dots();
    plot.values.y_log = true;
    let mut seconds = figure(&experiment, plot);
    let design = &mut seconds.design;
    (design.id, design.title) = ("seconds".into(), "Seconds".into());
    design.y = Some(named("time:fit"));
    experiment.figures = vec![seconds];
    let wins = Wins {
        on: counted(all_datasets(&experiment), HowMany::All),
        right: Opponents::Named(ids(&["NB"])).into(),
        left: "MEVM".into(),
        metric: named("time:fit"),
        or_tied: false.into(),
        margin: 0.0.into(),
        matters: 0.0.into(),
        negligible: 0.0.into(),
        significant: None,
    };
    let p_value = PValue {
        differ: false,
        matters: 0.0.into(),
        within: Some(0.0.into()),
        test: spanned("time"),
        pair: Pair { left: "MEVM".into(), right: spanned("NB") },
        below: Some(0.05),
        equals: None,
    };
    experiment.claims = vec![claim("faster", wins), claim("significantly", p_value)];
    report(&experiment, &records)
}

#[test]
fn times_change_files_under_timing_only() {
    let (slow, fast) = (timed(10.0), timed(0.01));
    assert!(slow.files.keys().eq(fast.files.keys()));
    let mut changed = 0;
    for (path, bytes) in &slow.files {
        if path.starts_with(TIMING) {
            changed += usize::from(*bytes != fast.files[path]);
        } else {
            assert_eq!(*bytes, fast.files[path], "{path}");
        }
    }
    assert!(changed > 3, "{changed}");
}

#[test]
fn what_reads_a_clock_is_under_timing() {
    let report = timed(1.0);
    let under: Vec<&str> =
        report.files.keys().filter_map(|path| path.strip_prefix(TIMING)).collect();
    assert_eq!(
        under,
        [
            "claims.csv",
            "figures/seconds.svg",
            "report.md",
            "tables/marked-by-time.csv",
            "tables/marked-by-time.md",
            "tables/marked-by-time.tex",
            "tables/mixed.csv",
            "tables/mixed.md",
            "tables/mixed.tex",
            "tables/times.csv",
            "tables/times.md",
            "tables/times.tex",
            "tests.csv",
        ]
    );
    assert_eq!(rows(&report, "timing/claims.csv").len(), 2);
    assert!(rows(&report, "claims.csv").is_empty());
    assert!(rows(&report, "tests.csv").is_empty());
    // MEVM's trial comes first on every data set, so it is faster on all twelve: 2 / 2^12.
    assert_eq!(rows(&report, "timing/tests.csv")[0]["p"], "0.000488281");
    assert!(!text(&report, "report.md").contains("faster"));
}
