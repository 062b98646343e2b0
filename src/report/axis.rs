//! What the rows, columns, series and positions of tables and figures are.

use contract::parameter::Value;
use contract::{DatasetId, MethodId, Metric, PartId};
use spec::{Axis, AxisRef, Experiment};

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

/// One row or column: a point of the product of its axes. Fields that no axis sets are open.
#[derive(Debug, Clone)]
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

/// One member of one axis: id, label, and what it sets.
struct Member<'a> {
    id: String,
    label: String,
    point: Point<'a>,
}

#[derive(Clone, Copy)]
enum Point<'a> {
    Dataset(&'a DatasetId),
    Method(&'a MethodId),
    Part(&'a PartId),
    Metric(&'static Metric),
    Sweep(&'a str, &'a Value),
    Grid(&'a str, &'a Value),
}

/// The headers of the product of these axes, the first one slowest. Points that cannot exist are
/// left out: datasets that the part beside them does not have, sweep points of methods that do not
/// sweep the parameter (such a method has one header for all of them).
pub fn headers<'a>(
    axes: impl IntoIterator<Item = &'a AxisRef>,
    scope: Scope<'a>,
    titles: Titles,
) -> Vec<Header<'a>> {
    let mut headers = vec![(Vec::new(), Vec::new())];
    for axis in axes {
        let members = members(axis, scope, titles);
        headers = headers
            .iter()
            .flat_map(|(names, points): &(Vec<(String, String)>, Vec<Point<'a>>)| {
                members.iter().map(|member| {
                    let mut names = names.clone();
                    let mut points = points.clone();
                    names.push((member.id.clone(), member.label.clone()));
                    points.push(member.point);
                    (names, points)
                })
            })
            .collect();
    }
    let mut result: Vec<Header> = Vec::new();
    for (names, points) in headers {
        if let Some(header) = header(&names, &points, scope.experiment)
            && !result.iter().any(|other| other.id == header.id)
        {
            result.push(header);
        }
    }
    result
}

/// The header at these points; none if it cannot exist.
fn header<'a>(
    names: &[(String, String)],
    points: &[Point<'a>],
    experiment: &Experiment,
) -> Option<Header<'a>> {
    let mut header = Header {
        id: String::new(),
        label: String::new(),
        dataset: None,
        method: None,
        part: None,
        metric: None,
        sweep: Vec::new(),
        grid: Vec::new(),
    };
    for point in points {
        match *point {
            Point::Dataset(id) => header.dataset = Some(id),
            Point::Method(id) => header.method = Some(id),
            Point::Part(id) => header.part = Some(id),
            Point::Metric(metric) => header.metric = Some(metric),
            Point::Sweep(..) | Point::Grid(..) => {}
        }
    }
    if let (Some(part), Some(dataset)) = (header.part, header.dataset) {
        let part = experiment.parts.iter().find(|other| other.id == *part)?;
        part.datasets.contains(dataset).then_some(())?;
    }
    let method = header.method.and_then(|id| experiment.method(id));
    let has = |axes: fn(&spec::MethodSpec) -> &Vec<Axis>, name: &str| {
        method.is_none_or(|method| axes(method).iter().any(|axis| axis.name == name))
    };
    let (mut ids, mut labels) = (Vec::new(), Vec::new());
    for ((id, label), point) in names.iter().zip(points) {
        match *point {
            Point::Sweep(name, _) if !has(|method| &method.sweep, name) => continue,
            Point::Grid(name, _) if !has(|method| &method.grid, name) => continue,
            Point::Sweep(name, value) => header.sweep.push((name, value)),
            Point::Grid(name, value) => header.grid.push((name, value)),
            _ => {}
        }
        ids.push(id.as_str());
        labels.push(label.as_str());
    }
    header.id = ids.join(" ");
    header.label = labels.join(", ");
    Some(header)
}

fn members<'a>(axis: &'a AxisRef, scope: Scope<'a>, titles: Titles) -> Vec<Member<'a>> {
    let experiment = scope.experiment;
    match axis {
        AxisRef::Dataset => scope
            .datasets
            .iter()
            .map(|id| Member { id: id.to_string(), label: titles(id), point: Point::Dataset(id) })
            .collect(),
        AxisRef::Method => scope
            .methods
            .iter()
            .map(|id| Member {
                id: id.to_string(),
                label: method_label(experiment, id).to_owned(),
                point: Point::Method(id),
            })
            .collect(),
        AxisRef::Part => experiment
            .parts
            .iter()
            .filter(|part| scope.parts.contains(&part.id))
            .map(|part| Member {
                id: part.id.to_string(),
                label: part.label.clone(),
                point: Point::Part(&part.id),
            })
            .collect(),
        AxisRef::Metric => scope
            .metrics
            .iter()
            .map(|metric| Member {
                id: metric.name.to_owned(),
                label: metric.label.to_owned(),
                point: Point::Metric(metric),
            })
            .collect(),
        AxisRef::Sweep(name) => points(name, scope, |method| &method.sweep)
            .into_iter()
            .map(|value| Member {
                id: format!("{name}={value}"),
                label: format!("{name} = {value}"),
                point: Point::Sweep(name, value),
            })
            .collect(),
        AxisRef::Grid(name) => points(name, scope, |method| &method.grid)
            .into_iter()
            .map(|value| Member {
                id: format!("{name}={value}"),
                label: format!("{name} = {value}"),
                point: Point::Grid(name, value),
            })
            .collect(),
    }
}

/// The values that the shown methods give a swept (or grid) parameter.
fn points<'a>(
    name: &str,
    scope: Scope<'a>,
    axes: fn(&spec::MethodSpec) -> &Vec<Axis>,
) -> Vec<&'a Value> {
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
