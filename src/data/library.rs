//! Datasets by name: the one object through which the rest of the program gets data.
//!
//! A file is looked for in the cache, then in the mirror, then at its sources in their order. Files of a
//! folder mirror and local files are checked and read in place; what comes over the network is kept in
//! the cache. Whatever is read is hashed first, each time.

mod load;
mod tables;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;

use super::cache::Cache;
use super::error::{DataError, MissingFile, io, no};
use super::fetch::{Downloader, Named, Patience, Refusal};
use super::integrity::Integrity;
use super::limits;
use super::mirror::Mirror;
use super::parse::Content;
use super::registry::{Entry, FileEntry, Location, Place, Registry, RemoteFile, Source, location};
use super::vocabulary::Role;
use base::bounded::there;
use base::derived::Derived;
use base::{bounded, side_by_side};
use document::nearest;
use tables::Tables;

pub use super::status::{FileStatus, Whence};
pub use verify::{Verdict, Verified};

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
    /// Where the local files of datasets are, whatever their entries say.
    pub files: Option<PathBuf>,
    /// How patient downloads are.
    pub patience: Patience,
    /// Told of downloads; nobody is if none.
    pub progress: Option<Arc<dyn FetchProgress>>,
}

/// Datasets by name.
#[derive(Debug, Clone)]
pub struct Library {
    registry: Registry,
    /// The folder of all that is kept.
    folder: PathBuf,
    cache: Cache,
    derived: Derived,
    /// What need not be read again; none where nothing that is kept is believed.
    tables: Option<Tables>,
    mirror: Option<Mirror>,
    offline: bool,
    downloader: Arc<Downloader>,
    progress: Arc<dyn FetchProgress>,
}

/// Told of the downloads of [`Library::fetch`].
pub trait FetchProgress: std::fmt::Debug + Send + Sync {
    /// A download begins.
    fn begin(&self, _file: &FileStatus) {}
    /// So many of its bytes are there.
    fn received(&self, _file: &FileStatus, _bytes: u64) {}
    /// It ended, with the file or without.
    fn end(&self, _file: &FileStatus) {}
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

