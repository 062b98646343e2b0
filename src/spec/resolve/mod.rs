//! From a tree of the right shape to an [`Experiment`]: everything that keys refer to is found, or
//! its nearest name suggested. Each reader gives none where it, or the check of the shape, has
//! reported an error.

mod claim;
mod method;
mod output;
mod task;
mod test;

use std::path::Path;

use super::{
    AxisRef, Experiment, Known, MethodSpec, Part, PublishedFile, SourceFile, published, shape,
};
use contract::{METRICS, Metric};
use document::{Faults, Node, Span, Table, suggestion};

/// The profile that a file is resolved under.
#[derive(Clone, Copy)]
pub(super) struct Profile<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file without it.
    pub whole: &'a Table,
}

/// What is known of the file while its sections are read, in the order of the road.
struct Resolver<'a> {
    known: &'a Known<'a>,
    source: &'a SourceFile,
    faults: &'a mut Faults,
    /// Datasets of the file without the profile: lists that name them are narrowed, not refused.
    dropped: Vec<String>,
    /// Whether the file is read under a profile.
    narrowed: bool,
    /// Datasets of all parts.
    datasets: Vec<String>,
    /// Ids of the parts, where the file has any.
    part_ids: Vec<String>,
    parts: Vec<Part>,
    /// Which methods run in which tasks.
    tasks: shape::Tasks,
    /// Ids of all methods, also of those with errors.
    method_ids: Vec<String>,
    methods: Vec<MethodSpec>,
    published: Vec<PublishedFile>,
}

