//! A registry's entry for a table that nobody has described yet: what can be known by looking at the file is looked
//! up, and what has to be chosen is chosen in sight, so that it can be chosen otherwise.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use base::digest::Digest;
use base::printable::{self, is_hidden};
use base::text::real;

use crate::format::arff::{self, Arff, Type};
use crate::format::csv::{self, is_missing};
use crate::format::{decoded, unpacked};
use crate::limits;
use crate::vocabulary::{Charset, Encoding, Role};

/// How many records are looked at for what separates values.
const LOOKED_AT: usize = 200;

/// So many different values are still classes, where they are whole numbers.
const MOST_NUMBERED_CLASSES: usize = 20;

/// Names that say that a column is the class, in the order in which they are believed.
const TARGETS: [&str; 7] = ["class", "target", "label", "y", "species", "outcome", "diagnosis"];

/// A file of a dataset.
#[derive(Debug, Clone)]
pub struct Sighted {
    /// Which part of the dataset it holds.
    pub role: Role,
    /// What errors call it.
    pub name: String,
    /// As the registry will say: `path = "…"` or `url = "…"`.
    pub source: String,
    /// Its bytes as they lie there.
    pub bytes: Vec<u8>,
}

/// An entry, and what was seen on the way to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The entry as it will stand in the registry.
    pub entry: String,
    /// The columns: name, what becomes of it, missing values, what it holds.
    pub columns: Vec<[String; 4]>,
    /// What is learned to predict.
    pub target: Predicted,
    /// What was chosen, and how to choose otherwise, in sentences.
    pub notes: Vec<String>,
}

/// What is learned to predict.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicted {
    /// Classes, each with its number of examples.
    Classes(Vec<(String, usize)>),
    /// A number: the least, and the most.
    Number(f64, f64),
}

impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classes(classes) => {
                let classes = classes.iter().map(|(class, rows)| format!("{class} {rows}"));
                write!(f, "classes: {}", classes.collect::<Vec<_>>().join(", "))
            }
            Self::Number(least, most) => {
                write!(f, "target: a number from {} to {}", real(*least), real(*most))
            }
        }
    }
}

/// No entry can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{cure}"))]
pub struct Undescribed {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

fn no(what: impl Into<String>, cure: impl Into<String>) -> Undescribed {
    Undescribed { what: what.into(), cure: cure.into() }
}

impl Draft {
    /// Looks at the files of a dataset. Without `target` the column that is called as targets are, else the last.
    /// Names and few whole numbers are classes, other numbers are numbers to be predicted.
    ///
    /// # Errors
    /// If they are no tables of the same columns, or nothing in them can be the target.
    pub fn of(files: &[Sighted], id: &str, target: Option<&str>) -> Result<Self, Undescribed> {
        let tables = files.iter().map(Seen::of).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = tables.first() else {
            return Err(no("there is no file", "name a file, or a folder with one"));
        };
        for (table, file) in tables.iter().zip(files) {
            if table.names != first.names || table.layout.header() != first.layout.header() {
                let what = format!("{} has other columns than {}", file.name, files[0].name);
                return Err(no(what, "the files of a dataset have the same columns"));
            }
        }
        let hidden =
            |(at, name): (usize, &String)| Some((at, name.chars().find(|&c| is_hidden(c))?));
        if let Some((at, character)) = first.names.iter().enumerate().find_map(hidden) {
            let what = format!("the name of column {} of {}", at + 1, files[0].name);
            let what = format!("{what} holds the character {}", printable::name(character));
            return Err(no(what, "it can't be seen: remove it from the file"));
        }
        let rows: Vec<&Vec<String>> = tables.iter().flat_map(|table| &table.rows).collect();
        let columns: Vec<Summary> = first
            .names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let column = Summary::of(name, rows.iter().map(|row| row[at].as_str()));
                Summary { numbers: column.numbers && !first.layout.has_names(at), ..column }
            })
            .collect();
        let mut notes = Vec::new();
        let target = chosen_target(&columns, target, &mut notes)?;
        let mut entry = Chosen { first, columns: &columns, target, attributes: Vec::new() };
        for (at, column) in columns.iter().enumerate().filter(|(at, _)| *at != target) {
            match column.identifies(rows.len()) {
                Some(why) => notes.push(format!(
                    "`{}` is left out: {why}; name it in `attributes` if it tells something",
                    column.name
                )),
                None => entry.attributes.push(at),
            }
        }
        if entry.attributes.is_empty() {
            return Err(no(
                format!("there is no attribute beside the target `{}`", columns[target].name),
                "name the target with --target; compare what separates values with the file",
            ));
        }
        let missing = entry.missing(&rows, &mut notes);
        // Rows that are left out may take a value of the target with them.
        let stays = |row: &&&Vec<String>| {
            let mut taken = entry.attributes.iter().chain([&target]);
            missing != Some("drop") || taken.all(|&at| !is_missing(&row[at]))
        };
        let labels = rows.iter().filter(stays).map(|row| row[target].as_str());
        let complete = Summary::of(&columns[target].name, labels);
        if complete.values.len() < 2 {
            let what = format!(
                "`{}` is no target: it has one value in complete rows",
                columns[target].name
            );
            return Err(no(what, "name the column of the target with --target"));
        }
        let predicted = match columns[target].range() {
            Some((least, most)) if columns[target].is_number() => Predicted::Number(least, most),
            _ => Predicted::Classes(complete.values.into_iter().collect()),
        };
        let sizes: Vec<(Role, usize)> =
            files.iter().zip(&tables).map(|(file, table)| (file.role, table.rows.len())).collect();
        let files: String = files.iter().zip(&tables).map(|(f, t)| entry.file(f, t)).collect();
        Ok(Self {
            entry: format!("{}files = [\n{files}]\n", entry.head(id, &sizes, missing, &predicted)),
            columns: entry.shown(),
            target: predicted,
            notes,
        })
    }
}

