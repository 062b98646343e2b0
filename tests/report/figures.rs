//! Figures: which numbers reach the drawing.

use reprise::contract::parameter::Value;
use reprise::spec::*;

use crate::build::*;

fn figure(experiment: &Experiment, kind: FigureKind) -> FigureSpec {
    FigureSpec {
        id: "f".into(),
        title: "A figure".into(),
        kind,
        x: AxisRef::Dataset,
        y: named("test_ll"),
        series: AxisRef::Method,
        methods: all_methods(experiment),
        datasets: all_datasets(experiment),
        parts: strings(&[""]),
        x_label: None,
        y_label: None,
        x_log: false,
        y_log: false,
        dodge: false,
        dashed: vec![],
        relative_to: None,
        published: None,
        test: None,
    }
}

fn svg(experiment: &Experiment, records: &[reprise::run::Record]) -> String {
    text(&report(experiment, records), "figures/f.svg")
}

#[test]
fn dots_by_dataset_with_published_values() {
    let (mut experiment, records) = table5(0.0);
    let mut spec = figure(&experiment, FigureKind::Dot);
    spec.published = Some("published/t.csv".into());
    experiment.figures = vec![spec];
    let drawn = svg(&experiment, &records);
    for words in ["A figure", "NLTCS", "MEVM", "LTM (published)", "Test log-likelihood (nats"] {
        assert!(drawn.contains(words), "{words}");
    }
    experiment.figures[0].relative_to = Some("CL".into());
    let relative = svg(&experiment, &records);
    assert!(relative.contains("minus that of CL"));
    assert!(!relative.contains(">CL<") && !relative.contains(">\nCL\n<"));
}

#[test]
fn lines_over_a_sweep_with_bars_over_repeats() {
    let mut experiment = experiment(&["a", "b"], &["M"]);
    let values = [1, 10, 100].map(Value::Integer).to_vec();
    experiment.methods[0].sweep = vec![Axis { name: "components".into(), values }];
    let mut spec = figure(&experiment, FigureKind::Line);
    (spec.x, spec.x_log) = (AxisRef::Sweep("components".into()), true);
    experiment.figures = vec![spec];
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
    let mut spec = figure(&experiment, FigureKind::Line);
    spec.x = AxisRef::Sweep("components".into());
    experiment.figures = vec![spec];
    let records = [1, 10]
        .map(|k| record("a", "M", "test_ll", f64::from(k)).sweep("components", i64::from(k)));
    // A dash is a line of its own.
    let lines = |drawn: String| drawn.matches("<polyline").count();
    let whole = lines(svg(&experiment, &records));
    experiment.figures[0].dashed = strings(&["M"]);
    assert!(lines(svg(&experiment, &records)) > whole + 5);
}

#[test]
fn mean_ranks_with_their_critical_difference() {
    let (mut experiment, records) = table5(0.0);
    experiment.tests = vec![test(&experiment, "ranks", TestKind::Friedman)];
    let mut spec = figure(&experiment, FigureKind::CriticalDifference);
    spec.test = Some("ranks".into());
    experiment.figures = vec![spec];
    let drawn = svg(&experiment, &records);
    // Mean ranks by scipy.stats.rankdata: 1.333, 2.25, 2.667, 3.75.
    for words in ["MEVM", "1.33", "2.25", "2.67", "3.75"] {
        assert!(drawn.contains(words), "{words}");
    }
}

#[test]
fn a_figure_without_values_is_named_in_the_report() {
    let (mut experiment, _) = table5(0.0);
    experiment.figures = vec![figure(&experiment, FigureKind::Dot)];
    let report = report(&experiment, &[]);
    assert!(!report.files.contains_key("figures/f.svg"));
    assert!(text(&report, "report.md").contains("Not drawn: "));
}
