//! The text of `datasets.toml` to entries.

use std::ops::Range;
use std::path::{Path, PathBuf};

use reqwest::Url;

use super::fields::Fields;
use super::generator::generator;
use super::{
    Derivation, Encoding, Entry, FileEntry, Format, Kind, Origin, Place, RemoteFile, Role,
    RowSelection, Rows, Shape, Source,
};
use crate::data::generate::Generator;
use crate::document::{self, Content, DocumentErrors, Faults, Span, Table};
use crate::math::digest::Digest;

const SCHEMA: u64 = 1;
const ENTRY_KEYS: &[&str] = &[
    "title",
    "kind",
    "shape",
    "citation",
    "licence",
    "files",
    "generator",
    "from",
    "rows",
    "columns",
];

pub(super) fn parse(text: &str, name: &str, folder: &Path) -> Result<Vec<Entry>, DocumentErrors> {
    let mut faults = Faults::new(name, text);
    let root = document::parse(text, &mut faults);
    let whole = faults.is_empty();
    let mut further = Faults::new(name, text);
    let entries = entries(&root, whole, folder, &mut further);
    if whole {
        faults.append(further);
    } else {
        faults.append_placed(further);
    }
    if faults.is_empty() {
        Ok(entries)
    } else {
        Err(faults.into_errors(format!("the dataset registry {name}")))
    }
}

/// All entries; `whole` says whether no part of the text is missing from the tree.
fn entries(root: &Table, whole: bool, folder: &Path, faults: &mut Faults) -> Vec<Entry> {
    let root = Fields { table: root, heading: "a dataset registry".to_owned() };
    root.only(&["schema", "dataset"], faults);
    let schema = root.needed_whole("schema", "the version of the file's layout, 1", faults);
    if schema.is_some_and(|schema| schema != SCHEMA) {
        let label = format!("this program reads schema {SCHEMA}");
        faults
            .at(&root.place("schema"), "unknown version of the layout", label)
            .help("a newer release may read this file");
    }
    let mut entries: Vec<Entry> = Vec::new();
    let Some(datasets) = root.inner("dataset", faults) else { return entries };
    let datasets = &datasets.table.entries;
    let mut derived = Vec::new();
    for dataset in datasets {
        let id = dataset.key.as_str();
        check_id(id, &dataset.key_span, faults);
        let Some(table) = dataset.node.table() else {
            faults.wrong(id, &dataset.node, "a table");
            continue;
        };
        let fields = Fields { table, heading: format!("dataset `{id}`") };
        if fields.has("from") {
            derived.push((id, fields, entries.len() + derived.len()));
        } else {
            entries.extend(entry(id, &fields, folder, faults));
        }
    }
    let all: Vec<&str> = datasets.iter().map(|dataset| dataset.key.as_str()).collect();
    let bases = entries.clone();
    for (id, fields, position) in derived {
        if let Some(entry) = derived_entry(id, &fields, &bases, whole.then_some(&all[..]), faults) {
            entries.insert(position.min(entries.len()), entry);
        }
    }
    entries
}

/// Ids stand in file names, csv cells and command lines.
fn check_id(id: &str, span: &Span, faults: &mut Faults) {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if id.is_empty() || id.starts_with(['-', '.']) || !id.chars().all(fine) {
        let label = "use letters, digits, `-`, `_` and `.`";
        faults.at(span, format!("`{id}` is no dataset id"), label);
    }
}

fn entry(id: &str, table: &Fields<'_>, folder: &Path, faults: &mut Faults) -> Option<Entry> {
    table.only(ENTRY_KEYS, faults);
    let text = described(table, faults);
    let kind = table.needed_word("kind", Kind::ALL, faults);
    for key in ["rows", "columns"] {
        if table.has(key) {
            faults.at(&table.place(key), format!("`{key}` needs `from`"), "there is no `from`");
        }
    }
    let (origin, shape) = match (table.has("files"), table.has("generator")) {
        (true, false) => {
            let shape = table
                .needed_inner("shape", "what the files must hold", faults)
                .and_then(|shape| read_shape(&shape, faults));
            let files = files(table, shape, folder, faults);
            (files.map(Origin::Files), shape)
        }
        (false, true) => {
            if table.has("shape") {
                let why = "`shape` follows from the generator's parameters";
                faults.at(&table.place("shape"), why, "leave it out");
            }
            let generator =
                table.inner("generator", faults).and_then(|inner| generator(&inner, faults));
            let shape = generator.as_ref().map(Generator::shape);
            (generator.map(Origin::Generated), shape)
        }
        (true, true) => {
            let why = "a dataset has either `files` or a `generator`";
            faults.at(&table.place("generator"), why, "this one has both");
            (None, None)
        }
        (false, false) => {
            let what = "where the examples come from; or `generator`, or `from`";
            table.missing("files", what, faults);
            (None, None)
        }
    };
    let (title, citation, licence) = text?;
    Some(Entry {
        id: id.to_owned(),
        title,
        kind: kind?,
        shape: shape?,
        citation,
        licence,
        origin: origin?,
    })
}

