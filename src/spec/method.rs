//! `[[method]]`.

use contract::parameter::{Parameter, Parameters};
use contract::{Basis, Direction, Gives, MethodEntry, Metric, Value};
use document::{
    Content, Count, Flag, Form, Node, ReadTable, Section as _, Spanned, Table, Text,
    check_parameter, holds, section, suggestion,
};

use ::task::classification::CLASSIFICATION;
use ::task::probabilities::{OF_PROBABILITIES, OF_SCORES};
use method::command::COMMAND;

use super::command::command;
use super::design::{Axis, MethodSpec, Part};
use super::refer::{AnyMetric, NewMethod};
use super::scope::{Parted, serving};
use super::tasks::TasksOfMethod;

holds! {
    /// Parameters with the values that they take.
    pub(crate) Axes: Table = Form::Lists("parameter"), |node: &Node| node.table().cloned();
}

section! {
    in Parted;
    pub(crate) struct MethodKeys: "method" => "A method with its parameters, which depend on its kind (`reprise methods KIND`)." {
        id: Spanned<NewMethod> => "its id, such as `MEVM`";
        kind: Option<Spanned<Text>>, else "none: the method is an `estimator`, or `published_only`"
            => "the method of the registry (`reprise methods`)";
        estimator: Option<Spanned<Text>>, else "none"
            => "an estimator of scikit-learn, as Python calls it: `SVC(C=10)`; it makes the kind";
        label: Option<Text>, else "the id" => "what people read";
        published_only: Flag = false
            => "it has no `kind`: the experiment only quotes its published values";
        sweep: Option<Spanned<Axes>>, else "nothing is swept"
            => "parameters that are crossed and reported: axes of tables and figures";
        grid: Option<Spanned<Axes>>, else "nothing is selected"
            => "parameters that are crossed and selected from";
        select: Option<Spanned<AnyMetric>>, else "an error, if there is a `grid`"
            => "the metric by which a point of the grid is selected; ties go to the earlier point";
        grid_sample: Option<Spanned<Count>>, else "all"
            => "how many points of the grid are tried, drawn without repetition by the experiment's seed";
        repeats: Option<Spanned<Count>>, else "the task's"
            => "how many repeats it runs for, the first ones; a test over repeats pairs it over these";
        may_fail: Flag = false => "its failures are results and leave the exit code alone";
    }
    check(scope, _table) {
        if let Some(id) = id.as_ref().filter(|id| id.value == "others") {
            scope.fault(&id.span, "no method can be called `others`", "reserved")
                .help("claims say \"others\" for all other methods");
        }
    }
}

/// A method; its parameters are those of its kind.
pub(crate) fn method(table: &Table, scope: &mut Parted<'_>) -> Option<MethodSpec> {
    let keys = MethodKeys::read_table(table, scope)?;
    let label = keys.label.clone().unwrap_or_else(|| keys.id.to_string());
    let repeats = keys.repeats.as_ref();
    let repeats =
        repeats.map_or(usize::MAX, |named| scope.at_most_the_task(named, "a method runs"));
    let of = |entry, program, parameters, sweep, grid, select| MethodSpec {
        id: keys.id.value.clone(),
        label,
        entry,
        program,
        parameters,
        sweep,
        grid,
        select,
        grid_sample: keys.grid_sample.as_ref().map(|sample| sample.value),
        repeats,
        may_fail: keys.may_fail,
    };
    if let (Some(sample), None) = (&keys.grid_sample, &keys.grid) {
        scope
            .fault(&sample.span, "there is no grid to sample from", "without a `grid`")
            .help("add a `grid`, or remove this key");
    }
    if keys.published_only {
        has_no_more(table, scope);
        return Some(of(None, None, Parameters::default(), Vec::new(), Vec::new(), None));
    }
    if let (Some(estimator), Some(kind)) = (&keys.estimator, &keys.kind) {
        let fault =
            scope.faults.at(&kind.key, "`kind` beside `estimator`", "made by the estimator");
        fault.help(format!("remove `kind`, or `estimator = {:?}`", estimator.value));
    }
    let of_command = || keys.kind.as_ref().filter(|kind| kind.value == COMMAND.kind);
    let (entry, program) = match keys.estimator.as_ref().or_else(of_command) {
        Some(runs) => {
            let (entry, program) = command(&keys.id.value, (table, &MethodKeys::keys()), scope)?;
            let tasks = scope.outline.tasks.of_method(table);
            served(entry, runs, &tasks, scope);
            (entry, Some(program))
        }
        None => (kind(&keys, table, scope)?, None),
    };
    gives_what_is_asked(entry, &keys, scope);
    let parameters = entry.parameters.iter().map(|parameter| {
        let given = table.get(parameter.name).and_then(Node::scalar).cloned();
        (parameter.name.to_owned(), given.unwrap_or_else(|| parameter.default.into()))
    });
    let parameters = parameters.collect();
    let sweep = axes("sweep", keys.sweep.as_ref(), table, entry, scope);
    let grid = axes("grid", keys.grid.as_ref(), table, entry, scope);
    swept_once(&keys, scope);
    let select = select(&keys, scope);
    Some(of(Some(entry), program, parameters, sweep, grid, select))
}

