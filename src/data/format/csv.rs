//! Tables as people have them: values separated by commas, tabs or another character, quoted where need be, with a
//! header or without, lines ended by LF or CRLF, perhaps with a byte order mark. `?`, `NA`, `nan` and nothing stand
//! where a value is missing.
//!
//! Columns are found by their names; without a header these are `1`, `2`, and so on.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::{decoded, excerpt};
use crate::limits;
use crate::vocabulary::Charset;
use document::nearest;

/// Whether a value stands for one that is missing.
pub fn is_missing(text: &str) -> bool {
    matches!(text, "" | "?" | "NA" | "nan" | "NaN" | "NAN")
}

/// Whether a class can stand in a table of results and in a problem's id.
pub fn is_class_name(name: &str) -> bool {
    !is_missing(name)
        && name.len() <= 200
        && !name.contains(['/', ';', '='])
        && !name.contains(char::is_control)
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
    /// Which characters bytes stand for.
    pub charset: Charset,
}

/// Something in a file is not what the registry says, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

/// A place in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(usize),
    /// A value.
    Value {
        /// Its line, from 1.
        line: usize,
        /// The name of its column.
        column: String,
    },
    /// An array, or an element of one.
    Array {
        /// Its name, where its file has several.
        name: Option<String>,
        /// Row and column from 0, as NumPy counts.
        at: Option<(usize, usize)>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Value { line, column } => write!(f, "line {line}, column `{column}`"),
            Self::Array { name, at } => {
                match name {
                    Some(name) => write!(f, "array `{name}`")?,
                    None => f.write_str("the array")?,
                }
                at.map_or(Ok(()), |(row, column)| write!(f, " at [{row}, {column}]"))
            }
        }
    }
}

impl Fault {
    /// That something is wrong with a line.
    pub fn in_line(line: usize, what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { place: Place::Line(line), what: what.into(), cure: cure.into() }
    }

    /// That something is wrong with the array of a file.
    pub fn in_array(what: impl Into<String>, cure: impl Into<String>) -> Self {
        let place = Place::Array { name: None, at: None };
        Self { place, what: what.into(), cure: cure.into() }
    }

    /// That it is the array of this name, where it is one.
    #[must_use]
    pub fn of_array(mut self, array: &str) -> Self {
        if let Place::Array { name, .. } = &mut self.place {
            *name = Some(array.to_owned());
        }
        self
    }

    /// That it is this element, from 0, where it is in an array.
    #[must_use]
    pub fn at_element(mut self, row: usize, column: usize) -> Self {
        if let Place::Array { at, .. } = &mut self.place {
            *at = Some((row, column));
        }
        self
    }
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The line that it begins in, from 1.
    pub line: usize,
    /// Its target; none where it is missing.
    pub target: Option<&'a str>,
    /// The column of its group and the value there, which may be missing.
    pub group: Option<(usize, Option<&'a str>)>,
    /// The column of its time and the value there, which may be missing.
    pub time: Option<(usize, Option<&'a str>)>,
    /// The values of its attributes; none where one is missing.
    pub values: &'a [Option<&'a str>],
    columns: &'a Chosen,
    /// Whether it is the first line of a file that is said to have no header.
    first: bool,
}

impl Row<'_> {
    /// That something is wrong with the value of an attribute, or with the target where there is none.
    pub fn fault(&self, attribute: Option<usize>, what: String, cure: impl Into<String>) -> Fault {
        let place = attribute.map_or(self.columns.target, |at| self.columns.attributes[at]);
        self.fault_in(place, what, cure)
    }

    /// That something is wrong in a column.
    pub fn fault_in(&self, column: usize, what: String, cure: impl Into<String>) -> Fault {
        let column = self.columns.names[column].clone();
        Fault { place: Place::Value { line: self.line, column }, what, cure: cure.into() }
    }

    /// That the target is no number.
    pub fn no_target(&self) -> Fault {
        let what = format!("{} is no number", excerpt(self.target.unwrap_or_default()));
        let header =
            self.first && self.values.iter().flatten().all(|text| text.parse::<f64>().is_err());
        let cure = match header {
            true => "the first line is a header: set header = true",
            false => {
                "correct the value; if the target is a class, `shape` gives their number, `classes`"
            }
        };
        self.fault(None, what, cure)
    }

