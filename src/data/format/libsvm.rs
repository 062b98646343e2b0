//! LIBSVM's format, also called svmlight: one example a line, its target, then `INDEX:VALUE` for each value that is not 0,
//! indices from 1 and ascending. What follows a `#` is a comment; empty lines are skipped.

use super::columns::{Column, Table, Wanted};
use super::csv::{self, is_class_name, is_missing, too_many};
use super::excerpt;
use super::fault::Fault;
use crate::vocabulary::Charset;

/// A line with an example.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its target.
    pub target: &'a str,
    /// The values that are written, with their places from 0, ascending.
    pub given: &'a [(usize, f64)],
}

/// Gives each line to `sink`; indices are at most `variables`. Time O(bytes).
///
/// # Errors
/// The first line that is none, or the sink's.
pub fn read(
    text: &[u8],
    variables: usize,
    sink: &mut dyn FnMut(Line<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let text = csv::text(text, Charset::Utf8)?;
    let mut given: Vec<(usize, f64)> = Vec::new();
    for (number, row) in (1..).zip(text.lines()) {
        let row = row.split('#').next().unwrap_or_default();
        let mut words = row.split_ascii_whitespace();
        let Some(target) = words.next() else { continue };
        let fault = |what: String, cure: &str| Fault::in_line(number, what, cure);
        if target.contains([':', ',']) || is_missing(target) || !is_class_name(target) {
            let what = format!("{} is no target", excerpt(target));
            return Err(fault(what, "a line begins with its one target: TARGET 1:0.5 7:2"));
        }
        given.clear();
        for word in words {
            let Some((index, value)) = word.split_once(':') else {
                let what = format!("{} is no INDEX:VALUE", excerpt(word));
                return Err(fault(what, "values that are not 0 are written as 7:2.5"));
            };
            let place = index.parse::<usize>().ok().filter(|place| (1..=variables).contains(place));
            let Some(place) = place else {
                let what = format!("index {} is not from 1 to {variables}", excerpt(index));
                let cure = match index {
                    "qid" => "queries of rankings are not read; leave them out",
                    "0" => {
                        "indices count from 1: scikit-learn writes them so with zero_based=False"
                    }
                    _ => "correct `variables` in `shape`, or the file",
                };
                return Err(fault(what, cure));
            };
            if let Some((last, _)) = given.last().filter(|(last, _)| place <= last + 1) {
                let what = format!("index {place} comes after {}", last + 1);
                return Err(fault(what, "the indices of a line ascend, each at most once"));
            }
            let Some(value) = super::columns::number(value, None) else {
                let what = format!("{} at index {place} is no number", excerpt(value));
                return Err(fault(what, "correct the value"));
            };
            given.push((place - 1, value));
        }
        sink(Line { number, target, given: &given })?;
    }
    Ok(())
}

/// The table of a file, of at most so many rows; attributes are bits or numbers, the target what is wanted of it.
///
/// # Errors
/// As [`read`]; or if a value or a target is not what is wanted.
pub fn table(
    bytes: &[u8],
    variables: usize,
    most: usize,
    (plain, wanted): (Wanted, Wanted),
) -> Result<Table, Fault> {
    let mut attributes = vec![Column::new(plain); variables];
    let (mut target, mut lines) = (Column::new(wanted), Vec::new());
    let mut sink = |line: Line<'_>| {
        if lines.len() == most {
            return Err(too_many(line.number));
        }
        for &(place, value) in line.given {
            attributes[place].fill(lines.len());
            if !attributes[place].push_number(value, plain) {
                let what = format!("{value} at index {} is not 0 or 1", place + 1);
                return Err(Fault::in_line(line.number, what, csv::NO_BIT));
            }
        }
        if !target.push(Some(line.target), wanted, None) {
            let what = format!("{} is no number", excerpt(line.target));
            return Err(Fault::in_line(line.number, what, csv::NO_TARGET));
        }
        lines.push(line.number as u32);
        Ok(())
    };
    read(bytes, variables, &mut sink)?;
    attributes.iter_mut().for_each(|column| column.fill(lines.len()));
    let names = vec!["target".to_owned()];
    Ok(Table { attributes, target, group: None, time: None, names, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen_as(plain: Wanted, text: &str) -> Result<Vec<String>, String> {
        let table = table(text.as_bytes(), 3, 10, (plain, Wanted::Names));
        Ok(table.map_err(|fault| fault.to_string())?.shown()[1..].to_vec())
    }

    fn seen(text: &str) -> Result<Vec<String>, String> {
        seen_as(Wanted::Numbers, text)
    }

    #[test]
    fn values_that_are_not_written_are_zero() {
        // scikit-learn 1.9.1: load_svmlight_file(f, n_features=3, zero_based=False).
        let found = seen("# c\n+1 1:0.5 3:-2e3 # end\r\n\n-1\n+1 2:7").unwrap();
        assert_eq!(found, ["2 +1: 0.5|0|-2000", "4 -1: 0|0|0", "5 +1: 0|7|0"]);
    }

    #[test]
    fn values_of_0_and_1_are_bits_where_these_are_wanted() {
        let bits = "-1 2:1\n+1 1:1.0 3:0\n";
        assert_eq!(seen_as(Wanted::Bits, bits), seen(bits));
        let file = bits.as_bytes();
        for plain in [Wanted::Bits, Wanted::Numbers] {
            let table = table(file, 3, 10, (plain, Wanted::Names)).unwrap();
            assert!(table.attributes.iter().all(|column| matches!(column, Column::Bits(_))));
        }
        let other = seen_as(Wanted::Bits, "-1 2:1\n+1 1:0.5\n");
        assert_eq!(other.unwrap_err(), "line 2: 0.5 at index 1 is not 0 or 1");
    }

    #[test]
    fn what_is_no_line_is_named() {
        for (text, message) in [
            ("1 1:2\n1:2 2:3\n", "line 2: `1:2` is no target"),
            ("0,2 1:2", "line 1: `0,2` is no target"),
            ("1 4:1", "line 1: index `4` is not from 1 to 3"),
            ("1 0:1", "line 1: index `0` is not from 1 to 3"),
            ("1 qid:3 1:1", "line 1: index `qid` is not from 1 to 3"),
            ("1 2:1 2:1", "line 1: index 2 comes after 2"),
            ("1 2:1 1:1", "line 1: index 1 comes after 2"),
            ("1 2:x", "line 1: `x` at index 2 is no number"),
            ("1 2:inf", "line 1: `inf` at index 2 is no number"),
            ("1 2", "line 1: `2` is no INDEX:VALUE"),
        ] {
            assert_eq!(seen(text), Err(message.to_owned()));
        }
        assert!(read(b"1 1:\xff", 3, &mut |_| Ok(())).is_err());
        let many = table(b"1\n1\n1\n", 3, 2, (Wanted::Numbers, Wanted::Names)).unwrap_err();
        assert_eq!(many.to_string(), "line 3: there are many more rows than `shape` says");
    }
}
