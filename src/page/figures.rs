//! The sealed figures, as they are.

use maud::{Markup, PreEscaped, html};
use report::{Findings, sheets};

use super::sheet::sheet;

/// Every figure with its title. A figure is drawn on white; where the page is dark, the style turns it over.
pub fn figures(findings: &Findings<'_>) -> Markup {
    html! {
        @for figure in &findings.figures {
            figure id=(format!("figure-{}", figure.spec.id)) {
                @match &figure.svg {
                    Ok(svg) => (PreEscaped(titled(svg, &figure.spec.title))),
                    Err(why) => p { "Not drawn: " (why) "." },
                }
                figcaption {
                    (figure.spec.title) " · " (figure.spec.y.label)
                    @if !figure.spec.y.unit.is_empty() { " in " (figure.spec.y.unit) }
                    " · " code { "figures/" (figure.spec.id) ".svg" }
                }
                @if !figure.numbers.is_empty() {
                    details {
                        summary { "In numbers" }
                        @for numbers in figure.numbers.iter().map(sheets::numbers) { h3 { (numbers.title) } (sheet(&numbers)) }
                    }
                }
            }
        }
    }
}

/// An SVG of ours with a title that is read aloud.
pub fn titled(svg: &str, title: &str) -> String {
    let title = html! { title { (title) } }.into_string();
    match svg.split_once('>') {
        Some((head, rest)) => format!("{head} role=\"img\">{title}{rest}"),
        None => String::new(),
    }
}
