//! What can be known before a trial runs: which methods take which datasets, which metrics a split can give, what a
//! test has to compare, what is quoted. A file that asks for what can't be there is refused, with the place.

use std::collections::BTreeSet;

use ::task::Task;
use ::task::metrics::OPTIMISM;
use contract::{About, Basis, DatasetId, MethodId, Metric, PartId, Variables};
use data::split::SplitPlan;
use data::vocabulary::Role;
use document::{Node, Span, Table};

use super::catalogue::Catalogue;
use super::design::{MethodSpec, Part, PublishedFile};
use super::evidence::{PairBy, TestDesign};
use super::scope::{Designed, Foreseen, Named, Outline};

/// The datasets whose variables a choice decides: what they are is not known.
pub(crate) fn undecided(root: &Table) -> Vec<DatasetId> {
    let decides = |table: &&Table| table.text("parameter") == Some("binning");
    let targets = |table| Table::get(table, "target").map_or(&[][..], Node::items).iter();
    let choices = root.tables("choice").filter(decides).flat_map(targets);
    choices
        .filter_map(|target| target.text()?.strip_prefix("dataset:"))
        .map(DatasetId::from)
        .collect()
}

impl Outline<'_> {
    /// What the registry says of a dataset, if it is known.
    fn foreseen(&self, dataset: &DatasetId) -> Option<Foreseen> {
        self.registry.iter().find(|known| known.id == *dataset)?.foreseen
    }

    /// A dataset of a part that a method can't take, with what its variables are.
    fn untaken(&self, method: &MethodSpec, part: &Part) -> Option<(DatasetId, Variables)> {
        let takes = method.takes();
        let known = part.datasets.iter().filter(|dataset| !self.undecided.contains(dataset));
        let known = known.filter_map(|dataset| Some((dataset, self.foreseen(dataset)?.variables)));
        let mut untaken = known.filter(|(_, variables)| !takes.contains(variables));
        untaken.next().map(|(dataset, variables)| (dataset.clone(), variables))
    }

    /// Whether a part's split gives validation examples of a dataset; where nothing is known of it, it may.
    fn validates(&self, part: &Part, dataset: &DatasetId) -> bool {
        part.inner.is_some() || self.split_validates(part, dataset)
    }

    fn split_validates(&self, part: &Part, dataset: &DatasetId) -> bool {
        let held =
            || self.foreseen(dataset).is_none_or(|known| known.shape.rows.of(Role::Valid) > 0);
        matches!(part.split, SplitPlan::Published | SplitPlan::Redrawn { .. }) && held()
    }

    /// How many problems a dataset makes in a part, if its classes are known, or there is one whatever they are.
    pub(crate) fn problems(&self, part: &Part, dataset: &DatasetId) -> Option<usize> {
        let of = |classes| (part.task.problem_count)(classes, &part.settings);
        let classes = self.foreseen(dataset).and_then(|known| known.shape.classes());
        let count = classes.map(of).or_else(|| (of(usize::MAX) == 1).then_some(1))?;
        Some(count.try_into().unwrap_or(usize::MAX))
    }

    /// How many folds a repeat has in a part, if it is known.
    pub(crate) fn folds(&self, part: &Part, dataset: &DatasetId) -> Option<usize> {
        match &part.split {
            SplitPlan::LeaveOneOut => self.foreseen(dataset).map(|known| known.shape.rows.total()),
            SplitPlan::Folds => self.foreseen(dataset)?.shape.folds,
            split => Some(split.own_folds().unwrap_or(1)),
        }
    }

    /// Whether some trial of a part can have a metric of its task.
    pub(crate) fn gives(&self, part: &Part, metric: &Metric) -> bool {
        metric.basis != Basis::Validation
            || part.datasets.iter().any(|dataset| self.validates(part, dataset))
    }
}

/// Whether a method can have a metric in a part in which it runs.
fn has(method: &MethodSpec, part: &Part, metric: &Metric) -> bool {
    let Some(entry) = method.entry else { return false };
    // What a program counts of itself it says when it has run.
    let counts = || matches!(metric.about, About::Model | About::Training | About::Structure);
    part.methods.contains(&method.id)
        && (part.task.metrics.contains(&metric)
            || entry.reports.contains(&metric)
            || method.program.is_some() && counts()
            || *metric == OPTIMISM && !method.grid.is_empty())
}

