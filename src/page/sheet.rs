//! A sheet as a table of HTML.

use maud::{Markup, html};
use report::sheet::{Cell, Number, Sheet, Tone};
use spec::Finding;

use super::shell::bar;

/// The table in a region that scrolls, and what stands under it. The first cell of a row may be its name.
pub fn sheet(sheet: &Sheet) -> Markup {
    let seen = sheet.seen(true);
    let named = sheet.named;
    let number = |at: usize| sheet.columns[at].number.then_some("n");
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(sheet.title) {
            table class=(if named { "results" } else { "plain" }) {
                thead { tr { @for (place, at) in seen.iter().enumerate() {
                    @let class = if named && place == 0 { Some("corner") } else { number(*at) };
                    th scope="col" class=[class] { (sheet.columns[*at].label()) }
                } } }
                tbody { @for row in &sheet.rows { tr { @for (place, at) in seen.iter().enumerate() {
                    @if named && place == 0 { th scope="row" { (cell(&row[*at])) } }
                    @else { td class=[number(*at)] { (cell(&row[*at])) } }
                } } } }
            }
        }
        (under(sheet))
    }
}

/// What stands under a sheet.
pub fn under(sheet: &Sheet) -> Markup {
    html! {
        @if let Some((more, file)) = sheet.more {
            p class="note" { "And " (more) " more" @if let Some(file) = file { " in " code { (file) } } "." }
        }
        @for note in sheet.paragraphs("bold") { p class="note" { (note) "." } }
        @for (mark, meaning) in &sheet.marks { p class="note" { sup { (mark) } " " (meaning) "." } }
    }
}

/// What stands in a cell.
pub fn cell(cell: &Cell) -> Markup {
    html! { @match cell {
        Cell::Code(text) => code { (text) },
        Cell::Number(number) => (self::number(number)),
        Cell::Absent(word) => em { (word) },
        Cell::Mark(tone, text) => (badge(*tone, text)),
        Cell::Finding(finding) => { (badge(finding.verdict, &finding.verdict.text())) " " (evidence(finding)) },
        Cell::Shares(shares) => { (bar(shares)) (cell.plain()) },
        Cell::Link { to, text, note } => { a href=(to) { (text) } br; span class="note" { (note) } },
        other => (other.plain()),
    } }
}

fn number(Number { text, sd, bold, of, worse, cause, .. }: &Number) -> Markup {
    html! {
        @if *bold { b { (text) } } @else { (text) }
        @if let Some(sd) = sd { span class="sd" { " ± " (sd) } }
        @if *worse { "†" }
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