/// What people read for the methods of a part tells them apart.
pub(crate) fn distinct_labels(root: &Table, methods: &[MethodSpec], scope: &mut Parted<'_>) {
    let parts = scope.parts;
    let together = |one: &MethodSpec, other: &MethodSpec| {
        let both = |part: &Part| [one, other].iter().all(|spec| part.methods.contains(&spec.id));
        // One id twice is reported as that.
        let apart = !one.id.eq_ignore_ascii_case(&other.id);
        one.label == other.label && apart && parts.iter().any(both)
    };
    for (at, method) in methods.iter().enumerate() {
        let other = methods[..at].iter().find(|other| together(method, other));
        let Some((other, table)) = other.zip(root.named("method", &method.id)) else { continue };
        let message =
            format!("`{}` and `{}` are both called {}", other.id, method.id, method.label);
        let span = table.get("label").map_or(&table.span, |label| &label.span);
        scope
            .fault(span, message, "also the name of another method")
            .help("a `label` is all that readers see of a method: give each its own");
    }
}

fn has_no_more(table: &Table, scope: &mut Parted<'_>) {
    let keys = ["kind", "estimator", "sweep", "grid", "select", "repeats"];
    for entry in keys.into_iter().filter_map(|key| table.entry(key)) {
        let message = format!("a published-only method has no `{}`", entry.key);
        let fault = scope.fault(&entry.key_span, message, "never runs");
        fault.help("remove this key, or `published_only`");
    }
}

