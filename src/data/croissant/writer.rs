//! The description of a dataset of a registry.

use std::path::{Path, PathBuf};

use base::bounded;
use base::digest::Digest;
use contract::Examples;
use contract::table::Column;
use serde_json::{Map, Value, json};

use crate::draft::NOT_STATED;
use crate::error::{DataError, io};
use crate::format::csv::Layout;
use crate::integrity::Integrity;
use crate::library::{FetchProgress, FileStatus, Library};
use crate::registry::{Entry, FileEntry, Format, Origin, Place, Source};
use crate::vocabulary::{Charset, Encoding, Role, Target};
use crate::{Dataset, limits};

/// The names that a description of version 1.0 uses, as its specification gives them.
const CONTEXT: &str = include_str!("context.json");

/// A dataset can't be described.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Undescribable {
    /// It has no files.
    #[error("dataset `{id}` has no files: it is {what}")]
    #[diagnostic(help("Croissant describes files; {cure}"))]
    NoFiles {
        /// Its id.
        id: String,
        /// Where its examples come from.
        what: String,
        /// What to do.
        cure: String,
    },
    /// The bytes of an archive may change.
    #[error("{url} of dataset `{id}` is an archive whose bytes may change")]
    #[diagnostic(help(
        "Croissant asks for the SHA-256 of a file: keep a copy of the archive, and name it in the entry"
    ))]
    Unstable {
        /// The id of the dataset.
        id: String,
        /// The archive.
        url: String,
    },
    /// A local file is where the description can't name it.
    #[error("{} does not lie below {}", path.display(), folder.display())]
    #[diagnostic(help(
        "a description names local files by their path from where it lies: write it above the file, with --to"
    ))]
    Elsewhere {
        /// The file.
        path: PathBuf,
        /// The folder of the description.
        folder: PathBuf,
    },
    /// The files can't be had or read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Data(#[from] DataError),
}

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
pub fn written(
    library: &Library,
    id: &str,
    folder: &Path,
    progress: &dyn FetchProgress,
) -> Result<Written, Undescribable> {
    let entry = library.known(id)?;
    let no_files = |what: &str, cure: &str| {
        let (id, what, cure) = (id.to_owned(), what.to_owned(), cure.to_owned());
        Err(Undescribable::NoFiles { id, what, cure })
    };
    let files = match &entry.origin {
        Origin::Generated(_) => return no_files("drawn", "share its entry in datasets.toml"),
        Origin::Derived(from) => {
            return no_files(
                &format!("derived from `{}`", from.from),
                &format!("describe `{}`, and share the entry in datasets.toml", from.from),
            );
        }
        Origin::Files(files) => files,
    };
    library.fetch(&[id], progress)?;
    let dataset = library.load(id)?;
    let statuses = library.plan_fetch(&[id])?;
    let mut objects: Vec<Object> = Vec::new();
    for (file, status) in files.iter().zip(&statuses) {
        let mut object = Object::of(entry, file, status, folder)?;
        let sets = ["examples", "train", "valid", "test"];
        let taken = |id: &str| sets.contains(&id) || objects.iter().any(|other| other.id == id);
        if taken(&object.id) {
            object.id = format!("file-{}-{}", objects.len() + 1, object.id);
        }
        objects.push(object);
    }
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
    put("@context", serde_json::from_str(CONTEXT).unwrap_or_default());
    put("@type", "sc:Dataset".into());
    put("name", entry.title.clone().into());
    put("conformsTo", "http://mlcommons.org/croissant/1.0".into());
    let stated = |text: &str| (text != NOT_STATED).then(|| text.to_owned());
    let (citation, licence) = (stated(&entry.citation), stated(&entry.licence));
    let cited = citation.as_ref().map_or(String::new(), |citation| format!(". {citation}"));
    put("description", format!("{}{cited}", entry.title).into());
    citation.map(|citation| put("citeAs", citation.into()));
    licence.map(|licence| put("license", licence.into()));
    put("distribution", objects.iter().map(Object::json).collect());
    let (sets, without_records) = match records(entry, files, &objects, &dataset) {
        Ok(sets) => (Some(sets), None),
        Err(why) => (None, Some(why)),
    };
    sets.map(|sets| put("recordSet", sets.into()));
    Ok(Written { json: json.into(), without_records })
}

/// A file as it is described.
struct Object {
    id: String,
    content_url: String,
    sha256: Digest,
    bytes: u64,
    media_type: &'static str,
}