    /// That the value of an attribute is no number.
    pub fn no_number(&self, attribute: usize) -> Fault {
        let text = self.values[attribute].unwrap_or_default();
        let what = format!("{} is no number", excerpt(text));
        let name = &self.columns.names[self.columns.attributes[attribute]];
        let header =
            self.first && self.values.iter().flatten().all(|text| text.parse::<f64>().is_err());
        let cure = match header {
            true => "the first line is a header: set header = true".to_owned(),
            false => format!(
                "correct the value, where it is missing leave it empty or write ?, NA or nan; or name the column in \
                 categories = [\"{name}\"]"
            ),
        };
        self.fault(Some(attribute), what, cure)
    }
}

/// The names of all columns, and which of them count.
#[derive(Debug)]
pub(super) struct Chosen {
    names: Vec<String>,
    target: usize,
    group: Option<usize>,
    time: Option<usize>,
    attributes: Vec<usize>,
}

impl Chosen {
    pub(super) fn new(names: Vec<String>, layout: &Layout) -> Result<Self, Fault> {
        let header = layout.header;
        if header && names.iter().all(|name| name.parse::<f64>().is_ok()) {
            let cure =
                "if the file has no header, set header = false; columns are then called 1, 2, …";
            return Err(Fault::in_line(1, "the names of the columns are numbers", cure));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let what = format!("two columns are called {}", excerpt(twice[0]));
            return Err(Fault::in_line(1, what, "give them different names in the file"));
        }
        let places: HashMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let place = |wanted: &String| {
            places.get(wanted.as_str()).copied().ok_or_else(|| {
                let all = || {
                    let some: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                    format!("the columns are {}", some.join(", "))
                };
                let near = nearest(wanted, names.iter().map(String::as_str));
                let cure = match near {
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
            return Err(Fault::in_line(
                1,
                what,
                "leave it out of `attributes`: who belongs together is not to be learned",
            ));
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
}

impl Chosen {
    /// The names of the attributes.
    pub(super) fn attributes(&self) -> Vec<&str> {
        self.attributes.iter().map(|&column| self.names[column].as_str()).collect()
    }

    /// Which columns hold what is learned from: those of the attributes, then that of the target.
    pub(super) fn counting(&self) -> impl Iterator<Item = usize> {
        self.attributes.iter().copied().chain([self.target])
    }

    /// Gives a row to `sink`, from the values of all columns; none where one is missing.
    pub(super) fn row(
        &self,
        line: usize,
        all: &[Option<&str>],
        first: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), Fault> {
        let values: Vec<Option<&str>> = self.attributes.iter().map(|&at| all[at]).collect();
        let mark = |column: Option<usize>| column.map(|column| (column, all[column]));
        let (group, time) = (mark(self.group), mark(self.time));
        let (target, values) = (all[self.target], &values[..]);
        sink.row(&Row { line, target, group, time, values, columns: self, first })
    }
}

/// Tells the names of the attributes before the first row comes, then each row.
pub trait Sink {
    /// The attributes.
    ///
    /// # Errors
    /// If they are not those that were expected.
    fn begin(&mut self, attributes: &[&str]) -> Result<(), Fault>;

    /// A row.
    ///
    /// # Errors
    /// If it is not what was expected.
    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault>;
}

/// Gives the rows of a file to `sink`. Time O(bytes).
///
/// # Errors
/// The first fault of the file, or the sink's.
pub fn read(text: &[u8], layout: &Layout, sink: &mut dyn Sink) -> Result<(), Fault> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = decoded(text, layout.charset).map_err(|at| {
        let line = 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count();
        let what = format!("byte 0x{:02x} is no character in UTF-8", text[at]);
        Fault::in_line(line, what, "save the file as UTF-8, or set charset = \"latin-1\"")
    })?;
    let mut records = Records::new(text.as_bytes(), layout.delimiter);
    let Some(first) = records.next(limits::COLUMNS) else {
        return Err(Fault::in_line(1, "the file is empty", "name a file with rows"));
    };
    if first.fields.len() > limits::COLUMNS {
        let what = format!("it has more than {} values", limits::COLUMNS);
        return Err(Fault::in_line(first.line, what, "compare `delimiter` with the file"));
    }
    let names: Vec<String> = match layout.header {
        true => first.fields.clone(),
        false => (1..=first.fields.len()).map(|number| number.to_string()).collect(),
    };
    let chosen = Chosen::new(names, layout)?;
    sink.begin(&chosen.attributes())?;
    let expected = first.fields.len();
    let mut row = |record: &Record, first: bool| {
        let found = record.fields.len();
        if found != expected {
            let more = if found > expected { " or more" } else { "" };
            let what = format!("it has {found}{more} values, the first line has {expected}");
            // Quotes that are not closed take the lines behind them along.
            let cure = match record.quoted && found < expected {
                true => "close the quotes; a quote within quotes is doubled",
                false => {
                    "compare `delimiter` with the file; a value that holds it stands in quotes"
                }
            };
            return Err(Fault::in_line(record.line, what, cure));
        }
        let fields = record.fields.iter().map(String::as_str);
        let all: Vec<Option<&str>> =
            fields.map(|text| (!is_missing(text)).then_some(text)).collect();
        chosen.row(record.line, &all, first, sink)
    };
    if !layout.header {
        row(&first, true)?;
    }
    while let Some(record) = records.next(expected) {
        row(&record, false)?;
    }
    Ok(())
}

/// The values of each record, of at most so many records.
///
/// # Errors
/// If one has more values than a table may have, or all have more than are looked at.
pub fn rows(text: &str, delimiter: u8, most: usize) -> Result<Vec<Vec<String>>, Fault> {
    let mut records = Records::new(text.as_bytes(), delimiter);
    let (mut rows, mut values) = (Vec::new(), 0);
    while rows.len() < most
        && let Some(record) = records.next(limits::COLUMNS)
    {
        if record.fields.len() > limits::COLUMNS {
            let what = format!("it has more than {} values", limits::COLUMNS);
            return Err(Fault::in_line(record.line, what, "compare `delimiter` with the file"));
        }
        values += record.fields.len();
        within_draft(values, record.line)?;
        rows.push(record.fields);
    }
    Ok(rows)
}

/// That a table which nobody has described yet is not too large to be looked at.
///
/// # Errors
/// If it has more values.
pub fn within_draft(values: usize, line: usize) -> Result<(), Fault> {
    if values <= limits::DRAFTED {
        return Ok(());
    }
    let what = format!("the table has more than {} values up to here", limits::DRAFTED);
    Err(Fault::in_line(line, what, "write its entry by hand, see docs/data.md"))
}

/// One record of a file.
struct Record {
    line: usize,
    fields: Vec<String>,
    /// Whether it has quotes.
    quoted: bool,
}

/// The records of a text. No more fields of one are held than are asked for.
struct Records<'a> {
    reader: csv_core::Reader,
    rest: &'a [u8],
    done: bool,
}

impl<'a> Records<'a> {
    fn new(text: &'a [u8], delimiter: u8) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Self { reader, rest: text, done: false }
    }

    /// The next one, its values without blanks around them. Of one that has more fields than `most` there is one
    /// field more.
    fn next(&mut self, most: usize) -> Option<Record> {
        use csv_core::ReadFieldResult as Found;
        if self.done {
            return None;
        }
        let mut line = self.reader.line() as usize;
        let (mut fields, mut field) = (Vec::new(), Vec::new());
        let mut out = [0; 4096];
        let mut quoted = false;
        loop {
            let (found, read, written) = self.reader.read_field(self.rest, &mut out);
            quoted |= self.rest[..read].contains(&b'"');
            if fields.is_empty() && field.is_empty() {
                // Empty lines before a record are read with it.
                let blank = self.rest[..read].iter().take_while(|byte| b"\r\n".contains(byte));
                line += blank.filter(|&&byte| byte == b'\n').count();
            }
            self.rest = &self.rest[read..];
            field.extend_from_slice(&out[..written]);
            match found {
                Found::OutputFull => {}
                // All of the text is there: an empty input is its end.
                Found::InputEmpty => {}
                Found::Field { record_end } => {
                    if fields.len() <= most {
                        fields.push(String::from_utf8_lossy(&field).trim().to_owned());
                    }
                    field.clear();
                    if record_end {
                        return Some(Record { line, fields, quoted });
                    }
                }
                Found::End => {
                    self.done = true;
                    return None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes, then each row: line, class, values.
    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn begin(&mut self, attributes: &[&str]) -> Result<(), Fault> {
            self.0.push(attributes.join(" "));
            Ok(())
        }

        fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
            let values: Vec<&str> = row.values.iter().map(|value| value.unwrap_or("∅")).collect();
            self.0.push(format!(
                "{} {}: {}",
                row.line,
                row.target.unwrap_or("∅"),
                values.join("|")
            ));
            Ok(())
        }
    }

    fn layout() -> Layout {
        Layout {
            header: true,
            delimiter: b',',
            target: "class".to_owned(),
            group: None,
            time: None,
            attributes: None,
            categories: Vec::new(),
            charset: Charset::Utf8,
        }
    }

    fn seen(text: &[u8], layout: &Layout) -> Result<Vec<String>, String> {
        let mut seen = Seen::default();
        match read(text, layout, &mut seen) {
            Ok(()) => Ok(seen.0),
            Err(fault) => Err(format!("{fault} ({})", fault.cure)),
        }
    }

    #[test]
    fn tables_are_read_as_people_have_them() {
        // Python 3.11.7: csv.reader gives the same values.
        let text = b"\xef\xbb\xbf\"name\",age,class\r\n\"Allen, Miss. \"\"Bess\"\"\",29,well done\r\n\r\n\"two\r\nlines\",NA,ill\r\n?, nan ,ill";
        let expected = [
            "name age",
            "2 well done: Allen, Miss. \"Bess\"|29",
            "4 ill: two\r\nlines|∅",
            "6 ill: ∅|∅",
        ];
        assert_eq!(seen(text, &layout()).unwrap(), expected);
        let tabs = Layout { delimiter: b'\t', ..layout() };
        assert_eq!(seen(b"a\tclass\tb\n1,5\ty\t\n", &tabs).unwrap(), ["a b", "2 y: 1,5|∅"]);
        let latin = Layout { charset: Charset::Latin1, ..layout() };
        assert_eq!(seen(b"caf\xe9,class\n1,y\n", &latin).unwrap()[0], "café");
    }

    #[test]
    fn columns_are_chosen_by_name() {
        let some = Some(vec!["c".to_owned(), "a".to_owned()]);
        let chosen = Layout { attributes: some, ..layout() };
        assert_eq!(seen(b"a,b,class,c\n1,2,y,3\n", &chosen).unwrap(), ["c a", "2 y: 3|1"]);
        let numbered = Layout { header: false, target: "2".to_owned(), ..layout() };
        assert_eq!(seen(b"1,y,3\n", &numbered).unwrap(), ["1 3", "1 y: 1|3"]);
    }

    #[test]
    fn every_fault_has_its_cause_and_its_cure() {
        let numbered = Layout { header: false, target: "3".to_owned(), ..layout() };
        let unknown = Layout { categories: vec!["clas".to_owned()], ..layout() };
        let target = Layout { categories: vec!["class".to_owned()], ..layout() };
        for (text, layout, message) in [
            (&b""[..], &layout(), "line 1: the file is empty (name a file with rows)"),
            (b"a,Class\n", &layout(), "line 1: there is no column `class` (did you mean `Class`?)"),
            (b"a,b\n", &layout(), "line 1: there is no column `class` (the columns are a, b)"),
            (
                b"1.5,2\n",
                &layout(),
                "line 1: the names of the columns are numbers (if the file has no header, set header = \
                 false; columns are then called 1, 2, …)",
            ),
            (
                b"1.5,2\n",
                &numbered,
                "line 1: there is no column `3` (without a header the columns are 1, 2; or set header = true)",
            ),
            (
                b"a,a,class\n",
                &layout(),
                "line 1: two columns are called `a` (give them different names in the file)",
            ),
            (
                b"a,class\n1,y\n2,y,3\n",
                &layout(),
                "line 3: it has 3 or more values, the first line has 2 (compare `delimiter` with the file; a \
                 value that holds it stands in quotes)",
            ),
            (
                b"a,class\n\"1,y\n2,n\n",
                &layout(),
                "line 2: it has 1 values, the first line has 2 (close the quotes; a quote within quotes is \
                 doubled)",
            ),
            (
                b"a,class\n1,y\n2,caf\xe9\n",
                &layout(),
                "line 3: byte 0xe9 is no character in UTF-8 (save the file as UTF-8, or set charset = \
                 \"latin-1\")",
            ),
            (b"a,class\n", &unknown, "line 1: there is no column `clas` (did you mean `class`?)"),
            (
                b"a,class\n",
                &target,
                "line 1: `class` in `categories` is none of the attributes (name it in `attributes` too, or \
                 in neither)",
            ),
        ] {
            assert_eq!(seen(text, layout), Err(message.to_owned()));
        }
    }

    #[test]
    fn no_more_fields_are_held_than_are_asked_for() {
        let text = format!("a,class\n{}\n", ",".repeat(5_000_000));
        let mut records = Records::new(text.as_bytes(), b',');
        assert_eq!(records.next(2).unwrap().fields, ["a", "class"]);
        assert_eq!(records.next(2).unwrap().fields.len(), 3);
    }
}
