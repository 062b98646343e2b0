//! Curves over what classifiers answer to test examples: ROC, precision over recall, calibration.

use std::collections::BTreeSet;

use base::text::real;
use contract::Metric;
use document::{Word, section};
use spec::{Drawn, Evidence, FigureDesign, Mark, Numbers, Panel, Plot, Plotted, TestSpec};
use task::classification::CLASSIFICATION;
use task::curves::{Bin, GRID, calibration};
use task::predictions::Predictions;
use task::probabilities::{OF_PROBABILITIES, OF_SCORES};

use super::FigureError;
use super::axis::{Axis, tick_text};
use super::canvas::{Look, Pen};
use super::legend::{Legend, Sample};
use super::panels::only_of;
use super::plane::Plane;
use super::series::bar;

base::words! {
    /// What a curve shows.
    enum Of {
        Roc = "roc", "the true positive rate over the false positive rate";
        PrecisionRecall = "precision-recall", "the precision over the recall";
        Calibration = "calibration", "how often a class is the true one, over how probable it is said to be, in ten intervals";
    }
}

section! {
    in Plotted;
    pub struct Curve: "curve" => "a curve for each method, dataset, part and sweep point, with `y` in its name, of the predictions that `keep = \"predictions\"` keeps; the numbers are in `figures/ID.csv` and in the report" {
        of: Word<Of> => "which curve: of two classes that of the second; of more the mean over each against the rest, or of `calibration` the most probable class. ROC and precision are means over folds and repeats; probabilities of all of them are sorted into the intervals of `calibration` together, with 95% Wilson intervals where each example is tested once";
    }
    check(scope, _table) {
        only_of(&CLASSIFICATION, "curves", scope);
        // What a part measures all of its methods give.
        let ranks = if of == Some(Of::Calibration) { &[] } else { OF_SCORES };
        let given = |y: &&Metric| OF_PROBABILITIES.iter().chain(ranks).any(|metric| metric == y);
        if let Some(y) = scope.shown.y.filter(|y| !given(y)) {
            let place = scope.shown.place.clone();
            let message = format!("a curve needs scores of classes, and `{}` needs none", y.name);
            let metric = if ranks.is_empty() { "log_loss" } else { "auc" };
            let help = format!("name `{metric}` in the task's `metrics`, and write y = \"{metric}\"");
            scope.fault(&place, message, "drawn here").help(help);
        }
        let shown = scope.shown;
        let shows = |part: &&spec::Part| shown.parts.contains(&part.id) && part.task.predicts;
        if scope.parts.iter().filter(shows).any(|part| !part.keeps_predictions) {
            scope
                .fault(&shown.place, "curves are of predictions, which are not kept", "drawn here")
                .help("write keep = \"predictions\" in `[task]`, or in the part");
        }
    }
}

/// Intervals of equal width that probabilities are sorted into.
const BINS: usize = 10;

/// Of the intervals of calibration.
const LEVEL: f64 = 0.95;

/// A point of a curve.
struct Point {
    /// What its row of numbers is called.
    name: String,
    x: f64,
    mark: Mark,
    /// What it is of; nothing on a curve of means.
    bin: Bin,
}

/// Where a curve runs: its points from the left.
type Points = Vec<Point>;

impl Of {
    /// Names of the axes.
    fn axes(self) -> [&'static str; 2] {
        match self {
            Self::Roc => ["False positive rate", "True positive rate"],
            Self::PrecisionRecall => ["Recall", "Precision"],
            Self::Calibration => ["Mean probability", "Share of the examples whose class it is"],
        }
    }

    /// The curve of these fits, or why there is none.
    fn points(self, fits: &[&Predictions]) -> Result<Points, &'static str> {
        let mean = |curve: fn(&Predictions) -> Option<Vec<f64>>| {
            let curves = fits.iter().map(|fit| curve(fit)).collect::<Option<Vec<Vec<f64>>>>();
            let curves = curves.ok_or("no scores, or a test set without one of the classes")?;
            let y = |place: usize| {
                curves.iter().map(|curve| curve[place]).sum::<f64>() / curves.len() as f64
            };
            let point = |place| {
                let x = place as f64 / (GRID - 1) as f64;
                let mark = Mark { value: y(place), bar: None };
                Point { name: real(x), x, mark, bin: Bin::default() }
            };
            Ok((0..GRID).map(point).collect())
        };
        match self {
            Self::Roc => mean(Predictions::roc),
            Self::PrecisionRecall => mean(Predictions::precision),
            Self::Calibration => {
                let bins = calibration::<BINS>(fits).ok_or("no probabilities of classes")?;
                let rows = || fits.iter().flat_map(|fit| &fit.rows);
                let once = rows().collect::<BTreeSet<_>>().len() == rows().count();
                let point = |(place, bin): (usize, Bin)| {
                    let (value, ends) = stats::share(bin.right, bin.examples, LEVEL).ok()?;
                    let [from, to] = [place, place + 1].map(|end| real(end as f64 / BINS as f64));
                    let mark = Mark { value, bar: once.then_some(ends) };
                    Some(Point { name: format!("{from} to {to}"), x: bin.probability, mark, bin })
                };
                let full = bins.into_iter().enumerate().filter(|(_, bin)| bin.examples > 0);
                Ok(full.filter_map(point).collect())
            }
        }
    }
}

