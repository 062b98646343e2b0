//! A table: CSV, TSV or ARFF.

use std::borrow::Cow;
use std::fmt::Write as _;

use base::side_by_side;
use base::text::real;

use super::column::{MOST_NAMED, Summary, can_be_target, joined, learned};
use super::decimal::{self, Parted};
use super::delimited::{decoded, delimiter};
use super::header::Header;
use super::{
    About, Asked, Draft, Head, LOOKED_AT, Opened, Predicted, Sighted, kind, list, readable, text,
};
use crate::error::{Refused, no};
use crate::format::arff::{Arff, Type};
use crate::format::columns::{Column, Wanted};
use crate::format::csv::{self, Dialect};
use crate::format::fault::Fault;
use crate::format::{excerpt, openml_splits};
use crate::vocabulary::{Charset, Decimal, Kind, Role};

/// Names that say that a column is the class, in the order in which they are believed.
const TARGETS: [&str; 7] = ["class", "target", "label", "y", "species", "outcome", "diagnosis"];

/// The entry of tables.
pub(super) fn draft(
    files: &[Opened<'_>],
    splits: Option<&Sighted>,
    asked: &Asked<'_>,
) -> Result<Draft, Refused> {
    let mut notes = Vec::new();
    let mut seen = files.iter().map(|file| Seen::of(file, asked)).collect::<Result<Vec<_>, _>>()?;
    for (other, opened) in seen.iter().zip(files) {
        if other.names != seen[0].names || other.header() != seen[0].header() {
            let (name, first) = (&opened.file.name, &files[0].file.name);
            let absent = seen[0].names.iter().filter(|column| !other.names.contains(column));
            let absent: Vec<String> = absent.take(MOST_NAMED).map(|name| excerpt(name)).collect();
            let lacks = match absent.is_empty() {
                true => String::new(),
                false => format!(": it lacks {}", absent.join(", ")),
            };
            let what = format!("{name} has other columns than {first}{lacks}");
            return Err(no(what, "the files of a dataset have the same columns"));
        }
    }
    // A first column without a name numbers the rows, and is left out.
    let unnamed = usize::from(seen[0].names[0].is_empty());
    readable("column", &seen[0].names[unnamed..], &files[0].file.name)?;
    let (held, sizes) = held(&mut seen, asked)?;
    let first = &seen[0];
    notes.extend(first.said());
    let named: Vec<(&String, &Column)> = first.names.iter().zip(&held).collect();
    let columns = side_by_side(named, |(name, column)| Summary::of(name, column));
    let rows = held.first().map_or(0, Column::len);
    let target = chosen_target(&columns, asked, &mut notes)?;
    let (group, time) = marks(&columns, target, asked)?;
    let mut entry =
        Chosen { first, columns: &columns, target, group, time, attributes: Vec::new() };
    entry.choose_attributes(asked.about, &mut notes)?;
    entry.remark(&mut notes);
    let attributes: Vec<&Column> = entry.attributes.iter().map(|&at| &held[at]).collect();
    let (missing, predicted) = learned(&columns[target], &attributes, &mut notes)?;
    if let Predicted::Classes(_) = predicted {
        notes.extend(joined(&held[target], || as_written(&seen, target))?);
    }
    let top = &first.first[target];
    let once = |all: &[(String, usize)]| all.iter().any(|(class, n)| class == top && *n == 1);
    if matches!(&predicted, Predicted::Classes(all) if !first.header() && once(all)) {
        notes.push(format!(
            "warning: only the first row is of the class `{top}`: if it is a name, say --header yes"
        ));
    }
    let bits = attributes.iter().all(|column| matches!(column, Column::Bits(_)));
    let other = if entry.numeric() { Kind::Numeric } else { Kind::Categorical };
    let kind = kind(bits && missing.is_none(), &predicted, other, &mut notes);
    let items = files.iter().zip(&seen).map(|(opened, seen)| entry.item(opened, seen));
    let mut items = items.collect::<Result<String, _>>()?;
    let mut folds = None;
    if let Some(splits) = splits {
        let opened = Opened::of(splits)?;
        folds = Some(folds_of(&opened, rows)?);
        items += &opened.item(Role::All, "openml-splits", "");
    }
    let variables = entry.attributes.len();
    let sizes = files.iter().map(|opened| opened.file.role).zip(sizes).collect();
    let head = Head { asked, kind, missing, variables, sizes, predicted: &predicted, folds };
    Ok(Draft { entry: head.entry(&items), columns: entry.shown(), target: predicted, notes })
}

/// A column of all files as it is written.
fn as_written(seen: &[Seen<'_>], at: usize) -> Result<Column, Refused> {
    let mut column = Column::new(Wanted::Names);
    for table in seen {
        table.columns(&[(at, Wanted::Names)])?.into_iter().for_each(|more| column.append(more));
    }
    Ok(column)
}

/// How many folds a file has for so many rows.
fn folds_of(splits: &Opened<'_>, rows: usize) -> Result<usize, Refused> {
    let fault = Refused::in_file(&splits.file.name);
    let text = csv::text(&splits.bytes, Charset::Utf8).map_err(&fault)?;
    let folds = openml_splits::folds(&text, rows).map_err(fault)?;
    Ok(folds.iter().max().map_or(0, |&last| last as usize + 1))
}

/// The columns of all files, and how many rows each file has. What has names in one file has names in all. What parts
/// decimals is judged once, by names and by what may be thousands in all rows, by other numbers in the first.
fn held(seen: &mut [Seen<'_>], asked: &Asked<'_>) -> Result<(Vec<Column>, Vec<usize>), Refused> {
    let names = seen[0].names.clone();
    let as_names = |at: usize| asked.about.names.contains(&names[at]);
    let mut wanted: Vec<Wanted> = (0..names.len())
        .map(|at| if as_names(at) { Wanted::Names } else { seen[0].wanted(at) })
        .collect();
    let open = |at: &usize| wanted[*at] == Wanted::Either;
    let open: Vec<usize> = (0..names.len()).filter(open).collect();
    let mut parted = seen[0].csv.as_ref().map_or(Vec::new(), |csv| csv.parted.clone());
    let like_thousands = |at: &&usize| parted.get(**at).is_some_and(Parted::like_thousands);
    let suspects: Vec<usize> = open.iter().filter(like_thousands).copied().collect();
    suspects.iter().for_each(|&at| wanted[at] = Wanted::Names);
    let mut judged = false;
    loop {
        let (mut whole, mut sizes) = (Vec::<Column>::new(), Vec::new());
        let slots: Vec<(usize, Wanted)> = wanted.iter().copied().enumerate().collect();
        for table in seen.iter() {
            let columns = table.columns(&slots)?;
            sizes.push(columns.first().map_or(0, Column::len));
            match whole.is_empty() {
                true => whole = columns,
                false => whole.iter_mut().zip(columns).for_each(|(all, more)| all.append(more)),
            }
        }
        let torn: Vec<usize> =
            (0..whole.len()).filter(|&at| matches!(whole[at], Column::Torn(_))).collect();
        torn.iter().for_each(|&at| wanted[at] = Wanted::Names);
        if !torn.is_empty() {
            continue;
        }
        let Some(Csv { delimiter, .. }) = seen[0].csv.as_ref().filter(|_| !judged) else {
            return Ok((whole, sizes));
        };
        judged = true;
        for &at in &open {
            if let Column::Names(names) = &whole[at] {
                parted[at] = Parted::of(names.all().into_iter());
            }
        }
        let columns: Vec<&Parted> = open.iter().map(|&at| &parted[at]).collect();
        let decimal = decimal::decimal(&columns, *delimiter);
        if decimal.is_none() && suspects.is_empty() {
            return Ok((whole, sizes));
        }
        open.iter().for_each(|&at| wanted[at] = Wanted::Either);
        for csv in seen.iter_mut().filter_map(|table| table.csv.as_mut()) {
            (csv.decimal, csv.parted) = (decimal, parted.clone());
        }
    }
}

/// A file as far as it can be known before its values are read.
struct Seen<'o> {
    opened: &'o Opened<'o>,
    charset: Charset,
    text: Cow<'o, str>,
    /// How a file reads that says of its columns at most their names.
    csv: Option<Csv>,
    /// What another says that its columns hold.
    holds: Vec<Type>,
    /// The values of its first line, where that has names.
    first: Vec<String>,
    names: Vec<String>,
}

/// How a CSV file reads.
struct Csv {
    delimiter: u8,
    header: Header,
    decimal: Option<Decimal>,
    /// What each column says of decimals and thousands.
    parted: Vec<Parted>,
}

impl<'o> Seen<'o> {
    fn of(opened: &'o Opened<'o>, asked: &Asked<'_>) -> Result<Self, Refused> {
        let name = &opened.file.name;
        let (charset, text) = decoded(opened)?;
        let fault = Refused::in_file(name);
        if crate::format::arff::is_arff(&text) {
            let found = Arff::new(&text).map_err(&fault)?;
            let (names, first) = (found.names(), found.attributes.iter().map(|a| a.name.clone()));
            let first = first.collect();
            let holds = found.attributes.into_iter().map(|a| a.holds).collect();
            return Ok(Self { opened, charset, text, csv: None, holds, first, names });
        }
        let delimiter = delimiter(name, &text)?;
        let dialect = Dialect::of(delimiter, None);
        let mut rows = dialect.first(&text, 1).map_err(&fault)?;
        let judged = JUDGED / rows.first().map_or(1, Vec::len).max(1);
        rows = dialect.first(&text, judged.max(LOOKED_AT)).map_err(fault)?;
        let wanted = asked.target.or(asked.about.target.as_deref());
        let header = Header::of(&rows, asked.header, wanted);
        let below = |at: usize| {
            let texts = rows[usize::from(header.is)..].iter().filter_map(move |row| row.get(at));
            texts.map(String::as_str).filter(|text| !csv::is_missing(text))
        };
        let parted = (0..rows[0].len()).map(|at| Parted::of(below(at))).collect();
        let first = rows.swap_remove(0);
        let names = csv::names(&first, header.is);
        let csv = Some(Csv { delimiter, header, decimal: None, parted });
        Ok(Self { opened, charset, text, csv, holds: Vec::new(), first, names })
    }

    /// Columns of it, each read as is wanted.
    fn columns(&self, slots: &[(usize, Wanted)]) -> Result<Vec<Column>, Refused> {
        let name = &self.opened.file.name;
        let most = usize::MAX;
        let read = match &self.csv {
            None => Arff::new(&self.text).and_then(|arff| arff.columns(slots, most)),
            Some(Csv { delimiter, header, decimal, .. }) => {
                let no_number = &|_, line, text: &str| {
                    Fault::in_line(line, format!("{} is no number", excerpt(text)), "correct it")
                };
                let (header, width) = (header.is, self.first.len());
                let asked = csv::Asked { header, width, slots, most, no_number };
                csv::columns(&self.text, Dialect::of(*delimiter, *decimal), &asked)
            }
        };
        let columns = read.map_err(Refused::in_file(name))?.columns;
        if columns.iter().all(Column::is_empty) {
            return Err(no(format!("{name} has no rows"), "name a file with examples"));
        }
        Ok(columns)
    }

    /// What was decided of it, and why.
    fn said(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(Csv { header: Header { is, why }, decimal, parted, .. }) = &self.csv {
            let (what, other) = if *is {
                ("has the names of the columns", "no")
            } else {
                ("is a row, and columns are called 1, 2, …", "yes")
            };
            notes.push(format!("the first line {what}: {why}; else say --header {other}"));
            if let Some(decimal) = decimal {
                let mark = decimal.word();
                notes.push(format!(
                    "numbers have decimals behind `{mark}`: decimal = \"{mark}\" says so, and that the other of \
                     `.` and `,` parts thousands"
                ));
            }
            notes.extend(decimal::doubtful(self.names.iter().zip(parted), *decimal));
        }
        for (at, (name, own)) in self.names.iter().zip(&self.first).enumerate() {
            if self.header() && name != own {
                notes.push(format!("column {} is a second `{own}`, and called `{name}`", at + 1));
            }
        }
        notes
    }

    /// Whether the first line has the names of the columns.
    fn header(&self) -> bool {
        self.csv.as_ref().is_none_or(|csv| csv.header.is)
    }

    /// As what a column is read.
    fn wanted(&self, column: usize) -> Wanted {
        match self.holds.get(column) {
            None => Wanted::Either,
            Some(Type::Number) => Wanted::Numbers,
            Some(Type::Names(_) | Type::Other(_)) => Wanted::Names,
        }
    }
}

/// So many values are looked at to tell whether the first line has names.
const JUDGED: usize = 1 << 18;

/// The place of a column.
fn place(columns: &[Summary<'_>], wanted: &str) -> Result<usize, Refused> {
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
    columns: &[Summary<'_>],
    asked: &Asked<'_>,
    notes: &mut Vec<String>,
) -> Result<usize, Refused> {
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
            notes.push(match columns[found].unlike_a_target() {
                None => format!("`{name}` is taken for the target; --target names another column"),
                Some(why) => format!(
                    "warning: `{name}` is taken for the target since it is the last column, but {why}: name the \
                     target with --target"
                ),
            });
            found
        }
    };
    can_be_target(&columns[target], notes)?;
    Ok(target)
}

/// The columns of groups and of times.
fn marks(
    columns: &[Summary<'_>],
    target: usize,
    asked: &Asked<'_>,
) -> Result<(Option<usize>, Option<usize>), Refused> {
    let column = |option: &str, named: Option<&str>| -> Result<Option<usize>, Refused> {
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
    first: &'a Seen<'a>,
    columns: &'a [Summary<'a>],
    target: usize,
    group: Option<usize>,
    time: Option<usize>,
    attributes: Vec<usize>,
}

impl Chosen<'_> {
    fn decimal(&self) -> Option<Decimal> {
        self.first.csv.as_ref().and_then(|csv| csv.decimal)
    }

    /// Those columns that tell something of the target.
    fn choose_attributes(&mut self, about: &About, notes: &mut Vec<String>) -> Result<(), Refused> {
        let described = about.described.as_deref();
        described.into_iter().flatten().try_for_each(|name| {
            place(self.columns, name).map(drop).map_err(|lacks| {
                no(format!("{}, which the description names", lacks.what), lacks.cure)
            })
        })?;
        let (mut undescribed, mut left_out) = (Vec::new(), Vec::new());
        let own = [Some(self.target), self.group, self.time];
        for at in (0..self.columns.len()).filter(|at| !own.contains(&Some(*at))) {
            let column = &self.columns[at];
            let name = &column.name;
            if described.is_some_and(|described| !described.contains(name)) {
                undescribed.push(format!("`{name}`"));
                continue;
            }
            let why = match self.first.holds.get(at) {
                _ if about.left_out.contains(name) => Some("the description says so".to_owned()),
                Some(Type::Other(word)) => {
                    // Its values can't be read, even if it is named.
                    notes.push(format!(
                        "`{name}` is left out: it is of type {word}, which is not read"
                    ));
                    continue;
                }
                _ if name.is_empty() => {
                    notes.push("the first column has no name and is left out".to_owned());
                    continue;
                }
                _ => column.identifies(&self.columns[self.target]),
            };
            if let Some(why) = why {
                let why = column.odd(self.decimal()).unwrap_or(why);
                left_out.push(format!("`{name}` is left out: {why}"));
                continue;
            }
            if column.is_there_by(&self.columns[self.target]) {
                notes.push(format!(
                    "`{name}` is missing by the class: is it known when a prediction is made?"
                ));
            }
            self.attributes.push(at);
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
            return Err(self.no_attribute(left_out));
        }
        if !left_out.is_empty() {
            notes.extend(left_out);
            notes.push(
                "to keep one that is left out, list in `attributes` all columns that count, those with names in `categories` \
                 too, and correct `variables`"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// That all columns beside the target are left out, and why.
    fn no_attribute(&self, mut left_out: Vec<String>) -> Refused {
        let target = &self.columns[self.target].name;
        let mut what = format!("there is no attribute beside the target `{target}`");
        left_out.truncate(MOST_NAMED);
        if !left_out.is_empty() {
            let _ = write!(what, ": {}", left_out.join("; "));
        }
        let cure = "name the target with --target; remove rows that are none, such as units or a second header; compare \
                    what separates values with the file";
        no(what, cure)
    }

    /// Says what is odd in columns, and what they may be beside attributes.
    fn remark(&self, notes: &mut Vec<String>) {
        let attributes = || self.attributes.iter().map(|&at| &self.columns[at]);
        for column in attributes().chain([&self.columns[self.target]]) {
            if let Some(odd) = column.odd(self.decimal()) {
                notes.push(format!("`{}` is taken for names: {odd}", column.name));
            } else if let gaps @ [_, ..] = column.gaps().as_slice() {
                notes.push(format!(
                    "`{}` has {} among its names; a missing value is empty, ?, NA or nan",
                    column.name,
                    gaps.join(", ")
                ));
            }
            let name = &column.name;
            if let Some((value, rows)) = column.sentinel() {
                notes.push(format!(
                    "`{name}` is {} in {rows} rows, and far above in all others: if that says that it is missing, leave \
                     these cells empty",
                    real(value)
                ));
            }
            if let respelled @ [_, ..] = column.respelled().as_slice() {
                let respelled = respelled.join(", ");
                notes.push(format!(
                    "`{name}` has names that differ in capitals or blanks: {respelled}"
                ));
            }
        }
        if let (None, Some(column)) = (self.group, attributes().find(|column| column.owns())) {
            notes.push(format!(
                "`{0}` may say whose a row is: --group {0} keeps such rows on one side of a split",
                column.name
            ));
        }
        let mut others = (0..self.columns.len()).filter(|&at| at != self.target);
        if let (None, Some(at)) = (self.time, others.find(|&at| self.columns[at].dated())) {
            notes.push(format!(
                "`{0}` may say when a row was made: --time {0} allows splits in time",
                self.columns[at].name
            ));
        }
    }

    /// Whether trials see numbers.
    fn numeric(&self) -> bool {
        self.attributes.iter().any(|&at| self.columns[at].numbers())
    }

    /// The item of `files`.
    fn item(&self, opened: &Opened<'_>, seen: &Seen<'_>) -> Result<String, Refused> {
        let mut keys = String::new();
        if let &Some(Csv { delimiter, ref header, decimal, .. }) = &seen.csv {
            if !header.is {
                keys += ", header = false";
            }
            if delimiter != b',' {
                let character = char::from(delimiter).to_string();
                let word = if delimiter == b'\t' { "tab" } else { &character };
                let _ = write!(keys, ", delimiter = {}", text(word));
            }
            if let Some(decimal) = decimal {
                let _ = write!(keys, ", decimal = \"{}\"", decimal.word());
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
        let of_names = self.attributes.iter().filter(|&&at| !self.columns[at].numbers());
        let mut categories = of_names.map(|&at| self.columns[at].name.as_str()).peekable();
        if self.numeric() && categories.peek().is_some() && seen.csv.is_some() {
            keys += ", ";
            keys += &list("categories", categories)?;
        }
        let format = if seen.csv.is_some() { "csv" } else { "arff" };
        Ok(opened.item(opened.file.role, format, &keys))
    }

    fn shown(&self) -> Vec<[String; 4]> {
        let row = |(at, column): (usize, &Summary<'_>)| {
            let becomes = match () {
                () if at == self.target && column.is_number() => "target",
                () if at == self.target => "class",
                () if Some(at) == self.group => "group",
                () if Some(at) == self.time => "time",
                () if !self.attributes.contains(&at) => "left out",
                () if matches!(self.columns[at].column, Column::Bits(_)) => "0 or 1",
                () if column.numbers() => "number",
                () => "names",
            };
            [column.name.clone(), becomes.to_owned(), column.missing.to_string(), column.held()]
        };
        self.columns.iter().enumerate().map(row).collect()
    }
}