    /// Whether no socket may be opened.
    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// Opens the registry and checks the settings; opens no socket and creates no folder. `beside` is
    /// the folder of the experiment file.
    ///
    /// # Errors
    /// If the registry has mistakes, or the mirror or cache can't be used.
    pub fn open(config: &DataConfig, beside: Option<&Path>) -> Result<Self, DataError> {
        let registry = Registry::find(config.registry.as_deref(), beside, config.files.as_deref())?;
        Self::with(registry, config)
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
                .ok_or_else(|| {
                    let cure = "name a folder with --cache or REPRISE_CACHE";
                    no("this account has no cache folder", cure)
                })?,
        };
        let named = Named::of(registry.urls());
        Ok(Self {
            registry,
            cache: Cache::new(&folder),
            derived: Derived::new(&folder),
            tables: Tables::new(&folder),
            folder,
            mirror: config
                .mirror
                .as_deref()
                .filter(|text| !text.is_empty())
                .map(Mirror::parse)
                .transpose()?,
            offline: config.offline,
            downloader: Arc::new(Downloader::new(config.patience.clone(), named)),
            progress: config.progress.clone().unwrap_or_else(|| Arc::new(Silent)),
        })
    }

    /// The same, but each file is read anew, whatever is kept of it.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { tables: None, ..self }
    }

    /// The datasets of another registry, with files from where this one has them.
    #[must_use]
    pub fn beside(&self, registry: Registry) -> Self {
        let named = Named::of(registry.urls());
        let downloader = Arc::new(Downloader::new(Patience::default(), named));
        Self { registry, downloader, ..self.clone() }
    }

    /// The file at a url of which nothing is known yet, from the mirror or the network; the cache keeps what the
    /// network gave.
    ///
    /// # Errors
    /// If the url makes no sense or serves nothing, or the network is forbidden.
    pub fn look(&self, url: &str) -> Result<Vec<u8>, DataError> {
        let missing = |tried: Vec<(String, String)>| {
            let (dataset, url) = ("a new dataset".to_owned(), url.to_owned());
            let (role, whence) = (Role::All, Whence::Missing);
            let status = FileStatus { dataset, role, url, bytes: None, whence, path: None };
            let files = vec![MissingFile { status, local: false, tried }];
            DataError::Unavailable { files, offline: self.offline }
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
        let mut tried = Vec::new();
        for url in web.iter().chain([&remote]) {
            match self.downloader.unknown(url) {
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
    /// without a checksum; one that has a checksum and is there is compared with it.
    ///
    /// # Errors
    /// If a dataset is unknown, or a file of the user's own is another than the registry says.
    pub fn pinned(&self, ids: &[&str]) -> Result<bool, DataError> {
        for (_, file) in self.files(ids)? {
            for source in &file.sources {
                match &source.place {
                    Place::Local { integrity: None, .. } => return Ok(false),
                    Place::Local { path, integrity } if remotes(file).next().is_none() => {
                        local(source, path, integrity.as_ref())?;
                    }
                    Place::Local { .. } | Place::Remote(_) => {}
                }
            }
        }
        Ok(true)
    }

    /// What the registry says of a dataset.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.registry.get(id)
    }

    /// Whether a dataset, or the one that it is taken from, names whose its examples are.
    pub fn grouped(&self, id: &str) -> bool {
        self.entry(id).is_some_and(|entry| {
            let mut layouts = entry.files().iter().filter_map(FileEntry::layout);
            layouts.any(|layout| layout.group.is_some())
                || entry.base().is_some_and(|base| self.grouped(base))
        })
    }

    /// What the registry says of a dataset that it has to have.
    pub(crate) fn known(&self, id: &str) -> Result<&Entry, DataError> {
        self.entry(id).ok_or_else(|| {
            let cure = match nearest(id, self.ids()) {
                Some(near) => format!("did you mean `{near}`? `reprise data list` shows all"),
                None => format!("known: {}", self.ids().collect::<Vec<_>>().join(", ")),
            };
            DataError::Asked(no(format!("there is no dataset `{id}`"), cure))
        })
    }

    /// The files of datasets, those of bases included, each once.
    fn files<'e>(&'e self, ids: &[&str]) -> Result<Vec<(&'e Entry, &'e FileEntry)>, DataError> {
        let mut owners: Vec<&Entry> = Vec::new();
        for id in ids {
            let entry = self.known(id)?;
            let owner = entry.base().map_or(Ok(entry), |base| self.known(base))?;
            if owners.iter().all(|known| known.id != owner.id) {
                owners.push(owner);
            }
        }
        let files = |owner: &'e Entry| owner.files().iter().map(move |file| (owner, file));
        Ok(owners.into_iter().flat_map(files).collect())
    }

    /// Where each file of the datasets is or would come from. Looks at names and sizes only, and opens
    /// no socket.
    ///
    /// # Errors
    /// If a dataset is unknown.
    pub fn plan_fetch(&self, ids: &[&str]) -> Result<Vec<FileStatus>, DataError> {
        let status = |(owner, file)| FileStatus::of(owner, file, self.found(file));
        Ok(self.files(ids)?.into_iter().map(status).collect())
    }

    /// The places where a file may be, in the order in which they are tried.
    fn places<'f>(&self, file: &'f FileEntry) -> Vec<(&'f Source, At<'f>)> {
        let mut places: Vec<(&Source, At<'_>)> =
            remotes(file).map(|(source, remote)| (source, At::Cache(remote))).collect();
        for (source, remote) in remotes(file) {
            let Some(mirror) = &self.mirror else { break };
            let folder = mirror.path(&remote.in_mirror);
            let web = mirror.url(&remote.in_mirror).filter(|_| !self.offline);
            let at = folder.map(|path| At::Mirror(path, &remote.integrity));
            places.extend(at.or(web.map(|url| At::Web(url, remote))).map(|at| (source, at)));
        }
        let own = file.sources.iter().filter_map(|source| match &source.place {
            Place::Local { path, integrity } => Some((source, At::Local(path, integrity.as_ref()))),
            Place::Remote(_) if self.offline => None,
            Place::Remote(remote) => Some((source, At::Web(remote.url.clone(), remote))),
        });
        places.extend(own);
        places
    }

    /// The copy that would be used, and where it lies on this machine, if it does.
    fn found<'f>(&self, file: &'f FileEntry) -> Found<'f> {
        for (source, at) in self.places(file) {
            let (whence, path, size) = match at {
                At::Cache(RemoteFile { integrity, .. }) => {
                    (Whence::Cache, self.cache.path(integrity.digest), integrity.size)
                }
                At::Mirror(path, _) => (Whence::Mirror, path, None),
                At::Local(path, _) => (Whence::Local, path.to_owned(), None),
                At::Web(url, remote) => return (source, whence(&url, remote), None),
            };
            let found = path.metadata().ok().filter(std::fs::Metadata::is_file);
            if found.is_some_and(|found| size.is_none_or(|size| size == found.len())) {
                return (source, whence, Some(path));
            }
        }
        (&file.sources[0], Whence::Missing, None)
    }

    /// Brings every file of the datasets into the cache, or finds it sound in the folder mirror, or at its local path. Tries
    /// all files before it reports those that are missing.
    ///
    /// # Errors
    /// If files are unavailable (all are listed), one has a wrong checksum, or the disk fails.
    pub fn fetch(&self, ids: &[&str]) -> Result<(), DataError> {
        let files = self.files(ids)?;
        let stored = side_by_side(files.iter().collect(), |(_, file)| self.stored(file));
        // Files of one server come one after another, in their order.
        let mut queues: BTreeMap<Result<String, usize>, Vec<usize>> = BTreeMap::new();
        for (at, stored) in stored.into_iter().enumerate() {
            if !stored? {
                queues.entry(self.server(files[at].1).ok_or(at)).or_default().push(at);
            }
        }
        let failed = side_by_side(queues.into_values().collect(), |queue: Vec<usize>| {
            let mut failed = Vec::new();
            for at in queue {
                let (owner, file) = files[at];
                if let Err(error) = self.content(owner, file, &*self.progress) {
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

    /// Whether one file is in the cache or the folder mirror, checked, or at its local path, where it is checked when it is
    /// read.
    fn stored(&self, file: &FileEntry) -> Result<bool, DataError> {
        for (_, at) in self.places(file) {
            let found = match at {
                At::Cache(remote) => self.cache.sound(&remote.integrity)?.is_some(),
                At::Mirror(path, integrity) => {
                    let verified = there(integrity.verify(&path)).map_err(io("read", path))?;
                    verified.transpose().map_err(DataError::Mismatch)?.is_some()
                }
                At::Local(path, _) => path.is_file(),
                At::Web(..) => false,
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The server that is asked for a file first, if one is.
    fn server(&self, file: &FileEntry) -> Option<String> {
        self.places(file).into_iter().find_map(|(_, at)| match at {
            At::Web(url, _) => Some(url.authority().to_owned()),
            At::Cache(_) | At::Mirror(..) | At::Local(..) => None,
        })
    }

    /// The bytes of one file, checked.
    fn content(
        &self,
        owner: &Entry,
        file: &FileEntry,
        progress: &dyn FetchProgress,
    ) -> Result<Content, DataError> {
        let mut tried = Vec::new();
        for (source, at) in self.places(file) {
            let (place, found) = match at {
                At::Cache(remote) => match self.cached(source, remote)? {
                    Some(content) => return Ok(content),
                    None => continue,
                },
                At::Mirror(path, integrity) => {
                    let found = local(source, &path, Some(integrity))?;
                    (path.display().to_string(), found.ok_or("not in the mirror".to_owned()))
                }
                At::Local(path, integrity) => {
                    let found = local(source, path, integrity)?;
                    (path.display().to_string(), found.ok_or("does not exist".to_owned()))
                }
                At::Web(url, remote) => {
                    let found = self.download((owner, file), source, (remote, &url), progress)?;
                    (url.to_string(), found)
                }
            };
            match found {
                Ok(content) => return Ok(content),
                Err(why) => tried.push((place, why)),
            }
        }
        let status = FileStatus::of(owner, file, (&file.sources[0], Whence::Missing, None));
        let missing = MissingFile { status, local: remotes(file).next().is_none(), tried };
        Err(DataError::Unavailable { files: vec![missing], offline: self.offline })
    }

    fn cached(&self, source: &Source, file: &RemoteFile) -> Result<Option<Content>, DataError> {
        let name = || self.cache.path(file.integrity.digest).display().to_string();
        let bytes = self.cache.sound(&file.integrity)?;
        Ok(bytes.map(|bytes| Content::new(bytes, source, name())))
    }

    /// The content, or why this url does not serve it.
    fn download(
        &self,
        (owner, file): (&Entry, &FileEntry),
        source: &Source,
        (remote, url): (&RemoteFile, &Url),
        progress: &dyn FetchProgress,
    ) -> Result<Result<Content, String>, DataError> {
        let status = FileStatus::of(owner, file, (source, whence(url, remote), None));
        let status = FileStatus { url: url.to_string(), ..status };
        progress.begin(&status);
        let received = |bytes| progress.received(&status, bytes);
        let outcome = self.downloader.download(url, remote, &self.cache, &received);
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
}

/// A copy of a file: where it would come from, and where it lies on this machine, if it does.
type Found<'f> = (&'f Source, Whence, Option<PathBuf>);

impl FileStatus {
    fn of(owner: &Entry, file: &FileEntry, (source, whence, path): Found<'_>) -> Self {
        Self {
            dataset: owner.id.clone(),
            role: file.role,
            url: source.to_string(),
            bytes: bytes_of(source, path.as_deref()),
            whence,
            path,
        }
    }
}

/// A place where a file may be.
enum At<'f> {
    Cache(&'f RemoteFile),
    Mirror(PathBuf, &'f Integrity),
    Local(&'f Path, Option<&'f Integrity>),
    Web(Url, &'f RemoteFile),
}

/// Where a file comes from that has this url.
fn whence(url: &Url, remote: &RemoteFile) -> Whence {
    if *url == remote.url { Whence::Network } else { Whence::Mirror }
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
        Place::Remote(remote) => remote.integrity.size.or_else(|| path.and_then(size)),
        Place::Local { path, integrity } => {
            size(path).or_else(|| integrity.as_ref().and_then(|known| known.size))
        }
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
    match there(read).map_err(io("read", path))? {
        None => Ok(None),
        Some(Ok(bytes)) => Ok(Some(Content::new(bytes, source, path.display().to_string()))),
        Some(Err(mismatch)) => Err(DataError::Mismatch(mismatch)),
    }
}
