//! `[task]` and `[[part]]`.

use std::time::Duration;

use ::task::boundary::Change;
use base::text::real;
use base::words;
use base::words::Words;
use contract::{METRICS, Metric, TaskKind};
use data::split::SplitPlan;
use document::{
    Count, Flag, Form, Holds, Id, MANY, Node, Read, ReadTable, Section, Share, Spanned, Table,
    Text, Whole, Word, complete, section, suggestion,
};

use super::Scope;
use super::patterns::TimeLimit;
use super::refer::{AnyMetric, Methods, RegistryDataset, Task};

/// One task: the `[task]` table, with a `[[part]]`'s overrides.
#[derive(Debug, Clone)]
pub struct Part {
    /// Id; empty where the file has no parts.
    pub id: String,
    /// What people read.
    pub label: String,
    /// What its trials measure.
    pub kind: TaskKind,
    /// Dataset ids in file order.
    pub datasets: Vec<String>,
    /// How examples are divided.
    pub split: SplitPlan,
    /// Which problems the classes make.
    pub classes: Classes,
    /// Share of the training labels that are flipped.
    pub label_noise: f64,
    /// What changes between the fits of a trial of the boundary task.
    pub change: Change,
    /// How often everything is repeated with other seeds.
    pub repeats: usize,
    /// What its trials report; all that the task measures unless the file names some.
    pub metrics: Vec<&'static Metric>,
    /// Ids of the methods that run; all unless the part names some.
    pub methods: Vec<String>,
    /// Time limit of one trial.
    pub timeout: Option<Duration>,
}

impl Part {
    /// What its trials do beside its split and its kind, as `key=value` joined by spaces; empty for most.
    pub fn setting(&self) -> String {
        match (self.kind, self.change) {
            (TaskKind::Boundary, Change::Orders(orders)) => format!("change=order orders={orders}"),
            (TaskKind::Boundary, Change::Outliers) => "change=outliers".to_owned(),
            _ if self.label_noise > 0.0 => format!("label_noise={}", real(self.label_noise)),
            _ => String::new(),
        }
    }

    /// Whether its trials report a metric.
    pub fn reports(&self, metric: &Metric) -> bool {
        self.metrics.iter().any(|reported| reported.name == metric.name)
    }

    /// Whether every repeat has training examples of its own, also under a published split.
    pub fn draws(&self) -> bool {
        matches!(self.kind, TaskKind::Boundary | TaskKind::Partition) || self.label_noise > 0.0
    }
}

words! {
    /// Which problems the classes of a dataset make.
    pub enum Classes {
        All = "all", "the classes of a dataset are one problem";
        AllPairs = "all-pairs",
            "every pair of classes is a problem of its own; values are averaged over the pairs";
    }
}

words! {
    /// What changes between the fits of a trial of the boundary task.
    enum Changes {
        Order = "order", "the order of the training examples";
        Outliers = "outliers",
            "outliers are added; the examples of every repeat are drawn anew by the dataset's generator";
    }
}

words! {
    /// Splits that need no numbers.
    enum FixedSplit {
        Published = "published", "as the authors of the dataset split it";
        LeaveOneOut = "leave-one-out", "each example is the test set once";
        Folds = "folds", "the folds that the authors of the dataset give";
    }
}

section! {
    in Scope;
    struct CrossValidation {
        folds: Whole<2, MANY> => "number of folds";
        repeats: Count = 1 => "how often the examples are divided anew";
        stratified: Flag = false => "keep the proportions of the classes in each fold";
    }
}

section! {
    in Scope;
    struct Resample {
        train: Count => "size of the training set";
        test: Count => "size of the test set";
        repeats: Count => "how often they are drawn";
    }
}

/// How examples are divided.
enum Split {}

