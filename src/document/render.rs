//! How errors look.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use base::printable::{is_hidden, printable};

/// Columns of a report.
const WIDTH: usize = 100;

/// The text of an error: message, file and line, the offending text underlined, what to do. In colour only
/// where all control characters are those of the colours.
pub fn text(error: &dyn Diagnostic, colour: bool) -> String {
    let plain = drawn(error, false);
    if colour && !plain.contains(is_hidden) {
        return drawn(error, true);
    }
    printable(&plain).into_owned()
}

fn drawn(error: &dyn Diagnostic, colour: bool) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        // A broken url can't be copied.
        .with_wrap_lines(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    match handler.render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => error.to_string(),
    }
}
