//! A dataset is added to a registry file: its files are looked at, its entry is written behind the others.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use base::bounded::{self, MOST_WRITTEN, listed, there};
use base::digest::Digest;
use base::durable;
use document::Faults;
use md5::{Digest as _, Md5};
use url::{Host, Url};

use crate::Targets;
use crate::croissant::{self, FileObject};
use crate::draft::{About, Asked, Draft, Predicted, Sighted, text};
use crate::error::{DataError, Refused, io, no};
use crate::library::Library;
use crate::limits;
use crate::openml::{self, Named};
use crate::registry::{self, Entry, ID_CHARACTERS, Registry, Source, is_id};
use crate::vocabulary::Role;

/// What is to be added.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// A file, a folder with files, an http(s) url, or a number of OpenML's; a file or url may be a Croissant description.
    pub source: &'a str,
    /// The column of the target; of arrays their name or file.
    pub target: Option<&'a str>,
    /// Whether the first line of a table has the names of its columns; else it is judged.
    pub header: Option<bool>,
    /// The column that says whose a row is.
    pub group: Option<&'a str>,
    /// The column that says when a row was made.
    pub time: Option<&'a str>,
    /// The id; else it follows from the name of the dataset, file or folder.
    pub id: Option<&'a str>,
    /// Whether the entry of this id in the registry file is written anew: it keeps its title, citation, licence, and the
    /// columns of target, group and time that are not asked for otherwise.
    pub replace: bool,
    /// The registry file, which need not exist.
    pub registry: &'a Path,
}

impl<'a> Wanted<'a> {
    /// What a source has, with all that can be known of it.
    pub fn of(source: &'a str, registry: &'a Path) -> Self {
        let (target, header, group, time, id) = (None, None, None, None, None);
        Self { source, target, header, group, time, id, replace: false, registry }
    }
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

/// Looks at a source, and appends its entry to the registry file. `library` has what is known already, and fetches
/// urls.
///
/// # Errors
/// If the source can't be read or described, or the id is taken. The registry file is untouched then.
pub fn add(wanted: &Wanted<'_>, library: &Library) -> Result<Added, DataError> {
    let Found { files, splits, about, name, target } = Adding { wanted, library }.found()?;
    let path = wanted.registry;
    let before = there(bounded::read_text(path, MOST_WRITTEN)).map_err(io("read", path))?;
    let parsed = |text: &str| {
        let folder = path.parent().unwrap_or(Path::new(""));
        Registry::parse(text, &path.display().to_string(), folder)
    };
    let known = before.as_deref().map(parsed).transpose()?;
    let of_file = known.as_ref().filter(|_| wanted.replace);
    let of_file = of_file.and_then(|known| with_file(known, Path::new(wanted.source)));
    let id = wanted.id.or(of_file).map_or_else(|| id_of(&name), str::to_owned);
    if !is_id(&id) {
        let cure =
            format!("name one with --id, of {ID_CHARACTERS}, that begins with none of `-` and `.`");
        return Err(DataError::Asked(no(format!("`{id}` is no dataset id"), cure)));
    }
    let old = known.and_then(|known| known.get(&id).cloned());
    match &old {
        Some(_) if !wanted.replace => {
            let cure =
                "name another id with --id; or write its entry anew with `data add --replace`";
            return Err(taken(&id, &format!("in {}", path.display()), cure));
        }
        None if library.entry(&id).is_some() => {
            return Err(taken(&id, "among those that are known here", "name another id with --id"));
        }
        None if wanted.replace => {
            let what = format!("there is no dataset `{id}` in {} to replace", path.display());
            return Err(DataError::Asked(no(what, "name the one that is meant with --id")));
        }
        Some(_) | None => {}
    }
    let layout = old.as_ref().and_then(|old| old.files().first()?.layout());
    let asked = Asked {
        id: &id,
        target: target.or(layout.map(|layout| layout.target.as_str())),
        header: wanted.header,
        group: wanted.group.or(layout.and_then(|layout| layout.group.as_deref())),
        time: wanted.time.or(layout.and_then(|layout| layout.time.as_deref())),
        about: &match &old {
            Some(old) => about.told_by(old),
            None => about,
        },
    };
    let mut draft = Draft::of(&files, splits.as_ref(), &asked)?;
    drop(files);
    let after = match &before {
        Some(before) if old.is_some() => replaced(before, &id, &draft.entry),
        Some(before) => format!("{}\n\n{}", before.trim_end(), draft.entry),
        None => format!("schema = 1\n\n{}", draft.entry),
    };
    // What is written can be read, and gives the examples that it promises.
    let dataset = library.beside(parsed(&after)?).load(&id)?;
    let untrained = |class| format!("warning: no training example is of the class `{class}`");
    draft.notes.extend(dataset.untrained().into_iter().map(untrained));
    if let Targets::Classes(labels) = dataset.targets {
        draft.target = Predicted::Classes(labels.counted());
    }
    durable::replace(path, after.as_bytes()).map_err(io("write", path))?;
    Ok(Added { id, draft, dropped: dataset.dropped })
}

/// The one dataset that has a file of this machine.
fn with_file<'r>(known: &'r Registry, file: &Path) -> Option<&'r str> {
    let file = file.canonicalize().ok()?;
    let is_it = |source: &Source| match &source.place {
        registry::Place::Local { path, .. } => path.canonicalize().is_ok_and(|path| path == file),
        registry::Place::Remote(_) => false,
    };
    let has_it = |entry: &&Entry| entry.files().iter().flat_map(|file| &file.sources).any(is_it);
    let mut with = known.entries().iter().filter(has_it);
    with.next().filter(|_| with.next().is_none()).map(|entry| entry.id.as_str())
}

