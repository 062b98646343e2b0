//! ARFF, the format of Weka and OpenML: lines that declare attributes, then `@data` and one example a line, its values
//! separated by commas. Names and values may stand in single or double quotes, with `\` before a quote. `?` stands
//! where a value is missing. Lines that begin with `%` are comments. Attributes are numbers (`numeric`, `real`,
//! `integer`) or have the names in their braces; those of other types can only be left out. Sparse rows are refused.
//!
//! <https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/>

use std::collections::HashSet;
use std::iter::Zip;
use std::ops::RangeFrom;
use std::str::Lines;

use super::columns::{Table, Wanted};
use super::csv::{Chosen, Columns, Layout, NO_TARGET, no_bit, told_apart, too_many};
use super::excerpt;
use super::fault::{Fault, Place};
use crate::limits;

/// What an attribute holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Numbers.
    Number,
    /// One of these names.
    Names(Vec<String>),
    /// Something else, such as text or dates.
    Other(String),
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: Type,
    /// The line that declares it, from 1.
    line: usize,
}

impl Attribute {
    /// That a value is no number.
    fn no_number(&self, line: usize, text: &str) -> Fault {
        let what = format!("{} of `{}` is no number", excerpt(text), self.name);
        let cure = match self.holds {
            Type::Number => {
                format!("line {} declares numbers: correct the value, or write ?", self.line)
            }
            Type::Names(_) | Type::Other(_) => NO_TARGET.to_owned(),
        };
        Fault::in_line(line, what, cure)
    }

    /// The names that its values may be, if they are names.
    fn names(&self) -> Option<HashSet<&str>> {
        match &self.holds {
            Type::Names(names) => Some(names.iter().map(String::as_str).collect()),
            Type::Number | Type::Other(_) => None,
        }
    }
}

/// A file whose attributes are known.
#[derive(Debug)]
pub struct Arff<'a> {
    /// All attributes.
    pub attributes: Vec<Attribute>,
    /// The lines behind `@data`, each with its number from 1.
    lines: Zip<RangeFrom<usize>, Lines<'a>>,
}

/// Whether a text begins as such a file does.
pub fn is_arff(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !comment(line));
    lines.next().is_some_and(|line| keyword(line, "@relation").is_some())
}

fn comment(line: &str) -> bool {
    line.starts_with('%')
}

/// What follows a keyword.
fn keyword<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let head = line.get(..word.len())?;
    let rest = &line[word.len()..];
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (head.eq_ignore_ascii_case(word) && ends).then(|| rest.trim())
}

impl<'a> Arff<'a> {
    /// Reads what a file says of its attributes. Time O(bytes).
    ///
    /// # Errors
    /// A line that declares nothing, too many attributes, or no `@data`.
    pub fn new(text: &'a str) -> Result<Self, Fault> {
        let mut attributes: Vec<Attribute> = Vec::new();
        let mut lines = (1..).zip(text.lines());
        let mut names = 0;
        while let Some((line, found)) = lines.next() {
            let found = found.trim();
            if found.is_empty() || comment(found) || keyword(found, "@relation").is_some() {
                continue;
            }
            if keyword(found, "@data").is_some() {
                if attributes.is_empty() {
                    let cure = "declare them: @attribute NAME numeric, or @attribute NAME {a,b}";
                    return Err(Fault::in_line(line, "there are no attributes", cure));
                }
                return Ok(Self { attributes, lines });
            }
            let declared = keyword(found, "@attribute").ok_or_else(|| {
                let what = format!("{} is no declaration", excerpt(found));
                Fault::in_line(line, what, "expected @relation, @attribute NAME TYPE or @data")
            })?;
            if attributes.len() == limits::COLUMNS {
                let what = format!("there are more than {} attributes", limits::COLUMNS);
                return Err(Fault::in_line(line, what, "name a smaller file"));
            }
            let attribute = attribute(declared, line)?;
            if let Type::Names(own) = &attribute.holds {
                names += own.len();
            }
            if names > limits::NAMES {
                let what = format!("the attributes have more than {} names", limits::NAMES);
                return Err(Fault::in_line(line, what, "declare texts as of type string"));
            }
            attributes.push(attribute);
        }
        let last = text.lines().count().max(1);
        Err(Fault::in_line(last, "the file ends without @data", "name a whole ARFF file"))
    }