/// The one key of a split that needs numbers, and how it is read.
type Numbered = (&'static str, &'static str, fn() -> Vec<document::Key>, ReadSplit);
type ReadSplit = fn(&Table, &mut Scope<'_>) -> Option<SplitPlan>;

const NUMBERED: [Numbered; 2] = [
    ("cv", "cross-validation", CrossValidation::keys, |table, scope| {
        let CrossValidation { folds, repeats, stratified } =
            CrossValidation::read_table(table, scope)?;
        Some(SplitPlan::CrossValidation { folds, repeats, stratified })
    }),
    ("resample", "random training and test sets of fixed sizes", Resample::keys, |table, scope| {
        let Resample { train, test, repeats } = Resample::read_table(table, scope)?;
        Some(SplitPlan::Resample { train, test, repeats })
    }),
];

impl Holds for Split {
    type Value = SplitPlan;

    fn form() -> Form {
        let variant =
            |(word, meaning, keys, _): Numbered| document::Variant { word, meaning, keys: keys() };
        Form::Either(vec![Word::<FixedSplit>::form(), Form::OneOf(NUMBERED.map(variant).to_vec())])
    }
}

impl<'s> Read<Scope<'s>> for Split {
    fn read(node: &Node, scope: &mut Scope<'s>) -> Option<SplitPlan> {
        if let Some(word) = node.text() {
            return Some(match FixedSplit::of_word(word)? {
                FixedSplit::Published => SplitPlan::Published,
                FixedSplit::LeaveOneOut => SplitPlan::LeaveOneOut,
                FixedSplit::Folds => SplitPlan::Folds,
            });
        }
        let entry = node.table()?.entries.first()?;
        let (.., read) = NUMBERED.into_iter().find(|(word, ..)| *word == entry.key)?;
        read(entry.node.table()?, scope)
    }
}

/// Orders of the training examples where the file does not say how many.
const ORDERS: usize = 20;

section! {
    in Scope;
    /// What `[task]` says, with a part's overrides.
    pub(crate) struct TaskKeys {
        kind: Task => "what a trial does";
        datasets: Vec<RegistryDataset> => "the datasets, in the order of tables";
        split: Spanned<Split> => "how examples are divided into training and test sets";
        repeats: Count = 1
            => "how often everything is repeated with other seeds, also under a published split";
        metrics: Option<Vec<Spanned<AnyMetric>>>, else "all that the task measures"
            => "what trials report; tables, figures, tests and claims show nothing else";
        methods: Methods, else "all methods" => "the methods that run";
        classes: Spanned<Word<Classes>> = "all"
            => "which problems the classes of a classification dataset make";
        label_noise: Option<Spanned<Share>>, else "none"
            => "share of the training labels of a classification task that are flipped at random: all methods meet the same, and a larger share flips those of a smaller one too";
        change: Option<Spanned<Word<Changes>>>, else "\"order\""
            => "what changes between the fits of a trial of the boundary task";
        orders: Option<Spanned<Whole<2, 1000>>>, else "20"
            => "in how many random orders a trial of the boundary task takes the training examples";
        timeout: Option<TimeLimit>, else "no limit"
            => "time limit of one trial: a number with its unit, or seconds";
    }
    check(scope, _table) {
        if let Some(kind) = kind {
            suits(kind, &classes, &label_noise, scope);
            changes(kind, &change, &orders, &split, scope);
            if let Some(Some(metrics)) = &metrics {
                measured(kind, metrics, scope);
            }
        }
    }
}

section! {
    in Scope;
    /// What a `[[part]]` says beside.
    pub(crate) struct PartKeys {
        id: Id => "its id";
        label: Option<Text>, else "the id" => "what people read";
    }
}

/// Keys of classification alone are given nowhere else.
fn suits(
    kind: TaskKind,
    classes: &Option<Spanned<Classes>>,
    label_noise: &Option<Option<Spanned<f64>>>,
    scope: &mut Scope<'_>,
) {
    if kind == TaskKind::Classification {
        return;
    }
    let label = "only for classification";
    if let Some(classes) = classes
        && classes.value == Classes::AllPairs
    {
        let message = match kind {
            TaskKind::Boundary => "a boundary task has two classes".to_owned(),
            _ => format!("a {} task has no classes", kind.word()),
        };
        scope.faults.at(&classes.span, message, label).help("leave it out");
    }
    if let Some(Some(noise)) = label_noise {
        let message = format!("a {} task has no `label_noise`", kind.word());
        scope.faults.at(&noise.span, message, label).help("leave it out");
    }
}

/// Keys of the boundary task are given nowhere else, and agree.
fn changes(
    kind: TaskKind,
    change: &Option<Option<Spanned<Changes>>>,
    orders: &Option<Option<Spanned<usize>>>,
    split: &Option<Spanned<SplitPlan>>,
    scope: &mut Scope<'_>,
) {
    let (change, orders) = (change.iter().flatten().next(), orders.iter().flatten().next());
    let outliers = change.is_some_and(|change| change.value == Changes::Outliers);
    let spans = [("change", change.map(|c| &c.span)), ("orders", orders.map(|o| &o.span))];
    for (key, span) in spans {
        let Some(span) = span else { continue };
        if kind != TaskKind::Boundary {
            let message = format!("a {} task has no `{key}`", kind.word());
            scope.faults.at(span, message, "only for boundary").help("leave it out");
        } else if key == "orders" && outliers {
            let message = "`orders` is a key of change = \"order\"";
            scope.faults.at(span, message, "outliers are added").help("leave it out");
        }
    }
    if let (true, TaskKind::Boundary, Some(split)) = (outliers, kind, split)
        && split.value != SplitPlan::Published
    {
        scope
            .faults
            .at(&split.span, "every repeat draws its own examples", "there is nothing to split")
            .help("write split = \"published\"");
    }
}

/// The task measures the metrics that the file names.
fn measured(kind: TaskKind, metrics: &[Spanned<&'static Metric>], scope: &mut Scope<'_>) {
    for metric in metrics.iter().filter(|metric| !metric.tasks.contains(&kind)) {
        let of_task = METRICS.iter().filter(|metric| metric.tasks.contains(&kind));
        let names: Vec<&str> = of_task.map(|metric| metric.name).collect();
        let message = format!("a {} task does not measure `{}`", kind.word(), metric.name);
        scope.faults.at(&metric.span, message, "not measured").maybe_help(suggestion("", &names));
    }
}

impl Part {
    fn of(id: String, label: String, keys: TaskKeys) -> Self {
        let orders = keys.orders.map_or(ORDERS, |orders| orders.value);
        let measured = |metric: &&Metric| metric.tasks.contains(&keys.kind) && !metric.on_request;
        Self {
            id,
            label,
            kind: keys.kind,
            datasets: keys.datasets,
            split: keys.split.value,
            classes: keys.classes.value,
            label_noise: keys.label_noise.map_or(0.0, |noise| noise.value),
            change: match keys.change.map(|change| change.value) {
                Some(Changes::Outliers) => Change::Outliers,
                Some(Changes::Order) | None => Change::Orders(orders),
            },
            repeats: keys.repeats,
            metrics: keys.metrics.map_or_else(
                || METRICS.iter().filter(measured).collect(),
                |metrics| metrics.into_iter().map(|metric| metric.value).collect(),
            ),
            methods: keys.methods,
            timeout: keys.timeout,
        }
    }
}

/// Datasets that the task or a part names, each once, in the order of the file.
pub(crate) fn named_datasets(root: &Table) -> Vec<String> {
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

/// The tasks of a file, each with the methods that it names; none where all methods run.
pub(crate) struct Tasks(Vec<(TaskKind, Option<Vec<String>>)>);

impl Tasks {
    /// The tasks of a file: that of `[task]`, or those of its parts.
    pub(crate) fn of(root: &Table) -> Self {
        let task = root.table("task");
        let parts: Vec<&Table> = root.tables("part").collect();
        let read = |part: Option<&Table>| {
            let get = |key: &str| {
                part.and_then(|part| part.get(key)).or_else(|| task.and_then(|task| task.get(key)))
            };
            let word = get("kind")?.text()?;
            let kind = TaskKind::ALL.iter().find(|(known, _)| *known == word)?.1;
            let texts = |node: &Node| {
                node.items().iter().filter_map(Node::text).map(str::to_owned).collect()
            };
            Some((kind, get("methods").map(texts)))
        };
        Self(if parts.is_empty() {
            read(None).into_iter().collect()
        } else {
            parts.into_iter().filter_map(|part| read(Some(part))).collect()
        })
    }

    /// The tasks that a `[[method]]` runs in.
    pub(crate) fn of_method(&self, method: &Table) -> Vec<TaskKind> {
        let id = method.text("id");
        let named = |ids: &Option<Vec<String>>| {
            ids.as_ref().is_none_or(|ids| ids.iter().any(|named| Some(named.as_str()) == id))
        };
        self.0.iter().filter(|(_, ids)| named(ids)).map(|(kind, _)| *kind).collect()
    }
}

/// The parts of a file, each with the keys of `[task]` that it does not give; one without an id where there are none.
pub(crate) fn parts(root: &Table, scope: &mut Scope<'_>) -> Vec<Part> {
    let task = root.table("task");
    if root.get("part").is_none() {
        let Some(task) = task else {
            scope
                .faults
                .at(&(0..0), "the file lacks `[task]`", "nowhere in the file")
                .help("`[task]` says what every trial does and measures");
            return Vec::new();
        };
        let whole = part(task.clone(), "`[task]`", scope);
        return whole
            .map(|keys| Part::of(String::new(), String::new(), keys))
            .into_iter()
            .collect();
    }
    let mut parts = Vec::new();
    for table in root.tables("part") {
        let Some(PartKeys { id, label }) = PartKeys::read_table(table, scope) else { continue };
        let mut merged = task.cloned().unwrap_or_else(|| table.clone());
        merged.span = table.span.clone();
        table.entries.iter().for_each(|entry| merged.set(entry.clone()));
        let label = label.unwrap_or_else(|| id.clone());
        let keys = part(merged, &format!("part `{id}`"), scope);
        parts.extend(keys.map(|keys| Part::of(id, label, keys)));
    }
    parts
}

/// A task of its own, with the defaults of the keys that it lacks.
fn part(mut table: Table, heading: &str, scope: &mut Scope<'_>) -> Option<TaskKeys> {
    let keys = TaskKeys::keys();
    let own = PartKeys::keys();
    let names: Vec<&str> = keys.iter().chain(&own).map(|key| key.name).collect();
    complete(&mut table, &keys, &names, heading, scope.faults);
    TaskKeys::read_table(&table, scope)
}
