//! How errors look, on a terminal and in files; and listings on standard output.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use super::{Exit, Failure};

/// Columns of a report.
const WIDTH: usize = 100;

/// The text of an error: message, file and line, the offending text underlined, what to do.
pub fn text(error: &dyn Diagnostic, colour: bool) -> String {
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

/// Prints an error to standard error, in colour on a terminal unless `NO_COLOR` is set.
pub fn print(error: &dyn Diagnostic) {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    complain(&text(error, std::io::stderr().is_terminal() && !plain));
}

/// Writes to standard error. That nobody listens there is no reason to stop.
pub fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Rows in columns as wide as their widest cell; those in `right` flush right.
pub fn columns<const N: usize>(rows: &[[String; N]], right: &[usize]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if right.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            }
        });
        text += cells.collect::<Vec<String>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// A value for programs.
pub fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Writes a listing to standard output. A reader that has seen enough is no error.
///
/// # Errors
/// If standard output can't be written.
pub fn listing(text: &str) -> Result<Exit, Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure {
            exit: Exit::Results,
            report: miette::miette!("standard output can't be written: {error}"),
        }),
        _ => Ok(Exit::Fine),
    }
}
