//! Lines over a numeric axis, with error bars.

use std::collections::BTreeMap;

use document::{Flag, Spanned, Text, section};
use spec::{
    Axis, AxisRef, Evidence, FigureDesign, GridAxes, Kind, Mark, Methods, OneAxis, OneMethod, Plot,
    Published, Range, Scope, TestSpec,
};

use super::axis::{Scale, Shown, cut_text, tick_text};
use super::canvas::{
    About, Align, Canvas, GRID, INK, LINE_HEIGHT, MARKER, TEXT, TITLE, color, page, text_width,
    widest, wrapped,
};
use super::legend::Legend;
use super::shared::{
    FigureError, Look, bars_note, drawable, drawable_over, legend_label, over_grid, value_name,
};
use crate::axis::axis_name;

pub(super) const KIND: Kind<dyn Plot> =
    Kind::<dyn Plot>::of::<Line>("line", "lines over a numeric axis, with error bars");

section! {
    in Scope;
    /// Lines over a numeric axis, with error bars.
    pub struct Line {
        x: Spanned<OneAxis> => "the parameter on the x axis, such as `sweep:components`";
        series: Spanned<OneAxis> = "method" => "one line, marker or colour each";
        x_label: Option<Text>, else "the name of x" => "text under the x axis";
        y_label: Option<Text>, else "the metric's label" => "text at the y axis";
        x_log: Flag = false => "logarithmic scale of x";
        y_log: Flag = false => "logarithmic scale of y";
        dashed: Option<Methods>, else "published values only"
            => "methods whose lines are dashed, their markers hollow";
        clip: Option<Range>, else "all of it"
            => "the part of the y axis that is shown; values beyond stand at its end, with an arrow and their number";
        relative_to: Option<OneMethod>, else "nothing is subtracted"
            => "method whose value is subtracted from every other's";
        published: Option<Published>, else "none"
            => "file of the paper's numbers, with the columns row, column, metric, value, sd";
    }
    check(scope, _table) {
        if let Some(x) = &x {
            numeric(x, scope);
        }
        drawable_over(x.as_ref(), series.as_ref(), scope);
    }
}

/// Lines run over numbers.
fn numeric(x: &Spanned<AxisRef>, scope: &mut Scope<'_>) {
    let numeric = match &x.value {
        AxisRef::Sweep(name) | AxisRef::Grid(name) => scope
            .methods()
            .iter()
            .flat_map(|method| method.sweep.iter().chain(&method.grid))
            .filter(|axis| axis.name == *name)
            .all(Axis::is_numeric),
        _ => false,
    };
    if !numeric {
        scope
            .faults
            .at(&x.span, "the x axis of a line figure is numeric", "has no numbers")
            .help("choose a numeric parameter, such as \"sweep:NAME\", or kind = \"dot\"");
    }
}

impl Plot for Line {
    fn draw(
        &self,
        figure: &FigureDesign,
        evidence: &dyn Evidence,
        _: &[TestSpec],
    ) -> Result<String, String> {
        let relative_to = self.relative_to.as_deref();
        let published = self.published.as_deref();
        let axes = GridAxes { x: &self.x, series: &self.series, relative_to, published };
        let grid = evidence.grid(figure, &axes);
        let x = grid.positions.iter().map(|position| {
            let missing = || format!("{} is not a number, which a line needs", position.label);
            position.number.ok_or_else(missing)
        });
        let x: Vec<f64> =
            if grid.series.is_empty() { vec![] } else { x.collect::<Result<_, _>>()? };
        let mut series = Vec::new();
        for (color, of) in grid.series.iter().enumerate() {
            let at = |marks: &mut dyn Iterator<Item = Option<Mark>>| {
                let marks = x.iter().zip(marks);
                let mut points: Vec<(f64, Mark)> =
                    marks.filter_map(|(x, mark)| Some((*x, mark?))).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                points
            };
            let alone = |value: &Option<f64>| value.map(|value| Mark { value, bar: None });
            let ours = at(&mut of.ours.iter().copied());
            let paper = at(&mut of.paper.iter().map(alone));
            let dashed = of
                .method
                .as_ref()
                .is_some_and(|method| self.dashed.iter().flatten().any(|dashed| dashed == method));
            for (points, hollow) in [(ours, false), (paper, true)] {
                if !points.is_empty() {
                    let label = legend_label(&of.label, hollow);
                    let look = Look { color, hollow: hollow || dashed };
                    series.push(LineSeries { label, look, points });
                }
            }
        }
        let x_name = self.x_label.clone().unwrap_or_else(|| axis_name(&self.x));
        let y_name = || value_name(figure, relative_to, evidence);
        let plot = LinePlot {
            title: figure.title.clone(),
            x_label: x_name + &bars_note(figure, relative_to, &grid),
            y_label: self.y_label.clone().unwrap_or_else(y_name),
            x_log: self.x_log,
            y: Shown::of(figure, relative_to, self.clip.as_ref(), self.y_log),
            series,
        };
        line(&plot).map_err(|error| error.to_string())
    }

