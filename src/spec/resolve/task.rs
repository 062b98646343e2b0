//! `[experiment]`, `[task]` and `[[part]]`.

use std::time::Duration;

use super::{Resolver, named_metric};
use crate::key::seconds;
use crate::{Classes, Part, papers, shape};
use contract::{METRICS, Metric, TaskKind};
use data::split::SplitPlan;
use document::{Node, Table, suggestion};
use task::boundary::Change;

/// What `[experiment]` says.
pub(super) struct Header {
    pub id: String,
    pub title: String,
    pub paper: Option<String>,
    pub seed: u64,
    pub exclusive: bool,
}

/// Datasets that the task or a part names, each once, in the order of the file.
pub(super) fn named_datasets(root: &Table) -> Vec<String> {
    let task = root.table("task").into_iter();
    let parts: Vec<&Table> = root.tables("part").collect();
    let inherited = parts.is_empty() || parts.iter().any(|part| part.get("datasets").is_none());
    let mut ids: Vec<String> = Vec::new();
    for table in task.filter(|_| inherited).chain(parts) {
        for id in table.get("datasets").map_or(&[][..], Node::items).iter().filter_map(Node::text) {
            if !ids.iter().any(|seen| seen == id) {
                ids.push(id.to_owned());
            }
        }
    }
    ids
}

