//! `[task]` and `[[part]]`.

use ::task::metrics::OPTIMISM;
use ::task::probabilities::AUC;
use ::task::regression::R2;
use ::task::{Given, Task};
use base::words;
use base::words::Words;
use contract::parameter::{Domain, Parameters};
use contract::{Metric, PartId};
use data::dealt::{Dealt, Forward};
use data::inner::Inner;
use data::split::SplitPlan;
use document::{
    Count, Flag, Form, Id, Level, MANY, Named as _, Node, ReadTable, Section, Spanned, Table, Text,
    Variant, Whole, Word, complete, reads, section, suggestion,
};

use super::design::{LabelsMet, Part};
use super::patterns::TimeLimit;
use super::refer::{AnyMetric, Methods, OneTask, RegistryDataset};
use super::scope::Named;

/// Splits that need no numbers.
static FIXED: Words<SplitPlan> = Words(&[
    ("published", SplitPlan::Published, "as the authors of the dataset split it"),
    ("leave-one-out", SplitPlan::LeaveOneOut, "each example is the test set once"),
    ("folds", SplitPlan::Folds, "the folds that the authors of the dataset give"),
]);

words! {
    /// What results hold of fitted models.
    pub(crate) enum Keep {
        Predictions = "predictions", "what each selected fit answers to its test examples, in `predictions/`: any metric or curve can be had of it later";
    }
}

section! {
    in Named;
    struct CrossValidation: "cv" => "cross-validation" {
        folds: Whole<2, MANY> => "number of folds";
        repeats: Count = 1 => "how often the examples are divided anew";
        stratified: Flag = false => "keep the proportions of the classes in each fold; of whole groups as nearly as they allow";
        grouped: Flag = false
            => "keep the examples of a group in one fold: `group` of the file in `datasets.toml` names its column; groups come in random order, each to the fold with the fewest rows";
    }
}

section! {
    in Named;
    struct Share: "share" => "random test sets of a share of the examples" {
        test: Level => "share of the examples that is the test set; all others are for training";
        repeats: Count => "how often it is drawn";
        stratified: Flag = false => "keep the proportions of the classes in the test set; groups count for the most frequent of their classes";
        grouped: Flag = false
            => "draw a share of the groups, rounded up, each as probably as any other: `group` of the file in `datasets.toml` names its column; `reprise plan` prints which share of the rows that is";
    }
}

section! {
    in Named;
    struct Ordered: "time" => "forward in time: `time` of the file in `datasets.toml` names the column" {
        folds: Count => "number of folds: examples in the order of their times make one block more, and each but the first is tested after training on those before it";
        gap: Whole<0, MANY> = 0
            => "so many of the last examples before a test block are for nothing, and whoever is of one moment with them";
        window: Option<Count>, else "all of them"
            => "train on so many examples before the test block and its gap, and whoever is of one moment with the first";
    }
}

section! {
    in Named;
    struct Resample: "resample" => "random training and test sets of fixed sizes" {
        train: Count => "size of the training set";
        test: Count => "size of the test set";
        repeats: Count => "how often they are drawn";
    }
}

section! {
    in Named;
    struct Redrawn: "redrawn" => "as published, the examples of a generated dataset drawn anew in every repeat but the first" {
        repeats: Count => "how often they are drawn";
    }
}

/// Splits by the one key of their table.
fn numbered() -> Vec<Variant> {
    fn of<S: Section + document::Named>() -> Variant {
        Variant { word: S::WORD, meaning: S::MEANING, keys: S::keys() }
    }
    vec![of::<CrossValidation>(), of::<Ordered>(), of::<Share>(), of::<Resample>(), of::<Redrawn>()]
}

reads! {
    in Named;
    /// How examples are divided.
    Split: SplitPlan = Form::Either(vec![Form::One(Domain::Word(&FIXED)), Form::OneOf(numbered())]),
        |node, scope| split(node, scope);
}

fn split(node: &Node, scope: &mut Named<'_>) -> Option<SplitPlan> {
    if let Some(word) = node.text() {
        return FIXED.value(word);
    }
    let entry = node.table()?.entries.first()?;
    let table = entry.node.table()?;
    match entry.key.as_str() {
        CrossValidation::WORD => {
            let CrossValidation { folds, repeats, stratified, grouped } =
                CrossValidation::read_table(table, scope)?;
            let dealt = Dealt { stratified, grouped };
            Some(SplitPlan::CrossValidation { folds, repeats, dealt })
        }
        Ordered::WORD => {
            let Ordered { folds, gap, window } = Ordered::read_table(table, scope)?;
            Some(SplitPlan::Ordered { folds, forward: Forward { gap, window } })
        }
        Share::WORD => {
            let Share { test, repeats, stratified, grouped } = Share::read_table(table, scope)?;
            Some(SplitPlan::Share { test, repeats, dealt: Dealt { stratified, grouped } })
        }
        Resample::WORD => {
            let Resample { train, test, repeats } = Resample::read_table(table, scope)?;
            Some(SplitPlan::Resample { train, test, repeats })
        }
        Redrawn::WORD => {
            let Redrawn { repeats } = Redrawn::read_table(table, scope)?;
            Some(SplitPlan::Redrawn { repeats })
        }
        _ => None,
    }
}

