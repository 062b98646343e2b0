//! Lines over a numeric axis, with error bars.

use std::collections::BTreeMap;

use document::{Flag, Spanned, section};
use spec::{
    Axis, AxisRef, Drawn, Evidence, FigureDesign, Mark, Methods, OneAxis, Plot, Plotted, Position,
    TestSpec,
};

use super::axis::{self, cut_text, drawable, tick_text};
use super::canvas::{Align, Canvas, MARKER, TEXT, text_width};
use super::legend::{Legend, Sample};
use super::plane::Plane;
use super::series::{Gridded, Series, bar, drawable_over, series};
use super::{FigureError, Look};
use crate::axis::axis_name;

section! {
    in Plotted;
    pub struct Line: "line" => "lines over a numeric axis, with error bars" {
        x: Spanned<OneAxis> => "the parameter on the x axis, such as `sweep:components`";
        x_log: Flag = false => "logarithmic scale of x";
        dashed: Option<Methods>, else "published values only"
            => "methods whose lines are dashed, their markers hollow";
        /// What is drawn over them.
        values: Gridded;
    }
    check(scope, _table) {
        if let Some(x) = &x {
            numeric(x, scope);
        }
        drawable_over(x.as_ref(), values.as_ref().map(|values| &values.series), scope);
    }
}

/// Lines run over numbers.
fn numeric(x: &Spanned<AxisRef>, scope: &mut Plotted<'_>) {
    let numeric = match &x.value {
        AxisRef::Sweep(name) | AxisRef::Grid(name) => scope
            .methods
            .iter()
            .flat_map(|method| method.sweep.iter().chain(&method.grid))
            .filter(|axis| axis.name == *name)
            .all(Axis::is_numeric),
        _ => false,
    };
    if !numeric {
        scope
            .fault(&x.span, "the x axis of a line figure is numeric", "has no numbers")
            .help("choose a numeric parameter, such as \"sweep:NAME\", or kind = \"dot\"");
    }
}

impl Plot for Line {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        let grid = self.values.grid(&self.x, figure, evidence);
        let number = |position: &Position| {
            let missing = || FigureError::NoNumber { position: position.label.clone() };
            position.number.ok_or_else(missing)
        };
        let positions = grid.positions.iter().filter(|_| !grid.series.is_empty());
        let places: Vec<f64> = positions.map(number).collect::<Result<_, _>>()?;
        let x = self.values.x_label.clone().unwrap_or_else(|| axis_name(&self.x));
        let x = x + &self.values.bars_note(figure, &grid);
        Ok(line(&LinePlot {
            title: figure.title.clone(),
            x: axis::Axis::all(x, self.x_log),
            y: self.values.value_axis(self.values.y_label.clone(), figure, evidence),
            series: series(
                &grid,
                |_, at| places.get(at).copied(),
                self.dashed.as_deref().unwrap_or_default(),
            ),
            joined: true,
        })?)
    }

    fn shows_grid(&self) -> bool {
        self.values.over_grid(&self.x)
    }
}

/// Lines over a numeric axis.
#[derive(Debug, Clone)]
pub struct LinePlot {
    /// Title above.
    pub title: String,
    /// The x axis.
    pub x: axis::Axis,
    /// The y axis.
    pub y: axis::Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// Whether lines join the points of a series.
    pub joined: bool,
}

/// Draws lines as SVG.
///
/// # Errors
/// No point to draw, or a value that is not positive on a logarithmic axis.
pub fn line(plot: &LinePlot) -> Result<String, FigureError> {
    let points = || plot.series.iter().flat_map(|of| &of.points).filter(|point| is_shown(point));
    let places: Vec<Mark> = points().map(|&(value, _)| Mark { value, bar: None }).collect();
    let marks: Vec<Mark> = points().map(|&(_, mark)| mark).collect();
    let x = plot.x.spanned(&plot.title, &places)?;
    let y = plot.y.spanned(&plot.title, &marks)?;
    let sample = if plot.joined { Sample::OnLine } else { Sample::Marker };
    let legend = Legend::of(&plot.series, sample);
    let mut plane = Plane::new(&plot.title, (&plot.x, &x), (&plot.y, &y), legend);
    plane.x = plane.x.with_ticks_at(&x);
    plane.draw(|canvas| {
        let lines = plot.series.iter().filter(|_| plot.joined);
        lines.for_each(|series| draw_line(canvas, &plane, series));
        let mut cut = BTreeMap::new();
        for (place, series) in plot.series.iter().enumerate() {
            let later = &plot.series[place + 1..];
            for point in series.points.iter().filter(|point| is_shown(point)) {
                let (number, mark) = point;
                canvas.mark(&series.label, &tick_text(*number), mark, |canvas| {
                    if plot.y.cuts(mark.value) {
                        let below = mark.value < plot.y.clip.0;
                        draw_cut(canvas, &plane, point, series.look, below, &mut cut);
                    } else {
                        draw_point(canvas, &plane, point, series.look, later);
                    }
                });
            }
        }
    })
}

