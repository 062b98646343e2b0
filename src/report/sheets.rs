//! Sheets that both pages of an experiment show.

use base::layout::TRIALS;
use run::{Record, Status, record};
use spec::Numbers;

use super::Cited;
use super::sheet::{Cell, Sheet};

/// How many trials without a value are listed; the others are counted.
const LISTED: usize = 50;

/// Whom to cite for the data.
pub fn data(data: &[Cited]) -> Sheet {
    Sheet::of("Data", data)
        .shown("Data set", |cited: &Cited| &*cited.title)
        .shown("Citation", |cited| &*cited.citation)
        .shown("Licence", |cited| &*cited.licence)
        .sheet()
}

/// Every trial that ran and gave no value, with its message.
pub fn without_value(records: &[Record]) -> Sheet {
    let failed = |record: &&Record| !matches!(record.status(), Status::Ok | Status::Missing);
    let mut failed: Vec<&Record> = records.iter().filter(failed).collect();
    failed.sort_by_key(|record| record.trial.key);
    Sheet::of("Trials without a value", failed)
        .shown("Trial", |record: &Record| Cell::code(record.trial.key.short()))
        .shown("Data set", |record| &*record.trial.dataset)
        .shown("Method", |record| &*record.trial.method)
        .shown("Split", split)
        .shown("Parameters", point)
        .shown("Status", |record| record.status().word())
        .shown("Message", |record| {
            record.outcome.as_ref().map(|outcome| outcome.complaint().into_owned())
        })
        .sheet()
        .first(LISTED, Some(TRIALS))
}

fn split(record: &Record) -> String {
    let trial = &record.trial;
    let problem = Some(&trial.problem).filter(|problem| !problem.is_empty());
    let problem = problem.map_or(String::new(), |problem| format!(", {problem}"));
    format!("{}, repeat {}, fold {}{problem}", trial.split, trial.repeat, trial.fold)
}

fn point(record: &Record) -> String {
    let trial = &record.trial;
    let point = record::point(trial.sweep.iter().chain(&trial.grid));
    let mut both = vec![point, trial.choice.to_string()];
    both.retain(|text| !text.is_empty());
    both.join(" ")
}

/// What a figure shows in numbers.
pub fn numbers(numbers: &Numbers) -> Sheet {
    type Row<'n> = &'n (String, Vec<Option<f64>>);
    let sheet = Sheet::of(&numbers.title, &numbers.rows);
    let mut sheet = sheet.shown(&numbers.corner, |(name, _): Row<'_>| &**name);
    for (at, (name, digits)) in numbers.columns.iter().enumerate() {
        sheet = sheet.number("", name, |(_, values)| Cell::fixed(values[at], *digits));
    }
    sheet.named().sheet()
}
