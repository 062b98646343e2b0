//! Boxes: how the values of trials spread over folds and repeats.

use document::section;
use spec::{Drawn, Evidence, FigureDesign, Mark, Numbers, Panel, Plot, Plotted, TestSpec};
use stats::quantile;

use super::FigureError;
use super::area::Area;
use super::axis::Axis;
use super::canvas::{Align, BAND, Look, Pen, TEXT};
use super::legend::{Legend, Sample};
use super::plane::Rows;

section! {
    in Plotted;
    pub struct BoxPlot: "box" => "the values of trials over folds and repeats, a box for each method, dataset, part and sweep point: median and quartiles, lines to the last values within one and a half times the box, points beyond; the numbers are in `figures/ID.csv` and in the report" {}
}

/// What a box shows of sorted values (Tukey 1977).
struct Spread {
    /// The ends of the lines, the quartiles and the median, from the smallest.
    five: [f64; 5],
    beyond: Vec<f64>,
}

impl Spread {
    /// Of values, which are finite; none of none.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(&values, share));
        let reach = 1.5 * (high - low);
        let within = |value: &f64| (low - reach..=high + reach).contains(value);
        let first = values.iter().copied().find(within)?;
        let last = values.iter().copied().rfind(within)?;
        values.retain(|value| !within(value));
        Some(Self { five: [first.min(low), low, middle, high, last.max(high)], beyond: values })
    }
}

/// What boxes show, or why one shows nothing.
fn spreads(
    figure: &FigureDesign,
    evidence: &dyn Evidence,
) -> Vec<(String, Result<Spread, &'static str>)> {
    let of = |Panel { label, picture, .. }: Panel<Vec<f64>>| {
        let spread = |values: Vec<f64>| Spread::of(values).ok_or("no value");
        (label, picture.and_then(spread))
    };
    evidence.spread(figure).into_iter().map(of).collect()
}

impl Plot for BoxPlot {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        let spreads = spreads(figure, evidence);
        let all = spreads.iter().filter_map(|(_, spread)| spread.as_ref().ok());
        let marks = all.flat_map(|spread| spread.five.iter().chain(&spread.beyond));
        let marks: Vec<Mark> = marks.map(|&value| Mark { value, bar: None }).collect();
        let empty = || FigureError::Empty { title: figure.title.clone() };
        let metric = figure.y.ok_or_else(empty)?;
        let axis =
            Axis::all(metric.with_unit(metric.label), false).within(Some(metric.range), None);
        let values = axis.spanned(&figure.title, &marks)?;
        let look = Look { color: 0, hollow: false };
        let legend = Legend { entries: vec![(String::new(), Sample::Marker(look))], down: 0.0 };
        let names = spreads.iter().map(|(label, _)| label.as_str()).collect();
        let rows = Rows::new(&figure.title, (names, 26.0), (&axis, &values), legend);
        Ok(rows.draw(None, |canvas, row, y| {
            let (label, spread) = &spreads[row];
            let spread = match spread {
                Ok(spread) => spread,
                Err(why) => {
                    return canvas.text(why, (rows.area.left + 8.0, y), TEXT, Align::Start);
                }
            };
            let [first, low, middle, high, last] = spread.five.map(|value| rows.x.position(value));
            let color = look.color();
            let mark = Mark { value: spread.five[2], bar: Some((spread.five[1], spread.five[3])) };
            canvas.mark(label, metric.label, &mark, |canvas| {
                for (from, to) in [(low, first), (high, last)].into_iter().filter(|(a, b)| a != b) {
                    canvas.whisker([(from, y), (to, y)], (0.0, 4.0), color);
                }
                let inside = Area { left: low, top: y - 7.0, right: high, bottom: y + 7.0 };
                inside.fill(canvas, BAND);
                let corners = [(low, y - 7.0), (high, y - 7.0), (high, y + 7.0), (low, y + 7.0)];
                canvas.line(&[&corners[..], &corners[..1]].concat(), Pen::new(color, 1));
                canvas.line(&[(middle, y - 7.0), (middle, y + 7.0)], Pen::new(color, 3));
                for &value in &spread.beyond {
                    canvas.point((rows.x.position(value), y), color, false);
                }
            });
        })?)
    }

    fn numbers(&self, figure: &FigureDesign, evidence: &dyn Evidence) -> Vec<Numbers> {
        let title = figure.y.map_or("", |metric| metric.label);
        numbers(title, spreads(figure, evidence))
    }
}

/// The boxes in numbers, and the points beyond their lines.
fn numbers(title: &str, spreads: Vec<(String, Result<Spread, &str>)>) -> Vec<Numbers> {
    let (mut boxes, mut points) = (Vec::new(), Vec::new());
    for (label, spread) in spreads {
        let (five, beyond) =
            spread.map_or_else(|_| Default::default(), |it| (it.five.map(Some), it.beyond));
        points.extend(beyond.into_iter().map(|value| (label.clone(), vec![Some(value)])));
        boxes.push((label, five.to_vec()));
    }
    let columns = ["Lower end", "Lower quartile", "Median", "Upper quartile", "Upper end"];
    let table = |title: String, columns: &[&str], rows| Numbers {
        title,
        corner: "Trials of".to_owned(),
        columns: columns.iter().map(|name| ((*name).to_owned(), 4)).collect(),
        rows,
    };
    let mut tables = vec![table(title.to_owned(), &columns, boxes)];
    if !points.is_empty() {
        tables.push(table(format!("{title}, points beyond the lines"), &["Value"], points));
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_tukeys() {
        // numpy.percentile(x, [25, 50, 75]) = 2.25, 4.5, 6.75; matplotlib's boxplot has whiskers at 0 and 8 and 30 beyond.
        let spread = Spread::of(vec![30.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
        assert_eq!((spread.five, spread.beyond), ([0.0, 2.25, 4.5, 6.75, 8.0], vec![30.0]));
        assert_eq!(Spread::of(vec![0.5]).unwrap().five, [0.5; 5]);
        // A line never ends inside of the box.
        let spread = Spread::of(vec![0.0, 0.0, 0.0, 100.0]).unwrap();
        assert_eq!((spread.five, spread.beyond), ([0.0, 0.0, 0.0, 25.0, 25.0], vec![100.0]));
    }

    #[test]
    fn points_beyond_the_lines_are_among_the_numbers() {
        let boxed = |values: &[f64]| Spread::of(values.to_vec()).ok_or("no value");
        let spread = boxed(&[30.0, -40.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let named = |spread| vec![("tree".to_owned(), spread)];
        let [boxes, points] = &numbers("Accuracy", named(spread))[..] else { panic!("two tables") };
        assert_eq!((boxes.rows.len(), boxes.columns.len()), (1, 5));
        assert_eq!(points.title, "Accuracy, points beyond the lines");
        assert_eq!(points.rows, [-40.0, 30.0].map(|value| ("tree".to_owned(), vec![Some(value)])));
        // Where there are none, there is no table of them.
        assert_eq!(numbers("Accuracy", named(boxed(&[0.5]))).len(), 1);
    }
}
