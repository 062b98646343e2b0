//! Rows of 0 and 1 separated by commas, one example a line, lines ended by LF (the last one's may be
//! missing). No header, no spaces.

use super::fault::{Fault, Place};
use super::found;
use contract::binary::BinaryRows;

/// Appends the rows of `text` to `rows`, and returns how many there are. Time O(bytes).
///
/// # Errors
/// At the first byte that is out of place.
pub fn parse(text: &[u8], rows: &mut BinaryRows) -> Result<usize, Fault> {
    let width = 2 * rows.variables();
    let mut ones = Vec::with_capacity(rows.variables());
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.get(..width).filter(|line| line[width - 1] == b'\n');
        // The last line may lack its LF.
        let values = line.map_or(rest, |line| &line[..width - 1]);
        ones.clear();
        if values.len() != width - 1 || !values_of(values, &mut ones) {
            return Err(malformed(rest, count + 1, rows.variables()));
        }
        rows.push(&ones);
        count += 1;
        rest = &rest[line.map_or(rest.len(), <[u8]>::len)..];
    }
    Ok(count)
}

/// Collects the indices of ones; false if a byte is out of place.
fn values_of(values: &[u8], ones: &mut Vec<u32>) -> bool {
    let mut wrong = 0;
    for (index, pair) in (0u32..).zip(values.chunks(2)) {
        wrong |= (pair[0] ^ b'0') & !1;
        if let Some(separator) = pair.get(1) {
            wrong |= separator ^ b',';
        }
        if pair[0] == b'1' {
            ones.push(index);
        }
    }
    wrong == 0
}

/// Describes the first byte of the first line of `rest` that is out of place.
fn malformed(rest: &[u8], line: usize, variables: usize) -> Fault {
    let error = |column: usize, expected: String| {
        Fault::of_format(Place::InLine { line, column: column + 1 }, expected, found(rest, column))
    };
    for column in 0..2 * variables - 1 {
        let byte = rest.get(column).copied();
        if column % 2 == 0 && !matches!(byte, Some(b'0' | b'1')) {
            return error(column, format!("0 or 1 for variable {} of {variables}", column / 2 + 1));
        }
        if column % 2 == 1 && byte != Some(b',') {
            let values = column / 2 + 1;
            return error(column, format!("a comma after value {values} of {variables}"));
        }
    }
    error(2 * variables - 1, format!("the end of the line after {variables} values"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, variables: usize) -> Result<BinaryRows, Fault> {
        let mut rows = BinaryRows::new(variables);
        parse(text.as_bytes(), &mut rows).map(|_| rows)
    }

    #[test]
    fn rows_are_read_with_or_without_the_last_line_end() {
        let mut expected = BinaryRows::new(3);
        expected.push(&[1]);
        expected.push(&[0, 1, 2]);
        assert_eq!(parsed("0,1,0\n1,1,1\n", 3), Ok(expected.clone()));
        assert_eq!(parsed("0,1,0\n1,1,1", 3), Ok(expected));
        assert_eq!(parsed("1\n0\n", 1).map(|rows| rows.column_counts()), Ok(vec![1]));
        assert_eq!(parsed("", 3).map(|rows| rows.len()), Ok(0));
    }

    #[test]
    fn a_malformed_line_is_named_by_line_and_column() {
        let cases = [
            ("0,1,0\n0,2,0\n", "line 2, column 3: expected 0 or 1 for variable 2 of 3, found `2`"),
            ("0,1,0\n0;1,0\n", "line 2, column 2: expected a comma after value 1 of 3, found `;`"),
            (
                "0,1\n",
                "line 1, column 4: expected a comma after value 2 of 3, found the end of the line",
            ),
            (
                "0,1,0,1\n",
                "line 1, column 6: expected the end of the line after 3 values, found `,`",
            ),
            (
                "0,1,0\r\n",
                "line 1, column 6: expected the end of the line after 3 values, found a carriage return",
            ),
            (
                "0,1,0\n0,1,",
                "line 2, column 5: expected 0 or 1 for variable 3 of 3, found the end of the file",
            ),
            (
                "0,1,0\n\n",
                "line 2, column 1: expected 0 or 1 for variable 1 of 3, found the end of the line",
            ),
            (
                "0,1,\u{e9}\n",
                "line 1, column 5: expected 0 or 1 for variable 3 of 3, found byte 0xc3",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parsed(text, 3).unwrap_err().to_string(), message);
        }
    }
}
