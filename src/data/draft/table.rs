//! A table: CSV, TSV or ARFF.

use std::fmt::Write as _;

use super::column::{NAME_TARGET, Summary, can_be_target, treatment};
use super::{
    Asked, Draft, Head, LOOKED_AT, Opened, Predicted, Sighted, Undescribed, list, no, readable,
    text,
};
use crate::format::arff::{self, Arff, Type};
use crate::format::csv::{self, is_missing};
use crate::format::{decoded, openml_splits};
use crate::vocabulary::{Charset, Role};

/// Names that say that a column is the class, in the order in which they are believed.
const TARGETS: [&str; 7] = ["class", "target", "label", "y", "species", "outcome", "diagnosis"];

/// The entry of tables.
pub(super) fn draft(
    files: &[Opened<'_>],
    splits: Option<&Sighted>,
    asked: &Asked<'_>,
) -> Result<Draft, Undescribed> {
    let tables = files.iter().map(Seen::of).collect::<Result<Vec<_>, _>>()?;
    let first = &tables[0];
    for (table, opened) in tables.iter().zip(files) {
        if table.names != first.names || table.layout.header() != first.layout.header() {
            let what =
                format!("{} has other columns than {}", opened.file.name, files[0].file.name);
            return Err(no(what, "the files of a dataset have the same columns"));
        }
    }
    // A first column without a name numbers the rows, and is left out.
    let unnamed = usize::from(first.names[0].is_empty());
    readable("column", &first.names[unnamed..], &files[0].file.name)?;
    let rows: Vec<&Vec<String>> = tables.iter().flat_map(|table| &table.rows).collect();
    let about = asked.about;
    let columns: Vec<Summary> = first
        .names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let column = Summary::of(name, rows.iter().map(|row| row[at].as_str()));
            let names = first.layout.has_names(at) || about.names.contains(name);
            Summary { numbers: column.numbers && !names, ..column }
        })
        .collect();
    let mut notes = Vec::new();
    let target = chosen_target(&columns, asked, &mut notes)?;
    let (group, time) = marks(&columns, target, asked)?;
    let mut entry =
        Chosen { first, columns: &columns, target, group, time, attributes: Vec::new() };
    entry.choose_attributes(rows.len(), asked, &mut notes)?;
    let absent = |row: &&&Vec<String>| entry.attributes.iter().any(|&at| is_missing(&row[at]));
    let incomplete = rows.iter().filter(absent).count();
    let missing = treatment(incomplete, columns[target].missing, rows.len(), &mut notes);
    // Rows that are left out may take a value of the target with them.
    let stays = |row: &&&Vec<String>| {
        let mut taken = entry.attributes.iter().chain([&target]);
        missing != Some("drop") || taken.all(|&at| !is_missing(&row[at]))
    };
    let labels = rows.iter().filter(stays).map(|row| row[target].as_str());
    let complete = Summary::of(&columns[target].name, labels);
    if complete.values.len() < 2 {
        let name = &columns[target].name;
        let what = format!("`{name}` is no target: it has one value in complete rows");
        return Err(no(what, NAME_TARGET));
    }
    let predicted = match columns[target].range() {
        Some((least, most)) if columns[target].is_number() => Predicted::Number(least, most),
        _ => Predicted::Classes(complete.values.into_iter().collect()),
    };
    let sizes: Vec<(Role, usize)> = files
        .iter()
        .zip(&tables)
        .map(|(opened, table)| (opened.file.role, table.rows.len()))
        .collect();
    let items = files.iter().zip(&tables).map(|(opened, table)| entry.item(opened, table));
    let mut items = items.collect::<Result<String, _>>()?;
    let mut folds = None;
    if let Some(splits) = splits {
        let opened = Opened::of(splits)?;
        folds = Some(folds_of(&opened, rows.len())?);
        items += &opened.item("role = \"all\", format = \"openml-splits\"");
    }
    let head = Head {
        asked,
        kind: if entry.numeric() { "numeric" } else { "categorical" },
        missing,
        variables: entry.attributes.len(),
        sizes,
        predicted: &predicted,
        folds,
    };
    Ok(Draft { entry: head.entry(&items), columns: entry.shown(), target: predicted, notes })
}

