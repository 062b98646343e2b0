//! Who works on which chunk, by a file for each chunk beside the journals. A claim is created exclusively and is a lease:
//! its worker writes it again and again, and one that was not written for long counts for nothing. Nothing depends on
//! it but time: a claim that is lost, or taken while its worker is only slow, makes work double, never wrong.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use base::bounded::{listed, there};
use base::own;
use base::parallel::lock;

use super::segment::{Host, Worker};
use base::file_error::FileError;

/// How long a claim counts after it was written last.
pub const LEASE: Duration = Duration::from_secs(120);

/// How often a claim is written.
const BEAT: Duration = Duration::from_secs(15);

/// How a claim's file name ends.
const ENDING: &str = "claim";

/// The most bytes of a claim.
const MOST: u64 = 1 << 12;

/// The word of a claim whose chunk has been executed.
const DONE: &str = "done";

/// Claims of one worker in a folder of journals.
#[derive(Debug)]
pub struct Claims {
    folder: PathBuf,
    worker: String,
    lease: Duration,
    held: Arc<Mutex<BTreeMap<PathBuf, Held>>>,
    /// Closed when the worker ends, which ends the thread that writes.
    _ends: mpsc::Sender<()>,
}

#[derive(Debug)]
struct Held {
    file: File,
    text: String,
}

impl Held {
    /// On a network file system, it is the server that says when.
    fn write(&mut self) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(self.text.as_bytes())?;
        self.file.set_len(self.text.len() as u64)?;
        self.file.sync_data()
    }
}

/// How a claim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its chunk was executed.
    Done,
    /// It was not.
    GivenUp,
}

/// What a worker finds where it wants a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nobody had it: now it is this worker's.
    Free,
    /// It was that of a worker that is no more: now it is this worker's, and part of the work may be done.
    Expired,
    /// Another worker is at work on it.
    Held,
    /// It has been executed.
    Done,
}

impl Claims {
    /// Those of a worker; others take over what it has not written for a `lease`.
    ///
    /// # Errors
    /// If there is no thread that writes.
    pub fn new(folder: &Path, worker: &Worker, lease: Duration) -> io::Result<Self> {
        let held: Arc<Mutex<BTreeMap<PathBuf, Held>>> = Arc::default();
        let (ends, ended) = mpsc::channel::<()>();
        let beating = held.clone();
        let beat = BEAT.min(lease / 4);
        std::thread::Builder::new().name("claims".to_owned()).spawn(move || {
            while ended.recv_timeout(beat) == Err(RecvTimeoutError::Timeout) {
                for (path, held) in lock(&beating).iter_mut() {
                    if let Err(error) = held.write() {
                        // Another one may take the chunk over.
                        log::warn!("{}: {error}", path.display());
                    }
                }
            }
        })?;
        let (folder, worker) = (folder.to_owned(), worker.name().to_owned());
        Ok(Self { folder, worker, lease, held, _ends: ends })
    }

    fn path(&self, chunk: &str) -> PathBuf {
        self.folder.join(format!("{chunk}.{ENDING}"))
    }

    /// Claims a chunk of so many trials, unless another worker has it or had it.
    ///
    /// # Errors
    /// If the claim can't be read or written.
    pub fn take(&self, chunk: &str, trials: usize) -> Result<Found, FileError> {
        let mut found = Found::Free;
        // What is removed meanwhile is free: some worker will find it so.
        for _ in 0..4 {
            if self.create(chunk, trials, OpenOptions::new().write(true).create_new(true))? {
                return Ok(found);
            }
            found = self.look_at(chunk)?;
            match found {
                Found::Free => {}
                Found::Expired => remove(&self.path(chunk))?,
                Found::Held | Found::Done => return Ok(found),
            }
        }
        Ok(Found::Held)
    }