/// Resolves a file that has the right shape; none if there are errors.
pub(super) fn experiment(
    root: &Table,
    profile: Option<Profile<'_>>,
    source: &SourceFile,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Option<Experiment> {
    let part_ids: Vec<String> = root.tables("part").filter_map(|part| part.string("id")).collect();
    let method_ids = root.tables("method").filter_map(|method| method.string("id")).collect();
    let mut resolver = Resolver {
        known,
        source,
        faults,
        dropped: profile.map_or(Vec::new(), |profile| task::named_datasets(profile.whole)),
        narrowed: profile.is_some(),
        datasets: task::named_datasets(root),
        part_ids,
        parts: Vec::new(),
        tasks: shape::Tasks::of(root),
        method_ids,
        methods: Vec::new(),
        published: Vec::new(),
    };
    resolver.experiment(root, profile)
}

impl Resolver<'_> {
    fn experiment(&mut self, root: &Table, profile: Option<Profile<'_>>) -> Option<Experiment> {
        for section in ["part", "method", "choice", "test", "table", "figure", "claim"] {
            self.distinct_ids(root, section);
        }
        let header = root.table("experiment").and_then(|table| self.header(table));
        self.parts = self.parts(root);
        self.methods = root.tables("method").filter_map(|table| self.method(table)).collect();
        let choices = self.each(root, "choice", Self::choice);
        self.apply_choices(root, &choices);
        let tests = self.each(root, "test", Self::test);
        let title = header.as_ref().map_or("", |header| &header.title).to_owned();
        let test_ids: Vec<String> =
            root.tables("test").filter_map(|test| test.string("id")).collect();
        let outputs = output::Scope { title: &title, tests: &tests, test_ids: &test_ids };
        let tables = self.each(root, "table", |this, table| this.table(table, outputs));
        let figures = self.each(root, "figure", |this, table| this.figure(table, outputs));
        let claims = self.each(root, "claim", |this, table| this.claim(table, outputs));
        let header = header?;
        let id = match profile {
            Some(profile) => format!("{}@{}", header.id, profile.name),
            None => header.id,
        };
        Some(Experiment {
            id,
            title: header.title,
            paper: header.paper,
            seed: header.seed,
            exclusive: header.exclusive,
            parts: std::mem::take(&mut self.parts),
            methods: std::mem::take(&mut self.methods),
            choices,
            tests,
            tables,
            figures,
            claims,
            published: std::mem::take(&mut self.published),
            source: self.source.clone(),
        })
    }

    /// The tables of a section that could be read.
    fn each<T>(
        &mut self,
        root: &Table,
        section: &str,
        mut read: impl FnMut(&mut Self, &Table) -> Option<T>,
    ) -> Vec<T> {
        root.tables(section).filter_map(|table| read(self, table)).collect()
    }

    /// Ids differ by more than their case: some are names of files.
    fn distinct_ids(&mut self, root: &Table, section: &str) {
        let mut seen: Vec<&str> = Vec::new();
        for node in root.tables(section).filter_map(|table| table.get("id")) {
            let Some(id) = node.text() else { continue };
            if seen.iter().any(|earlier| earlier.eq_ignore_ascii_case(id)) {
                self.faults
                    .at(&node.span, format!("there are two {section}s `{id}`"), "again")
                    .help("ids are unique, also in lower case");
            }
            seen.push(id);
        }
    }

    fn folder(&self) -> &Path {
        match self.source.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// One id, which must be among `ids`.
    fn refer(&mut self, node: Option<&Node>, noun: &str, ids: &[String]) -> Option<String> {
        let node = node?;
        let id = node.text()?;
        if ids.iter().any(|known| known == id) {
            return Some(id.to_owned());
        }
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let fault = self.faults.unknown(noun, id, &node.span, &ids);
        if ids.is_empty() {
            fault.help(format!("the file has no {noun}"));
        }
        None
    }

    /// Ids in a list, each of which must be among `ids`; in the order of `ids`. All where the key
    /// is absent.
    fn refer_all(&mut self, node: Option<&Node>, noun: &str, ids: &[String]) -> Vec<String> {
        let Some(node) = node else { return ids.to_vec() };
        let named: Vec<String> =
            node.items().iter().filter_map(|item| self.refer(Some(item), noun, ids)).collect();
        ids.iter().filter(|id| named.contains(id)).cloned().collect()
    }

    /// A method of the file.
    fn one_method(&mut self, table: &Table, key: &str) -> Option<String> {
        self.refer(table.get(key), "method", &self.method_ids.clone())
    }

    /// The methods that a key names; all where it is absent.
    fn some_methods(&mut self, table: &Table) -> Vec<String> {
        self.refer_all(table.get("methods"), "method", &self.method_ids.clone())
    }

    /// The parts that a key names; all where it is absent.
    fn some_parts(&mut self, table: &Table) -> Vec<String> {
        if self.part_ids.is_empty() {
            if let Some(node) = table.get("parts") {
                self.faults.at(&node.span, "the file has no parts", "names a part");
            }
            return vec![String::new()];
        }
        self.refer_all(table.get("parts"), "part", &self.part_ids.clone())
    }

    /// The datasets that a key names, narrowed to those that a profile leaves.
    fn refer_datasets(&mut self, node: Option<&Node>) -> Vec<String> {
        let current = self.datasets.clone();
        let mut known = current.clone();
        known.extend(self.dropped.iter().filter(|id| !current.contains(id)).cloned());
        let named = match node {
            Some(_) => self.refer_all(node, "dataset in this experiment", &known),
            None => return current,
        };
        current.into_iter().filter(|id| named.contains(id)).collect()
    }

    /// The datasets that `datasets` names; all where it is absent.
    fn some_datasets(&mut self, table: &Table) -> Vec<String> {
        self.refer_datasets(table.get("datasets"))
    }

    /// A metric that a task measures and the experiment reports.
    fn metric(&mut self, table: &Table, key: &str) -> Option<&'static Metric> {
        let node = table.get(key)?;
        self.metric_of(node)
    }

    fn metric_of(&mut self, node: &Node) -> Option<&'static Metric> {
        let metric = named_metric(node)?;
        if !self.parts.is_empty() && !self.parts.iter().any(|part| reports(part, metric)) {
            let label = "not among the `metrics` of the task";
            self.faults
                .at(&node.span, format!("trials do not report `{}`", metric.name), label)
                .help(format!("add \"{}\" to `metrics`", metric.name));
        }
        Some(metric)
    }

    /// A metric of which some values are better than others.
    fn directed_metric(&mut self, table: &Table, key: &str) -> Option<&'static Metric> {
        let metric = self.metric(table, key)?;
        self.require_direction(metric, &table.get(key)?.span);
        Some(metric)
    }

    fn require_direction(&mut self, metric: &Metric, span: &Span) {
        if metric.direction == contract::Direction::Neutral {
            let message = format!("no value of `{}` is better than another", metric.name);
            self.faults.at(
                span,
                message,
                format!("{}: neither higher nor lower is better", metric.meaning),
            );
        }
    }

    /// An axis, which must have something to run over among `methods`.
    fn axis(&mut self, node: &Node, methods: &[String]) -> Option<AxisRef> {
        let text = node.text()?;
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let axis = match kind {
            "dataset" => AxisRef::Dataset,
            "method" => AxisRef::Method,
            "part" => AxisRef::Part,
            "metric" => AxisRef::Metric,
            "sweep" => AxisRef::Sweep(name.to_owned()),
            "grid" => AxisRef::Grid(name.to_owned()),
            _ => return None,
        };
        if axis == AxisRef::Part && self.part_ids.is_empty() {
            self.faults
                .at(&node.span, "the file has no parts", "nothing to run over")
                .help("add a `[[part]]`");
        }
        if matches!(axis, AxisRef::Sweep(_) | AxisRef::Grid(_)) {
            let shown = self.methods.iter().filter(|method| methods.contains(&method.id));
            let names: Vec<&str> = shown
                .flat_map(|method| if kind == "sweep" { &method.sweep } else { &method.grid })
                .map(|axis| axis.name.as_str())
                .collect();
            if !names.contains(&name) {
                let verb = if kind == "sweep" { "sweeps" } else { "has a grid over" };
                let help = match suggestion(name, &names) {
                    Some(help) => help,
                    None => format!("add a `{kind}` to a `[[method]]`, or choose another axis"),
                };
                let message = format!("no method shown {verb} `{name}`");
                self.faults.at(&node.span, message, "nothing to run over").help(help);
            }
        }
        Some(axis)
    }

    /// The published values of a table or figure, read once.
    fn published(&mut self, table: &Table) -> Option<String> {
        let node = table.get("published")?;
        let path = node.text()?;
        if self.published.iter().all(|file| file.path != path) {
            let ids: Vec<&str> = self
                .datasets
                .iter()
                .chain(&self.dropped)
                .chain(&self.method_ids)
                .chain(&self.part_ids)
                .map(String::as_str)
                .chain(self.known.datasets.iter().map(|dataset| dataset.id.as_str()))
                .chain(METRICS.iter().map(|metric| metric.name))
                .collect();
            let folder = self.folder().to_owned();
            match published::read(&folder.join(path), path, &ids, self.faults) {
                Ok(file) => self.published.push(file),
                Err(error) => {
                    published::unreadable(path, &folder, &node.span, &error, self.faults);
                }
            }
        }
        Some(path.to_owned())
    }
}

/// The metric that a text names; unknown names are reported with the shape.
fn named_metric(node: &Node) -> Option<&'static Metric> {
    contract::metric(node.text()?)
}

/// Whether the trials of a part report a metric.
fn reports(part: &Part, metric: &Metric) -> bool {
    part.metrics.iter().any(|reported| reported.name == metric.name)
}