impl Curve {
    /// The curves with their names.
    fn curves(
        &self,
        figure: &FigureDesign,
        evidence: &dyn Evidence,
    ) -> Vec<(String, Result<Points, &'static str>)> {
        let of = |Panel { label, note, picture }: Panel<Vec<&Predictions>>| {
            let points = picture.and_then(|fits| self.of.points(&fits));
            let note = points.as_ref().map_or_else(|why| (*why).to_owned(), |_| note);
            (if note.is_empty() { label } else { format!("{label} ({note})") }, points)
        };
        evidence.predictions(figure).into_iter().map(of).collect()
    }
}

impl Plot for Curve {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        let mut drawn = 0;
        let looked = |(label, points): (String, Result<Points, _>)| {
            let look = Look::nth(drawn);
            drawn += usize::from(points.is_ok());
            (label, look, points.ok())
        };
        let curves: Vec<_> = self.curves(figure, evidence).into_iter().map(looked).collect();
        if drawn == 0 {
            return Err(FigureError::Empty { title: figure.title.clone() }.into());
        }
        let sample = |look: Look, points: &Option<Points>| match (points, self.of) {
            (None, _) => Sample::Line(Pen::GRID),
            (_, Of::Calibration) => Sample::OnLine(look),
            (_, Of::Roc | Of::PrecisionRecall) => Sample::Line(look.pen()),
        };
        let named =
            curves.iter().map(|(label, look, points)| (label.clone(), sample(*look, points)));
        let legend = Legend { entries: named.collect(), down: 0.0 };
        let axis = |name: &str| Axis::all(name.to_owned(), false).within(Some((0.0, 1.0)), None);
        let [x, y] = self.of.axes().map(axis);
        let plane = Plane::new(&figure.title, (&x, &[0.0, 1.0]), (&y, &[0.0, 1.0]), legend);
        Ok(plane.draw(|canvas| {
            let at = |x, y| (plane.x.position(x), plane.y.position(y));
            if self.of != Of::PrecisionRecall {
                canvas.line(&[at(0.0, 0.0), at(1.0, 1.0)], Pen::GRID);
            }
            for (label, look, points) in &curves {
                let points = points.as_deref().unwrap_or_default();
                let line: Vec<_> =
                    points.iter().map(|point| at(point.x, point.mark.value)).collect();
                canvas.line(&line, look.pen());
                for Point { x, mark, .. } in points.iter().filter(|_| self.of == Of::Calibration) {
                    canvas.mark(label, &tick_text(*x), mark, |canvas| {
                        if let Some(ends) = bar(mark) {
                            canvas.whisker(ends.map(|end| at(*x, end)), (4.0, 0.0), look.color());
                        }
                        canvas.marker(at(*x, mark.value), *look);
                    });
                }
            }
        })?)
    }

    fn numbers(&self, figure: &FigureDesign, evidence: &dyn Evidence) -> Vec<Numbers> {
        let [x, y] = self.of.axes().map(str::to_owned);
        let curves = self.curves(figure, evidence).into_iter();
        let curves = curves.filter_map(|(label, points)| Some((label, points.ok()?)));
        if self.of == Of::Calibration {
            let names = [&*x, &*y, "Lower end", "Upper end", "Of the class", "Examples"];
            let digits = [3, 3, 3, 3, 0, 0];
            let row = |Point { name, x, mark, bin }: Point| {
                let (low, high) = mark.bar.unzip();
                let [right, examples] = [bin.right, bin.examples].map(|count| Some(count as f64));
                (name, vec![Some(x), Some(mark.value), low, high, right, examples])
            };
            let of = |(title, points): (String, Points)| Numbers {
                title,
                corner: "Interval".to_owned(),
                columns: names.map(str::to_owned).into_iter().zip(digits).collect(),
                rows: points.into_iter().map(row).collect(),
            };
            return curves.map(of).collect();
        }
        let (labels, curves): (Vec<String>, Vec<Points>) = curves.unzip();
        // As many rows as people read.
        let row = |place: usize| {
            let values = curves.iter().map(|curve| Some(curve[place].mark.value)).collect();
            (curves[0][place].name.clone(), values)
        };
        let shown = (0..GRID).step_by((GRID - 1) / 20).filter(|_| !curves.is_empty());
        let rows = shown.map(row).collect();
        let columns: Vec<_> = labels.into_iter().map(|label| (label, 3)).collect();
        let numbers = Numbers { title: y, corner: x, columns, rows };
        Some(numbers).filter(|numbers| !numbers.columns.is_empty()).into_iter().collect()
    }
}
