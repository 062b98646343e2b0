//! Series over positions: what lines and rows of markers share.

use contract::MethodId;
use document::{Flag, Spanned, Text, section};
use spec::{
    AxisRef, Evidence, FigureDesign, Grid, GridAxes, Mark, OneAxis, OneMethod, Plotted, Published,
    Range,
};

use super::Look;
use super::axis::{Axis, drawable};
use super::legend::{Legend, Sample};

/// Marks that belong together.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// How it looks.
    pub look: Look,
    /// Places and marks, in the order in which they are joined. A mark that is not finite is left out: it breaks a line.
    pub points: Vec<(f64, Mark)>,
}

/// The ends of a mark's bar, if both have a place.
pub(super) fn bar(mark: &Mark) -> Option<[f64; 2]> {
    let (low, high) = mark.bar.filter(|&(low, high)| drawable(low) && drawable(high))?;
    Some([low, high])
}

section! {
    in Plotted;
    /// What is drawn where positions and series meet.
    pub struct Gridded {
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
}

impl Gridded {
    /// The values where positions and series meet.
    pub(super) fn grid(&self, x: &AxisRef, figure: &FigureDesign, evidence: &dyn Evidence) -> Grid {
        let relative_to = self.relative_to.as_ref();
        let published = self.published.as_deref();
        evidence.grid(figure, &GridAxes { x, series: &self.series, relative_to, published })
    }

    /// Whether it shows the points of a grid.
    pub(super) fn over_grid(&self, x: &AxisRef) -> bool {
        [x, &self.series].iter().any(|axis| matches!(axis, AxisRef::Grid(_)))
    }

    /// The axis of values: of differences any, else those that the metric can have. Without a name it has the metric's.
    pub(super) fn value_axis(
        &self,
        name: Option<String>,
        figure: &FigureDesign,
        evidence: &dyn Evidence,
    ) -> Axis {
        let Some(metric) = figure.y else {
            return Axis::all(name.unwrap_or_default(), self.y_log);
        };
        let minus = |id| format!("{} minus that of {}", metric.label, evidence.label(id));
        let (own, range) = match &self.relative_to {
            Some(id) => (minus(id), None),
            None => (metric.label.to_owned(), Some(metric.range)),
        };
        Axis::all(name.unwrap_or_else(|| metric.with_unit(&own)), self.y_log)
            .within(range, self.clip.as_ref())
    }

    /// What stands behind the name of the axis below where there are error bars.
    pub(super) fn bars_note(&self, figure: &FigureDesign, grid: &Grid) -> String {
        let intervals = match figure.y.map(|y| y.range) {
            Some((0.0, 1.0)) if self.relative_to.is_none() => "Wilson intervals",
            _ => "t-intervals",
        };
        grid.bars.map_or_else(String::new, |(level, over)| {
            format!(" — bars: {:.0}% {intervals} over {over}", level * 100.0)
        })
    }
}

/// Ours and the paper's series of a grid, from the lowest place; `place` says where a series' mark of a position is, if
/// anywhere. Those of `dashed` methods look like the paper's.
pub(super) fn series(
    grid: &Grid,
    place: impl Fn(&spec::Series, usize) -> Option<f64>,
    dashed: &[MethodId],
) -> Vec<Series> {
    let mut series = Vec::new();
    for (color, of) in grid.series.iter().enumerate() {
        let dashed = of.method.as_ref().is_some_and(|method| dashed.contains(method));
        let published = format!("{} (published)", of.label);
        for (label, marks, hollow) in [(&of.label, &of.ours, dashed), (&published, &of.paper, true)]
        {
            let marks = marks.iter().enumerate();
            let mut points: Vec<(f64, Mark)> =
                marks.filter_map(|(at, mark)| Some((place(of, at)?, (*mark)?))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !points.is_empty() {
                series.push(Series { label: label.clone(), look: Look { color, hollow }, points });
            }
        }
    }
    series
}

impl Legend {
    /// Of series, with samples of this kind.
    pub(super) fn of(series: &[Series], sample: fn(Look) -> Sample) -> Self {
        let entry = |series: &Series| (series.label.clone(), sample(series.look));
        Self { entries: series.iter().map(entry).collect(), down: 0.0 }
    }
}

/// Two axes over which a figure can be drawn, among the methods that it shows.
pub(super) fn drawable_over(
    x: Option<&Spanned<AxisRef>>,
    series: Option<&Spanned<AxisRef>>,
    scope: &mut Plotted<'_>,
) {
    let methods = &scope.shown.methods;
    for axis in x.into_iter().chain(series) {
        scope.runs_over(axis, methods);
        if axis.value == AxisRef::Metric {
            scope.fault(&axis.span, "a figure draws one metric", "`y` is the only one");
        }
    }
    let (Some(x), Some(series)) = (x, series) else { return };
    whole_grid([x, series], scope);
    let shown = scope.shown;
    scope.fixes_sweeps(
        &series.span,
        &shown.methods,
        &[&x.value, &series.value],
        shown.y.as_slice(),
    );
    if x == series {
        scope.fault(&series.span, "x and series run over the same", "also in `x`");
    }
}

/// A figure over a grid shows every point of it: one axis of a grid of several does not say which.
pub(super) fn whole_grid(shown: [&Spanned<AxisRef>; 2], scope: &mut Plotted<'_>) {
    let named = shown.into_iter().find_map(|axis| match &axis.value {
        AxisRef::Grid(name) => Some((name, &axis.key)),
        _ => None,
    });
    let Some((named, key)) = named else { return };
    let in_figure =
        |name: &str| shown.iter().any(|axis| axis.value == AxisRef::Grid(name.to_owned()));
    let methods = &scope.shown.methods;
    let partly =
        scope.methods.iter().filter(|method| methods.contains(&method.id)).find_map(|method| {
            method.grid.iter().find(|axis| in_figure(&axis.name))?;
            let other = method.grid.iter().find(|axis| !in_figure(&axis.name))?;
            Some((method.id.clone(), other.name.clone()))
        });
    if let Some((method, other)) = partly {
        let message = format!("the grid of `{method}` runs over `{other}` too");
        scope.fault(key, message, format!("over the grid of `{named}` alone")).help(format!(
            "make `{named}` a sweep, so that `{other}` is selected at each of its values, or \
                 show both as x and series"
        ));
    }
}
