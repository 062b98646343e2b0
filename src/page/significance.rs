//! Every significance test, and of tests of all pairs the matrix.

use contract::MethodId;
use itertools::Itertools as _;
use maud::{Markup, html};
use report::Findings;
use report::sheet::{Cell, Number, Sheet};
use report::tested::{READ, Tests, number, tests as grouped};
use spec::Comparison;

use super::sheet::sheet;

/// At most so many methods stand in a matrix.
const LARGEST: usize = 16;
/// Adjusted p-values below this are bold.
const BELOW: f64 = 0.05;

/// The tests, one table for comparisons of one kind.
pub fn tests(findings: &Findings<'_>) -> Markup {
    let groups: Vec<Tests<'_>> = [false, true]
        .into_iter()
        .flat_map(|timing| grouped(&findings.comparisons, timing))
        .collect();
    html! {
        @for group in &groups {
            h3 { (group.sheet.title) }
            @let sentences = html! { @for sentence in group.sentences() { p { (sentence) } } };
            @let few = group.rows.len() <= READ;
            @if few { (sentences) }
            @if let Some(methods) = all_pairs(&group.rows) { (sheet(&matrix(&methods, &group.rows))) }
            @if few { (sheet(&group.sheet)) } @else {
                details { summary { (group.rows.len()) " comparisons" } (sentences) (sheet(&group.sheet)) }
            }
        }
    }
}

/// The methods, if each is compared once with each.
fn all_pairs<'a>(rows: &[&'a Comparison]) -> Option<Vec<&'a MethodId>> {
    let methods = rows.iter().flat_map(|row| [&row.left, &row.right]).unique().collect_vec();
    let whole = rows.iter().all(|row| row.dataset.is_empty() && !row.left.is_empty());
    let pairs = methods.len() * methods.len().saturating_sub(1) / 2;
    (whole && (3..=LARGEST).contains(&methods.len()) && rows.len() == pairs).then_some(methods)
}

/// Adjusted p-values of all pairs.
fn matrix<'a>(methods: &[&MethodId], rows: &[&'a Comparison]) -> Sheet {
    let p = |one: &MethodId, other: &MethodId| {
        let same = |row: &&&Comparison| {
            (&row.left, &row.right) == (one, other) || (&row.left, &row.right) == (other, one)
        };
        rows.iter().find(same)?.found.as_ref().ok()?.p_adjusted
    };
    let cell = |one: &MethodId, other: &MethodId| match p(one, other) {
        _ if one == other => "·".into(),
        None => Cell::Empty,
        Some(value) => {
            let (text, bold) = (number(value, 2), value < BELOW);
            Cell::Number(Number { value, text, bold, ..Number::default() })
        }
    };
    let label = |one: &MethodId| {
        let own = |row: &&&'a Comparison| [&row.left, &row.right].contains(&one);
        let row = rows.iter().find(own);
        row.map_or("", |row| &*row.labels[usize::from(row.left != *one)])
    };
    let mut sheet = Sheet::of("Adjusted p of all pairs", methods.iter().copied())
        .shown("Adjusted p", |one: &MethodId| label(one));
    for other in methods {
        sheet = sheet.number("", label(other), |one| cell(one, other));
    }
    let bold = Some(format!("below {BELOW}"));
    Sheet { bold, ..sheet.named().sheet() }
}
