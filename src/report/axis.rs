//! What the rows, columns, series and positions of tables and figures are.

use contract::parameter::Value;
use contract::{DatasetId, MethodId, Metric, PartId};
use itertools::Itertools as _;
use spec::{Axis, AxisRef, Experiment, MethodSpec, Part, TableSpec, crossed};

use super::cells::{Selection, same_value};

/// Gives the title of a dataset.
pub type Titles<'a> = &'a (dyn Fn(&DatasetId) -> String + Sync);

/// What a table or figure shows.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Datasets shown.
    pub datasets: &'a [DatasetId],
    /// Methods shown.
    pub methods: &'a [MethodId],
    /// Parts shown.
    pub parts: &'a [PartId],
    /// Metrics shown.
    pub metrics: &'a [&'static Metric],
}

impl<'a> Scope<'a> {
    /// What a table shows.
    pub fn of(experiment: &'a Experiment, table: &'a TableSpec) -> Self {
        let TableSpec { datasets, methods, parts, .. } = table;
        Self { experiment, datasets, methods, parts, metrics: table.metrics() }
    }
}

/// One row or column: a point of the product of its axes. Fields that no axis sets are open.
#[derive(Debug, Clone, Default)]
pub struct Header<'a> {
    /// The axes' ids, joined by spaces.
    pub id: String,
    /// The axes' labels, joined by commas.
    pub label: String,
    /// The dataset, if an axis sets it.
    pub dataset: Option<&'a DatasetId>,
    /// The method, if an axis sets it.
    pub method: Option<&'a MethodId>,
    /// The part, if an axis sets it.
    pub part: Option<&'a PartId>,
    /// The metric, if an axis sets it.
    pub metric: Option<&'static Metric>,
    /// Points of sweeps.
    pub sweep: Vec<(&'a str, &'a Value)>,
    /// Points of grids.
    pub grid: Vec<(&'a str, &'a Value)>,
}

/// The headers of the product of these axes, the first one slowest. Points that cannot exist are
/// left out: datasets that the part beside them does not have, sweep points of methods that do not
/// sweep the parameter (such a method has one header for all of them).
pub fn headers<'a>(
    axes: impl IntoIterator<Item = &'a AxisRef>,
    scope: Scope<'a>,
    titles: Titles,
) -> Vec<Header<'a>> {
    let product = crossed(axes.into_iter().map(|axis| members(axis, scope, titles)));
    let headers = product.into_iter().filter_map(|points| header(points, scope.experiment));
    headers.unique_by(|header| header.id.clone()).collect()
}

/// The header at these points, each a header of its own; none if it cannot exist.
fn header<'a>(mut points: Vec<Header<'a>>, experiment: &Experiment) -> Option<Header<'a>> {
    let method = points.iter().find_map(|point| experiment.method(point.method?));
    let has = |axes: fn(&MethodSpec) -> &Vec<Axis>, own: &[(&str, &Value)]| {
        let known =
            |name: &str, method: &MethodSpec| axes(method).iter().any(|axis| axis.name == name);
        method.is_none_or(|method| own.iter().all(|(name, _)| known(name, method)))
    };
    points.retain(|point| {
        has(|method| &method.sweep, &point.sweep) && has(|method| &method.grid, &point.grid)
    });
    let header = Header {
        id: points.iter().map(|point| &point.id).join(" "),
        label: points.iter().map(|point| &point.label).join(", "),
        dataset: points.iter().find_map(|point| point.dataset),
        method: points.iter().find_map(|point| point.method),
        part: points.iter().find_map(|point| point.part),
        metric: points.iter().find_map(|point| point.metric),
        sweep: points.iter().flat_map(|point| point.sweep.clone()).collect(),
        grid: points.iter().flat_map(|point| point.grid.clone()).collect(),
    };
    let part = experiment.parts.iter().find(|part| Some(&part.id) == header.part);
    part.zip(header.dataset).is_none_or(|(part, id)| part.datasets.contains(id)).then_some(header)
}

