//! Lines of values separated by commas, as the UCI repository has them: the class first or last, perhaps
//! columns in front that are not looked at, `?` where a value is missing. Lines are ended by LF; empty
//! ones are skipped. No header, no quotes.

use super::columns::{Table, Wanted};
use super::csv::{self, Asked, Chosen, Dialect};
use super::excerpt;
use super::fault::{Fault, Place};
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

/// The table of a file whose lines have so many attributes, all of them read as `wanted`, of at most so many rows. Time
/// O(bytes).
///
/// # Errors
/// The first line that has another number of columns, or an empty value.
pub fn read(
    bytes: &[u8],
    attributes: usize,
    columns: Columns,
    most: usize,
    wanted: Wanted,
) -> Result<Table, Fault> {
    let text = csv::text(bytes, Charset::Utf8)?;
    let width = columns.skipped + attributes + 1;
    let target = match columns.class {
        ClassColumn::First => columns.skipped,
        ClassColumn::Last => width - 1,
    };
    let others = (columns.skipped..width).filter(|&column| column != target).collect();
    let names = (1..=width).map(|number| number.to_string()).collect();
    let chosen = Chosen { names, target, group: None, time: None, attributes: others };
    let slots = chosen.slots(&|_| wanted, Wanted::Names);
    let no_number = |slot: usize, line: usize, text: &str| Fault {
        place: Place::Value { line, column: chosen.names[slots[slot].0].clone() },
        what: format!("{} is no number", excerpt(text)),
        cure: "correct the value; where it is missing write ?".to_owned(),
    };
    let is_missing = |text: &str| text == UNKNOWN;
    let dialect = Dialect { delimiter: b',', quotes: false, decimal: None, is_missing };
    let asked = Asked { header: false, width, slots: &slots, most, no_number: &no_number };
    let read = csv::columns(&text, dialect, &asked)?;
    let table = chosen.table(read);
    let empty = |(at, column): (usize, &super::columns::Column)| {
        column.refused(|_, name| !name.is_empty()).map(|(row, _)| (at, row))
    };
    match table.attributes.iter().enumerate().find_map(empty) {
        None => Ok(table),
        Some((at, row)) => {
            let what = "the value is empty".to_owned();
            Err(table.fault(at, row, what, "where it is missing write ?"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: Columns = Columns { skipped: 0, class: ClassColumn::Last };

    /// The class and the attributes of each row.
    fn records(text: &[u8], columns: Columns) -> Result<Vec<String>, String> {
        let table = read(text, 2, columns, 10, Wanted::Names).map_err(|fault| fault.to_string())?;
        Ok(table.shown()[1..].to_vec())
    }

    #[test]
    fn class_and_attributes_are_told_apart() {
        assert_eq!(records(b"1,?,y\n3, 4,n\n\n", LAST).unwrap(), ["1 y: 1|∅", "2 n: 3|4"]);
        let columns = Columns { skipped: 1, class: ClassColumn::First };
        let found = records(b"id,y,1,?\r\n77,n,\"3\",NA", columns).unwrap();
        assert_eq!(found, ["1 y: 1|∅", "2 n: \"3\"|NA"]);
    }

    #[test]
    fn a_malformed_line_is_named() {
        for (text, message) in [
            (&b"1,2,y\n1,2\n"[..], "line 2: it has 2 values, the first line has 3"),
            (b"1,2,y,,,,", "line 1: it has 4 or more values, the first line has 3"),
            (b"1,,y", "line 1, column `2`: the value is empty"),
            (b"1,2,y\n\xff,2,y", "line 2: byte 0xff is no character in UTF-8"),
        ] {
            assert_eq!(records(text, LAST), Err(message.to_owned()));
        }
        let numbers = read(b"1,2,y\n1,x,y", 2, LAST, 10, Wanted::Numbers).unwrap_err();
        assert_eq!(numbers.to_string(), "line 2, column `2`: `x` is no number");
        let many = read(b"1,2,y\n1,2,y\n1,2,y\n", 2, LAST, 2, Wanted::Numbers).unwrap_err();
        assert_eq!(many.to_string(), "line 3: there are many more rows than `shape` says");
    }
}