    /// What a worker would find, which takes nothing.
    ///
    /// # Errors
    /// If the claim can't be read.
    pub fn look_at(&self, chunk: &str) -> Result<Found, FileError> {
        Ok(self.look(chunk)?.map_or(Found::Free, |claim| claim.found))
    }

    /// Claims a chunk of so many trials, whoever has it.
    ///
    /// # Errors
    /// If the claim can't be written.
    pub fn seize(&self, chunk: &str, trials: usize) -> Result<(), FileError> {
        let mut how = OpenOptions::new();
        self.create(chunk, trials, how.write(true).create(true).truncate(false)).map(drop)
    }

    /// The host of the worker that has or had a chunk; none if nobody has.
    ///
    /// # Errors
    /// If the claim can't be read.
    pub fn host_of(&self, chunk: &str) -> Result<Option<Host>, FileError> {
        Ok(self.look(chunk)?.and_then(|claim| Host::of_segment(&claim.worker)))
    }

    /// Ends the claim of a chunk.
    ///
    /// # Errors
    /// If it can't be written or removed.
    pub fn end(&self, chunk: &str, end: End) -> Result<(), FileError> {
        let path = self.path(chunk);
        let Some(mut held) = lock(&self.held).remove(&path) else { return Ok(()) };
        match end {
            End::Done => {
                held.text = text(&self.worker, DONE);
                held.write().map_err(FileError::on("write", &path))
            }
            End::GivenUp => remove(&path),
        }
    }

    /// Writes a claim that is this worker's. False if there is one already, and it must not be.
    fn create(&self, chunk: &str, trials: usize, how: &mut OpenOptions) -> Result<bool, FileError> {
        let path = self.path(chunk);
        let file = match own::open(&path, how) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            file => file.map_err(FileError::on("create", &path))?,
        };
        let mut held = Held { file, text: text(&self.worker, &trials.to_string()) };
        held.write().map_err(FileError::on("write", &path))?;
        lock(&self.held).insert(path, held);
        Ok(true)
    }

    fn look(&self, chunk: &str) -> Result<Option<Claim>, FileError> {
        let path = self.path(chunk);
        let now = || tempfile::tempfile_in(&self.folder)?.metadata()?.modified();
        Claim::read(&path, self.lease, now).map_err(FileError::on("read", &path))
    }
}

/// What is not done is given up.
impl Drop for Claims {
    fn drop(&mut self) {
        for path in std::mem::take(&mut *lock(&self.held)).into_keys() {
            remove(&path).unwrap_or_else(|error| log::warn!("{error}"));
        }
    }
}

/// Removes a claim, unless whoever sealed the results has done so.
fn remove(path: &Path) -> Result<(), FileError> {
    there(std::fs::remove_file(path)).map(drop).map_err(FileError::on("remove", path))
}

/// The text of a claim: its worker, and the number of its trials, or that it is done.
fn text(worker: &str, what: &str) -> String {
    format!("{worker} {what}\n")
}

/// A claim as others see it.
#[derive(Debug)]
struct Claim {
    worker: String,
    trials: usize,
    found: Found,
}

impl Claim {
    /// Reads it; none if there is none. What can't be understood, as while it is being written, is somebody's.
    fn read(
        path: &Path,
        lease: Duration,
        now: impl Fn() -> io::Result<SystemTime>,
    ) -> io::Result<Option<Self>> {
        let Some(bytes) = own::read_there(path, MOST)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let (worker, what) = text.trim_end().split_once(' ').unwrap_or_default();
        let Some(metadata) = there(path.symlink_metadata())? else { return Ok(None) };
        // One that seems to be of the future is of a clock that is wrong.
        let found = match now()?.duration_since(metadata.modified()?) {
            _ if what == DONE => Found::Done,
            Ok(age) if age >= lease => Found::Expired,
            _ => Found::Held,
        };
        let (worker, trials) = (worker.to_owned(), what.parse().unwrap_or(0));
        Ok(Some(Self { worker, trials, found }))
    }
}

