//! What is known of a file while its sections are read, and how what they refer to is found.

use std::path::{Path, PathBuf};

use ::task::Task;
use contract::parameter::Parameter;
use contract::{MethodEntry, Metric};
use document::{Faults, Node, Span};
use stats::Correction;

use super::design::{MethodSpec, Part, PublishedFile, SourceFile};
use super::evidence::{Says, TestDesign};
use super::tasks::Tasks;

/// A dataset of the registry.
#[derive(Debug, Clone)]
pub struct KnownDataset {
    /// Its id.
    pub id: String,
    /// The parameters that a choice may set.
    pub parameters: Vec<&'static Parameter>,
}

impl From<&str> for KnownDataset {
    /// One without parameters.
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), parameters: Vec::new() }
    }
}

/// The method of this kind that serves these tasks; if none does, one of this kind.
pub(crate) fn serving(
    methods: &[&'static MethodEntry],
    kind: &str,
    tasks: &[&'static dyn Task],
) -> Option<&'static MethodEntry> {
    let of_kind = || methods.iter().copied().filter(|entry| entry.kind == kind);
    let serves = |entry: &&MethodEntry| tasks.iter().all(|task| task.serves(entry));
    of_kind().find(|entry| serves(entry)).or_else(|| of_kind().next())
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
    pub(crate) known_methods: &'a [&'static MethodEntry],
    pub(crate) registry: &'a [KnownDataset],
    pub(crate) source: &'a SourceFile,
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
        if !self.parts.is_empty() && !self.parts.iter().any(|part| part.reports(metric)) {
            let label = "not among the `metrics` of the task";
            self.faults
                .at(span, format!("trials do not report `{}`", metric.name), label)
                .help(format!("add \"{}\" to `metrics`", metric.name));
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