/// From one value that is cut off to the next at the same place.
const STACK: f64 = 15.0;
/// Markers that are nearer than this hide each other.
const HIDDEN: f64 = 3.0;

fn is_shown((x, mark): &(f64, Mark)) -> bool {
    drawable(*x) && drawable(mark.value)
}

fn place(plane: &Plane, (x, mark): &(f64, Mark)) -> (f64, f64) {
    (plane.x.position(*x), plane.y.position(mark.value))
}

/// The line of a series, as far as it lies on the plane.
fn draw_line(canvas: &Canvas<'_>, plane: &Plane, series: &Series) {
    for run in series.points.split(|point| !is_shown(point)) {
        let at = |&(x, mark): &(f64, Mark)| (plane.x.position(x), plane.y.beyond(mark.value));
        let run: Vec<(f64, f64)> = run.iter().map(at).collect();
        for part in between(&run, (plane.area.top, plane.area.bottom)) {
            canvas.line(&part, series.look.pen());
        }
    }
}

/// A point with its bar. Where later series hide it its marker is larger.
fn draw_point(
    canvas: &Canvas<'_>,
    plane: &Plane,
    point: &(f64, Mark),
    look: Look,
    later: &[Series],
) {
    let (x, y) = place(plane, point);
    let hides = |other: &(f64, Mark)| {
        let (ox, oy) = place(plane, other);
        is_shown(other) && (ox - x).abs() < HIDDEN && (oy - y).abs() < HIDDEN
    };
    let above = later.iter().filter(|series| series.points.iter().any(hides)).count();
    if let Some(ends) = bar(&point.1) {
        canvas.whisker(ends.map(|end| (x, plane.y.position(end))), (4.0, 0.0), look.color());
    }
    canvas.marker_of((x, y), look, MARKER * (1.0 + 0.4 * above as f64).min(3.0));
}

/// A value beyond an end of the axis: its marker there, an arrow, its number. Several at one place stack up, as many as
/// `cut` counts.
fn draw_cut(
    canvas: &Canvas<'_>,
    plane: &Plane,
    point: &(f64, Mark),
    look: Look,
    below: bool,
    cut: &mut BTreeMap<(i64, bool), usize>,
) {
    let (x, end) = place(plane, point);
    let down = if below { 1.0 } else { -1.0 };
    let stacked = cut.entry((x.round() as i64, below)).or_default();
    let y = end + (8.0 + STACK * *stacked as f64) * -down;
    *stacked += 1;
    let text = cut_text(&point.1);
    let fits = x + 18.0 + text_width(&text, TEXT) <= plane.area.right;
    let (side, align) = if fits { (1.0, Align::Start) } else { (-1.0, Align::End) };
    canvas.marker((x, y), look);
    canvas.arrow((x + 10.0 * side, y - 5.0 * down), 10.0 * down, true, look.color());
    canvas.text(&text, (x + 18.0 * side, y), TEXT, align);
}

/// The parts of a line between two heights.
fn between(line: &[(f64, f64)], (top, bottom): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    for ends in line.windows(2) {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        let at = |y: f64| (x0 + (x1 - x0) * (y - y0) / (y1 - y0), y);
        let inside = |y: f64| (top..=bottom).contains(&y);
        let outside = y0.max(y1) < top || y0.min(y1) > bottom;
        if outside {
            continue;
        }
        let (from, to) = (y0.clamp(top, bottom), y1.clamp(top, bottom));
        let first = if inside(y0) { (x0, y0) } else { at(from) };
        let last = if inside(y1) { (x1, y1) } else { at(to) };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&first) => part.push(last),
            _ => parts.push(vec![first, last]),
        }
    }
    parts
}
