//! How errors look, on a terminal and in files; and listings on standard output. Whatever is printed goes
//! through here, so that no text of others moves the cursor or sets a colour: see [`base::printable`].

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use document::render::text;
use miette::Diagnostic;

use report::sheet::Sheet;

use super::{Exit, Failure, Format};
use base::printable::{is_hidden, name, printable};
use base::text::wrapped;

/// Prints an error to standard error, in colour on a terminal unless `NO_COLOR` is set.
pub fn print(error: &dyn Diagnostic) {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    write_error(&text(error, std::io::stderr().is_terminal() && !plain));
}

/// Writes to standard error. That nobody listens there is no reason to stop.
pub fn complain(text: &str) {
    write_error(&printable(text));
}

fn write_error(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// How many characters fit into a line of standard output; none where it is no terminal.
pub fn width() -> Option<usize> {
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten()?;
    Some(usize::from(terminal.0.0).clamp(60, 200))
}

/// The same for listings: for programs no line is broken.
pub fn listing_width() -> usize {
    width().unwrap_or(usize::MAX)
}

/// Lines of prose, broken between words where a terminal is not as wide.
pub fn lines(text: &str, width: Option<usize>) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let broken = |width| text.lines().map(|line| wrapped(line, indent(line), width)).collect();
    width.map_or_else(|| text.to_owned(), broken)
}

/// Writes a line to standard output. That nobody listens there is no reason to stop.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", printable(text));
}

/// A value for programs.
pub fn json(value: &serde_json::Value) -> String {
    escaped(&format!("{value:#}\n"))
}

/// A value for programs that read one a line.
pub fn json_line(value: &serde_json::Value) -> String {
    escaped(&format!("{value}\n"))
}

/// JSON with its hidden characters escaped, so that they arrive as they are.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // They stand within texts, and are below U+10000.
        if is_hidden(c) { escaped += &name(c).replace("U+", "\\u") } else { escaped.push(c) }
    }
    escaped
}

/// A sheet as it is asked for.
pub fn sheet(sheet: &Sheet, format: Format) -> String {
    match format {
        Format::Text => sheet.terminal(listing_width()),
        Format::Json => json(&sheet.json()),
    }
}

/// Writes a listing to standard output. A reader that has seen enough is no error.
///
/// # Errors
/// If standard output can't be written.
pub fn listing(text: &str) -> Result<Exit, Failure> {
    let mut out = std::io::stdout();
    match out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure {
            exit: Exit::Results,
            report: miette::miette!("standard output can't be written: {error}"),
        }),
        _ => Ok(Exit::Fine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_colours_of_our_own_only() {
        let error = |message: &str| miette::miette!("{message}");
        let coloured = text(error("plain").as_ref(), true);
        assert!(coloured.contains("\u{1b}["), "{coloured:?}");
        for colour in [false, true] {
            let hostile =
                text(error("\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}1m\u{202e}").as_ref(), colour);
            assert!(!hostile.contains(is_hidden), "{hostile:?}");
            let shown = "\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{9b}1m\\u{202e}";
            assert!(hostile.contains(shown), "{hostile}");
        }
    }

    #[test]
    fn lines_are_broken_for_a_terminal_only() {
        let text = "results/own: ok own 1f\n  14 inputs are as they should be\n";
        assert_eq!(lines(text, None), text);
        let broken = "results/own: ok own 1f\n  14 inputs are as they\n  should be\n";
        assert_eq!(lines(text, Some(24)), broken);
    }

    #[test]
    fn values_for_programs_arrive_as_they_are() {
        let value = serde_json::json!({ "path": "a\u{1b}\n\t\r\u{7f}\u{9b}\u{202e}é" });
        let text = json(&value);
        assert!(!text.contains(is_hidden), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
