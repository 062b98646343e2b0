//! The text of `datasets.toml` to entries.

use std::ops::Range;
use std::path::{Path, PathBuf};

use reqwest::Url;
use toml::de::DeTable;

use super::reader::{Reader, RegistryErrors, Table, nearest};
use super::{
    Derivation, Encoding, Entry, FileEntry, Format, Kind, Origin, Place, RemoteFile, Role,
    RowSelection, Rows, Shape, Source,
};
use crate::data::generate::{Generator, Model, Sizes};
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

pub(super) fn parse(text: &str, name: &str, folder: &Path) -> Result<Vec<Entry>, RegistryErrors> {
    let mut reader = Reader::new(text);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.mistake(error.span().unwrap_or(0..0), error.message(), None);
    }
    if !errors.is_empty() {
        return reader.finish(name, Vec::new());
    }
    let root = Table { fields: document.get_ref(), span: (0, 0) };
    reader.only(&root, &["schema", "dataset"]);
    let schema = reader.needed_whole(&root, "schema", "the version of the file's layout, 1");
    if schema.is_some_and(|schema| schema != SCHEMA) {
        reader.mistake(
            root.place("schema"),
            format!("this program reads schema {SCHEMA}"),
            Some("a newer release may read this file".to_owned()),
        );
    }
    let mut entries: Vec<Entry> = Vec::new();
    if let Some(datasets) = root.get("dataset").and_then(|value| reader.table(value, "dataset")) {
        let mut derived = Vec::new();
        for (key, value) in datasets.fields {
            let id: &str = key.get_ref();
            check_id(&mut reader, id, key.span());
            if let Some(table) = reader.table(value, id) {
                let span = key.span();
                let table = Table { span: (span.start, span.end), ..table };
                if table.get("from").is_some() {
                    derived.push((id, table, entries.len() + derived.len()));
                } else {
                    entries.extend(entry(&mut reader, id, &table, folder));
                }
            }
        }
        let all: Vec<&str> = datasets.fields.keys().map(|key| key.get_ref().as_ref()).collect();
        let bases = entries.clone();
        for (id, table, position) in derived {
            if let Some(entry) = derived_entry(&mut reader, id, &table, &bases, &all) {
                entries.insert(position.min(entries.len()), entry);
            }
        }
    }
    reader.finish(name, entries)
}

/// Ids stand in file names, csv cells and command lines.
fn check_id(reader: &mut Reader<'_>, id: &str, span: Range<usize>) {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if id.is_empty() || id.starts_with(['-', '.']) || !id.chars().all(fine) {
        reader.mistake(
            span,
            format!("`{id}` is no dataset id: use letters, digits, `-`, `_` and `.`"),
            None,
        );
    }
}

