//! Datasets by name: the one object through which the rest of the program gets data.
//!
//! A file is looked for in the cache, then in the mirror, then at its sources in their order. Files of a
//! folder mirror and local files are checked and read in place; what comes over the network is kept in
//! the cache. Whatever is read is hashed first, each time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use url::Url;

use super::cache::Cache;
use super::content::{Parsed, content_digest, derived, generated, published};
use super::error::{DataError, MissingFile, io};
use super::fetch::{Downloader, Patience, Refusal, Watch};
use super::generate::{Drawn, Generator};
use super::integrity::{Integrity, Mismatch};
use super::marks::Marks;
use super::mirror::Mirror;
use super::parse::{Content, parse};
use super::registry::{
    Derivation, Entry, FileEntry, Location, Origin, Place, Registry, RemoteFile, RowSelection,
    Source, location,
};
use super::vocabulary::{Kind, Role, Rows};
use super::{Dataset, Vocabulary, limits};
use base::bounded::absent;
use base::derived::Derived;
use base::{bounded, side_by_side};
use contract::parameter::Value;
use document::nearest;

/// Where data may come from.
#[derive(Debug, Clone, Default)]
pub struct DataConfig {
    /// Folder for downloads; the platform's cache folder if none.
    pub cache: Option<PathBuf>,
    /// Folder or http(s) url that holds each file at `<host>/<path of its url>`.
    pub mirror: Option<String>,
    /// Open no socket.
    pub offline: bool,
    /// Registry file; see [`Registry::find`] if none.
    pub registry: Option<PathBuf>,
    /// How patient downloads are.
    pub patience: Patience,
}

/// Datasets by name.
#[derive(Debug)]
pub struct Library {
    registry: Registry,
    /// The folder of all that is kept.
    folder: PathBuf,
    cache: Cache,
    derived: Derived,
    mirror: Option<Mirror>,
    offline: bool,
    downloader: Downloader,
}

/// A file of a dataset, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStatus {
    /// Dataset id.
    pub dataset: String,
    /// Which part of the dataset it holds.
    pub role: Role,
    /// The copy that would be used: url, or path of a local file.
    pub url: String,
    /// Its size, if the registry says.
    pub bytes: Option<u64>,
    /// Where it would come from.
    pub whence: Whence,
    /// Where it lies on this machine, if it does.
    pub path: Option<PathBuf>,
}

/// Where a file would come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whence {
    /// From the cache.
    Cache,
    /// From the mirror.
    Mirror,
    /// From a local file that the registry names.
    Local,
    /// From the network.
    Network,
    /// From nowhere: the network is forbidden, or the local file does not exist.
    Missing,
}

impl Whence {
    /// The word that listings use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Mirror => "mirror",
            Self::Local => "local",
            Self::Network => "network",
            Self::Missing => "missing",
        }
    }
}

/// A file with what came of checking it.
#[derive(Debug)]
pub struct Verified {
    /// The file.
    pub file: FileStatus,
    /// What came of it.
    pub verdict: Verdict,
}

/// What came of checking a file.
#[derive(Debug)]
pub enum Verdict {
    /// It has its digest, or is a local file for which the registry gives none.
    Sound,
    /// It is another file.
    Corrupt(Mismatch),
    /// It is not on this machine.
    Absent,
}

/// Told of the downloads of [`Library::fetch`].
pub trait FetchProgress: Sync {
    /// A download begins.
    fn begin(&self, _file: &FileStatus) {}
    /// So many of its bytes are there.
    fn received(&self, _file: &FileStatus, _bytes: u64) {}
    /// It ended, with the file or without.
    fn end(&self, _file: &FileStatus) {}
    /// Whether the user asked to stop.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl FetchProgress for Silent {}

impl Library {
    /// The artefacts that are derived from the data and kept.
    pub fn derived(&self) -> Derived {
        self.derived.clone()
    }

    /// The folder of downloads, derived artefacts and environments of programs.
    pub fn cache(&self) -> &Path {
        &self.folder
    }

    /// Opens the registry and checks the settings; opens no socket and creates no folder. `beside` is
    /// the folder of the experiment file.
    ///
    /// # Errors
    /// If the registry has mistakes, or the mirror or cache can't be used.
    pub fn open(config: &DataConfig, beside: Option<&Path>) -> Result<Self, DataError> {
        Self::with(Registry::find(config.registry.as_deref(), beside)?, config)
    }

