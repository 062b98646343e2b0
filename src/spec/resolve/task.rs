//! `[experiment]`, `[task]` and `[[part]]`.

use std::time::Duration;

use super::{Resolver, named_metric};
use crate::key::seconds;
use crate::metrics::{METRICS, measured};
use crate::{Part, papers, shape};
use contract::Metric;
use contract::parameter::Parameters;
use data::split::SplitPlan;
use document::{Node, Table, suggestion};
use task::{Given, TASKS, Task};

/// What `[experiment]` says.
pub(super) struct Header {
    pub id: String,
    pub title: String,
    pub paper: Option<papers::Paper>,
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
        let paper = table.string("paper").and_then(|key| {
            let node = table.get("paper")?;
            let papers = match papers::papers(self.folder()) {
                Ok(papers) => papers,
                Err(reason) => {
                    self.faults.at(&node.span, "the papers can't be looked up", reason);
                    return None;
                }
            };
            let keys: Vec<&str> = papers.iter().map(|paper| paper.key.as_str()).collect();
            if !keys.contains(&key.as_str()) {
                self.faults.unknown("paper", &key, &node.span, &keys);
            }
            papers.into_iter().find(|paper| paper.key == key)
        });
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
        let task = task::find(&word)?;
        for item in table.get("datasets").map_or(&[][..], Node::items) {
            self.refer(Some(item), "dataset", &self.known.dataset_ids());
        }
        let datasets = table.get("datasets")?.items().iter().filter_map(Node::text);
        let datasets = datasets.map(str::to_owned).collect();
        let metrics = self.task_metrics(&table, task);
        let split = split(table.get("split")?)?;
        Some(Part {
            id,
            label,
            task,
            datasets,
            settings: self.settings(&table, task, &split),
            split,
            repeats: table.count("repeats")?,
            metrics,
            methods: self.some_methods(&table),
            timeout: table.get("timeout").and_then(timeout),
        })
    }

    /// The task's own keys: those of the file, else their defaults.
    fn settings(
        &mut self,
        table: &Table,
        task: &'static dyn Task,
        split: &SplitPlan,
    ) -> Parameters {
        for other in TASKS.iter().filter(|other| **other != task) {
            for key in other.keys().iter().filter(|key| !task.keys().contains(key)) {
                if let Some(node) = table.get(key.name) {
                    let message = format!("a {} task has no `{}`", task.word(), key.name);
                    let label = format!("only for {}", other.word());
                    self.faults.at(&node.span, message, label).help("leave it out");
                }
            }
        }
        let mut settings = Parameters::defaults(task.keys());
        let mut keys = Vec::new();
        for key in task.keys() {
            let value = table.get(key.name).and_then(Node::scalar);
            if let Some(value) = value.and_then(|value| key.check(value.clone()).ok()) {
                settings.set(key.name, value);
                keys.push(key.name);
            }
        }
        let given = Given { keys: &keys, split };
        if let Some(wrong) = task.contradiction(&settings, &given)
            && let Some(node) = table.get(wrong.key)
        {
            self.faults.at(&node.span, wrong.message, wrong.why).help(wrong.help);
        }
        settings
    }

    /// The metrics that trials report: those of the file, else all that the task measures.
    fn task_metrics(&mut self, table: &Table, task: &'static dyn Task) -> Vec<&'static Metric> {
        let Some(node) = table.get("metrics") else {
            let reported = |metric: &&Metric| measured(task, metric) && metric.on_request.is_none();
            return METRICS.iter().copied().filter(reported).collect();
        };
        let mut metrics = Vec::new();
        for item in node.items() {
            let Some(metric) = named_metric(item) else { continue };
            if !measured(task, metric) {
                let names: Vec<&str> = METRICS
                    .iter()
                    .filter(|metric| measured(task, metric))
                    .map(|metric| metric.name)
                    .collect();
                let message = format!("a {} task does not measure `{}`", task.word(), metric.name);
                self.faults
                    .at(&item.span, message, "not measured")
                    .maybe_help(suggestion("", &names));
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
