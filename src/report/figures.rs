//! What figures show: from specifications and cells to the numbers that are drawn.

use contract::Metric;
use contract::parameter::Value;
use math::sample::Sample;
use spec::{AxisRef, Experiment, FigureKind, FigureSpec, SdOver, TestSpec};
use stats::{self, t_interval};

use super::axis::{self, Header, Scope, Titles, axis_name, method_label};
use super::cells::{Cells, Per, Selection};
use super::figure::{
    self, DotPlot, DotSeries, FigureError, LinePlot, LineSeries, Look, Mark, RankPlot,
};
use super::published::{self, Published};
use super::values::Values;
use super::{boundaries, friedman};
use math::decimal::significant;

/// Level of the intervals that error bars show.
const LEVEL: f64 = 0.95;
/// Level of the critical difference.
const ALPHA: f64 = 0.05;

/// A figure, or why it cannot be drawn.
pub struct Figure<'a> {
    /// Its specification.
    pub spec: &'a FigureSpec,
    /// The SVG.
    pub svg: Result<String, String>,
    /// Whether its metric reads a clock.
    pub timing: bool,
}

/// Draws a figure.
pub fn draw<'a>(spec: &'a FigureSpec, values: Values<'a>, titles: Titles) -> Figure<'a> {
    let test = values.experiment.tests.iter().find(|test| Some(&test.id) == spec.test.as_ref());
    let plot = Plot::new(spec, values, titles);
    let svg = match spec.kind {
        FigureKind::Boundary => {
            let plot = boundaries::plot(spec, values.experiment, values.cells, titles);
            drawn(figure::boundary(&plot))
        }
        FigureKind::Line => plot.lines().and_then(|plot| drawn(figure::line(&plot))),
        FigureKind::Dot => drawn(figure::dot(&plot.dots())),
        FigureKind::CriticalDifference => match test {
            Some(test) => {
                ranks(spec, test, values).and_then(|plot| drawn(figure::critical_difference(&plot)))
            }
            None => Err("it names no Friedman test".to_owned()),
        },
    };
    let timing = spec.y.is_time() || test.is_some_and(|test| test.metric.is_time());
    Figure { spec, svg, timing }
}

fn drawn(svg: Result<String, FigureError>) -> Result<String, String> {
    svg.map_err(|error| error.to_string())
}

fn ranks(spec: &FigureSpec, test: &TestSpec, values: Values) -> Result<RankPlot, String> {
    let ranking = friedman::ranking(test, values)?;
    let (k, n) = (ranking.methods.len(), ranking.friedman.n);
    let critical_difference =
        stats::critical_difference(k, n, ALPHA).map_err(|error| error.to_string())?;
    let critical_difference = significant(critical_difference, 9);
    let methods = ranking
        .methods
        .iter()
        .zip(&ranking.friedman.mean_ranks)
        .map(|(method, rank)| (method_label(values.experiment, method).to_owned(), *rank))
        .collect();
    Ok(RankPlot { title: spec.title.clone(), methods, critical_difference })
}

/// The data of a line or dot plot.
struct Plot<'a> {
    spec: &'a FigureSpec,
    cells: &'a Cells<'a>,
    published: &'a Published<'a>,
    experiment: &'a Experiment,
    positions: Vec<Header<'a>>,
    series: Vec<Header<'a>>,
    /// What error bars are over, if anything varies.
    bars: Option<(Per, &'static str)>,
}

impl<'a> Plot<'a> {
    fn new(spec: &'a FigureSpec, values: Values<'a>, titles: Titles) -> Self {
        let experiment = values.experiment;
        let scope = scope(spec, experiment);
        let positions = axis::headers(std::slice::from_ref(&spec.x), scope, titles);
        let mut series = axis::headers(std::slice::from_ref(&spec.series), scope, titles);
        for open in KEPT_APART.iter().filter(|axis| is_open(axis, spec, experiment)) {
            let members = axis::headers(std::slice::from_ref(open), scope, titles);
            series = series
                .iter()
                .flat_map(|one| members.iter().map(move |other| joined(one, other)))
                .collect();
        }
        let is_reference = |header: &Header| {
            header.method.is_some() && header.method == spec.relative_to.as_deref()
        };
        Self {
            positions: positions.into_iter().filter(|header| !is_reference(header)).collect(),
            series: series.into_iter().filter(|header| !is_reference(header)).collect(),
            bars: values.cells.varying(),
            spec,
            cells: values.cells,
            published: values.published,
            experiment,
        }
    }

