//! Which method is first in a table, and whether a test shows it: what a reader asks before all else.

use std::collections::BTreeSet;

use base::text::real;
use contract::{DatasetId, MethodId, Metric};
use math::decimal::difference;
use spec::{Best, Comparison, Says, Whose};

use super::Findings;
use super::axis::method_label;
use super::table::Table;
use super::tested::shown_by;

impl<'a> Findings<'a> {
    /// Of each table, by its first metric of which it marks the best: which method is that most often, and what a test finds
    /// between it and the others. Nothing of what reads a clock, and nothing where no method is behind another: then what the
    /// first test shows, else the first claim.
    pub fn answers(&self) -> Vec<String> {
        let tables = self.tables.iter().filter(|table| !table.is_timing(&self.experiment.tests));
        let of_table = |table: &Table<'a>| {
            table.spec.metrics().iter().find_map(|metric| self.answer(table, metric))
        };
        let answers: Vec<String> = tables.filter_map(of_table).collect();
        if !answers.is_empty() {
            return answers;
        }
        let shown = shown_by(&self.comparisons.rows.iter().collect::<Vec<_>>());
        let claims = self.claims.iter().filter(|claim| !claim.timing);
        shown.into_iter().chain(claims.map(|claim| claim.ours.sentence.clone())).take(1).collect()
    }

    fn answer(&self, table: &Table<'a>, metric: &Metric) -> Option<String> {
        let lines = table.lines();
        let firsts: Vec<Vec<&MethodId>> =
            lines.iter().filter_map(|line| firsts(table, line, metric)).collect();
        let often = |id: &MethodId| firsts.iter().filter(|first| first.contains(&id)).count();
        let most = table.spec.methods.iter().map(often).max().filter(|most| *most > 0)?;
        let first: Vec<&MethodId> =
            table.spec.methods.iter().filter(|id| often(id) == most).collect();
        if most == firsts.len() && first.len() == table.spec.methods.len() {
            return None;
        }
        let good = if table.spec.best == Best::Min { "lowest" } else { "highest" };
        let mut datasets: BTreeSet<&DatasetId> =
            lines.iter().filter_map(|line| table.dataset(*line.first()?)).collect();
        if datasets.is_empty() {
            datasets.extend(&table.spec.datasets);
        }
        let of = match datasets.len() == lines.len() {
            true => "data sets".to_owned(),
            false => format!("{}s", table.spec.best_along.word()),
        };
        let often = match firsts.len() {
            1 => String::new(),
            2 if most == 2 => format!(" on both {of}"),
            all if all == most => format!(" on all {all} {of}"),
            all => format!(" on {most} of {all} {of}"),
        };
        let names: Vec<&str> = first.iter().map(|id| method_label(self.experiment, id)).collect();
        let noun = metric.noun();
        let tied = match names.len() {
            1 => {
                let tested = self.tested(table, &datasets, first[0], metric);
                return Some(format!("{} has the {good} {noun}{often}. {tested}", names[0]));
            }
            2 | 3 => listed(&names),
            several => format!("{several} methods"),
        };
        Some(format!("{tied} have the {good} {noun}{often} each."))
    }

    /// What a test that compares a method with others finds of it on the datasets of a table: that of its bold, else the first.
    fn tested(
        &self,
        table: &Table<'a>,
        datasets: &BTreeSet<&DatasetId>,
        first: &MethodId,
        metric: &Metric,
    ) -> String {
        let differs = |row: &&Comparison| {
            let test = self.experiment.test(&row.test);
            row.found.is_ok()
                && row.whose == Whose::Ours
                && row.metric.name == metric.name
                && [&row.left, &row.right].contains(&first)
                && (row.dataset.is_empty() || datasets.contains(&row.dataset))
                && test.is_some_and(|test| test.kind.asks().says == Says::Difference)
        };
        let mut rows: Vec<&Comparison> = self.comparisons.rows.iter().filter(differs).collect();
        let of_bold = |row: &&Comparison| {
            table.spec.bold.as_ref().is_some_and(|bold| row.test == **bold.test)
        };
        let Some(one) = rows.iter().copied().find(of_bold).or(rows.first().copied()) else {
            return "No test says whether that is more than chance.".to_owned();
        };
        rows.retain(|row| row.test == one.test);
        let alpha = difference(1.0, one.level);
        let other = |row: &&Comparison| row.labels[usize::from(row.left == *first)].clone();
        rows.sort_by_key(other);
        let mut found: [Vec<String>; 3] = Default::default();
        for group in rows.chunk_by(|a, b| other(a) == other(b)) {
            let p = |row: &&&Comparison| row.found.as_ref().ok()?.p_adjusted;
            let shown = || group.iter().filter(|row| p(row).is_some_and(|p| p < alpha));
            let better = shown().filter(|row| row.favours(first)).count();
            let worse = shown().count() - better;
            let open = if better + worse == 0 { group.len() } else { 0 };
            let counts = [better, worse, open].into_iter();
            for (found, count) in found.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                let all = group.len();
                let on = if count == all { String::new() } else { format!(" on {count} of {all}") };
                found.push(other(&group[0]) + &on);
            }
        }
        let said = ["better than ", "worse than ", "not told apart from "].iter().zip(&found);
        let said = said.filter(|(_, names)| !names.is_empty());
        let said: Vec<String> =
            said.map(|(what, names)| format!("{what}{}", listed(names))).collect();
        format!("{} at {}: {}.", one.called, real(alpha), said.join("; "))
    }
}

/// The methods that are best in a line, with their ties; none of a line without two methods.
fn firsts<'t>(
    table: &'t Table<'_>,
    line: &[(usize, usize)],
    metric: &Metric,
) -> Option<Vec<&'t MethodId>> {
    let competes = |&(row, column): &(usize, usize)| {
        let cell = table.cells[row].get(column).filter(|cell| cell.metric.name == metric.name)?;
        Some((table.method((row, column))?, cell.competing().map(|_| cell.best)?))
    };
    let all: Vec<(&MethodId, bool)> = line.iter().filter_map(competes).collect();
    let several = all.iter().any(|(id, _)| *id != all[0].0);
    several.then(|| all.iter().filter(|(_, best)| *best).map(|(id, _)| *id).collect())
}

/// Such as `A, B and C`.
fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
