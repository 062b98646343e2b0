//! Tables as people have them: values separated by commas, tabs or another character, quoted where need be, with a
//! header or without, lines ended by LF or CRLF, perhaps with a byte order mark. `?`, `NA`, `nan` and nothing stand
//! where a value is missing.
//!
//! Columns are found by their names; without a header these are `1`, `2`, and so on. A name that comes again gets a
//! number. A text is cut into blocks at ends of records, which are read side by side.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use base::side_by_side;
use document::nearest;
use memchr::{memchr, memchr_iter, memchr3};

use super::columns::{Column, Table, Wanted};
use super::fault::{Fault, Place};
use super::{decoded, excerpt};
use crate::limits;
use crate::vocabulary::{Charset, Decimal};

/// Whether a value stands for one that is missing.
pub fn is_missing(text: &str) -> bool {
    matches!(text, "" | "?" | "NA" | "nan" | "NaN" | "NAN")
}

/// Whether a class can stand in a table of results and in a problem's id.
pub fn is_class_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && !name.contains(char::is_control)
}

/// What a file looks like, and what of it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Whether the first line has the names of the columns.
    pub header: bool,
    /// What separates values.
    pub delimiter: u8,
    /// The column of the target.
    pub target: String,
    /// The column that says whose a row is, if one does.
    pub group: Option<String>,
    /// The column that says when a row was made, if one does.
    pub time: Option<String>,
    /// The columns of the attributes, in their order; none where they are all others.
    pub attributes: Option<Vec<String>>,
    /// The attributes whose values are names, where others are numbers.
    pub categories: Vec<String>,
    /// What parts the decimals of its numbers, where it says so; else a point, and nothing parts thousands.
    pub decimal: Option<Decimal>,
    /// Which characters bytes stand for.
    pub charset: Charset,
}

/// The names of all columns, and which of them count.
#[derive(Debug)]
pub(super) struct Chosen {
    pub names: Vec<String>,
    pub target: usize,
    pub group: Option<usize>,
    pub time: Option<usize>,
    pub attributes: Vec<usize>,
}

impl Chosen {
    pub(super) fn new(names: Vec<String>, layout: &Layout) -> Result<Self, Fault> {
        let header = layout.header;
        let places: HashMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let place = |wanted: &String| {
            places.get(wanted.as_str()).copied().ok_or_else(|| {
                let all = || {
                    let some: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                    format!("the columns are {}", some.join(", "))
                };
                let near = nearest(wanted, names.iter().map(String::as_str));
                let numbers = || names.iter().all(|name| name.parse::<f64>().is_ok());
                let cure = match near {
                    _ if header && numbers() => {
                        "if the file has no header, set header = false; columns are then called 1, 2, …"
                            .to_owned()
                    }
                    Some(near) if header => format!("did you mean `{near}`?"),
                    _ if header => all(),
                    _ => format!("without a header {}; or set header = true", all()),
                };
                Fault::in_line(1, format!("there is no column {}", excerpt(wanted)), cure)
            })
        };
        let target = place(&layout.target)?;
        let group = layout.group.as_ref().map(place).transpose()?;
        let time = layout.time.as_ref().map(place).transpose()?;
        let others = [Some(target), group, time];
        let attributes = match &layout.attributes {
            Some(wanted) => wanted.iter().map(place).collect::<Result<Vec<_>, _>>()?,
            None => (0..names.len()).filter(|&column| !others.contains(&Some(column))).collect(),
        };
        let counting: HashSet<usize> = attributes.iter().copied().collect();
        if let Some(&group) =
            group.iter().find(|group| counting.contains(group) || **group == target)
        {
            let what =
                format!("the group {} is an attribute or the target too", excerpt(&names[group]));
            let cure = "leave it out of `attributes`: who belongs together is not to be learned";
            return Err(Fault::in_line(1, what, cure));
        }
        for name in &layout.categories {
            let column = place(name)?;
            if !counting.contains(&column) {
                let what = format!("{} in `categories` is none of the attributes", excerpt(name));
                return Err(Fault::in_line(1, what, "name it in `attributes` too, or in neither"));
            }
        }
        Ok(Self { names, target, group, time, attributes })
    }

