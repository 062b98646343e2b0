//! The text of a file, and what stands beside it.

use std::path::Path;

use base::bounded;
use document::{DocumentError, DocumentErrors, suggestion};
use serde::Deserialize;

/// What stands above all else in an experiment file, read without a check of the rest.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The experiment's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The key of its paper; nothing if it is of none.
    pub paper: String,
    /// The seed, if it is said.
    pub seed: Option<u64>,
}

impl Header {
    /// That of a file's text; empty where that has none.
    pub fn of(text: &[u8]) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct File {
            experiment: Header,
        }
        toml::from_slice(text).unwrap_or_else(|_| File::default()).experiment
    }
}

/// The text of an experiment file.
///
/// # Errors
/// If it can't be read, or is no text.
pub(crate) fn read(path: &Path) -> Result<String, DocumentErrors> {
    let failed = |error: DocumentError| DocumentErrors {
        document: path.display().to_string(),
        errors: vec![error],
    };
    let bytes = bounded::read_regular(path, bounded::MOST_WRITTEN).map_err(|error| {
        let mut fault = DocumentError::whole_file(format!("the file can't be read: {error}"));
        let beside = files_beside(path, "toml");
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        fault.maybe_help(suggestion(&name, &beside));
        failed(fault)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let message = format!("line {} is not UTF-8 text", line + 1);
        let mut fault = DocumentError::whole_file(message);
        fault.help("save the file as UTF-8");
        failed(fault)
    })
}

/// Names of the files with this extension in the folder of `path`, sorted.
pub(crate) fn files_beside(path: &Path, extension: &str) -> Vec<String> {
    let Some(entries) = path.parent().and_then(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        std::fs::read_dir(folder).ok()
    }) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == extension))
        .collect();
    names.sort();
    names
}
