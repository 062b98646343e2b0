//! The description of a dataset of a registry.

use std::path::{Path, PathBuf};

use base::bounded;
use base::digest::Digest;
use contract::Examples;
use serde_json::{Value, json};

use crate::draft::NOT_STATED;
use crate::error::{DataError, io, no};
use crate::integrity::Integrity;
use crate::library::{FileStatus, Library};
use crate::registry::{Entry, FileEntry, Format, Origin, Place, Source};
use crate::vocabulary::{Charset, Encoding, Role, Target};
use crate::{Dataset, limits};

/// The names that a description of version 1.0 uses, as its specification gives them.
const CONTEXT: &str = include_str!("context.json");

/// The ids of record sets, which no file has.
const SETS: [&str; 4] = ["examples", "train", "valid", "test"];

/// A description, and what it lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The JSON-LD.
    pub json: Value,
    /// Why it does not describe records, if it does not.
    pub without_records: Option<&'static str>,
}

/// Describes a dataset for a file in `folder`. What is missing is fetched.
///
/// # Errors
/// If the dataset is unknown or has no files, or they can't be had or named.
pub fn written(library: &Library, id: &str, folder: &Path) -> Result<Written, DataError> {
    let entry = library.known(id)?;
    let no_files = |what: &str, cure: &str| {
        let what = format!("dataset `{id}` has no files: it is {what}");
        Err(DataError::Asked(no(what, format!("Croissant describes files; {cure}"))))
    };
    let files = match &entry.origin {
        Origin::Generated(_) => return no_files("drawn", "share its entry in datasets.toml"),
        Origin::Derived(rule) => {
            let cure = format!("describe `{}`, and share the entry in datasets.toml", rule.from);
            return no_files(&format!("derived from `{}`", rule.from), &cure);
        }
        Origin::Files(files) => files,
    };
    library.fetch(&[id])?;
    let dataset = library.load(id)?;
    let mut ids = SETS.map(str::to_owned).to_vec();
    let mut objects: Vec<Value> = Vec::new();
    for (file, status) in files.iter().zip(library.plan_fetch(&[id])?) {
        objects.push(object(file, &status, folder, &mut ids)?);
    }
    let stated = |text: &str| (text != NOT_STATED).then(|| text.to_owned());
    let (citation, licence) = (stated(&entry.citation), stated(&entry.licence));
    let cited = citation.as_ref().map_or(String::new(), |citation| format!(". {citation}"));
    let mut json = json!({
        "@context": serde_json::from_str::<Value>(CONTEXT).unwrap_or_default(),
        "@type": "sc:Dataset",
        "name": entry.title,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": format!("{}{cited}", entry.title),
    });
    let records = records(entry, files, &ids[SETS.len()..], &dataset);
    let without_records = records.as_ref().err().copied();
    let records = records.ok().map(Value::from);
    for (key, value) in [
        ("citeAs", citation.map(Value::from)),
        ("license", licence.map(Value::from)),
        ("distribution", Some(objects.into())),
        ("recordSet", records),
    ] {
        if let Some(value) = value {
            json[key] = value;
        }
    }
    Ok(Written { json, without_records })
}

/// A file as it is described. Its id is none of those that are taken, and is one of them then.
fn object(
    file: &FileEntry,
    status: &FileStatus,
    folder: &Path,
    taken: &mut Vec<String>,
) -> Result<Value, DataError> {
    let is_remote = |source: &&Source| matches!(source.place, Place::Remote(_));
    let source = file.sources.iter().find(is_remote).unwrap_or(&file.sources[0]);
    let (content_url, integrity) = match &source.place {
        Place::Remote(remote) => (remote.url.to_string(), Some(&remote.integrity)),
        Place::Local { path, integrity } => (below(path, folder)?, integrity.as_ref()),
    };
    let (sha256, bytes) = match (integrity, &status.path) {
        (Some(Integrity { folder: Some(_), .. }), _) => {
            let what = format!(
                "{content_url} of dataset `{}` is an archive whose bytes may change",
                status.dataset
            );
            let cure = "Croissant asks for the SHA-256 of a file: keep a copy of the archive, and name it in the entry";
            return Err(DataError::Asked(no(what, cure)));
        }
        (Some(&Integrity { digest, size: Some(size), .. }), _) => (digest, size),
        (_, path) => {
            let path = path.clone().unwrap_or_else(|| PathBuf::from(&status.url));
            let bytes = bounded::read_regular(&path, limits::FILE).map_err(io("read", path))?;
            (Digest::of(&bytes), bytes.len() as u64)
        }
    };
    let name = content_url.split(['?', '#']).next().unwrap_or_default();
    let name = name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("file");
    let id = match taken.iter().any(|known| known == name) {
        true => format!("file-{}-{name}", taken.len() - SETS.len() + 1),
        false => name.to_owned(),
    };
    taken.push(id.clone());
    Ok(json!({
        "@type": "cr:FileObject",
        "@id": id,
        "name": id,
        "contentUrl": content_url,
        "contentSize": format!("{bytes} B"),
        "encodingFormat": media_type(source.encoding, &file.format),
        "sha256": sha256.to_string(),
    }))
}

