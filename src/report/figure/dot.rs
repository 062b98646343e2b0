//! One row a category, one marker a series.

use document::{Spanned, section};
use spec::{Drawn, Evidence, FigureDesign, Mark, OneAxis, Plot, Plotted, Position, TestSpec};

use super::FigureError;
use super::axis::{Axis, drawable};
use super::canvas::{Align, TEXT};
use super::legend::{Legend, Sample};
use super::plane::Rows;
use super::series::{Gridded, Series, drawable_over, series};

section! {
    in Plotted;
    pub struct Dot: "dot" => "one row a category, one marker a series" {
        x: Spanned<OneAxis> = "dataset" => "the categories";
        /// What is drawn over them.
        values: Gridded;
    }
    check(scope, _table) {
        drawable_over(x.as_ref(), values.as_ref().map(|values| &values.series), scope);
    }
}

impl Plot for Dot {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        let grid = self.values.grid(&self.x, figure, evidence);
        let Gridded { x_label, y_label, .. } = &self.values;
        let mut x = self.values.value_axis(x_label.clone().or(y_label.clone()), figure, evidence);
        x.name += &self.values.bars_note(figure, &grid);
        let series = series(&grid, |_, row| Some(row as f64), &[]);
        let row = |Position { label, why, .. }| (label, why);
        Ok(dot(&DotPlot {
            title: figure.title.clone(),
            x,
            rows: grid.positions.into_iter().map(row).collect(),
            series,
            zero_line: self.values.relative_to.is_some(),
        })?)
    }

    fn shows_grid(&self) -> bool {
        self.values.over_grid(&self.x)
    }
}

/// One row a category, one marker a series.
#[derive(Debug, Clone)]
pub struct DotPlot {
    /// Title above.
    pub title: String,
    /// The value axis.
    pub x: Axis,
    /// Names of the rows, from the top; of those without a value, why there is none.
    pub rows: Vec<(String, Option<String>)>,
    /// The series, whose places are the numbers of rows.
    pub series: Vec<Series>,
    /// Whether zero is on the axis, with a line: values are differences.
    pub zero_line: bool,
}

/// Draws rows of markers as SVG.
///
/// # Errors
/// No value to draw, or one that is not positive on a logarithmic axis.
pub fn dot(plot: &DotPlot) -> Result<String, FigureError> {
    let in_row = |series: &Series, row: usize| {
        let mut points = series.points.iter();
        let point = points.find(|(place, mark)| *place == row as f64 && drawable(mark.value))?;
        Some(point.1)
    };
    let rows = 0..plot.rows.len();
    let marks = plot.series.iter().flat_map(|of| rows.clone().filter_map(|row| in_row(of, row)));
    let marks: Vec<Mark> = marks.collect();
    let mut values = plot.x.spanned(&plot.title, &marks)?;
    let zero = (plot.zero_line && !plot.x.log).then_some(0.0);
    values.extend(zero);
    // From the marker of one series to that of the next in the same row; where there are numbers they need more.
    let apart = if marks.iter().any(|mark| plot.x.cuts(mark.value)) { 13.0 } else { 9.0 };
    let count = plot.series.len() as f64;
    let names = plot.rows.iter().map(|(name, _)| name.as_str()).collect();
    let legend = Legend::of(&plot.series, Sample::Marker);
    let height = (count * apart + 9.0).max(22.0);
    let rows = Rows::new(&plot.title, (names, height), (&plot.x, &values), legend);
    rows.draw(zero, |canvas, row, middle| {
        let (name, why) = &plot.rows[row];
        if let Some(why) = why {
            canvas.text(why, (rows.area.left + 8.0, middle), TEXT, Align::Start);
        }
        for (place, series) in plot.series.iter().enumerate() {
            let Some(mark) = in_row(series, row) else { continue };
            let y = middle + (place as f64 - (count - 1.0) / 2.0) * apart;
            rows.mark(canvas, [&series.label, name], &mark, y, series.look);
        }
    })
}