    /// The columns that are read, and as what: of the attributes, as `wanted` says of each name, and of the others.
    pub(super) fn slots(
        &self,
        wanted: &dyn Fn(&str) -> Wanted,
        target: Wanted,
    ) -> Vec<(usize, Wanted)> {
        let attributes = self.attributes.iter().map(|&at| (at, wanted(&self.names[at])));
        let marks = [self.group, self.time].into_iter().flatten().map(|at| (at, Wanted::Names));
        attributes.chain([(self.target, target)]).chain(marks).collect()
    }

    /// The table of the columns that were read.
    pub(super) fn table(self, Columns { mut columns, lines }: Columns) -> Table {
        let behind = columns.split_off(self.attributes.len());
        let marks = [Some(self.target), self.group, self.time];
        let all = self.attributes.iter().copied().chain(marks.into_iter().flatten());
        let names = all.map(|at| self.names[at].clone()).collect();
        let mut behind = behind.into_iter();
        let target = behind.next().unwrap_or(Column::Numbers(Vec::new()));
        let group = self.group.and_then(|_| behind.next());
        let time = self.time.and_then(|_| behind.next());
        Table { attributes: columns, target, group, time, names, lines }
    }
}

/// Names of which none comes twice: the second `a` is `a.2`.
pub(super) fn told_apart(names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut apart = |name: String| {
        if seen.insert(name.clone()) {
            return name;
        }
        let numbered = (2..).map(|number| format!("{name}.{number}"));
        numbered.filter(|name| taken.insert(name.clone())).take(1).collect()
    };
    names.into_iter().map(&mut apart).collect()
}

/// How values and records are parted.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// What separates values.
    pub delimiter: u8,
    /// Whether a value may stand in quotes.
    pub quotes: bool,
    /// What parts decimals, where that is said.
    pub decimal: Option<Decimal>,
    /// Whether a text stands for a value that is missing.
    pub is_missing: fn(&str) -> bool,
}

impl Dialect {
    /// Tables as people have them.
    pub fn of(delimiter: u8, decimal: Option<Decimal>) -> Self {
        Self { delimiter, quotes: true, decimal, is_missing }
    }

    /// The first records of a text, at most so many.
    pub fn first(&self, text: &str, most: usize) -> Result<Vec<Vec<String>>, Fault> {
        let mut records = Records::new(text, 1, *self, limits::COLUMNS);
        let mut rows = Vec::new();
        while rows.len() < most && records.next()? {
            if records.is_blank() {
                continue;
            }
            if records.fields.len() > limits::COLUMNS {
                let what = format!("it has more than {} values", limits::COLUMNS);
                let cure = "compare `delimiter` with the file";
                return Err(Fault::in_line(records.line, what, cure));
            }
            rows.push((0..records.fields.len()).map(|at| records.field(at).to_owned()).collect());
        }
        Ok(rows)
    }
}

/// What of a text is read.
pub struct Asked<'a> {
    /// Whether the first record has the names of the columns.
    pub header: bool,
    /// How many values each record has.
    pub width: usize,
    /// Which columns, and as what.
    pub slots: &'a [(usize, Wanted)],
    /// How many rows there may be.
    pub most: usize,
    /// What is said of a value that is no number: of its slot, line and text.
    pub no_number: &'a (dyn Fn(usize, usize, &str) -> Fault + Sync),
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Of each slot its column.
    pub columns: Vec<Column>,
    /// The line of each row, from 1.
    pub lines: Vec<u32>,
}

impl Columns {
    /// No rows yet.
    pub fn new(slots: &[(usize, Wanted)]) -> Self {
        let columns = slots.iter().map(|(_, wanted)| Column::new(*wanted)).collect();
        Self { columns, lines: Vec::new() }
    }
}

/// Bytes of a block.
const BLOCK: usize = 1 << 22;

/// So many blocks are read before they are joined to what was read before.
const AT_ONCE: usize = 16;