    /// The names of attributes whose values are names, as [`names`](Self::names) tells them apart.
    pub fn categories(&self) -> Vec<String> {
        let all = self.names().into_iter().zip(&self.attributes);
        let named = all.filter(|(_, attribute)| matches!(attribute.holds, Type::Names(_)));
        named.map(|(name, _)| name).collect()
    }

    /// The names of the attributes; one that comes again gets a number.
    pub fn names(&self) -> Vec<String> {
        told_apart(self.attributes.iter().map(|attribute| attribute.name.clone()).collect())
    }

    /// The table of the rows, at most so many; `wanted` says of each attribute as what it is read.
    ///
    /// # Errors
    /// The first fault of the file.
    pub fn read(
        &self,
        layout: &Layout,
        most: usize,
        wanted: &dyn Fn(&str) -> Wanted,
        target: Wanted,
    ) -> Result<Table, Fault> {
        let chosen = Chosen::new(self.names(), layout)?;
        for &column in chosen.attributes.iter().chain([&chosen.target]) {
            let Attribute { name, holds, line } = &self.attributes[column];
            if let Type::Other(word) = holds {
                let what = format!("attribute `{name}` is of type {}", excerpt(word));
                let cure = "numeric, real, integer and {names} are read; leave the others out: name the rest in \
                            `attributes`";
                return Err(Fault::in_line(*line, what, cure));
            }
        }
        let columns = self.columns(&chosen.slots(wanted, target), most)?;
        Ok(chosen.table(columns))
    }

    /// These columns of at most so many rows.
    ///
    /// # Errors
    /// The first row that is not what the file declares.
    pub fn columns(&self, slots: &[(usize, Wanted)], most: usize) -> Result<Columns, Fault> {
        let named: Vec<Option<HashSet<&str>>> =
            self.attributes.iter().map(Attribute::names).collect();
        let mut all = Columns::new(slots);
        for (line, values) in self.rows() {
            let values = values?;
            if all.lines.len() == most {
                return Err(too_many(line));
            }
            for ((value, attribute), names) in values.iter().zip(&self.attributes).zip(&named) {
                if let (Some(text), Some(names)) = (value, names)
                    && !names.contains(text.as_str())
                {
                    let what =
                        format!("{} is none of the names of `{}`", excerpt(text), attribute.name);
                    let cure = format!("correct the value, or add it in line {}", attribute.line);
                    return Err(Fault::in_line(line, what, cure));
                }
            }
            all.lines.push(line as u32);
            for (column, (at, wanted)) in all.columns.iter_mut().zip(slots) {
                let text = values[*at].as_deref();
                if !column.push(text, *wanted, None) {
                    if *wanted == Wanted::Bits {
                        let column = self.attributes[*at].name.clone();
                        return Err(no_bit(Place::Value { line, column }, text));
                    }
                    return Err(self.attributes[*at].no_number(line, text.unwrap_or_default()));
                }
            }
        }
        Ok(all)
    }

    /// The values of each row, with its line: as many as attributes. None where one is missing.
    pub fn rows(&self) -> impl Iterator<Item = (usize, Result<Vec<Option<String>>, Fault>)> {
        let rows = self.lines.clone().map(|(line, row)| (line, row.trim()));
        let rows = rows.filter(|(_, row)| !row.is_empty() && !comment(row));
        rows.map(|(line, row)| (line, self.values(line, row)))
    }

    fn values(&self, line: usize, row: &str) -> Result<Vec<Option<String>>, Fault> {
        if row.starts_with('{') {
            let cure = "write every value of every row: Weka's filter SparseToNonSparse does";
            return Err(Fault::in_line(line, "it is sparse, and sparse rows are not read", cure));
        }
        let expected = self.attributes.len();
        let values = values(row, expected).map_err(|what| {
            let cure = "close the quotes; a quote within quotes has a `\\` before it";
            Fault::in_line(line, what, cure)
        })?;
        if values.len() != expected {
            let more = if values.len() > expected { " or more" } else { "" };
            let found = values.len();
            let what = format!("it has {found}{more} values, and there are {expected} attributes");
            let cure = "separate values by commas; a value that holds one stands in quotes";
            return Err(Fault::in_line(line, what, cure));
        }
        let known = |(text, quoted): (String, bool)| {
            (quoted || !matches!(text.as_str(), "?" | "")).then_some(text)
        };
        Ok(values.into_iter().map(known).collect())
    }
}