fn taken(id: &str, whose: &str, cure: &str) -> DataError {
    DataError::Asked(no(format!("there is a dataset `{id}` already, {whose}"), cure))
}

/// A registry with another entry of an id, up to the next entry and what stands above that.
fn replaced(registry: &str, id: &str, entry: &str) -> String {
    let root = document::parse(registry, &mut Faults::new("", registry));
    let datasets = root.table("dataset").map_or(&[][..], |datasets| &datasets.entries);
    let line_of = |known: &document::Entry| registry[..known.key_span.start].matches('\n').count();
    let lines: Vec<&str> = registry.lines().collect();
    let start = datasets.iter().find(|known| known.key == id).map_or(lines.len(), line_of);
    let next = datasets.iter().map(line_of).filter(|&line| line > start).min();
    let above = |line: &&&str| line.trim().is_empty() || line.starts_with('#');
    let end = next.map_or(lines.len(), |next| {
        next - lines[start..next].iter().rev().take_while(above).count()
    });
    let mut parts = vec![lines[..start].join("\n"), entry.trim_end().to_owned()];
    parts.push(lines[end..].join("\n").trim_start().to_owned());
    parts.join("\n").trim_end().to_owned() + "\n"
}

/// What a source gives.
struct Found<'a> {
    files: Vec<Sighted>,
    /// The folds of their rows.
    splits: Option<Sighted>,
    about: About,
    /// What the id follows from.
    name: String,
    /// The column or array of the target that is asked for.
    target: Option<&'a str>,
}

/// How a dataset is added.
#[derive(Clone, Copy)]
struct Adding<'a, 'l> {
    wanted: &'l Wanted<'a>,
    library: &'l Library,
}