/// A file as far as it can be read without being told how.
struct Seen {
    encoding: Encoding,
    charset: Charset,
    layout: Looks,
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What a file says of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Looks {
    /// At most their names.
    Csv { delimiter: u8, header: bool },
    /// What they hold: of each whether it has names.
    Arff(Vec<bool>),
}

impl Seen {
    fn of(file: &Sighted) -> Result<Self, Undescribed> {
        let name = &file.name;
        let encoding =
            if file.bytes.starts_with(&[0x1f, 0x8b]) { Encoding::Gzip } else { Encoding::Plain };
        let text = unpacked(file.bytes.clone(), encoding, limits::TEXT)
            .map_err(|error| no(format!("cannot unpack {name}: {error}"), "name a sound file"))?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        if text.contains(&0) {
            let cure = "save it as CSV: an entry for other formats is written by hand, see docs/reference/data.md";
            return Err(no(format!("{name} is no text"), cure));
        }
        let (charset, text) = match decoded(text, Charset::Utf8) {
            Ok(text) => (Charset::Utf8, text),
            Err(_) => match decoded(text, Charset::Latin1) {
                Ok(text) => (Charset::Latin1, text),
                Err(_) => return Err(no(format!("{name} is no text"), "name a file of text")),
            },
        };
        let fault = |fault: csv::Fault| no(format!("{name}, {fault}"), fault.cure);
        if arff::is_arff(&text) {
            let found = Arff::new(&text).map_err(fault)?;
            let text = |value: &arff::Value| value.known().unwrap_or("?").to_owned();
            let mut values = 0;
            let row = |(line, row): (usize, Result<Vec<arff::Value>, csv::Fault>)| {
                let row = row?;
                values += row.len();
                csv::within_draft(values, line)?;
                Ok(row.iter().map(text).collect::<Vec<String>>())
            };
            let rows = found.rows().map(row).collect::<Result<Vec<_>, _>>().map_err(fault)?;
            if rows.is_empty() {
                return Err(no(format!("{name} has no rows"), "name a file with examples"));
            }
            let numbers = |attribute: &arff::Attribute| attribute.holds != Type::Number;
            let layout = Looks::Arff(found.attributes.iter().map(numbers).collect());
            let names = found.attributes.into_iter().map(|attribute| attribute.name).collect();
            return Ok(Self { encoding, charset, layout, names, rows });
        }
        let delimiter = delimiter(&text).ok_or_else(|| {
            no(
                format!("{name} is no table: no comma, tab, semicolon or bar gives its lines the same number of values"),
                "name a CSV or TSV file; every line needs as many values as the first",
            )
        })?;
        let mut rows = csv::rows(&text, delimiter, usize::MAX).map_err(fault)?;
        let header = has_header(&rows);
        let names = match header {
            true => rows.remove(0),
            false => (1..=rows.first().map_or(0, Vec::len)).map(|n| n.to_string()).collect(),
        };
        let line = 1 + usize::from(header);
        if let Some(at) = rows.iter().position(|row| row.len() != names.len()) {
            let (found, expected) = (rows[at].len(), names.len());
            let what =
                format!("row {} of {name} has {found} values, others have {expected}", at + line);
            return Err(no(what, "a value that holds the separator stands in quotes"));
        }
        if rows.is_empty() {
            return Err(no(format!("{name} has no rows"), "name a file with examples"));
        }
        Ok(Self { encoding, charset, layout: Looks::Csv { delimiter, header }, names, rows })
    }
}

impl Looks {
    /// Whether the first line has the names of the columns.
    fn header(&self) -> bool {
        matches!(self, Self::Arff(_) | Self::Csv { header: true, .. })
    }

