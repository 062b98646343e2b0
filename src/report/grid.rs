//! The values of a figure: ours and the paper's where its positions and its series meet.

use contract::{MethodId, Metric};
use math::decimal::significant;
use math::sample::Sample;
use spec::{
    AxisRef, Experiment, FigureDesign, Grid, GridAxes, Mark, Over, Part, Per, Position, SdOver,
    Series,
};
use stats::{proportion_interval, t_interval};

use super::axis::{self, Header, Scope};
use super::cells::{Selection, worst};
use super::published;
use super::values::Values;

/// Level of the intervals that error bars show.
const LEVEL: f64 = 0.95;

/// The values of a figure where `axes` meet.
pub fn grid<'a>(figure: &'a FigureDesign, axes: &GridAxes<'a>, values: Values<'a>) -> Grid {
    let Some(metric) = &figure.y else { return Grid::default() };
    let source = Source { figure, metric, axes: *axes, values, bars: values.cells.varying() };
    let scope = source.scope();
    let positions = axis::headers([axes.x], scope, values.titles);
    let apart = KEPT_APART.iter().filter(|axis| is_open(axis, figure, axes, values.experiment));
    let series = axis::headers(std::iter::once(axes.series).chain(apart), scope, values.titles);
    let is_reference =
        |header: &Header| header.method.is_some() && header.method == axes.relative_to;
    let positions: Vec<Header> =
        positions.into_iter().filter(|header| !is_reference(header)).collect();
    let series = series.into_iter().filter(|header| !is_reference(header)).map(|header| Series {
        ours: positions.iter().map(|position| source.mark(position, &header)).collect(),
        paper: positions.iter().map(|position| source.paper(position, &header)).collect(),
        method: header.method.cloned(),
        label: header.label,
    });
    let series: Vec<Series> = series.collect();
    let positions = positions.into_iter().enumerate().map(|(place, header)| {
        let of = |series: &Series| series.ours[place].is_some() || series.paper[place].is_some();
        let why = (!series.iter().any(of)).then(|| source.why(&header));
        Position { number: coordinate(&header), label: header.label, why }
    });
    let positions = positions.collect();
    Grid { positions, series, bars: source.bars.map(|(_, over)| (LEVEL, over)) }
}

/// Where the values come from.
struct Source<'a> {
    figure: &'a FigureDesign,
    metric: &'a &'static Metric,
    axes: GridAxes<'a>,
    values: Values<'a>,
    /// What error bars are over, if anything varies.
    bars: Option<(Per, &'static str)>,
}