    fn lines(&self) -> Result<LinePlot, String> {
        let mut series = Vec::new();
        for (color, header) in self.series.iter().enumerate() {
            let mut ours = Vec::new();
            let mut paper = Vec::new();
            for position in &self.positions {
                let x = coordinate(position).ok_or_else(|| {
                    format!("{} is not a number, which a line needs", position.label)
                })?;
                ours.extend(self.mark(position, header).map(|mark| (x, mark)));
                let value = self.paper(position, header);
                paper.extend(value.map(|value| (x, Mark { value, bar: None })));
            }
            ours.sort_by(|a, b| a.0.total_cmp(&b.0));
            paper.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (points, hollow) in [(ours, false), (paper, true)] {
                if !points.is_empty() {
                    let dashed = |id: &str| self.spec.dashed.iter().any(|dashed| dashed == id);
                    let label = label(header, hollow);
                    let look = Look { color, hollow: hollow || header.method.is_some_and(dashed) };
                    series.push(LineSeries { label, look, points });
                }
            }
        }
        let x_name = self.spec.x_label.clone().unwrap_or_else(|| axis_name(&self.spec.x));
        Ok(LinePlot {
            title: self.spec.title.clone(),
            x_label: x_name + &self.bars_note(),
            y_label: self.spec.y_label.clone().unwrap_or_else(|| self.value_name()),
            x_log: self.spec.x_log,
            y_log: self.spec.y_log,
            dodge: self.spec.dodge,
            series,
        })
    }

    fn dots(&self) -> DotPlot {
        let mut series = Vec::new();
        for (color, header) in self.series.iter().enumerate() {
            let mut ours = Vec::new();
            let mut paper = Vec::new();
            for position in &self.positions {
                ours.push(self.mark(position, header));
                let value = self.paper(position, header);
                paper.push(value.map(|value| Mark { value, bar: None }));
            }
            for (values, hollow) in [(ours, false), (paper, true)] {
                if values.iter().any(Option::is_some) {
                    let (label, look) = (label(header, hollow), Look { color, hollow });
                    series.push(DotSeries { label, look, values });
                }
            }
        }
        let given = self.spec.x_label.clone().or_else(|| self.spec.y_label.clone());
        DotPlot {
            title: self.spec.title.clone(),
            x_label: given.unwrap_or_else(|| self.value_name()) + &self.bars_note(),
            x_log: self.spec.x_log || self.spec.y_log,
            rows: self.positions.iter().map(|header| header.label.clone()).collect(),
            series,
            zero_line: self.spec.relative_to.is_some(),
        }
    }

    /// The default name of the value axis.
    fn value_name(&self) -> String {
        let metric = self.spec.y;
        let unit =
            if metric.unit.is_empty() { String::new() } else { format!(" ({})", metric.unit) };
        match &self.spec.relative_to {
            Some(method) => {
                let label = method_label(self.experiment, method);
                format!("{} minus that of {label}{unit}", metric.label)
            }
            None => format!("{}{unit}", metric.label),
        }
    }

    fn bars_note(&self) -> String {
        self.bars.map_or_else(String::new, |(_, over)| {
            format!(" — bars: {:.0}% t-intervals over {over}", LEVEL * 100.0)
        })
    }

    /// Our value where a position and a series meet; none where a trial failed or the method is
    /// only published.
    fn mark(&self, position: &Header<'a>, series: &Header<'a>) -> Option<Mark> {
        let scope = scope(self.spec, self.experiment);
        let selection = axis::meeting(position, series, scope);
        let metric = self.spec.y;
        let Some(reference) = &self.spec.relative_to else {
            let cell = self.cells.cell(&selection, metric, SdOver::None);
            let bar = self.bars.and_then(|(per, _)| {
                let units = self.cells.units(&selection, metric, per).ok()?;
                interval(units.into_values().collect())
            });
            return cell.value.map(|value| Mark { value, bar });
        };
        let baseline = Selection { methods: vec![reference], ..selection.clone() };
        self.difference(&selection, &baseline, metric)
    }