    /// Whether the file says that a column has names, be they numbers.
    fn has_names(&self, column: usize) -> bool {
        matches!(self, Self::Arff(names) if names[column])
    }
}

/// The character that gives all records the same number of values, the most of them.
fn delimiter(text: &str) -> Option<u8> {
    let values = |delimiter: u8| {
        let records = csv::rows(text, delimiter, LOOKED_AT).ok()?;
        let width = records.first()?.len();
        (width > 1 && records.iter().all(|record| record.len() == width)).then_some(width)
    };
    let found = b",\t;|".iter().filter_map(|&delimiter| Some((values(delimiter)?, delimiter)));
    // Of equals the first.
    found.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, found)| found)
}

/// Names of columns are different, no numbers, and do not come again below themselves.
fn has_header(rows: &[Vec<String>]) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let is_name = |text: &String| !is_missing(text) && text.parse::<f64>().is_err();
    let mut names: Vec<&String> = first.iter().collect();
    names.sort();
    names.dedup();
    let again = |at: usize| rest.iter().any(|row| row.get(at) == Some(&first[at]));
    names.len() == first.len() && first.iter().all(is_name) && !(0..first.len()).any(again)
}

/// What a column holds.
struct Summary {
    name: String,
    numbers: bool,
    whole: bool,
    missing: usize,
    values: BTreeMap<String, usize>,
}

impl Summary {
    fn of<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> Self {
        let (mut numbers, mut whole, mut missing) = (true, true, 0);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for value in values {
            if is_missing(value) {
                missing += 1;
                continue;
            }
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            numbers &= number.is_some();
            whole &= value.parse::<i64>().is_ok();
            *counts.entry(value.to_owned()).or_default() += 1;
        }
        let some = !counts.is_empty();
        Self {
            name: name.to_owned(),
            numbers: numbers && some,
            whole: whole && some,
            missing,
            values: counts,
        }
    }

    /// Why the column tells examples apart and nothing of their classes, if it seems so.
    fn identifies(&self, rows: usize) -> Option<String> {
        let (known, different) = (rows - self.missing, self.values.len());
        let is_id = self.name.to_lowercase();
        let is_id = is_id == "id" || is_id.ends_with("_id") || is_id.is_empty();
        match different {
            0 => Some("all its values are missing".to_owned()),
            1 => Some("it has one value everywhere".to_owned()),
            _ if 2 * self.missing > rows => {
                Some(format!("it is missing in {} of {rows} rows", self.missing))
            }
            _ if !self.numbers && 2 * different > known && different > 20 => {
                Some(format!("it has {different} names in {known} rows"))
            }
            _ if self.whole && is_id && different == known => {
                Some("it numbers the rows".to_owned())
            }
            _ => None,
        }
    }

    /// Whether, as a target, it is a number and no class.
    fn is_number(&self) -> bool {
        self.numbers && (!self.whole || self.values.len() > MOST_NUMBERED_CLASSES)
    }

    /// The least and the most of numbers.
    fn range(&self) -> Option<(f64, f64)> {
        let values = self.values.keys().filter_map(|text| text.parse::<f64>().ok());
        let both = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        self.numbers.then_some(both)
    }

    fn held(&self) -> String {
        if let Some((low, high)) = self.range() {
            return format!("{} to {}", real(low), real(high));
        }
        let shown = |name: &String| match name.contains(',') {
            true => format!("\"{name}\""),
            false => name.clone(),
        };
        let some: Vec<String> = self.values.keys().take(4).map(shown).collect();
        let more = if self.values.len() > some.len() { ", …" } else { "" };
        format!("{} names: {}{more}", self.values.len(), some.join(", "))
    }
}

