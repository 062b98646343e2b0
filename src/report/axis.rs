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

/// A member of an axis: what it sets.
#[derive(Clone, Copy)]
enum Point<'a> {
    Dataset(&'a DatasetId),
    Method(&'a MethodId),
    Part(&'a Part),
    Metric(&'static Metric),
    Sweep(&'a str, &'a Value),
    Grid(&'a str, &'a Value),
}

impl Point<'_> {
    /// Its id and its label.
    fn names(&self, experiment: &Experiment, titles: Titles) -> (String, String) {
        match self {
            Self::Dataset(id) => (id.to_string(), titles(id)),
            Self::Method(id) => (id.to_string(), method_label(experiment, id).to_owned()),
            Self::Part(part) => (part.id.to_string(), part.label.clone()),
            Self::Metric(metric) => (metric.name.to_owned(), metric.label.to_owned()),
            Self::Sweep(name, value) | Self::Grid(name, value) => {
                (format!("{name}={value}"), format!("{name} = {value}"))
            }
        }
    }
}

/// The headers of the product of these axes, the first one slowest. Points that cannot exist are
/// left out: datasets that the part beside them does not have, sweep points of methods that do not
/// sweep the parameter (such a method has one header for all of them).
pub fn headers<'a>(
    axes: impl IntoIterator<Item = &'a AxisRef>,
    scope: Scope<'a>,
    titles: Titles,
) -> Vec<Header<'a>> {
    let product = crossed(axes.into_iter().map(|axis| members(axis, scope)));
    let headers = product.iter().filter_map(|points| header(points, scope.experiment, titles));
    headers.unique_by(|header| header.id.clone()).collect()
}

/// The header at these points; none if it cannot exist.
fn header<'a>(points: &[Point<'a>], experiment: &Experiment, titles: Titles) -> Option<Header<'a>> {
    let mut header = Header::default();
    let mut part = None;
    let method = points.iter().find_map(|point| match point {
        Point::Method(id) => experiment.method(id),
        _ => None,
    });
    let has = |axes: fn(&MethodSpec) -> &Vec<Axis>, name: &str| {
        method.is_none_or(|method| axes(method).iter().any(|axis| axis.name == name))
    };
    let (mut ids, mut labels) = (Vec::new(), Vec::new());
    for point in points {
        match *point {
            Point::Dataset(id) => header.dataset = Some(id),
            Point::Method(id) => header.method = Some(id),
            Point::Part(of) => part = Some(of),
            Point::Metric(metric) => header.metric = Some(metric),
            Point::Sweep(name, _) if !has(|method| &method.sweep, name) => continue,
            Point::Grid(name, _) if !has(|method| &method.grid, name) => continue,
            Point::Sweep(name, value) => header.sweep.push((name, value)),
            Point::Grid(name, value) => header.grid.push((name, value)),
        }
        let (id, label) = point.names(experiment, titles);
        ids.push(id);
        labels.push(label);
    }
    header.part = part.map(|part| &part.id);
    if part.zip(header.dataset).is_some_and(|(part, id)| !part.datasets.contains(id)) {
        return None;
    }
    (header.id, header.label) = (ids.join(" "), labels.join(", "));
    Some(header)
}

fn members<'a>(axis: &'a AxisRef, scope: Scope<'a>) -> Vec<Point<'a>> {
    let Scope { experiment, datasets, methods, parts, metrics } = scope;
    match axis {
        AxisRef::Dataset => datasets.iter().map(Point::Dataset).collect(),
        AxisRef::Method => methods.iter().map(Point::Method).collect(),
        AxisRef::Part => {
            let shown = experiment.parts.iter().filter(|part| parts.contains(&part.id));
            shown.map(Point::Part).collect()
        }
        AxisRef::Metric => metrics.iter().copied().map(Point::Metric).collect(),
        AxisRef::Sweep(name) => {
            let values = points(name, scope, |method| &method.sweep).into_iter();
            values.map(|value| Point::Sweep(name, value)).collect()
        }
        AxisRef::Grid(name) => {
            let values = points(name, scope, |method| &method.grid).into_iter();
            values.map(|value| Point::Grid(name, value)).collect()
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
