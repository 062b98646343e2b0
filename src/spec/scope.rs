//! What is known of a file while its sections are read, and how what they refer to is found.

use std::path::{Path, PathBuf};

use contract::parameter::Parameter;
use contract::{MethodEntry, Metric, Variables};
use data::registry::Entry;
use data::vocabulary::Rows;
use document::{Faults, Node, Span, suggestion};
use stats::Correction;

use super::catalogue::Catalogue;
use super::design::{MethodSpec, Part, PublishedFile, SourceFile};
use super::evidence::{Says, TestDesign};
use super::tasks::{Tasks, TasksOfMethod};

/// What a registry says of the examples of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Foreseen {
    /// What its variables are in a trial.
    pub variables: Variables,
    /// How many examples it has, by the parts of a published split.
    pub rows: Rows,
    /// How many classes, if it has any.
    pub classes: Option<usize>,
    /// How many folds, if its authors give some.
    pub folds: Option<usize>,
}

impl From<&Entry> for Foreseen {
    fn from(entry: &Entry) -> Self {
        let (variables, shape) = (entry.variables(), entry.shape);
        Self { variables, rows: shape.rows, classes: shape.classes(), folds: shape.folds }
    }
}

/// A dataset of the registry.
#[derive(Debug, Clone)]
pub struct KnownDataset {
    /// Its id.
    pub id: String,
    /// The parameters that a choice may set.
    pub parameters: Vec<&'static Parameter>,
    /// What the registry says of its examples; none where it is not asked.
    pub foreseen: Option<Foreseen>,
}

impl From<&Entry> for KnownDataset {
    fn from(entry: &Entry) -> Self {
        let parameters = entry.parameters().into_iter().map(|(parameter, _)| parameter);
        let (id, parameters) = (entry.id.clone(), parameters.collect());
        Self { id, parameters, foreseen: Some(Foreseen::from(entry)) }
    }
}

impl From<&str> for KnownDataset {
    /// One without parameters.
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), parameters: Vec::new(), foreseen: None }
    }
}

/// The method of this kind that serves the tasks it is to run in; if none does, one of this kind.
pub(crate) fn serving(
    methods: &[&'static MethodEntry],
    kind: &str,
    tasks: &TasksOfMethod,
) -> Option<&'static MethodEntry> {
    let of_kind = || methods.iter().copied().filter(|entry| entry.kind == kind);
    let all = |entry: &&MethodEntry| tasks.all().all(|task| task.serves(entry));
    let fits = |entry: &&MethodEntry| tasks.unserved(entry).is_none();
    of_kind().find(all).or_else(|| of_kind().find(fits)).or_else(|| of_kind().next())
}

/// A test of the file, as others refer to it.
#[derive(Debug, Clone)]
pub struct KnownTest {
    /// What it compares.
    pub design: TestDesign,
    /// What its rows say.
    pub says: Says,
    /// Whether it ranks all methods at once.
    pub ranks: bool,
    /// The family of its p-values, and their correction.
    pub family: Option<(String, Correction)>,
}

/// What is known of the file while its sections are read, in the order of the road, and what is wrong with it.
pub struct Scope<'a> {
    pub(crate) known: &'static Catalogue,
    pub(crate) registry: &'a [KnownDataset],
    pub(crate) source: &'a SourceFile,
    /// Datasets whose variables a choice decides.
    pub(crate) undecided: Vec<String>,
    /// The folder that the code of programs lies in.
    pub(crate) code: PathBuf,
    /// What is wrong with the file.
    pub faults: &'a mut Faults,
    /// Datasets of the file without the profile: lists that name them are narrowed, not refused.
    pub(crate) dropped: Vec<String>,
    /// How many choices are about such datasets alone: they are not read.
    pub(crate) left_out: usize,
    /// Whether the file is read under a profile.
    pub(crate) narrowed: bool,
    /// Datasets of all parts.
    pub(crate) datasets: Vec<String>,
    /// Ids of the parts, where the file has any.
    pub(crate) part_ids: Vec<String>,
    pub(crate) parts: Vec<Part>,
    /// Which methods run in which tasks.
    pub(crate) tasks: Tasks,
    /// Ids of all methods, also of those with errors.
    pub(crate) method_ids: Vec<String>,
    pub(crate) methods: Vec<MethodSpec>,
    /// Ids of all choices, also of those that a profile leaves out.
    pub(crate) choice_ids: Vec<String>,
    /// Ids of all tests, also of those with errors.
    pub(crate) test_ids: Vec<String>,
    pub(crate) tests: Vec<KnownTest>,
    /// Ids of all tables, also of those with errors.
    pub(crate) table_ids: Vec<String>,
    /// The experiment's title.
    pub(crate) title: String,
    pub(crate) published: Vec<PublishedFile>,
    pub(crate) shown: Shown,
    /// The form of the claim that is read.
    pub(crate) form: &'static str,
    /// The datasets that count in the claim that is read, unless it names some.
    pub(crate) counted: Vec<String>,
}

/// What the figure that is read shows.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The metric.
    pub y: Option<&'static Metric>,
    /// Methods.
    pub methods: Vec<String>,
    /// Datasets.
    pub datasets: Vec<String>,
    /// Parts.
    pub parts: Vec<String>,
    /// Where the figure names its parts, or else its kind.
    pub place: Span,
}

