//! Figures: which numbers reach the drawing.

use reprise::contract::parameter::Value;
use reprise::report::figure::{CriticalDifference, Line};
use reprise::report::significance::{ByPairs, Friedman};
use reprise::spec::*;

use crate::build::*;

/// Lines over the components, a line each method.
fn lines() -> Line {
    Line {
        x: AxisRef::Sweep("components".into()).into(),
        x_log: false,
        dashed: None,
        values: by_method(),
    }
}

fn svg(experiment: &Experiment, records: &[reprise::run::Record]) -> String {
    text(&report(experiment, records), "figures/f.svg")
}

#[test]
fn dots_by_dataset_with_published_values() {
    let (mut experiment, records) = table5(0.0);
    let mut plot = dots();
    plot.values.published = Some("published/t.csv".into());
    experiment.figures = vec![figure(&experiment, plot.clone())];
    let drawn = svg(&experiment, &records);
    for words in ["A figure", "NLTCS", "MEVM", "LTM (published)", "Test log-likelihood (nats"] {
        assert!(drawn.contains(words), "{words}");
    }
    plot.values.relative_to = Some("CL".into());
    experiment.figures = vec![figure(&experiment, plot)];
    let relative = svg(&experiment, &records);
    assert!(relative.contains("minus that of CL"));
    assert!(!relative.contains(">CL<") && !relative.contains(">\nCL\n<"));
}

#[test]
fn lines_over_a_sweep_with_bars_over_repeats() {
    let mut experiment = experiment(&["a", "b"], &["M"]);
    let values = [1, 10, 100].map(Value::Integer).to_vec();
    experiment.methods[0].sweep = vec![Axis { name: "components".into(), values }];
    experiment.figures = vec![figure(&experiment, Line { x_log: true, ..lines() })];
    let mut records = vec![];
    for (at, dataset) in ["a", "b"].into_iter().enumerate() {
        for k in [1, 10, 100] {
            for repeat in 0..3 {
                let value = (at + repeat) as f64 - 1.0 / k as f64;
                let trial = record(dataset, "M", "test_ll", value).sweep("components", k);
                records.push(trial.at(repeat, 0, ""));
            }
        }
    }
    let drawn = svg(&experiment, &records);
    // Nothing is averaged over data sets: each has its line.
    for words in ["M, A", "M, B", "components", "95% t-intervals over repeats"] {
        assert!(drawn.contains(words), "{words}");
    }
}

#[test]
fn a_method_may_be_dashed() {
    let mut experiment = experiment(&["a"], &["M"]);
    let values = [1, 10].map(Value::Integer).to_vec();
    experiment.methods[0].sweep = vec![Axis { name: "components".into(), values }];
    experiment.figures = vec![figure(&experiment, lines())];
    let records = [1, 10]
        .map(|k| record("a", "M", "test_ll", f64::from(k)).sweep("components", i64::from(k)));
    // A dash is a line of its own.
    let strokes = |drawn: String| drawn.matches("<polyline").count();
    let whole = strokes(svg(&experiment, &records));
    let dashed = Line { dashed: Some(ids(&["M"])), ..lines() };
    experiment.figures = vec![figure(&experiment, dashed)];
    assert!(strokes(svg(&experiment, &records)) > whole + 5);
}

#[test]
fn mean_ranks_with_their_critical_difference() {
    let (mut experiment, records) = table5(0.0);
    experiment.tests = vec![test(&experiment, "ranks", FRIEDMAN)];
    let plot = CriticalDifference { test: spanned("ranks"), alpha: 0.05 };
    experiment.figures = vec![figure(&experiment, plot)];
    let drawn = svg(&experiment, &records);
    // Mean ranks by scipy.stats.rankdata: 1.333, 2.25, 2.667, 3.75.
    let said = "12 data sets; Friedman&apos;s test: p = 0.000063; alpha = 0.05";
    for words in ["MEVM", "1.33", "2.25", "LTM* (2.67)", "3.75", said, "* as published"] {
        assert!(drawn.contains(words), "{words}");
    }
    assert!(drawn.contains("critical difference"));
}

#[test]
fn wilcoxons_test_of_pairs_joins_what_it_does_not_tell_apart() {
    let (mut experiment, records) = table5(0.0);
    let kind = Friedman { pairs: ByPairs::Wilcoxon, ..FRIEDMAN };
    experiment.tests = vec![test(&experiment, "ranks", kind)];
    let plot = CriticalDifference { test: spanned("ranks"), alpha: 0.05 };
    experiment.figures = vec![figure(&experiment, plot)];
    let drawn = svg(&experiment, &records);
    assert!(drawn.contains("not told apart by Wilcoxon&apos;s test of the two"), "{drawn}");
    assert!(!drawn.contains("critical difference"));
}

#[test]
fn methods_that_friedmans_test_does_not_part_are_not_told_apart() {
    let (mut experiment, records) = table5(0.0);
    experiment.tests = vec![test(&experiment, "ranks", FRIEDMAN)];
    let plot = CriticalDifference { test: spanned("ranks"), alpha: 1e-5 };
    experiment.figures = vec![figure(&experiment, plot)];
    let drawn = svg(&experiment, &records);
    assert!(drawn.contains("test does not reject: no two methods are told apart"), "{drawn}");
    assert!(!drawn.contains("critical difference"));
}

#[test]
fn a_figure_without_values_is_named_in_the_report() {
    let (mut experiment, _) = table5(0.0);
    experiment.figures = vec![figure(&experiment, dots())];
    let report = report(&experiment, &[]);
    assert!(!report.files.contains_key("figures/f.svg"));
    assert!(text(&report, "report.md").contains("Not drawn: "));
}
