//! One document a line: its class, a tab, its text. Lines are ended by LF (the last one's may be missing).

use super::fault::{Fault, Place};
use super::{CLASS_NAME, Document, Sink, decoded, found, is_class_name};
use crate::vocabulary::Charset;

/// Gives each line to `sink` as a document. Time O(bytes).
///
/// # Errors
/// At the first byte that is out of place.
pub fn read(text: &[u8], charset: Charset, sink: Sink<'_>) -> Result<(), Fault> {
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let malformed = |at: usize, expected: &str| {
            let place = Place::InLine { line: number, column: at + 1 };
            Fault::of_format(place, expected, found(text, start + at))
        };
        let tab = line.iter().position(|&byte| byte == b'\t');
        let tab = tab.ok_or_else(|| malformed(line.len(), "a tab between class and text"))?;
        let class = std::str::from_utf8(&line[..tab]).ok().filter(|name| is_class_name(name));
        let class = class.ok_or_else(|| malformed(0, CLASS_NAME))?;
        let text = decoded(&line[tab + 1..], charset)
            .map_err(|at| malformed(tab + 1 + at, "a character in UTF-8"))?;
        if sink(Document { part: None, class, fold: None, name: "", text }).is_break() {
            break;
        }
        start += line.len() + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    fn documents(text: &[u8]) -> Result<Vec<(String, String)>, String> {
        let mut documents = Vec::new();
        let mut sink = |document: Document<'_>| {
            documents.push((document.class.to_owned(), document.text.into_owned()));
            ControlFlow::Continue(())
        };
        read(text, Charset::Utf8, &mut sink).map_err(|error| error.to_string())?;
        Ok(documents)
    }

    #[test]
    fn each_line_is_a_document() {
        let pair = |class: &str, text: &str| (class.to_owned(), text.to_owned());
        let expected = vec![pair("a-b", "one two"), pair("c", ""), pair("a-b", "tab\there")];
        assert_eq!(documents(b"a-b\tone two\nc\t\na-b\ttab\there"), Ok(expected));
        assert_eq!(documents(b""), Ok(Vec::new()));
    }

    #[test]
    fn a_malformed_line_is_named_by_line_and_column() {
        for (text, message) in [
            (
                &b"a\tx\nb x\n"[..],
                "line 2, column 4: expected a tab between class and text, found the end of the line",
            ),
            (
                b"a\tx\n\n",
                "line 2, column 1: expected a tab between class and text, found the end of the line",
            ),
            (
                b"a",
                "line 1, column 2: expected a tab between class and text, found the end of the file",
            ),
            (
                b"a\tx\na/b\tx",
                "line 2, column 1: expected a class name of letters, digits, `-`, `_` and `.`, found `a`",
            ),
            (
                b"\tx",
                "line 1, column 1: expected a class name of letters, digits, `-`, `_` and `.`, found byte 0x09",
            ),
            (b"a\tx\xe9", "line 1, column 4: expected a character in UTF-8, found byte 0xe9"),
        ] {
            assert_eq!(documents(text), Err(message.to_owned()));
        }
    }
}
