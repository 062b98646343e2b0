//! `[[table]]`.

use base::words;
use contract::{About, Basis, Direction, Metric};
use document::{
    Id, OneOrMany, Positive, ReadTable as _, Section as _, Spanned, Table, Whole, Word, complete,
    section,
};

use super::design::{AxisRef, Part};
use super::refer::{
    Axis, Bold, ListedDatasets, ListedMethods, ListedParts, OneMethod, Procedure, Published,
    Reported, Title,
};
use super::scope::Tested;

words! {
    /// Which cells of a row or column are the best.
    pub enum Best {
        None = "none", "none is marked";
        Max = "max", "the largest";
        Min = "min", "the smallest";
    }
}

words! {
    /// Among which cells the best is sought.
    pub enum Along {
        Row = "row", "the cells of a row are compared";
        Column = "column", "the cells of a column are compared";
    }
}

words! {
    /// What a standard deviation is over.
    pub enum SdOver {
        None = "none", "no standard deviation";
        Repeat = "repeat", "repeats, after averaging over problems and folds";
        Fold = "fold", "folds, after averaging over problems; repeats pooled";
        Problem = "problem", "problems; folds and repeats averaged first";
        Sample = "sample", "the samples that the metric returns, pooled";
        StandardError = "standard-error", "standard error of the mean over the folds of all repeats";
    }
}

section! {
    in Tested;
    pub struct TableSpec: "table" => "A table. A cell over several methods, datasets, parts or swept values that no axis tells apart has a value only if they agree; parts that try a method otherwise need an axis." {
        id: Id => "its id, the name of its files";
        title: Title, else "the experiment's title" => "caption";
        rows: OneOrMany<Spanned<Axis>> => "what the rows run over, outermost first";
        columns: OneOrMany<Spanned<Axis>> => "what the columns run over, outermost first";
        metric: Option<Spanned<Reported>>, else "`metrics`, if \"metric\" is an axis" => "what is shown";
        metrics: Option<Spanned<Vec<Reported>>>, else "`metric`, unless \"metric\" is an axis"
            => "what the axis \"metric\" runs over";
        methods: ListedMethods, else "those that run in the parts, or are quoted" => "the methods shown, in their order";
        datasets: ListedDatasets, else "those of the parts" => "the datasets shown, in their order";
        parts: ListedParts, else "all parts" => "the parts shown, in their order";
        digits: Whole<0, 15> = 2 => "digits after the decimal point";
        scale: Positive = 1.0 => "factor applied to our values, not to published ones";
        published: Option<Published>, else "none"
            => "file of the paper's numbers, with the columns row, column, metric, value, sd";
        best: Word<Best> = "none" => "which cells are the best";
        best_along: Word<Along> = "row" => "among which cells the best is sought";
        bold: Option<Spanned<Bold>>, else "the best alone is bold"
            => "bold are those methods of a row that no other one is shown to be better than";
        worse_than: Option<OneMethod>, else "no cell has one"
            => "a dagger marks values, ours and published, that are worse than this method's would be in their place";
        sd: Word<SdOver> = "none" => "what the standard deviation of a cell is over";
    }
    check(scope, table) {
        let (rows, columns) = (rows.as_deref().unwrap_or(&[]), columns.as_deref().unwrap_or(&[]));
        for axis in rows.iter().chain(columns) {
            scope.runs_over(axis, methods.as_deref().unwrap_or(&[]));
            if let AxisRef::Grid(name) = &axis.value {
                let message = format!("a table can't run over the grid of `{name}`");
                scope.fault(&axis.span, message, "tables show the selected point")
                    .help(format!("draw a figure over \"grid:{name}\", or make it a sweep"));
            }
        }
        if let Some(twice) = columns.iter().find(|axis| rows.contains(axis)) {
            let message = "rows and columns run over the same";
            scope.fault(&twice.span, message, "also in `rows`");
        }
        let by_metric = rows.iter().chain(columns).any(|axis| axis.value == AxisRef::Metric);
        let (one, all) = (metric.as_ref(), metrics.as_ref());
        fits(by_metric, [one.is_some(), all.is_some()], table, scope);
        let shown = match (one, all) {
            (_, Some(Some(all))) if by_metric => &all.value,
            (Some(Some(one)), _) if !by_metric => std::slice::from_ref(&one.value),
            _ => &[],
        };
        let bold = bold.as_ref().and_then(Option::as_ref);
        if let Some(bold) = bold {
            scope.about(&bold.test, shown);
        }
        if let (Some(bold), Some(Best::None)) = (bold, best) {
            scope.fault(&bold.key, "`bold` needs `best`", "not significantly worse than what?")
                .help("add best = \"max\" or best = \"min\"");
        }
    }
}

/// A table; where it does not name its methods and datasets, with those that have something to show in its parts.
pub(crate) fn table(table: &Table, scope: &mut Tested<'_>) -> Option<TableSpec> {
    let mut read = TableSpec::read_table(table, scope)?;
    scope.leave_run(table, &read.parts, &mut read.methods);
    scope.leave_used(table, &read.parts, &mut read.datasets);
    let axes: Vec<&AxisRef> =
        read.rows.iter().chain(&read.columns).map(|axis| &axis.value).collect();
    let place = read.columns.first().map_or(&table.span, |axis| &axis.span);
    scope.fixes_sweeps(place, &read.methods, &axes, read.metrics());
    if !axes.contains(&&AxisRef::Part) {
        let help = "let an axis be \"part\", or name one of the `parts`";
        let shown = (&*read.methods, &*read.datasets);
        scope.in_one_part(place, shown, |part| read.parts.contains(part), read.metrics(), help);
    }
    // A list with an error has been reported.
    if let Some(bold) = read.bold.as_ref().filter(|_| scope.faults.is_empty()) {
        let test = &bold.test;
        match bold.procedure {
            Procedure::Paper => scope.compares_two_of(test, &read.methods),
            Procedure::Ours => scope.compares_all_of(test, &read.methods, &read.datasets),
        }
        if scope.faults.is_empty() {
            scope.of_each(bold);
            of_one_dataset(&read, bold, scope);
            of_its_part(&read, bold, scope);
        }
    }
    Some(read)
}