impl<'a> Source<'a> {
    fn scope(&self) -> Scope<'a> {
        Scope {
            experiment: self.values.experiment,
            datasets: &self.figure.datasets,
            methods: &self.figure.methods,
            parts: &self.figure.parts,
            metrics: std::slice::from_ref(self.metric),
        }
    }

    /// Our value where a position and a series meet, less that of the method that is subtracted; none where a trial failed
    /// or a method is only published.
    fn mark(&self, position: &Header<'a>, series: &Header<'a>) -> Option<Mark> {
        let (cells, metric) = (self.values.cells, self.metric);
        let own = axis::meeting(position, series, self.scope());
        let baseline = |method| Selection { methods: vec![method], ..own.clone() };
        let baseline = self.axes.relative_to.map(baseline);
        let places: Vec<Selection<'a>> = std::iter::once(own).chain(baseline).collect();
        let values = places.iter().map(|place| cells.cell(place, metric, SdOver::None).value);
        let values = values.collect::<Option<Vec<f64>>>()?;
        let bar = self.bars.and_then(|(per, _)| {
            let matched = cells.matched(&places, metric, per).ok()?.values;
            match &matched[..] {
                [own] => match (own.iter().copied().collect(), metric.range) {
                    (sample, (0.0, 1.0)) => proportion_interval(sample, LEVEL).map(rounded),
                    (sample, (least, most)) => {
                        let (low, high) = interval(sample)?;
                        Some((low.max(least), high.min(most)))
                    }
                },
                [own, other] => self.of_difference(&places[0], (own, other), per),
                _ => None,
            }
        });
        Some(Mark { value: values[0] - values.get(1).unwrap_or(&0.0), bar })
    }

    /// The interval of a difference: of two samples where they share nothing but their data, else pair by pair.
    fn of_difference(
        &self,
        place: &Selection<'a>,
        (own, other): (&[f64], &[f64]),
        per: Per,
    ) -> Option<(f64, f64)> {
        let (dataset, method) = (place.datasets.first()?, place.methods.first()?);
        let part = self.values.part_of(dataset, method);
        if part.is_none_or(|part| part.over(per) == Over::Seeds) {
            return stats::welch_difference(own, other, LEVEL).ok()?.interval.map(rounded);
        }
        interval(own.iter().zip(other).map(|(one, other)| one - other).collect())
    }

    /// Why a position has no value.
    fn why(&self, position: &Header<'a>) -> String {
        let all = axis::headers([self.axes.series], self.scope(), self.values.titles);
        let cells = all.iter().map(|series| {
            let selection = axis::meeting(position, series, self.scope());
            self.values.cells.cell(&selection, self.metric, SdOver::None).status
        });
        format!("no value: {}", worst(cells).word())
    }

    /// The published value where a position and a series meet, in the metric's unit.
    fn paper(&self, position: &Header<'a>, series: &Header<'a>) -> Option<Mark> {
        let file = published::file(self.values.experiment, self.axes.published)?;
        let selection = axis::meeting(position, series, self.scope());
        let value = |method: Option<&'a MethodId>| {
            let mut place = selection.clone();
            if let (Some(method), [own]) = (method, &mut place.methods[..]) {
                *own = method;
            }
            let printed = self.values.published.value(&place, self.metric);
            printed.or_else(|| {
                let found = |row, column| {
                    published::look_up(file, row, column, self.metric).map(|v| v.value)
                };
                let name = method.map_or(&*series.id, MethodId::as_str);
                found(&position.id, name).or_else(|| found(name, &position.id))
            })
        };
        let value = match self.axes.relative_to {
            None => value(None)?,
            Some(reference) => value(None)? - value(Some(reference))?,
        };
        Some(Mark { value, bar: None })
    }
}

/// Axes over which nothing is averaged: one that neither position nor series sets gives a series a
/// member.
static KEPT_APART: [AxisRef; 3] = [AxisRef::Method, AxisRef::Part, AxisRef::Dataset];

fn is_open(
    axis: &AxisRef,
    figure: &FigureDesign,
    axes: &GridAxes<'_>,
    experiment: &Experiment,
) -> bool {
    let members = match axis {
        AxisRef::Method => figure.methods.len(),
        AxisRef::Dataset => figure.datasets.len(),
        _ => {
            let runs = |dataset, method| {
                let shown = experiment.parts.iter().filter(|part| figure.parts.contains(&part.id));
                let has =
                    |part: &&Part| part.datasets.contains(dataset) && part.methods.contains(method);
                shown.filter(has).count()
            };
            let of = |dataset| figure.methods.iter().map(move |method| runs(dataset, method)).max();
            figure.datasets.iter().filter_map(of).max().unwrap_or(0)
        }
    };
    members > 1 && axes.x != axis && axes.series != axis
}

/// The position of a swept (or grid) value on a numeric axis.
fn coordinate(header: &Header) -> Option<f64> {
    header.sweep.first().or(header.grid.first())?.1.number()
}

/// The t-interval of a sample's mean, to nine digits: no pixel depends on the last bits of a
/// quantile.
fn interval(sample: Sample) -> Option<(f64, f64)> {
    t_interval(sample, LEVEL).map(rounded)
}

fn rounded((low, high): (f64, f64)) -> (f64, f64) {
    (significant(low, 9), significant(high, 9))
}
