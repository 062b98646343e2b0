//! Experiment files: TOML in, a validated [`Experiment`] out, with errors that point at the line.
//!
//! [`load`] parses the file into a tree whose keys and values know their places, checks its shape
//! against the descriptors of all keys, then resolves what the keys refer to. Every error of the
//! file, of its profiles and of the published values beside it is reported at once, before any
//! data is looked for. The same descriptors give the JSON Schema ([`json_schema`]) and the
//! reference ([`reference`](reference::markdown)).

pub mod experiment;
mod file;
mod key;
mod papers;
mod profile;
mod published;
pub mod reference;
mod resolve;
mod schema;
mod shape;

use std::path::Path;

pub use experiment::*;
pub use schema::{json_schema, parameter_schema};

use base::bounded;
use base::digest::{Digest, FieldHasher};
use contract::parameter::Parameter;
use contract::{MethodEntry, TaskKind};
use document::{self, DocumentError, DocumentErrors, Faults, suggestion};
use method::METHODS;

/// What an experiment file may name.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The methods.
    pub methods: &'a [&'static MethodEntry],
    /// The datasets.
    pub datasets: &'a [KnownDataset],
}

/// A dataset of the registry.
#[derive(Debug, Clone)]
pub struct KnownDataset {
    /// Its id.
    pub id: String,
    /// The parameters that a choice may set.
    pub parameters: Vec<&'static Parameter>,
}

impl From<&str> for KnownDataset {
    /// One without parameters.
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), parameters: Vec::new() }
    }
}

impl Known<'_> {
    /// The method of this kind that serves these tasks; if none does, one of this kind.
    fn method(&self, kind: &str, tasks: &[TaskKind]) -> Option<&'static MethodEntry> {
        let of_kind = || self.methods.iter().copied().filter(|entry| entry.kind == kind);
        let serves =
            |entry: &&MethodEntry| tasks.iter().all(|task| entry.tasks().any(|own| own == *task));
        of_kind().find(|entry| serves(entry)).or_else(|| of_kind().next())
    }

    fn dataset_ids(&self) -> Vec<String> {
        self.datasets.iter().map(|dataset| dataset.id.clone()).collect()
    }
}

/// Reads the experiment file at `path`, under a profile if one is named. `datasets` are those of
/// the dataset registry. Reads the files beside it that it names; looks for no data.
///
/// # Errors
/// Everything that is wrong with the file, with any of its profiles, and with the published values
/// that it names.
pub fn load(
    path: &Path,
    profile: Option<&str>,
    datasets: &[KnownDataset],
) -> Result<Experiment, DocumentErrors> {
    load_with(path, profile, &Known { methods: METHODS, datasets })
}

/// [`load`] with a registry of methods of the caller's.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    path: &Path,
    profile: Option<&str>,
    known: &Known<'_>,
) -> Result<Experiment, DocumentErrors> {
    let text = read(path)?;
    let mut faults = Faults::new(path.display(), &text);
    let mut root = document::parse(&text, &mut faults);
    if !faults.is_empty() {
        // Sections with syntax errors are not in the tree: that something is missing says nothing.
        let mut further = Faults::new(path.display(), &text);
        shape::check(&mut root, known, &mut further);
        faults.append_placed(further);
        return Err(faults.into_errors(path.display()));
    }
    let source = SourceFile { path: path.to_owned(), text };

    let mut whole = root.clone();
    shape::check(&mut whole, known, &mut faults);
    let mut experiment = resolve::experiment(&whole, None, &source, known, &mut faults);

    let profiles = profile::profiles(&root, &mut faults);
    for (name, overrides) in &profiles {
        let mut narrowed = profile::apply(&root, overrides, &mut faults);
        shape::check(&mut narrowed, known, &mut faults);
        let under = resolve::Profile { name, whole: &whole };
        let resolved = resolve::experiment(&narrowed, Some(under), &source, known, &mut faults);
        if profile == Some(name) {
            experiment = resolved;
        }
    }
    if let Some(name) = profile
        && profiles.iter().all(|(known, _)| *known != name)
    {
        let names: Vec<&str> = profiles.iter().map(|(name, _)| *name).collect();
        let message = format!("the file has no profile `{name}`");
        faults.add(DocumentError::whole_file(message)).maybe_help(suggestion(name, &names));
    }
    match experiment {
        Some(experiment) if faults.is_empty() => Ok(experiment),
        _ => Err(faults.into_errors(path.display())),
    }
}

fn read(path: &Path) -> Result<String, DocumentErrors> {
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
fn files_beside(path: &Path, extension: &str) -> Vec<String> {
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

impl Experiment {
    /// The profile that it was loaded under.
    pub fn profile(&self) -> Option<&str> {
        self.id.split_once('@').map(|(_, name)| name)
    }

    /// Digest of what the experiment was read from: the text of its file, the name of its profile,
    /// and the published values that it names.
    pub fn spec_digest(&self) -> Digest {
        let hasher = FieldHasher::new("spec")
            .field(&self.source.text)
            .field(self.profile().unwrap_or_default())
            .number(self.published.len() as u64);
        self.published
            .iter()
            .fold(hasher, |hasher, file| hasher.field(&file.path).field(&file.text))
            .finish()
    }
}
