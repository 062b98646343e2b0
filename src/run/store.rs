//! The results folder of one experiment while it runs: a lock, the journal, what is finished.

use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use base::bounded::{listed, there};
use base::digest::Digest;
use base::file_error::FileError;
use base::layout::JOURNAL;
use base::{durable, own};
use contract::Metrics;

use super::endings::Endings;
use super::error::RunError;
use super::executor::{self, Sink};
use super::journal::{self, Finished, Journal};
use super::outcome::{Outcomes, join};
use super::plan::{self, Plan};
use super::segment::{Host, RUN, SEALED, Worker};

/// File in the journal folder that a process locks; it is never removed.
/// What a journal always has: who holds it has the folder.
pub const LOCK: &str = "lock";

/// File in the journal folder with the trials that are to run: the first eight bytes of each key.
const PLAN: &str = "plan";

/// The most bytes of it that are read: those of 32 million trials.
const MOST_PLANNED: u64 = 1 << 28;

/// Folder beside the journals in which engines write what their tasks print.
pub const LOGS: &str = "logs";

/// How often paths are executed whose outcomes the journal does not hold afterwards.
const ATTEMPTS: usize = 2;

/// A results folder that this process has to itself.
#[derive(Debug)]
pub struct Folder {
    /// Where it lies.
    pub dir: PathBuf,
    metrics: &'static Metrics,
    /// What its journals hold, and what it has adopted.
    pub known: Finished,
    /// The folder itself, however it is called meanwhile.
    pub opened: File,
    /// Held until the process ends or the folder is dropped.
    lock: File,
}

/// A process that another thread is just starting holds a copy of every open file until it
/// executes its program: closing ours alone would leave the folder locked that long.
impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(cause) = self.lock.unlock() {
            log::warn!("can't unlock {}: {cause}", self.dir.display());
        }
    }
}