/// An attribute's name and type.
fn attribute(declared: &str, line: usize) -> Result<Attribute, Fault> {
    let fault = |what: String| {
        Fault::in_line(line, what, "expected @attribute NAME TYPE, such as @attribute 'a b' {x,y}")
    };
    let (name, rest) = match declared.chars().next() {
        Some(quote @ ('\'' | '"')) => {
            let (name, rest) =
                quoted(&declared[1..], quote).ok_or_else(|| fault("a quote is open".to_owned()))?;
            (name, rest.trim())
        }
        _ => {
            let end = declared.find(char::is_whitespace).unwrap_or(declared.len());
            (declared[..end].to_owned(), declared[end..].trim())
        }
    };
    if name.is_empty() || rest.is_empty() {
        return Err(fault(format!("attribute {} has no type", excerpt(&name))));
    }
    let holds = match rest.strip_prefix('{') {
        Some(names) => {
            let names = names
                .strip_suffix('}')
                .ok_or_else(|| fault(format!("the names of {} do not end", excerpt(&name))))?;
            let names = values(names, limits::CLASSES).map_err(fault)?;
            if names.len() > limits::CLASSES {
                let most = limits::CLASSES;
                return Err(fault(format!("{} has more than {most} names", excerpt(&name))));
            }
            Type::Names(names.into_iter().map(|(name, _)| name).collect())
        }
        None => {
            let numbers = ["numeric", "real", "integer"];
            match numbers.iter().any(|word| rest.eq_ignore_ascii_case(word)) {
                true => Type::Number,
                false => Type::Other(rest.to_owned()),
            }
        }
    };
    Ok(Attribute { name, holds, line })
}

/// The values between commas, and whether each stands in quotes, of more than `most` one more; or what is wrong with them.
fn values(row: &str, most: usize) -> Result<Vec<(String, bool)>, String> {
    let mut values = Vec::new();
    let mut rest = row;
    while values.len() <= most {
        rest = rest.trim_start();
        let value = match rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let (text, behind) =
                    quoted(&rest[1..], quote).ok_or_else(|| "a quote is open".to_owned())?;
                rest = behind.trim_start();
                if !(rest.is_empty() || rest.starts_with(',')) {
                    return Err(format!("{} follows a quote", excerpt(rest)));
                }
                (text, true)
            }
            _ => {
                let end = rest.find(',').unwrap_or(rest.len());
                let text = rest[..end].trim().to_owned();
                rest = &rest[end..];
                (text, false)
            }
        };
        values.push(value);
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    Ok(values)
}

