//! Friedman's test over all methods of a `[[test]]`, with its comparisons.

use run::Status;
use spec::{PairBy, TestSpec};
use stats::{self, Friedman};

use super::cells::Selection;
use super::number::fixed;
use super::pairs;
use super::significance::{Comparison, Finding, id, method_pairs, oriented};
use super::values::{Basis, Values, reason};
use math::decimal::significant;

/// Mean ranks of methods, behind a critical-difference diagram.
pub struct Ranking<'a> {
    /// Method ids.
    pub methods: Vec<&'a str>,
    /// What Friedman's test found, mean ranks in the order of the methods.
    pub friedman: Friedman,
    /// Remarks: what was left out, quoted values.
    pub note: String,
}

/// The overall test (a row without methods), then the comparisons: with Holm's correction against
/// the reference, or Nemenyi's of all pairs. One set over the datasets, or one a dataset.
pub fn comparisons(test: &TestSpec, values: Values) -> Vec<Comparison> {
    match test.pair_by {
        PairBy::Dataset => {
            let ranking = ranking(test, values);
            if values.basis == Basis::Published && ranking.is_err() {
                return Vec::new();
            }
            rows(test, values.basis, "", ranking)
        }
        _ => test
            .datasets
            .iter()
            .flat_map(|dataset| {
                rows(test, values.basis, dataset, ranking_within(test, values, dataset))
            })
            .collect(),
    }
}

/// Ranks the methods over datasets. Quoted methods without any published value are left out, and
/// so are datasets where a value cannot be (not applicable, or not published).
///
/// # Errors
/// A value that should be there is not, or there is nothing to rank.
pub fn ranking<'a>(test: &'a TestSpec, values: Values<'a>) -> Result<Ranking<'a>, String> {
    let value = |dataset: &'a str, method: &'a str| values.value(dataset, method, test.metric, &[]);
    let quotable = |method: &str| values.basis == Basis::Published || values.quoted(method);
    let (methods, mut omitted): (Vec<&str>, Vec<&str>) =
        test.methods.iter().map(String::as_str).partition(|method| {
            !quotable(method) || test.datasets.iter().any(|dataset| value(dataset, method).is_ok())
        });
    let mut blocks = Vec::new();
    for dataset in &test.datasets {
        let row: Result<Vec<f64>, (&str, Status)> = methods
            .iter()
            .map(|method| value(dataset, method).map_err(|status| (*method, status)))
            .collect();
        match row {
            Ok(row) => blocks.push(row),
            Err((_, Status::NotApplicable | Status::PublishedOnly)) => omitted.push(dataset),
            Err((method, status)) => {
                return Err(format!("{method} on {dataset}: {}", reason(status)));
            }
        }
    }
    let mut notes = Vec::new();
    if !omitted.is_empty() {
        notes.push(format!("without {}", omitted.join(", ")));
    }
    let quoted = values.quoted_among(methods.iter().copied());
    if !quoted.is_empty() {
        notes.push(format!("{} as published", quoted.join(", ")));
    }
    ranked(test, methods, blocks, notes.join("; "))
}

/// Ranks the methods over the problems, folds, repeats or examples of one dataset.
fn ranking_within<'a>(
    test: &'a TestSpec,
    values: Values<'a>,
    dataset: &'a str,
) -> Result<Ranking<'a>, String> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut units = None;
    for method in &test.methods {
        let selection = Selection::of(values.experiment, dataset, method);
        let failed = |status| format!("{method}: {}", reason(status));
        match pairs::unit(test.pair_by, values.cells, dataset) {
            Some(per) => {
                let found = values.cells.units(&selection, test.metric, per).map_err(failed)?;
                let keys: Vec<_> = found.keys().copied().collect();
                if *units.get_or_insert_with(|| keys.clone()) != keys {
                    return Err(format!("{method} was not run on the same splits as the others"));
                }
                columns.push(found.into_values().collect());
            }
            None => {
                columns.push(values.cells.examples(&selection, test.metric).map_err(failed)?.0);
            }
        }
    }
    let n = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|column| column.len() != n) {
        return Err("the methods were not tested on the same examples".to_owned());
    }
    let blocks = (0..n).map(|at| columns.iter().map(|column| column[at]).collect()).collect();
    ranked(test, test.methods.iter().map(String::as_str).collect(), blocks, String::new())
}

