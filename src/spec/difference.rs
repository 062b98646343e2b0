//! `[[difference]]`: why cells of a table differ from the paper's.

use contract::{ChoiceId, Value};
use document::{
    OneOrMany, ReadTable as _, Single, Spanned, Table, Text, reads, section, suggestion,
};
use itertools::Itertools as _;

use super::choice;
use super::design::{AxisRef, Choice, PublishedFile, PublishedValue};
use super::patterns::Heading;
use super::refer::Published;
use super::scope::{Named, Outline};
use super::table::TableSpec;

/// Why some cells of a table differ from the paper's.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The table's id.
    pub table: String,
    /// The rows, by their ids; with the columns they are the cells.
    pub rows: Vec<Spanned<String>>,
    /// The columns, by their ids.
    pub columns: Vec<Spanned<String>>,
    /// Why.
    pub why: Why,
    /// What shows it.
    pub shows: Shows,
}

/// Why a cell differs, as far as anybody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The cause, in a sentence.
    Cause(String),
    /// It is not known; what was tried.
    Tried(String),
}

/// What shows a cause, or what was tried; one of both at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Shows {
    /// What moves our values.
    pub moves_to: Option<MovesTo>,
    /// A heading of a document, such as `docs/papers/evm.md#table-5-test-log-likelihood`.
    pub document: Option<String>,
}

/// What moves our values towards the paper's, or does not.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum MovesTo {
    /// A choice, and the option, if it is one alone.
    #[display("choice {_0}{}", _1.as_ref().map(|option| format!(", option {option}")).unwrap_or_default())]
    Choice(ChoiceId, Option<Value>),
    /// The cells of another experiment: its id, and the file that has their values, in the table's unit.
    #[display("{_0}")]
    Experiment(String, String),
}

impl Difference {
    /// Its cells, by row and column.
    pub fn cells(&self) -> impl Iterator<Item = (&Spanned<String>, &Spanned<String>)> {
        self.rows.iter().flat_map(|row| self.columns.iter().map(move |column| (row, column)))
    }

    /// Whether it names this cell.
    pub fn names(&self, table: &str, row: &str, column: &str) -> bool {
        let among = |ids: &[Spanned<String>], id: &str| ids.iter().any(|named| **named == id);
        self.table == table && among(&self.rows, row) && among(&self.columns, column)
    }
}

reads! {
    in Named;
    /// A table of the file.
    OneTable: String = document::Id::form(), |node, scope| {
        scope.refer(node.text()?, &node.span, "table", &scope.outline.table_ids)
    };
    /// A choice of the file.
    OneChoice: ChoiceId = document::Id::form(), |node, scope| {
        scope.refer(node.text()?, &node.span, "choice", &scope.outline.choice_ids)
    };
}

section! {
    in Named;
    /// What moves our values: a choice of the file, or another experiment.
    pub(crate) struct MovesKeys {
        choice: Option<Spanned<OneChoice>>, else "`experiment`" => "id of a `[[choice]]`";
        option: Option<Spanned<Single>>, else "all options" => "the option of `choice`";
        experiment: Option<Text>, else "`choice`" => "id of another experiment, such as `apt/table1-sgd`";
        values: Option<Published>, else "needed with `experiment`"
            => "file of the values of its cells, by the ids of this table and in its unit, as files of published values are";
    }
    check(scope, section) {
        match (&choice, &experiment, &values) {
            (Some(None), Some(Some(_)), Some(Some(_))) | (Some(Some(_)), Some(None), Some(None)) => {}
            (None, ..) | (_, None, _) | (.., None) => {}
            (Some(None), Some(None), Some(None)) if matches!(option, Some(Some(_))) => {
                let label = "`choice` is missing";
                scope.fault(&section.span, "an option of which choice?", label).help("add `choice`");
            }
            _ => {
                let label = "expected `choice`, or `experiment` with `values`";
                scope.fault(&section.span, "what moves our values?", label);
            }
        }
    }
}

