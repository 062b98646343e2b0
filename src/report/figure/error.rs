//! Why a figure cannot be drawn.

use miette::Diagnostic;

/// A figure cannot be drawn.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum FigureError {
    /// There is nothing to draw pictures with.
    #[error("this program was built without the feature `pictures`")]
    #[diagnostic(help(
        "leave out --png and --pdf: figures are written as SVG; or build with the feature"
    ))]
    WithoutPictures,
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
    /// A diagram of a test that there is not.
    #[error("it names no Friedman test")]
    NoTest,
    /// A position of a line that is no number.
    #[error("{position} is not a number, which a line needs")]
    NoNumber {
        /// What people read for it.
        position: String,
    },
    /// The drawing library failed.
    #[error("failed to draw an SVG figure: {0}")]
    Draw(String),
    /// An SVG that cannot be made into an image.
    #[error("failed to render an SVG figure as a picture: {0}")]
    Render(String),
}