fn ranked<'a>(
    test: &TestSpec,
    methods: Vec<&'a str>,
    blocks: Vec<Vec<f64>>,
    note: String,
) -> Result<Ranking<'a>, String> {
    let blocks: Vec<Vec<f64>> = blocks
        .into_iter()
        .map(|block| {
            // Values are rounded to twelve digits, so that rounding errors do not part ties.
            block.into_iter().map(|value| significant(oriented(test.metric, value), 12)).collect()
        })
        .collect();
    let friedman = stats::friedman(&blocks).map_err(|error| error.to_string())?;
    Ok(Ranking { methods, friedman, note })
}

fn rows(
    test: &TestSpec,
    basis: Basis,
    dataset: &str,
    ranking: Result<Ranking, String>,
) -> Vec<Comparison> {
    let correction = if test.reference.is_some() { "holm" } else { "nemenyi" };
    let row = |left: &str, right: &str, finding, correction, note| Comparison {
        id: id(&test.id, basis),
        kind: "friedman",
        metric: test.metric,
        left: left.to_owned(),
        right: right.to_owned(),
        dataset: dataset.to_owned(),
        finding,
        correction,
        note,
    };
    let ranking = match ranking {
        Ok(ranking) => ranking,
        Err(reason) => {
            let pairs = method_pairs(test).into_iter().map(|(left, right)| {
                row(left, right, Err(reason.clone()), correction, String::new())
            });
            let all = row("", "", Err(reason.clone()), "none", String::new());
            return std::iter::once(all).chain(pairs).collect();
        }
    };
    let Ranking { methods, friedman, note } = &ranking;
    let p = significant(friedman.p, 6);
    let overall = Finding {
        n: friedman.n,
        statistic: friedman.statistic,
        p: Some(p),
        p_adjusted: Some(p),
        interval: None,
    };
    let mut rows = vec![row("", "", Ok(overall), "none", overall_note(&ranking))];
    for (left, right) in method_pairs(test) {
        let at = |method: &str| methods.iter().position(|other| *other == method);
        let finding = match (at(left), at(right)) {
            (Some(left), Some(right)) => compared(friedman, left, right, test.reference.is_some()),
            _ => Err("no published value".to_owned()),
        };
        rows.push(row(left, right, finding, correction, note.clone()));
    }
    rows
}

/// Statistic: z, or (Nemenyi) the difference of mean ranks.
fn compared(
    friedman: &Friedman,
    left: usize,
    right: usize,
    against_reference: bool,
) -> Result<Finding, String> {
    let finding = |statistic, p: f64, adjusted: f64| Finding {
        n: friedman.n,
        statistic,
        p: Some(significant(p, 6)),
        p_adjusted: Some(significant(adjusted, 6)),
        interval: None,
    };
    if against_reference {
        let comparisons =
            stats::holm_against_control(friedman, left).map_err(|error| error.to_string())?;
        return comparisons
            .iter()
            .find(|comparison| comparison.treatment == right)
            .map(|comparison| finding(comparison.z, comparison.p, comparison.p_adjusted))
            .ok_or_else(|| "no such method".to_owned());
    }
    let difference = friedman.mean_ranks[right] - friedman.mean_ranks[left];
    let p = stats::nemenyi_p(difference, friedman.mean_ranks.len(), friedman.n)
        .map_err(|error| error.to_string())?;
    Ok(finding(difference, p, p))
}

fn overall_note(ranking: &Ranking) -> String {
    let friedman = &ranking.friedman;
    let ranks: Vec<String> = ranking
        .methods
        .iter()
        .zip(&friedman.mean_ranks)
        .map(|(method, rank)| format!("{method} {}", fixed(*rank, 3)))
        .collect();
    let mut note = format!(
        "mean ranks: {}; Iman-Davenport F {}, p {}",
        ranks.join(", "),
        base::text::real(significant(friedman.iman_davenport, 6)),
        base::text::real(significant(friedman.iman_davenport_p, 6)),
    );
    if !ranking.note.is_empty() {
        note = format!("{note}; {}", ranking.note);
    }
    note
}
