//! What a description says of the files of a dataset.

use std::collections::BTreeMap;

use base::digest::Digest;
use serde_json::Value;

use crate::draft::About;
use crate::error::{Refused, no};
use crate::vocabulary::Role;

/// The most bytes of a description: 16 MiB.
const LONGEST: usize = 1 << 24;

/// What to do where a description can't be used.
const BY_ITSELF: &str =
    "add the file itself: reprise data add FILE; records in JSON are to be written as CSV";

/// A dataset as it is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its files: one, or those of a published split.
    pub files: Vec<(Role, FileObject)>,
    /// What else is known of it.
    pub about: About,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileObject {
    /// What the description calls it.
    pub id: String,
    /// Where it is: a url, or a path from the description on.
    pub content_url: String,
    /// Its SHA-256, if that is said.
    pub sha256: Option<Digest>,
    /// Its MD5 in hexadecimal digits, if that is said.
    pub md5: Option<String>,
}

/// Whether a file is JSON and no table.
pub fn looks_so(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().starts_with(b"{")
}

/// Reads a description; `file` is what errors call it.
///
/// # Errors
/// If it is none, or describes what is not read.
pub fn read(bytes: &[u8], file: &str) -> Result<Described, Refused> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let none = |why: String| no(format!("{file} is no Croissant description: {why}"), BY_ITSELF);
    if text.len() > LONGEST {
        return Err(none(format!("it has more than {LONGEST} bytes")));
    }
    let root: Value = serde_json::from_slice(text).map_err(|error| none(error.to_string()))?;
    if !is(&root, "Dataset") {
        return Err(none("its @type is not Dataset".to_owned()));
    }
    check_version(&root, file)?;
    let name = texts(&root, "name").next().ok_or_else(|| none("it has no name".to_owned()))?;
    let distribution: BTreeMap<&str, &Value> =
        many(&root, "distribution").filter_map(|object| Some((id(object)?, object))).collect();
    let (enumerations, records): (Vec<&Value>, Vec<&Value>) =
        many(&root, "recordSet").partition(|set| is_enumeration(set));
    let enumerations: Vec<&str> = enumerations.into_iter().filter_map(id).collect();
    let mut cited = texts(&root, "citeAs").chain(texts(&root, "citation"));
    let mut about = About {
        title: Some(name.to_owned()),
        citation: cited.next().map(str::to_owned),
        licence: licence(&root),
        ..About::default()
    };
    let sets: Vec<(Role, &Value)> = match &records[..] {
        [] => {
            let files: Vec<(&&str, &&Value)> = distribution.iter().collect();
            let [(id, object)] = files[..] else {
                let what = format!("{file} describes no records, and {} files", files.len());
                return Err(no(what, BY_ITSELF));
            };
            let files = vec![(Role::All, file_object(id, object)?)];
            return Ok(Described { name: name.to_owned(), files, about });
        }
        [one] => vec![(Role::All, *one)],
        several => parts(several).ok_or_else(|| {
            let named: Vec<&str> = several.iter().filter_map(|set| id(set)).collect();
            let what = format!("{file} describes several tables: {}", named.join(", "));
            no(what, format!("{BY_ITSELF}; or call them train, valid and test"))
        })?,
    };
    let mut files = Vec::new();
    for (role, set) in sets {
        let table = Table::of(set, &enumerations)?;
        let object = distribution.get(table.file).copied().ok_or_else(|| {
            no(format!("{file} has no file `{}` in its distribution", table.file), BY_ITSELF)
        })?;
        files.push((role, file_object(table.file, object)?));
        if about.described.as_ref().is_some_and(|described| *described != table.columns) {
            let what = format!("the tables of {file} have unlike columns");
            return Err(no(what, "the parts of a published split have the same columns"));
        }
        about.described = Some(table.columns);
        about.names = table.names;
        about.target = table.target;
    }
    files.sort_by_key(|(role, _)| *role);
    Ok(Described { name: name.to_owned(), files, about })
}

