//! The tables, as in the paper: in each cell ours, the published value and the difference, of which the script shows
//! what is asked for.

use base::words::Worded as _;
use maud::{Markup, html};
use report::Findings;
use report::sheet::{Cell, Sheet, Side};
use report::table::{Agreement, Table, sheet};
use spec::number::fixed;

use super::sheet::{cell as text, table as laid_out, under};

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
    let timing = table.is_timing(&findings.experiment.tests);
    html! {
        article class="table" id=(format!("table-{}", spec.id)) data-table=(spec.id) data-place=(place)
            data-view=(if compared { "both" } else { "ours" }) data-compared[compared] {
            h3 { (spec.title) " · " code { (spec.id) } }
            @if timing { p class="note" { "Measured on one machine at one time; another run gives other numbers." } }
            (laid_out(&sheet, |row, group| cell(table, &sheet, row, group)))
            (legend(&sheet, compared))
        }
    }
}

/// A cell of the columns of a group.
fn cell(table: &Table<'_>, sheet: &Sheet, row: usize, group: &[usize]) -> Markup {
    let place = sheet.columns[group[0]].group;
    let Some(cell) = table.cells[row].get(place) else { return html! { td {} } };
    let of = |side| {
        let at = group.iter().find(|at| sheet.columns[**at].side == Some(side))?;
        Some(&sheet.rows[row][*at]).filter(|cell| **cell != Cell::Empty)
    };
    let digits = table.rounding(cell.metric).digits;
    let word = cell.agreement.map(|agreement| Agreement::WORDS.word(agreement));
    let raw = |value: Option<f64>| value.map(base::text::real);
    html! {
        td class=(format!("n {}", word.unwrap_or_default())) title=[&cell.lacks] data-cell=(format!("{row},{place}"))
            data-o=[raw(cell.ours.value)] data-p=[raw(cell.published.map(|(value, _)| value))]
            data-d=[raw(cell.difference())] {
            @if let Some(ours) = of(Side::Ours) { span class="o" { (text(ours)) } }
            @if let Some(paper) = of(Side::Paper) {
                span class="p" { span class="hidden" { " paper " } (text(paper)) }
            }
            @if let Some(difference) = cell.difference() {
                span class="d" { span class="hidden" { " difference " } (signed(difference, digits)) }
            }
            @if let Some(agreement) = cell.agreement { span class="hidden" { " " (agreement.text()) } }
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
                    span class="keyed" { span class=(format!("mark {word}")) {} (agreement.text()) } " "
                }
            }
        }
        (under(sheet))
    }
}
