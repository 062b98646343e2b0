//! Legends beside a plot.

use plotters::style::RGBColor;

use super::Look;
use super::canvas::{Align, Canvas, LINE_HEIGHT, MARKER, Pen, TEXT, widest};

/// From the plot to the legend, and from the legend to the page's edge.
const GAP: f64 = 20.0;

/// What stands for something in a plot and in its legend.
#[derive(Debug, Clone, Copy)]
pub enum Sample {
    /// The marker of a series.
    Marker(Look),
    /// The marker of a series on its line.
    OnLine(Look),
    /// A line.
    Line(Pen),
    /// A small point, with a ring around it or without.
    Point(RGBColor, bool),
}

impl Sample {
    fn width(self) -> f64 {
        if matches!(self, Self::Marker(_)) { 2.0 * MARKER } else { 28.0 }
    }

    fn draw(self, canvas: &Canvas<'_>, (left, y): (f64, f64)) {
        let (middle, right) = (left + self.width() / 2.0, left + self.width());
        match self {
            Self::Marker(look) => canvas.marker((middle, y), look),
            Self::OnLine(look) => {
                canvas.line(&[(left, y), (right, y)], look.pen());
                canvas.marker((middle, y), look);
            }
            Self::Line(pen) => canvas.line(&[(left, y), (right, y)], pen),
            Self::Point(color, ringed) => canvas.point((middle, y), color, ringed),
        }
    }
}

/// What samples mean; drawn to the right of a plot, where it covers nothing.
#[derive(Debug, Clone, Default)]
pub struct Legend {
    /// What each is called, with its sample; a single one without a name needs no legend.
    pub entries: Vec<(String, Sample)>,
    /// How far below the upper side of the body it begins.
    pub down: f64,
}

impl Legend {
    /// Width with the space around it, if there is anything to explain.
    pub fn width(&self) -> f64 {
        match self.named() {
            _ if self.entries.is_empty() => 0.0,
            false => GAP,
            true => GAP + self.sample() + 8.0 + widest(self.labels()) + GAP,
        }
    }

    /// Height, with what is left free above.
    pub fn height(&self) -> f64 {
        if self.named() { self.down + self.entries.len() as f64 * LINE_HEIGHT } else { 0.0 }
    }

    /// Draws it to the right of and below this point.
    pub fn draw(&self, canvas: &Canvas<'_>, (x, y): (f64, f64)) {
        let left = x + GAP;
        for (place, (label, sample)) in self.entries.iter().enumerate().filter(|_| self.named()) {
            let y = y + self.down + (place as f64 + 0.5) * LINE_HEIGHT;
            sample.draw(canvas, (left, y));
            canvas.text(label, (left + self.sample() + 8.0, y), TEXT, Align::Start);
        }
    }

    /// Width of the widest sample.
    fn sample(&self) -> f64 {
        self.entries.iter().map(|(_, sample)| sample.width()).fold(0.0, f64::max)
    }

    fn labels(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(label, _)| label.as_str())
    }

    fn named(&self) -> bool {
        self.labels().any(|label| !label.is_empty())
    }
}
