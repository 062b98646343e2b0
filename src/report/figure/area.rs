//! A page and the rectangles on it.

use plotters::style::RGBColor;

use super::FigureError;
use super::axis::Scale;
use super::canvas::{Align, Canvas, LINE_HEIGHT, Pen, TEXT, TITLE, page, wrapped};
use super::legend::Legend;

/// What every figure is: a title above, a body below it, and to the right of that a legend.
pub struct Page {
    /// The whole width.
    pub width: f64,
    /// Where the body begins, below the title.
    pub top: f64,
    /// Where the body ends.
    right: f64,
    title: Vec<String>,
    legend: Legend,
}

impl Page {
    /// With a body that ends at `right`.
    pub fn new(title: &str, right: f64, legend: Legend) -> Self {
        let width = right + legend.width();
        let title = wrapped(title, TITLE, width - 24.0);
        Self { width, top: 16.0 + title.len() as f64 * 20.0, right, title, legend }
    }

    /// A text as wide as the page, in lines.
    pub fn wrapped(&self, text: &str) -> Vec<String> {
        wrapped(text, TEXT, self.width - 24.0)
    }

    /// The rectangle below the title from `left` to the legend.
    pub fn area(&self, left: f64, height: f64) -> Area {
        Area { left, top: self.top, right: self.right, bottom: self.top + height }
    }

    /// The SVG of a page of this height, or more where the legend needs it; `draw` draws the body.
    ///
    /// # Errors
    /// The backend failed.
    pub fn draw(&self, height: f64, draw: impl FnOnce(&Canvas<'_>)) -> Result<String, FigureError> {
        let height = height.max(self.top + self.legend.height() + 8.0);
        page(self.width, height, |canvas| {
            canvas.lines(&self.title, (self.width / 2.0, 18.0), TITLE, 20.0, Align::Middle);
            draw(canvas);
            self.legend.draw(canvas, (self.right, self.top));
        })
    }
}

/// A rectangle, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// Its left side.
    pub left: f64,
    /// Its upper side.
    pub top: f64,
    /// Its right side.
    pub right: f64,
    /// Its lower side.
    pub bottom: f64,
}

impl Area {
    /// Its middle.
    pub fn middle(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    /// All of it in one color.
    pub fn fill(&self, canvas: &Canvas<'_>, color: RGBColor) {
        canvas.filled([(self.left, self.top), (self.right, self.bottom)], color);
    }

    /// A pale line around it.
    pub fn outline(&self, canvas: &Canvas<'_>) {
        let Self { left, top, right, bottom } = *self;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        canvas.line(&corners, Pen::GRID);
    }

    /// The lines of its two axes.
    pub fn axes(&self, canvas: &Canvas<'_>) {
        let corner = (self.left, self.bottom);
        canvas.line(&[(self.left, self.top), corner, (self.right, self.bottom)], Pen::INK);
    }

    /// The ticks of the axis below, with or without grid lines.
    pub fn ticks_below(&self, canvas: &Canvas<'_>, scale: &Scale, grid: bool) {
        for (x, text) in scale.placed() {
            if grid {
                canvas.line(&[(x, self.top), (x, self.bottom)], Pen::GRID);
            }
            canvas.line(&[(x, self.bottom), (x, self.bottom + 5.0)], Pen::INK);
            canvas.text(text, (x, self.bottom + 15.0), TEXT, Align::Middle);
        }
    }

    /// The ticks of the axis on the left, or grid lines in their place.
    pub fn ticks_beside(&self, canvas: &Canvas<'_>, scale: &Scale, grid: bool) {
        for (y, text) in scale.placed() {
            match grid {
                true => canvas.line(&[(self.left, y), (self.right, y)], Pen::GRID),
                false => canvas.line(&[(self.left - 5.0, y), (self.left, y)], Pen::INK),
            }
            canvas.text(text, (self.left - 8.0, y), TEXT, Align::End);
        }
    }

    /// The name of the axis below, under its ticks.
    pub fn name_below(&self, canvas: &Canvas<'_>, name: &[String]) {
        let at = (self.middle().0, self.bottom + 35.0);
        canvas.lines(name, at, TEXT, LINE_HEIGHT, Align::Middle);
    }

    /// Where that name ends.
    pub fn below(&self, name: &[String]) -> f64 {
        self.bottom + 26.0 + name.len() as f64 * LINE_HEIGHT + 8.0
    }
}