/// A test of one part says nothing of cells of others.
fn of_its_part(read: &TableSpec, bold: &Spanned<Bold>, scope: &mut Tested<'_>) {
    let Some(part) = scope.test(&bold.test).and_then(|test| test.part.clone()) else { return };
    if read.parts.iter().any(|shown| *shown != part) {
        let message = format!("test `{}` is of part `{part}` alone", *bold.test);
        scope
            .fault(&bold.key, message, "the table shows others")
            .help(format!("write parts = [\"{part}\"], or remove `bold`"));
    }
}

/// What a test tells apart are methods on one dataset.
fn of_one_dataset(read: &TableSpec, bold: &Spanned<Bold>, scope: &mut Tested<'_>) {
    let (across, other) = match read.best_along {
        Along::Row => (&read.columns, "column"),
        Along::Column => (&read.rows, "row"),
    };
    if across.iter().any(|axis| axis.value == AxisRef::Dataset) && read.datasets.len() > 1 {
        let message = "the cells among which the best is sought are of several datasets";
        scope
            .fault(&bold.key, message, "a test compares methods on one dataset")
            .help(format!("write best_along = \"{other}\", or remove `bold`"));
    }
}

/// The table of a file that has none: of one dataset every metric, of several the score.
pub(crate) fn unwritten(parts: &[Part], scope: &mut Tested<'_>) -> Option<TableSpec> {
    let first = parts.first().filter(|_| scope.faults.is_empty())?;
    let score = first.task.score;
    let score = *first.metrics.iter().find(|metric| **metric == score).or(first.metrics.first())?;
    let shown = parts.iter().filter(|part| !part.id.is_empty() && part.metrics.contains(&score));
    let shown: Vec<&str> = shown.map(|part| part.id.as_str()).collect();
    let sweeps = scope.methods.iter().flat_map(|method| &method.sweep);
    let mut methods = vec!["method".to_owned()];
    for axis in sweeps.map(|axis| format!("sweep:{}", axis.name)) {
        methods.extend((!methods.contains(&axis)).then_some(axis));
    }
    let of_task = first.metrics.iter().filter(|metric| metric.about == About::Task);
    let of_task = of_task.filter(|metric| metric.direction != Direction::Neutral);
    // What the split gives no examples for has been reported where the file names it.
    let tested = of_task.filter(|metric| metric.basis != Basis::Validation);
    let metrics: Vec<&str> = tested.clone().map(|metric| metric.name).collect();
    let best = match score.direction {
        Direction::Higher => "max",
        Direction::Lower => "min",
        Direction::Neutral => "none",
    };
    let mut rows = vec!["dataset"];
    rows.extend((shown.len() > 1).then_some("part"));
    let axes = match (shown.len(), &first.datasets[..], &metrics[..]) {
        (0, [_], [_, _, ..]) => {
            let one = { tested }.all(|metric| metric.direction == score.direction);
            let best = if one { best } else { "none" };
            let axes = format!("rows = {methods:?}, columns = \"metric\", metrics = {metrics:?}");
            format!("{axes}, best = \"{best}\", best_along = \"column\"")
        }
        _ => {
            let axes = format!("rows = {rows:?}, columns = {methods:?}");
            format!("{axes}, metric = {:?}, best = \"{best}\"", score.name)
        }
    };
    let parts = if shown.is_empty() { String::new() } else { format!(", parts = {shown:?}") };
    let node =
        document::literal(&format!("{{ id = \"results\", digits = 3, {axes}{parts} }}"), &(0..0))?;
    let mut written = node.table()?.clone();
    complete(&mut written, &TableSpec::keys(), &[], "a table", scope.faults);
    table(&written, scope)
}

/// A table over metrics names several, any other one. `read` says whether `metric` and `metrics` have no errors.
fn fits(by_metric: bool, read: [bool; 2], table: &Table, scope: &mut Tested<'_>) {
    let names = ["metric", "metrics"];
    let (wanted, other) = (names[usize::from(by_metric)], names[usize::from(!by_metric)]);
    let why = if by_metric { "\"metric\" is an axis" } else { "\"metric\" is no axis" };
    if !read[usize::from(!by_metric)] {
        return;
    }
    if let Some(entry) = table.entry(other) {
        let message = format!("`{other}` does not fit this table");
        let fault = scope.fault(&entry.key_span, message, why);
        fault.help(format!("write `{wanted}` instead"));
    } else if table.get(wanted).is_none() {
        let fault = scope.faults.missing(table, wanted, "`[[table]]`");
        fault.help(format!("{why}, so the table needs `{wanted}`"));
    }
}

impl TableSpec {
    /// The metrics shown: one, unless `metric` is an axis.
    pub fn metrics(&self) -> &[&'static Metric] {
        match (&self.metrics, &self.metric) {
            (Some(all), _) => &all.value,
            (None, Some(one)) => std::slice::from_ref(&one.value),
            (None, None) => &[],
        }
    }
}