/// That a description is of a version that is read.
fn check_version(root: &Value, file: &str) -> Result<(), Refused> {
    let versions: Vec<&str> = texts(root, "conformsTo").collect();
    if versions.iter().any(|version| version.contains("mlcommons.org/croissant/1.")) {
        return Ok(());
    }
    let found = if versions.is_empty() { "nothing".to_owned() } else { versions.join(", ") };
    let what = format!("{file} conforms to {found}");
    let cure = "Croissant 1.0 is read: conformsTo is http://mlcommons.org/croissant/1.0";
    Err(no(what, cure))
}

/// The record sets of a published split, by what they are called.
fn parts<'v>(sets: &[&'v Value]) -> Option<Vec<(Role, &'v Value)>> {
    let role = |set: &&'v Value| {
        let role = match id(set)? {
            "train" => Role::Train,
            "valid" | "validation" => Role::Valid,
            "test" => Role::Test,
            _ => return None,
        };
        Some((role, *set))
    };
    let parts: Vec<(Role, &Value)> = sets.iter().map(role).collect::<Option<_>>()?;
    let has = |wanted: Role| parts.iter().filter(|(role, _)| *role == wanted).count() == 1;
    (has(Role::Train) && has(Role::Test)).then_some(parts)
}

/// A record set that is the table of a file.
#[derive(Default)]
struct Table<'v> {
    /// The id of the file.
    file: &'v str,
    columns: Vec<String>,
    /// The columns whose values are those of an enumeration.
    names: Vec<String>,
    /// The column of the label.
    target: Option<String>,
}

impl<'v> Table<'v> {
    fn of(set: &'v Value, enumerations: &[&str]) -> Result<Self, Refused> {
        let called = id(set).unwrap_or("recordSet");
        if get(set, "data").is_some() {
            let what = format!("the records of `{called}` stand in the description itself");
            return Err(no(what, "save them as a CSV file, and add that"));
        }
        let mut table: Option<Self> = None;
        for field in many(set, "field") {
            let name = id(field).or_else(|| texts(field, "name").next()).unwrap_or("a field");
            let unread = |what: String| no(format!("field `{name}` {what}"), BY_ITSELF);
            for key in ["subField", "parentField"] {
                if get(field, key).is_some() {
                    return Err(unread(format!("has a {key}, which is not read")));
                }
            }
            if get(field, "repeated").and_then(Value::as_bool) == Some(true) {
                return Err(unread("has several values in a record".to_owned()));
            }
            let source = get(field, "source").ok_or_else(|| unread("has no source".to_owned()))?;
            for key in ["transform", "fileSet", "format"] {
                if get(source, key).is_some() {
                    return Err(unread(format!("has a {key}, which is not read")));
                }
            }
            let file = get(source, "fileObject").and_then(referred);
            let file = file.ok_or_else(|| unread("is of no fileObject".to_owned()))?;
            let extract = get(source, "extract");
            let column = extract.and_then(|extract| texts(extract, "column").next());
            let column = column.ok_or_else(|| unread("is no column of a table".to_owned()))?;
            let known = table.get_or_insert_with(|| Self { file, ..Self::default() });
            if known.file != file {
                return Err(unread(format!(
                    "is of the file {file}, and others are of {}",
                    known.file
                )));
            }
            if known.columns.iter().any(|other| other == column) {
                return Err(unread(format!("is the column `{column}`, as another field is")));
            }
            known.columns.push(column.to_owned());
            let references = get(field, "references").map(|to| get(to, "field").unwrap_or(to));
            let enumerated = references.and_then(referred).is_some_and(|to| {
                enumerations
                    .iter()
                    .any(|set| to.strip_prefix(set).is_some_and(|rest| rest.starts_with('/')))
            });
            if enumerated {
                known.names.push(column.to_owned());
            }
            if texts(field, "dataType").any(|kind| local(kind) == "Label") {
                known.target = Some(column.to_owned());
            }
        }
        table.ok_or_else(|| no(format!("the record set `{called}` has no fields"), BY_ITSELF))
    }
}

