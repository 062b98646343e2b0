//! What series are drawn on: a plane of two numeric axes, or rows above one.

use spec::Mark;

use super::area::{Area, Page};
use super::axis::{Axis, Scale, cut_text};
use super::canvas::{Align, BAND, Canvas, LINE_HEIGHT, Pen, TEXT, text_width, widest, wrapped};
use super::legend::Legend;
use super::series::bar;
use super::{FigureError, Look};

/// A page with a plane between two numeric axes.
pub struct Plane {
    /// The axis below.
    pub x: Scale,
    /// The axis on the left.
    pub y: Scale,
    /// Where it lies.
    pub area: Area,
    page: Page,
    names: (Vec<String>, String),
}

impl Plane {
    /// Around these values of the two axes.
    pub fn new(title: &str, x: (&Axis, &[f64]), y: (&Axis, &[f64]), legend: Legend) -> Self {
        const WIDTH: f64 = 460.0;
        const HEIGHT: f64 = 320.0;
        // The names of the axes must fit beside them.
        let height = HEIGHT.max(legend.height()).max(text_width(&y.0.name, TEXT) + 8.0);
        let ticks = Scale::vertical(y.1, y.0, (height, 0.0)).ticks;
        let left = 12.0 + LINE_HEIGHT + 8.0 + widest(ticks.iter().map(|tick| &*tick.1)) + 8.0;
        let page = Page::new(title, left + WIDTH, legend);
        let area = page.area(left, height);
        Self {
            x: Scale::horizontal(x.1, x.0, (area.left, area.right)),
            y: Scale::vertical(y.1, y.0, (area.bottom, area.top)),
            area,
            page,
            names: (wrapped(&x.0.name, TEXT, WIDTH), y.0.name.clone()),
        }
    }

    /// Draws its axes, and what `draw` draws.
    ///
    /// # Errors
    /// The backend failed.
    pub fn draw(&self, draw: impl FnOnce(&Canvas<'_>)) -> Result<String, FigureError> {
        let Self { area, names: (below, beside), .. } = self;
        self.page.draw(area.below(below), |canvas| {
            area.ticks_beside(canvas, &self.y, true);
            area.ticks_below(canvas, &self.x, true);
            area.axes(canvas);
            area.name_below(canvas, below);
            canvas.text_upwards(beside, (20.0, area.middle().1));
            draw(canvas);
        })
    }
}

/// A page with rows above a numeric axis.
pub struct Rows<'a> {
    /// The axis.
    pub x: Scale,
    /// Where they lie.
    pub area: Area,
    page: Page,
    axis: &'a Axis,
    rows: Vec<&'a str>,
    height: f64,
    name: Vec<String>,
}

impl<'a> Rows<'a> {
    /// With these names from the top, each so high, around these values of the axis.
    pub fn new(
        title: &str,
        (rows, height): (Vec<&'a str>, f64),
        (axis, values): (&'a Axis, &[f64]),
        legend: Legend,
    ) -> Self {
        const WIDTH: f64 = 420.0;
        let left = 16.0 + widest(rows.iter().copied()) + 8.0;
        let page = Page::new(title, left + WIDTH, legend);
        let area = page.area(left, height * rows.len() as f64);
        let x = Scale::horizontal(values, axis, (area.left, area.right));
        Self { x, area, page, axis, rows, height, name: wrapped(&axis.name, TEXT, WIDTH) }
    }

    /// Draws the axis, with a dashed line at `line`, and of each row its name and what `draw` draws at its middle.
    ///
    /// # Errors
    /// The backend failed.
    pub fn draw(
        &self,
        line: Option<f64>,
        draw: impl Fn(&Canvas<'_>, usize, f64),
    ) -> Result<String, FigureError> {
        let Self { area, height, .. } = *self;
        let top = |row: f64| area.top + row * height;
        self.page.draw(area.below(&self.name), |canvas| {
            for row in (0..self.rows.len()).step_by(2).map(|row| row as f64) {
                let band = Area { top: top(row), bottom: top(row) + height, ..area };
                band.fill(canvas, BAND);
            }
            area.ticks_below(canvas, &self.x, true);
            if let Some(value) = line {
                let x = self.x.position(value);
                canvas.line(&[(x, area.top), (x, area.bottom)], Pen::INK.dashed());
            }
            area.axes(canvas);
            area.name_below(canvas, &self.name);
            for (row, name) in self.rows.iter().enumerate() {
                let middle = top(row as f64 + 0.5);
                canvas.text(name, (area.left - 8.0, middle), TEXT, Align::End);
                draw(canvas, row, middle);
            }
        })
    }

    /// A mark of a series in a row, at this height; beyond an end of the axis an arrow and its number.
    pub fn mark(
        &self,
        canvas: &Canvas<'_>,
        [series, row]: [&str; 2],
        mark: &Mark,
        y: f64,
        look: Look,
    ) {
        let x = |value| self.x.position(value);
        canvas.mark(series, row, mark, |canvas| {
            if self.axis.cuts(mark.value) {
                let below = mark.value < self.axis.clip.0;
                return beyond(canvas, (x(mark.value), y), look, mark, below);
            }
            if let Some(ends) = bar(mark) {
                canvas.whisker(ends.map(|end| (x(end), y)), (0.0, 3.0), look.color());
            }
            canvas.marker((x(mark.value), y), look);
        });
    }
}

/// A value beyond an end of the axis: its marker there, an arrow, its number.
fn beyond(canvas: &Canvas<'_>, (x, y): (f64, f64), look: Look, mark: &Mark, below: bool) {
    let (back, align) = if below { (1.0, Align::Start) } else { (-1.0, Align::End) };
    canvas.arrow((x + 22.0 * back, y), -10.0 * back, false, look.color());
    canvas.text(&cut_text(mark), (x + 28.0 * back, y), TEXT, align);
    canvas.marker((x + 6.0 * back, y), look);
}
