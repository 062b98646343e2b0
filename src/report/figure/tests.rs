//! What holds for every kind of figure, on figures that are hard to lay out.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;
#[cfg(feature = "pictures")]
use resvg::tiny_skia::Pixmap;

use super::canvas::text_width;
use super::*;
use crate::claims::{Claim, ValueNear};
use contract::LatentTree;
use math::special::{cos, sin};
use miette::Diagnostic as _;
use spec::{Basis, ClaimSpec, Finding, Mark, Panel, Strength, Verdict};
use task::boundary::curve::Curve;
use task::boundary::picture::{Group, Plane};
use task::confusion::Confusion;
use task::metrics::TEST_EXAMPLES;
use task::picture::Picture;

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

fn axis(name: &str, log: bool) -> Axis {
    Axis::all(name.to_owned(), log)
}

fn mark(value: f64, half: f64) -> Mark {
    Mark { value, bar: Some((value - half, value + half)) }
}

fn lines() -> LinePlot {
    let curve = |color: usize, hollow: bool, label: &str, from: f64| Series {
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
        x: axis("components", true),
        y: axis("test log-likelihood (nats per example)", false),
        series: vec![
            curve(0, false, "MEVM", -6.0),
            curve(1, false, "NB", -6.5),
            curve(2, false, "LTM", -7.0),
            curve(0, true, "MEVM (paper)", -6.2),
        ],
        joined: true,
    }
}

fn single_point() -> LinePlot {
    LinePlot {
        title: "One".to_owned(),
        x: axis("", false),
        y: axis("seconds", true),
        series: vec![Series {
            label: String::new(),
            look: look(0, false),
            points: vec![(20.0, Mark { value: 3.2, bar: None })],
        }],
        joined: true,
    }
}

fn many_lines() -> LinePlot {
    let series = (0..20).map(|color| Series {
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
        x: axis("training examples", false),
        y: axis("seconds", true),
        series: series.collect(),
        joined: true,
    }
}

fn dots(rows: usize, series: usize) -> DotPlot {
    const LABELS: [&str; 4] = ["MEVM", "MEVM (paper)", "latent NB", "Chow-Liu tree (paper)"];
    DotPlot {
        title: "Test log-likelihood relative to MEVM".to_owned(),
        x: axis("difference of test log-likelihood (nats per example)", false),
        rows: DATASETS[..rows].iter().map(|&name| (name.to_owned(), None)).collect(),
        series: (0..series)
            .map(|s| Series {
                label: LABELS[s].to_owned(),
                look: look(s / 2, s % 2 == 1),
                points: (0..rows)
                    .filter_map(|row| {
                        let mark = match (row * 7 + s * 3) % 11 {
                            3 => return None,
                            4 => Mark { value: f64::NAN, bar: None },
                            5 => Mark { value: -1.0, bar: Some((f64::NEG_INFINITY, 0.0)) },
                            size => mark(-(size as f64) * 0.9 * s as f64, 0.5),
                        };
                        Some((row as f64, mark))
                    })
                    .collect(),
            })
            .collect(),
        zero_line: true,
    }
}

fn ranks(methods: usize) -> RankPlot {
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
        title: "Mean ranks of density estimators".to_owned(),
        methods: METHODS[..methods]
            .iter()
            .map(|&(name, rank)| Ranked { label: name.to_owned(), rank, quoted: name == "SPN" })
            .collect(),
        n: 12,
        p: 0.000_12,
        alpha: 0.05,
        apart: Apart::Critical(1.66),
    }
}