impl Designed<'_> {
    /// Whether some method that runs where a metric is reported has it. Also where no method could be read.
    pub(crate) fn some_method_has(&self, metric: &Metric) -> bool {
        let mut parts = self.parts.iter().filter(|part| part.reports(metric));
        self.methods.len() < self.method_ids().len()
            || parts.any(|part| self.methods.iter().any(|method| has(method, part, metric)))
    }

    /// Leaves to a table that does not name them itself the methods that run in some of these parts, or are quoted. Where
    /// there is an error, nothing is left out for it.
    pub(crate) fn leave_run(&self, table: &Table, parts: &[PartId], methods: &mut Vec<MethodId>) {
        if !self.faults.is_empty() || table.get("methods").is_some() {
            return;
        }
        let quoted = self.methods.iter().filter(|method| method.entry.is_none());
        let shown = self.parts.iter().filter(|part| parts.contains(&part.id));
        let run = quoted.map(|method| &method.id).chain(shown.flat_map(|part| &part.methods));
        let run: BTreeSet<_> = run.collect();
        methods.retain(|id| run.contains(id));
    }

    /// The same of datasets: those of these parts.
    pub(crate) fn leave_used(
        &self,
        table: &Table,
        parts: &[PartId],
        datasets: &mut Vec<DatasetId>,
    ) {
        if !self.faults.is_empty() || table.get("datasets").is_some() {
            return;
        }
        let shown = || self.parts.iter().filter(|part| parts.contains(&part.id));
        datasets.retain(|id| shown().any(|part| part.datasets.contains(id)));
    }
}

/// The value of a key of a part, which may be that of `[task]`.
pub(crate) fn key_of<'r>(root: &'r Table, part: &Part, key: &str) -> Option<&'r Node> {
    let own = root.named("part", &part.id).and_then(|table| table.get(key));
    own.or_else(|| root.table("task")?.get(key))
}

/// Leaves to each part that does not name its methods those that fit it, and refuses methods that fit nowhere, or not
/// where they are named.
pub(crate) fn methods(
    root: &Table,
    methods: &[MethodSpec],
    parts: &mut [Part],
    scope: &mut Named<'_>,
) {
    for method in methods {
        let Some(entry) = method.entry else { continue };
        let mut runs = false;
        let mut unfit = None;
        for part in parts.iter_mut().filter(|part| part.methods.contains(&method.id)) {
            let named = key_of(root, part, "methods").is_some();
            let untaken = scope.outline.untaken(method, part).map(|untaken| (untaken, part.task));
            if !(part.task.serves)(entry) && !named {
                part.methods.retain(|id| *id != method.id);
            } else if let Some(untaken) = untaken {
                if named {
                    refuse(root, method, untaken, scope);
                } else {
                    part.methods.retain(|id| *id != method.id);
                    unfit = unfit.or(Some(untaken));
                }
            } else {
                runs = true;
            }
        }
        if let Some(untaken) = unfit.filter(|_| !runs) {
            refuse(root, method, untaken, scope);
        }
    }
}

