//! `[[method]]` and `[[choice]]`.

use super::{Resolver, named_metric};
use crate::{Axis, Choice, MethodSpec, Part, Subject, shape};
use contract::parameter::{Parameter, Parameters, Value};
use contract::{METRICS, MethodEntry, Metric};
use document::{Content, Node, Span, Table, suggestion};

impl Resolver<'_> {
    pub(super) fn method(&mut self, table: &Table) -> Option<MethodSpec> {
        let id_node = table.get("id")?;
        let id = id_node.text()?.to_owned();
        if id == "others" {
            self.faults
                .at(&id_node.span, "no method can be called `others`", "reserved")
                .help("claims say \"others\" for all other methods");
        }
        let label = table.string("label").unwrap_or_else(|| id.clone());
        let may_fail = table.flag("may_fail")?;
        if table.flag("published_only")? {
            self.published_only_has_no_more(table);
            return Some(MethodSpec {
                id,
                label,
                entry: None,
                parameters: Parameters::default(),
                sweep: Vec::new(),
                grid: Vec::new(),
                select: None,
                may_fail,
            });
        }
        let entry = self.kind(table)?;
        let parameters = entry.parameters.iter().map(|parameter| {
            let given = table.get(parameter.name).and_then(Node::scalar).cloned();
            (parameter.name.to_owned(), given.unwrap_or_else(|| parameter.default.into()))
        });
        let parameters = parameters.collect();
        let sweep = self.axes(table, "sweep", entry);
        let grid = self.axes(table, "grid", entry);
        self.swept_once(table);
        let select = self.select(table);
        Some(MethodSpec {
            id,
            label,
            entry: Some(entry),
            parameters,
            sweep,
            grid,
            select,
            may_fail,
        })
    }

    fn published_only_has_no_more(&mut self, table: &Table) {
        for key in ["kind", "sweep", "grid", "select"] {
            if let Some(entry) = table.entry(key) {
                self.faults
                    .at(
                        &entry.key_span,
                        format!("a published-only method has no `{key}`"),
                        "never runs",
                    )
                    .help("remove this key, or `published_only`");
            }
        }
    }

    fn kind(&mut self, table: &Table) -> Option<&'static MethodEntry> {
        let kinds: Vec<&str> = self.known.methods.iter().map(|entry| entry.kind).collect();
        let Some(node) = table.get("kind") else {
            let id = table.text("id").unwrap_or_default();
            let list = suggestion("", &kinds).map_or(String::new(), |list| format!(" ({list})"));
            self.faults
                .at(&table.span, format!("method `{id}` lacks `kind`"), "`kind` is missing here")
                .help(format!(
                    "name a method of the registry{list}, or say `published_only = true`"
                ));
            return None;
        };
        let kind = node.text()?;
        let tasks = self.tasks.of_method(table);
        let Some(entry) = self.known.method(kind, &tasks) else {
            self.faults
                .at(&node.span, format!("there is no method of kind `{kind}`"), "unknown kind")
                .maybe_help(suggestion(kind, &kinds));
            return None;
        };
        if let Some(task) = tasks.iter().find(|task| entry.fit(**task).is_none()) {
            let message = format!("a method of kind `{kind}` does not do {}", task.word());
            let serving: Vec<&str> = self
                .known
                .methods
                .iter()
                .filter(|other| other.fit(*task).is_some())
                .map(|other| other.kind)
                .collect();
            self.faults.at(&node.span, message, "runs in such a task").help(
                match suggestion("", &serving) {
                    Some(known) => format!("{known}; or name the methods of each part"),
                    None => "name the methods of each part".to_owned(),
                },
            );
        }
        Some(entry)
    }

    fn axes(&mut self, table: &Table, key: &str, entry: &'static MethodEntry) -> Vec<Axis> {
        let Some(axes) = table.table(key) else { return Vec::new() };
        let mut found = Vec::new();
        for axis in &axes.entries {
            let Some(parameter) = entry.parameters.iter().find(|p| p.name == axis.key) else {
                let names: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
                let message = format!("a method of kind `{}` has no `{}`", entry.kind, axis.key);
                self.faults
                    .at(&axis.key_span, message, "unknown parameter")
                    .maybe_help(suggestion(&axis.key, &names));
                continue;
            };
            if table.get(&axis.key).is_some() {
                self.faults
                    .at(
                        &axis.key_span,
                        format!("`{}` has a value of its own", axis.key),
                        "set twice",
                    )
                    .help(format!("remove `{}` from the method or from its {key}", axis.key));
            }
            let Content::List(items) = &axis.node.content else { continue };
            let values = items.iter().filter_map(|item| self.value(parameter, item)).collect();
            found.push(Axis { name: axis.key.clone(), values });
        }
        found
    }

    /// A value of a parameter in the parameter's type.
    fn value(&mut self, parameter: &Parameter, node: &Node) -> Option<Value> {
        let mut node = node.clone();
        shape::check_parameter(parameter, &mut node, self.faults);
        node.scalar().cloned()
    }

    fn swept_once(&mut self, table: &Table) {
        let (Some(sweep), Some(grid)) = (table.table("sweep"), table.table("grid")) else { return };
        for axis in &grid.entries {
            if sweep.get(&axis.key).is_some() {
                let message = format!("`{}` is in the sweep and in the grid", axis.key);
                self.faults
                    .at(&axis.key_span, message, "also swept")
                    .help("a sweep is reported at every value, a grid at the selected one");
            }
        }
    }

    fn select(&mut self, table: &Table) -> Option<&'static Metric> {
        match (table.entry("select"), table.entry("grid")) {
            (None, None) => None,
            (None, Some(grid)) => {
                self.faults
                    .at(&grid.key_span, "a grid needs `select`", "selected by which metric?")
                    .help(format!("for example select = \"{}\"", selecting_metrics()[0]));
                None
            }
            (Some(select), None) => {
                self.faults
                    .at(&select.key_span, "there is no grid to select from", "without a `grid`")
                    .help("add a `grid`, or remove this key");
                None
            }
            (Some(select), Some(_)) => {
                let metric = named_metric(&select.node)?;
                let measured = self.parts.iter().all(|part| metric.tasks.contains(&part.kind));
                let asked_for = !metric.on_request
                    || self.parts.iter().all(|part| super::reports(part, metric));
                if !measured || !asked_for || !can_select(metric) {
                    let message = format!("`{}` can't select", metric.name);
                    let label = match () {
                        () if metric.is_time() => "reads a clock, so the selection would differ",
                        () if of_test(metric) => "selection would see the test examples",
                        () if !measured => "not measured by the task",
                        () if !asked_for => "measured only if `metrics` lists it",
                        () => "neither higher nor lower is better",
                    };
                    self.faults
                        .at(&select.node.span, message, label)
                        .maybe_help(suggestion("", &selecting_metrics()));
                }
                Some(metric)
            }
        }
    }

    /// A choice; its chosen option becomes the value of its targets' parameter.
    pub(super) fn choice(&mut self, table: &Table) -> Option<Choice> {
        let targets = self.targets(table);
        let parameter_node = table.get("parameter")?;
        let name = parameter_node.text()?.to_owned();
        let mut typed: Option<(Vec<Value>, Value)> = None;
        for target in &targets {
            let Some(parameter) = self.target_parameter(target, &name, &parameter_node.span) else {
                continue;
            };
            if let Some(values) = self.options(table, parameter) {
                if typed.as_ref().is_some_and(|earlier| *earlier != values) {
                    let message = format!("the targets' parameters `{name}` differ in type");
                    self.faults
                        .at(&parameter_node.span, message, "not the same in all targets")
                        .help("write one choice for each target");
                }
                typed = Some(values);
            }
        }
        let (options, chosen) = typed?;
        if let (Some(chosen_node), Some(listed)) = (table.get("chosen"), table.get("options"))
            && !options.contains(&chosen)
        {
            let words: Vec<&str> = listed.items().iter().filter_map(Node::text).collect();
            self.faults
                .at(&chosen_node.span, format!("`{chosen}` is not among the options"), "no option")
                .maybe_help(suggestion(&chosen.to_string(), &words));
        }
        let subject = self.subject(table, &targets)?;
        let (datasets, repeats) = (self.some_datasets(table), self.choice_repeats(table));
        let methods = self.choice_methods(table, &subject);
        Some(Choice {
            id: table.string("id")?,
            question: table.string("question")?,
            subject,
            parameter: name,
            options,
            chosen,
            why: table.string("why")?,
            cross: table.flag("cross")?,
            datasets,
            methods,
            repeats,
        })
    }

    /// What a choice is about, with the places where it says so.
    fn targets(&mut self, table: &Table) -> Vec<Target> {
        let mut found = Vec::new();
        for node in table.get("target").map_or(&[][..], Node::items) {
            let Some(text) = node.text() else { continue };
            let span = node.span.clone();
            if text == "task" {
                self.faults
                    .at(&span, "a choice is about methods or datasets", "not about the task")
                    .help("expected `method:ID` or `dataset:ID`; write a part for each option");
                continue;
            }
            let (of_method, ids) = match text.split_once(':') {
                Some(("dataset", _)) => (false, self.datasets.clone()),
                _ => (true, self.method_ids.clone()),
            };
            let id = text.split_once(':').map_or("", |(_, id)| id);
            if ids.iter().any(|known| known == id) {
                let id = id.to_owned();
                found.push(Target { of_method, id, span });
            } else if of_method || !self.dropped.iter().any(|dropped| dropped == id) {
                let noun = if of_method { "method" } else { "dataset" };
                let ids: Vec<String> = ids.iter().map(|id| format!("{noun}:{id}")).collect();
                self.refer(Some(node), "target", &ids);
            }
        }
        found
    }

    /// The parameter that a choice is about, of one of its targets.
    fn target_parameter(
        &mut self,
        target: &Target,
        name: &str,
        named: &Span,
    ) -> Option<&'static Parameter> {
        let id = &target.id;
        let (owner, parameters): (String, Vec<&'static Parameter>) = if target.of_method {
            let method = self.methods.iter().find(|method| method.id == *id)?;
            let Some(entry) = method.entry else {
                self.faults
                    .at(&target.span, format!("`{id}` is published only"), "never runs")
                    .help("a choice is about a method that runs");
                return None;
            };
            (format!("method `{id}`, of kind `{}`,", entry.kind), entry.parameters.iter().collect())
        } else {
            let dataset = self.known.datasets.iter().find(|dataset| dataset.id == *id)?;
            (format!("dataset `{id}`"), dataset.parameters.clone())
        };
        let found = parameters.iter().copied().find(|parameter| parameter.name == name);
        if found.is_none() {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            self.faults
                .at(named, format!("{owner} has no `{name}`"), "unknown parameter")
                .maybe_help(suggestion(name, &names));
        }
        found
    }

    /// All targets are methods, or all are datasets.
    fn subject(&mut self, table: &Table, targets: &[Target]) -> Option<Subject> {
        let of_methods = targets.first()?.of_method;
        if targets.iter().any(|target| target.of_method != of_methods) {
            let place = table.get("target").map_or(&table.span, |node| &node.span).clone();
            self.faults
                .at(&place, "a choice is about methods or about datasets", "both are named")
                .help("write two choices");
        }
        let ids = targets.iter().map(|target| target.id.clone()).collect();
        Some(if of_methods { Subject::Methods(ids) } else { Subject::Datasets(ids) })
    }

    /// The options and the chosen one, in the parameter's type.
    fn options(&mut self, table: &Table, parameter: &Parameter) -> Option<(Vec<Value>, Value)> {
        let node = table.get("options")?;
        let options: Vec<Value> =
            node.items().iter().filter_map(|item| self.value(parameter, item)).collect();
        if node.items().len() == 1 {
            self.faults.at(&node.span, "a choice has at least two options", "only one");
        }
        Some((options, self.value(parameter, table.get("chosen")?)?))
    }

    /// The methods with which the options are run.
    fn choice_methods(&mut self, table: &Table, subject: &Subject) -> Vec<String> {
        match subject {
            Subject::Methods(methods) => {
                if let Some(node) = table.get("methods") {
                    self.faults
                        .at(&node.span, "`methods` is for choices about datasets", "not needed")
                        .help("the options are run with the methods that `target` names");
                }
                methods.clone()
            }
            Subject::Datasets(_) => self.some_methods(table),
        }
    }

    fn choice_repeats(&mut self, table: &Table) -> usize {
        let most = |repeats: fn(&Part) -> usize| self.parts.iter().map(repeats).max().unwrap_or(1);
        let Some((node, repeats)) = table.get("repeats").and_then(|n| Some((n, n.count()?))) else {
            return most(|part| part.repeats);
        };
        let most = most(|part| part.repeats * part.split.repeats());
        if repeats > most && !self.narrowed && !self.parts.is_empty() {
            let label =
                format!("expected at most {most}, those of the task times those of its split");
            self.faults.at(&node.span, "a choice has no more repeats than the task", label);
        }
        repeats.min(most)
    }

    /// Sets the chosen options in the methods that they are about.
    pub(super) fn apply_choices(&mut self, root: &Table, choices: &[Choice]) {
        for (index, choice) in choices.iter().enumerate() {
            let place = root.tables("choice").find(|table| table.text("id") == Some(&choice.id));
            let Some(chosen) = place.and_then(|table| table.get("chosen")) else { continue };
            let (Subject::Methods(ids) | Subject::Datasets(ids)) = &choice.subject;
            for id in ids {
                let earlier = choices[..index].iter().find(|other| {
                    let (ours, theirs) = (&choice.subject, &other.subject);
                    let same = match (ours, theirs) {
                        (Subject::Methods(_), Subject::Methods(theirs))
                        | (Subject::Datasets(_), Subject::Datasets(theirs)) => theirs.contains(id),
                        _ => false,
                    };
                    same && other.parameter == choice.parameter
                });
                if let Some(earlier) = earlier {
                    let message = format!("`{}` of `{id}` has two choices", choice.parameter);
                    self.faults.at(&chosen.span, message, format!("also `{}`", earlier.id));
                }
                if matches!(choice.subject, Subject::Datasets(_)) {
                    continue;
                }
                self.conflicts(root, id, choice);
                if let Some(method) = self.methods.iter_mut().find(|method| method.id == *id) {
                    method.parameters.set(&choice.parameter, choice.chosen.clone());
                }
            }
        }
    }

    /// The method must not give the parameter another value, nor vary it.
    fn conflicts(&mut self, root: &Table, id: &str, choice: &Choice) {
        let Some(table) = root.tables("method").find(|table| table.text("id") == Some(id)) else {
            return;
        };
        let name = &choice.parameter;
        if let Some(node) = table.get(name)
            && node.scalar() != Some(&choice.chosen)
        {
            let message = format!("`{name}` of `{id}` is decided by the choice `{}`", choice.id);
            self.faults
                .at(&node.span, message, format!("the choice says {}", choice.chosen))
                .help(format!("remove `{name}` here, or change `chosen`"));
        }
        for key in ["sweep", "grid"] {
            if let Some(axis) = table.table(key).and_then(|axes| axes.entry(name)) {
                let message =
                    format!("`{name}` of `{id}` is decided by the choice `{}`", choice.id);
                self.faults
                    .at(&axis.key_span, message, format!("in the {key}"))
                    .help("remove the axis or the choice");
            }
        }
    }
}

/// What a choice is about.
struct Target {
    of_method: bool,
    id: String,
    span: Span,
}

/// Whether a metric can select a point of a grid.
fn can_select(metric: &Metric) -> bool {
    metric.direction != contract::Direction::Neutral && !metric.is_time() && !of_test(metric)
}

fn of_test(metric: &Metric) -> bool {
    metric.name.starts_with("test_")
}

/// Metrics that can select, those of validation examples first.
fn selecting_metrics() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        METRICS.iter().filter(|metric| can_select(metric)).map(|metric| metric.name).collect();
    names.sort_by_key(|name| !name.starts_with("valid_"));
    names
}
