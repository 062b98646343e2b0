//! The frame of a page: head, policy, style and script.

use base::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The text of a page, which carries its one style and its one script and forbids itself everything else.
pub fn document(title: &str, body: &Markup) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Digest::of(text.as_bytes()).0));
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// A command on a line of its own, which the script makes copyable.
pub fn command(text: &str) -> Markup {
    html! { pre class="command" { code { (text) } } }
}

/// A stacked bar: how many of all are what. Words stand beside it, so it says nothing of its own to a reader who does
/// not see it.
pub fn bar(parts: &[(&str, usize, &str)]) -> Markup {
    let all: usize = parts.iter().map(|(_, n, _)| n).sum();
    let ends = parts.iter().scan(0, |end, (_, n, _)| {
        *end += n;
        Some((1000 * (*end - n) / all.max(1), 1000 * *end / all.max(1)))
    });
    html! {
        svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            @for ((class, n, _), (from, to)) in parts.iter().zip(ends) {
                @if *n > 0 { rect class=(class) x=(from) width=(to - from) height="10" {} }
            }
        }
    }
}