/// Reports that a method does not take a dataset.
fn refuse(
    root: &Table,
    method: &MethodSpec,
    ((dataset, variables), task): ((DatasetId, Variables), &'static Task),
    scope: &mut Named<'_>,
) {
    let table = root.named("method", &method.id);
    let Some(table) = table else { return };
    let words: Vec<&str> = method.takes().into_iter().map(Variables::word).collect();
    let others = scope.known.methods.iter().filter(|other| {
        (task.serves)(other) && other.takes().contains(&variables) && other.gives().next().is_none()
    });
    let others: Vec<String> = others.map(|other| format!("`{}`", other.kind)).collect();
    let framed = method.program.as_ref().is_some_and(|program| program.frame);
    let bin = match variables {
        Variables::Numeric => "; or give the dataset a `binning`",
        Variables::Binary if framed => "; or write kind = \"numeric\" in the dataset's entry",
        Variables::Binary | Variables::Categorical => "",
    };
    let span = table.span_of(if framed { "frame" } else { "kind" });
    let message =
        format!("`{}` does not take `{dataset}`, which has {}", method.id, variables.word());
    scope.fault(&span, message, format!("takes {}", words.join(" and "))).help(format!(
        "{} {} take them{bin}; or write a `[[part]]` with the `methods` of each kind of data",
        others.join(", "),
        if others.len() == 1 { "alone can" } else { "can" },
    ));
}

/// Refuses grids of which nothing can select a point, and validation examples that select nothing.
pub(crate) fn selections(root: &Table, scope: &mut Designed<'_>) {
    for method in scope.methods {
        unselectable(root, method, scope);
    }
    // What an error leaves out may be what selects.
    let whole = scope.faults.is_empty();
    for part in scope.parts {
        needless(root, part, whole, scope);
    }
}

/// Refuses the grid of a method of which nothing can select a point in some part.
fn unselectable(root: &Table, method: &MethodSpec, scope: &mut Designed<'_>) {
    let (Some(metric), Some(entry)) = (method.select, method.entry) else { return };
    let table = root.named("method", &method.id);
    let Some(select) = table.and_then(|table| table.get("select")) else { return };
    for part in scope.parts.iter().filter(|part| part.methods.contains(&method.id)) {
        if !has(method, part, metric) {
            let message = format!("`{}` has no `{}` to select by", method.id, metric.name);
            let label = format!("a method of kind `{}` does not report it", entry.kind);
            scope.fault(&select.span, message, label).help("name a metric of the task");
            return;
        }
        let lacks = |id: &&DatasetId| !scope.outline.validates(part, id);
        let lacking = part.datasets.iter().find(lacks);
        if let Some(dataset) = lacking.filter(|_| metric.basis == Basis::Validation) {
            let message = format!(
                "nothing can select a point of the grid of `{}`: `{dataset}` has no validation examples under the split \
                 `{}`",
                method.id,
                part.split.word()
            );
            let help = alternatives(part, method, scope.known);
            let fault = scope.fault(&select.span, message, "measured on validation examples");
            fault.help(help);
            return;
        }
    }
}

/// Refuses to take validation examples out of training examples where there are others, or where they select nothing.
fn needless(root: &Table, part: &Part, whole: bool, scope: &mut Designed<'_>) {
    let Some(inner) = key_of(root, part, "inner").filter(|_| part.inner.is_some()) else { return };
    let selected = |method: &MethodSpec| {
        let validated = |metric: &Metric| metric.basis == Basis::Validation;
        part.methods.contains(&method.id) && method.select.is_some_and(validated)
    };
    let outline = scope.outline;
    let given =
        |id: &&DatasetId| outline.foreseen(id).is_some() && outline.split_validates(part, id);
    if let Some(dataset) = part.datasets.iter().find(given) {
        let message = format!("`{dataset}` has validation examples of its own");
        let label = format!("under the split `{}`", part.split.word());
        let help = "leave `inner` out, or name such datasets in a part of their own";
        scope.fault(&inner.span, message, label).help(help);
    } else if whole && !scope.methods.iter().any(selected) {
        let message = "there is no grid that validation examples would select from";
        scope.fault(&inner.span, message, "of use to nobody").help(
            "leave `inner` out, or give a method a `grid` and `select` by a metric of validation examples",
        );
    }
}

/// Other metrics that could select.
fn alternatives(part: &Part, method: &MethodSpec, known: &Catalogue) -> String {
    let reports = |metric: &&Metric| {
        let own = method.entry.is_some_and(|entry| entry.reports.contains(metric));
        own || part.task.metrics.contains(metric) && metric.on_request.is_none()
    };
    let selects = |metric: &&'static Metric| {
        super::method::can_select(metric) && metric.basis != Basis::Validation && reports(metric)
    };
    let names: Vec<String> =
        known.metrics.iter().filter(selects).map(|metric| format!("`{}`", metric.name)).collect();
    let split =
        "take them from the training examples of each split: inner = { cv = 5 } in `[task]`";
    match names.as_slice() {
        [] => format!("{split}; or make it a `sweep`, which reports every value"),
        names => format!("{split}; or select by {}; or make it a `sweep`", names.join(", ")),
    }
}

