//! What kinds of figures share.

use document::Spanned;
use miette::Diagnostic;
use spec::{AxisRef, Evidence, FigureDesign, Grid, Panel, Pictured, Scope};
use task::Task;

/// How a series looks. Series of the same `color` belong together, such as a method's values and
/// the paper's values of it, drawn hollow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Position in the palette of colours and of marker shapes; both start again at their end.
    pub color: usize,
    /// Hollow markers and dashed lines: published values.
    pub hollow: bool,
}

/// Pictures of trials, a panel each.
#[derive(Debug, Clone)]
pub struct PicturePlot {
    /// Title above.
    pub title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl PicturePlot {
    /// Those that a figure shows.
    pub(super) fn new(figure: &FigureDesign, evidence: &dyn Evidence, pictured: Pictured) -> Self {
        Self { title: figure.title.clone(), panels: evidence.panels(figure, pictured) }
    }
}

/// Refuses parts of other tasks than the one that has such pictures.
pub(super) fn only_of(task: &dyn Task, pictures: &str, scope: &mut Scope<'_>) {
    let shown = scope.shown();
    let mut parts = scope.parts().iter().filter(|part| shown.parts.contains(&part.id));
    if parts.any(|part| part.task.word() != task.word()) {
        let (place, word) = (shown.place.clone(), task.word());
        let message = format!("only {word} tasks have {pictures} to draw");
        let help = format!("name parts of kind \"{word}\"");
        scope.faults.at(&place, message, "other tasks are shown too").help(help);
    }
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
pub(super) fn drawable(value: f64) -> bool {
    value.abs() < 1e150
}

/// Two axes over which a figure can be drawn, among the methods that it shows.
pub(super) fn drawable_over(
    x: Option<&Spanned<AxisRef>>,
    series: Option<&Spanned<AxisRef>>,
    scope: &mut Scope<'_>,
) {
    let methods = scope.shown().methods.clone();
    for axis in x.into_iter().chain(series) {
        scope.runs_over(axis, &methods);
        if axis.value == AxisRef::Metric {
            scope.faults.at(&axis.span, "a figure draws one metric", "`y` is the only one");
        }
    }
    let (Some(x), Some(series)) = (x, series) else { return };
    whole_grid([x, series], scope);
    if x == series {
        scope.faults.at(&series.span, "x and series run over the same", "also in `x`");
    }
}

/// A figure over a grid shows every point of it: one axis of a grid of several does not say which.
pub(super) fn whole_grid(shown: [&Spanned<AxisRef>; 2], scope: &mut Scope<'_>) {
    let named = shown.into_iter().find_map(|axis| match &axis.value {
        AxisRef::Grid(name) => Some((name, &axis.key)),
        _ => None,
    });
    let Some((named, key)) = named else { return };
    let in_figure =
        |name: &str| shown.iter().any(|axis| axis.value == AxisRef::Grid(name.to_owned()));
    let methods = &scope.shown().methods;
    let partly =
        scope.methods().iter().filter(|method| methods.contains(&method.id)).find_map(|method| {
            method.grid.iter().find(|axis| in_figure(&axis.name))?;
            let other = method.grid.iter().find(|axis| !in_figure(&axis.name))?;
            Some((method.id.clone(), other.name.clone()))
        });
    if let Some((method, other)) = partly {
        let message = format!("the grid of `{method}` runs over `{other}` too");
        scope.faults.at(key, message, format!("over the grid of `{named}` alone")).help(format!(
            "make `{named}` a sweep, so that `{other}` is selected at each of its values, or \
                 show both as x and series"
        ));
    }
}

/// Whether one of two axes shows the points of a grid.
pub(super) fn over_grid(axes: [&AxisRef; 2]) -> bool {
    axes.iter().any(|axis| matches!(axis, AxisRef::Grid(_)))
}

/// The default name of the value axis.
pub(super) fn value_name(
    figure: &FigureDesign,
    relative_to: Option<&str>,
    evidence: &dyn Evidence,
) -> String {
    let metric = figure.y;
    let unit = if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
    match relative_to {
        Some(method) => {
            let label = evidence.method(method).map_or(method, |spec| spec.label.as_str());
            format!("{} minus that of {label}{unit}", metric.label)
        }
        None => format!("{}{unit}", metric.label),
    }
}

/// What stands behind the name of an axis where there are error bars.
pub(super) fn bars_note(figure: &FigureDesign, relative_to: Option<&str>, grid: &Grid) -> String {
    let intervals = match figure.y.range {
        (0.0, 1.0) if relative_to.is_none() => "Wilson intervals",
        _ => "t-intervals",
    };
    grid.bars.map_or_else(String::new, |(level, over)| {
        format!(" — bars: {:.0}% {intervals} over {over}", level * 100.0)
    })
}

/// The name of a series in the legend.
pub(super) fn legend_label(label: &str, published: bool) -> String {
    if published { format!("{label} (published)") } else { label.to_owned() }
}