fn media_type(encoding: Encoding, format: &Format) -> &'static str {
    match format {
        _ if encoding != Encoding::Plain => "application/gzip",
        Format::Csv(layout) if layout.delimiter == b'\t' => "text/tab-separated-values",
        Format::Csv(_) | Format::BinaryCsv | Format::AttributeCsv(_) => "text/csv",
        Format::Npz { .. } => "application/zip",
        Format::NpyFeatures | Format::NpyTarget | Format::IdxImages | Format::IdxLabels => {
            "application/octet-stream"
        }
        Format::LabelledLines(_)
        | Format::TextFiles { .. }
        | Format::ReutersSgml(_)
        | Format::Arff(_)
        | Format::Libsvm
        | Format::OpenmlSplits => "text/plain",
    }
}

/// The path of a file from a folder on, with `/` between its parts.
fn below(path: &Path, folder: &Path) -> Result<String, DataError> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (path, folder) = (absolute(path), absolute(here));
    let Ok(below) = path.strip_prefix(&folder) else {
        let what = format!("{} does not lie below {}", path.display(), folder.display());
        let cure = "a description names local files by their path from where it lies: write it above the file, with --to";
        return Err(DataError::Asked(no(what, cure)));
    };
    let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
    Ok(parts.collect::<Vec<_>>().join("/"))
}

/// A record set for each file, and one for the names of each column that has some; or why there are none.
fn records(
    entry: &Entry,
    files: &[FileEntry],
    ids: &[String],
    dataset: &Dataset,
) -> Result<Vec<Value>, &'static str> {
    let columns = dataset.columns.as_deref().unwrap_or_default();
    let of_names = |(at, column): (usize, &String)| {
        let (names, _) = held(&dataset.examples, at);
        Some(enumeration(&named(column, at), column, names?))
    };
    let mut sets: Vec<Value> = columns.iter().enumerate().filter_map(of_names).collect();
    for (file, object) in files.iter().zip(ids) {
        let Format::Csv(layout) = &file.format else {
            return Err("Croissant has records of CSV and TSV files only");
        };
        let plain_text = file.sources.iter().all(|source| source.encoding == Encoding::Plain)
            && layout.charset == Charset::Utf8;
        if !layout.header || !matches!(layout.delimiter, b',' | b'\t') || !plain_text {
            return Err("Croissant has records of plain UTF-8 files with a header, commas or tabs");
        }
        let set = if file.role == Role::All { SETS[0] } else { file.role.word() };
        let mut fields: Vec<Value> = Vec::new();
        let mut add = |column: &str, kinds: Value, names: Option<String>| {
            let id = format!("{set}/{}-{}", fields.len() + 1, plain(column));
            let mut field = json!({
                "@type": "cr:Field",
                "@id": id,
                "name": column,
                "dataType": kinds,
                "source": { "fileObject": { "@id": object }, "extract": { "column": column } },
            });
            if let Some(enumeration) = names {
                let name = format!("{enumeration}/name");
                field["references"] = json!({ "field": { "@id": name } });
            }
            fields.push(field);
        };
        for (at, column) in columns.iter().enumerate() {
            let (names, misses) = held(&dataset.examples, at);
            // Where a `?` stands for a missing number, readers that expect a number stumble.
            let kind = if names.is_none() && !misses { "sc:Float" } else { "sc:Text" };
            add(column, kind.into(), names.map(|_| named(column, at)));
        }
        for mark in [&layout.group, &layout.time].into_iter().flatten() {
            if !columns.contains(mark) {
                add(mark, "sc:Text".into(), None);
            }
        }
        let kind = if entry.shape.target == Target::Number { "sc:Float" } else { "sc:Text" };
        add(&layout.target, json!([kind, "cr:Label"]), None);
        sets.push(json!({ "@type": "cr:RecordSet", "@id": set, "name": set, "field": fields }));
    }
    Ok(sets)
}

/// The names that a column has, if it has no numbers; and whether it misses some of these.
fn held(examples: &Examples, column: usize) -> (Option<&[String]>, bool) {
    match examples {
        Examples::Categorical(rows) => (Some(&rows.attributes()[column].values), false),
        Examples::Table(table) => {
            let column = &table.columns()[column];
            let missed = column.numbers().is_some_and(|n| n.iter().any(|value| value.is_nan()));
            (column.names().map(|(names, _)| names), missed)
        }
        Examples::Binary(_) | Examples::Packed(_) | Examples::Numeric(_) => (None, false),
    }
}

/// The id of the names of a column.
fn named(column: &str, at: usize) -> String {
    format!("names-{}-{}", at + 1, plain(column))
}

/// A name as part of an id, which is one of a web page's: letters, digits, `-`, `_` and `.`.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    name.chars().map(plain).collect()
}

/// The names of a column as records of their own.
fn enumeration(id: &str, column: &str, names: &[String]) -> Value {
    let key = format!("{id}/name");
    let data: Vec<Value> = names.iter().map(|name| json!({ key.as_str(): name })).collect();
    json!({
        "@type": "cr:RecordSet",
        "@id": id,
        "name": format!("names of {column}"),
        "dataType": "sc:Enumeration",
        "key": { "@id": key },
        "field": [{ "@type": "cr:Field", "@id": key, "name": "name", "dataType": "sc:Text" }],
        "data": data,
    })
}