/// How many trials workers are at work on in a folder of journals; none if no worker is.
pub fn running(folder: &Path) -> Option<usize> {
    own::folder(folder).ok()?;
    let claims = listed(folder).ok()?.into_iter();
    let claims = claims.filter(|path| path.extension().is_some_and(|ending| ending == ENDING));
    let live = claims.filter_map(|path| {
        let claim = Claim::read(&path, LEASE, || Ok(SystemTime::now())).ok()??;
        (claim.found == Found::Held).then_some(claim.trials)
    });
    live.reduce(|sum, trials| sum + trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(host: &str) -> Worker {
        Worker::new(&host.parse().unwrap())
    }

    fn claims(folder: &Path, host: &str) -> Claims {
        Claims::new(folder, &worker(host), LEASE).unwrap()
    }

    /// Makes a claim look as if its worker had been silent for so long.
    fn silent(folder: &Path, chunk: &str, seconds: u64) {
        let file = File::options().write(true).open(folder.join(format!("{chunk}.claim"))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn a_chunk_is_claimed_once_until_it_is_given_up_or_done() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (claims(folder.path(), "a"), claims(folder.path(), "b"));
        assert_eq!(one.take("x", 7).unwrap(), Found::Free);
        assert_eq!(other.take("x", 7).unwrap(), Found::Held);
        assert_eq!(other.take("y", 5).unwrap(), Found::Free);
        assert_eq!(running(folder.path()), Some(12));
        assert_eq!(other.host_of("x").unwrap(), Some("a".parse().unwrap()));
        one.end("x", End::GivenUp).unwrap();
        assert_eq!(other.take("x", 7).unwrap(), Found::Free);
        other.end("x", End::Done).unwrap();
        assert_eq!(one.take("x", 7).unwrap(), Found::Done);
        // A worker that ends gives up what it has.
        drop(other);
        assert_eq!(running(folder.path()), None);
        assert_eq!(one.take("y", 5).unwrap(), Found::Free);
    }

    #[test]
    fn a_silent_worker_loses_its_claim() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (claims(folder.path(), "a"), claims(folder.path(), "b"));
        assert_eq!(one.take("x", 7).unwrap(), Found::Free);
        silent(folder.path(), "x", LEASE.as_secs() - 20);
        assert_eq!(other.take("x", 7).unwrap(), Found::Held);
        silent(folder.path(), "x", LEASE.as_secs() + 20);
        assert_eq!(running(folder.path()), None);
        assert_eq!(other.take("x", 7).unwrap(), Found::Expired);
        assert_eq!(one.take("x", 7).unwrap(), Found::Held);
        // Whoever is told to take it does.
        one.seize("x", 7).unwrap();
        assert_eq!(other.host_of("x").unwrap(), Some("a".parse().unwrap()));
    }

    #[test]
    fn a_claim_is_written_again_and_again() {
        let folder = tempfile::tempdir().unwrap();
        let lease = Duration::from_millis(200);
        let one = Claims::new(folder.path(), &worker("a"), lease).unwrap();
        let other = Claims::new(folder.path(), &worker("b"), lease).unwrap();
        one.take("x", 7).unwrap();
        silent(folder.path(), "x", 20);
        std::thread::sleep(lease);
        assert_eq!(other.take("x", 7).unwrap(), Found::Held);
    }

    #[test]
    fn of_many_workers_one_has_a_chunk() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<Claims> = (0..8).map(|n| claims(folder.path(), &format!("h{n}"))).collect();
        let free = Mutex::new(0);
        std::thread::scope(|scope| {
            for claims in &all {
                scope.spawn(|| {
                    for chunk in 0..50 {
                        if claims.take(&chunk.to_string(), 1).unwrap() == Found::Free {
                            *lock(&free) += 1;
                        }
                    }
                });
            }
        });
        assert_eq!(*lock(&free), 50);
    }
}
