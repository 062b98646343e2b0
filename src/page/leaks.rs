//! The verdicts of a leak check.

use maud::{Markup, html};
use report::Findings;

use super::sheet::sheet;

/// The verdicts, and what training examples give away of test examples; nothing of another experiment.
pub fn leaks(findings: &Findings<'_>) -> Markup {
    html! { @if let Some(leaks) = &findings.leaks {
        @let verdicts = sheet(&leaks.verdicts());
        p { (leaks.how()) ": " strong { (leaks.counts()) } "." }
        (verdicts)
        @for shown in leaks.further() {
            h3 { (shown.title) }
            (sheet(&shown))
        }
    } }
}
