//! Lines of values separated by commas, as the UCI repository has them: the class first or last, perhaps
//! columns in front that are not looked at, `?` where a value is missing. Lines are ended by LF; empty
//! ones are skipped. No header, no quotes.

use super::{CLASS_NAME, Malformed, Position, decoded, excerpt, is_class_name};
use crate::vocabulary::Charset;
use base::words;

/// What stands where a value is missing.
const UNKNOWN: &str = "?";

/// Where things stand in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// How many columns at the left are not looked at.
    pub skipped: usize,
    /// Where the class stands among the others.
    pub class: ClassColumn,
}

words! {
    /// Where the class stands.
    pub enum ClassColumn {
        First = "first", "before the attributes";
        Last = "last", "behind the attributes";
    }
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// Its class.
    pub class: &'a str,
    /// The values of its attributes; none where one is missing.
    pub values: &'a [Option<&'a str>],
    /// Where each value begins in the line, from 0.
    places: &'a [usize],
}

impl Record<'_> {
    /// That the value of an attribute is no finite number.
    pub fn no_number(&self, attribute: usize) -> Malformed {
        let text = self.values[attribute].unwrap_or(UNKNOWN);
        self.malformed(attribute, "a number".to_owned(), excerpt(text))
    }

    /// That the value of an attribute is not what was expected.
    pub fn malformed(&self, attribute: usize, expected: String, found: String) -> Malformed {
        let column = self.places[attribute] + 1;
        Malformed { position: Position::Line { line: self.line, column }, expected, found }
    }

    /// That the file should have ended before it.
    pub fn beyond(&self, rows: usize) -> Malformed {
        let position = Position::Line { line: self.line, column: 1 };
        let expected = format!("the end of the file, which has {rows} rows already");
        Malformed { position, expected, found: "one more".to_owned() }
    }
}

/// Gives each line of `text` with `attributes` attributes to `sink`. Time O(bytes).
///
/// # Errors
/// The first line that has another number of columns, an empty value or no class name, or the sink's.
pub fn read(
    text: &[u8],
    attributes: usize,
    columns: Columns,
    sink: &mut dyn FnMut(&Record<'_>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let expected = columns.skipped + attributes + 1;
    for (line, bytes) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.is_empty() {
            continue;
        }
        let malformed = |at: usize, expected: String, found: String| Malformed {
            position: Position::Line { line, column: at + 1 },
            expected,
            found,
        };
        let text = decoded(bytes, Charset::Utf8).map_err(|at| {
            malformed(at, "a character in UTF-8".to_owned(), format!("byte 0x{:02x}", bytes[at]))
        })?;
        // Counted before they are collected: a line of commas alone would take ten times its memory.
        let found = text.split(',').count();
        if found != expected {
            return Err(malformed(0, format!("{expected} values"), found.to_string()));
        }
        let mut cells = Vec::with_capacity(expected);
        let mut place = 0;
        for cell in text.split(',') {
            cells.push((place, cell.trim()));
            place += cell.len() + 1;
        }
        if let Some((place, _)) = cells.iter().find(|(_, cell)| cell.is_empty()) {
            return Err(malformed(*place, "a value or `?`".to_owned(), "nothing".to_owned()));
        }
        let mut cells = cells.split_off(columns.skipped);
        let (place, class) = match columns.class {
            ClassColumn::First => cells.remove(0),
            ClassColumn::Last => cells.remove(attributes),
        };
        if !is_class_name(class) {
            return Err(malformed(place, CLASS_NAME.to_owned(), excerpt(class)));
        }
        let value = |&(_, cell): &(usize, _)| (cell != UNKNOWN).then_some(cell);
        let values: Vec<Option<&str>> = cells.iter().map(value).collect();
        let places: Vec<usize> = cells.iter().map(|(place, _)| *place).collect();
        sink(&Record { line, class, values: &values, places: &places })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: Columns = Columns { skipped: 0, class: ClassColumn::Last };

    fn records(text: &[u8], columns: Columns) -> Result<Vec<String>, String> {
        let mut records = Vec::new();
        let mut sink = |record: &Record<'_>| {
            records.push(format!("{} {:?}", record.class, record.values));
            Ok(())
        };
        read(text, 2, columns, &mut sink).map_err(|error| error.to_string())?;
        Ok(records)
    }

    #[test]
    fn class_and_attributes_are_told_apart() {
        let expected = ["y [Some(\"1\"), None]", "n [Some(\"3\"), Some(\"4\")]"].map(str::to_owned);
        assert_eq!(records(b"1,?,y\n3, 4,n\n\n", LAST).unwrap(), expected);
        let columns = Columns { skipped: 1, class: ClassColumn::First };
        assert_eq!(records(b"id,y,1,?\r\n77,n,3,4", columns).unwrap(), expected);
    }

    #[test]
    fn a_malformed_line_is_named_by_line_and_column() {
        for (text, message) in [
            (&b"1,2,y\n1,2\n"[..], "line 2, column 1: expected 3 values, found 2"),
            (b"1,2,y,,,,", "line 1, column 1: expected 3 values, found 7"),
            (b"1,,y", "line 1, column 3: expected a value or `?`, found nothing"),
            (
                b"1,2,y/n",
                "line 1, column 5: expected a class name of letters, digits, `-`, `_` and `.`, found `y/n`",
            ),
            (
                b"1,2,?",
                "line 1, column 5: expected a class name of letters, digits, `-`, `_` and `.`, found `?`",
            ),
            (b"\xff,2,y", "line 1, column 1: expected a character in UTF-8, found byte 0xff"),
        ] {
            assert_eq!(records(text, LAST), Err(message.to_owned()));
        }
    }
}
