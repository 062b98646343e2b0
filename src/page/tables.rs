//! The tables, as in the paper: in each cell ours, the published value and the difference, of which the script shows
//! what is asked for.

use base::words::Worded as _;
use maud::{Markup, html};
use report::Findings;
use report::sheet::{Cell, Sheet, Side};
use report::table::{Agreement, Table, sheet};
use spec::number::fixed;

use super::sheet::{cell as text, under};

/// Every table.
pub fn tables(findings: &Findings<'_>) -> Markup {
    html! {
        @for (place, table) in findings.tables.iter().enumerate() { (one(findings, place, table)) }
    }
}

fn one(findings: &Findings<'_>, place: usize, table: &Table<'_>) -> Markup {
    let sheet = sheet(table);
    let spec = table.spec;
    let compared = table.cells.iter().flatten().any(|cell| cell.published.is_some());
    // As the sheet has them: a column without ours or the paper's values is not there.
    let mut groups: Vec<usize> = sheet.columns[1..].iter().map(|column| column.group).collect();
    groups.dedup();
    let timing = table.is_timing(&findings.experiment.tests);
    html! {
        article class="table" id=(format!("table-{}", spec.id)) data-table=(spec.id) data-place=(place)
            data-view=(if compared { "both" } else { "ours" }) data-compared[compared] {
            h3 { (spec.title) }
            @if timing { p class="note" { "Measured on one machine at one time; another run gives other numbers." } }
            div class="scroll" tabindex="0" role="region" aria-label=(spec.title) {
                table class="results" {
                    thead { tr {
                        th scope="col" class="corner" { (sheet.columns[0].label()) }
                        @for group in &groups { th scope="col" class="n" { (table.columns[*group].label) } }
                    } }
                    tbody {
                        @for (row, cells) in sheet.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (text(&cells[0])) }
                                @for group in &groups {
                                    (cell(table, (row, *group), cells, &sheet))
                                }
                            }
                        }
                    }
                }
            }
            (legend(&sheet, compared))
        }
    }
}

fn cell(table: &Table<'_>, (row, group): (usize, usize), cells: &[Cell], sheet: &Sheet) -> Markup {
    let Some(cell) = table.cells[row].get(group) else { return html! { td {} } };
    let of = |side| {
        let mut columns = sheet.columns.iter();
        let at = columns.position(|column| column.group == group && column.side == Some(side));
        at.and_then(|at| cells.get(at))
    };
    let digits = table.rounding(cell.metric).digits;
    let word = cell.agreement.map(|agreement| Agreement::WORDS.word(agreement));
    let raw = |value: Option<f64>| value.map(base::text::real);
    html! {
        td class=(format!("n {}", word.unwrap_or_default())) data-cell=(format!("{row},{group}"))
            data-o=[raw(cell.ours.value)] data-p=[raw(cell.published.map(|(value, _)| value))]
            data-d=[raw(cell.difference())] {
            @if let Some(ours) = of(Side::Ours) { span class="o" { (text(ours)) } }
            @if let Some(paper) = of(Side::Paper).filter(|cell| **cell != Cell::Empty) {
                span class="p" { span class="hidden" { " paper " } (text(paper)) }
            }
            @if let Some(difference) = cell.difference() {
                span class="d" { span class="hidden" { " difference " } (signed(difference, digits)) }
            }
        }
    }
}

/// A difference with its sign.
fn signed(value: f64, digits: usize) -> String {
    let text = fixed(value, digits);
    if value > 0.0 { format!("+{text}") } else { text }
}

/// What the colours mean, and the notes.
fn legend(sheet: &Sheet, compared: bool) -> Markup {
    html! {
        @if compared {
            p class="legend" {
                @for (word, agreement) in Agreement::WORDS.iter() {
                    span class="keyed" { span class=(format!("key {word}")) {} (agreement.text()) } " "
                }
            }
        }
        (under(sheet))
    }
}