/// The columns of a text. Time O(bytes), on all cores.
///
/// # Errors
/// The first fault.
pub fn columns(text: &str, dialect: Dialect, asked: &Asked<'_>) -> Result<Columns, Fault> {
    in_blocks(text, dialect, asked, BLOCK)
}

fn in_blocks(
    text: &str,
    dialect: Dialect,
    asked: &Asked<'_>,
    size: usize,
) -> Result<Columns, Fault> {
    let mut all = Columns::new(asked.slots);
    // Some after others, so that little is held twice.
    for some in blocks(text, dialect, size).chunks(AT_ONCE) {
        let read = side_by_side(some.to_vec(), |(first, line, text)| {
            block(text, line, dialect, &Asked { header: asked.header && first, ..*asked })
        });
        for part in read {
            let Columns { columns, lines } = part?;
            all.lines.extend(lines);
            all.columns.iter_mut().zip(columns).for_each(|(whole, part)| whole.append(part));
        }
        if let Some(&line) = all.lines.get(asked.most) {
            return Err(too_many(line as usize));
        }
    }
    // What turned out to be names late is read once more, and nothing else.
    let torn = |at: &usize| matches!(all.columns[*at], Column::Torn(_));
    let torn: Vec<usize> = (0..all.columns.len()).filter(torn).collect();
    if !torn.is_empty() {
        let slots: Vec<_> = torn.iter().map(|&at| (asked.slots[at].0, Wanted::Names)).collect();
        let again = in_blocks(text, dialect, &Asked { slots: &slots, ..*asked }, size)?;
        torn.into_iter().zip(again.columns).for_each(|(at, column)| all.columns[at] = column);
    }
    Ok(all)
}

/// The blocks of a text: whether it is the first, the line that it begins in, its text. Each ends with a record.
fn blocks(text: &str, dialect: Dialect, size: usize) -> Vec<(bool, usize, &str)> {
    let (mut blocks, mut rest, mut line) = (Vec::new(), text, 1);
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let end = end(bytes, size.min(bytes.len()), dialect);
        // A header stands in the first block, whatever its size.
        let first = blocks
            .iter()
            .all(|(_, _, text): &(bool, usize, &str)| text.trim_matches(['\r', '\n']).is_empty());
        blocks.push((first, line, &rest[..end]));
        line += memchr_iter(b'\n', &bytes[..end]).count();
        rest = &rest[end..];
    }
    blocks
}

/// Where the first record ends that has a byte from this one on: behind a line feed that stands in no quotes.
fn end(bytes: &[u8], from: usize, dialect: Dialect) -> usize {
    let find = |byte, at: usize, end: usize| memchr(byte, &bytes[at..end]).map(|found| at + found);
    let feed = |at| find(b'\n', at, bytes.len()).map_or(bytes.len(), |feed| feed + 1);
    let (mut at, mut end) = (0, feed(from));
    while let Some(open) = dialect.quotes.then(|| find(b'"', at, end)).flatten() {
        // Elsewhere than at the start of a value a quote is a character as others are.
        let mut inside = open == 0 || [dialect.delimiter, b'\n', b'\r'].contains(&bytes[open - 1]);
        at = open + 1;
        while inside {
            let Some(close) = find(b'"', at, bytes.len()) else { return bytes.len() };
            inside = bytes.get(close + 1) == Some(&b'"');
            at = close + 1 + usize::from(inside);
        }
        if at > end {
            end = feed(at);
        }
    }
    end
}

/// That there are more rows than there may be.
pub(super) fn too_many(line: usize) -> Fault {
    Fault::in_line(line, "there are many more rows than `shape` says", "correct `shape`")
}

