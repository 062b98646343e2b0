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
            (table("Verdicts", Leaks::VERDICTS, &leaks.lines(), &Leaks::VERDICT_NUMBERS, |row, cell| badge(&leaks.checked[row].verdict, cell)))
            @for reason in leaks.reasons() { p class="note" { (reason) "." } }
            h3 { "What training examples give away of test examples" }
            (table("Divisions", Leaks::DATA, &leaks.data_lines(), &Leaks::DATA_NUMBERS, |_, cell| html! { (cell) }))
        }
    } }
}

/// A table with numbers in some columns, whose last one is shown in its own way.
fn table<const N: usize>(
    name: &str,
    header: [&str; N],
    rows: &[[String; N]],
    numbers: &[usize],
    last: impl Fn(usize, &str) -> Markup,
) -> Markup {
    let class = |column| numbers.contains(&column).then_some("n");
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(name) { table class="plain" {
            thead { tr { @for (column, title) in header.iter().enumerate() {
                th scope="col" class=[class(column)] { (title) }
            } } }
            tbody { @for (at, row) in rows.iter().enumerate() {
                tr { @for (column, cell) in row.iter().enumerate() {
                    td class=[class(column)] { @if column + 1 == N { (last(at, cell)) } @else { (cell) } }
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
