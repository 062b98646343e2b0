//! The verdicts of a leak check.

use maud::{Markup, html};
use report::Findings;

use super::sheet::sheet;

/// The verdicts, and what training examples give away of test examples; nothing of another experiment.
pub fn leaks(findings: &Findings<'_>) -> Markup {
    html! { @if let Some(leaks) = &findings.leaks {
        @let divisions = leaks.divisions();
        p { (leaks.how()) ": " strong { (leaks.counts()) } "." }
        (sheet(&leaks.verdicts()))
        h3 { (divisions.title) }
        (sheet(&divisions))
    } }
}