    fn shows_grid(&self) -> bool {
        over_grid([&self.x, &self.series])
    }
}

/// Lines over a numeric axis.
#[derive(Debug, Clone)]
pub struct LinePlot {
    /// Title above.
    pub title: String,
    /// Name of the x axis, with its unit.
    pub x_label: String,
    /// Name of the y axis, with its unit.
    pub y_label: String,
    /// Whether x is logarithmic.
    pub x_log: bool,
    /// The y axis.
    pub y: Shown,
    /// The lines.
    pub series: Vec<LineSeries>,
}

/// One line.
#[derive(Debug, Clone)]
pub struct LineSeries {
    /// Its name in the legend.
    pub label: String,
    /// How it looks.
    pub look: Look,
    /// x and y of its points, in the order in which they are joined. A y that is not finite breaks
    /// the line.
    pub points: Vec<(f64, Mark)>,
}

/// Draws lines as SVG.
///
/// # Errors
/// No point to draw, or a value that is not positive on a logarithmic axis.
pub fn line(plot: &LinePlot) -> Result<String, FigureError> {
    const WIDTH: f64 = 460.0;
    const HEIGHT: f64 = 320.0;
    let points = || {
        let all = plot.series.iter().flat_map(|series| &series.points);
        all.filter(|(x, mark)| drawable(*x) && drawable(mark.value))
    };
    let x: Vec<f64> = points().map(|&(x, _)| x).collect();
    let mut y: Vec<f64> = points().map(|(_, mark)| mark.value).collect();
    if x.is_empty() {
        return Err(FigureError::Empty { title: plot.title.clone() });
    }
    for (log, values, axis) in [(plot.x_log, &x, &plot.x_label), (plot.y.log, &y, &plot.y_label)] {
        if let Some(&value) = values.iter().find(|&&value| log && value <= 0.0) {
            let (title, axis) = (plot.title.clone(), axis.clone());
            return Err(FigureError::NotPositive { title, axis, value });
        }
    }
    // A bar that reaches zero or less ends at the border of a logarithmic axis.
    let bars = points().filter_map(|(_, mark)| mark.bar).flat_map(|(low, high)| [low, high]);
    y.extend(bars.filter(|&end| drawable(end) && (!plot.y.log || end > 0.0)));

    let legend = Legend {
        entries: plot.series.iter().map(|s| (s.label.as_str(), s.look)).collect(),
        lines: true,
    };
    // The names of the axes must fit beside them.
    let plot_height = HEIGHT.max(legend.height()).max(text_width(&plot.y_label, TEXT) + 8.0);
    let y_scale = Scale::vertical(&y, plot.y, (plot_height, 0.0));
    let tick_width = widest(y_scale.ticks.iter().map(|(_, text)| text.as_str()));
    let left = 12.0 + LINE_HEIGHT + 8.0 + tick_width + 8.0;
    let right = left + WIDTH;
    let width = right + legend.width();
    let title = wrapped(&plot.title, TITLE, width - 24.0);
    let top = 16.0 + title.len() as f64 * 20.0;
    let bottom = top + plot_height;
    let x_label = wrapped(&plot.x_label, TEXT, WIDTH);
    let height = bottom + 26.0 + x_label.len() as f64 * LINE_HEIGHT + 8.0;

    let x_scale = Scale::horizontal(&x, Shown::all(plot.x_log), (left, right)).with_ticks_at(&x);
    let y_scale = Scale::vertical(&y, plot.y, (bottom, top));
    page(width, height, |canvas| {
        draw_title(canvas, &title, width)?;
        for (value, text) in &y_scale.ticks {
            let y = y_scale.position(*value);
            canvas.line(&[(left, y), (right, y)], GRID, 1)?;
            canvas.text(text, (left - 8.0, y), TEXT, Align::End)?;
        }
        for (value, text) in &x_scale.ticks {
            let x = x_scale.position(*value);
            canvas.line(&[(x, top), (x, bottom)], GRID, 1)?;
            canvas.line(&[(x, bottom), (x, bottom + 5.0)], INK, 1)?;
            canvas.text(text, (x, bottom + 15.0), TEXT, Align::Middle)?;
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1)?;
        let middle = (left + right) / 2.0;
        for (place, text) in x_label.iter().enumerate() {
            let y = bottom + 35.0 + place as f64 * LINE_HEIGHT;
            canvas.text(text, (middle, y), TEXT, Align::Middle)?;
        }
        canvas.text_upwards(&plot.y_label, (20.0, (top + bottom) / 2.0))?;
        let plane = Plane { x: x_scale, y: y_scale, shown: plot.y, right };
        for series in &plot.series {
            plane.draw_line(canvas, series)?;
        }
        let mut cut = BTreeMap::new();
        for (place, series) in plot.series.iter().enumerate() {
            plane.draw_points(canvas, series, &plot.series[place + 1..], &mut cut)?;
        }
        legend.draw(canvas, right, top)
    })
}

