//! Comma-separated files in memory.
//!
//! A spreadsheet computes a cell that begins with `=`, `+`, `-` or `@`. Numbers and ids that we write begin no
//! formula; a cell of free text, such as a title or a message, is written through [`prose`].

use std::borrow::Cow;

use std::fmt::{Display, Write as _};

/// A file that is written cell by cell: quoted where needed, lines ending in `\n`.
#[derive(Debug)]
pub struct Writer {
    file: csv::Writer<Vec<u8>>,
    /// The text of the last cell that was not text.
    cell: String,
}

impl Writer {
    /// A file with this header line.
    pub fn new<N: AsRef<str>>(header: impl IntoIterator<Item = N>) -> Self {
        let file = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        let mut writer = Self { file, cell: String::new() };
        header.into_iter().for_each(|name| writer.text(name.as_ref()));
        writer.end();
        writer
    }

    /// A cell of text.
    pub fn text(&mut self, text: &str) {
        self.file.write_field(text).expect(IN_MEMORY);
    }

    /// A cell of something else, empty if there is nothing.
    pub fn cell(&mut self, value: Option<impl Display>) {
        self.cell.clear();
        if let Some(value) = value {
            write!(self.cell, "{value}").expect(IN_MEMORY);
        }
        self.file.write_field(&self.cell).expect(IN_MEMORY);
    }

    /// The end of a line.
    pub fn end(&mut self) {
        self.file.write_record(None::<&[u8]>).expect(IN_MEMORY);
    }

    /// The bytes of the file.
    pub fn finish(self) -> Vec<u8> {
        self.file.into_inner().expect(IN_MEMORY)
    }
}

const IN_MEMORY: &str = "writing to memory cannot fail";

/// A header line and rows.
pub fn file<N: AsRef<str>>(header: &[N], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = Writer::new(header);
    for row in rows {
        row.iter().for_each(|cell| writer.text(cell));
        writer.end();
    }
    writer.finish()
}

/// A cell of free text: where a spreadsheet would take it for a formula, an apostrophe stands before it, which
/// makes it text there.
pub fn prose(text: &str) -> Cow<'_, str> {
    if begins_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// The text of a cell that [`prose`] made.
pub fn of_prose(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| begins_formula(text)).unwrap_or(cell)
}

/// Whether a text begins a formula, perhaps behind apostrophes, so that [`of_prose`] is the inverse for any text.
fn begins_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_text_begins_no_formula_and_reads_back() {
        for (text, cell) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("'=1", "''=1"),
            ("''=1", "'''=1"),
            ("'quoted'", "'quoted'"),
            ("a=b", "a=b"),
            ("", ""),
            ("'", "'"),
        ] {
            assert_eq!(prose(text), cell, "{text:?}");
            assert_eq!(of_prose(&prose(text)), text, "{text:?}");
        }
    }
}
