//! What is known of a file while its sections are read, in stages, and how what they refer to is found.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use contract::parameter::Parameter;
use contract::{ChoiceId, DatasetId, MethodEntry, MethodId, Metric, PartId, Variables};
use data::registry::Entry;
use data::vocabulary::Shape;
use document::{DocumentError, Faults, Node, Span, Spanned, Table, suggestion};
use itertools::Itertools as _;

use super::catalogue::Catalogue;
use super::design::{MethodSpec, Part, SourceFile};
use super::evidence::{Says, TestDesign};
use super::tasks::{Tasks, TasksOfMethod};

/// What a registry says of the examples of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Foreseen {
    /// What its variables are in a trial.
    pub variables: Variables,
    /// How many examples, classes and folds it has.
    pub shape: Shape,
}

/// A dataset of the registry.
#[derive(Debug, Clone)]
pub struct KnownDataset {
    /// Its id.
    pub id: DatasetId,
    /// The parameters that a choice may set.
    pub parameters: Vec<&'static Parameter>,
    /// What the registry says of its examples; none where it is not asked.
    pub foreseen: Option<Foreseen>,
    /// Whether it names whose its examples are.
    pub grouped: bool,
}

impl From<&Entry> for KnownDataset {
    fn from(entry: &Entry) -> Self {
        let parameters = entry.parameters().into_iter().map(|(parameter, _)| parameter);
        let (id, parameters) = (entry.id.as_str().into(), parameters.collect());
        let foreseen = Foreseen { variables: entry.variables(), shape: entry.shape };
        Self { id, parameters, foreseen: Some(foreseen), grouped: false }
    }
}

/// The method of this kind that serves the tasks it is to run in; if none does, one of this kind.
pub(crate) fn serving(
    methods: &[&'static MethodEntry],
    kind: &str,
    tasks: &TasksOfMethod,
) -> Option<&'static MethodEntry> {
    let of_kind = || methods.iter().copied().filter(|entry| entry.kind == kind);
    let all = |entry: &&MethodEntry| tasks.all().all(|task| (task.serves)(entry));
    let fits = |entry: &&MethodEntry| tasks.unserved(entry).is_none();
    of_kind().find(all).or_else(|| of_kind().find(fits)).or_else(|| of_kind().next())
}

/// A test of the file, as others refer to it: its kind needs this stage to be read.
#[derive(Debug, Clone, derive_more::Deref)]
pub struct KnownTest {
    /// What it compares.
    #[deref]
    pub design: TestDesign,
    /// What its rows say.
    pub says: Says,
    /// Whether it ranks all methods at once.
    pub ranks: bool,
    /// Whether it can be made of differences less a constant.
    pub shifts: bool,
}

/// What a figure shows.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The metric.
    pub y: Option<&'static Metric>,
    /// Methods.
    pub methods: Vec<MethodId>,
    /// Datasets.
    pub datasets: Vec<DatasetId>,
    /// Parts.
    pub parts: Vec<PartId>,
    /// Where the figure names its parts, or else its kind.
    pub place: Span,
}

/// What a file names, before its sections are read.
pub(crate) struct Outline<'a> {
    pub registry: &'a [KnownDataset],
    pub source: &'a SourceFile,
    /// The folder that the code of programs lies in.
    pub code: PathBuf,
    /// Whether the file is read from sealed results.
    pub sealed: bool,
    /// Datasets whose variables a choice decides.
    pub undecided: Vec<DatasetId>,
    /// Datasets of the file without the profile: lists that name them are narrowed, not refused.
    pub dropped: Vec<DatasetId>,
    /// Whether the file is read under a profile.
    pub narrowed: bool,
    /// Datasets of all parts.
    pub datasets: Vec<DatasetId>,
    /// Ids of the parts, where the file has any.
    pub part_ids: Vec<PartId>,
    /// Which methods run in which tasks.
    pub tasks: Tasks,
    /// Ids of all methods, also of those with errors.
    pub method_ids: Vec<MethodId>,
    /// Ids of all choices, also of those that a profile leaves out.
    pub choice_ids: Vec<ChoiceId>,
    /// Ids of all claims, also of those with errors.
    pub claim_ids: Vec<String>,
    /// Ids of all tests, also of those with errors.
    pub test_ids: Vec<String>,
    /// Ids of all tables, also of those with errors.
    pub table_ids: Vec<String>,
}