/// Panels of a line and a circle among points with outliers; the last one has no picture.
fn boundaries(panels: usize) -> PicturePlot {
    let group = |class: &str, outliers: bool, coordinates: &[f64]| Group {
        class: class.to_owned(),
        outliers,
        coordinates: coordinates.to_vec(),
    };
    let circle = (0..=24).map(|step| {
        let angle = f64::from(step) * std::f64::consts::PI / 12.0;
        [1.5 * cos(angle), 1.5 * sin(angle)]
    });
    let picture = Plane {
        window: [-3.0, 3.0, -2.0, 2.0],
        points: vec![
            group("negative", false, &[-1.0, -1.0, -1.5, 0.5, -0.5, -0.7]),
            group("positive", false, &[1.0, 1.0, 2.0, -0.5, 0.5, 1.2]),
            group("positive", true, &[-2.5, -1.5, -2.6, -1.6]),
        ],
        curves: vec![
            ("without outliers".to_owned(), Curve { lines: vec![vec![[-2.0, 2.0], [2.0, -2.0]]] }),
            ("with outliers".to_owned(), Curve { lines: vec![circle.collect()] }),
        ],
    };
    let panel = |place: usize| Panel {
        label: format!("Student-t process, {place} degrees of freedom"),
        note: "displacement 0.123".to_owned(),
        picture: if place + 1 == panels && panels > 1 {
            Err("failed")
        } else {
            Ok(Picture::Plane(picture.clone()))
        },
    };
    PicturePlot {
        title: "Decision boundaries with and without outliers".to_owned(),
        panels: (0..panels).map(panel).collect(),
    }
}

/// Panels whose boundaries have names of their own.
fn orders() -> PicturePlot {
    let mut plot = boundaries(2);
    plot.panels[1] = plot.panels[0].clone();
    for (place, panel) in plot.panels.iter_mut().enumerate() {
        let Ok(Picture::Plane(picture)) = &mut panel.picture else { panic!("a picture") };
        picture.curves.iter_mut().enumerate().for_each(|(at, (name, _))| {
            *name = format!("order {}", 10 * place + at);
        });
    }
    plot
}

/// Two panels of few and of many classes, and one without a matrix.
fn confusions(classes: usize) -> PicturePlot {
    let of = |classes: usize| {
        let names =
            (0..classes).map(|class| format!("class number {class} with a long, long name"));
        let names: Vec<String> = names.map(|name| name[13..].to_owned()).collect();
        let labels: Vec<u32> = (0..40 * classes as u32).map(|at| at % classes as u32).collect();
        let predicted: Vec<u32> = labels
            .iter()
            .enumerate()
            .map(|(at, label)| match at % 7 {
                0 => (label + at as u32 / 7) % classes as u32,
                _ => *label,
            })
            .collect();
        Ok(Picture::Confusion(Confusion::of(&labels, &predicted, &names)))
    };
    let panel = |label: &str, picture| Panel {
        label: label.to_owned(),
        note: "accuracy 0.857".to_owned(),
        picture,
    };
    let panels = vec![
        panel("nearest neighbours", of(2)),
        panel("naive Bayes", of(classes)),
        panel("a tree", Err("failed")),
    ];
    PicturePlot { title: "Who is taken for whom".to_owned(), panels }
}

/// Panels of a forest, of one node and without a tree.
fn trees() -> PicturePlot {
    let forest = [[0, 6], [1, 6], [6, 2], [2, 7], [7, 3], [7, 4]];
    let of = |observed, hidden, edges: &[[u32; 2]]| {
        Ok(Picture::Tree(LatentTree::new(observed, hidden, edges.to_vec()).unwrap()))
    };
    let panel = |label: &str, picture| Panel {
        label: label.to_owned(),
        note: "Robinson-Foulds distance 0.25".to_owned(),
        picture,
    };
    PicturePlot {
        title: "Trees that were learned".to_owned(),
        panels: vec![
            panel("CLRG with a long, long name, n = 1000", of(6, 2, &forest)),
            panel("BIN", of(1, 0, &[])),
            panel("NJ", Err("out of time")),
        ],
    }
}

/// Rows and lines of which much lies beyond the ends of their axes.
fn cut() -> (DotPlot, LinePlot) {
    let (mut rows, mut plot) = (dots(6, 3), lines());
    rows.x.clip = (-8.0, 0.0);
    rows.rows[3].1 = Some("no value: failed".to_owned());
    plot.y.clip = (-7.5, -7.0);
    (rows, plot)
}