    /// The datasets of a registry; the one that `config` names does not count.
    ///
    /// # Errors
    /// If the mirror or cache can't be used.
    pub fn with(registry: Registry, config: &DataConfig) -> Result<Self, DataError> {
        let folder = match &config.cache {
            Some(folder) => folder.clone(),
            None => directories::ProjectDirs::from("", "", "reprise")
                .map(|folders| folders.cache_dir().to_owned())
                .ok_or(DataError::NoCache)?,
        };
        let named = registry.servers();
        Ok(Self {
            registry,
            cache: Cache::new(&folder),
            derived: Derived::new(&folder),
            folder,
            mirror: config
                .mirror
                .as_deref()
                .filter(|text| !text.is_empty())
                .map(Mirror::parse)
                .transpose()?,
            offline: config.offline,
            downloader: Downloader::new(config.patience.clone(), named),
        })
    }

    /// The datasets of another registry, with files from where this one has them.
    #[must_use]
    pub fn beside(&self, registry: Registry) -> Self {
        let named = registry.servers();
        Self {
            registry,
            folder: self.folder.clone(),
            cache: self.cache.clone(),
            derived: self.derived.clone(),
            mirror: self.mirror.clone(),
            offline: self.offline,
            downloader: Downloader::new(Patience::default(), named),
        }
    }

