//! A sheet as a table of HTML.

use maud::{Markup, html};
use report::sheet::{Cell, Number, SIGNS, Sheet, Tone};
use spec::Finding;

use super::shell::bar;

/// The table in a region that scrolls, and what stands under it.
pub fn sheet(sheet: &Sheet) -> Markup {
    let td = |row: usize, group: &[usize]| {
        let shown = &sheet.rows[row][group[0]];
        let class = match shown {
            Cell::Prose(_) => Some("prose"),
            _ => sheet.columns[group[0]].number.then_some("n"),
        };
        html! { td class=[class] { (cell(shown)) } }
    };
    html! { @if !sheet.columns.is_empty() { (table(sheet, td)) } (under(sheet)) }
}

/// The table in a region that scrolls. The first cell of a row may be its name; the others are made of its number and of
/// the columns that stand in one: where a sheet has the values of two sides, those of both.
pub fn table(sheet: &Sheet, td: impl Fn(usize, &[usize]) -> Markup) -> Markup {
    let (columns, seen) = (&sheet.columns, sheet.seen(true));
    let one =
        |a: &usize, b: &usize| columns[*a].side.is_some() && columns[*a].group == columns[*b].group;
    let groups: Vec<&[usize]> = seen.chunk_by(one).collect();
    let named = |place: usize| sheet.named && place == 0;
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(sheet.title) {
            table class=(if sheet.named { "results" } else { "plain" }) {
                thead { tr { @for (place, group) in groups.iter().enumerate() {
                    @let column = &columns[group[0]];
                    @let class = if named(place) { Some("corner") } else { column.number.then_some("n") };
                    th scope="col" class=[class] { (column.label()) }
                } } }
                tbody { @for (row, cells) in sheet.rows.iter().enumerate() { tr {
                    @for (place, group) in groups.iter().enumerate() {
                        @if named(place) { th scope="row" { (cell(&cells[group[0]])) } }
                        @else { (td(row, group)) }
                    }
                } } }
            }
        }
    }
}

/// So many marks are read without opening them.
const OPEN: usize = 3;

/// What stands under a sheet.
pub fn under(sheet: &Sheet) -> Markup {
    let marks = html! {
        @for (mark, meaning) in &sheet.marks { p class="note" { sup { (mark) } " " (meaning) "." } }
    };
    html! {
        @if let Some((more, file)) = sheet.more {
            p class="note" { "And " (more) " more" @if let Some(file) = file { " in " code { (file) } } "." }
        }
        @for note in sheet.paragraphs("bold") { p class="note" { (note) "." } }
        @if sheet.marks.len() > OPEN {
            details { summary { "Why cells differ: " (sheet.marks.len()) " notes" } (marks) }
        } @else { (marks) }
    }
}

/// What stands in a cell.
pub fn cell(cell: &Cell) -> Markup {
    html! { @match cell {
        Cell::Code(text) => code { (text) },
        Cell::Prose(text) => (prose(text)),
        Cell::Number(number) => (self::number(number)),
        Cell::Absent(word) => em { (word) },
        Cell::Mark(tone, text) => (badge(*tone, text)),
        Cell::Finding(finding) => { (badge(finding.verdict, &finding.verdict.text())) " " (evidence(finding)) },
        Cell::Shares(shares) => { (bar(shares)) (cell.plain()) },
        Cell::Link { to, text, note } => { a href=(to) { (text) } br; span class="note" { (note) } },
        other => (other.plain()),
    } }
}

/// Sentences; what stands in backticks is code.
fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (text) } @else {
            @for (at, part) in parts.iter().enumerate() {
                @if at % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }
}

fn number(number: &Number) -> Markup {
    let Number { text, sd, bold, of, cause, .. } = number;
    html! {
        @if *bold { b { (text) } } @else { (text) }
        @if let Some(sd) = sd { span class="sd" { " ± " (sd) } }
        (number.signs(SIGNS))
        @if let Some(cause) = cause { sup { (cause) } }
        @if let Some(of) = of { " (" (of) ")" }
    }
}

/// A verdict, by word and by shape.
pub fn badge(tone: impl Into<Tone>, text: &str) -> Markup {
    let (class, mark) = match tone.into() {
        Tone::Good => ("badge good", "✓"),
        Tone::Bad => ("badge bad", "✗"),
        Tone::Open => ("badge open", "?"),
    };
    html! { span class=(class) { span aria-hidden="true" { (mark) " " } (text) } }
}

/// The answer, and behind it what it rests on.
pub fn evidence(finding: &Finding) -> Markup {
    html! {
        @if let Some((answer, rest)) = finding.evidence.split_first() {
            strong { (answer) }
            @if !rest.is_empty() { ul { @for phrase in rest { li { (phrase) } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{Basis, Phrase, Verdict};

    #[test]
    fn code_in_prose_is_code() {
        let shown = |text: &str| cell(&Cell::Prose(text.to_owned())).into_string();
        assert_eq!(
            shown("column `a<b`: name the `group`"),
            "column <code>a&lt;b</code>: name the <code>group</code>"
        );
        assert_eq!(shown("a ` alone"), "a ` alone");
    }

    #[test]
    fn a_reason_with_a_semicolon_is_one_phrase() {
        let why = "no value; its trials ran out of memory".to_owned();
        let unknown = Phrase::Unknown(vec![("nltcs".to_owned(), why)]);
        let none = Finding::of(Verdict::NoEvidence, Basis::Values, "");
        let finding = Finding { evidence: vec!["0 of 1".into(), unknown], ..none };
        assert_eq!(
            evidence(&finding).into_string(),
            "<strong>0 of 1</strong><ul><li>unknown nltcs (no value; its trials ran out of memory)</li></ul>"
        );
    }
}