impl Resolver<'_> {
    pub(super) fn header(&mut self, table: &Table) -> Option<Header> {
        let paper = table.string("paper");
        if let (Some(key), Some(node)) = (&paper, table.get("paper")) {
            match papers::keys(self.folder()) {
                Ok(keys) if keys.contains(key) => {}
                Ok(keys) => {
                    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                    self.faults.unknown("paper", key, &node.span, &keys);
                }
                Err(reason) => {
                    self.faults.at(&node.span, "the papers can't be looked up", reason);
                }
            }
        }
        Some(Header {
            id: table.string("id")?,
            title: table.string("title")?,
            paper,
            seed: table.count("seed")? as u64,
            exclusive: table.flag("exclusive")?,
        })
    }

    pub(super) fn parts(&mut self, root: &Table) -> Vec<Part> {
        let task = root.table("task");
        if root.get("part").is_none() {
            let Some(task) = task else {
                self.faults
                    .at(&(0..0), "the file lacks `[task]`", "nowhere in the file")
                    .help("`[task]` says what every trial does and measures");
                return Vec::new();
            };
            return self
                .part(String::new(), String::new(), task.clone(), "`[task]`")
                .into_iter()
                .collect();
        }
        let mut parts = Vec::new();
        for table in root.tables("part") {
            let Some(id) = table.string("id") else { continue };
            let label = table.string("label").unwrap_or_else(|| id.clone());
            let mut merged = task.cloned().unwrap_or_else(|| table.clone());
            merged.span = table.span.clone();
            table.entries.iter().for_each(|entry| merged.set(entry.clone()));
            let heading = format!("part `{id}`");
            parts.extend(self.part(id, label, merged, &heading));
        }
        parts
    }

    /// A task of its own: `[task]` with a part's keys.
    fn part(&mut self, id: String, label: String, mut table: Table, heading: &str) -> Option<Part> {
        let keys = shape::task_keys();
        let mut names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        names.extend(["id", "label"]);
        shape::complete(&mut table, &keys, &names, heading, self.faults);
        let word = table.text("kind")?.to_owned();
        let kind = TaskKind::ALL.iter().find(|(known, _)| *known == word)?.1;
        for item in table.get("datasets").map_or(&[][..], Node::items) {
            self.refer(Some(item), "dataset", &self.known.dataset_ids());
        }
        let datasets = table.get("datasets")?.items().iter().filter_map(Node::text);
        let datasets = datasets.map(str::to_owned).collect();
        let metrics = self.task_metrics(&table, kind);
        Some(Part {
            id,
            label,
            kind,
            datasets,
            split: split(table.get("split")?)?,
            classes: self.classes(&table, kind)?,
            label_noise: self.label_noise(&table, kind),
            change: self.change(&table, kind)?,
            repeats: table.count("repeats")?,
            metrics,
            methods: self.some_methods(&table),
            timeout: table.get("timeout").and_then(timeout),
        })
    }

    fn classes(&mut self, table: &Table, kind: TaskKind) -> Option<Classes> {
        let classes = match table.text("classes")? {
            "all" => Classes::All,
            "all-pairs" => Classes::AllPairs,
            _ => return None,
        };
        if let (
            TaskKind::Density
            | TaskKind::PseudoLikelihood
            | TaskKind::Partition
            | TaskKind::Boundary,
            Classes::AllPairs,
            Some(node),
        ) = (kind, classes, table.get("classes"))
        {
            let message = match kind {
                TaskKind::Boundary => "a boundary task has two classes".to_owned(),
                _ => format!("a {} task has no classes", kind.word()),
            };
            self.faults.at(&node.span, message, "only for classification").help("leave it out");
        }
        Some(classes)
    }

    fn label_noise(&mut self, table: &Table, kind: TaskKind) -> f64 {
        if let (true, Some(node)) = (kind != TaskKind::Classification, table.get("label_noise")) {
            let message = format!("a {} task has no `label_noise`", kind.word());
            self.faults.at(&node.span, message, "only for classification").help("leave it out");
        }
        table.real("label_noise").unwrap_or(0.0)
    }

    fn change(&mut self, table: &Table, kind: TaskKind) -> Option<Change> {
        /// Orders of the training examples where the file does not say how many.
        const ORDERS: usize = 20;
        let outliers = table.text("change") == Some("outliers");
        for key in ["change", "orders"] {
            let Some(node) = table.get(key) else { continue };
            if kind != TaskKind::Boundary {
                let message = format!("a {} task has no `{key}`", kind.word());
                self.faults.at(&node.span, message, "only for boundary").help("leave it out");
            } else if key == "orders" && outliers {
                let message = "`orders` is a key of change = \"order\"";
                self.faults.at(&node.span, message, "outliers are added").help("leave it out");
            }
        }
        if let (true, TaskKind::Boundary, Some(node)) = (outliers, kind, table.get("split"))
            && node.text() != Some("published")
        {
            self.faults
                .at(&node.span, "every repeat draws its own examples", "there is nothing to split")
                .help("write split = \"published\"");
        }
        if outliers {
            return Some(Change::Outliers);
        }
        match table.get("orders") {
            Some(_) => table.count("orders").map(Change::Orders),
            None => Some(Change::Orders(ORDERS)),
        }
    }

    /// The metrics that trials report: those of the file, else all that the task measures.
    fn task_metrics(&mut self, table: &Table, kind: TaskKind) -> Vec<&'static Metric> {
        let Some(node) = table.get("metrics") else {
            let measured = |metric: &&Metric| metric.tasks.contains(&kind) && !metric.on_request;
            return METRICS.iter().filter(measured).collect();
        };
        let mut metrics = Vec::new();
        for item in node.items() {
            let Some(metric) = named_metric(item) else { continue };
            if !metric.tasks.contains(&kind) {
                let measured: Vec<&str> = METRICS
                    .iter()
                    .filter(|metric| metric.tasks.contains(&kind))
                    .map(|metric| metric.name)
                    .collect();
                let message = format!("a {} task does not measure `{}`", kind.word(), metric.name);
                self.faults
                    .at(&item.span, message, "not measured")
                    .maybe_help(suggestion("", &measured));
            }
            metrics.push(metric);
        }
        metrics
    }
}

fn split(node: &Node) -> Option<SplitPlan> {
    match node.text() {
        Some("published") => return Some(SplitPlan::Published),
        Some("leave-one-out") => return Some(SplitPlan::LeaveOneOut),
        Some("folds") => return Some(SplitPlan::Folds),
        _ => {}
    }
    let table = node.table()?;
    if let Some(cv) = table.table("cv") {
        return Some(SplitPlan::CrossValidation {
            folds: cv.count("folds")?,
            repeats: cv.count("repeats")?,
            stratified: cv.flag("stratified")?,
        });
    }
    let resample = table.table("resample")?;
    Some(SplitPlan::Resample {
        train: resample.count("train")?,
        test: resample.count("test")?,
        repeats: resample.count("repeats")?,
    })
}

fn timeout(node: &Node) -> Option<Duration> {
    let seconds = node.real().or_else(|| seconds(node.text()?))?;
    Duration::try_from_secs_f64(seconds).ok()
}