/// What sections may refer to that come first: what the file names. What is wrong with the file is kept beside.
///
/// Each stage of reading knows what the one before it does, and what has been read since. A section says in which stage
/// it is read (`section! { in Parted; … }`), and whatever knows more can read it; what knows less can't.
pub struct Named<'a> {
    pub(crate) outline: &'a Outline<'a>,
    /// The methods, tasks and metrics that there are.
    pub(crate) known: &'static Catalogue,
    /// What is wrong with the file.
    pub faults: &'a mut Faults,
}

/// With the parts that have no errors: methods are read here.
pub struct Parted<'a> {
    named: Named<'a>,
    /// The tasks.
    pub parts: &'a [Part],
}

/// With the methods that have no errors: choices and tests are read here.
///
/// What a stage does not know can't be read in it. A claim may name a test, since all tests have been read by then:
///
/// ```
/// # use {document::{Spanned, section}, reprise_spec::{Bold, Claimed}};
/// section! { in Claimed; pub struct Marked { bold: Spanned<Bold> => "a test of the file"; } }
/// ```
///
/// A test may name no other one:
///
/// ```compile_fail
/// # use {document::{Spanned, section}, reprise_spec::{Bold, Designed}};
/// section! { in Designed; pub struct Marked { bold: Spanned<Bold> => "a test of the file"; } }
/// ```
pub struct Designed<'a> {
    parted: Parted<'a>,
    /// The methods.
    pub methods: &'a [MethodSpec],
}

/// With the title, and the tests that have no errors: tables are read here.
pub struct Tested<'a> {
    designed: Designed<'a>,
    pub(crate) title: &'a str,
    pub(crate) tests: &'a [KnownTest],
}

/// With what a figure shows: the keys of its kind are read here.
pub struct Plotted<'a> {
    tested: Tested<'a>,
    /// What the figure shows.
    pub shown: &'a Shown,
}

/// With what a claim is about: the keys of its form are read here.
pub struct Claimed<'a> {
    tested: Tested<'a>,
    /// The form.
    form: &'static str,
    /// The datasets that count, unless it names some.
    pub(crate) counted: &'a [DatasetId],
}

/// Declares what a stage knows: the one before it, and all before that.
macro_rules! stage {
    ($stage:ident, $field:ident: $before:ident, knows $($earlier:ident)*) => {
        impl<'a> Deref for $stage<'a> {
            type Target = $before<'a>;

            fn deref(&self) -> &$before<'a> {
                &self.$field
            }
        }

        impl<'a> DerefMut for $stage<'a> {
            fn deref_mut(&mut self) -> &mut $before<'a> {
                &mut self.$field
            }
        }

        stage!($stage, knows $stage $($earlier)*);
    };
    ($stage:ident, knows $($known:ident)*) => {
        $(impl<'a> AsMut<$known<'a>> for $stage<'a> {
            fn as_mut(&mut self) -> &mut $known<'a> {
                self
            }
        })*
    };
}

stage!(Named, knows Named);
stage!(Parted, named: Named, knows Named);
stage!(Designed, parted: Parted, knows Parted Named);
stage!(Tested, designed: Designed, knows Designed Parted Named);
stage!(Plotted, tested: Tested, knows Tested Designed Parted Named);
stage!(Claimed, tested: Tested, knows Tested Designed Parted Named);

impl Named<'_> {
    /// Itself, for as long as what is built upon it.
    fn again(&mut self) -> Named<'_> {
        Named { outline: self.outline, known: self.known, faults: self.faults }
    }

    /// The stage of these parts.
    pub(crate) fn parted<'b>(&'b mut self, parts: &'b [Part]) -> Parted<'b> {
        Parted { named: self.again(), parts }
    }

    /// The stage of these parts and methods.
    pub(crate) fn designed<'b>(
        &'b mut self,
        parts: &'b [Part],
        methods: &'b [MethodSpec],
    ) -> Designed<'b> {
        Designed { parted: self.parted(parts), methods }
    }
}

