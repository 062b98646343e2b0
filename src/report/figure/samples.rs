//! Figures that are hard to lay out, for the tests.

use super::{DotPlot, DotSeries, LinePlot, LineSeries, Look, Mark, RankPlot};

const DATASETS: [&str; 20] = [
    "NLTCS",
    "MSNBC",
    "KDDCup 2000",
    "Plants",
    "Audio",
    "Jester",
    "Netflix",
    "Accidents",
    "Retail",
    "Pumsb-star",
    "DNA",
    "Kosarek",
    "MSWeb",
    "Book",
    "EachMovie",
    "WebKB",
    "Reuters-52",
    "20 Newsgroups",
    "BBC",
    "Ad, a data set with quite a long name",
];

fn look(color: usize, hollow: bool) -> Look {
    Look { color, hollow }
}

fn mark(value: f64, half: f64) -> Mark {
    Mark { value, bar: Some((value - half, value + half)) }
}

pub fn lines() -> LinePlot {
    let curve = |color: usize, hollow: bool, label: &str, from: f64| LineSeries {
        label: label.to_owned(),
        look: look(color, hollow),
        points: [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
            .iter()
            .enumerate()
            .map(|(i, &x)| {
                let gap = if i == 3 && color == 2 { f64::NAN } else { 0.0 };
                (x, mark(from - 3.0 / (i + 1) as f64 + gap, 0.1 * (color + 1) as f64))
            })
            .collect(),
    };
    LinePlot {
        title: "Average test log-likelihood by the number of components".to_owned(),
        x_label: "components".to_owned(),
        y_label: "test log-likelihood (nats per example)".to_owned(),
        x_log: true,
        y_log: false,
        series: vec![
            curve(0, false, "MEVM", -6.0),
            curve(1, false, "NB", -6.5),
            curve(2, false, "LTM", -7.0),
            curve(0, true, "MEVM (paper)", -6.2),
        ],
    }
}

pub fn single_point() -> LinePlot {
    LinePlot {
        title: "One".to_owned(),
        x_label: String::new(),
        y_label: "seconds".to_owned(),
        x_log: false,
        y_log: true,
        series: vec![LineSeries {
            label: String::new(),
            look: look(0, false),
            points: vec![(20.0, Mark { value: 3.2, bar: None })],
        }],
    }
}

pub fn many_lines() -> LinePlot {
    let series = (0..20).map(|color| LineSeries {
        label: DATASETS[color].to_owned(),
        look: look(color, color % 2 == 1),
        points: (0..12)
            .map(|i| {
                let x = f64::from(i) * 1000.0;
                (x, mark(0.001 * (x + 10.0) * (color + 1) as f64, 10.0))
            })
            .collect(),
    });
    LinePlot {
        title: "Twenty data sets whose title is so long that it does not fit on one line of the \
                page and must be broken into several, each of them centred"
            .to_owned(),
        x_label: "training examples".to_owned(),
        y_label: "seconds".to_owned(),
        x_log: false,
        y_log: true,
        series: series.collect(),
    }
}

pub fn dots(rows: usize, series: usize) -> DotPlot {
    const LABELS: [&str; 4] = ["MEVM", "MEVM (paper)", "latent NB", "Chow-Liu tree (paper)"];
    DotPlot {
        title: "Test log-likelihood relative to MEVM".to_owned(),
        x_label: "difference of test log-likelihood (nats per example)".to_owned(),
        x_log: false,
        rows: DATASETS[..rows].iter().map(|&name| name.to_owned()).collect(),
        series: (0..series)
            .map(|s| DotSeries {
                label: LABELS[s].to_owned(),
                look: look(s / 2, s % 2 == 1),
                values: (0..rows)
                    .map(|row| match (row * 7 + s * 3) % 11 {
                        3 => None,
                        4 => Some(Mark { value: f64::NAN, bar: None }),
                        5 => Some(Mark { value: -1.0, bar: Some((f64::NEG_INFINITY, 0.0)) }),
                        size => Some(mark(-(size as f64) * 0.9 * s as f64, 0.5)),
                    })
                    .collect(),
            })
            .collect(),
        zero_line: true,
    }
}

pub fn ranks(methods: usize) -> RankPlot {
    const METHODS: [(&str, f64); 9] = [
        ("MEVM", 1.58),
        ("ACMN", 2.25),
        ("SPN", 2.2),
        ("NB", 2.67),
        ("latent tree model", 3.75),
        ("CL", 4.83),
        ("a", 6.0),
        ("b", 6.05),
        ("c", 8.5),
    ];
    RankPlot {
        title: "Mean ranks over 12 data sets (Friedman p = 0.00012, Nemenyi at 0.05)".to_owned(),
        methods: METHODS[..methods].iter().map(|&(name, r)| (name.to_owned(), r)).collect(),
        critical_difference: 1.66,
    }
}