fn block(text: &str, line: usize, dialect: Dialect, asked: &Asked<'_>) -> Result<Columns, Fault> {
    let mut records = Records::new(text, line, dialect, asked.width);
    let mut all = Columns::new(asked.slots);
    let mut header = asked.header;
    while records.next()? {
        if std::mem::take(&mut header) {
            continue;
        }
        if records.fields.len() != asked.width {
            if records.is_blank() {
                continue;
            }
            return Err(records.of_other_width(asked.width));
        }
        if all.lines.len() > asked.most {
            break;
        }
        all.lines.push(u32::try_from(records.line).unwrap_or(u32::MAX));
        for (slot, (column, (at, wanted))) in all.columns.iter_mut().zip(asked.slots).enumerate() {
            let text = records.field(*at);
            let value = (!(dialect.is_missing)(text)).then_some(text);
            if !column.push(value, *wanted, dialect.decimal) {
                return Err((asked.no_number)(slot, records.line, text));
            }
        }
    }
    Ok(all)
}

/// The characters of a file, without a byte order mark.
///
/// # Errors
/// The first byte that is no character.
pub fn text(bytes: &[u8], charset: Charset) -> Result<Cow<'_, str>, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    decoded(bytes, charset).map_err(|at| {
        let line = 1 + memchr_iter(b'\n', &bytes[..at]).count();
        let what = format!("byte 0x{:02x} is no character in UTF-8", bytes[at]);
        Fault::in_line(line, what, "save the file as UTF-8, or set charset = \"latin-1\"")
    })
}

/// The table of a file, of at most so many rows; `wanted` says of each attribute as what it is read.
///
/// # Errors
/// The first fault of the file.
pub fn read(
    bytes: &[u8],
    layout: &Layout,
    most: usize,
    wanted: &dyn Fn(&str) -> Wanted,
    target: Wanted,
) -> Result<Table, Fault> {
    let text = text(bytes, layout.charset)?;
    let dialect = Dialect::of(layout.delimiter, layout.decimal);
    let Some(first) = dialect.first(&text, 1)?.pop() else {
        return Err(Fault::in_line(1, "the file is empty", "name a file with rows"));
    };
    let names = names(&first, layout.header);
    let chosen = Chosen::new(names, layout)?;
    let is_number = |at: &usize| first[*at].parse::<f64>().is_ok();
    let looks_header = !layout.header && !chosen.attributes.iter().any(is_number);
    let slots = chosen.slots(wanted, target);
    let no_number = |slot: usize, line: usize, text: &str| {
        let column = chosen.names[slots[slot].0].clone();
        let place = Place::Value { line, column: column.clone() };
        if slots[slot].1 == Wanted::Bits {
            return no_bit(place, Some(text).filter(|text| !is_missing(text)));
        }
        let cure = match chosen.attributes.get(slot) {
            _ if looks_header && text == first[slots[slot].0] => {
                "the first line is a header: set header = true".to_owned()
            }
            None => NO_TARGET.to_owned(),
            Some(_) => format!(
                "correct the value, where it is missing leave it empty or write ?, NA or nan; or name the column in \
                 categories = [\"{column}\"]"
            ),
        };
        Fault { place, what: format!("{} is no number", excerpt(text)), cure }
    };
    let width = first.len();
    let asked = Asked { header: layout.header, width, slots: &slots, most, no_number: &no_number };
    let read = columns(&text, dialect, &asked)?;
    Ok(chosen.table(read))
}

/// That a value of a dataset of 0/1 variables is another, or is missing.
pub(super) fn no_bit(place: Place, text: Option<&str>) -> Fault {
    let what = text.map(|text| format!("{} is not 0 or 1", excerpt(text)));
    Fault {
        place,
        what: what.unwrap_or_else(|| "the value is missing".to_owned()),
        cure: NO_BIT.to_owned(),
    }
}

/// What to do about it.
pub(crate) const NO_BIT: &str =
    "a dataset of kind `binary` has 0 and 1 only; set kind = \"numeric\"";

/// What to do about a target that is no number.
pub(crate) const NO_TARGET: &str =
    "correct the value; if the target is a class, `shape` gives their number, `classes`";

/// The names of the columns of a file that begins with these values.
pub fn names(first: &[String], header: bool) -> Vec<String> {
    match header {
        true => told_apart(first.to_vec()),
        false => (1..=first.len()).map(|number| number.to_string()).collect(),
    }
}

