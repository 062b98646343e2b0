//! The sealed figures, as they are.

use maud::{Markup, PreEscaped, html};
use report::{Findings, sheets};

use super::sheet::sheet;

/// Every figure with its title. A figure is drawn on white; where the page is dark, the style turns it over.
pub fn figures(findings: &Findings<'_>) -> Markup {
    html! {
        @for figure in &findings.figures {
            (drawn(&figure.spec.id, &figure.spec.title, figure.svg.as_ref(), &html! {
                figcaption {
                    (figure.spec.title)
                    @if let Some(y) = figure.spec.y {
                        " · " (y.label) @if !y.unit.is_empty() { " in " (y.unit) }
                    }
                    " · " code { "figures/" (figure.spec.id) ".svg" }
                }
                @if !figure.numbers.is_empty() {
                    details {
                        summary { "In numbers" }
                        @for numbers in figure.numbers.iter().map(sheets::numbers) { h3 { (numbers.title) } (sheet(&numbers)) }
                    }
                }
            }))
        }
    }
}

/// A figure whose title is read aloud, or why it can't be drawn, and what stands under it.
pub fn drawn(
    id: &str,
    title: &str,
    svg: Result<&String, impl std::fmt::Display>,
    under: &Markup,
) -> Markup {
    let named = html! { title { (title) } }.into_string();
    html! {
        figure id=(format!("figure-{id}")) {
            @match svg.as_ref().map(|svg| svg.split_once('>').unwrap_or_default()) {
                Ok((head, rest)) => (PreEscaped(format!("{head} role=\"img\">{named}{rest}"))),
                Err(why) => p { "Not drawn: " (why) "." },
            }
            (under)
        }
    }
}
