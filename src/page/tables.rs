//! The tables, as in the paper: in each cell ours, the published value and the difference, of which the script shows
//! what is asked for.

use base::words::Worded as _;
use maud::{Markup, html};
use report::Findings;
use report::table::{Agreement, Shown, Side, Table, TableCell, Text, shown};
use spec::number::fixed;

/// Every table.
pub fn tables(findings: &Findings<'_>) -> Markup {
    html! {
        @if !findings.tables.is_empty() {
            section id="tables" {
                h2 { "Tables" }
                @for (place, table) in findings.tables.iter().enumerate() {
                    (one(findings, place, table))
                }
            }
        }
    }
}

fn one(findings: &Findings<'_>, place: usize, table: &Table<'_>) -> Markup {
    let shown = shown(table);
    let spec = table.spec;
    let compared = table.cells.iter().flatten().any(|cell| cell.published.is_some());
    // As `shown` has them: a column without ours or the paper's values is not there.
    let mut groups: Vec<usize> = shown.columns.iter().map(|column| column.group).collect();
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
                        th scope="col" class="corner" { (shown.corner) }
                        @for group in &groups { th scope="col" class="n" { (table.columns[*group].label) } }
                    } }
                    tbody {
                        @for (row, (label, texts)) in shown.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (label) }
                                @for group in &groups {
                                    (cell(table, (row, *group), texts, &shown))
                                }
                            }
                        }
                    }
                }
            }
            (notes(&shown, compared))
        }
    }
}

fn cell(table: &Table<'_>, (row, group): (usize, usize), texts: &[Text], shown: &Shown) -> Markup {
    let Some(cell) = table.cells[row].get(group) else { return html! { td {} } };
    let of = |side| {
        let at =
            shown.columns.iter().position(|column| column.group == group && column.side == side);
        at.and_then(|at| texts.get(at))
    };
    let digits = table.rounding(cell.metric).digits;
    let word = cell.agreement.map(|agreement| Agreement::WORDS.word(agreement));
    let raw = |value: Option<f64>| value.map(base::text::real);
    html! {
        td class=(format!("n {}", word.unwrap_or_default())) data-cell=(format!("{row},{group}"))
            data-o=[raw(competing(cell))] data-p=[raw(cell.published.map(|(value, _)| value))]
            data-d=[raw(cell.difference())] {
            @if let Some(text) = of(Side::Ours) { span class="o" { (number(text)) } }
            @if let Some(text) = of(Side::Paper).filter(|text| **text != Text::Empty) {
                span class="p" { span class="hidden" { " paper " } (number(text)) }
            }
            @if let Some(difference) = cell.difference() {
                span class="d" { span class="hidden" { " difference " } (signed(difference, digits)) }
            }
        }
    }
}

/// What a column of ours is sorted by.
fn competing(cell: &TableCell) -> Option<f64> {
    cell.ours.value
}

/// A difference with its sign.
fn signed(value: f64, digits: usize) -> String {
    let text = fixed(value, digits);
    if value > 0.0 { format!("+{text}") } else { text }
}

fn number(text: &Text) -> Markup {
    html! {
        @match text {
            Text::Empty => {},
            Text::Word(word) => em { (word) },
            Text::Number { value, sd, bold, of, worse, cause } => {
                @if *bold { b { (value) } } @else { (value) }
                @if let Some(sd) = sd { span class="sd" { " ± " (sd) } }
                @if *worse { "†" }
                @if let Some(cause) = cause { sup { (cause) } }
                @if let Some(of) = of { " (" (of) ")" }
            }
        }
    }
}

fn notes(shown: &Shown, compared: bool) -> Markup {
    let bold = shown.bold.as_ref().map(|meaning| format!("bold: {meaning}"));
    let mut notes: Vec<String> = shown.notes.clone();
    notes.extend(bold);
    html! {
        @if compared {
            p class="legend" {
                @for (word, _) in Agreement::WORDS.iter() {
                    span class="keyed" { span class=(format!("key {word}")) {} (word.replace('-', " ")) } " "
                }
            }
        }
        @if !notes.is_empty() { p class="note" { (notes.join("; ")) "." } }
        @for (mark, cause) in &shown.causes { p class="note" { sup { (mark) } " " (cause) "." } }
    }
}
