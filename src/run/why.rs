//! Why a trial has to run: nothing like it is stored, or which part of its key changed.

use std::collections::BTreeMap;

use crate::math::digest::Digest;

use super::record::Trial;
use super::trials_csv::Row;

/// Why a stored result does not serve for a trial, given the rows of an earlier `trials.csv`.
pub fn why(trial: &Trial, rows: &BTreeMap<Digest, Row>) -> String {
    if let Some(row) = rows.get(&trial.key) {
        return match row.columns.get("status").map(String::as_str) {
            Some("timeout") => "it ran out of time".to_owned(),
            Some("missing") => "it has not run".to_owned(),
            _ => "what it stored is not enough for the present experiment file".to_owned(),
        };
    }
    let alike = rows.values().filter(|row| {
        let same = |column: &str, value: &str| row.columns.get(column).is_some_and(|c| c == value);
        same("dataset", &trial.dataset)
            && same("part", &trial.part)
            && same("problem", &trial.problem)
            && same("method", &trial.method)
            && same("repeat", &trial.repeat.to_string())
            && same("fold", &trial.fold.to_string())
            && same("choice", &trial.choice)
    });
    alike
        .map(|row| changes(trial, row))
        .min_by_key(Vec::len)
        .map_or_else(|| "new".to_owned(), |changes| changes.join("; "))
}

fn changes(trial: &Trial, row: &Row) -> Vec<String> {
    let stored = |column: &str| row.columns.get(column).map_or("", String::as_str);
    let mut changes = Vec::new();
    let mut compare = |what: &str, column: &str, now: String| {
        let before = stored(column);
        if before != now {
            changes.push(format!("{what} was {before}, is {now}"));
        }
    };
    compare("kind", "kind", trial.kind.to_owned());
    compare("revision", "revision", trial.revision.to_string());
    compare("split", "split", trial.split.clone());
    for (name, value) in trial.parameters.iter() {
        compare(name, name, value.to_string());
    }
    if stored("data") != trial.data.to_string() {
        changes.push("the dataset changed".to_owned());
    } else if stored("split") == trial.split && stored("seed") != trial.seed.to_string() {
        changes.push("the experiment's seed changed".to_owned());
    }
    if changes.is_empty() {
        changes.push("an earlier trial of its path changed".to_owned());
    }
    changes
}