impl Designed<'_> {
    /// The stage of these tests.
    pub(crate) fn tested<'b>(&'b mut self, title: &'b str, tests: &'b [KnownTest]) -> Tested<'b> {
        let (parts, methods) = (self.parts, self.methods);
        Tested { designed: self.designed(parts, methods), title, tests }
    }
}

impl Tested<'_> {
    fn again(&mut self) -> Tested<'_> {
        let (title, tests) = (self.title, self.tests);
        self.tested(title, tests)
    }

    /// The stage of a figure.
    pub(crate) fn plotted<'b>(&'b mut self, shown: &'b Shown) -> Plotted<'b> {
        Plotted { tested: self.again(), shown }
    }

    /// The stage of a claim.
    pub(crate) fn claimed<'b>(
        &'b mut self,
        form: &'static str,
        counted: &'b [DatasetId],
    ) -> Claimed<'b> {
        Claimed { tested: self.again(), form, counted }
    }
}

/// The folder of an experiment file.
pub(crate) fn folder(source: &SourceFile) -> &Path {
    match source.path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

impl<'a> Named<'a> {
    /// Reports what is wrong at a place of the file; see [`Faults::at`].
    pub fn fault(
        &mut self,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut DocumentError {
        self.faults.at(span, message, label)
    }

    /// The ids of all methods, also of those with errors.
    pub fn method_ids(&self) -> &'a [MethodId] {
        &self.outline.method_ids
    }

    pub(crate) fn folder(&self) -> &Path {
        folder(self.outline.source)
    }

    /// A name that must be among `names`, all of which are those of a `noun`.
    pub fn refer<I: Clone + Deref<Target = str>>(
        &mut self,
        name: &str,
        span: &Span,
        noun: &str,
        names: &[I],
    ) -> Option<I> {
        if let Some(known) = names.iter().find(|known| ***known == *name) {
            return Some(known.clone());
        }
        let names: Vec<&str> = names.iter().map(|known| &**known).collect();
        let fault = self.faults.unknown(noun, name, span, &names);
        if names.is_empty() {
            fault.help(format!("the file has no {noun}"));
        }
        None
    }

    /// The ids of a list that are among `ids`, in the order of `ids`; the others are reported.
    pub(crate) fn refer_all<I: Clone + PartialEq + Deref<Target = str>>(
        &mut self,
        node: &Node,
        noun: &str,
        ids: &[I],
    ) -> Vec<I> {
        let named: Vec<I> = node
            .items()
            .iter()
            .filter_map(|item| self.refer(item.text()?, &item.span, noun, ids))
            .collect();
        ids.iter().filter(|id| named.contains(id)).cloned().collect()
    }

    /// No method is compared with itself.
    pub fn apart<I: PartialEq + fmt::Display>(
        &mut self,
        left: Option<&I>,
        right: &[I],
        span: &Span,
    ) {
        if let Some(left) = left.filter(|left| right.contains(left)) {
            self.fault(span, format!("`{left}` is compared with itself"), "also `left`");
        }
    }

    /// What a claim counts on can be there. Under a profile there may be fewer.
    pub fn possible(&mut self, count: Option<usize>, of: usize, noun: &str, span: &Span) {
        if count.is_some_and(|count| count > of) && !self.outline.narrowed && of > 0 {
            let message = format!("there are only {of} {noun}");
            self.fault(span, message, format!("expected at most {of}"));
        }
    }

    pub(crate) fn require_direction(&mut self, metric: &Metric, span: &Span) {
        if metric.direction == contract::Direction::Neutral {
            let message = format!("no value of `{}` is better than another", metric.name);
            let label = format!("{}: neither higher nor lower is better", metric.meaning);
            self.fault(span, message, label);
        }
    }

    /// Reports that no trial has validation examples to measure a metric by.
    pub(crate) fn no_validation(&mut self, metric: &Metric, span: &Span) {
        let message = format!("no trial has validation examples to measure `{}` by", metric.name);
        self.fault(span, message, "not given by the split").help(
            "leave it out, or take validation examples from the training examples of each split: inner = { cv = 5 } \
             in `[task]`",
        );
    }

    /// Ids differ by more than their case: some are names of files.
    pub(crate) fn distinct_ids(&mut self, root: &Table, section: &str) {
        let mut seen: Vec<&str> = Vec::new();
        for node in root.tables(section).filter_map(|table| table.get("id")) {
            let Some(id) = node.text() else { continue };
            if seen.iter().any(|earlier| earlier.eq_ignore_ascii_case(id)) {
                self.fault(&node.span, format!("there are two {section}s `{id}`"), "again")
                    .help("ids are unique, also in lower case");
            }
            seen.push(id);
        }
    }
}

impl Parted<'_> {
    /// How many repeats the task has, draws of its split counted.
    pub(crate) fn repeats(&self) -> usize {
        self.parts.iter().map(Part::all_repeats).max().unwrap_or(1)
    }

    /// A number of repeats that is at most that of the task.
    pub(crate) fn at_most_the_task(&mut self, named: &Spanned<usize>, what: &str) -> usize {
        let most = self.repeats();
        if named.value > most && !self.outline.narrowed && !self.parts.is_empty() {
            let label =
                format!("expected at most {most}, those of the task times those of its split");
            self.fault(&named.span, format!("{what} for no more repeats than the task"), label);
        }
        named.value.min(most)
    }
}