fn entry(reader: &mut Reader<'_>, id: &str, table: &Table<'_>, folder: &Path) -> Option<Entry> {
    reader.only(table, ENTRY_KEYS);
    let text = described(reader, table);
    let kind = reader.word(table, "kind", Kind::ALL);
    for key in ["rows", "columns"] {
        if table.get(key).is_some() {
            reader.mistake(table.place(key), format!("`{key}` needs `from`"), None);
        }
    }
    let (origin, shape) = match (table.get("files"), table.get("generator")) {
        (Some(_), None) => {
            let shape = needed_table(reader, table, "shape", "what the files must hold")
                .and_then(|shape| read_shape(reader, &shape));
            let files = files(reader, table, shape, folder);
            (files.map(Origin::Files), shape)
        }
        (None, Some(value)) => {
            if table.get("shape").is_some() {
                let why = "`shape` follows from the generator's parameters: leave it out";
                reader.mistake(table.place("shape"), why, None);
            }
            let generator = reader.table(value, "generator").and_then(|g| generator(reader, &g));
            let shape = generator.as_ref().map(Generator::shape);
            (generator.map(Origin::Generated), shape)
        }
        (Some(_), Some(_)) => {
            let why = "a dataset has either `files` or a `generator`";
            reader.mistake(table.place("generator"), why, None);
            (None, None)
        }
        (None, None) => {
            reader.missing(
                table,
                "files",
                "or `generator`, or `from`: where the examples come from",
            );
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

fn described(reader: &mut Reader<'_>, table: &Table<'_>) -> Option<(String, String, String)> {
    let title = reader.needed_text(table, "title", "what people read");
    let citation = reader.needed_text(table, "citation", "whom to cite");
    let licence = reader.needed_text(table, "licence", "as stated at the source");
    Some((title?, citation?, licence?))
}

fn needed_table<'a>(
    reader: &mut Reader<'_>,
    table: &Table<'a>,
    key: &str,
    what: &str,
) -> Option<Table<'a>> {
    match table.get(key) {
        Some(value) => reader.table(value, key),
        None => {
            reader.missing(table, key, what);
            None
        }
    }
}

fn read_shape(reader: &mut Reader<'_>, table: &Table<'_>) -> Option<Shape> {
    reader.only(table, &["variables", "rows", "train", "valid", "test"]);
    let variables = reader.needed_size(table, "variables", "the number of variables");
    if variables == Some(0) {
        reader.mistake(table.place("variables"), "`variables` must be at least 1", None);
    }
    let rows = if table.get("rows").is_some() {
        for key in ["train", "valid", "test"] {
            if table.get(key).is_some() {
                let why =
                    format!("`rows` is for a set without a published split, `{key}` for one with");
                reader.mistake(table.place(key), why, None);
            }
        }
        reader.needed_size(table, "rows", "the number of examples").map(Rows::Whole)
    } else {
        let train = reader.needed_size(table, "train", "the number of training examples");
        let test = reader.needed_size(table, "test", "the number of test examples");
        let valid = match table.get("valid") {
            Some(_) => reader.needed_size(table, "valid", "the number of validation examples"),
            None => Some(0),
        };
        train.zip(valid).zip(test).map(|((train, valid), test)| Rows::Split { train, valid, test })
    };
    Some(Shape { variables: variables?, rows: rows? })
}

fn files(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    shape: Option<Shape>,
    folder: &Path,
) -> Option<Vec<FileEntry>> {
    let tables = reader.tables(table, "files")?;
    let before = reader.count();
    let mut files: Vec<FileEntry> = Vec::new();
    for table in &tables {
        reader.only(table, &["role", "format", "sources"]);
        let role = reader.word(table, "role", Role::ALL);
        let format = reader.word(table, "format", Format::ALL);
        if table.get("sources").is_none() {
            reader.missing(table, "sources", "where the file is");
        }
        let sources = reader.tables(table, "sources").and_then(|tables| {
            let sources: Vec<Option<Source>> =
                tables.iter().map(|table| source(reader, table, folder)).collect();
            sources.into_iter().collect::<Option<Vec<Source>>>()
        });
        if let (Some(role), Some(format), Some(sources)) = (role, format, sources) {
            if files.iter().any(|file| file.role == role) {
                let why = format!("a second file has the role `{}`", role.word());
                reader.mistake(table.place("role"), why, None);
            }
            files.push(FileEntry { role, format, sources });
        }
    }
    let shape = shape?;
    if reader.count() > before {
        return None;
    }
    for &(word, role) in Role::ALL {
        let rows = shape.rows.of(role);
        match files.iter().position(|file| file.role == role) {
            None if rows > 0 => {
                let why =
                    format!("no file has the role `{word}`, but `shape` gives it {rows} rows");
                reader.mistake(table.place("files"), why, None);
            }
            Some(index) if rows == 0 => {
                let why = format!("`shape` gives no rows to the role `{word}`");
                reader.mistake(tables[index].place("role"), why, None);
            }
            _ => {}
        }
    }
    files.sort_by_key(|file| file.role);
    Some(files)
}

fn source(reader: &mut Reader<'_>, table: &Table<'_>, folder: &Path) -> Option<Source> {
    reader.only(table, &["url", "path", "sha256", "bytes", "encoding"]);
    let encoding = match table.get("encoding") {
        Some(_) => reader.word(table, "encoding", Encoding::ALL),
        None => Some(Encoding::Plain),
    };
    let digest = reader.text(table, "sha256").and_then(|text| match text.parse::<Digest>() {
        Ok(digest) => Some(digest),
        Err(error) => {
            reader.mistake(table.place("sha256"), error.to_string(), None);
            None
        }
    });
    let local = |path: PathBuf| Place::Local { path, digest };
    let place = match (table.get("url"), table.get("path")) {
        (None, Some(_)) => reader.text(table, "path").map(|path| local(folder.join(path))),
        (Some(_), None) => reader.text(table, "url").and_then(|text| match location(text) {
            Ok(Location::Local(path)) => Some(local(path)),
            Ok(Location::Remote(url, in_mirror)) => {
                if table.get("sha256").is_none() {
                    reader.missing(table, "sha256", "the digest that the download must have");
                }
                let bytes = reader.needed_whole(table, "bytes", "the size of the download");
                bytes.zip(digest).map(|(bytes, digest)| {
                    Place::Remote(RemoteFile { url, in_mirror, digest, bytes })
                })
            }
            Err(why) => {
                reader.mistake(table.place("url"), why, None);
                None
            }
        }),
        (Some(_), Some(_)) => {
            reader.mistake(table.place("path"), "a source has either a `url` or a `path`", None);
            None
        }
        (None, None) => {
            reader.missing(table, "url", "or `path`: where the file is");
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

fn generator(reader: &mut Reader<'_>, table: &Table<'_>) -> Option<Generator> {
    #[derive(Clone, Copy)]
    enum Word {
        Blocks,
        Tree,
        Independent,
    }
    const WORDS: &[(&str, Word)] = &[
        ("mixture-of-blocks", Word::Blocks),
        ("tree", Word::Tree),
        ("independent", Word::Independent),
    ];
    const COMMON: [&str; 6] = ["kind", "seed", "variables", "train", "valid", "test"];
    let kind = reader.word(table, "kind", WORDS);
    let own: &[&str] = match kind {
        Some(Word::Blocks) => &["components", "blocks"],
        Some(Word::Independent) => &["probabilities"],
        Some(Word::Tree) => &[],
        None => &["components", "blocks", "probabilities"],
    };
    reader.only(table, &[&COMMON[..], own].concat());
    let seed = reader.needed_whole(table, "seed", "where the random numbers start");
    let variables = reader.needed_size(table, "variables", "the number of variables");
    let train = reader.needed_size(table, "train", "the number of training examples");
    let valid = reader.needed_size(table, "valid", "the number of validation examples, or 0");
    let test = reader.needed_size(table, "test", "the number of test examples");
    let model = match kind? {
        Word::Blocks => {
            let components =
                reader.needed_size(table, "components", "the number of mixture components");
            let blocks = reader.needed_size(table, "blocks", "the number of blocks a component");
            Model::MixtureOfBlocks { components: components?, blocks: blocks? }
        }
        Word::Tree => Model::Tree,
        Word::Independent => {
            let what = "[low, high], the range of the probabilities of a one";
            let [low, high] = reader.needed_pair(table, "probabilities", what)?;
            Model::Independent { low, high }
        }
    };
    let sizes = Sizes { variables: variables?, train: train?, valid: valid?, test: test? };
    match Generator::new(seed?, sizes, model) {
        Ok(generator) => Some(generator),
        Err(error) => {
            reader.mistake(table.place(error.parameter), error.to_string(), None);
            None
        }
    }
}

fn derived_entry(
    reader: &mut Reader<'_>,
    id: &str,
    table: &Table<'_>,
    bases: &[Entry],
    all: &[&str],
) -> Option<Entry> {
    reader.only(table, ENTRY_KEYS);
    for key in ["kind", "shape", "files", "generator"] {
        if table.get(key).is_some() {
            let why = format!("`{key}` follows from the base: leave it out");
            reader.mistake(table.place(key), why, None);
        }
    }
    let text = described(reader, table);
    let from = reader.text(table, "from")?;
    let Some(base) = bases.iter().find(|entry| entry.id == from) else {
        // A base that is there but has mistakes of its own is reported already.
        if !all.contains(&from) {
            let help =
                nearest(from, all.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            reader.mistake(table.place("from"), format!("there is no dataset `{from}`"), help);
        } else if reader.count() == 0 {
            let why = format!("`{from}` is derived itself: name its base");
            reader.mistake(table.place("from"), why, None);
        }
        return None;
    };
    let columns = match reader.range(table, "columns") {
        Some(range) => within(reader, table, "columns", range, base.shape.variables)?,
        None => 0..base.shape.variables,
    };
    let (selection, rows) = selected_rows(reader, table, base.shape.rows)?;
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
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    base: Rows,
) -> Option<(RowSelection, Rows)> {
    let parts = match table.get("rows") {
        Some(value) if value.get_ref().is_array() => {
            let range = reader.range(table, "rows")?;
            let range = within(reader, table, "rows", range, base.total())?;
            let rows = Rows::Whole(range.len());
            return Some((RowSelection::Whole(range), rows));
        }
        Some(value) => Some(reader.table(value, "rows")?),
        None => None,
    };
    let Rows::Split { train, valid, test } = base else {
        if parts.is_some() {
            let why = "the base has no published split: write rows = [first, end]";
            reader.mistake(table.place("rows"), why, None);
            return None;
        }
        return Some((RowSelection::Whole(0..base.total()), base));
    };
    if let Some(parts) = &parts {
        reader.only(parts, &["train", "valid", "test"]);
    }
    let mut part = |key: &str, size: usize| match &parts {
        Some(parts) if parts.get(key).is_some() => {
            let range = reader.range(parts, key)?;
            within(reader, parts, key, range, size)
        }
        _ => Some(0..size),
    };
    let (train, valid, test) = (part("train", train), part("valid", valid), part("test", test));
    let (train, valid, test) = (train?, valid?, test?);
    let rows = Rows::Split { train: train.len(), valid: valid.len(), test: test.len() };
    Some((RowSelection::Split { train, valid, test }, rows))
}

fn within(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    key: &str,
    range: Range<usize>,
    size: usize,
) -> Option<Range<usize>> {
    if range.end > size {
        let why = format!("`{key}` ends at {}, but the base has only {size}", range.end);
        reader.mistake(table.place(key), why, None);
        return None;
    }
    Some(range)
}