    /// The file at a url of which nothing is known yet, from the mirror or the network; the cache keeps what the
    /// network gave.
    ///
    /// # Errors
    /// If the url makes no sense or serves nothing, or the network is forbidden.
    pub fn look(&self, url: &str, progress: &dyn FetchProgress) -> Result<Vec<u8>, DataError> {
        let missing = |tried: Vec<(String, String)>| DataError::Unavailable {
            files: vec![MissingFile {
                dataset: "a new dataset".to_owned(),
                role: Role::All,
                url: url.to_owned(),
                bytes: None,
                local: false,
                tried,
            }],
            offline: self.offline,
        };
        let Ok(Location::Remote(remote, in_mirror)) = location(url) else {
            return Err(missing(vec![(url.to_owned(), "no http or https url".to_owned())]));
        };
        let (folder, web) = match &self.mirror {
            Some(mirror) => (mirror.path(&in_mirror), mirror.url(&in_mirror)),
            None => (None, None),
        };
        if let Some(path) = folder.filter(|path| path.is_file()) {
            return bounded::read_regular(&path, limits::FILE).map_err(io("read", path));
        }
        if self.offline {
            return Err(missing(Vec::new()));
        }
        struct Watched<'a>(&'a dyn FetchProgress);
        impl Watch for Watched<'_> {
            fn received(&self, _: u64) {}
            fn interrupted(&self) -> bool {
                self.0.interrupted()
            }
        }
        let mut tried = Vec::new();
        for url in web.iter().chain([&remote]) {
            match self.downloader.unknown(url, &Watched(progress)) {
                Ok(bytes) => {
                    self.cache.keep(&bytes)?;
                    return Ok(bytes);
                }
                Err(Refusal::TryNext(why)) => tried.push((url.to_string(), why)),
                Err(Refusal::Stop(error)) => return Err(error),
            }
        }
        Err(missing(tried))
    }

    /// All dataset ids in the registry's order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.registry.entries().iter().map(|entry| entry.id.as_str())
    }

    /// A registry file of these datasets, and of those that they are derived from.
    pub fn entries_text(&self, ids: &[&str]) -> String {
        self.registry.only(ids).to_text()
    }

    /// Whether the registry says what every file of the datasets must be. A file of the user's own may come
    /// without a checksum.
    ///
    /// # Errors
    /// If a dataset is unknown.
    pub fn pinned(&self, ids: &[&str]) -> Result<bool, DataError> {
        let sources = |(_, file): &(&Entry, &FileEntry)| {
            file.sources.iter().all(|source| match &source.place {
                Place::Remote(_) => true,
                Place::Local { integrity, .. } => integrity.is_some(),
            })
        };
        Ok(self.files(ids)?.iter().all(sources))
    }

    /// What the registry says of a dataset.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.registry.get(id)
    }

    /// What the registry says of a dataset that it has to have.
    pub(crate) fn known(&self, id: &str) -> Result<&Entry, DataError> {
        self.entry(id).ok_or_else(|| DataError::Unknown {
            id: id.to_owned(),
            help: match nearest(id, self.ids()) {
                Some(near) => format!("did you mean `{near}`? `reprise data list` shows all"),
                None => format!("known: {}", self.ids().collect::<Vec<_>>().join(", ")),
            },
        })
    }

    /// The files of datasets, those of bases included, each once.
    fn files(&self, ids: &[&str]) -> Result<Vec<(&Entry, &FileEntry)>, DataError> {
        let mut owners: Vec<&Entry> = Vec::new();
        for id in ids {
            let entry = self.known(id)?;
            let owner = match &entry.origin {
                Origin::Derived(derivation) => self.known(&derivation.from)?,
                Origin::Files(_) | Origin::Generated(_) => entry,
            };
            if owners.iter().all(|known| known.id != owner.id) {
                owners.push(owner);
            }
        }
        let files = |owner: &&'_ Entry| owner.files().len();
        let mut all = Vec::with_capacity(owners.iter().map(files).sum());
        for owner in owners {
            all.extend(owner.files().iter().map(|file| (owner, file)));
        }
        Ok(all)
    }

    /// Where each file of the datasets is or would come from. Looks at names and sizes only, and opens
    /// no socket.
    ///
    /// # Errors
    /// If a dataset is unknown.
    pub fn plan_fetch(&self, ids: &[&str]) -> Result<Vec<FileStatus>, DataError> {
        Ok(self.files(ids)?.into_iter().map(|(owner, file)| self.status(owner, file)).collect())
    }

    fn status(&self, owner: &Entry, file: &FileEntry) -> FileStatus {
        let status = |source: &Source, whence, path: Option<PathBuf>| FileStatus {
            dataset: owner.id.clone(),
            role: file.role,
            url: source.to_string(),
            bytes: bytes_of(source, path.as_deref()),
            whence,
            path,
        };
        let there = |path: &Path, bytes: Option<u64>| {
            let found = path.metadata().ok().filter(std::fs::Metadata::is_file);
            found.is_some_and(|found| bytes.is_none_or(|bytes| bytes == found.len()))
        };
        for (source, remote) in remotes(file) {
            let path = self.cache.path(remote.integrity.digest());
            if there(&path, remote.integrity.size()) {
                return status(source, Whence::Cache, Some(path));
            }
        }
        for (source, remote) in remotes(file) {
            if let Some(path) = self
                .mirror
                .as_ref()
                .and_then(|mirror| mirror.path(&remote.in_mirror))
                .filter(|path| there(path, None))
            {
                return status(source, Whence::Mirror, Some(path));
            }
        }
        for source in &file.sources {
            match &source.place {
                Place::Local { path, .. } if there(path, None) => {
                    return status(source, Whence::Local, Some(path.clone()));
                }
                Place::Remote(_) if !self.offline => {
                    let web = self.mirror.as_ref().is_some_and(Mirror::is_web);
                    let whence = if web { Whence::Mirror } else { Whence::Network };
                    return status(source, whence, None);
                }
                _ => {}
            }
        }
        status(&file.sources[0], Whence::Missing, None)
    }

    /// Brings every file of the datasets into the cache, or finds it sound in the folder mirror or at
    /// its local path. Tries all files before it reports those that are missing.
    ///
    /// # Errors
    /// If files are unavailable (all are listed), one has a wrong checksum, or the disk fails.
    pub fn fetch(&self, ids: &[&str], progress: &dyn FetchProgress) -> Result<(), DataError> {
        let files = self.files(ids)?;
        let stored = side_by_side(files.iter().collect(), |(_, file)| self.stored(file));
        // Files of one server come one after another, in their order.
        let mut queues: BTreeMap<Result<String, usize>, Vec<usize>> = BTreeMap::new();
        for (at, stored) in stored.into_iter().enumerate() {
            if stored?.is_none() {
                queues.entry(self.server(files[at].1).ok_or(at)).or_default().push(at);
            }
        }
        let failed = side_by_side(queues.into_values().collect(), |queue: Vec<usize>| {
            let mut failed = Vec::new();
            for at in queue {
                let (owner, file) = files[at];
                if let Err(error) = self.content(owner, file, progress) {
                    let stop = !matches!(error, DataError::Unavailable { .. });
                    failed.push((at, error));
                    if stop {
                        break;
                    }
                }
            }
            failed
        });
        let mut failed: Vec<(usize, DataError)> = failed.into_iter().flatten().collect();
        failed.sort_unstable_by_key(|&(at, _)| at);
        let mut missing = Vec::new();
        for (_, error) in failed {
            match error {
                DataError::Unavailable { files, .. } => missing.extend(files),
                error => return Err(error),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(DataError::Unavailable { files: missing, offline: self.offline })
    }

    /// The bytes of one file, checked, if it is in the cache or the folder mirror.
    fn stored(&self, file: &FileEntry) -> Result<Option<Content>, DataError> {
        for (source, remote) in remotes(file) {
            if let Some(content) = self.cached(source, remote)? {
                return Ok(Some(content));
            }
        }
        for (source, remote) in remotes(file) {
            let Some(path) = self.mirror.as_ref().and_then(|mirror| mirror.path(&remote.in_mirror))
            else {
                continue;
            };
            if let Some(content) = local(source, &path, Some(&remote.integrity))? {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }

    /// The server that is asked for a file first, if one is.
    fn server(&self, file: &FileEntry) -> Option<String> {
        let (_, remote) = remotes(file).next().filter(|_| !self.offline)?;
        let mirror = self.mirror.as_ref().and_then(|mirror| mirror.url(&remote.in_mirror));
        Some(mirror.as_ref().unwrap_or(&remote.url).authority().to_owned())
    }

    /// The bytes of one file, checked.
    fn content(
        &self,
        owner: &Entry,
        file: &FileEntry,
        progress: &dyn FetchProgress,
    ) -> Result<Content, DataError> {
        if let Some(content) = self.stored(file)? {
            return Ok(content);
        }
        let mirrored =
            remotes(file).filter_map(|(_, remote)| self.mirror.as_ref()?.path(&remote.in_mirror));
        let absent = |path: PathBuf| (path.display().to_string(), "not in the mirror".to_owned());
        let mut tried: Vec<(String, String)> = mirrored.map(absent).collect();
        if let (Some(mirror), false) = (&self.mirror, self.offline) {
            for (source, remote) in remotes(file) {
                let Some(url) = mirror.url(&remote.in_mirror) else { continue };
                match self.download(owner, file, source, remote, &url, progress)? {
                    Ok(content) => return Ok(content),
                    Err(why) => tried.push((url.to_string(), why)),
                }
            }
        }
        for source in &file.sources {
            match &source.place {
                Place::Local { path, integrity } => {
                    match local(source, path, integrity.as_ref())? {
                        Some(content) => return Ok(content),
                        None => {
                            tried.push((path.display().to_string(), "does not exist".to_owned()));
                        }
                    }
                }
                Place::Remote(remote) if !self.offline => {
                    match self.download(owner, file, source, remote, &remote.url, progress)? {
                        Ok(content) => return Ok(content),
                        Err(why) => tried.push((remote.url.to_string(), why)),
                    }
                }
                Place::Remote(_) => {}
            }
        }
        let first = &file.sources[0];
        let missing = MissingFile {
            dataset: owner.id.clone(),
            role: file.role,
            url: first.to_string(),
            bytes: bytes_of(first, None),
            local: remotes(file).next().is_none(),
            tried,
        };
        Err(DataError::Unavailable { files: vec![missing], offline: self.offline })
    }

    fn cached(&self, source: &Source, file: &RemoteFile) -> Result<Option<Content>, DataError> {
        let name = || self.cache.path(file.integrity.digest()).display().to_string();
        let bytes = self.cache.sound(&file.integrity)?;
        Ok(bytes.map(|bytes| Content::new(bytes, source, name())))
    }

    /// The content, or why this url does not serve it.
    fn download(
        &self,
        owner: &Entry,
        file: &FileEntry,
        source: &Source,
        remote: &RemoteFile,
        url: &Url,
        progress: &dyn FetchProgress,
    ) -> Result<Result<Content, String>, DataError> {
        struct Watched<'a>(&'a dyn FetchProgress, &'a FileStatus);
        impl Watch for Watched<'_> {
            fn received(&self, bytes: u64) {
                self.0.received(self.1, bytes);
            }
            fn interrupted(&self) -> bool {
                self.0.interrupted()
            }
        }
        let status = FileStatus {
            dataset: owner.id.clone(),
            role: file.role,
            url: url.to_string(),
            bytes: remote.integrity.size(),
            whence: if *url == remote.url { Whence::Network } else { Whence::Mirror },
            path: None,
        };
        progress.begin(&status);
        let watch = Watched(progress, &status);
        let outcome = self.downloader.download(url, remote, &self.cache, &watch);
        progress.end(&status);
        match outcome {
            Ok(()) => {
                let vanished = || "the file vanished from the cache".to_owned();
                Ok(self.cached(source, remote)?.ok_or_else(vanished))
            }
            Err(Refusal::TryNext(why)) => {
                log::info!("{url}: {why}");
                Ok(Err(why))
            }
            Err(Refusal::Stop(error)) => Err(error),
        }
    }

    /// Checks the files of the datasets that are on this machine against their digests.
    ///
    /// # Errors
    /// If a dataset is unknown, or a file can't be read.
    pub fn verify(&self, ids: &[&str]) -> Result<Vec<Verified>, DataError> {
        let files = self.files(ids)?;
        let verify = |(owner, file): (&Entry, &FileEntry)| self.verified(owner, file);
        side_by_side(files, verify).into_iter().collect()
    }

    fn verified(&self, owner: &Entry, file: &FileEntry) -> Result<Verified, DataError> {
        let mut status = self.status(owner, file);
        // A file of a wrong size is as good as absent for a fetch, but worth a report.
        if status.whence != Whence::Cache {
            let place = |remote: &RemoteFile| self.cache.path(remote.integrity.digest());
            let mut damaged = remotes(file).map(|(source, remote)| (source, place(remote)));
            if let Some((source, path)) = damaged.find(|(_, path)| path.is_file()) {
                status.url = source.to_string();
                status.bytes = bytes_of(source, Some(&path));
                status.whence = Whence::Cache;
                status.path = Some(path);
            }
        }
        let verdict = match &status.path {
            None => Verdict::Absent,
            Some(path) => match expected(file, &status.url) {
                Some(known) => match known.read(path).map_err(io("read", path))? {
                    Err(mismatch) => Verdict::Corrupt(*mismatch),
                    Ok(_) => Verdict::Sound,
                },
                None => {
                    bounded::read_regular(path, limits::FILE).map_err(io("read", path))?;
                    Verdict::Sound
                }
            },
        };
        Ok(Verified { file: status, verdict })
    }

    /// Parses a dataset, fetching what is missing, and checks its shape.
    ///
    /// # Errors
    /// As [`Self::fetch`]; or if a file is malformed or its examples are not as many as the registry says.
    pub fn load(&self, id: &str) -> Result<Dataset, DataError> {
        self.load_with(id, &[])
    }

    /// As [`Self::load`], with other values of the dataset's parameters; see [`Entry::parameters`].
    ///
    /// # Errors
    /// As [`Self::load`]; or if the dataset has no such parameter, or a value is outside of its domain.
    pub fn load_with(&self, id: &str, settings: &[(String, Value)]) -> Result<Dataset, DataError> {
        let mut entry = self.known(id)?.clone();
        for (name, value) in settings {
            entry = entry.with(name, value).ok_or_else(|| no_setting(&entry, name, value))?;
        }
        let parsed = match &entry.origin {
            Origin::Generated(generator) => return Ok(generated(&entry, generator)),
            Origin::Files(_) | Origin::Derived(_) => self.parsed(&entry)?,
        };
        let digest = content_digest(&parsed, &entry.kind, parsed.kept);
        let Parsed { examples, columns, labels, targets, marks, folds, kept } = parsed;
        let dropped = entry.shape.rows.total() - kept.total();
        if dropped > 0 {
            let all = entry.shape.rows.total();
            log::warn!(
                "dataset {id}: {dropped} of {all} rows have a missing value and are left out"
            );
        }
        Ok(Dataset {
            digest,
            examples,
            columns,
            labels,
            targets,
            marks,
            published: published(kept),
            folds,
            vocabulary: match entry.kind {
                Kind::Text { vocabulary, .. } => vocabulary,
                Kind::Binary
                | Kind::Image { .. }
                | Kind::Categorical { .. }
                | Kind::Numeric { .. } => Vocabulary::Fixed,
            },
            preprocessing: entry.kind.preprocessing(),
            dropped,
            known_blocks: None,
            factors: None,
            mixture: None,
            known_clusters: None,
            known_tree: None,
            id: entry.id,
            title: entry.title,
        })
    }

    /// A generated dataset as another draw of its generator has it.
    ///
    /// # Errors
    /// If the dataset is unknown.
    pub fn drawn(&self, id: &str, generator: &Generator) -> Result<Dataset, DataError> {
        Ok(generated(self.known(id)?, generator))
    }

    /// The content of an entry.
    fn parsed(&self, entry: &Entry) -> Result<Parsed, DataError> {
        match &entry.origin {
            Origin::Generated(generator) => {
                let Drawn { examples, labels, .. } = generator.draw();
                Ok(Parsed {
                    examples,
                    columns: None,
                    marks: Marks::default(),
                    labels,
                    targets: None,
                    folds: None,
                    kept: entry.shape.rows,
                })
            }
            Origin::Files(files) => {
                parse(entry, files, &mut |file| self.content(entry, file, &Silent))
            }
            Origin::Derived(rule) => {
                let base = self.known(&rule.from)?;
                // The base with the parameters of what is derived from it.
                let base = Entry { kind: entry.kind.clone(), ..base.clone() };
                let parsed = self.parsed(&base)?;
                let split = published(parsed.kept);
                let rule = &of_kept(entry, rule, &base, parsed.kept)?;
                derived(&parsed, split.as_ref(), rule).map_err(|class| {
                    let known = parsed.labels.map_or_else(String::new, |l| l.classes.join(", "));
                    DataError::Class { dataset: entry.id.clone(), base: base.id, class, known }
                })
            }
        }
    }
}

/// The rule where rows of the base are left out: it can take all rows, but not count them.
fn of_kept(
    entry: &Entry,
    rule: &Derivation,
    base: &Entry,
    kept: Rows,
) -> Result<Derivation, DataError> {
    let dropped = base.shape.rows.total() - kept.total();
    let rows = match kept {
        _ if dropped == 0 => return Ok(rule.clone()),
        _ if entry.shape.rows != base.shape.rows => {
            let (dataset, base) = (entry.id.clone(), base.id.clone());
            return Err(DataError::Dropped { dataset, base, dropped });
        }
        Rows::Whole(all) | Rows::Shared(all) => RowSelection::Whole(0..all),
        Rows::Split { train, valid, test } => {
            RowSelection::Split { train: 0..train, valid: 0..valid, test: 0..test }
        }
    };
    Ok(Derivation { rows, ..rule.clone() })
}

fn no_setting(entry: &Entry, name: &str, value: &Value) -> DataError {
    let parameters = entry.parameters();
    let names: Vec<&str> = parameters.iter().map(|(parameter, _)| parameter.name).collect();
    let (what, help) = match parameters.iter().find(|(parameter, _)| parameter.name == name) {
        Some((parameter, _)) => (
            format!("`{value}` is no value of `{name}`"),
            format!("expected {}", parameter.expected()),
        ),
        None if names.is_empty() => {
            (format!("`{name}` is no parameter"), "it has no parameters".to_owned())
        }
        None => (format!("`{name}` is no parameter"), format!("it has {}", names.join(", "))),
    };
    DataError::Setting { dataset: entry.id.clone(), what, help }
}

fn remotes(file: &FileEntry) -> impl Iterator<Item = (&Source, &RemoteFile)> {
    file.sources.iter().filter_map(|source| match &source.place {
        Place::Remote(remote) => Some((source, remote)),
        Place::Local { .. } => None,
    })
}

/// The size of a file: as the registry says, else as it lies at `path`.
fn bytes_of(source: &Source, path: Option<&Path>) -> Option<u64> {
    let size = |path: &Path| path.metadata().ok().map(|found| found.len());
    match &source.place {
        Place::Remote(remote) => remote.integrity.size().or_else(|| path.and_then(size)),
        Place::Local { path, .. } => size(path),
    }
}

/// What the source that a status names must be, if the registry says.
fn expected<'a>(file: &'a FileEntry, name: &str) -> Option<&'a Integrity> {
    match &file.sources.iter().find(|source| source.to_string() == name)?.place {
        Place::Remote(remote) => Some(&remote.integrity),
        Place::Local { integrity, .. } => integrity.as_ref(),
    }
}

/// Reads a file of this machine in place, if it exists, and checks it.
fn local(
    source: &Source,
    path: &Path,
    integrity: Option<&Integrity>,
) -> Result<Option<Content>, DataError> {
    let read = match integrity {
        Some(integrity) => integrity.read(path),
        None => bounded::read_regular(path, limits::FILE).map(Ok),
    };
    match read {
        Ok(Ok(bytes)) => Ok(Some(Content::new(bytes, source, path.display().to_string()))),
        Ok(Err(mismatch)) => Err(DataError::Mismatch(mismatch)),
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(io("read", path)(error)),
    }
}