section! {
    in Named;
    pub(crate) struct DifferenceKeys: "difference" => "Why cells of a table differ from the paper's, and what shows it; or what was tried to find out. The cells get a mark, and the note stands below the table. One on a cell that does not differ is an error (see \"Agreement with the paper\")." {
        table: Spanned<OneTable> => "id of a `[[table]]` with published values";
        rows: OneOrMany<Spanned<Text>> => "ids of its rows, as in the file of published values";
        columns: OneOrMany<Spanned<Text>> => "ids of its columns; the cells are those of these rows in these columns";
        cause: Option<Spanned<Text>>, else "`tried`" => "why they differ, in a sentence";
        tried: Option<Spanned<Text>>, else "`cause`" => "where no cause is known: what was tried to find one";
        moves_to: Option<Spanned<MovesKeys>>, else "`document`"
            => "what moves our values; a `cause` names one option, or an experiment";
        document: Option<Heading>, else "`moves_to`"
            => "the heading under which it is shown, such as `docs/papers/evm.md#table-5-test-log-likelihood`";
    }
    check(scope, section) {
        if let (Some(None), Some(None)) = (&moves_to, &document) {
            scope.fault(&section.span, "nothing shows the cause", "neither `moves_to` nor `document`")
                .help("name what moves our values, or the heading of a document");
        }
        let alone = |moves: &Spanned<MovesKeys>| moves.option.is_some() || moves.experiment.is_some();
        if let (Some(Some(cause)), Some(moves_to)) = (&cause, &moves_to)
            && !moves_to.as_ref().is_some_and(alone)
        {
            scope.fault(&cause.key, "a cause says what moves our values", "no option, and no experiment")
                .help("name it in `moves_to`, such as { choice = \"tolerance\", option = 1e-4 }; or write `tried`");
        }
        match (&cause, &tried) {
            (Some(None), Some(None)) => {
                scope.fault(&section.span, "why do they differ?", "neither `cause` nor `tried`").help(
                    "say why, or what was tried to find out",
                );
            }
            (Some(Some(_)), Some(Some(tried))) => {
                let label = "also `cause`";
                scope.fault(&tried.key, "`cause` and `tried` exclude each other", label);
            }
            _ => {}
        }
    }
}

/// What differences refer to.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// The tables without errors.
    pub tables: &'a [TableSpec],
    /// The choices without errors that the profile leaves.
    pub choices: &'a [Spanned<Choice>],
    /// What the paper prints.
    pub published: &'a [PublishedFile],
}

/// A difference whose cells are there.
pub(crate) fn difference(
    known: Cells<'_>,
    table: &Table,
    scope: &mut Named<'_>,
) -> Option<Difference> {
    let keys = DifferenceKeys::read_table(table, scope)?;
    let DifferenceKeys { table, mut rows, mut columns, cause, tried, moves_to, document } = keys;
    let why =
        cause.map(|cause| Why::Cause(cause.value)).or(tried.map(|tried| Why::Tried(tried.value)))?;
    // A table with errors has been reported.
    if let Some(spec) = known.tables.iter().find(|spec| spec.id == *table) {
        if spec.published.is_none() {
            let message = format!("`{}` has no published values", table.value);
            scope
                .fault(&table.span, message, "no cell to differ from")
                .help("name a table with `published`");
            return None;
        }
        let Outline { dropped, datasets, .. } = scope.outline;
        let there = |named: &Spanned<String>| {
            !named.split(' ').any(|word| {
                dropped.iter().any(|id| *id == word) && !datasets.iter().any(|id| *id == word)
            })
        };
        rows.retain(there);
        columns.retain(there);
        let values = published(spec, known.published);
        cells_are_there(spec, &values, (&rows, &columns), scope);
    }
    let moves_to = moves_to.and_then(|keys| moves(keys.value, known.choices, scope));
    let shows = Shows { moves_to, document };
    Some(Difference { table: table.value, rows, columns, why, shows })
}