fn chosen_target(
    columns: &[Summary],
    wanted: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<usize, Undescribed> {
    let names = || columns.iter().map(|column| column.name.as_str());
    let target = match wanted {
        Some(wanted) => names().position(|name| name == wanted).ok_or_else(|| {
            let cure = match document::nearest(wanted, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the columns are {}", names().collect::<Vec<_>>().join(", ")),
            };
            no(format!("there is no column `{wanted}`"), cure)
        })?,
        None => {
            let called = |word: &&str| names().position(|name| name.eq_ignore_ascii_case(word));
            let found = TARGETS.iter().find_map(called).unwrap_or(columns.len() - 1);
            let name = &columns[found].name;
            notes.push(format!("`{name}` is taken for the target; --target names another column"));
            found
        }
    };
    let column = &columns[target];
    let different = column.values.len();
    let name = &column.name;
    let cure = "name the column of the target with --target";
    if different < 2 {
        return Err(no(format!("`{name}` is no target: it has one value everywhere"), cure));
    }
    if column.is_number() {
        notes.push(format!(
            "`{name}` has {different} different numbers and is a number to predict; where they are classes, write \
             classes = {different} in place of target = \"number\" in `shape`"
        ));
        return Ok(target);
    }
    if column.numbers && different > 2 {
        notes.push(format!(
            "the {different} different numbers of `{name}` are classes; where they are numbers to predict, write \
             target = \"number\" in place of classes = {different} in `shape`"
        ));
    }
    if let Some(bad) = column.values.keys().find(|value| !csv::is_class_name(value)) {
        let what = format!("`{name}` is no class: {bad:?} can't be the name of one");
        return Err(no(what, cure));
    }
    Ok(target)
}

/// What is chosen of a table.
struct Chosen<'a> {
    first: &'a Seen,
    columns: &'a [Summary],
    target: usize,
    attributes: Vec<usize>,
}

impl Chosen<'_> {
    /// Whether trials see numbers.
    fn numeric(&self) -> bool {
        self.attributes.iter().any(|&at| self.columns[at].numbers)
    }

    /// What is done about missing values, if there are any.
    fn missing(&self, rows: &[&Vec<String>], notes: &mut Vec<String>) -> Option<&'static str> {
        let absent = |row: &&&Vec<String>| self.attributes.iter().any(|&at| is_missing(&row[at]));
        let incomplete = rows.iter().filter(absent).count();
        let unlabelled = self.columns[self.target].missing;
        if unlabelled > 0 {
            notes.push(format!(
                "{unlabelled} rows have no target: missing = \"drop\" leaves them out, and with them every \
                 row where another value is missing"
            ));
            return Some("drop");
        }
        (incomplete > 0).then(|| {
            notes.push(format!(
                "{incomplete} of {} rows have missing values: missing = \"median\" fills them from the \
                 training examples of each split; \"category\" keeps that they were missing, \"drop\" leaves \
                 the rows out",
                rows.len()
            ));
            "median"
        })
    }

    fn head(
        &self,
        id: &str,
        sizes: &[(Role, usize)],
        missing: Option<&str>,
        predicted: &Predicted,
    ) -> String {
        let kind = if self.numeric() { "numeric" } else { "categorical" };
        let mut head = format!("[dataset.{}]\ntitle = {}\n", key(id), text(id));
        let _ = writeln!(head, "kind = \"{kind}\"");
        if let Some(missing) = missing {
            let _ = writeln!(head, "missing = \"{missing}\"");
        }
        let rows: Vec<String> = sizes
            .iter()
            .map(|(role, rows)| match role {
                Role::All => format!("rows = {rows}"),
                role => format!("{} = {rows}", role.word()),
            })
            .collect();
        let (variables, rows) = (self.attributes.len(), rows.join(", "));
        let target = match predicted {
            Predicted::Classes(classes) => format!("classes = {}", classes.len()),
            Predicted::Number(..) => "target = \"number\"".to_owned(),
        };
        let _ = writeln!(
            head,
            "shape = {{ variables = {variables}, {rows}, {target} }}\ncitation = \"not stated\"\n\
             licence = \"not stated\""
        );
        head
    }

    fn file(&self, file: &Sighted, seen: &Seen) -> String {
        let mut keys = format!("role = \"{}\"", file.role.word());
        match seen.layout {
            Looks::Arff(_) => keys += ", format = \"arff\"",
            Looks::Csv { delimiter, header } => {
                keys += ", format = \"csv\"";
                if !header {
                    keys += ", header = false";
                }
                if delimiter != b',' {
                    let character = char::from(delimiter).to_string();
                    let word = if delimiter == b'\t' { "tab" } else { &character };
                    let _ = write!(keys, ", delimiter = {}", text(word));
                }
            }
        }
        if seen.charset == Charset::Latin1 {
            keys += ", charset = \"latin-1\"";
        }
        let named = |columns: &mut dyn Iterator<Item = usize>| {
            columns.map(|at| text(&self.columns[at].name)).collect::<Vec<_>>().join(", ")
        };
        let _ = write!(keys, ", target = {}", text(&self.columns[self.target].name));
        if self.attributes.len() + 1 < self.first.names.len() {
            let names = named(&mut self.attributes.iter().copied());
            let _ = write!(keys, ", attributes = [{names}]");
        }
        let mut of_names = self.attributes.iter().copied().filter(|&at| !self.columns[at].numbers);
        let categories = named(&mut of_names);
        let said = matches!(seen.layout, Looks::Arff(_));
        if self.numeric() && !categories.is_empty() && !said {
            let _ = write!(keys, ", categories = [{categories}]");
        }
        let (digest, bytes) = (Digest::of(&file.bytes), file.bytes.len());
        let encoding = match seen.encoding {
            Encoding::Gzip => ", encoding = \"gzip\"",
            Encoding::Plain | Encoding::TarGzip => "",
        };
        let source = &file.source;
        format!(
            "  {{ {keys}, sources = [\n    {{ {source}, sha256 = \"{digest}\", bytes = {bytes}{encoding} }},\n  ] }},\n"
        )
    }

    fn shown(&self) -> Vec<[String; 4]> {
        let row = |(at, column): (usize, &Summary)| {
            let becomes = match () {
                () if at == self.target && column.is_number() => "target",
                () if at == self.target => "class",
                () if !self.attributes.contains(&at) => "left out",
                () if column.numbers => "number",
                () => "names",
            };
            [column.name.clone(), becomes.to_owned(), column.missing.to_string(), column.held()]
        };
        self.columns.iter().enumerate().map(row).collect()
    }
}

