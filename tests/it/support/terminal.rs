//! What a user reads.

use std::process::Output;

use reprise::harness::Error;

/// What a command printed.
pub fn text(output: &Output) -> String {
    let bytes = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8(bytes).unwrap()
}

/// How an error is shown.
pub fn shown(error: &Error) -> String {
    reprise::document::render::text(error, false)
}

/// Asserts the exit code and that every phrase is in what the user reads. The terminal's line
/// breaks do not count.
pub fn assert_says(output: &Output, code: i32, phrases: &[&str]) {
    let text = text(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_reads(&text, phrases);
}

/// Asserts that every phrase is in how an error is shown, with the help that belongs to it.
pub fn assert_error(error: &Error, phrases: &[&str]) {
    assert_reads(&shown(error), phrases);
}

fn assert_reads(text: &str, phrases: &[&str]) {
    let flat: String = text.replace(['│', '×', '╰', '─', '▶'], " ");
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    for phrase in phrases {
        assert!(flat.contains(phrase), "{phrase:?} is not in:\n{text}");
    }
}