/// The records of a text, the values of one at a time.
struct Records<'a> {
    text: &'a str,
    dialect: Dialect,
    /// So many values of a record are held, and one more.
    most: usize,
    /// Where the rest begins, and its line.
    at: usize,
    next_line: usize,
    /// The line that the present record begins in.
    line: usize,
    /// Its values: whether each stands in `unquoted`, and where.
    fields: Vec<(bool, Range<usize>)>,
    /// The values that stood in quotes, without these.
    unquoted: String,
}

/// So many bytes of one value stand in quotes at most.
const LONGEST_QUOTED: usize = 1 << 26;

impl<'a> Records<'a> {
    fn new(text: &'a str, line: usize, dialect: Dialect, most: usize) -> Self {
        let (fields, unquoted) = (Vec::new(), String::new());
        Self { text, dialect, most, at: 0, next_line: line, line, fields, unquoted }
    }

    /// Goes to the next record, if there is one: lines with nothing in them are none.
    fn next(&mut self) -> Result<bool, Fault> {
        let bytes = self.text.as_bytes();
        self.fields.clear();
        self.unquoted.clear();
        while let Some(end @ (b'\n' | b'\r')) = bytes.get(self.at) {
            self.next_line += usize::from(*end == b'\n');
            self.at += 1;
        }
        self.line = self.next_line;
        if self.at == bytes.len() {
            return Ok(false);
        }
        loop {
            let field = match bytes.get(self.at) {
                Some(b'"') if self.dialect.quotes => (true, self.quoted()?),
                _ => (false, self.plain()),
            };
            self.fields.push(field);
            let ends = bytes.get(self.at) != Some(&self.dialect.delimiter);
            // Of a record that has too many, no more are looked at: it is refused.
            if ends || self.fields.len() > self.most {
                return Ok(true);
            }
            self.at += 1;
        }
    }

    /// Goes to the end of what has no quotes.
    fn plain(&mut self) -> Range<usize> {
        let bytes = &self.text.as_bytes()[self.at..];
        let start = self.at;
        self.at += memchr3(self.dialect.delimiter, b'\n', b'\r', bytes).unwrap_or(bytes.len());
        start..self.at
    }

    /// Goes to the end of a value in quotes, with what stands behind them.
    fn quoted(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.unquoted.len();
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            let rest = &bytes[self.at..bytes.len().min(self.at + LONGEST_QUOTED)];
            let Some(length) = memchr(b'"', rest) else {
                let what = "a quote is not closed";
                let cure = "close the quotes; a quote within quotes is doubled";
                return Err(Fault::in_line(self.next_line, what, cure));
            };
            self.unquoted.push_str(&self.text[self.at..self.at + length]);
            self.next_line += memchr_iter(b'\n', &rest[..length]).count();
            self.at += length + 1;
            if bytes.get(self.at) != Some(&b'"') {
                let behind = self.plain();
                self.unquoted.push_str(&self.text[behind]);
                return Ok(start..self.unquoted.len());
            }
            self.unquoted.push('"');
            self.at += 1;
        }
    }

    /// A value of the record, without blanks around it.
    fn field(&self, at: usize) -> &str {
        let (unquoted, range) = &self.fields[at];
        let text = if *unquoted { &self.unquoted } else { self.text };
        text[range.clone()].trim()
    }

    /// Whether the record is a line of blanks.
    fn is_blank(&self) -> bool {
        self.fields.len() == 1 && self.field(0).is_empty()
    }

    fn of_other_width(&self, expected: usize) -> Fault {
        if self.field(0).starts_with('#') {
            return Fault::in_line(self.line, "it is a comment", "remove lines that begin with #");
        }
        let found = self.fields.len();
        let more = if found > expected { " or more" } else { "" };
        let what = format!("it has {found}{more} values, the first line has {expected}");
        let cure = "compare `delimiter` with the file; a value that holds it stands in quotes";
        Fault::in_line(self.line, what, cure)
    }
}

#[cfg(test)]
mod tests;
