//! Figures: pure drawing from numbers to SVG, and from SVG to PNG.
//!
//! The same input gives the same bytes: no system font is looked at, text stays text in the SVG,
//! and every position is computed here. Values that are not finite are left out: a line breaks
//! where one is, a row has no marker.

mod axis;
mod boundary;
mod canvas;
mod critical_difference;
mod dot;
mod legend;
mod line;
#[cfg(feature = "png")]
mod png;

pub use boundary::{BoundaryPlot, Panel, boundary};
pub use critical_difference::{RankPlot, critical_difference};
pub use dot::{DotPlot, DotSeries, dot};
pub use line::{LinePlot, LineSeries, line};
#[cfg(feature = "png")]
pub use png::png;

use miette::Diagnostic;

/// How a series looks. Series of the same `color` belong together, such as a method's values and
/// the paper's values of it, drawn hollow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Position in the palette of colours and of marker shapes; both start again at their end.
    pub color: usize,
    /// Hollow markers and dashed lines: published values.
    pub hollow: bool,
}

/// A position on the value axis with the ends of its error bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The value.
    pub value: f64,
    /// Lower and upper end of the error bar.
    pub bar: Option<(f64, f64)>,
}

/// Refuses a wish for PNG that this build can't fulfil.
///
/// # Errors
/// If it was built without the feature `png`.
pub fn draws_png() -> Result<(), FigureError> {
    if cfg!(feature = "png") { Ok(()) } else { Err(FigureError::WithoutPng) }
}

/// SVG to PNG, which takes the feature `png`.
///
/// # Errors
/// Always.
#[cfg(not(feature = "png"))]
pub fn png(_: &str) -> Result<Vec<u8>, FigureError> {
    Err(FigureError::WithoutPng)
}

/// A figure cannot be drawn.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum FigureError {
    /// There is nothing to draw PNG with.
    #[error("this program was built without the feature `png`")]
    #[diagnostic(help("leave out --png: figures are written as SVG; or build with the feature"))]
    WithoutPng,
    /// No finite value to draw.
    #[error("figure \"{title}\" has no value to draw")]
    #[diagnostic(help(
        "every value it selects is missing or not finite: check the figure's metric, methods and \
         datasets against trials.csv"
    ))]
    Empty {
        /// Title of the figure.
        title: String,
    },
    /// A value that has no place on a logarithmic axis.
    #[error("figure \"{title}\": {value} is on the logarithmic axis \"{axis}\"")]
    #[diagnostic(help("a logarithmic axis shows positive values: draw this one on a linear axis"))]
    NotPositive {
        /// Title of the figure.
        title: String,
        /// Name of the axis.
        axis: String,
        /// The value.
        value: f64,
    },
    /// The drawing library failed.
    #[error("failed to draw an SVG figure: {0}")]
    Draw(String),
    /// An SVG that cannot be made into an image.
    #[error("failed to render an SVG figure as PNG: {0}")]
    Render(String),
}

/// Whether a value has a place on an axis. The limit keeps the axis' own arithmetic finite.
fn drawable(value: f64) -> bool {
    value.abs() < 1e150
}

#[cfg(test)]
mod tests;
