//! A dataset is added to a registry file: its files are looked at, its entry is written behind the others.

use std::path::{Path, PathBuf};

use base::bounded::{self, MOST_WRITTEN};
use base::durable;

use crate::draft::{Draft, Sighted, Undescribed, text};
use crate::error::{DataError, io};
use crate::library::{FetchProgress, Library};
use crate::limits;
use crate::registry::Registry;
use crate::vocabulary::Role;

/// What is to be added.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// A file, a folder with files, or an http(s) url.
    pub source: &'a str,
    /// The column of the target.
    pub target: Option<&'a str>,
    /// The id; else it follows from the name of the file or folder.
    pub id: Option<&'a str>,
    /// The registry file, which need not exist.
    pub registry: &'a Path,
}

/// What was added.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    /// The id.
    pub id: String,
    /// The entry, and what was seen.
    pub draft: Draft,
    /// Rows that are left out for a missing value.
    pub dropped: usize,
}

/// Nothing was added.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum AddError {
    /// No entry can be made of the files.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Undescribed(#[from] Undescribed),
    /// The files can't be had or read, or the registry can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Data(#[from] DataError),
    /// The id is taken.
    #[error("there is a dataset `{id}` already, {whose}")]
    #[diagnostic(help("name another id with --id; an entry is changed by hand"))]
    Taken {
        /// The id.
        id: String,
        /// In which registry.
        whose: String,
    },
    /// A folder has not the files of one dataset.
    #[error("{} holds {found}", folder.display())]
    #[diagnostic(help(
        "name one file; or call the files of a published split train, valid and test, with .csv, .tsv, .data, .txt or .arff"
    ))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is in it.
        found: String,
    },
}

/// Looks at a source, and appends its entry to the registry file. `library` has what is known already, and fetches
/// urls.
///
/// # Errors
/// If the source can't be read or described, or the id is taken. The registry file is untouched then.
pub fn add(
    wanted: &Wanted<'_>,
    library: &Library,
    progress: &dyn FetchProgress,
) -> Result<Added, AddError> {
    let files = sighted(wanted, library, progress)?;
    let id = wanted.id.map_or_else(|| id_of(wanted.source), str::to_owned);
    let path = wanted.registry;
    let before = match bounded::read_text(path, MOST_WRITTEN) {
        Ok(text) => Some(text),
        Err(error) if bounded::absent(&error) => None,
        Err(error) => return Err(io("read", path)(error).into()),
    };
    let parsed = |text: &str| {
        let folder = path.parent().unwrap_or(Path::new(""));
        let parsed = Registry::parse(text, &path.display().to_string(), folder);
        parsed.map_err(|errors| DataError::Registry(errors.into()))
    };
    if let Some(before) = &before
        && parsed(before)?.get(&id).is_some()
    {
        let whose = format!("in {}", path.display());
        return Err(AddError::Taken { id, whose });
    }
    if library.entry(&id).is_some() {
        return Err(AddError::Taken { id, whose: "among those that are known here".to_owned() });
    }
    let draft = Draft::of(&files, &id, wanted.target)?;
    let after = match before {
        Some(before) => format!("{}\n\n{}", before.trim_end(), draft.entry),
        None => format!("schema = 1\n\n{}", draft.entry),
    };
    // What is written can be read, and gives the examples that it promises.
    let dropped = library.beside(parsed(&after)?).load(&id)?.dropped;
    durable::replace(path, after.as_bytes()).map_err(io("write", path))?;
    Ok(Added { id, draft, dropped })
}

/// The files of a source, read.
fn sighted(
    wanted: &Wanted<'_>,
    library: &Library,
    progress: &dyn FetchProgress,
) -> Result<Vec<Sighted>, AddError> {
    let source = wanted.source;
    if source.starts_with("http://") || source.starts_with("https://") {
        let bytes = library.look(source, progress)?;
        let (name, source) = (source.to_owned(), format!("url = {}", text(source)));
        return Ok(vec![Sighted { role: Role::All, name, source, bytes }]);
    }
    let path = PathBuf::from(source.strip_prefix("file://").unwrap_or(source));
    let files = if path.is_dir() { in_folder(&path)? } else { vec![(Role::All, path)] };
    let read = |(role, path): (Role, PathBuf)| {
        let bytes = bounded::read_regular(&path, limits::FILE).map_err(io("read", &path))?;
        let name = path.display().to_string();
        let relative = relative(&path, wanted.registry);
        let source = format!("path = {}", text(&relative.display().to_string()));
        Ok(Sighted { role, name, source, bytes })
    };
    files.into_iter().map(read).collect()
}

/// The files of a folder by their roles: those of a published split, or the only one.
fn in_folder(folder: &Path) -> Result<Vec<(Role, PathBuf)>, AddError> {
    let entries = std::fs::read_dir(folder).map_err(io("list", folder))?;
    let mut tables: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry.map_err(io("list", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let table =
            [".csv", ".tsv", ".data", ".txt", ".arff"].iter().any(|ending| name.ends_with(ending));
        if table && path.is_file() {
            tables.push(path);
        }
    }
    tables.sort();
    let of = |role: Role| {
        let called = |path: &&PathBuf| id_of(&path.display().to_string()) == role.word();
        tables.iter().find(called).map(|path| (role, path.clone()))
    };
    match (of(Role::Train), of(Role::Test), &tables[..]) {
        (Some(train), Some(test), _) => {
            Ok([Some(train), of(Role::Valid), Some(test)].into_iter().flatten().collect())
        }
        (_, _, [only]) => Ok(vec![(Role::All, only.clone())]),
        (_, _, tables) => {
            let found = match tables.len() {
                0 => "no table".to_owned(),
                n => format!("{n} tables, and none of them are called train and test"),
            };
            Err(AddError::Folder { folder: folder.to_owned(), found })
        }
    }
}

/// A path as a registry file says it: relative to its folder, if it lies below.
fn relative(path: &Path, registry: &Path) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (path, registry) = (absolute(path), absolute(registry));
    let folder = registry.parent().unwrap_or(Path::new("/"));
    path.strip_prefix(folder).map(Path::to_owned).unwrap_or(path)
}

/// The id that follows from the name of a file or folder: its letters and digits in lower case, `-` for others.
fn id_of(source: &str) -> String {
    let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.split(['?', '#']).next().unwrap_or_default().to_lowercase();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let id: String = stem.chars().map(plain).collect();
    let id = id.trim_matches('-').to_owned();
    if id.is_empty() { "data".to_owned() } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_names() {
        for (source, id) in [
            ("/x/Breast Cancer (1).csv.gz", "breast-cancer--1"),
            ("https://host/a/iris.data?raw=1", "iris"),
            ("folder/", "folder"),
            ("...", "data"),
        ] {
            assert_eq!(id_of(source), id);
        }
    }

    #[test]
    fn paths_below_the_registry_are_relative_to_it() {
        let of = |path: &str| relative(Path::new(path), Path::new("/a/b/datasets.toml"));
        assert_eq!(of("/a/b/c/d.csv"), Path::new("c/d.csv"));
        assert_eq!(of("/a/x.csv"), Path::new("/a/x.csv"));
    }
}