/// The lines of a title, centred at the top of the page.
pub(super) fn draw_title(
    canvas: &Canvas<'_>,
    lines: &[String],
    width: f64,
) -> Result<(), FigureError> {
    lines.iter().enumerate().try_for_each(|(place, text)| {
        canvas.text(text, (width / 2.0, 18.0 + place as f64 * 20.0), TITLE, Align::Middle)
    })
}

/// Where points lie.
struct Plane {
    x: Scale,
    y: Scale,
    shown: Shown,
    /// The right end.
    right: f64,
}

impl Plane {
    /// The line of a series, as far as it lies on the plane.
    fn draw_line(&self, canvas: &Canvas<'_>, series: &LineSeries) -> Result<(), FigureError> {
        let ends = self.y.ends();
        for run in series.points.split(|point| !is_shown(point)) {
            let at = |&(x, mark): &(f64, Mark)| (self.x.position(x), self.y.beyond(mark.value));
            let run: Vec<(f64, f64)> = run.iter().map(at).collect();
            for part in between(&run, ends) {
                match series.look.hollow {
                    true => canvas.dashed(&part, color(series.look), 2)?,
                    false => canvas.line(&part, color(series.look), 2)?,
                }
            }
        }
        Ok(())
    }

    /// The points of a series. Where later series hide one its marker is larger; those that are cut off stack up at
    /// the end of the axis.
    fn draw_points(
        &self,
        canvas: &Canvas<'_>,
        series: &LineSeries,
        later: &[LineSeries],
        cut: &mut BTreeMap<(i64, bool), usize>,
    ) -> Result<(), FigureError> {
        let ink = color(series.look);
        let place = |&(x, mark): &(f64, Mark)| (self.x.position(x), self.y.position(mark.value));
        for point in series.points.iter().filter(|point| is_shown(point)) {
            let (x, y) = place(point);
            let (number, mark) = point;
            let at = tick_text(*number);
            let about = About { series: &series.label, at: &at, mark };
            if self.shown.cuts(mark.value) {
                let below = mark.value < self.shown.clip.0;
                let stacked = cut.entry((x.round() as i64, below)).or_default();
                let y = y + (8.0 + STACK * *stacked as f64) * if below { -1.0 } else { 1.0 };
                *stacked += 1;
                canvas.mark(about, |canvas| self.draw_cut(canvas, (x, y), series.look, mark))?;
                continue;
            }
            let hides = |other: &(f64, Mark)| {
                let (ox, oy) = place(other);
                is_shown(other) && (ox - x).abs() < HIDDEN && (oy - y).abs() < HIDDEN
            };
            let above = later.iter().filter(|series| series.points.iter().any(hides)).count();
            let half = MARKER * (1.0 + 0.4 * above as f64).min(3.0);
            canvas.mark(about, |canvas| {
                if let Some((low, high)) =
                    mark.bar.filter(|&(low, high)| drawable(low) && drawable(high))
                {
                    let (low, high) = (self.y.position(low), self.y.position(high));
                    canvas.line(&[(x, low), (x, high)], ink, 1)?;
                    canvas.line(&[(x - 4.0, low), (x + 4.0, low)], ink, 1)?;
                    canvas.line(&[(x - 4.0, high), (x + 4.0, high)], ink, 1)?;
                }
                canvas.marker_of((x, y), series.look, half)
            })?;
        }
        Ok(())
    }

    /// A value beyond the end of the axis: its marker, an arrow, its number.
    fn draw_cut(
        &self,
        canvas: &Canvas<'_>,
        (x, y): (f64, f64),
        look: Look,
        mark: &Mark,
    ) -> Result<(), FigureError> {
        let text = cut_text(mark);
        let down = if mark.value < self.shown.clip.0 { 1.0 } else { -1.0 };
        let fits = x + 18.0 + text_width(&text, TEXT) <= self.right;
        let (side, align) = if fits { (1.0, Align::Start) } else { (-1.0, Align::End) };
        canvas.marker((x, y), look)?;
        canvas.arrow((x + 10.0 * side, y - 5.0 * down), 10.0 * down, true, color(look))?;
        canvas.text(&text, (x + 18.0 * side, y), TEXT, align)
    }
}

/// From one value that is cut off to the next at the same place.
const STACK: f64 = 15.0;
/// Markers that are nearer than this hide each other.
const HIDDEN: f64 = 3.0;

fn is_shown((x, mark): &(f64, Mark)) -> bool {
    drawable(*x) && drawable(mark.value)
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
