//! One row a category, one marker a series.

use document::{Flag, Spanned, Text, section};
use spec::{
    Evidence, FigureDesign, GridAxes, Kind, Mark, OneAxis, OneMethod, Plot, Position, Published,
    Range, Scope, TestSpec,
};

use super::axis::{Scale, Shown, cut_text};
use super::canvas::{
    About, Align, BAND, GRID, INK, LINE_HEIGHT, TEXT, TITLE, color, page, widest, wrapped,
};
use super::legend::Legend;
use super::line::draw_title;
use super::shared::{
    FigureError, Look, bars_note, drawable, drawable_over, legend_label, over_grid, value_name,
};

pub(super) const KIND: Kind<dyn Plot> =
    Kind::<dyn Plot>::of::<Dot>("dot", "one row a category, one marker a series");

section! {
    in Scope;
    /// One row a category, one marker a series.
    pub struct Dot {
        x: Spanned<OneAxis> = "dataset" => "the categories";
        series: Spanned<OneAxis> = "method" => "one line, marker or colour each";
        x_label: Option<Text>, else "the name of x" => "text under the x axis";
        y_label: Option<Text>, else "the metric's label" => "text at the y axis";
        y_log: Flag = false => "logarithmic scale of y";
        clip: Option<Range>, else "all of it"
            => "the part of the value axis that is shown; values beyond stand at its end, with an arrow and their number";
        relative_to: Option<OneMethod>, else "nothing is subtracted"
            => "method whose value is subtracted from every other's";
        published: Option<Published>, else "none"
            => "file of the paper's numbers, with the columns row, column, metric, value, sd";
    }
    check(scope, _table) {
        drawable_over(x.as_ref(), series.as_ref(), scope);
    }
}

impl Plot for Dot {
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
        let mut series = Vec::new();
        for (color, of) in grid.series.iter().enumerate() {
            let alone = |value: &Option<f64>| value.map(|value| Mark { value, bar: None });
            let paper: Vec<Option<Mark>> = of.paper.iter().map(alone).collect();
            for (values, hollow) in [(of.ours.clone(), false), (paper, true)] {
                if values.iter().any(Option::is_some) {
                    let label = legend_label(&of.label, hollow);
                    series.push(DotSeries { label, look: Look { color, hollow }, values });
                }
            }
        }
        let given = self.x_label.clone().or_else(|| self.y_label.clone());
        let name = given.unwrap_or_else(|| value_name(figure, relative_to, evidence));
        let plot = DotPlot {
            title: figure.title.clone(),
            x_label: name + &bars_note(figure, relative_to, &grid),
            x: Shown::of(figure, relative_to, self.clip.as_ref(), self.y_log),
            rows: grid
                .positions
                .into_iter()
                .map(|Position { label, why, .. }| (label, why))
                .collect(),
            series,
            zero_line: relative_to.is_some(),
        };
        dot(&plot).map_err(|error| error.to_string())
    }

    fn shows_grid(&self) -> bool {
        over_grid([&self.x, &self.series])
    }
}

/// One row a category, one marker a series.
#[derive(Debug, Clone)]
pub struct DotPlot {
    /// Title above.
    pub title: String,
    /// Name of the value axis, with its unit.
    pub x_label: String,
    /// The value axis.
    pub x: Shown,
    /// Names of the rows, from the top; of those without a value, why there is none.
    pub rows: Vec<(String, Option<String>)>,
    /// The series.
    pub series: Vec<DotSeries>,
    /// Whether zero is on the axis, with a line: values are differences.
    pub zero_line: bool,
}

/// One marker in every row.
#[derive(Debug, Clone)]
pub struct DotSeries {
    /// Its name in the legend.
    pub label: String,
    /// How it looks.
    pub look: Look,
    /// The values by row; rows without one have no marker.
    pub values: Vec<Option<Mark>>,
}