fn described(table: &Fields<'_>, faults: &mut Faults) -> Option<(String, String, String)> {
    let title = table.needed_text("title", "what people read", faults);
    let citation = table.needed_text("citation", "whom to cite", faults);
    let licence = table.needed_text("licence", "as stated at the source", faults);
    Some((title?, citation?, licence?))
}

fn read_shape(table: &Fields<'_>, faults: &mut Faults) -> Option<Shape> {
    table.only(&["variables", "rows", "train", "valid", "test"], faults);
    let variables = table.needed_size("variables", "the number of variables", faults);
    if variables == Some(0) {
        faults.at(&table.place("variables"), "`variables` can't be 0", "expected at least 1");
    }
    let rows = if table.has("rows") {
        for key in ["train", "valid", "test"] {
            if table.has(key) {
                let why =
                    format!("`rows` is for a set without a published split, `{key}` for one with");
                faults.at(&table.place(key), why, "`rows` is there too");
            }
        }
        table.needed_size("rows", "the number of examples", faults).map(Rows::Whole)
    } else {
        let train = table.needed_size("train", "the number of training examples", faults);
        let test = table.needed_size("test", "the number of test examples", faults);
        let valid = if table.has("valid") {
            table.needed_size("valid", "the number of validation examples", faults)
        } else {
            Some(0)
        };
        train.zip(valid).zip(test).map(|((train, valid), test)| Rows::Split { train, valid, test })
    };
    Some(Shape { variables: variables?, rows: rows? })
}

fn files(
    table: &Fields<'_>,
    shape: Option<Shape>,
    folder: &Path,
    faults: &mut Faults,
) -> Option<Vec<FileEntry>> {
    let tables = table.needed_tables("files", "where the examples are", faults)?;
    let before = faults.len();
    let mut files: Vec<FileEntry> = Vec::new();
    for table in &tables {
        table.only(&["role", "format", "sources"], faults);
        let role = table.needed_word("role", Role::ALL, faults);
        let format = table.needed_word("format", Format::ALL, faults);
        let tables = table.needed_tables("sources", "where the file is", faults);
        let sources = tables.and_then(|tables| {
            let sources: Vec<Option<Source>> =
                tables.iter().map(|table| source(table, folder, faults)).collect();
            sources.into_iter().collect::<Option<Vec<Source>>>()
        });
        if let (Some(role), Some(format), Some(sources)) = (role, format, sources) {
            if files.iter().any(|file| file.role == role) {
                let why = format!("a second file has the role `{}`", role.word());
                faults.at(&table.place("role"), why, "again");
            }
            files.push(FileEntry { role, format, sources });
        }
    }
    let shape = shape?;
    if faults.len() > before {
        return None;
    }
    for &(word, role) in Role::ALL {
        let rows = shape.rows.of(role);
        match files.iter().position(|file| file.role == role) {
            None if rows > 0 => {
                let why = format!("no file has the role `{word}`");
                let label = format!("`shape` gives it {rows} rows");
                faults.at(&table.place("files"), why, label);
            }
            Some(index) if rows == 0 => {
                let why = format!("`shape` gives no rows to the role `{word}`");
                faults.at(&tables[index].place("role"), why, "no rows");
            }
            _ => {}
        }
    }
    files.sort_by_key(|file| file.role);
    Some(files)
}

fn source(table: &Fields<'_>, folder: &Path, faults: &mut Faults) -> Option<Source> {
    table.only(&["url", "path", "sha256", "bytes", "encoding"], faults);
    let encoding = if table.has("encoding") {
        table.word("encoding", Encoding::ALL, faults)
    } else {
        Some(Encoding::Plain)
    };
    let digest = table.text("sha256", faults).and_then(|text| match text.parse::<Digest>() {
        Ok(digest) => Some(digest),
        Err(error) => {
            faults.at(&table.place("sha256"), error.to_string(), "no digest");
            None
        }
    });
    let local = |path: PathBuf| Place::Local { path, digest };
    let place = match (table.has("url"), table.has("path")) {
        (false, true) => table.text("path", faults).map(|path| local(folder.join(path))),
        (true, false) => table.text("url", faults).and_then(|text| match location(text) {
            Ok(Location::Local(path)) => Some(local(path)),
            Ok(Location::Remote(url, in_mirror)) => {
                if !table.has("sha256") {
                    table.missing("sha256", "the digest that the download must have", faults);
                }
                let bytes = table.needed_whole("bytes", "the size of the download", faults);
                bytes.zip(digest).map(|(bytes, digest)| {
                    Place::Remote(RemoteFile { url, in_mirror, digest, bytes })
                })
            }
            Err(why) => {
                faults.at(&table.place("url"), why, "can't be fetched");
                None
            }
        }),
        (true, true) => {
            let why = "a source has either a `url` or a `path`";
            faults.at(&table.place("path"), why, "this one has both");
            None
        }
        (false, false) => {
            table.missing("url", "where the file is; or `path`", faults);
            None
        }
    };
    Some(Source { place: place?, encoding: encoding? })
}