/// A text up to the quote that ends it, and what is behind.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => found.push(characters.next()?.1),
            _ if character == quote => return Some((found, &text[at + character.len_utf8()..])),
            _ => found.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Charset;

    const HEAD: &str = "% a comment\n@RELATION r\n@attribute 'a b' { 'x, y' , it\\'s, \"'z'\" }\n@attribute n REAL\n\
                        @attribute class {yes,no}\n@data\n";

    fn seen(text: &str, attributes: Option<&[&str]>) -> Result<Vec<String>, String> {
        let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let layout = Layout {
            header: true,
            delimiter: b',',
            target: "class".to_owned(),
            group: None,
            time: None,
            attributes: attributes.map(named),
            categories: Vec::new(),
            decimal: None,
            charset: Charset::Utf8,
        };
        let wanted = |name: &str| if name == "n" { Wanted::Numbers } else { Wanted::Names };
        let read =
            Arff::new(text).and_then(|arff| arff.read(&layout, 99_999, &wanted, Wanted::Names));
        let table = read.map_err(|fault| format!("{fault} ({})", fault.cure))?;
        Ok(table.shown())
    }

    #[test]
    fn rows_are_read_as_the_format_says() {
        let text = HEAD.replace("it\\'s", "its")
            + "'x, y',1.5,yes\n% between\n\n?, ? ,no\r\n \"'z'\" , -2e3, ?\nits,4,no";
        let expected =
            ["a b n", "7 yes: x, y|1.5", "10 no: ∅|∅", "11 ∅: 'z'|-2000", "12 no: its|4"];
        assert_eq!(seen(&text, None).unwrap(), expected);
        assert_eq!(seen(&text, Some(&["n"])).unwrap()[1], "7 yes: 1.5");
        assert_eq!(Arff::new(&text).unwrap().categories(), ["a b", "class"]);
        let again = "@relation r\n@attribute a numeric\n@attribute a {1,2}\n@attribute class {u,v}\n@data\n1,2,u\n";
        assert_eq!(Arff::new(again).unwrap().categories(), ["a.2", "class"]);
        let escaped =
            "@relation r\n@attribute 'it\\'s' {'?',b}\n@attribute class {u,v}\n@data\n'?',u\n";
        assert_eq!(seen(escaped, None).unwrap(), ["it's", "5 u: ?"]);
    }

    #[test]
    fn what_can_not_be_read_is_named_by_line() {
        for (rows, message) in [
            ("{0 x, 2 yes}", "line 7: it is sparse, and sparse rows are not read (write every"),
            ("?,1", "line 7: it has 2 values, and there are 3 attributes (separate"),
            ("?,1,yes,,,", "line 7: it has 4 or more values, and there are 3 attributes"),
            ("'x, y,1,yes", "line 7: a quote is open (close"),
            ("'x'y,1,yes", "line 7: `y,1,yes` follows a quote"),
            (
                "?,1,maybe",
                "line 7: `maybe` is none of the names of `class` (correct the value, or add it in line 5)",
            ),
            (
                "?,1x,yes",
                "line 7: `1x` of `n` is no number (line 4 declares numbers: correct the value, or write ?)",
            ),
        ] {
            let found = seen(&(HEAD.replace("it\\'s", "its") + rows + "\n"), None).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
        for (text, message) in [
            ("@relation r\n@attribute a real\n", "line 2: the file ends without @data"),
            ("@relation r\n@data\n1\n", "line 2: there are no attributes"),
            (
                "@relation r\nattribute a real\n@data\n",
                "line 2: `attribute a real` is no declaration",
            ),
            ("@relation r\n@attribute a\n@data\n", "line 2: attribute `a` has no type"),
            ("@relation r\n@attribute 'a\n@data\n", "line 2: a quote is open"),
            ("@relation r\n@attribute a {x\n@data\n", "line 2: the names of `a` do not end"),
            ("", "line 1: the file ends without @data"),
            (
                "@relation r\n@attribute a string\n@attribute class {u,v}\n@data\nx,u\n",
                "line 2: attribute `a` is of type `string`",
            ),
            ("@relation r\n@attribute a real\n@data\n1\n", "line 1: there is no column `class`"),
        ] {
            let found = seen(text, None).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
    }

    #[test]
    fn an_arff_file_is_recognised() {
        assert!(is_arff("% c\n\n@Relation x") && !is_arff("@relations\n") && !is_arff("a,b\n1,2"));
    }

    #[test]
    fn many_names_and_many_rows_are_read_in_time() {
        let names: Vec<String> = (0..60_000).map(|at| format!("name-of-the-value-{at}")).collect();
        let rows: Vec<String> = names.iter().rev().map(|name| format!("{name},yes")).collect();
        let head = "@relation r\n@attribute a {";
        let text = format!(
            "{head}{}}}\n@attribute class {{yes,no}}\n@data\n{}\n",
            names.join(","),
            rows.join("\n")
        );
        let before = std::time::Instant::now();
        assert_eq!(seen(&text, None).unwrap().len(), 60_001);
        assert!(before.elapsed().as_secs() < 5, "every row is compared with every name");
    }

    #[test]
    fn names_are_counted() {
        let names = |count: usize| vec!["n"; count].join(",");
        let attribute = |at: usize, count| format!("@attribute a{at} {{{}}}\n", names(count));
        let text = format!("@relation r\n{}@data\n", attribute(1, 65_537));
        let error = Arff::new(&text).unwrap_err().to_string();
        assert_eq!(error, "line 2: `a1` has more than 65536 names");
        let many: String = (1..=65).map(|at| attribute(at, 65_536)).collect();
        let error = Arff::new(&format!("@relation r\n{many}@data\n")).unwrap_err().to_string();
        assert_eq!(error, "line 66: the attributes have more than 4194304 names");
    }
}