impl Folder {
    /// Creates the folder if need be, locks it, and reads its journals.
    ///
    /// # Errors
    /// If another process has it, it can't be written, or something in it is not reprise's own.
    pub fn open(dir: &Path, metrics: &'static Metrics) -> Result<Self, RunError> {
        let (journals, lock) = journals_of(dir)?;
        let opened = File::open(dir).map_err(FileError::on("open", dir))?;
        let path = journals.join(LOCK);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::Locked(dir.to_owned())),
            Err(TryLockError::Error(cause)) => {
                return Err(FileError::on("lock", &path)(cause).into());
            }
        }
        let known = journal::read(&journals, metrics)?;
        Ok(Self { dir: dir.to_owned(), metrics, known, opened, lock })
    }

    /// Makes sure that the folder of this name is still the one that was locked: before anything
    /// is taken from it, published in it or removed from it.
    ///
    /// # Errors
    /// If it, its journal folder or its lock was moved, removed or replaced.
    pub fn still_ours(&self) -> Result<(), RunError> {
        let same = |held: &File, there: io::Result<Metadata>| {
            let identity = |found: &Metadata| (found.dev(), found.ino());
            held.metadata().is_ok_and(|held| there.is_ok_and(|it| identity(&it) == identity(&held)))
        };
        let journals = self.journals();
        let ours = same(&self.opened, self.dir.metadata())
            && own::folder(&journals).is_ok()
            && same(&self.lock, journals.join(LOCK).symlink_metadata());
        if ours { Ok(()) } else { Err(RunError::Moved(self.dir.clone())) }
    }

    fn journals(&self) -> PathBuf {
        self.dir.join(JOURNAL)
    }

    /// Takes the outcomes of a sealed folder into the journal, where they survive the breaking of
    /// the seal.
    ///
    /// # Errors
    /// If the journal can't be written.
    pub fn adopt(&mut self, outcomes: Outcomes) -> Result<(), FileError> {
        let journal = Journal::open(&self.journals(), SEALED)?;
        for (key, outcome) in outcomes {
            if join(&mut self.known.outcomes, key, outcome.clone()) {
                journal.append(key, &[(key, &outcome)])?;
            }
        }
        journal.sync()
    }

    /// Forgets journals and crashes because the user wants to start afresh. The lock stays.
    ///
    /// # Errors
    /// If the folder is no longer ours, or a file can't be removed.
    pub fn forget(&mut self) -> Result<(), RunError> {
        self.remove(|_| true)
    }

    /// Removes journals and crashes that a seal has made superfluous. What a worker has written since its segment was
    /// read stays: there may be trials of another plan.
    ///
    /// # Errors
    /// As [`Self::forget`].
    pub fn forget_sealed(&mut self) -> Result<(), RunError> {
        let origins = std::mem::take(&mut self.known.origins);
        self.remove(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let is_segment = path.extension().is_some_and(|ending| ending == journal::ENDING);
            let bytes = path.symlink_metadata().map_or(0, |found| found.len());
            let of_worker = is_segment && Host::of_segment(&name).is_some();
            !of_worker || origins.bytes_of(&name).unwrap_or(0) == bytes
        })
    }

    fn remove(&mut self, goes: impl Fn(&Path) -> bool) -> Result<(), RunError> {
        self.still_ours()?;
        let journals = self.journals();
        for path in listed(&journals).map_err(FileError::on("list", &journals))? {
            let stays = path.file_name().is_none_or(|name| name == LOCK || name == LOGS);
            if !stays && goes(&path) {
                // A worker may have given up its claim.
                there(std::fs::remove_file(&path)).map_err(FileError::on("remove", &path))?;
            }
        }
        self.known = Finished::default();
        Ok(())
    }

    /// Calls `run` to execute these paths, and journals what finishes. Then reads the journals again. What was journaled and is not there
    /// any more runs once more. Returns what `run` does: whether all paths ran, or the user
    /// interrupted; if all ran, the folder has their outcomes.
    ///
    /// # Errors
    /// Those of `run`; if the journal can't be written or read, or loses what was written; if the
    /// folder is no longer ours.
    pub fn journaled<'a>(
        &mut self,
        plan: &'a Plan,
        paths: &[&'a plan::Path],
        run: impl Fn(&[&'a plan::Path], &Sink<'_>) -> Result<bool, RunError>,
    ) -> Result<bool, RunError> {
        let mut left = paths.to_vec();
        for _ in 0..ATTEMPTS {
            self.still_ours()?;
            note(&self.journals(), plan)?;
            let journal = Journal::open(&self.journals(), RUN)?;
            if !executor::journaled(&journal, plan, |sink| run(&left, sink))? {
                return Ok(false);
            }
            self.still_ours()?;
            let known = std::mem::take(&mut self.known).outcomes;
            self.known = journal::read_beside(known, &self.journals(), self.metrics)?;
            let kept = journal.kept(&self.known);
            left.retain(|path| !kept.contains(&path.id));
            if left.is_empty() {
                return Ok(true);
            }
            let (paths, folder) = (left.len(), self.journals());
            log::warn!("{}: {paths} paths that finished are no longer there", folder.display());
        }
        Err(RunError::Lost { folder: self.journals(), paths: left.len() })
    }

    /// From now on, records what ends this process; returns what is known so far.
    ///
    /// # Errors
    /// If the record can't be written.
    pub fn watch(&self) -> Result<Endings, FileError> {
        Endings::watch(&self.journals(), RUN)
    }
}

/// Says beside the journals which trials are to run, for those who look from outside.
///
/// # Errors
/// If it can't be written.
pub fn note(journals: &Path, plan: &Plan) -> Result<(), FileError> {
    let file = journals.join(PLAN);
    let tags: Vec<u8> = plan.trials.iter().flat_map(|trial| trial.key.first::<8>()).collect();
    durable::replace(&file, &tags).map_err(FileError::on("write", &file))
}

/// The trials that are to run in a results folder; none where nobody said.
#[derive(Debug)]
pub struct Noted(BTreeSet<[u8; 8]>);

