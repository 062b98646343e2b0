//! Comma-separated files in memory.
//!
//! A spreadsheet computes a cell that begins with `=`, `+`, `-` or `@`. Numbers and ids that we write begin no
//! formula; a cell of free text, such as a title or a message, is written through [`prose`].

use std::borrow::Cow;

/// A header line and rows, quoted where needed, lines ending in `\n`.
pub fn file<N: AsRef<str>>(header: &[N], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let mut write = |row: &mut dyn Iterator<Item = &str>| {
        writer.write_record(row).expect("writing to memory cannot fail");
    };
    write(&mut header.iter().map(AsRef::as_ref));
    rows.into_iter().for_each(|row| write(&mut row.iter().map(String::as_str)));
    writer.into_inner().expect("writing to memory cannot fail")
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

/// A number, or nothing.
pub fn number(value: Option<f64>) -> String {
    // Zero has no sign.
    value.map(|value| crate::math::text::real(value + 0.0)).unwrap_or_default()
}

/// A text made of what there is.
pub fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
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