/// Draws rows of markers as SVG.
///
/// # Errors
/// No value to draw, or one that is not positive on a logarithmic axis.
pub fn dot(plot: &DotPlot) -> Result<String, FigureError> {
    const WIDTH: f64 = 420.0;
    // Values past the last row have no place.
    let marks = || {
        let all = plot.series.iter().flat_map(|series| series.values.iter().take(plot.rows.len()));
        all.flatten().filter(|mark| drawable(mark.value))
    };
    let mut values: Vec<f64> = marks().map(|mark| mark.value).collect();
    if values.is_empty() {
        return Err(FigureError::Empty { title: plot.title.clone() });
    }
    if let Some(&value) = values.iter().find(|&&value| plot.x.log && value <= 0.0) {
        let (title, axis) = (plot.title.clone(), plot.x_label.clone());
        return Err(FigureError::NotPositive { title, axis, value });
    }
    let bars = marks().filter_map(|mark| mark.bar).flat_map(|(low, high)| [low, high]);
    values.extend(bars.filter(|&end| drawable(end) && (!plot.x.log || end > 0.0)));
    let zero_line = plot.zero_line && !plot.x.log;
    if zero_line {
        values.push(0.0);
    }

    // From the marker of one series to that of the next in the same row; where there are numbers they need more.
    let apart = if marks().any(|mark| plot.x.cuts(mark.value)) { 13.0 } else { 9.0 };
    let series = plot.series.len() as f64;
    let row_height = (series * apart + 9.0).max(22.0);
    let legend = Legend {
        entries: plot.series.iter().map(|s| (s.label.as_str(), s.look)).collect(),
        lines: false,
    };
    let left = 16.0 + widest(plot.rows.iter().map(|(name, _)| name.as_str())) + 8.0;
    let right = left + WIDTH;
    let width = right + legend.width();
    let title = wrapped(&plot.title, TITLE, width - 24.0);
    let top = 16.0 + title.len() as f64 * 20.0;
    let bottom = top + row_height * plot.rows.len() as f64;
    let x_label = wrapped(&plot.x_label, TEXT, WIDTH);
    let height =
        (bottom + 26.0 + x_label.len() as f64 * LINE_HEIGHT + 8.0).max(top + legend.height() + 8.0);

    let scale = Scale::horizontal(&values, plot.x, (left, right));
    page(width, height, |canvas| {
        draw_title(canvas, &title, width)?;
        for row in (0..plot.rows.len()).step_by(2) {
            let y = top + row as f64 * row_height;
            canvas.filled((left, y), (right, y + row_height), BAND)?;
        }
        for (value, text) in &scale.ticks {
            let x = scale.position(*value);
            canvas.line(&[(x, top), (x, bottom)], GRID, 1)?;
            canvas.line(&[(x, bottom), (x, bottom + 5.0)], INK, 1)?;
            canvas.text(text, (x, bottom + 15.0), TEXT, Align::Middle)?;
        }
        if zero_line {
            let x = scale.position(0.0);
            canvas.dashed(&[(x, top), (x, bottom)], INK, 1)?;
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1)?;
        for (place, text) in x_label.iter().enumerate() {
            let y = bottom + 35.0 + place as f64 * LINE_HEIGHT;
            canvas.text(text, ((left + right) / 2.0, y), TEXT, Align::Middle)?;
        }
        for (row, (name, why)) in plot.rows.iter().enumerate() {
            let middle = top + (row as f64 + 0.5) * row_height;
            canvas.text(name, (left - 8.0, middle), TEXT, Align::End)?;
            if let Some(why) = why {
                canvas.text(why, (left + 8.0, middle), TEXT, Align::Start)?;
            }
            for (place, series) in plot.series.iter().enumerate() {
                let y = middle + (place as f64 - (plot.series.len() - 1) as f64 / 2.0) * apart;
                let mark = series.values.get(row).copied().flatten();
                let Some(mark) = mark.filter(|mark| drawable(mark.value)) else { continue };
                let ink = color(series.look);
                let x = scale.position(mark.value);
                let about = About { series: &series.label, at: name, mark: &mark };
                canvas.mark(about, |canvas| {
                    if plot.x.cuts(mark.value) {
                        let back = if mark.value < plot.x.clip.0 { 1.0 } else { -1.0 };
                        let align = if back > 0.0 { Align::Start } else { Align::End };
                        canvas.arrow((x + 22.0 * back, y), -10.0 * back, false, ink)?;
                        canvas.text(&cut_text(&mark), (x + 28.0 * back, y), TEXT, align)?;
                        return canvas.marker((x + 6.0 * back, y), series.look);
                    }
                    if let Some((low, high)) =
                        mark.bar.filter(|&(low, high)| drawable(low) && drawable(high))
                    {
                        let (low, high) = (scale.position(low), scale.position(high));
                        canvas.line(&[(low, y), (high, y)], ink, 1)?;
                        canvas.line(&[(low, y - 3.0), (low, y + 3.0)], ink, 1)?;
                        canvas.line(&[(high, y - 3.0), (high, y + 3.0)], ink, 1)?;
                    }
                    canvas.marker((x, y), series.look)
                })?;
            }
        }
        legend.draw(canvas, right, top)
    })
}