impl Noted {
    /// Those of a folder.
    pub fn read(dir: &Path) -> Option<Self> {
        let bytes = own::read_there(&dir.join(JOURNAL).join(PLAN), MOST_PLANNED).ok()??;
        Some(Self(bytes.as_chunks().0.iter().copied().collect()))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether a trial is one of them.
    pub fn has(&self, key: &Digest) -> bool {
        self.0.contains(&key.first())
    }
}

/// Whether an engine was handed trials of a results folder.
pub fn is_handed_over(dir: &Path) -> bool {
    own::folder(&dir.join(JOURNAL).join(LOGS)).is_ok()
}

/// The folder of the journals of results, and its lock, which nobody has yet. They are created if need be.
fn journals_of(dir: &Path) -> Result<(PathBuf, File), FileError> {
    let journals = dir.join(JOURNAL);
    durable::create_folders(&journals).map_err(FileError::on("create", &journals))?;
    own::folder(&journals).map_err(FileError::on("open", &journals))?;
    let path = journals.join(LOCK);
    let mut options = OpenOptions::new();
    let lock = own::open(&path, options.write(true).create(true).truncate(false))
        .map_err(FileError::on("open", &path))?;
    Ok((journals, lock))
}

/// Creates a results folder if need be; the folder of its journals.
///
/// # Errors
/// If it can't be written, or something in it is not reprise's own.
pub fn prepare(dir: &Path) -> Result<PathBuf, FileError> {
    Ok(journals_of(dir)?.0)
}

/// A results folder as a worker sees it, and others beside it: it reads all journals, and writes a segment of its own.
#[derive(Debug)]
pub struct Shared {
    /// The folder of the journals.
    pub journals: PathBuf,
    metrics: &'static Metrics,
    /// Who works.
    pub worker: Worker,
    /// Its segment, once it has something to write.
    segment: Option<Journal>,
    /// What all journals hold.
    pub known: Finished,
}

impl Shared {
    /// Creates the folder if need be, and reads its journals.
    ///
    /// # Errors
    /// If it can't be written, or something in it is not reprise's own.
    pub fn open(dir: &Path, worker: Worker, metrics: &'static Metrics) -> Result<Self, FileError> {
        let journals = prepare(dir)?;
        let known = journal::read(&journals, metrics)?;
        Ok(Self { journals, metrics, worker, segment: None, known })
    }

    /// Adds outcomes that are sealed to what is known; they stay where they are.
    pub fn adopt(&mut self, outcomes: Outcomes) {
        for (key, outcome) in outcomes {
            join(&mut self.known.outcomes, key, outcome);
        }
    }

    /// Reads all journals again; what was known still counts.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn reload(&mut self) -> Result<(), FileError> {
        let known = std::mem::take(&mut self.known).outcomes;
        self.known = journal::read_beside(known, &self.journals, self.metrics)?;
        Ok(())
    }