/// Each of these names once, where it is first.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// The folder of an experiment file.
pub(crate) fn folder(source: &SourceFile) -> &Path {
    match source.path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

impl Scope<'_> {
    /// The methods without errors.
    pub fn methods(&self) -> &[MethodSpec] {
        &self.methods
    }

    /// The ids of all methods, also of those with errors.
    pub fn method_ids(&self) -> &[String] {
        &self.method_ids
    }

    /// The tasks without errors.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The test of this id, if it has no errors.
    pub fn test(&self, id: &str) -> Option<&KnownTest> {
        self.tests.iter().find(|test| test.design.id == id)
    }

    /// What the figure that is read shows.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    pub(crate) fn folder(&self) -> &Path {
        folder(self.source)
    }

    /// A name that must be among `names`, all of which are those of a `noun`.
    pub fn refer(
        &mut self,
        name: &str,
        span: &Span,
        noun: &str,
        names: &[String],
    ) -> Option<String> {
        if names.iter().any(|known| known == name) {
            return Some(name.to_owned());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fault = self.faults.unknown(noun, name, span, &names);
        if names.is_empty() {
            fault.help(format!("the file has no {noun}"));
        }
        None
    }

    /// The ids of a list that are among `ids`, in the order of `ids`; the others are reported.
    pub(crate) fn refer_all(&mut self, node: &Node, noun: &str, ids: &[String]) -> Vec<String> {
        let named: Vec<String> = node
            .items()
            .iter()
            .filter_map(|item| self.refer(item.text()?, &item.span, noun, ids))
            .collect();
        ids.iter().filter(|id| named.contains(id)).cloned().collect()
    }

    /// No method is compared with itself.
    pub fn apart(&mut self, left: Option<&String>, right: &[String], span: &Span) {
        if let Some(left) = left.filter(|left| right.contains(left)) {
            self.faults.at(span, format!("`{left}` is compared with itself"), "also `left`");
        }
    }

    /// What a claim counts on can be there. Under a profile there may be fewer.
    pub fn possible(&mut self, count: Option<usize>, of: usize, noun: &str, span: &Span) {
        if count.is_some_and(|count| count > of) && !self.narrowed && of > 0 {
            let message = format!("there are only {of} {noun}");
            self.faults.at(span, message, format!("expected at most {of}"));
        }
    }

    /// Reports that the claim that is read lacks these keys.
    pub fn lacks(&mut self, span: &Span, keys: &str) {
        let message = format!("`{}` lacks {keys}", self.form);
        self.faults.at(span, message, "missing here");
    }

    pub(crate) fn require_direction(&mut self, metric: &Metric, span: &Span) {
        if metric.direction == contract::Direction::Neutral {
            let message = format!("no value of `{}` is better than another", metric.name);
            self.faults.at(
                span,
                message,
                format!("{}: neither higher nor lower is better", metric.meaning),
            );
        }
    }

    /// A metric that a task measures and the experiment reports.
    pub(crate) fn require_reported(&mut self, metric: &Metric, span: &Span) {
        if self.parts.is_empty() {
            return;
        }
        let reporting = || self.parts.iter().filter(|part| part.reports(metric));
        if reporting().next().is_none() {
            self.unreported(metric, span);
        } else if !reporting().any(|part| self.gives(part, metric)) {
            self.no_validation(metric, span);
        } else {
            self.require_method_with(metric, span);
        }
    }

    /// Reports that no trial has validation examples to measure a metric by.
    pub(crate) fn no_validation(&mut self, metric: &Metric, span: &Span) {
        let message = format!("no trial has validation examples to measure `{}` by", metric.name);
        self.faults.at(span, message, "not given by the split").help(
            "leave it out, or take validation examples from the training examples of each split: inner = { cv = 5 } \
             in `[task]`",
        );
    }

    /// Reports a metric that no part reports.
    fn unreported(&mut self, metric: &Metric, span: &Span) {
        let could = self.parts.iter().any(|part| self.known.measures(part.task, metric));
        let message = format!("trials do not report `{}`", metric.name);
        if could {
            self.faults
                .at(span, message, "not among the `metrics` of the task")
                .help(format!("add \"{}\" to `metrics`", metric.name));
            return;
        }
        let reported = distinct(self.parts.iter().flat_map(|part| &part.metrics).map(|m| m.name));
        let tasks = distinct(self.parts.iter().map(|part| part.task.word()));
        let label = format!("the task {} does not measure it", tasks.join(" or "));
        self.faults.at(span, message, label).maybe_help(suggestion(metric.name, &reported));
    }

    /// A metric that methods report of themselves is one that a method of the file reports.
    fn require_method_with(&mut self, metric: &Metric, span: &Span) {
        let kinds = self.known.methods.iter().filter(|entry| entry.reports.contains(&metric));
        let kinds: Vec<String> = kinds.map(|entry| format!("`{}`", entry.kind)).collect();
        if !kinds.is_empty() && !self.some_method_has(metric) {
            let message = format!("no method of the file reports `{}`", metric.name);
            let help = format!("methods of kind {} report it", kinds.join(", "));
            self.faults.at(span, message, "not reported").help(help);
        }
    }

    /// Ids differ by more than their case: some are names of files.
    pub(crate) fn distinct_ids(&mut self, root: &document::Table, section: &str) {
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
}
