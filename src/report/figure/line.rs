//! Lines over a numeric axis, with error bars.

use document::{Flag, Spanned, Text, section};
use spec::{
    Axis, AxisRef, Evidence, FigureDesign, GridAxes, Kind, Mark, Methods, OneAxis, OneMethod, Plot,
    Published, Scope, TestSpec,
};

use super::axis::Scale;
use super::canvas::{
    Align, Canvas, GRID, INK, LINE_HEIGHT, TEXT, TITLE, color, page, text_width, widest, wrapped,
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
        dodge: Flag = false
            => "the points at one x stand side by side, so that no line hides another";
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
            x_label: x_name + &bars_note(&grid),
            y_label: self.y_label.clone().unwrap_or_else(y_name),
            x_log: self.x_log,
            y_log: self.y_log,
            dodge: self.dodge,
            series,
        };
        line(&plot).map_err(|error| error.to_string())
    }

    fn shows_grid(&self) -> bool {
        over_grid([&self.x, &self.series])
    }
}

/// Distance of neighbouring lines that dodge each other.
const DODGE: f64 = 5.0;
/// What all lines that dodge take at one x.
const MOST_DODGE: f64 = 36.0;

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
    /// Whether y is logarithmic.
    pub y_log: bool,
    /// Whether the points at one x stand side by side, in the order of the lines, so that equal ones do not
    /// hide each other.
    pub dodge: bool,
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
    for (log, values, axis) in [(plot.x_log, &x, &plot.x_label), (plot.y_log, &y, &plot.y_label)] {
        if let Some(&value) = values.iter().find(|&&value| log && value <= 0.0) {
            let (title, axis) = (plot.title.clone(), axis.clone());
            return Err(FigureError::NotPositive { title, axis, value });
        }
    }
    // A bar that reaches zero or less ends at the border of a logarithmic axis.
    let bars = points().filter_map(|(_, mark)| mark.bar).flat_map(|(low, high)| [low, high]);
    y.extend(bars.filter(|&end| drawable(end) && (!plot.y_log || end > 0.0)));

    let legend = Legend {
        entries: plot.series.iter().map(|s| (s.label.as_str(), s.look)).collect(),
        lines: true,
    };
    // The names of the axes must fit beside them.
    let plot_height = HEIGHT.max(legend.height()).max(text_width(&plot.y_label, TEXT) + 8.0);
    let y_scale = Scale::vertical(&y, plot.y_log, (plot_height, 0.0));
    let tick_width = widest(y_scale.ticks.iter().map(|(_, text)| text.as_str()));
    let left = 12.0 + LINE_HEIGHT + 8.0 + tick_width + 8.0;
    let right = left + WIDTH;
    let width = right + legend.width();
    let title = wrapped(&plot.title, TITLE, width - 24.0);
    let top = 16.0 + title.len() as f64 * 20.0;
    let bottom = top + plot_height;
    let x_label = wrapped(&plot.x_label, TEXT, WIDTH);
    let height = bottom + 26.0 + x_label.len() as f64 * LINE_HEIGHT + 8.0;

    let x_scale = Scale::horizontal(&x, plot.x_log, (left, right)).with_ticks_at(&x);
    let y_scale = Scale::vertical(&y, plot.y_log, (bottom, top));
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
        let step = if plot.dodge { DODGE.min(MOST_DODGE / plot.series.len() as f64) } else { 0.0 };
        let centre = (plot.series.len() - 1) as f64 / 2.0;
        for (place, series) in plot.series.iter().enumerate() {
            let x_of = |x| x_scale.position(x) + step * (place as f64 - centre);
            draw_series(canvas, series, x_of, &y_scale)?;
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

fn draw_series(
    canvas: &Canvas<'_>,
    series: &LineSeries,
    x_of: impl Fn(f64) -> f64,
    y_scale: &Scale,
) -> Result<(), FigureError> {
    let ink = color(series.look);
    let at = |&(x, mark): &(f64, Mark)| (x_of(x), y_scale.position(mark.value));
    let shown = |&(x, mark): &(f64, Mark)| drawable(x) && drawable(mark.value);
    for run in series.points.split(|point| !shown(point)) {
        let run: Vec<(f64, f64)> = run.iter().map(at).collect();
        if run.len() > 1 {
            if series.look.hollow {
                canvas.dashed(&run, ink, 2)?;
            } else {
                canvas.line(&run, ink, 2)?;
            }
        }
    }
    for point in series.points.iter().filter(|point| shown(point)) {
        let (x, y) = at(point);
        if let Some((low, high)) =
            point.1.bar.filter(|&(low, high)| drawable(low) && drawable(high))
        {
            let (low, high) = (y_scale.position(low), y_scale.position(high));
            canvas.line(&[(x, low), (x, high)], ink, 1)?;
            canvas.line(&[(x - 4.0, low), (x + 4.0, low)], ink, 1)?;
            canvas.line(&[(x - 4.0, high), (x + 4.0, high)], ink, 1)?;
        }
        canvas.marker((x, y), series.look)?;
    }
    Ok(())
}
