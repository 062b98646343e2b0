//! The verdicts of a leak check.

use maud::{Markup, html};
use report::Findings;
use report::leak::{Leaks, Verdict};

/// The verdicts, and what training examples give away of test examples; nothing of another experiment.
pub fn leaks(findings: &Findings<'_>) -> Markup {
    html! { @if let Some(leaks) = &findings.leaks {
        section id="leaks" {
            h2 { "Verdicts" }
            p { (leaks.how()) ": " strong { (leaks.counts()) } "." }
            (table("Verdicts", Leaks::VERDICTS, &leaks.lines(), |row, cell| badge(&leaks.checked[row].verdict, cell)))
            @for reason in leaks.reasons() { p class="note" { (reason) "." } }
            h3 { "What training examples give away of test examples" }
            (table("Divisions", Leaks::DATA, &leaks.data_lines(), |_, cell| html! { (cell) }))
        }
    } }
}

/// Numbers between a first column of names and a last one that is shown otherwise.
fn table<const N: usize>(
    name: &str,
    header: [&str; N],
    rows: &[[String; N]],
    last: impl Fn(usize, &str) -> Markup,
) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(name) { table class="plain" {
            thead { tr { @for title in header { th scope="col" { (title) } } } }
            tbody { @for (at, row) in rows.iter().enumerate() {
                tr { @for (column, cell) in row.iter().enumerate() {
                    @if column + 1 == N { td { (last(at, cell)) } } @else { td { (cell) } }
                } }
            } }
        } }
    }
}

/// A verdict, by word and by shape.
fn badge(verdict: &Verdict, text: &str) -> Markup {
    let (class, mark) = match verdict {
        Verdict::Clean => ("badge good", "✓"),
        Verdict::Leaks(_) => ("badge bad", "✗"),
        Verdict::NotChecked(_) => ("badge open", "?"),
    };
    html! { span class=(class) { span aria-hidden="true" { (mark) " " } (text) } }
}