/// Claims of every verdict, near and far, with and without an interval.
fn claims() -> String {
    use Verdict::{Fails, Holds, NoEvidence, NotShown};
    let check = Arc::new(ValueNear {
        method: "M".into(),
        dataset: "d".into(),
        metric: &TEST_EXAMPLES,
        value: 0.0,
        within: 1.0,
    });
    let found = |verdict, strength: Option<(f64, f64)>| Finding {
        strength: strength.map(|(value, half)| {
            let interval = (half > 0.0).then_some((value - half, value + half));
            Strength { value, interval }
        }),
        ..Finding::of(verdict, Basis::Values, "")
    };
    let specs = [
        ("a", Holds, Some((0.3, 0.2)), Holds, Some((0.9, 0.1))),
        ("far-on-both-sides", Fails, Some((-9.0, 0.1)), Holds, Some((8.0, 0.1))),
        ("far-twice", Holds, Some((13.0, 1.0)), Holds, Some((6.1, 0.0))),
        (
            "a-claim-with-quite-a-long-name-that-goes-on",
            NotShown,
            Some((0.0, 1.0)),
            NoEvidence,
            None,
        ),
        ("missing", NoEvidence, None, NoEvidence, None),
        ("counted", Fails, None, NoEvidence, None),
        ("exact", Holds, Some((1e-5, 0.0)), NoEvidence, None),
    ]
    .map(|(id, ours, by, published, printed)| {
        let [id, text, source] = [id, "", ""].map(str::to_owned);
        let spec = ClaimSpec {
            id,
            text,
            source: source.into(),
            part: None,
            printed: None,
            check: check.clone(),
        };
        (spec, found(ours, by), found(published, printed))
    });
    let claims = specs.each_ref().map(|(spec, ours, published)| Claim {
        spec,
        ours: ours.clone(),
        published: published.clone(),
        timing: false,
    });
    claimed("How far each claim is from its opposite", &claims.iter().collect::<Vec<_>>()).unwrap()
}

fn gallery() -> Vec<(&'static str, String)> {
    let mut unnamed = single_point();
    unnamed.title = "A title longer than the figure is wide, \
                     which it would be without its line breaks and legend"
        .to_owned();
    let mut two = ranks(2);
    two.methods[1].label = "z".to_owned();
    let alike = RankPlot { p: 0.14, ..ranks(6) };
    vec![
        ("lines", line(&lines()).unwrap()),
        ("single point", line(&unnamed).unwrap()),
        ("many lines", line(&many_lines()).unwrap()),
        ("20 rows", dot(&dots(20, 4)).unwrap()),
        ("20 rows of one series", dot(&dots(20, 1)).unwrap()),
        ("one row", dot(&dots(1, 3)).unwrap()),
        ("one method", critical_difference(&ranks(1)).unwrap()),
        ("two methods", critical_difference(&two).unwrap()),
        ("six methods", critical_difference(&ranks(6)).unwrap()),
        ("six methods that are alike", critical_difference(&alike).unwrap()),
        ("nine methods", critical_difference(&ranks(9)).unwrap()),
        ("one panel", boundary(&boundaries(1)).unwrap()),
        ("three panels", boundary(&boundaries(3)).unwrap()),
        ("five panels", boundary(&boundaries(5)).unwrap()),
        ("orders", boundary(&orders()).unwrap()),
        ("three classes", confusion_matrix(&confusions(3)).unwrap()),
        ("12 classes", confusion_matrix(&confusions(12)).unwrap()),
        ("24 classes", confusion_matrix(&confusions(24)).unwrap()),
        ("40 classes", confusion_matrix(&confusions(40)).unwrap()),
        ("90 classes", confusion_matrix(&confusions(90)).unwrap()),
        ("trees", tree(&trees()).unwrap()),
        ("claims", claims()),
    ]
}

/// Text and the rectangle it covers, in the SVG's own units.
fn texts(svg: &str) -> Vec<(String, Range<f64>, Range<f64>)> {
    let number = |tag: &str, name: &str| -> f64 {
        let value = tag.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
        value.parse().unwrap()
    };
    svg.split("<text")
        .skip(1)
        .map(|element| {
            let (tag, rest) = element.split_once('>').unwrap();
            let text = rest.split("</text>").next().unwrap().trim().to_owned();
            let size = number(tag, "font-size");
            let width = text_width(&text, size);
            let start = match () {
                () if tag.contains("\"start\"") => 0.0,
                () if tag.contains("\"middle\"") => -width / 2.0,
                () => -width,
            };
            let along = start..start + width;
            let across = -size / 2.0..size / 2.0;
            let (right, down) =
                if tag.contains("rotate") { (across, along) } else { (along, across) };
            let (x, y) = (number(tag, "x"), number(tag, "y"));
            (text, x + right.start..x + right.end, y + down.start..y + down.end)
        })
        .collect()
}