    fn difference(
        &self,
        selection: &Selection<'a>,
        baseline: &Selection<'a>,
        metric: &Metric,
    ) -> Option<Mark> {
        let own = self.cells.cell(selection, metric, SdOver::None).value?;
        let other = self.cells.cell(baseline, metric, SdOver::None).value?;
        let bar = self.bars.and_then(|(per, _)| {
            let own = self.cells.units(selection, metric, per).ok()?;
            let other = self.cells.units(baseline, metric, per).ok()?;
            let pairs = own.iter().filter_map(|(unit, value)| Some(value - other.get(unit)?));
            interval(pairs.collect())
        });
        Some(Mark { value: own - other, bar })
    }

    /// The published value where a position and a series meet, in the metric's unit.
    fn paper(&self, position: &Header<'a>, series: &Header<'a>) -> Option<f64> {
        let file = published::file(self.experiment, self.spec.published.as_deref())?;
        let selection = axis::meeting(position, series, scope(self.spec, self.experiment));
        let value = |method: Option<&str>| {
            let (dataset, own) = (selection.datasets.first()?, selection.methods.first()?);
            let single = selection.datasets.len() == 1 && selection.methods.len() == 1;
            let printed = if single {
                let method = method.unwrap_or(own);
                self.published.value(
                    &selection.parts,
                    dataset,
                    method,
                    self.spec.y,
                    &selection.sweep,
                )
            } else {
                None
            };
            printed.or_else(|| {
                let found = |row, column| {
                    published::look_up(file, row, column, self.spec.y.name).map(|v| v.value)
                };
                let (x, name) = (position.id.as_str(), method.unwrap_or(&series.id));
                found(x, name).or_else(|| found(name, x))
            })
        };
        match &self.spec.relative_to {
            None => value(None),
            Some(reference) => Some(value(None)? - value(Some(reference))?),
        }
    }
}

fn scope<'a>(spec: &'a FigureSpec, experiment: &'a Experiment) -> Scope<'a> {
    Scope {
        experiment,
        datasets: &spec.datasets,
        methods: &spec.methods,
        parts: &spec.parts,
        metrics: std::slice::from_ref(&spec.y),
    }
}

/// Axes over which nothing is averaged: one that neither position nor series sets gives a series a
/// member.
static KEPT_APART: [AxisRef; 3] = [AxisRef::Method, AxisRef::Part, AxisRef::Dataset];

fn is_open(axis: &AxisRef, spec: &FigureSpec, experiment: &Experiment) -> bool {
    let members = match axis {
        AxisRef::Method => spec.methods.len(),
        AxisRef::Dataset => spec.datasets.len(),
        _ => {
            let parts_of = |dataset: &String| {
                let parts = experiment.parts.iter().filter(|part| spec.parts.contains(&part.id));
                parts.filter(|part| part.datasets.contains(dataset)).count()
            };
            spec.datasets.iter().map(parts_of).max().unwrap_or(0)
        }
    };
    members > 1 && spec.x != *axis && spec.series != *axis
}

/// The series where both headers hold.
fn joined<'a>(one: &Header<'a>, other: &Header<'a>) -> Header<'a> {
    Header {
        id: format!("{} {}", one.id, other.id),
        label: format!("{}, {}", one.label, other.label),
        dataset: one.dataset.or(other.dataset),
        method: one.method.or(other.method),
        part: one.part.or(other.part),
        metric: one.metric.or(other.metric),
        sweep: [&one.sweep[..], &other.sweep[..]].concat(),
        grid: [&one.grid[..], &other.grid[..]].concat(),
    }
}

/// The name of a series in the legend.
fn label(header: &Header, published: bool) -> String {
    if published { format!("{} (published)", header.label) } else { header.label.clone() }
}

/// The position of a swept (or grid) value on a numeric axis.
fn coordinate(header: &Header) -> Option<f64> {
    match header.sweep.first().or(header.grid.first())?.1 {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Bool(_) | Value::Text(_) => None,
    }
}

/// The t-interval of a sample's mean, to nine digits: no pixel depends on the last bits of a
/// quantile.
fn interval(sample: Sample) -> Option<(f64, f64)> {
    t_interval(sample, LEVEL).map(|(low, high)| (significant(low, 9), significant(high, 9)))
}