/// Refuses metrics that a part names and no split of it gives.
pub(crate) fn metrics(root: &Table, scope: &mut Designed<'_>) {
    let mut named: Vec<(Span, &'static Metric, bool)> = Vec::new();
    for part in scope.parts {
        for node in key_of(root, part, "metrics").map_or(&[][..], Node::items) {
            let Some(metric) = node.text().and_then(|name| scope.known.metrics.get(name)) else {
                continue;
            };
            let given = scope.outline.gives(part, metric);
            match named.iter_mut().find(|(span, ..)| *span == node.span) {
                Some((.., already)) => *already |= given,
                None => named.push((node.span.clone(), metric, given)),
            }
        }
    }
    for (span, metric, _) in named.into_iter().filter(|(.., given)| !given) {
        scope.no_validation(metric, &span);
    }
}

/// Refuses a test that has fewer than two values to compare on every dataset. Under a profile there may be fewer.
pub(crate) fn blocks(test: &TestDesign, table: &Table, scope: &mut Designed<'_>) {
    let parts: Vec<&Part> = scope.parts.iter().filter(|part| part.reports(test.metric)).collect();
    if scope.outline.narrowed || parts.is_empty() || !scope.faults.is_empty() {
        return;
    }
    let outline = scope.outline;
    let of_dataset = |dataset: &DatasetId| {
        let of_part = |part: &&Part| {
            let repeats = part.all_repeats();
            match test.pair_by {
                PairBy::Problem => outline.problems(part, dataset),
                PairBy::Fold => {
                    outline.folds(part, dataset).map(|folds| folds.saturating_mul(repeats))
                }
                PairBy::Repeat => Some(repeats),
                PairBy::Dataset | PairBy::Example | PairBy::Auto => None,
            }
        };
        let mut parts = parts.iter().filter(|part| part.datasets.contains(dataset)).peekable();
        // Of what nothing is known there may be enough.
        parts.peek()?;
        parts.map(of_part).try_fold(0, |most: usize, blocks| Some(most.max(blocks?)))
    };
    let (most, noun) = match test.pair_by {
        PairBy::Dataset => (Some(test.datasets.len()), "dataset"),
        pair_by => {
            let mut all = test.datasets.iter().map(of_dataset);
            (all.try_fold(0, |most: usize, blocks| Some(most.max(blocks?))), pair_by.word())
        }
    };
    if let Some(few @ (0 | 1)) = most {
        let span = table.span_of("pair_by");
        let message =
            format!("test `{}` has fewer than two values of each method to compare", test.id);
        let found = if few == 0 { format!("no {noun}") } else { format!("one {noun}") };
        scope.fault(&span, message, found).help(
            "pair by something that there are several of: pair_by = \"auto\" takes problems, else folds, else repeats, \
             else test examples; or write more of them. Folds have training examples in common: \
             kind = \"corrected-resampled-t\" heeds that",
        );
    }
}

/// Refuses methods that only quote what no file of published values has. Where something is wrong, the table that names
/// the file may not have been read.
pub(crate) fn quotations(root: &Table, published: &[PublishedFile], scope: &mut Designed<'_>) {
    if !scope.faults.is_empty() {
        return;
    }
    let files: Vec<&str> = published.iter().map(|file| file.path.as_str()).collect();
    let quotes = |id: &str| {
        let mut values = published.iter().flat_map(|file| &file.values);
        let names = |axis: &str| axis.split_whitespace().any(|word| word == id);
        values.any(|value| names(&value.row) || names(&value.column))
    };
    let (label, help) = match files.as_slice() {
        [] => (
            "no table names a file of published values",
            "write published = \"published/NAME.csv\" in a `[[table]]`, or remove the method"
                .to_owned(),
        ),
        files => (
            "no published value",
            format!(
                "add lines with it as row or column to {}, or remove the method",
                files.join(", ")
            ),
        ),
    };
    let silent = |method: &&MethodSpec| method.published_only() && !quotes(&method.id);
    for id in scope.methods.iter().filter(silent).map(|method| &method.id) {
        let Some(table) = root.named("method", id) else { continue };
        let message = format!("`{id}` is only published, and there is no published value of it");
        scope.fault(&table.span_of("id"), message, label).help(help.clone());
    }
}