fn kind(keys: &MethodKeys, table: &Table, scope: &mut Parted<'_>) -> Option<&'static MethodEntry> {
    let tasks = scope.outline.tasks.of_method(table);
    let serve = scope.known.methods.iter().filter(|entry| tasks.unserved(entry).is_none());
    let kinds: Vec<&str> = serve.map(|entry| entry.kind).collect();
    let Some(kind) = &keys.kind else {
        let list = suggestion("", &kinds).map_or(String::new(), |list| format!(" ({list})"));
        let message = format!("method `{}` lacks `kind`", keys.id.value);
        let list = format!(
            "name a method of the registry{list}, an `estimator`, or say `published_only = true`"
        );
        scope.fault(&table.span, message, "`kind` is missing here").help(list);
        return None;
    };
    let Some(entry) = serving(&scope.known.methods, kind, &tasks) else {
        let message = format!("there is no method of kind `{}`", kind.value);
        let without = scope.known.without.map(str::to_owned);
        let help: Vec<String> = suggestion(kind, &kinds).into_iter().chain(without).collect();
        let fault = scope.fault(&kind.span, message, "unknown kind");
        fault.maybe_help((!help.is_empty()).then(|| help.join("\n")));
        return None;
    };
    served(entry, kind, &tasks, scope);
    Some(entry)
}

/// What a method is, where an error says what it can't do.
fn called(entry: &MethodEntry) -> String {
    match entry.gives().next() {
        Some(gives) => format!("a program that gives `{}`", gives.word()),
        None => format!("a method of kind `{}`", entry.kind),
    }
}

/// Refuses a method that does not serve one of its tasks.
fn served(
    entry: &MethodEntry,
    kind: &Spanned<String>,
    tasks: &TasksOfMethod,
    scope: &mut Parted<'_>,
) {
    if let Some(task) = tasks.unserved(entry) {
        let what = called(entry);
        let message = format!("{what} does not do {}", task.word);
        let others = scope.known.methods.iter().filter(|other| (task.serves)(other));
        let serving: Vec<&str> = others.map(|other| other.kind).collect();
        scope.fault(&kind.span, message, "runs in such a task").help(
            match suggestion("", &serving) {
                Some(known) => format!("{known}; or name the methods of each part"),
                None => "name the methods of each part".to_owned(),
            },
        );
    }
}

/// Refuses a method without probabilities or scores of classes in a part that measures them.
fn gives_what_is_asked(entry: &MethodEntry, keys: &MethodKeys, scope: &mut Parted<'_>) {
    if entry.gives_probabilities() {
        return;
    }
    let runs = |part: &&Part| part.methods.contains(&keys.id.value);
    let asked = scope.parts.iter().filter(runs).find_map(|part| {
        let scores = OF_SCORES.iter().filter(|_| !entry.gives().any(Gives::of_each_class));
        let metric = OF_PROBABILITIES.iter().chain(scores).find(|metric| part.reports(metric))?;
        Some((metric.name, part.id.clone()))
    });
    let (Some((metric, part)), Some(kind)) = (asked, &keys.kind) else { return };
    let what = called(entry);
    let mut giving: Vec<&str> = scope
        .known
        .methods
        .iter()
        .filter(|other| other.probabilities && (CLASSIFICATION.serves)(other))
        .map(|other| other.kind)
        .collect();
    giving.dedup();
    let ranks = OF_SCORES.iter().any(|of_scores| of_scores.name == metric);
    let scores = if ranks { " or \"scores\"" } else { "" };
    let whose = if part.is_empty() { "`[task]`".to_owned() } else { format!("part `{part}`") };
    let message = format!("{what} gives no probabilities of classes, which `{metric}` needs");
    scope.fault(&kind.span, message, format!("`metrics` of {whose} names `{metric}`")).help(format!(
        "methods that give them: {}, and programs with gives = \"probabilities\"{scores}; or name `{metric}` in a part \
         without this method",
        giving.join(", ")
    ));
}

fn axes(
    key: &str,
    axes: Option<&Spanned<Table>>,
    table: &Table,
    entry: &'static MethodEntry,
    scope: &mut Parted<'_>,
) -> Vec<Axis> {
    let mut found = Vec::new();
    for axis in axes.iter().flat_map(|axes| &axes.entries) {
        let Some(parameter) = entry.parameters.iter().find(|p| p.name == axis.key) else {
            let names: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
            let message = format!("a method of kind `{}` has no `{}`", entry.kind, axis.key);
            scope
                .fault(&axis.key_span, message, "unknown parameter")
                .maybe_help(suggestion(&axis.key, &names));
            continue;
        };
        if table.get(&axis.key).is_some() {
            let message = format!("`{}` has a value of its own", axis.key);
            scope
                .fault(&axis.key_span, message, "set twice")
                .help(format!("remove `{}` from the method or from its {key}", axis.key));
        }
        let Content::List(items) = &axis.node.content else { continue };
        let values = items.iter().filter_map(|item| typed(parameter, item, scope)).collect();
        found.push(Axis { name: axis.key.clone(), values });
    }
    found
}

/// A value of a parameter in the parameter's type.
pub(crate) fn typed(parameter: &Parameter, node: &Node, scope: &mut Parted<'_>) -> Option<Value> {
    let mut node = node.clone();
    check_parameter(parameter, &mut node, scope.faults);
    node.scalar().cloned()
}

fn swept_once(keys: &MethodKeys, scope: &mut Parted<'_>) {
    let (Some(sweep), Some(grid)) = (&keys.sweep, &keys.grid) else { return };
    for axis in grid.entries.iter().filter(|axis| sweep.get(&axis.key).is_some()) {
        let message = format!("`{}` is in the sweep and in the grid", axis.key);
        scope
            .fault(&axis.key_span, message, "also swept")
            .help("a sweep is reported at every value, a grid at the selected one");
    }
}

fn select(keys: &MethodKeys, scope: &mut Parted<'_>) -> Option<&'static Metric> {
    match (&keys.select, &keys.grid) {
        (None, None) => None,
        (None, Some(grid)) => {
            let example = validating(keys, scope);
            scope
                .fault(&grid.key, "a grid needs `select`", "selected by which metric?")
                .maybe_help(example);
            None
        }
        (Some(select), None) => {
            scope
                .fault(&select.key, "there is no grid to select from", "without a `grid`")
                .help("add a `grid`, or remove this key");
            None
        }
        (Some(select), Some(_)) => {
            let metric = select.value;
            let mut parts = scope.parts.iter().filter(|part| part.methods.contains(&keys.id));
            let is_measured = parts.clone().all(|part| scope.known.measures(part.task, metric));
            let asked_for = metric.on_request.is_none() || parts.all(|part| part.reports(metric));
            if !is_measured || !asked_for || !can_select(metric) {
                let metrics = of_tasks(keys, scope);
                // What methods say of themselves selects little.
                let validates = metrics.first().is_some_and(|one| one.basis == Basis::Validation);
                let names: Vec<&str> = metrics.iter().map(|metric| metric.name).collect();
                let example = if validates { None } else { validating(keys, scope) };
                let help = example.or_else(|| suggestion("", &names));
                let message = format!("`{}` can't select", metric.name);
                let label = match () {
                    () if metric.is_time() => "reads a clock, so the selection would differ",
                    () if of_test(metric) => "selection would see the test examples",
                    () if !is_measured => "not measured by the task",
                    () if !asked_for => "measured only if `metrics` lists it",
                    () => "neither higher nor lower is better",
                };
                scope.fault(&select.span, message, label).maybe_help(help);
            }
            Some(metric)
        }
    }
}

/// How a point of a grid is selected by validation examples.
fn validating(keys: &MethodKeys, scope: &Parted<'_>) -> Option<String> {
    let parts = scope.parts.iter().filter(|part| part.methods.contains(&keys.id));
    let mut metrics = parts.flat_map(|part| part.task.metrics);
    let metric = metrics.find(|one| one.basis == Basis::Validation && can_select(one))?;
    let name = metric.name;
    Some(format!(
        "for example select = \"{name}\", by validation examples of the split or of `inner`"
    ))
}

/// Whether a metric can select a point of a grid.
pub(crate) fn can_select(metric: &Metric) -> bool {
    metric.direction != Direction::Neutral && !metric.is_time() && !of_test(metric)
}

fn of_test(metric: &Metric) -> bool {
    metric.basis == Basis::Test
}

/// Metrics that can select in every part where a method runs, those of validation examples first.
fn of_tasks(keys: &MethodKeys, scope: &Parted<'_>) -> Vec<&'static Metric> {
    let parts: Vec<&Part> =
        scope.parts.iter().filter(|part| part.methods.contains(&keys.id)).collect();
    // Where no part could be read, nothing is known of them.
    if parts.is_empty() {
        return Vec::new();
    }
    let given = |metric: &&Metric| {
        let in_part = |part: &&Part| {
            scope.known.measures(part.task, metric)
                && (metric.on_request.is_none() || part.reports(metric))
                && scope.outline.gives(part, metric)
        };
        can_select(metric) && parts.iter().all(in_part)
    };
    let mut metrics: Vec<&'static Metric> = scope.known.metrics.iter().filter(given).collect();
    metrics.sort_by_key(|metric| metric.basis != Basis::Validation);
    metrics
}
