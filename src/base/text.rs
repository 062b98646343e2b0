//! Numbers, lines and columns as text.

use std::borrow::Cow;
use std::fmt;

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The shortest decimal text that reads back as the same number; `NaN`, `inf`, `-inf` as such.
pub fn real(value: f64) -> String {
    Real(value).to_string()
}

/// Displays as [`real`] writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Real(pub f64);

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || !value.is_finite() || (1e-5..1e17).contains(&value.abs()) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

/// So many of what is named in the singular.
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A count for reading, such as `29,859,840`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let threes = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    threes.collect::<Vec<_>>().join(",")
}

/// The first so many of these, and how many more there are.
pub fn first_of(
    names: impl ExactSizeIterator<Item: fmt::Display>,
    most: usize,
    apart: &str,
) -> String {
    let more = match names.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names: Vec<String> = names.take(most).map(|name| name.to_string()).collect();
    names.join(apart) + &more
}

/// Spaces between columns.
const GAP: usize = 2;

/// Columns of texts are not made narrower than this, and those of numbers than what most numbers are.
const NARROWEST: [usize; 2] = [8, 12];

/// Rows in columns, two spaces apart; those in `right` flush right. A column is as wide as its widest cell. Where all
/// together are wider than `width`, cells of the widest columns are broken between words, and behind hyphens.
pub fn columns<R: AsRef<[String]>>(rows: &[R], right: &[usize], width: usize) -> String {
    let count = rows.first().map_or(0, |row| row.as_ref().len());
    let widest = |column: usize| {
        rows.iter().map(|row| display_width(&row.as_ref()[column])).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..count).map(widest).collect();
    while widths.iter().sum::<usize>() + GAP * count.saturating_sub(1) > width {
        let narrowest = |column: &usize| NARROWEST[usize::from(right.contains(column))];
        let wide = (0..count).filter(|column| widths[*column] > narrowest(column));
        match wide.max_by_key(|&column| widths[column]) {
            Some(column) => widths[column] -= 1,
            None => break,
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths);
        let cells: Vec<_> = cells.map(|(cell, width)| broken(cell, *width)).collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..lines {
            let parts = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let part = cell.get(line).map_or("", |part| part);
                let space = " ".repeat(width.saturating_sub(display_width(part)));
                if right.contains(&column) { space + part } else { part.to_owned() + &space }
            });
            text += parts.collect::<Vec<String>>().join(&" ".repeat(GAP)).trim_end();
            text.push('\n');
        }
    }
    text
}

/// A cell in lines, broken between words and behind hyphens; parts that are longer than a line are broken too.
fn broken(cell: &str, width: usize) -> Vec<Cow<'_, str>> {
    if display_width(cell) <= width {
        return vec![Cow::Borrowed(cell)];
    }
    let splitter = WordSplitter::Custom(behind_hyphens);
    textwrap::wrap(cell, greedy(width).word_splitter(splitter).break_words(true))
}

/// Where a word may be broken: behind a hyphen between two letters, as there is none in a number.
fn behind_hyphens(word: &str) -> Vec<usize> {
    let letter = |at: usize| word.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic);
    let between = |&(at, _): &(usize, &str)| at > 0 && letter(at - 1) && letter(at + 1);
    word.match_indices('-').filter(between).map(|(at, _)| at + 1).collect()
}

/// The text in lines of at most `width`, broken between words, between which stands one space. The first `indent`
/// characters stand as they are; later lines are indented by as much.
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let end = text.char_indices().nth(indent).map_or(text.len(), |(at, _)| at);
    let (head, rest) = text.split_at(end);
    let rest = rest.split_whitespace().collect::<Vec<&str>>().join(" ");
    let later = " ".repeat(indent);
    let options = greedy(width).initial_indent(head).subsequent_indent(&later);
    let lines = textwrap::wrap(&rest, options);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Lines that are filled one after the other, broken at spaces only.
fn greedy<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        let said = [0, 999, 1_000, 29_859_840].map(grouped);
        assert_eq!(said, ["0", "999", "1,000", "29,859,840"]);
    }

    #[test]
    fn text_is_short_and_reads_back() {
        for value in [0.1, -6.04, 1e-300, 2.5e-7, 12_345_678.0, 1e22, f64::MIN_POSITIVE, -0.0] {
            let text = real(value);
            assert!(text.len() < 25, "{text}");
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
        assert_eq!(real(1e22), "1e22");
        assert_eq!(real(0.1), "0.1");
        assert_eq!(real(f64::NAN), "NaN");
    }
    #[test]
    fn lines_are_broken_between_words_and_indented() {
        let text = format!("head: {}", ["word"; 25].join(" "));
        let lines: Vec<String> = wrapped(&text, 6, 100).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], format!("head: {}", ["word"; 19].join(" ")));
        assert_eq!(lines[1], format!("      {}", ["word"; 6].join(" ")));
        assert_eq!(wrapped("", 0, 100), "\n");
        assert_eq!(wrapped("holds  two\nlines", 7, 100), "holds  two lines\n");
        assert_eq!(wrapped("a/path/that/is/long", 0, 5), "a/path/that/is/long\n");
    }

    #[test]
    fn columns_that_are_too_wide_are_broken_between_words() {
        let rows =
            [["name", "1", "few words"], ["other", "234", "words that take more than a line"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(
            columns(&rows, &[1], 80),
            "name     1  few words\nother  234  words that take more than a line\n"
        );
        assert_eq!(
            columns(&rows, &[1], 30),
            "name     1  few words\nother  234  words that take\n            more than a line\n"
        );
        let names = [["generated-conjunction-of-m".to_owned(), "0.25 [-0.5e-3, 1e-2]".to_owned()]];
        assert_eq!(
            columns(&names, &[], 27),
            "generated-     0.25\nconjunction-   [-0.5e-3,\nof-m           1e-2]\n"
        );
        // No narrower than can be read.
        assert_eq!(columns(&rows[1..], &[1], 1).lines().count(), 6);
        // Texts make room for numbers.
        let sizes = [["a long name", "a long title", "360,160 KiB"].map(str::to_owned)];
        assert_eq!(columns(&sizes, &[2], 31), "a long    a long    360,160 KiB\nname      title\n");
        assert_eq!(columns::<[String; 0]>(&[], &[], 30), "");
    }
}
