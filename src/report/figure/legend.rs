//! Legends beside a plot.

use super::canvas::{Align, Canvas, LINE_HEIGHT, MARKER, TEXT, color, widest};
use super::shared::{FigureError, Look};

/// From the plot to the legend, and from the legend to the page's edge.
const GAP: f64 = 20.0;
/// Series and what they are called; drawn to the right of a plot, where it covers nothing.
pub struct Legend<'a> {
    /// Label and look of each series.
    pub entries: Vec<(&'a str, Look)>,
    /// Whether the series are lines.
    pub lines: bool,
}

impl Legend<'_> {
    /// Width with the space around it.
    pub fn width(&self) -> f64 {
        if self.is_empty() {
            return GAP;
        }
        let text = widest(self.entries.iter().map(|&(label, _)| label));
        GAP + self.sample() + 8.0 + text + GAP
    }

    /// Width of the sample of a series.
    fn sample(&self) -> f64 {
        if self.lines { 28.0 } else { 2.0 * MARKER }
    }

    /// Height.
    pub fn height(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.entries.len() as f64 * LINE_HEIGHT }
    }

    /// Draws it to the right of `x`, from `y` down.
    pub fn draw(&self, canvas: &Canvas<'_>, x: f64, y: f64) -> Result<(), FigureError> {
        if self.is_empty() {
            return Ok(());
        }
        let (left, sample) = (x + GAP, self.sample());
        for (place, &(label, look)) in self.entries.iter().enumerate() {
            let y = y + (place as f64 + 0.5) * LINE_HEIGHT;
            if self.lines {
                let ends = [(left, y), (left + sample, y)];
                if look.hollow {
                    canvas.dashed(&ends, color(look), 2)?;
                } else {
                    canvas.line(&ends, color(look), 2)?;
                }
            }
            canvas.marker((left + sample / 2.0, y), look)?;
            canvas.text(label, (left + sample + 8.0, y), TEXT, Align::Start)?;
        }
        Ok(())
    }

    /// A single series without a name needs no legend.
    fn is_empty(&self) -> bool {
        self.entries.iter().all(|(label, _)| label.is_empty())
    }
}
