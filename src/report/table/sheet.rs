//! What people see of a table, whatever the format: each column split into our values and the
//! paper's, where it has both. A column without either (a method that is only published, but not
//! here) is not shown.

use std::collections::BTreeMap;

use crate::axis::{Header, axis_name};
use crate::sheet::{Cell, Column, Form, Number, Sheet, Side, mark};
use base::text::{first_of, real};
use contract::{Direction, Metric};
use math::decimal::difference;
use run::Status;
use spec::number::fixed;
use spec::{Best, Bold, Procedure, SdOver};

use super::{Agreement, Table, TableCell};

/// Lays out a table.
pub fn sheet(table: &Table) -> Sheet {
    let column = |at: usize| table.cells.iter().filter_map(move |cells| cells.get(at));
    let corner: Vec<String> = table.spec.rows.iter().map(|axis| axis_name(axis)).collect();
    let mut columns = vec![Column { label: Some(corner.join(", ")), ..Column::default() }];
    for (group, header) in table.columns.iter().enumerate() {
        let ours = column(group).any(|cell| cell.ours.status != Status::PublishedOnly);
        let paper = column(group).any(|cell| cell.published.is_some());
        let sides = [(Side::Ours, ours), (Side::Paper, paper)];
        for (side, _) in sides.into_iter().filter(|(_, present)| *present) {
            let (label, side) = (Some(header.label.clone()), Some(side));
            columns.push(Column { label, number: true, group, side, ..Column::default() });
        }
    }
    let row = |(row, header): (usize, &Header<'_>)| {
        let values = columns.iter().filter_map(|column| Some((column.group, column.side?)));
        let values = values.map(|(group, side)| cell(table, (row, group), side));
        std::iter::once(Cell::Text(header.label.clone())).chain(values).collect()
    };
    let notes = notes(table);
    let notes = if notes.is_empty() { Vec::new() } else { vec![notes.join("; ")] };
    let marks = table.notes.iter().enumerate();
    Sheet {
        title: table.spec.title.clone(),
        form: Form::Grid,
        named: true,
        rows: table.rows.iter().enumerate().map(row).collect(),
        columns,
        notes,
        bold: bold(table),
        marks: marks.map(|(place, note)| (mark(place), note.text())).collect(),
        ..Sheet::default()
    }
}

fn cell(table: &Table, (row, group): (usize, usize), side: Side) -> Cell {
    let Some(cell) = table.cells[row].get(group) else { return Cell::Empty };
    let digits = table.rounding(cell.metric).digits;
    let cause = match side {
        Side::Ours => cell.note.map(mark),
        Side::Paper => None,
    };
    let number = |value: f64, sd: Option<f64>, bold, [worse, flawed]: [bool; 2], of| {
        let (text, sd) = (fixed(value, digits), sd.map(|sd| fixed(sd, digits)));
        Cell::Number(Number { value, text, sd, bold, of, worse, flawed, cause })
    };
    match (side, cell.ours.value, cell.published) {
        (Side::Ours, Some(value), _) => {
            let marks = [cell.worse[0], cell.flaws.is_some()];
            number(value, cell.ours.sd, cell.bold(), marks, cell.ours.of)
        }
        (Side::Ours, None, _) if cell.ours.status == Status::PublishedOnly => Cell::Empty,
        (Side::Ours, None, _) => Cell::Absent(cell.ours.status.word()),
        (Side::Paper, _, Some((value, sd))) => {
            let bold = cell.ours.status == Status::PublishedOnly && cell.bold();
            number(value, sd, bold, [cell.worse[1], false], None)
        }
        (Side::Paper, _, None) => Cell::Empty,
    }
}

fn bold(table: &Table) -> Option<String> {
    let marked = table.cells.iter().flatten().any(|cell| cell.bold());
    let line = if table.spec.best_along == spec::Along::Column { "column" } else { "row" };
    let best = match table.spec.best {
        Best::None => return None,
        Best::Max => format!("the largest of its {line}"),
        Best::Min => format!("the smallest of its {line}"),
    };
    let Some(Bold { test, alpha, procedure }) = table.spec.bold.as_deref() else {
        return marked.then_some(best);
    };
    let rule = match procedure {
        Procedure::Ours => format!(
            "no other of its {line} is better ({test}, one-sided at {alpha} / (methods - 1)): the best is among them with a \
             probability of {}",
            real(difference(1.0, **alpha))
        ),
        Procedure::Paper => format!(
            "{best}, or not significantly different from it ({test}, alpha {alpha}, uncorrected: the paper's procedure)"
        ),
    };
    let ignored = table.ignored.map(|why| format!("; dependence ignored: {why}"));
    marked.then(|| rule + &ignored.unwrap_or_default())
}

/// The cells of which there is something to say, behind a head, by what that is.
fn said<'t>(
    table: &'t Table<'t>,
    head: &'static str,
    of: fn(&TableCell) -> &Option<String>,
) -> impl Iterator<Item = String> {
    let mut reasons: BTreeMap<&str, Vec<[&str; 2]>> = BTreeMap::new();
    for at in table.placed() {
        if let Some(why) = of(at.cell()) {
            reasons.entry(why).or_default().push(at.labels());
        }
    }
    let note = move |(why, cells): (&str, Vec<_>)| format!("{head}{}: {why}", named(&cells));
    reasons.into_iter().map(note)
}