impl Designed<'_> {
    /// A metric that a task measures and the experiment reports.
    pub(crate) fn require_reported(&mut self, metric: &Metric, span: &Span) {
        if self.parts.is_empty() {
            return;
        }
        let reporting = || self.parts.iter().filter(|part| part.reports(metric));
        if reporting().next().is_none() {
            self.unreported(metric, span);
        } else if !reporting().any(|part| self.outline.gives(part, metric)) {
            self.no_validation(metric, span);
        } else {
            self.require_method_with(metric, span);
        }
    }

    /// Reports a metric that no part reports.
    fn unreported(&mut self, metric: &Metric, span: &Span) {
        let could = self.parts.iter().any(|part| self.known.measures(part.task, metric));
        let message = format!("trials do not report `{}`", metric.name);
        if could {
            self.fault(span, message, "not among the `metrics` of the task")
                .help(format!("add \"{}\" to `metrics`", metric.name));
            return;
        }
        let reported = self.parts.iter().flat_map(|part| &part.metrics).map(|metric| metric.name);
        let reported = reported.unique().collect_vec();
        let tasks = self.parts.iter().map(|part| part.task.word).unique().collect_vec();
        let label = format!("the task {} does not measure it", tasks.join(" or "));
        self.fault(span, message, label).maybe_help(suggestion(metric.name, &reported));
    }

    /// A metric that methods report of themselves is one that a method of the file reports.
    fn require_method_with(&mut self, metric: &Metric, span: &Span) {
        let kinds = self.known.methods.iter().filter(|entry| entry.reports.contains(&metric));
        let kinds: Vec<String> = kinds.map(|entry| format!("`{}`", entry.kind)).collect();
        if !kinds.is_empty() && !self.some_method_has(metric) {
            let message = format!("no method of the file reports `{}`", metric.name);
            let help = format!("methods of kind {} report it", kinds.join(", "));
            self.fault(span, message, "not reported").help(help);
        }
    }
}

impl<'a> Tested<'a> {
    /// The test of this id, if it has no errors.
    pub fn test(&self, id: &str) -> Option<&'a KnownTest> {
        self.tests.iter().find(|test| test.id == id)
    }
}

impl Claimed<'_> {
    /// Reports that the claim lacks these keys.
    pub fn lacks(&mut self, span: &Span, keys: &str) {
        let message = format!("`{}` lacks {keys}", self.form);
        self.fault(span, message, "missing here");
    }
}

/// The tables of a section that could be read.
pub(crate) fn each<T, S>(
    root: &Table,
    section: &str,
    scope: &mut S,
    read: impl Fn(&Table, &mut S) -> Option<T>,
) -> Vec<T> {
    root.tables(section).filter_map(|table| read(table, scope)).collect()
}