impl Object {
    fn of(
        entry: &Entry,
        file: &FileEntry,
        status: &FileStatus,
        folder: &Path,
    ) -> Result<Self, Undescribable> {
        let is_remote = |source: &&Source| matches!(source.place, Place::Remote(_));
        let source = file.sources.iter().find(is_remote).unwrap_or(&file.sources[0]);
        let content_url = match &source.place {
            Place::Remote(remote) => remote.url.to_string(),
            Place::Local { path, .. } => below(path, folder)?,
        };
        let integrity = match &source.place {
            Place::Remote(remote) => Some(&remote.integrity),
            Place::Local { integrity, .. } => integrity.as_ref(),
        };
        let (sha256, bytes) = match (integrity, &status.path) {
            (Some(Integrity::Tree { .. }), _) => {
                let (id, url) = (entry.id.clone(), content_url);
                return Err(Undescribable::Unstable { id, url });
            }
            (Some(Integrity::Bytes { digest, size: Some(size) }), _) => (*digest, *size),
            (_, path) => {
                let path = path.clone().unwrap_or_else(|| PathBuf::from(&status.url));
                let bytes = bounded::read_regular(&path, limits::FILE).map_err(io("read", path))?;
                (Digest::of(&bytes), bytes.len() as u64)
            }
        };
        let name = content_url.split(['?', '#']).next().unwrap_or_default();
        let id =
            name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("file").to_owned();
        let media_type = match (source.encoding, &file.format) {
            (Encoding::Gzip | Encoding::TarGzip, _) => "application/gzip",
            (_, Format::Csv(layout)) if layout.delimiter == b'\t' => "text/tab-separated-values",
            (_, Format::Csv(_) | Format::BinaryCsv | Format::AttributeCsv(_)) => "text/csv",
            (
                _,
                Format::NpyFeatures | Format::NpyTarget | Format::IdxImages | Format::IdxLabels,
            ) => "application/octet-stream",
            (_, Format::Npz { .. }) => "application/zip",
            (
                _,
                Format::LabelledLines(_)
                | Format::TextFiles { .. }
                | Format::ReutersSgml(_)
                | Format::Arff(_)
                | Format::Libsvm
                | Format::OpenmlSplits,
            ) => "text/plain",
        };
        Ok(Self { id, content_url, sha256, bytes, media_type })
    }

    fn json(&self) -> Value {
        json!({
            "@type": "cr:FileObject",
            "@id": self.id,
            "name": self.id,
            "contentUrl": self.content_url,
            "contentSize": format!("{} B", self.bytes),
            "encodingFormat": self.media_type,
            "sha256": self.sha256.to_string(),
        })
    }
}

/// The path of a file from a folder on, with `/` between its parts.
fn below(path: &Path, folder: &Path) -> Result<String, Undescribable> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (path, folder) = (absolute(path), absolute(here));
    match path.strip_prefix(&folder) {
        Ok(below) => {
            let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
            Ok(parts.collect::<Vec<_>>().join("/"))
        }
        Err(_) => Err(Undescribable::Elsewhere { path, folder }),
    }
}

/// A record set for each file, and one for the names of each column that has some; or why there are none.
fn records(
    entry: &Entry,
    files: &[FileEntry],
    objects: &[Object],
    dataset: &Dataset,
) -> Result<Vec<Value>, &'static str> {
    let columns = dataset.columns.as_deref().unwrap_or_default();
    let mut sets = Vec::new();
    let mut fields_of: Vec<(Role, &Object, &Layout)> = Vec::new();
    for (file, object) in files.iter().zip(objects) {
        let Format::Csv(layout) = &file.format else {
            return Err("Croissant has records of CSV and TSV files only");
        };
        let plain = file.sources.iter().all(|source| source.encoding == Encoding::Plain);
        if !layout.header
            || !matches!(layout.delimiter, b',' | b'\t')
            || !plain
            || layout.charset != Charset::Utf8
        {
            return Err("Croissant has records of plain UTF-8 files with a header, commas or tabs");
        }
        fields_of.push((file.role, object, layout));
    }
    for (at, column) in columns.iter().enumerate() {
        if let Some(names) = names_of(&dataset.examples, at) {
            sets.push(enumeration(&named(column, at), column, &names));
        }
    }
    for (role, object, layout) in fields_of {
        let set = if role == Role::All { "examples" } else { role.word() };
        let mut fields: Vec<Value> = Vec::new();
        let mut add = |column: &str, kinds: Value, names: Option<String>| {
            let id = format!("{set}/{}-{}", fields.len() + 1, plain(column));
            let mut field = json!({
                "@type": "cr:Field",
                "@id": id,
                "name": column,
                "dataType": kinds,
                "source": { "fileObject": { "@id": object.id }, "extract": { "column": column } },
            });
            if let Some(enumeration) = names {
                let name = format!("{enumeration}/name");
                field["references"] = json!({ "field": { "@id": name } });
            }
            fields.push(field);
        };
        for (at, column) in columns.iter().enumerate() {
            let names = names_of(&dataset.examples, at).map(|_| named(column, at));
            // Where a `?` stands for a missing number, readers that expect a number stumble.
            let number = names.is_none() && !misses(&dataset.examples, at);
            add(column, if number { "sc:Float" } else { "sc:Text" }.into(), names);
        }
        for mark in [&layout.group, &layout.time].into_iter().flatten() {
            if !columns.contains(mark) {
                add(mark, "sc:Text".into(), None);
            }
        }
        let kind = if entry.shape.target == Target::Number { "sc:Float" } else { "sc:Text" };
        add(&layout.target, json!([kind, "cr:Label"]), None);
        sets.push(json!({
            "@type": "cr:RecordSet",
            "@id": set,
            "name": set,
            "field": fields,
        }));
    }
    Ok(sets)
}

/// The names that a column has, if it has no numbers.
fn names_of(examples: &Examples, column: usize) -> Option<Vec<String>> {
    match examples {
        Examples::Categorical(rows) => Some(rows.attributes()[column].values.clone()),
        Examples::Table(table) => match &table.columns()[column] {
            Column::Names { names, .. } => Some(names.to_vec()),
            Column::Numbers(_) => None,
        },
        Examples::Binary(_) | Examples::Packed(_) | Examples::Numeric(_) => None,
    }
}

/// Whether a column of numbers misses some.
fn misses(examples: &Examples, column: usize) -> bool {
    match examples {
        Examples::Table(table) => match &table.columns()[column] {
            Column::Numbers(values) => values.iter().any(|value| value.is_nan()),
            Column::Names { .. } => false,
        },
        _ => false,
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