    /// Calls `run` to execute paths, and journals what finishes. Returns what `run` does.
    ///
    /// # Errors
    /// Those of `run`, or if the segment can't be written.
    pub fn journaled<T>(
        &mut self,
        plan: &Plan,
        run: impl FnOnce(&Sink<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let segment = match self.segment.take() {
            Some(segment) => segment,
            None => {
                // Who came first says which trials the folder is of.
                if !self.journals.join(PLAN).exists() {
                    note(&self.journals, plan)?;
                }
                Journal::create(&self.journals, self.worker.name())?
            }
        };
        executor::journaled(self.segment.insert(segment), plan, run)
    }

    /// Makes sure that what this worker wrote is still there. Returns how many paths there are.
    ///
    /// # Errors
    /// If some are not.
    pub fn verify(&self) -> Result<usize, RunError> {
        let Some(segment) = &self.segment else { return Ok(0) };
        let [written, kept] = segment.verify(self.metrics)?;
        match written - kept {
            0 => Ok(written),
            paths => Err(RunError::Lost { folder: self.journals.clone(), paths }),
        }
    }

    /// As [`Folder::watch`], in files of this worker's own.
    ///
    /// # Errors
    /// If the record can't be written.
    pub fn watch(&self) -> Result<Endings, FileError> {
        Endings::watch(&self.journals, self.worker.name())
    }
}

/// Whether a process is at work in a results folder.
pub fn is_at_work(dir: &Path) -> bool {
    let opened = own::open(&dir.join(JOURNAL).join(LOCK), OpenOptions::new().read(true));
    opened.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The journals of a results folder with their sizes, and the lock that keeps other processes out of it meanwhile. None
/// where there is no journal, or another process is at work.
pub fn journals(dir: &Path) -> Option<(Vec<(PathBuf, u64)>, File)> {
    let folder = dir.join(JOURNAL);
    own::folder(&folder).ok()?;
    let lock = own::open(&folder.join(LOCK), OpenOptions::new().write(true)).ok()?;
    lock.try_lock().ok()?;
    let entries = std::fs::read_dir(&folder).ok()?.flatten();
    let others = entries.filter(|entry| entry.file_name() != LOCK);
    let files = others.filter_map(|entry| {
        let metadata = entry.path().symlink_metadata().ok()?;
        metadata.is_file().then(|| (entry.path(), metadata.len()))
    });
    Some((files.collect(), lock))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::for_tests::METRICS;
    use crate::outcome::Outcome;
    use base::digest::Digest;

    /// Another worker may have finished something since the journals were read.
    #[test]
    fn a_segment_that_has_grown_since_it_was_read_stays() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("r");
        let journals = prepare(&dir).unwrap();
        let (grown, same) = (Worker::new(&Host::this()), Worker::new(&Host::this()));
        assert_ne!(grown.name(), same.name());
        let outcome = Outcome::default();
        let append = |worker: &Worker, key: &[u8]| {
            let journal = Journal::open(&journals, worker.name()).unwrap();
            journal.append(Digest::of(key), &[(Digest::of(key), &outcome)]).unwrap();
        };
        [&grown, &same].into_iter().for_each(|worker| append(worker, b"one"));
        let mut folder = Folder::open(&dir, &METRICS).unwrap();
        append(&grown, b"two");
        folder.forget_sealed().unwrap();
        let there = |worker: &Worker| journals.join(format!("{}.journal", worker.name())).exists();
        assert_eq!((there(&grown), there(&same)), (true, false));
        drop(folder);
        let again = Folder::open(&dir, &METRICS).unwrap();
        assert!(again.known.outcomes.contains_key(&Digest::of(b"two")));
    }

    #[test]
    fn what_is_adopted_is_journaled_unless_it_is_already() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("r");
        let [known, new] = [b"known", b"newer"].map(|key| Digest::of(key));
        let outcomes = |keys: &[Digest]| -> Outcomes {
            keys.iter().map(|&key| (key, Arc::default())).collect()
        };
        let sealed = |dir: &Path| std::fs::read_to_string(dir.join(".journal/sealed.journal"));
        Folder::open(&dir, &METRICS).unwrap().adopt(outcomes(&[known])).unwrap();
        let before = sealed(&dir).unwrap();
        Folder::open(&dir, &METRICS).unwrap().adopt(outcomes(&[known, new])).unwrap();
        let after = sealed(&dir).unwrap();
        assert_eq!(after.lines().count(), before.lines().count() + 1);
        let read = Folder::open(&dir, &METRICS).unwrap().known.outcomes.clone();
        assert_eq!(read, outcomes(&[known, new]));
    }

    #[test]
    fn a_dropped_folder_is_free_while_a_process_is_being_started() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("r");
        let folder = Folder::open(&dir, &METRICS).unwrap();
        assert!(matches!(Folder::open(&dir, &METRICS), Err(RunError::Locked(_))));
        let inherited = folder.lock.try_clone().unwrap();
        drop(folder);
        Folder::open(&dir, &METRICS).unwrap();
        drop(inherited);
    }
}