section! {
    in Named;
    struct InnerKeys {
        cv: Option<Spanned<Whole<2, MANY>>>, else "a `share`"
            => "number of folds; each of them validates what the others are trained on, and values are means over them";
        share: Option<Level>, else "`cv`" => "share of the training examples that validates, drawn once for each split";
        stratified: Option<Flag>, else "as the split"
            => "keep the proportions of the classes among what validates; groups stay together and time goes forward where they do in the split";
        refit: Option<Spanned<Flag>>, else "true"
            => "whether the fit that is scored is of all training examples, those that validated included";
    }
    check(scope, table) {
        if let (Some(Some(cv)), Some(Some(_))) = (&cv, &share) {
            scope.fault(&cv.key, "folds and a share", "`share` is there too")
                .help("write inner = { cv = 5 } or inner = { share = 0.2 }");
        }
        if let (Some(None), Some(None)) = (&cv, &share) {
            scope.fault(&table.span, "nothing says which training examples validate", "neither `cv` nor `share`")
                .help("write inner = { cv = 5 } or inner = { share = 0.2 }");
        }
        if let (Some(Some(_)), Some(Some(refit))) = (&cv, &refit)
            && !refit.value
        {
            scope.fault(&refit.span, "folds without a refit", "none of the fits on the folds is that of the table")
                .help("leave `refit` out, or hold out a share: inner = { share = 0.2, refit = false }");
        }
    }
}

impl InnerKeys {
    /// What they say; none where they say nothing or too much.
    fn inner(&self, split: &SplitPlan) -> Option<Inner> {
        let dealt = split.dealt();
        let dealt = Dealt { stratified: self.stratified.unwrap_or(dealt.stratified), ..dealt };
        let split = match (&self.cv, self.share, split) {
            (Some(folds), None, &SplitPlan::Ordered { forward, .. }) => {
                SplitPlan::Ordered { folds: folds.value, forward }
            }
            (Some(folds), None, _) => {
                SplitPlan::CrossValidation { folds: folds.value, repeats: 1, dealt }
            }
            (None, Some(test), &SplitPlan::Ordered { forward, .. }) => {
                SplitPlan::Last { test, forward }
            }
            (None, Some(test), _) => SplitPlan::Share { test, repeats: 1, dealt },
            _ => return None,
        };
        let refit = self.refit.as_ref().is_none_or(|refit| refit.value);
        Some(Inner { split, refit })
    }
}

section! {
    in Named;
    pub(crate) struct TaskKeys: "task" => "What every trial does and measures. Parts may override each key." {
        kind: OneTask => "what a trial does";
        datasets: Vec<RegistryDataset> => "the datasets, in the order of tables";
        split: Split => "how examples are divided into training and test sets";
        inner: Option<InnerKeys>, else "the validation examples of the split, if it has some"
            => "where the validation examples that grids are selected by come from: out of the training examples of each split";
        optimism: Flag = false
            => "measure `optimism`: how far the score of each selected grid point lies from the best on the test examples";
        repeats: Count = 1
            => "how often everything is repeated with other seeds, also under a published split";
        metrics: Option<Vec<Spanned<AnyMetric>>>, else "all that the task measures"
            => "what trials report; tables, figures, tests and claims show nothing else";
        methods: Methods, else "those that do the task and take its datasets" => "the methods that run";
        keep: Option<Spanned<Word<Keep>>>, else "nothing beside the metrics"
            => "what results hold of the fitted models beside";
        timeout: Option<TimeLimit>, else "no limit"
            => "time limit of one trial: a number with its unit, or seconds";
    }
    check(scope, table) {
        if let Some(task) = kind {
            only_own(task, table, scope);
            if let (Some(Some(keep)), false) = (&keep, task.predicts) {
                let message = format!("a {} task has no predictions to keep", task.word);
                scope.fault(&keep.span, message, "of classification and regression").help("leave it out");
            }
            if let Some(Some(metrics)) = &metrics {
                all_measured(task, metrics, scope);
                if let Some(SplitPlan::LeaveOneOut) = &split {
                    of_several(metrics, scope);
                }
            }
        }
    }
}

section! {
    in Named;
    pub(crate) struct PartKeys: "part" => "Several tasks in one experiment: each part takes the keys of `[task]` that it does not give itself." {
        id: Id => "its id";
        label: Option<Text>, else "the id" => "what people read";
    }
}