#[test]
fn universes_stand_by_their_effects_with_intervals_and_what_is_published() {
    let plot = SpecificationPlot {
        title: "Universes".to_owned(),
        effect: "effect".to_owned(),
        universes: vec![
            (0, mark(0.25, 0.125), vec![0, 2]),
            (1, mark(-0.5, 0.25), vec![1, 3]),
            (2, Mark { value: 0.125, bar: None }, vec![0, 3]),
        ],
        options: ["b = 1", "b = 2", "a = 1", "a = 2"].map(str::to_owned).to_vec(),
        published: Some(0.75),
    };
    let svg = specification(&plot).unwrap();
    let in_order = |texts: &[&str]| {
        let found: Vec<usize> = texts
            .iter()
            .map(|text| svg.find(text).unwrap_or_else(|| panic!("{text}: {svg}")))
            .collect();
        assert!(found.is_sorted(), "{texts:?}: {found:?}");
    };
    in_order(&["universe 1 ", "universe 2 ", "universe 0 "]);
    // Every other row is on a band, the first to begin with.
    in_order(&["#F6F6F6", "b = 1", "b = 2", "a = 1", "a = 2"]);
    in_order(&["-0.5 [-0.75, -0.25]", "0.125</title>", "0.25 [0.125, 0.375]"]);
    in_order(&["the chosen one", "as published"]);
    let unknown = SpecificationPlot { published: None, ..plot };
    assert!(!specification(&unknown).unwrap().contains("as published"));
}

#[test]
fn no_text_leaves_the_page_or_covers_another() {
    for (name, svg) in gallery() {
        let page = svg.split("viewBox=\"0 0 ").nth(1).unwrap().split('"').next().unwrap();
        let (width, height) = page.split_once(' ').unwrap();
        let (width, height): (f64, f64) = (width.parse().unwrap(), height.parse().unwrap());
        let texts = texts(&svg);
        assert!(texts.len() > 3, "{name}");
        for (i, (text, x, y)) in texts.iter().enumerate() {
            let inside = x.start >= 0.0 && x.end <= width && y.start >= 0.0 && y.end <= height;
            assert!(inside, "{name}: {text} at {x:?}, {y:?} on {width} by {height}");
            for (other, ox, oy) in &texts[i + 1..] {
                let apart = x.end <= ox.start
                    || ox.end <= x.start
                    || y.end <= oy.start
                    || oy.end <= y.start;
                assert!(apart, "{name}: {text} covers {other}");
            }
        }
    }
}

/// The bytes are the same on every machine.
#[test]
fn figures_have_fixed_bytes() {
    insta::assert_snapshot!("line", line(&lines()).unwrap());
    let apart = line(&LinePlot { joined: false, ..lines() }).unwrap();
    assert!(
        lines().series.iter().all(|of| apart.contains(&format!("data-series=\"{}\"", of.label)))
    );
    assert!(
        apart.matches("<polyline").count() < line(&lines()).unwrap().matches("<polyline").count()
    );
    insta::assert_snapshot!("dot", dot(&dots(3, 3)).unwrap());
    insta::assert_snapshot!("boundary", boundary(&boundaries(2)).unwrap());
    insta::assert_snapshot!("confusion", confusion_matrix(&confusions(3)).unwrap());
    insta::assert_snapshot!("critical_difference", critical_difference(&ranks(5)).unwrap());
    insta::assert_snapshot!("tree", tree(&trees()).unwrap());
    let (rows, lines) = cut();
    insta::assert_snapshot!("cut_dot", dot(&rows).unwrap());
    insta::assert_snapshot!("cut_line", line(&lines).unwrap());
    insta::assert_snapshot!("claimed", claims());
}

#[test]
#[cfg(not(feature = "pictures"))]
fn without_the_feature_pictures_are_refused() {
    for picture in Export::ALL {
        assert!(matches!(picture.of("<svg/>"), Err(FigureError::WithoutPictures)));
    }
}