/// How many cells a note names.
const NAMED: usize = 20;

/// Cells by their row and column labels.
fn named(cells: &[[&str; 2]]) -> String {
    first_of(cells.iter().map(|labels| labels.join(" / ")), NAMED, ", ")
}

/// What stands behind `±`.
pub fn deviation(over: SdOver) -> Option<&'static str> {
    match over {
        SdOver::None => None,
        SdOver::Repeat => Some("standard deviation over repeats"),
        SdOver::Fold => Some("standard deviation over folds"),
        SdOver::Problem => Some("standard deviation over problems"),
        SdOver::Sample => Some("standard deviation over the sample that the metric returns"),
        SdOver::StandardError => Some(
            "standard error of the mean over trials, corrected where their training sets overlap as in the corrected resampled t-test",
        ),
    }
}

/// What stands behind ±, and why some values have none.
fn deviations(table: &Table) -> Option<String> {
    let mut cells = table.cells.iter().flatten();
    let over = deviation(table.spec.sd).filter(|_| cells.any(|cell| cell.ours.sd.is_some()))?;
    let without = |cell: &TableCell| cell.ours.value.is_some() && cell.ours.sd.is_none();
    let constant = |cell: &TableCell| without(cell) && cell.ours.n > 1;
    let once = |row: &Vec<TableCell>| {
        let one = |cell: &TableCell| without(cell) && cell.ours.n == 1;
        row.iter().any(one) && row.iter().any(|cell| cell.ours.sd.is_some())
    };
    let found = [
        ("no randomness", table.cells.iter().flatten().any(constant)),
        ("one repeat", table.cells.iter().any(once)),
    ];
    let of_repeats = found.iter().filter(|(_, any)| *any && table.spec.sd == SdOver::Repeat);
    let bare = of_repeats.map(|(what, _)| *what).collect::<Vec<_>>().join(", or ");
    Some(match &*bare {
        "" => format!("±: {over}"),
        bare => format!("±: {over}; without ±: {bare}"),
    })
}

/// How the cells stand to the paper's.
fn against_the_paper(table: &Table) -> Vec<String> {
    let counts = table.counts();
    if counts.total() == 0 {
        return Vec::new();
    }
    let mut notes = vec![format!("cells against the paper: {}", counts.text(Agreement::text))];
    let cells = table.cells.iter().flatten().filter(|cell| cell.agreement.is_some());
    let predicted: Vec<bool> = cells.filter_map(TableCell::predicted).collect();
    if !predicted.is_empty() {
        let (inside, all) = (predicted.iter().filter(|inside| **inside).count(), predicted.len());
        notes.push(format!(
            "of {all} cells with noise, {inside} have the paper's value where another run by our procedure would lie (95%)"
        ));
    }
    notes.extend(table.orderings().text().map(|text| text.replacen("Of", "of", 1)));
    let silent = table.silent();
    if !silent.is_empty() {
        notes.push(format!("differ without a cause or anything tried: {}", named(&silent)));
    }
    notes
}

fn notes(table: &Table) -> Vec<String> {
    let any = |what: fn(&TableCell) -> bool| table.cells.iter().flatten().any(what);
    let mut notes = Vec::from_iter(deviations(table));
    if any(|cell| cell.published.is_some()) {
        notes.push("paper: as published".to_owned());
    }
    notes.extend(against_the_paper(table));
    if let Some(file) = table.unmatched {
        let first = &file.values[0];
        notes.push(format!(
            "no value of {} is in this table: its rows and columns have other ids than {} and {}",
            file.path, first.row, first.column
        ));
    }
    if any(|cell| cell.ours.of.is_some()) {
        notes.push("in parentheses: of so many trials, the others have no value".to_owned());
    }
    notes.extend(said(table, "no value in trials of ", |cell| &cell.lacks));
    notes.extend(said(table, "§: ", |cell| &cell.flaws));
    if let Some(method) = table.worse_than.filter(|_| any(|cell| cell.worse != [false; 2])) {
        notes.push(format!("†: worse than {method}"));
    }
    if let Some(bold) = table.spec.bold.as_ref().filter(|_| !table.untested.is_empty()) {
        notes.push(format!("not compared by {}: {}", bold.test, table.untested.join(", ")));
    }
    let good = |metric: &&&Metric| metric.direction != Direction::Neutral;
    let units = table.spec.metrics().iter().filter(good).filter(|one| !one.unit.is_empty());
    let units: Vec<String> = units.map(|one| format!("{} in {}", one.label, one.unit)).collect();
    if !units.is_empty() {
        let scale = table.spec.scale;
        let scaled = if scale == 1.0 { String::new() } else { format!(", times {scale}") };
        notes.insert(0, units.join(", ") + &scaled);
    }
    notes.extend(table.remarks.iter().cloned());
    notes
}