/// A text as TOML has it.
pub fn text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A key as TOML has it.
fn key(id: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if id.chars().all(bare) { id.to_owned() } else { text(id) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::registry::Registry;

    fn draft(bytes: &[u8], target: Option<&str>) -> Result<Draft, Undescribed> {
        let source = "path = \"f.csv\"".to_owned();
        let (role, name) = (Role::All, "f.csv".to_owned());
        Draft::of(&[Sighted { role, name, source, bytes: bytes.to_vec() }], "mine", target)
    }

    #[test]
    fn what_can_be_known_is_not_asked() {
        let mut text = "\u{feff}\"id\";\"who\";\"age\";\"sex\";\"fate\"\r\n".to_owned();
        for row in 0..30 {
            let (age, sex) = (row % 7, ["f", "m"][row % 2]);
            let fate = ["well done", "not found"][row % 3 % 2];
            text += &format!("{row};\"Name; {row}\";{age};{sex};{fate}\r\n");
        }
        let text = text.replace(";3;", ";NA;");
        let found = draft(text.as_bytes(), None).unwrap();
        let digest = Digest::of(text.as_bytes());
        let bytes = text.len();
        assert_eq!(
            found.entry,
            format!(
                "[dataset.mine]\ntitle = \"mine\"\nkind = \"numeric\"\nmissing = \"median\"\n\
                 shape = {{ variables = 2, rows = 30, classes = 2 }}\ncitation = \"not stated\"\n\
                 licence = \"not stated\"\nfiles = [\n  {{ role = \"all\", format = \"csv\", delimiter = \";\", \
                 target = \"fate\", attributes = [\"age\", \"sex\"], categories = [\"sex\"], sources = [\n    \
                 {{ path = \"f.csv\", sha256 = \"{digest}\", bytes = {bytes} }},\n  ] }},\n]\n"
            )
        );
        let registry = format!("schema = 1\n{}", found.entry);
        Registry::parse(&registry, "r", Path::new("")).unwrap();
        let classes = [("not found".to_owned(), 10), ("well done".to_owned(), 20)];
        assert_eq!(found.target, Predicted::Classes(classes.to_vec()));
        assert_eq!(found.notes.len(), 4, "{:?}", found.notes);
    }

    /// The entry would be one that no registry may have.
    #[test]
    fn names_that_can_not_be_seen_are_refused() {
        let refused = draft("a,b\u{8}c,class\n1,2,y\n3,4,n\n".as_bytes(), None).unwrap_err();
        assert_eq!(refused.what, "the name of column 2 of f.csv holds the character U+0008");
    }

    #[test]
    fn a_table_without_a_header_has_numbered_columns() {
        let found = draft(b"1.5,2,0\n0.5,3,1\n2.5,1,0\n", None).unwrap();
        assert!(found.entry.contains("header = false, target = \"3\", sources"), "{}", found.entry);
        let letters = draft(b"a,x\nb,y\na,y\n", None).unwrap();
        assert!(
            letters.entry.contains("kind = \"categorical\"")
                && letters.entry.contains("header = false")
        );
    }

    #[test]
    fn names_and_few_whole_numbers_are_classes_and_other_numbers_are_numbers() {
        let column = |values: &mut dyn Iterator<Item = String>| {
            let rows = values.enumerate().map(|(row, value)| format!("{},{value}\n", row % 3));
            draft(format!("a,b\n{}", rows.collect::<String>()).as_bytes(), Some("b")).unwrap()
        };
        let shape = |found: &Draft| {
            let line = found.entry.lines().find(|line| line.starts_with("shape")).unwrap();
            line.to_owned()
        };
        let real = column(&mut (0..40).map(|row| format!("{}.5", row % 2)));
        assert_eq!(shape(&real), "shape = { variables = 1, rows = 40, target = \"number\" }");
        assert_eq!(real.target, Predicted::Number(0.5, 1.5));
        assert_eq!(real.target.to_string(), "target: a number from 0.5 to 1.5");
        assert_eq!(real.columns[1][1], "target");
        let many = column(&mut (0..42).map(|row| (row % 21).to_string()));
        assert_eq!(many.target, Predicted::Number(0.0, 20.0));
        assert!(many.notes[0].contains("write classes = 21 in place of"), "{:?}", many.notes);
        let few = column(&mut (0..40).map(|row| (row % 20).to_string()));
        assert_eq!(shape(&few), "shape = { variables = 1, rows = 40, classes = 20 }");
        assert!(few.notes[0].contains("write target = \"number\" in place of"), "{:?}", few.notes);
        for found in [real, many, few] {
            let registry = format!("schema = 1\n{}", found.entry);
            Registry::parse(&registry, "r", Path::new("")).unwrap();
        }
    }

    #[test]
    fn an_arff_file_says_what_its_columns_hold() {
        let mut text = "@relation r\n@attribute 'bore size' {0,500}\n@attribute len real\n@attribute class {1,2,U}\n@data\n".to_owned();
        (0..12).for_each(|row| {
            let (bore, class) = ([0, 500][row % 2], ["1", "U"][row % 3 % 2]);
            text += &format!("{bore},{}.5,{class}\n", row % 5);
        });
        let found = draft(text.as_bytes(), None).unwrap();
        let shape = "shape = { variables = 2, rows = 12, classes = 2 }";
        assert!(found.entry.contains(shape) && found.entry.contains("kind = \"numeric\""));
        let keys = "{ role = \"all\", format = \"arff\", target = \"class\", sources";
        assert!(found.entry.contains(keys), "{}", found.entry);
        assert_eq!([&found.columns[0][1], &found.columns[1][1]], ["names", "number"]);
        Registry::parse(&format!("schema = 1\n{}", found.entry), "r", Path::new("")).unwrap();
        let by_number = draft(text.as_bytes(), Some("len")).unwrap();
        assert!(by_number.entry.contains("target = \"number\""), "{}", by_number.entry);
        let sparse = text + "{0 500, 2 1}\n";
        let error = draft(sparse.as_bytes(), None).unwrap_err();
        assert_eq!(error.what, "f.csv, line 18: it is sparse, and sparse rows are not read");
    }

    #[test]
    fn what_can_be_no_entry_is_refused_with_a_cure() {
        for (bytes, target, message) in [
            (
                &b"a,b\n1,x\n2,y\n"[..],
                Some("colour"),
                "there is no column `colour`: the columns are a, b",
            ),
            (
                b"a,b\n1,x\n2,x\n",
                None,
                "`b` is no target: it has one value everywhere: name the column of the target with --target",
            ),
            (
                b"just a text\nwith lines\n",
                None,
                "f.csv is no table: no comma, tab, semicolon or bar gives its lines the same number of values: \
                 name a CSV or TSV file; every line needs as many values as the first",
            ),
            (
                b"PK\x03\x04\0",
                None,
                "f.csv is no text: save it as CSV: an entry for other formats is written by hand, see \
                 docs/reference/data.md",
            ),
        ] {
            let error = draft(bytes, target).unwrap_err();
            assert_eq!(format!("{}: {}", error.what, error.cure), message);
        }
    }
}