impl<'a> Adding<'a, '_> {
    /// The files of a source, read, with what is known of them.
    fn found(&self) -> Result<Found<'a>, DataError> {
        let source = self.wanted.source;
        if let Some(named) = Named::parse(source)? {
            return self.of_openml(named);
        }
        let plain = |files: Vec<Sighted>| Found {
            files,
            splits: None,
            about: About::default(),
            name: source.to_owned(),
            target: self.wanted.target,
        };
        if is_web(source) {
            let file = self.remote(source, Role::All)?;
            if let (true, Ok(url)) = (croissant::looks_so(&file.bytes), Url::parse(source)) {
                return self.of_croissant(&file, &Place::Url(url));
            }
            return Ok(plain(vec![file]));
        }
        let path = PathBuf::from(source.strip_prefix("file://").unwrap_or(source));
        let local = |(role, path): (Role, PathBuf)| local(&path, role, self.wanted.registry);
        if path.is_dir() {
            let files = in_folder(&path)?.into_iter().map(local).collect::<Result<_, _>>()?;
            return Ok(plain(files));
        }
        let file = local((Role::All, path.clone()))?;
        if croissant::looks_so(&file.bytes) {
            let folder = path.parent().unwrap_or(Path::new(""));
            return self.of_croissant(&file, &Place::Path(folder.to_owned()));
        }
        // The targets of an array may be in a file of their own.
        let array = |path: &Path| path.extension().is_some_and(|ending| ending == "npy");
        match self.wanted.target.map(Path::new) {
            Some(target) if array(&path) && array(target) => {
                let own = local((Role::All, target.to_owned()))?;
                let stem = target.file_stem().and_then(|stem| stem.to_str());
                Ok(Found { target: stem, ..plain(vec![file, own]) })
            }
            _ => Ok(plain(vec![file])),
        }
    }

    /// A file of a server.
    fn remote(&self, url: &str, role: Role) -> Result<Sighted, DataError> {
        let bytes = self.library.look(url)?;
        Ok(Sighted { role, name: url.to_owned(), source: format!("url = {}", text(url)), bytes })
    }

    /// A dataset of OpenML, or that of a task with its folds.
    fn of_openml(&self, named: Named) -> Result<Found<'a>, DataError> {
        let get = |url: &str| self.remote(url, Role::All);
        let (id, task) = match named {
            Named::Dataset(id) => (id, None),
            Named::Task(id) => {
                let url = named.url();
                let task = openml::task(&get(&url)?.bytes, id, &url)?;
                (task.dataset, Some((id, task)))
            }
        };
        let url = Named::Dataset(id).url();
        let openml::Described { name, url, md5, mut about } =
            openml::dataset(&get(&url)?.bytes, id, &url)?;
        let file = get(&url)?;
        if let Some(md5) = &md5 {
            has_md5(&file, md5)?;
        }
        let mut splits = None;
        if let Some((id, task)) = task {
            about.target = Some(task.target);
            about.citation =
                about.citation.map(|citation| format!("{citation}; folds of OpenML task {id}"));
            splits = Some(get(&task.splits)?);
        }
        Ok(Found { files: vec![file], splits, about, name, target: self.wanted.target })
    }

    /// The files that a Croissant description names.
    fn of_croissant(&self, description: &Sighted, beside: &Place) -> Result<Found<'a>, DataError> {
        let croissant::Described { name, files, about } =
            croissant::read(&description.bytes, &description.name)?;
        let get = |(role, object): (Role, FileObject)| -> Result<Sighted, DataError> {
            let FileObject { id, content_url, sha256, md5 } = object;
            let place = beside.named(&content_url);
            let file = match place.ok_or_else(|| unreachable_file(&id, &content_url))? {
                Place::Url(url) => self.remote(url.as_str(), role)?,
                Place::Path(path) => local(&path, role, self.wanted.registry)?,
            };
            if let Some(expected) = sha256 {
                let found = Digest::of(&file.bytes);
                is_meant(&file, "SHA-256", &expected.to_string(), &found.to_string())?;
            } else if let Some(md5) = md5 {
                has_md5(&file, &md5)?;
            }
            Ok(file)
        };
        let files = files.into_iter().map(get).collect::<Result<_, _>>()?;
        Ok(Found { files, splits: None, about, name, target: self.wanted.target })
    }
}

/// Where the folder of a description is, or a file that it names.
enum Place {
    Url(Url),
    Path(PathBuf),
}

impl Place {
    /// Where a file is that a description here names; none where no description may name one.
    fn named(&self, content_url: &str) -> Option<Self> {
        match self {
            _ if is_web(content_url) => {
                let url = Url::parse(content_url).ok()?;
                let own = matches!(self, Self::Url(own) if own.authority() == url.authority());
                (own || !is_near(&url)).then_some(Self::Url(url))
            }
            Self::Url(base) => {
                let url = base.join(content_url).ok().filter(|url| is_web(url.as_str()));
                url.map(Self::Url)
            }
            Self::Path(folder) => {
                // A description that came from somebody else names no file but those that came with it.
                let path = Path::new(content_url);
                let below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
                if content_url.contains("://") || !path.components().all(below) {
                    return None;
                }
                let path = folder.join(path);
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                let real = (path.canonicalize(), folder.canonicalize());
                let within = !matches!(real, (Ok(path), Ok(folder)) if !path.starts_with(&folder));
                within.then_some(Self::Path(path))
            }
        }
    }
}