/// How many folds a file has for so many rows.
fn folds_of(splits: &Opened<'_>, rows: usize) -> Result<usize, Undescribed> {
    let fault = |fault: csv::Fault| no(format!("{}, {fault}", splits.file.name), fault.cure);
    let text = arff::text(&splits.bytes, Charset::Utf8).map_err(fault)?;
    let folds = openml_splits::folds(&text, rows).map_err(fault)?;
    Ok(folds.iter().max().map_or(0, |&last| last as usize + 1))
}

/// A file as far as it can be read without being told how.
struct Seen {
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
    /// What they hold.
    Arff(Vec<Type>),
}

impl Seen {
    fn of(opened: &Opened<'_>) -> Result<Self, Undescribed> {
        let name = &opened.file.name;
        let text = opened.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&opened.bytes);
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
            let (names, holds) = found.attributes.into_iter().map(|a| (a.name, a.holds)).unzip();
            return Ok(Self { charset, layout: Looks::Arff(holds), names, rows });
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
        Ok(Self { charset, layout: Looks::Csv { delimiter, header }, names, rows })
    }
}

impl Looks {
    /// Whether the first line has the names of the columns.
    fn header(&self) -> bool {
        matches!(self, Self::Arff(_) | Self::Csv { header: true, .. })
    }

    /// Whether the file says that a column has no numbers, whatever its values look like.
    fn has_names(&self, column: usize) -> bool {
        matches!(self, Self::Arff(holds) if holds[column] != Type::Number)
    }

    /// The type of a column that can't be read.
    fn unread(&self, column: usize) -> Option<&str> {
        match self {
            Self::Arff(holds) => match &holds[column] {
                Type::Other(word) => Some(word),
                Type::Number | Type::Names(_) => None,
            },
            Self::Csv { .. } => None,
        }
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

/// Names of columns are different, no numbers, and do not come again below themselves. The first may be empty, as where
/// pandas writes the numbers of rows.
fn has_header(rows: &[Vec<String>]) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let is_name = |(at, text): (usize, &String)| match is_missing(text) {
        true => at == 0 && text.is_empty() && first.len() > 1,
        false => text.parse::<f64>().is_err(),
    };
    let mut names: Vec<&String> = first.iter().collect();
    names.sort();
    names.dedup();
    let again = |at: usize| rest.iter().any(|row| row.get(at) == Some(&first[at]));
    names.len() == first.len()
        && first.iter().enumerate().all(is_name)
        && !(0..first.len()).any(again)
}

/// The place of a column.
fn place(columns: &[Summary], wanted: &str) -> Result<usize, Undescribed> {
    let names = || columns.iter().map(|column| column.name.as_str());
    names().position(|name| name == wanted).ok_or_else(|| {
        let cure = match document::nearest(wanted, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the columns are {}", names().collect::<Vec<_>>().join(", ")),
        };
        no(format!("there is no column `{wanted}`"), cure)
    })
}

fn chosen_target(
    columns: &[Summary],
    asked: &Asked<'_>,
    notes: &mut Vec<String>,
) -> Result<usize, Undescribed> {
    let target = match asked.target.or(asked.about.target.as_deref()) {
        Some(wanted) => place(columns, wanted)?,
        None => {
            let counts = |at: &usize| {
                let name = Some(columns[*at].name.as_str());
                name != asked.group && name != asked.time
            };
            let called = |word: &&str| {
                let called = |at: &usize| columns[*at].name.eq_ignore_ascii_case(word);
                (0..columns.len()).filter(counts).find(called)
            };
            let last = (0..columns.len()).rev().find(counts).unwrap_or(0);
            let found = TARGETS.iter().find_map(called).unwrap_or(last);
            let name = &columns[found].name;
            notes.push(format!("`{name}` is taken for the target; --target names another column"));
            found
        }
    };
    can_be_target(&columns[target], notes)?;
    Ok(target)
}

/// The columns of groups and of times.
fn marks(
    columns: &[Summary],
    target: usize,
    asked: &Asked<'_>,
) -> Result<(Option<usize>, Option<usize>), Undescribed> {
    let column = |option: &str, named: Option<&str>| -> Result<Option<usize>, Undescribed> {
        let Some(named) = named else { return Ok(None) };
        let at = place(columns, named)?;
        if at == target {
            let what = format!("`{named}` is the target, and {option} names it too");
            return Err(no(what, format!("name another column with --target or {option}")));
        }
        Ok(Some(at))
    };
    Ok((column("--group", asked.group)?, column("--time", asked.time)?))
}

/// What is chosen of a table.
struct Chosen<'a> {
    first: &'a Seen,
    columns: &'a [Summary],
    target: usize,
    group: Option<usize>,
    time: Option<usize>,
    attributes: Vec<usize>,
}