fn file_object(id: &str, object: &Value) -> Result<FileObject, Refused> {
    let unread = |what: String| no(format!("file `{id}` {what}"), BY_ITSELF);
    if !is(object, "FileObject") {
        return Err(unread("is no FileObject; a FileSet is not read".to_owned()));
    }
    if get(object, "containedIn").is_some() {
        return Err(unread("is contained in another, which is not unpacked".to_owned()));
    }
    let content_url = texts(object, "contentUrl").next();
    let content_url = content_url.ok_or_else(|| unread("has no contentUrl".to_owned()))?.to_owned();
    let sha256 = texts(object, "sha256").next();
    let sha256 = sha256
        .map(|text| {
            text.parse().map_err(|_| unread(format!("has the sha256 `{text}`, which is none")))
        })
        .transpose()?;
    let md5 = texts(object, "md5").next().map(str::to_lowercase);
    Ok(FileObject { id: id.to_owned(), content_url, sha256, md5 })
}

/// What is behind the prefix of a name: `Dataset` of `sc:Dataset` and of `https://schema.org/Dataset`.
fn local(name: &str) -> &str {
    name.rsplit([':', '/', '#']).next().unwrap_or(name)
}

/// A value by its key, with one of the usual prefixes or without.
fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let object = value.as_object()?;
    let prefixed =
        || ["cr:", "sc:", "dct:"].iter().find_map(|prefix| object.get(&format!("{prefix}{key}")));
    object.get(key).or_else(prefixed).filter(|value| !value.is_null())
}

/// The values of a key: JSON-LD writes one as it is and several as a list.
fn many<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    let found = get(value, key);
    let list = found.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let single = found.filter(|found| !found.is_array());
    list.iter().chain(single)
}

/// The texts of a key, also those that are written as references.
fn texts<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v str> {
    many(value, key).filter_map(referred).map(str::trim).filter(|text| !text.is_empty())
}

/// What a value refers to: `{ "@id": "x" }`, or `"x"`.
fn referred(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| id(value))
}

fn id(value: &Value) -> Option<&str> {
    value.get("@id").and_then(Value::as_str)
}

fn is(value: &Value, kind: &str) -> bool {
    texts(value, "@type").any(|found| local(found) == kind)
}

/// Whether a record set lists what values of fields mean.
fn is_enumeration(set: &Value) -> bool {
    texts(set, "dataType").any(|kind| local(kind) == "Enumeration")
}

/// The licence: a text, or a work with a name or url.
fn licence(root: &Value) -> Option<String> {
    let one = |licence: &Value| {
        let within = || ["name", "url"].iter().find_map(|key| texts(licence, key).next());
        licence.as_str().or_else(within).or_else(|| id(licence)).map(str::to_owned)
    };
    let all: Vec<String> = many(root, "license").filter_map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_names_its_file_and_columns() {
        let seed = include_bytes!("../../../fuzz/seeds/croissant/flowers");
        assert!(looks_so(seed) && !looks_so(b"a,b\n"));
        let Described { name, files, about } = read(seed, "d").unwrap();
        assert_eq!((&*name, &*files[0].1.content_url), ("Flowers", "f.csv"));
        assert_eq!(about.licence.unwrap(), "CC0");
        assert_eq!(about.described.unwrap(), ["a", "kind"]);
        assert_eq!(
            (about.names, about.target.unwrap()),
            (vec!["kind".to_owned()], "kind".to_owned())
        );
        // JSON-LD has one thing as it is, or as a list of one; and names with their prefix.
        let text = std::str::from_utf8(seed).unwrap().replace("\"name\"", "\"sc:name\"");
        assert_eq!(read(text.as_bytes(), "d").unwrap().name, "Flowers");
    }

    #[test]
    fn brackets_within_brackets_end() {
        let deep = format!("{{\"a\":{}", "[".repeat(1 << 20));
        assert!(read(deep.as_bytes(), "d").unwrap_err().what.contains("recursion limit"));
    }
}
