//! LIBSVM's format, also called svmlight: one example a line, its target, then `INDEX:VALUE` for each value that is not 0,
//! indices from 1 and ascending. What follows a `#` is a comment; empty lines are skipped.

use super::csv::{Fault, is_class_name};
use super::excerpt;
use crate::vocabulary::Charset;

/// Takes the number of a line, its target and its values.
pub type Sink<'s> = &'s mut dyn FnMut(usize, &str, &[Option<&str>]) -> Result<(), Fault>;

/// Gives each line to `sink`: its number from 1, its target, and the text of all `variables` values. Time
/// O(bytes + lines times variables).
///
/// # Errors
/// The first line that is none, or the sink's.
pub fn read(text: &[u8], variables: usize, sink: Sink<'_>) -> Result<(), Fault> {
    let text = super::arff::text(text, Charset::Utf8)?;
    let mut values: Vec<Option<&str>> = vec![Some("0"); variables];
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.split('#').next().unwrap_or_default();
        let mut words = row.split_ascii_whitespace();
        let Some(target) = words.next() else { continue };
        let fault = |what: String, cure: &str| Fault::in_line(line, what, cure);
        if target.contains(':') || !is_class_name(target) {
            let what = format!("{} is no target", excerpt(target));
            return Err(fault(what, "a line begins with its target: TARGET 1:0.5 7:2"));
        }
        let mut last = 0;
        let mut given: Vec<usize> = Vec::new();
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
            if place <= last {
                let what = format!("index {place} comes after {last}");
                return Err(fault(what, "the indices of a line ascend, each at most once"));
            }
            if value.parse::<f64>().ok().is_none_or(|value| !value.is_finite()) {
                let what = format!("{} at index {place} is no number", excerpt(value));
                return Err(fault(what, "correct the value"));
            }
            values[place - 1] = Some(value);
            given.push(place - 1);
            last = place;
        }
        sink(line, target, &values)?;
        given.into_iter().for_each(|place| values[place] = Some("0"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Result<Vec<String>, String> {
        let mut seen = Vec::new();
        let mut sink = |line: usize, target: &str, values: &[Option<&str>]| {
            let values: Vec<&str> = values.iter().flatten().copied().collect();
            seen.push(format!("{line} {target}: {}", values.join(" ")));
            Ok(())
        };
        read(text.as_bytes(), 3, &mut sink).map_err(|fault| fault.to_string())?;
        Ok(seen)
    }

    #[test]
    fn values_that_are_not_written_are_zero() {
        // scikit-learn 1.9.1: load_svmlight_file(f, n_features=3, zero_based=False).
        let found = seen("# c\n+1 1:0.5 3:-2e3 # end\r\n\n-1\n+1 2:7").unwrap();
        assert_eq!(found, ["2 +1: 0.5 0 -2e3", "4 -1: 0 0 0", "5 +1: 0 7 0"]);
    }

    #[test]
    fn what_is_no_line_is_named() {
        for (text, message) in [
            ("1 1:2\n1:2 2:3\n", "line 2: `1:2` is no target"),
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
        assert!(read(b"1 1:\xff", 3, &mut |_, _, _| Ok(())).is_err());
    }
}