impl Chosen<'_> {
    /// Those columns that tell something of the target.
    fn choose_attributes(
        &mut self,
        rows: usize,
        asked: &Asked<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(), Undescribed> {
        let about = asked.about;
        let described = about.described.as_deref();
        described.into_iter().flatten().try_for_each(|name| {
            place(self.columns, name).map(drop).map_err(|lacks| {
                no(format!("{}, which the description names", lacks.what), lacks.cure)
            })
        })?;
        let mut undescribed = Vec::new();
        let own = [Some(self.target), self.group, self.time];
        for (at, column) in
            self.columns.iter().enumerate().filter(|(at, _)| !own.contains(&Some(*at)))
        {
            let name = &column.name;
            if described.is_some_and(|described| !described.contains(name)) {
                undescribed.push(format!("`{name}`"));
                continue;
            }
            let why = match self.first.layout.unread(at) {
                _ if about.left_out.contains(name) => Some("the description says so".to_owned()),
                Some(word) => {
                    // Its values can't be read, even if it is named.
                    notes.push(format!(
                        "`{name}` is left out: it is of type {word}, which is not read"
                    ));
                    continue;
                }
                None if name.is_empty() => {
                    notes.push("the first column has no name and is left out".to_owned());
                    continue;
                }
                None => column.identifies(rows),
            };
            match why {
                Some(why) => notes.push(format!(
                    "`{name}` is left out: {why}; name it in `attributes` if it tells something"
                )),
                None => self.attributes.push(at),
            }
        }
        if let Some(described) = described {
            let place =
                |at: &usize| described.iter().position(|name| *name == self.columns[*at].name);
            self.attributes.sort_by_key(place);
        }
        if !undescribed.is_empty() {
            let all = undescribed.join(", ");
            notes.push(format!("left out, since the description does not name them: {all}"));
        }
        if self.attributes.is_empty() {
            let target = &self.columns[self.target].name;
            return Err(no(
                format!("there is no attribute beside the target `{target}`"),
                "name the target with --target; compare what separates values with the file",
            ));
        }
        Ok(())
    }

    /// Whether trials see numbers.
    fn numeric(&self) -> bool {
        self.attributes.iter().any(|&at| self.columns[at].numbers)
    }

    /// The item of `files`.
    fn item(&self, opened: &Opened<'_>, seen: &Seen) -> Result<String, Undescribed> {
        let mut keys = format!("role = \"{}\"", opened.file.role.word());
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
        let own = [("target", Some(self.target)), ("group", self.group), ("time", self.time)];
        let own: Vec<(&str, usize)> =
            own.into_iter().filter_map(|(key, column)| Some((key, column?))).collect();
        for (key, column) in &own {
            let _ = write!(keys, ", {key} = {}", text(&self.columns[*column].name));
        }
        let in_order = self.attributes.is_sorted();
        if self.attributes.len() + own.len() < self.first.names.len() || !in_order {
            let names = self.attributes.iter().map(|&at| self.columns[at].name.as_str());
            keys += ", ";
            keys += &list("attributes", names)?;
        }
        let of_names = self.attributes.iter().filter(|&&at| !self.columns[at].numbers);
        let mut categories = of_names.map(|&at| self.columns[at].name.as_str()).peekable();
        let said = matches!(seen.layout, Looks::Arff(_));
        if self.numeric() && categories.peek().is_some() && !said {
            keys += ", ";
            keys += &list("categories", categories)?;
        }
        Ok(opened.item(&keys))
    }

    fn shown(&self) -> Vec<[String; 4]> {
        let row = |(at, column): (usize, &Summary)| {
            let becomes = match () {
                () if at == self.target && column.is_number() => "target",
                () if at == self.target => "class",
                () if Some(at) == self.group => "group",
                () if Some(at) == self.time => "time",
                () if !self.attributes.contains(&at) => "left out",
                () if column.numbers => "number",
                () => "names",
            };
            [column.name.clone(), becomes.to_owned(), column.missing.to_string(), column.held()]
        };
        self.columns.iter().enumerate().map(row).collect()
    }
}
