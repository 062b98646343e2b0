//! Text whose values a character parts: whether a file is that, and which character it is.

use std::borrow::Cow;

use super::{LOOKED_AT, Opened};
use crate::error::{Refused, no};
use crate::format::csv::{self, Dialect};
use crate::format::excerpt;
use crate::format::fault::Fault;
use crate::vocabulary::Charset;

/// So many lines above a table are still a title.
const MOST_ABOVE: usize = 20;

/// What no table begins with.
const FOREIGN: [(&[u8], &str); 19] = [
    (b"\xd0\xcf\x11\xe0", "a workbook of Excel"),
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"FEA1", "Feather"),
    (b"\x89HDF", "HDF5"),
    (b"\x80", "a pickle of Python"),
    (b"MATLAB 5.0", "a file of Matlab"),
    (b"RDX", "a file of R"),
    (b"$FL2", "a file of SPSS"),
    (b"SQLite format 3", "a database of SQLite"),
    (b"BZh", "packed by bzip2"),
    (b"\xfd7zXZ", "packed by xz"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard"),
    (b"%PDF", "a PDF"),
    (b"<!", "a page of HTML"),
    (b"<html", "a page of HTML"),
    (b"<?xml", "XML"),
    (b"[{", "JSON"),
    (b"{\"", "JSON"),
];

/// The text of a file, if it is text.
pub(super) fn decoded<'o>(opened: &'o Opened<'_>) -> Result<(Charset, Cow<'o, str>), Refused> {
    let name = &opened.file.name;
    // With a byte order mark, or two characters of ASCII without.
    if let [0xff, 0xfe, ..]
    | [0xfe, 0xff, ..]
    | [1..=255, 0, 1..=255, 0, ..]
    | [0, 1..=255, 0, 1..=255, ..] = opened.bytes[..]
    {
        return Err(no(format!("{name} is text in UTF-16"), "save it as UTF-8"));
    }
    let bytes = opened.bytes.trim_ascii_start();
    let foreign = FOREIGN.iter().find(|(begins, _)| bytes.starts_with(begins));
    let no_text = opened.bytes.contains(&0).then_some("no text");
    if let Some(what) = foreign.map(|(_, what)| *what).or(no_text) {
        let cure = "save it as CSV: an entry for other formats is written by hand, see docs/reference/data.md";
        return Err(no(format!("{name} is {what}"), cure));
    }
    let decoded = |charset| csv::text(&opened.bytes, charset).map(|text| (charset, text));
    decoded(Charset::Utf8)
        .or_else(|_| decoded(Charset::Latin1))
        .map_err(|_| no(format!("{name} is no text"), "name a file of text"))
}

/// What parts the values of a text.
///
/// # Errors
/// No character gives all records the same number of values.
pub(super) fn delimiter(name: &str, text: &str) -> Result<u8, Refused> {
    // Excel's word of what parts values is in no other way a row.
    parts(text).filter(|_| !text.starts_with("sep=")).ok_or_else(|| no_table(name, text))
}

/// The character that gives all records the same number of values, the most of them.
fn parts(text: &str) -> Option<u8> {
    let values = |delimiter: u8| {
        let records = Dialect::of(delimiter, None).first(text, LOOKED_AT).ok()?;
        let width = records.first()?.len();
        (width > 1 && records.iter().all(|record| record.len() == width)).then_some(width)
    };
    let found = b",\t;|".iter().filter_map(|&delimiter| Some((values(delimiter)?, delimiter)));
    // Of equals the first.
    found.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, found)| found)
}

/// Why no character gives all records of a file the same number of values: what stands above the table, or the first line that
/// has another number.
fn no_table(name: &str, text: &str) -> Refused {
    if text.trim().is_empty() {
        return no(format!("{name} is empty"), "name a file with rows");
    }
    if text.trim_start().starts_with('#') {
        return no(format!("{name} begins with a comment"), "remove the lines that begin with #");
    }
    let ends = text.match_indices('\n').take(MOST_ABOVE).map(|(end, _)| text.split_at(end));
    let above = ends.zip(1..).find(|((above, below), _)| {
        let excel = above.starts_with("sep=");
        parts(below).is_some_and(|delimiter| excel || !above.contains(char::from(delimiter)))
    });
    if let Some(((above, _), last)) = above {
        let title = excerpt(above.trim().lines().next().unwrap_or_default());
        let what =
            format!("{name}: {title} stands above the table, which begins below line {last}");
        let cure = "delete what is above: a table begins with the names of its columns or a row";
        return no(what, cure);
    }
    let dialect = |delimiter| Dialect::of(delimiter, None);
    let width = |delimiter: &u8| {
        let first = dialect(*delimiter).first(text, 1).ok()?.pop()?;
        Some(first.len()).filter(|&width| width > 1)
    };
    let widest =
        b";|\t,".iter().filter_map(|delimiter| Some((width(delimiter)?, *delimiter))).max();
    let (width, delimiter) = widest.unwrap_or((1, b','));
    let no_number = &|_, line, _: &str| Fault::in_line(line, "there is no number", "");
    let asked = csv::Asked { header: false, width, slots: &[], most: usize::MAX, no_number };
    csv::columns(text, dialect(delimiter), &asked).map_or_else(Refused::in_file(name), |_| {
        no(
            format!(
                "{name} is no table: no comma, tab, semicolon or bar gives its lines the same number of values"
            ),
            "name a CSV or TSV file; every line needs as many values as the first",
        )
    })
}