/// The points of an axis: headers that set one thing.
fn members<'a>(axis: &'a AxisRef, scope: Scope<'a>, titles: Titles) -> Vec<Header<'a>> {
    let Scope { experiment, datasets, methods, parts, metrics } = scope;
    let named = |id: &str, label: &str| Header {
        id: id.to_owned(),
        label: label.to_owned(),
        ..Header::default()
    };
    let valued =
        |name: &str, value: &Value| named(&format!("{name}={value}"), &format!("{name} = {value}"));
    let dataset = |id: &'a DatasetId| Header { dataset: Some(id), ..named(id, &titles(id)) };
    let method =
        |id: &'a MethodId| Header { method: Some(id), ..named(id, method_label(experiment, id)) };
    let part = |part: &'a Part| Header { part: Some(&part.id), ..named(&part.id, &part.label) };
    let metric = |&metric: &&'static Metric| Header {
        metric: Some(metric),
        ..named(metric.name, metric.label)
    };
    match axis {
        AxisRef::Dataset => datasets.iter().map(dataset).collect(),
        AxisRef::Method => methods.iter().map(method).collect(),
        AxisRef::Part => {
            experiment.parts.iter().filter(|one| parts.contains(&one.id)).map(part).collect()
        }
        AxisRef::Metric => metrics.iter().map(metric).collect(),
        AxisRef::Sweep(name) => {
            let point =
                |value| Header { sweep: vec![(name.as_str(), value)], ..valued(name, value) };
            points(name, scope, |method| &method.sweep).into_iter().map(point).collect()
        }
        AxisRef::Grid(name) => {
            let point =
                |value| Header { grid: vec![(name.as_str(), value)], ..valued(name, value) };
            points(name, scope, |method| &method.grid).into_iter().map(point).collect()
        }
    }
}

/// The values that the shown methods give a swept (or grid) parameter.
fn points<'a>(name: &str, scope: Scope<'a>, axes: fn(&MethodSpec) -> &Vec<Axis>) -> Vec<&'a Value> {
    let mut values: Vec<&Value> = Vec::new();
    let methods = scope.experiment.methods.iter().filter(|spec| scope.methods.contains(&spec.id));
    for axis in methods.flat_map(axes).filter(|axis| axis.name == name) {
        for value in &axis.values {
            if !values.iter().any(|other| same_value(other, value)) {
                values.push(value);
            }
        }
    }
    values
}

/// What people read for a method.
pub fn method_label<'a>(experiment: &'a Experiment, id: &'a MethodId) -> &'a str {
    experiment.method(id).map_or(id, |method| &method.label)
}

/// What people read over a column of row labels.
pub fn axis_name(axis: &AxisRef) -> String {
    match axis {
        AxisRef::Dataset => "Data set".to_owned(),
        AxisRef::Method => "Method".to_owned(),
        AxisRef::Part => "Part".to_owned(),
        AxisRef::Metric => "Metric".to_owned(),
        AxisRef::Sweep(name) | AxisRef::Grid(name) => name.clone(),
    }
}

/// The trials where two headers meet.
pub fn meeting<'a>(first: &Header<'a>, second: &Header<'a>, scope: Scope<'a>) -> Selection<'a> {
    fn narrowed<'a, I>(one: Option<&'a I>, all: &'a [I]) -> Vec<&'a I> {
        one.map_or_else(|| all.iter().collect(), |id| vec![id])
    }
    let methods = narrowed(first.method.or(second.method), scope.methods);
    let selection = Selection {
        datasets: narrowed(first.dataset.or(second.dataset), scope.datasets),
        methods,
        parts: narrowed(first.part.or(second.part), scope.parts),
        sweep: [&first.sweep[..], &second.sweep[..]].concat(),
        grid: [&first.grid[..], &second.grid[..]].concat(),
    };
    match selection.methods[..] {
        [only] => selection.of_method(scope.experiment, only),
        _ => selection,
    }
}
