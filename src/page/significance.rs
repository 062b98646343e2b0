//! Every significance test, and of tests of all pairs the matrix.

use maud::{Markup, html};
use report::Findings;
use report::tested::{Tests, line, number, tests as grouped};
use spec::Comparison;

/// At most so many methods stand in a matrix.
const LARGEST: usize = 16;
/// A list that is longer is folded.
const FOLDED: usize = 12;

/// The tests, one table for comparisons of one kind.
pub fn tests(findings: &Findings<'_>) -> Markup {
    let groups: Vec<Tests<'_>> = [false, true]
        .into_iter()
        .flat_map(|timing| grouped(&findings.comparisons, timing))
        .collect();
    html! {
        @if !groups.is_empty() {
            section id="tests" {
                h2 { "Significance tests" }
                @for group in &groups {
                    h3 { (group.heading) }
                    @if let Some(methods) = all_pairs(&group.rows) { (matrix(&group.heading, &methods, &group.rows)) }
                    @if group.rows.len() > FOLDED {
                        details { summary { (group.rows.len()) " comparisons" } (list(group)) }
                    } @else { (list(group)) }
                    @for note in &group.notes { p class="note" { (note) "." } }
                }
            }
        }
    }
}

fn list(group: &Tests<'_>) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(group.heading) { table class="plain" {
            thead { tr {
                th scope="col" { "Data set" } th scope="col" { "Pair" } th scope="col" class="n" { "n" }
                th scope="col" class="n" { "Statistic" } th scope="col" class="n" { "p" }
                th scope="col" class="n" { "Adjusted p" } th scope="col" class="n" { "Effect" }
            } }
            tbody { @for row in &group.rows {
                @let [dataset, pair, n, effect, p, adjusted] = line(row);
                @let statistic = row.found.as_ref().map_or_else(|_| String::new(), |found| number(found.statistic, 4));
                tr {
                    td { (dataset) } td { (pair) } td class="n" { (n) } td class="n" { (statistic) }
                    td class="n" { (p) } td class="n" { (adjusted) } td class="n" { (effect) }
                }
            } }
        } }
    }
}

/// The methods, if each is compared once with each.
fn all_pairs<'a>(rows: &[&'a Comparison]) -> Option<Vec<&'a str>> {
    let mut methods: Vec<&str> = Vec::new();
    for id in rows.iter().flat_map(|row| [row.left.as_str(), row.right.as_str()]) {
        if !methods.contains(&id) {
            methods.push(id);
        }
    }
    let whole = rows.iter().all(|row| row.dataset.is_empty() && !row.left.is_empty());
    let pairs = methods.len() * methods.len().saturating_sub(1) / 2;
    (whole && (3..=LARGEST).contains(&methods.len()) && rows.len() == pairs).then_some(methods)
}

/// Adjusted p-values of all pairs; bold below 0.05.
fn matrix(heading: &str, methods: &[&str], rows: &[&Comparison]) -> Markup {
    let p = |one: &str, other: &str| {
        let same = |row: &&&Comparison| {
            (row.left == one && row.right == other) || (row.left == other && row.right == one)
        };
        rows.iter().find(same)?.found.as_ref().ok()?.p_adjusted
    };
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(format!("Adjusted p of all pairs: {heading}")) { table class="matrix" {
            caption { "Adjusted p of all pairs; bold below 0.05" }
            thead { tr { td {} @for method in methods { th scope="col" { (method) } } } }
            tbody { @for one in methods {
                tr { th scope="row" { (one) } @for other in methods {
                    td class="n" {
                        @if one == other { "·" } @else if let Some(p) = p(one, other) {
                            @if p < 0.05 { b { (number(p, 2)) } } @else { (number(p, 2)) }
                        }
                    }
                } }
            } }
        } }
    }
}
