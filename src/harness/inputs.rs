//! What can't be made anew: the experiment file with its published values, and the registry entries of its
//! datasets. They are compared with copies that the program or its user has; what there is no copy of is
//! believed.

use std::path::{Path, PathBuf};

use base::bounded::MOST_WRITTEN;
use base::digest::Digest;
use base::layout::{DATASETS, OVERLAY, PAPERS, SPEC};
use base::{bounded, own};
use data::DataError;
use data::registry::{Entry, Place, Registry};
use document::DocumentErrors;
use program::{CodeFile, Program};
use seal::Manifest;
use spec::papers::{Paper, papers};
use spec::{Catalogue, Experiment, Header};

use super::checked::{Checked, Means};
use super::{Error, built_in};

/// Compares a sealed experiment file, and the published values that it names, with the first of these files that is of
/// the same experiment, else with the built-in one.
///
/// # Errors
/// If one of the files can't be read.
pub(super) fn compare_spec(
    experiment: &Experiment,
    sealed_by: &str,
    with: &[PathBuf],
    found: &mut Checked,
) -> Result<(), Error> {
    let sealed_id = experiment.id.split('@').next().unwrap_or_default();
    let other = Other::named(sealed_id, with)?.or_else(|| Other::built_in(sealed_id));
    if let Some(Other::File { path, .. }) = &other {
        found.spec = Some(path.clone());
    }
    let published = experiment.published.iter().map(|file| (file.path.as_str(), &file.text));
    for (path, text) in std::iter::once((SPEC, &experiment.source.text)).chain(published) {
        let Some(other) = &other else {
            found.believed.push(format!(
                "{path}: no experiment `{sealed_id}` is built in; --spec FILE compares it with yours"
            ));
            continue;
        };
        match other.text(path) {
            Some((name, known)) if known == *text => {
                found.equal.push(format!("{path}: as {name}"));
            }
            Some((name, known)) => {
                let line = super::compare::first_line(text.as_bytes(), known.as_bytes());
                found.differences.push(format!("{path} is not {name}{line}"));
            }
            None => {
                found.differences.push(format!("{path}: there is none beside {}", other.name()))
            }
        }
    }
    for program in experiment.methods.iter().filter_map(|method| method.program.as_ref()) {
        compare_code(program, other.as_ref(), found);
        compare_brought(program, sealed_by, found);
        let commands: Vec<String> = program.prepare.iter().map(|words| words.join(" ")).collect();
        if !commands.is_empty() {
            found.believed.push(format!(
                "{SPEC}: what `prepare` of {} puts into its environment: {}",
                program.id,
                commands.join("; ")
            ));
        }
    }
    if let Some(overlay) = &experiment.source.overlay {
        found.believed.push(format!(
            "{OVERLAY}: set from outside with --set: {}",
            overlay.settings().collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(paper) = &experiment.paper {
        compare_paper(paper, other.as_ref(), found)?;
    }
    Ok(())
}

/// Compares the sealed code of a program with that beside the user's experiment file, else with the built-in one.
fn compare_code(program: &Program, other: Option<&Other>, found: &mut Checked) {
    let id = &program.id;
    let own: Vec<&CodeFile> = program.code.iter().chain(&program.lock).collect();
    let Some(first) = own.first() else { return };
    let Some(other) = other else {
        let more = match own.len() - 1 {
            0 => String::new(),
            more => format!(", nor of {more} more files"),
        };
        found.believed.push(format!(
            "code/{} of {id}: no copy of it is here{more}; --spec FILE compares with what lies beside yours",
            first.path
        ));
        return;
    };
    let (equal, others): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|file| other.code(&file.path) == Some(file.digest));
    for CodeFile { path, .. } in others {
        let what = format!("code/{path} of {id} is not that beside {}", other.name());
        found.differences.push(what);
    }
    if !equal.is_empty() {
        found.equal.push(format!("code of {id}: {} files as they are known here", equal.len()));
    }
}

/// Compares what reprise brought along for a program with what this program brings: another version may bring something else.
fn compare_brought(program: &Program, sealed_by: &str, found: &mut Checked) {
    let id = &program.id;
    for file in &program.brought {
        let path = &file.path;
        if CodeFile::brought(path).as_ref() == Some(file) {
            found.equal.push(format!("code/{path} of {id}: as this program brings it"));
        } else if sealed_by == env!("CARGO_PKG_VERSION") {
            found.differences.push(format!("code/{path} of {id} is not what this program brings"));
        } else {
            found.believed.push(format!(
                "code/{path} of {id}: not what this program brings; reprise {sealed_by} sealed it"
            ));
        }
    }
}

/// Compares the sealed entry of a paper with that beside the user's experiment file, else with the
/// built-in one.
fn compare_paper(
    paper: &Paper,
    other: Option<&Other>,
    found: &mut Checked,
) -> Result<(), DocumentErrors> {
    let of_user = match other {
        Some(Other::File { path, .. }) => {
            let papers = papers(path.parent().unwrap_or(Path::new("")));
            let papers = papers.map_err(|faults| faults.into_errors(path.display()))?;
            papers.into_iter().find(|known| known.key == paper.key)
        }
        _ => None,
    };
    let known = of_user.or_else(|| Paper::built_in(&paper.key));
    let key = &paper.key;
    match known {
        Some(known) if known == *paper => {
            found.equal.push(format!("{PAPERS}: paper {key} as it is known here"));
        }
        Some(_) => {
            found.differences.push(format!("{PAPERS}: the entry of {key} is not the known one"));
        }
        None => found.believed.push(format!("{PAPERS}: no paper {key} is known here")),
    }
    Ok(())
}

/// An experiment file to compare with.
enum Other {
    /// It is compiled in.
    BuiltIn(String),
    /// The user has it.
    File { path: PathBuf, text: String },
}

impl Other {
    fn built_in(id: &str) -> Option<Self> {
        built_in::file(&built_in::path(id)).map(|_| Self::BuiltIn(id.to_owned()))
    }

    fn named(id: &str, files: &[PathBuf]) -> Result<Option<Self>, Error> {
        for path in files {
            let unreadable = |cause| Error::Unreadable { path: path.clone(), cause };
            let text = bounded::read_text(path, MOST_WRITTEN).map_err(unreadable)?;
            if Header::of(text.as_bytes()).id == id {
                return Ok(Some(Self::File { path: path.clone(), text }));
            }
        }
        Ok(None)
    }

    /// The digest of the file of code of this path beside it.
    fn code(&self, path: &str) -> Option<Digest> {
        match self {
            Self::BuiltIn(id) => {
                let text = built_in::file(&built_in::beside(id, path))?;
                Some(Digest::of(text.as_bytes()))
            }
            Self::File { path: spec, .. } => {
                let folder = spec.parent().unwrap_or(Path::new(""));
                Some(CodeFile::read(folder, path).ok()?.digest)
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::BuiltIn(id) => format!("the built-in experiment `{id}`"),
            Self::File { path, .. } => path.display().to_string(),
        }
    }

    /// What it is called, and the text, of the file that stands at this path of a results folder.
    fn text(&self, path: &str) -> Option<(String, String)> {
        match self {
            Self::BuiltIn(id) => {
                let file = match path {
                    SPEC => built_in::path(id),
                    _ => built_in::beside(id, path),
                };
                Some((format!("the built-in {file}"), built_in::file(&file)?.to_owned()))
            }
            Self::File { path: spec, text } if path == SPEC => {
                Some((spec.display().to_string(), text.clone()))
            }
            Self::File { path: spec, .. } => {
                let file = spec.parent().unwrap_or(Path::new("")).join(path);
                let text = bounded::read_text(&file, MOST_WRITTEN).ok()?;
                Some((file.display().to_string(), text))
            }
        }
    }
}

/// The registry with which sealed results are made again. Of a dataset that the user's registry or the built-in one has,
/// it has their entry, and the sealed one must be the same; of others the sealed one, if all its sources are built in, or
/// the means open it. Local files are those of the means' folder, whatever the entries say.
///
/// # Errors
/// If the user's registry or the sealed entries can't be read, or entries name sources that nobody here vouches for.
pub(super) fn datasets(dir: &Path, means: &Means, found: &mut Checked) -> Result<Registry, Error> {
    let unread = |why: String| Error::NotChecked(format!("{DATASETS}{why}"));
    let named = means.data.registry.as_deref();
    let files = means.data.files.as_deref();
    let load = |path: &Path| {
        Ok::<_, DataError>((path.display().to_string(), Registry::load_with(path, files)?))
    };
    let named = named.map(load).transpose()?;
    let built_in = Registry::built_in().map_err(DataError::from)?;
    let copies: Vec<(String, Registry)> =
        named.into_iter().chain([("the built-in registry".to_owned(), built_in)]).collect();
    let bytes = own::read_bounded(&dir.join(DATASETS), MOST_WRITTEN);
    let bytes = bytes.map_err(|error| unread(format!(": {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| unread(" is not UTF-8 text".to_owned()))?;
    // Local paths are relative to nothing that the sealed folder could choose.
    let mut sealed = Registry::parse(&text, DATASETS, Path::new(""))
        .map_err(|errors| Error::NotChecked(errors.to_string()))?;
    if let Some(files) = files {
        sealed = sealed.with_files_in(files);
    }
    let mut chosen = Registry::default();
    let mut unknown = Vec::new();
    for Entry { id, .. } in sealed.entries() {
        match copies.iter().find(|(_, registry)| registry.get(id).is_some()) {
            Some((name, registry)) => {
                if registry.table(id) == sealed.table(id) {
                    found.equal.push(format!("dataset {id}: as in {name}"));
                } else {
                    let what = format!("{DATASETS}: the entry of {id} is not that of {name}");
                    found.differences.push(what);
                }
                chosen = chosen.or(registry.only(&[id]));
            }
            None => {
                let own = sealed.only(&[id]);
                unknown.extend(unknown_sources(own.entries(), &copies, means));
                chosen = chosen.or(own);
                found.believed_datasets.push(format!(
                    "{DATASETS}: no registry here has the dataset {id}; {}",
                    yours()
                ));
            }
        }
    }
    if !unknown.is_empty() {
        return Err(Error::NotChecked(format!(
            "its datasets.toml names sources that no registry here does: {}; {}, --data-dir DIR the folder of local \
             files, --trust opens these",
            unknown.join(", "),
            yours()
        )));
    }
    // A profile may have left out datasets that the whole file names: no trial has them.
    Ok(copies.into_iter().fold(chosen, |chosen, (_, registry)| chosen.or(registry)))
}

/// How entries of one's own are named: a file that lies here is not believed unasked, for it may have come with the results.
fn yours() -> &'static str {
    match Path::new(DATASETS).is_file() {
        true => "--registry datasets.toml names those of this folder",
        false => "--registry FILE names yours",
    }
}

/// The sources of these entries that no registry has with the same checksum: local files, and urls.
fn unknown_sources<'a>(
    entries: &'a [Entry],
    registries: &'a [(String, Registry)],
    means: &'a Means,
) -> impl Iterator<Item = String> + 'a {
    let places = |entries: &'a [Entry]| {
        let files = entries.iter().flat_map(Entry::files);
        files.flat_map(|file| &file.sources).map(|source| &source.place)
    };
    let known = move |place: &&Place| {
        let all = || registries.iter().flat_map(move |(_, registry)| places(registry.entries()));
        matches!(place, Place::Remote(_)) && all().any(|known| known == *place)
    };
    let opened = move |place: &Place| match place {
        Place::Local { .. } => means.trust || means.data.files.is_some(),
        Place::Remote(_) => means.trust,
    };
    places(entries).filter(move |place| !opened(place) && !known(place)).map(|place| match place {
        Place::Remote(remote) => remote.url.to_string(),
        Place::Local { path, .. } => path.display().to_string(),
    })
}

/// Versions whose results are made again by one another: between 0.1.0 and 0.1.1 no digest moves.
fn series(version: &str) -> &str {
    let release = version.split(['-', '+']).next().unwrap_or(version);
    release.rsplit_once('.').map_or("", |(series, _)| series)
}

/// Makes sure that this program can check results: no version of another series made them, by its word, and no other
/// revision of a method.
pub(super) fn same_version(manifest: &Manifest, known: &Catalogue) -> Result<(), Error> {
    let ours = env!("CARGO_PKG_VERSION");
    let no = |why: String| Err(Error::NotChecked(why));
    if series(&manifest.reprise) != series(ours) {
        return no(format!("sealed by reprise {}; this is reprise {ours}", manifest.reprise));
    }
    for (kind, revision) in &manifest.methods {
        match known.methods_of(kind).map(|entry| entry.revision).min() {
            Some(known) if known == *revision => {}
            Some(known) => {
                return no(format!(
                    "sealed with revision {revision} of method {kind}; this program has revision {known}"
                ));
            }
            None => {
                return no(format!("sealed with method {kind}, which this program does not have"));
            }
        }
    }
    Ok(())
}