/// No key of another task is given.
fn only_own(task: &'static Task, table: &Table, scope: &mut Named<'_>) {
    for other in scope.known.tasks.iter().filter(|other| **other != task) {
        for key in other.keys.iter().filter(|key| !task.keys.contains(key)) {
            if let Some(node) = table.get(key.name) {
                let message = format!("a {} task has no `{}`", task.word, key.name);
                let label = format!("only for {}", other.word);
                scope.fault(&node.span, message, label).help("leave it out");
            }
        }
    }
}

/// The task measures the metrics that the file names.
fn all_measured(task: &Task, metrics: &[Spanned<&'static Metric>], scope: &mut Named<'_>) {
    for metric in metrics.iter().filter(|metric| !scope.known.measures(task, metric)) {
        let of_task =
            scope.known.metrics.iter().filter(|metric| scope.known.measures(task, metric));
        let names: Vec<&str> = of_task.map(|metric| metric.name).collect();
        let message = format!("a {} task does not measure `{}`", task.word, metric.name);
        scope.fault(&metric.span, message, "not measured").maybe_help(suggestion("", &names));
    }
}

/// Refuses metrics that are of several test examples, where the split leaves one out.
fn of_several(metrics: &[Spanned<&'static Metric>], scope: &mut Named<'_>) {
    for metric in metrics.iter().filter(|metric| [&R2, &AUC].contains(&metric.value)) {
        let message = format!("one test example has no `{}`", metric.name);
        let help = "leave it out, or divide with split = { cv = { folds = 10 } }";
        scope.fault(&metric.span, message, "the split leaves one out").help(help);
    }
}

/// The task's own keys: those of the file, else their defaults.
fn settings(keys: &TaskKeys, table: &Table, scope: &mut Named<'_>) -> Parameters {
    let task = keys.kind;
    let mut settings = Parameters::defaults(task.keys);
    let mut given = Vec::new();
    for key in task.keys {
        let value = table.get(key.name).and_then(Node::scalar);
        if let Some(value) = value.and_then(|value| key.check(value.clone()).ok()) {
            settings.set(key.name, value);
            given.push(key.name);
        }
    }
    let given = Given { keys: &given, split: &keys.split, inner: keys.inner.is_some() };
    if let Some(wrong) = (task.contradiction)(&settings, &given)
        && let Some(node) = table.get(wrong.key)
    {
        scope.fault(&node.span, wrong.message, wrong.why).help(wrong.help);
    }
    settings
}

/// The parts of a file, each with the keys of `[task]` that it does not give; one without an id where there are none.
pub(crate) fn parts(root: &Table, scope: &mut Named<'_>) -> Vec<Part> {
    let task = root.table("task");
    if root.get("part").is_none() {
        let Some(task) = task else {
            scope
                .fault(&(0..0), "the file lacks `[task]`", "nowhere in the file")
                .help("`[task]` says what every trial does and measures");
            return Vec::new();
        };
        let whole = part((PartId::default(), String::new()), task.clone(), "`[task]`", scope);
        return whole.into_iter().collect();
    }
    let mut parts = Vec::new();
    for table in root.tables("part") {
        let Some(PartKeys { id, label }) = PartKeys::read_table(table, scope) else { continue };
        let mut merged = task.cloned().unwrap_or_else(|| table.clone());
        merged.span = table.span.clone();
        table.entries.iter().for_each(|entry| merged.set(entry.clone()));
        let label = label.unwrap_or_else(|| id.clone());
        let heading = format!("part `{id}`");
        parts.extend(part((id.into(), label), merged, &heading, scope));
    }
    parts
}

/// A task of its own, with the defaults of the keys that it lacks.
fn part(
    (id, label): (PartId, String),
    mut table: Table,
    heading: &str,
    scope: &mut Named<'_>,
) -> Option<Part> {
    let own = TaskKeys::keys();
    let keys = [PartKeys::keys(), scope.known.keys_of_tasks(), own.clone()].concat();
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    complete(&mut table, &own, &names, heading, scope.faults);
    let keys = TaskKeys::read_table(&table, scope)?;
    let task = keys.kind;
    let reported =
        |metric: &&Metric| scope.known.measures(task, metric) && metric.on_request.is_none();
    let mut metrics: Vec<&Metric> = match &keys.metrics {
        Some(named) => named.iter().map(|metric| metric.value).collect(),
        None => scope.known.metrics.iter().filter(reported).collect(),
    };
    metrics.extend(keys.optimism.then_some(&OPTIMISM));
    Some(Part {
        id,
        label,
        task,
        settings: settings(&keys, &table, scope),
        datasets: keys.datasets,
        inner: keys.inner.and_then(|inner| inner.inner(&keys.split)),
        split: keys.split,
        repeats: keys.repeats,
        metrics,
        methods: keys.methods,
        timeout: keys.timeout,
        keeps_predictions: keys.keep.is_some(),
        labels: LabelsMet::Given,
    })
}