enum Location {
    Local(PathBuf),
    Remote(Url, Vec<String>),
}

fn location(text: &str) -> Result<Location, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is no url: {error}"))?;
    match url.scheme() {
        "http" | "https" => {
            if !url.username().is_empty() || url.password().is_some() {
                return Err("a url in a registry must not hold a user name or password".to_owned());
            }
            let in_mirror = in_mirror(&url)?;
            Ok(Location::Remote(url, in_mirror))
        }
        "file" => match url.to_file_path() {
            Ok(path) => Ok(Location::Local(path)),
            Err(()) => Err(format!("`{text}` names no file of this machine: file:///path")),
        },
        other => Err(format!("`{other}:` urls are refused: use https, http or file")),
    }
}

/// `<host>/<path>`, percent-decoded, as `wget --mirror` lays files out.
fn in_mirror(url: &Url) -> Result<Vec<String>, String> {
    let host = url.host_str().ok_or_else(|| format!("`{url}` has no host"))?;
    let host = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let mut segments = vec![host];
    for segment in url.path_segments().into_iter().flatten() {
        let decoded = percent_decoded(segment)
            .filter(|name| !matches!(name.as_str(), "" | "." | ".."))
            .filter(|name| !name.contains(['/', '\\', '\0']))
            .ok_or_else(|| format!("`{segment}` in the path of `{url}` cannot be a file name"))?;
        segments.push(decoded);
    }
    if let (Some(query), Some(last)) = (url.query(), segments.last_mut()) {
        if query.contains(['/', '\\', '\0']) {
            return Err(format!("`?{query}` of `{url}` cannot be part of a file name"));
        }
        *last = format!("{last}?{query}");
    }
    Ok(segments)
}

fn percent_decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

fn derived_entry(
    id: &str,
    table: &Fields<'_>,
    bases: &[Entry],
    all: Option<&[&str]>,
    faults: &mut Faults,
) -> Option<Entry> {
    table.only(ENTRY_KEYS, faults);
    for key in ["kind", "shape", "files", "generator"] {
        if table.has(key) {
            let why = format!("`{key}` follows from the base");
            faults.at(&table.place(key), why, "leave it out");
        }
    }
    let text = described(table, faults);
    let from = table.text("from", faults)?;
    let Some(base) = bases.iter().find(|entry| entry.id == from) else {
        match all {
            Some(all) if !all.contains(&from) => {
                faults.unknown("dataset", from, &table.place("from"), all);
            }
            // A base that is there but has mistakes of its own is reported already.
            Some(_) if faults.is_empty() => {
                let why = format!("`{from}` is derived itself");
                faults.at(&table.place("from"), why, "name its base");
            }
            _ => {}
        }
        return None;
    };
    let columns = match table.range("columns", faults) {
        Some(range) => within(table, "columns", range, base.shape.variables, faults)?,
        None => 0..base.shape.variables,
    };
    let (selection, rows) = selected_rows(table, base.shape.rows, faults)?;
    let (title, citation, licence) = text?;
    Some(Entry {
        id: id.to_owned(),
        title,
        kind: base.kind,
        shape: Shape { variables: columns.len(), rows },
        citation,
        licence,
        origin: Origin::Derived(Derivation { from: from.to_owned(), rows: selection, columns }),
    })
}

fn selected_rows(
    table: &Fields<'_>,
    base: Rows,
    faults: &mut Faults,
) -> Option<(RowSelection, Rows)> {
    if let Some(Content::List(_)) = table.table.get("rows").map(|node| &node.content) {
        let range = table.range("rows", faults)?;
        let range = within(table, "rows", range, base.total(), faults)?;
        let rows = Rows::Whole(range.len());
        return Some((RowSelection::Whole(range), rows));
    }
    let parts = if table.has("rows") { Some(table.inner("rows", faults)?) } else { None };
    let Rows::Split { train, valid, test } = base else {
        if parts.is_some() {
            let why = "the base has no published split";
            faults.at(&table.place("rows"), why, "write rows = [first, end]");
            return None;
        }
        return Some((RowSelection::Whole(0..base.total()), base));
    };
    if let Some(parts) = &parts {
        parts.only(&["train", "valid", "test"], faults);
    }
    let mut part = |key: &str, size: usize| match &parts {
        Some(parts) if parts.has(key) => {
            let range = parts.range(key, faults)?;
            within(parts, key, range, size, faults)
        }
        _ => Some(0..size),
    };
    let (train, valid, test) = (part("train", train), part("valid", valid), part("test", test));
    let (train, valid, test) = (train?, valid?, test?);
    let rows = Rows::Split { train: train.len(), valid: valid.len(), test: test.len() };
    Some((RowSelection::Split { train, valid, test }, rows))
}

fn within(
    table: &Fields<'_>,
    key: &str,
    range: Range<usize>,
    size: usize,
    faults: &mut Faults,
) -> Option<Range<usize>> {
    if range.end > size {
        let why = format!("`{key}` ends at {}", range.end);
        faults.at(&table.place(key), why, format!("the base has only {size}"));
        return None;
    }
    Some(range)
}