/// Whether a url names this machine or one of its own network, as far as its text says: no description that somebody else
/// wrote has it asked.
fn is_near(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || ip.is_unspecified()
                || ip.to_ipv4_mapped().is_some()
        }
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            !name.contains('.') || name.ends_with(".localhost") || name.ends_with(".local")
        }
        None => true,
    }
}

fn is_web(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// A file of this machine.
fn local(path: &Path, role: Role, registry: &Path) -> Result<Sighted, DataError> {
    let bytes = bounded::read_regular(path, limits::FILE).map_err(io("read", path))?;
    let name = path.display().to_string();
    let source = format!("path = {}", text(&relative(path, registry).display().to_string()));
    Ok(Sighted { role, name, source, bytes })
}

fn unreachable_file(id: &str, content_url: &str) -> Refused {
    no(
        format!(
            "the contentUrl `{content_url}` of file `{id}` is no http or https url of a server on the web, and no path below the description"
        ),
        "add the file itself: reprise data add FILE",
    )
}

/// That a file has the MD5 that its description says.
fn has_md5(file: &Sighted, expected: &str) -> Result<(), Refused> {
    let found: String = Md5::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    is_meant(file, "MD5", expected, &found)
}

fn is_meant(file: &Sighted, digest: &str, expected: &str, found: &str) -> Result<(), Refused> {
    if found == expected {
        return Ok(());
    }
    let what = format!(
        "{} is not the file that its description means: its {digest} is {found}, not {expected}",
        file.name
    );
    Err(no(what, "fetch it anew, or ask its authors; to use it all the same, add the file itself"))
}

/// What to do about a folder that has not the files of one dataset.
const ONE_DATASET: &str = "name one file; or call the files of a published split train, valid and test, with .csv, \
                           .tsv, .data, .txt, .arff, .libsvm, .svm or .npz; or arrays X.npy and y.npy, or \
                           X_train.npy and so on";

/// So many arrays of a folder are looked at.
const MOST_ARRAYS: usize = 12;

/// The files of a folder by their roles: those of a published split, arrays, or the only one.
fn in_folder(folder: &Path) -> Result<Vec<(Role, PathBuf)>, DataError> {
    let (mut tables, mut arrays): (Vec<PathBuf>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    for path in listed(folder).map_err(io("list", folder))?.into_iter().filter(|it| it.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".csv", ".tsv", ".data", ".txt", ".arff", ".libsvm", ".svm", ".npz"]) {
            tables.push(path);
        } else if ends(&[".npy"]) {
            arrays.push(path);
        }
    }
    if tables.is_empty() && (1..=MOST_ARRAYS).contains(&arrays.len()) {
        return Ok(arrays.into_iter().map(|path| (Role::All, path)).collect());
    }
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
            Err(DataError::Asked(no(format!("{} holds {found}", folder.display()), ONE_DATASET)))
        }
    }
}

/// A path as a registry file says it: relative to its folder.
fn relative(path: &Path, registry: &Path) -> PathBuf {
    let folder_of = |file: &Path| {
        let folder = std::path::absolute(file).ok()?.parent()?.canonicalize().ok()?;
        Some(folder.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>())
    };
    let (Some(to), Some(from)) = (folder_of(path), folder_of(registry)) else {
        return path.to_owned();
    };
    let shared = to.iter().zip(&from).take_while(|(one, other)| one == other).count();
    let up = from[shared..].iter().map(|_| OsStr::new(".."));
    up.chain(to[shared..].iter().map(OsString::as_os_str)).chain(path.file_name()).collect()
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
    fn paths_are_relative_to_the_registry() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("b/c")).unwrap();
        let registry = root.path().join("b/datasets.toml");
        let of = |path: &str| relative(&root.path().join(path), &registry);
        assert_eq!(of("b/c/d.csv"), Path::new("c/d.csv"));
        assert_eq!(of("b/d.csv"), Path::new("d.csv"));
        assert_eq!(of("x.csv"), Path::new("../x.csv"));
        assert_eq!(of("b/c/../../x.csv"), Path::new("../x.csv"));
    }
}