fn moves(keys: MovesKeys, choices: &[Spanned<Choice>], scope: &mut Named<'_>) -> Option<MovesTo> {
    let MovesKeys { choice, option, experiment, values } = keys;
    if let Some((id, values)) = experiment.zip(values) {
        return Some(MovesTo::Experiment(id, values));
    }
    let id = choice?.value;
    let option = option.and_then(|named| {
        let choice = choices.iter().find(|choice| choice.id == id)?;
        Some(choice.options[choice::option(choice, &named, scope)?].clone())
    });
    Some(MovesTo::Choice(id, option))
}

/// Each row and column is one of the table's, and where they meet the paper prints a value.
fn cells_are_there(
    spec: &TableSpec,
    values: &[PublishedValue],
    (rows, columns): (&[Spanned<String>], &[Spanned<String>]),
    scope: &mut Named<'_>,
) {
    let printed = |id: fn(&PublishedValue) -> &str| values.iter().map(id).collect_vec();
    let sides = [
        ("row", rows, &spec.rows, printed(|value| &value.row)),
        ("column", columns, &spec.columns, printed(|value| &value.column)),
    ];
    let mut all_are_there = true;
    for (noun, named, axes, printed) in &sides {
        for id in *named {
            let of_table = id.split(' ').all(|word| axes.iter().any(|axis| has(spec, axis, word)));
            if of_table && printed.contains(&id.as_str()) {
                continue;
            }
            all_are_there = false;
            let (message, label) = if of_table {
                let table = &spec.id;
                let message = format!("the paper prints nothing in {noun} `{id}` of `{table}`");
                (message, "no published value")
            } else {
                (format!("`{}` has no {noun} `{id}`", spec.id), "unknown")
            };
            scope.fault(&id.span, message, label).maybe_help(suggestion(id, printed));
        }
    }
    if !all_are_there {
        return;
    }
    for row in rows {
        for column in columns {
            if !values.iter().any(|value| value.row == **row && value.column == **column) {
                let message = format!(
                    "the paper prints nothing at row `{row}`, column `{column}` of `{}`",
                    spec.id
                );
                scope.fault(&column.span, message, "no published value").help(
                    "write another `[[difference]]` for this row; equal causes are printed once",
                );
            }
        }
    }
}

/// The published values of the table's metrics.
fn published(spec: &TableSpec, published: &[PublishedFile]) -> Vec<PublishedValue> {
    let file = published.iter().find(|file| Some(&file.path) == spec.published.as_ref());
    let shown = |value: &&PublishedValue| spec.metrics().contains(&value.metric);
    file.map_or_else(Vec::new, |file| file.values.iter().filter(shown).cloned().collect())
}

/// Whether a word of a row's or column's id belongs to this axis of the table.
fn has(spec: &TableSpec, axis: &AxisRef, word: &str) -> bool {
    match axis {
        AxisRef::Dataset => spec.datasets.iter().any(|id| *id == word),
        AxisRef::Method => spec.methods.iter().any(|id| *id == word),
        AxisRef::Part => spec.parts.iter().any(|id| *id == word),
        AxisRef::Metric => spec.metrics().iter().any(|metric| metric.name == word),
        AxisRef::Sweep(name) | AxisRef::Grid(name) => {
            word.split_once('=').is_some_and(|(parameter, _)| parameter == name)
        }
    }
}

/// No cell is explained twice.
pub(crate) fn once(differences: &[Difference], scope: &mut Named<'_>) {
    for (at, difference) in differences.iter().enumerate() {
        let table = &difference.table;
        for (row, column) in difference.cells() {
            if differences[..at].iter().any(|other| other.names(table, row, column)) {
                let message =
                    format!("row `{row}`, column `{column}` of `{table}` is explained twice");
                scope
                    .fault(&row.span, message, "named before")
                    .help("write one `[[difference]]` for a cell");
            }
        }
    }
}
