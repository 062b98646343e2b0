//! `[[table]]` and `[[figure]]`.

use super::Resolver;
use crate::{AxisRef, Best, Bold, FigureKind, FigureSpec, SdOver, TableSpec, TestKind, TestSpec};
use base::text::real;
use contract::parameter::Value;
use contract::{Metric, TaskKind};
use document::{Node, Table};
use math::decimal::difference;

/// What tables, figures and claims may name beside the resolver's own.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The experiment's title.
    pub title: &'a str,
    /// The tests without errors.
    pub tests: &'a [TestSpec],
    /// Ids of all tests.
    pub test_ids: &'a [String],
}

impl Scope<'_> {
    /// The experiment's title, unless the table has one.
    fn title(&self, table: &Table) -> String {
        table.text("title").unwrap_or(self.title).to_owned()
    }

    /// The test of this id, if it has no errors.
    pub(super) fn test(&self, id: &str) -> Option<&TestSpec> {
        self.tests.iter().find(|test| test.id == id)
    }
}

impl Resolver<'_> {
    pub(super) fn table(&mut self, table: &Table, scope: Scope<'_>) -> Option<TableSpec> {
        let methods = as_listed(table, "methods", self.some_methods(table));
        let rows = self.axes_of(table.get("rows")?, &methods);
        let columns = self.axes_of(table.get("columns")?, &methods);
        self.distinct_axes(table.get("columns")?, &rows, &columns);
        let by_metric = rows.contains(&AxisRef::Metric) || columns.contains(&AxisRef::Metric);
        let metrics = self.shown_metrics(table, by_metric);
        let best = best(table)?;
        let bold = self.bold(table.get("bold"), &metrics, scope);
        if let (Some(entry), Best::None) = (table.entry("bold"), best) {
            self.faults
                .at(&entry.key_span, "`bold` needs `best`", "not significantly worse than what?")
                .help("add best = \"max\" or best = \"min\"");
        }
        let published = self.published(table);
        Some(TableSpec {
            id: table.string("id")?,
            title: scope.title(table),
            rows,
            columns,
            metrics,
            methods,
            datasets: as_listed(table, "datasets", self.some_datasets(table)),
            parts: as_listed(table, "parts", self.some_parts(table)),
            digits: table.count("digits")?,
            scale: table.real("scale")?,
            published,
            best,
            best_in_column: table.text("best_along")? == "column",
            bold,
            partial: table.flag("partial")?,
            worse_than: self.one_method(table, "worse_than"),
            sd: sd(table)?,
        })
    }

    /// The axes of a table, which shows selected grid points only.
    fn axes_of(&mut self, node: &Node, methods: &[String]) -> Vec<AxisRef> {
        let mut axes = Vec::new();
        for item in node.items() {
            let axis = self.axis(item, methods);
            if let Some(AxisRef::Grid(name)) = &axis {
                let message = format!("a table can't run over the grid of `{name}`");
                self.faults
                    .at(&item.span, message, "tables show the selected point")
                    .help(format!("draw a figure over \"grid:{name}\", or make it a sweep"));
            }
            axes.extend(axis);
        }
        axes
    }

    fn distinct_axes(&mut self, node: &Node, rows: &[AxisRef], columns: &[AxisRef]) {
        if let Some(index) = columns.iter().position(|axis| rows.contains(axis)) {
            let span = node.items().get(index).map_or(&node.span, |item| &item.span);
            self.faults.at(span, "rows and columns run over the same", "also in `rows`");
        }
    }

    fn shown_metrics(&mut self, table: &Table, by_metric: bool) -> Vec<&'static Metric> {
        let (wanted, other) = if by_metric { ("metrics", "metric") } else { ("metric", "metrics") };
        let why = if by_metric { "\"metric\" is an axis" } else { "\"metric\" is no axis" };
        if let Some(entry) = table.entry(other) {
            self.faults
                .at(&entry.key_span, format!("`{other}` does not fit this table"), why)
                .help(format!("write `{wanted}` instead"));
        } else if table.get(wanted).is_none() {
            let message = format!("`[[table]]` lacks `{wanted}`");
            self.faults
                .at(&table.span, message, format!("`{wanted}` is missing here"))
                .help(format!("{why}, so the table needs `{wanted}`"));
        }
        let Some(node) = table.get(wanted) else { return Vec::new() };
        node.items().iter().filter_map(|item| self.metric_of(item)).collect()
    }

    /// A test with its level, about these metrics.
    pub(super) fn bold(
        &mut self,
        node: Option<&Node>,
        metrics: &[&'static Metric],
        scope: Scope<'_>,
    ) -> Option<Bold> {
        let table = node?.table()?;
        let named = table.get("test");
        let test = self.refer(named, "test", scope.test_ids)?;
        let alpha = table.real("alpha")?;
        let (Some(spec), Some(named)) = (scope.test(&test), named) else {
            return Some(Bold { test, alpha });
        };
        if let Some(other) = metrics.iter().find(|metric| metric.name != spec.metric.name) {
            let message = format!("`{test}` says nothing about `{}`", other.name);
            self.faults
                .at(&named.span, message, format!("it compares `{}`", spec.metric.name))
                .help(match metrics {
                    [_] => format!("name a test with metric = \"{}\"", other.name),
                    _ => "tables of several metrics have no `bold`".to_owned(),
                });
        }
        if let TestKind::Bootstrap { level, .. } = spec.kind
            && (alpha - (1.0 - level)).abs() > 1e-9
            && let Some(node) = table.get("alpha")
        {
            let message = format!("the interval of `{test}` has the level {level}");
            self.faults.at(&node.span, message, "another level").help(format!(
                "write alpha = {}, or change the test's `level`",
                real(difference(1.0, level))
            ));
        }
        Some(Bold { test, alpha })
    }

    pub(super) fn figure(&mut self, table: &Table, scope: Scope<'_>) -> Option<FigureSpec> {
        let kind = match table.text("kind")? {
            "line" => FigureKind::Line,
            "dot" => FigureKind::Dot,
            "critical-difference" => FigureKind::CriticalDifference,
            "boundary" => FigureKind::Boundary,
            _ => return None,
        };
        let methods = as_listed(table, "methods", self.some_methods(table));
        let y = self.metric(table, "y");
        let (x, series) = match kind {
            FigureKind::CriticalDifference | FigureKind::Boundary => {
                (AxisRef::Dataset, AxisRef::Method)
            }
            _ => {
                let x = self.axis(table.get("x")?, &methods);
                let series = self.axis(table.get("series")?, &methods);
                (x?, series?)
            }
        };
        if kind == FigureKind::Line {
            self.numeric_axis(table.get("x")?, &x);
        }
        for (key, axis) in [("x", &x), ("series", &series)] {
            if let (AxisRef::Metric, Some(node)) = (axis, table.get(key)) {
                self.faults.at(&node.span, "a figure draws one metric", "`y` is the only one");
            }
        }
        self.whole_grid(table, &methods, [&x, &series]);
        if x == series
            && let Some(node) = table.get("series")
        {
            self.faults.at(&node.span, "x and series run over the same", "also in `x`");
        }
        let test = self.refer(table.get("test"), "test", scope.test_ids);
        if let (Some(test), Some(node)) =
            (test.as_deref().and_then(|id| scope.test(id)), table.get("test"))
            && test.kind != TestKind::Friedman
        {
            self.faults
                .at(&node.span, format!("`{}` is not a Friedman test", test.id), "another kind")
                .help("critical differences are those of a test with kind = \"friedman\"");
        }
        let parts = as_listed(table, "parts", self.some_parts(table));
        let mut shown = self.parts.iter().filter(|part| parts.contains(&part.id));
        if kind == FigureKind::Boundary && shown.any(|part| part.kind != TaskKind::Boundary) {
            let node = table.get("parts").or_else(|| table.get("kind"));
            let message = "only boundary tasks have boundaries to draw";
            self.faults
                .at(
                    node.map_or(&table.span, |node| &node.span),
                    message,
                    "other tasks are shown too",
                )
                .help("name parts of kind \"boundary\"");
        }
        let relative_to = self.one_method(table, "relative_to");
        let dashed = match table.get("dashed") {
            None => Vec::new(),
            node => self.refer_all(node, "method", &self.method_ids.clone()),
        };
        let published = self.published(table);
        Some(FigureSpec {
            id: table.string("id")?,
            title: scope.title(table),
            kind,
            x,
            y: y?,
            series,
            methods,
            datasets: as_listed(table, "datasets", self.some_datasets(table)),
            parts,
            x_label: table.string("x_label"),
            y_label: table.string("y_label"),
            x_log: table.flag("x_log").unwrap_or(false),
            y_log: table.flag("y_log").unwrap_or(false),
            dodge: table.flag("dodge").unwrap_or(false),
            dashed,
            relative_to,
            published,
            test,
        })
    }

    /// A figure over a grid shows every point of it: one axis of a grid of several does not say which.
    fn whole_grid(&mut self, table: &Table, methods: &[String], shown: [&AxisRef; 2]) {
        let named = shown.iter().zip(["x", "series"]).find_map(|(axis, key)| match axis {
            AxisRef::Grid(name) => Some((name, key)),
            _ => None,
        });
        let Some((named, key)) = named else { return };
        let in_figure = |name: &str| shown.contains(&&AxisRef::Grid(name.to_owned()));
        let partly =
            self.methods.iter().filter(|method| methods.contains(&method.id)).find_map(|method| {
                method.grid.iter().find(|axis| in_figure(&axis.name))?;
                let other = method.grid.iter().find(|axis| !in_figure(&axis.name))?;
                Some((method.id.clone(), other.name.clone()))
            });
        if let Some((method, other)) = partly
            && let Some(entry) = table.entry(key)
        {
            let message = format!("the grid of `{method}` runs over `{other}` too");
            self.faults
                .at(&entry.key_span, message, format!("over the grid of `{named}` alone"))
                .help(format!(
                    "make `{named}` a sweep, so that `{other}` is selected at each of its values, or \
                     show both as x and series"
                ));
        }
    }

    /// Lines run over numbers.
    fn numeric_axis(&mut self, node: &Node, axis: &AxisRef) {
        let numeric = match axis {
            AxisRef::Sweep(name) | AxisRef::Grid(name) => self
                .methods
                .iter()
                .flat_map(|method| method.sweep.iter().chain(&method.grid))
                .filter(|axis| axis.name == *name)
                .flat_map(|axis| &axis.values)
                .all(|value| matches!(value, Value::Integer(_) | Value::Real(_))),
            _ => false,
        };
        if !numeric {
            self.faults
                .at(&node.span, "the x axis of a line figure is numeric", "has no numbers")
                .help("choose a numeric parameter, such as \"sweep:NAME\", or kind = \"dot\"");
        }
    }
}

/// What a table or figure shows, in the order in which it lists it.
fn as_listed(table: &Table, key: &str, mut ids: Vec<String>) -> Vec<String> {
    if let Some(node) = table.get(key) {
        let listed: Vec<&str> = node.items().iter().filter_map(Node::text).collect();
        ids.sort_by_key(|id| listed.iter().position(|listed| listed == id));
    }
    ids
}

fn best(table: &Table) -> Option<Best> {
    Some(match table.text("best")? {
        "none" => Best::None,
        "max" => Best::Max,
        "min" => Best::Min,
        _ => return None,
    })
}

fn sd(table: &Table) -> Option<SdOver> {
    Some(match table.text("sd")? {
        "none" => SdOver::None,
        "repeat" => SdOver::Repeat,
        "fold" => SdOver::Fold,
        "problem" => SdOver::Problem,
        "sample" => SdOver::Sample,
        "standard-error" => SdOver::StandardError,
        _ => return None,
    })
}