#[test]
#[cfg(feature = "pictures")]
fn png_shows_the_text_with_the_embedded_font() {
    let svg = dot(&dots(1, 1)).unwrap();
    let png = |svg: &str| Export::Png.of(svg).unwrap();
    let image = png(&svg);
    assert_eq!(image, png(&svg));
    let pixels = Pixmap::decode_png(&image).unwrap();
    let width: u32 = svg.split('"').nth(1).unwrap().parse().unwrap();
    assert_eq!(pixels.width(), 2 * width);
    // The same figure without its text elements has less ink.
    let mute: String = svg.split("<text").enumerate().fold(String::new(), |kept, (i, part)| {
        kept + if i == 0 { part } else { part.split_once("</text>").unwrap().1 }
    });
    let ink = |image: &[u8]| {
        let image = Pixmap::decode_png(image).unwrap();
        image.pixels().iter().filter(|pixel| pixel.red() < 100).count()
    };
    let (with, without) = (ink(&image), ink(&png(&mute)));
    assert!(with > without + 500, "{with} dark pixels with text, {without} without");
}

#[test]
#[cfg(feature = "pictures")]
fn pdf_is_one_page_with_text() {
    let svg = dot(&dots(1, 1)).unwrap();
    let page = Export::Pdf.of(&svg).unwrap();
    assert_eq!(page, Export::Pdf.of(&svg).unwrap());
    let text = String::from_utf8_lossy(&page);
    let size = |at: usize| 0.75 * svg.split('"').nth(at).unwrap().parse::<f32>().unwrap();
    let media = format!("/MediaBox[0 0 {} {}]", size(1), size(3));
    for part in [media.as_str(), "/Count 1", "/Type/Font"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
#[cfg(feature = "pictures")]
fn a_picture_of_something_else_is_an_error() {
    for picture in Export::ALL {
        assert!(matches!(picture.of("no svg"), Err(FigureError::Render(_))));
    }
    let huge = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1e9\" height=\"1e9\"/>";
    assert!(matches!(Export::Png.of(huge), Err(FigureError::Render(_))));
}

#[test]
fn nothing_to_draw_is_an_error() {
    let mut plot = single_point();
    plot.series[0].points = vec![(1.0, Mark { value: f64::NAN, bar: None })];
    let error = line(&plot).unwrap_err();
    assert_eq!(error.to_string(), "figure \"One\" has no value to draw");
    assert!(error.help().is_some());
    plot.series.clear();
    assert!(matches!(line(&plot), Err(FigureError::Empty { .. })));
    assert!(matches!(dot(&dots(0, 2)), Err(FigureError::Empty { .. })));
    assert!(matches!(dot(&dots(2, 0)), Err(FigureError::Empty { .. })));
    assert!(matches!(critical_difference(&ranks(0)), Err(FigureError::Empty { .. })));
    assert!(matches!(boundary(&boundaries(0)), Err(FigureError::Empty { .. })));
    let mut none = confusions(3);
    none.panels.drain(..2);
    assert!(matches!(confusion_matrix(&none), Err(FigureError::Empty { .. })));
    for window in [[0.0, 0.0, 0.0, 1.0], [0.0, f64::NAN, 0.0, 1.0], [0.0, 1e300, 0.0, 1.0]] {
        let mut plot = boundaries(1);
        let Ok(Picture::Plane(picture)) = &mut plot.panels[0].picture else { panic!("a picture") };
        picture.window = window;
        assert!(matches!(boundary(&plot), Err(FigureError::Empty { .. })));
    }
}

#[test]
fn a_logarithmic_axis_refuses_zero() {
    let mut plot = single_point();
    plot.series[0].points.push((1.0, Mark { value: 0.0, bar: None }));
    let error = line(&plot).unwrap_err();
    assert_eq!(error.to_string(), "figure \"One\": 0 is on the logarithmic axis \"seconds\"");
    let mut plot = dots(3, 3);
    plot.x.log = true;
    assert!(matches!(dot(&plot), Err(FigureError::NotPositive { .. })));
}

#[test]
fn a_missing_point_breaks_the_line() {
    let series = |gap: f64| {
        let point = |x: f64| (x, Mark { value: if x == 2.0 { gap } else { x }, bar: None });
        let mut plot = single_point();
        plot.series[0].points = (0..5).map(f64::from).map(point).collect();
        plot.y.log = false;
        let svg = line(&plot).unwrap();
        // Series' lines are two pixels wide, all others one.
        (svg.matches("stroke-width=\"8\"").count(), svg.matches("<circle").count())
    };
    assert_eq!(series(7.0), (1, 5));
    assert_eq!(series(f64::NAN), (2, 4));
    assert_eq!(series(f64::NEG_INFINITY), (2, 4));
}

/// What figures say of their marks.
fn told(svg: &str) -> Vec<&str> {
    svg.split("<title>").skip(1).map(|rest| rest.split("</title>").next().unwrap()).collect()
}

#[test]
fn every_mark_says_what_it_is() {
    let mut plot = dots(2, 2);
    plot.series[0].label = "\"a\" < b & c".to_owned();
    plot.series[0].points = vec![(0.0, mark(1.25, 0.5))];
    plot.rows[0].0 = "row".to_owned();
    let svg = dot(&plot).unwrap();
    assert_eq!(told(&svg)[0], "&quot;a&quot; &lt; b &amp; c · row: 1.25 [0.75, 1.75]");
    assert!(svg.contains("data-at=\"row\" data-value=\"1.25\""), "{svg}");
    assert_eq!(told(&line(&single_point()).unwrap()), ["20: 3.2"]);
    assert_eq!(told(&critical_difference(&ranks(2)).unwrap())[0], "MEVM (1.58) · mean rank: 1.58");
}

#[test]
fn equal_lines_do_not_hide_each_others_markers() {
    let mut plot = single_point();
    plot.series = vec![plot.series[0].clone(); 3];
    let svg = line(&plot).unwrap();
    let circles = |name: &str| -> Vec<f64> {
        let name = format!(" {name}=\"");
        let values = svg.split(&name).skip(1);
        values.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
    };
    let (x, radii) = (circles("cx"), circles("r"));
    assert!(x[0] == x[1] && x[1] == x[2], "{x:?}");
    assert!(radii[0] > radii[1] && radii[1] > radii[2], "{radii:?}");
}

#[test]
fn values_beyond_a_cut_axis_stand_at_its_end_with_their_number() {
    let mut rows = dots(3, 1);
    rows.series[0].points = vec![0.1, 27.3, -0.2]
        .into_iter()
        .zip(0..)
        .map(|(value, row)| (f64::from(row), Mark { value, bar: None }))
        .collect();
    rows.x.clip = (-1.0, 1.0);
    let svg = dot(&rows).unwrap();
    let all = texts(&svg);
    assert!(all.iter().any(|(text, ..)| text == "27.3"), "{all:?}");
    assert!(!all.iter().any(|(text, ..)| text == "20"), "{all:?}");
    let mut lines = many_lines();
    lines.y = axis("seconds", false);
    lines.y.clip.1 = 20.0;
    let svg = line(&lines).unwrap();
    // The line of twenty times as much leaves the plane and its points stand at its top.
    assert!(texts(&svg).iter().any(|(text, ..)| text == "220"), "{svg}");
    let points: Vec<&str> = svg.split("points=\"").skip(1).collect();
    let lowest = points.iter().flat_map(|points| points.split('"').next().unwrap().split(' '));
    assert!(lowest.filter_map(|p| p.split_once(',')).all(|(_, y)| y.parse::<i32>().unwrap() >= 0));
}

#[test]
fn an_empty_row_says_why() {
    let mut plot = dots(3, 2);
    plot.series.iter_mut().for_each(|series| series.points.retain(|point| point.0 != 1.0));
    plot.rows[1].1 = Some("no value: failed".to_owned());
    assert!(dot(&plot).unwrap().contains("no value: failed"));
}

proptest! {
    #[test]
    fn any_numbers_give_a_figure_or_an_error(
        points in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>()), 1..6),
        x_log in any::<bool>(),
        y_log in any::<bool>(),
    ) {
        let mark = |y: f64, end: f64| Mark { value: y, bar: Some((y.min(end), y.max(end))) };
        let mut plot = single_point();
        plot.x.log = x_log;
        plot.y.log = y_log;
        plot.series[0].points = points.iter().map(|&(x, y, end)| (x, mark(y, end))).collect();
        let mut rows = dots(points.len(), 1);
        rows.x.log = y_log;
        rows.series[0].points =
            points.iter().zip(0..).map(|(&(_, y, end), row)| (f64::from(row), mark(y, end))).collect();
        for svg in [line(&plot), dot(&rows)].into_iter().flatten() {
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
            for (text, x, y) in texts(&svg) {
                prop_assert!(x.start >= 0.0 && y.start >= 0.0, "{} at {:?}, {:?}", text, x, y);
            }
        }
    }
}
