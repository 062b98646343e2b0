//! The results folder of one experiment while it runs: a lock, the journal, what is finished.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::digest::Digest;
use base::layout::JOURNAL;
use base::{durable, own};

use super::crash::{self, Crashes};
use super::executor::{self, RunError, Sink};
use super::journal::{self, Finished, Journal, StoreError};
use super::needs::Needs;
use super::plan::{self, Plan};
use super::record::{Outcome, Record, join};

/// File in the journal folder of the paths that took their process down.
pub const CRASHES: &str = "crashes";

/// File in the journal folder that a process locks; it is never removed.
const LOCK: &str = "lock";

/// How often paths are executed whose outcomes the journal does not hold afterwards.
const ATTEMPTS: usize = 2;

/// A results folder can't be opened for a run, or is lost during one.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum FolderError {
    /// Another process is at work there.
    #[error("failed to lock {}: another reprise process is running this experiment", .0.display())]
    #[diagnostic(help(
        "wait for it to end, stop it, or give this run a --results folder of its own"
    ))]
    Locked(PathBuf),
    /// It is another one than that which was locked.
    #[error("{} is no longer the folder that this run has locked", .0.display())]
    #[diagnostic(help(
        "it, or the .journal folder in it, was moved, removed or replaced meanwhile, and nothing \
         more is written there; put it back, and the same command goes on from what its journal \
         holds"
    ))]
    Moved(PathBuf),
    /// What was written is not what is read.
    #[error(
        "the journal in {} does not hold {paths} paths that finished: their lines were damaged or \
         removed after they were written, {ATTEMPTS} times",
        folder.display()
    )]
    #[diagnostic(help(
        "nothing was sealed; check the disk, and whether another program changes this folder, or \
         name another one with --results; the same command goes on from there"
    ))]
    Lost {
        /// Folder of the journal.
        folder: PathBuf,
        /// Number of the paths.
        paths: usize,
    },
    /// The file system said no.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
    /// The paths can't be executed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Run(#[from] RunError),
}

/// A results folder that this process has to itself.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    outcomes: BTreeMap<Digest, Arc<Outcome>>,
    warnings: Vec<String>,
    /// The folder itself, however it is called meanwhile.
    opened: File,
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
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        let journals = dir.join(JOURNAL);
        durable::create_folders(&journals).map_err(StoreError::on("create", &journals))?;
        own::folder(&journals).map_err(StoreError::on("open", &journals))?;
        let opened = File::open(dir).map_err(StoreError::on("open", dir))?;
        let path = journals.join(LOCK);
        let mut options = OpenOptions::new();
        let lock = own::open(&path, options.write(true).create(true).truncate(false))
            .map_err(StoreError::on("open", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(dir.to_owned())),
            Err(TryLockError::Error(cause)) => {
                return Err(StoreError::on("lock", &path)(cause).into());
            }
        }
        let (finished, warnings) = journal::read(&journals)?;
        let outcomes = finished.outcomes;
        Ok(Self { dir: dir.to_owned(), outcomes, warnings, opened, lock })
    }

    /// Makes sure that the folder of this name is still the one that was locked: before anything
    /// is taken from it, published in it or removed from it.
    ///
    /// # Errors
    /// If it, its journal folder or its lock was moved, removed or replaced.
    pub fn still_ours(&self) -> Result<(), FolderError> {
        let same = |held: &File, there: io::Result<Metadata>| {
            let identity = |found: &Metadata| (found.dev(), found.ino());
            held.metadata().is_ok_and(|held| there.is_ok_and(|it| identity(&it) == identity(&held)))
        };
        let journals = self.journals();
        let ours = same(&self.opened, self.dir.metadata())
            && own::folder(&journals).is_ok()
            && same(&self.lock, journals.join(LOCK).symlink_metadata());
        if ours { Ok(()) } else { Err(FolderError::Moved(self.dir.clone())) }
    }

    fn journals(&self) -> PathBuf {
        self.dir.join(JOURNAL)
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What was wrong with the journals.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Outcomes by trial key.
    pub fn outcomes(&self) -> &BTreeMap<Digest, Arc<Outcome>> {
        &self.outcomes
    }

    /// Takes the outcomes of a sealed folder into the journal, where they survive the breaking of
    /// the seal.
    ///
    /// # Errors
    /// If the journal can't be written.
    pub fn adopt(&mut self, outcomes: BTreeMap<Digest, Arc<Outcome>>) -> Result<(), StoreError> {
        let journal = Journal::open(&self.journals(), "sealed")?;
        for (key, outcome) in outcomes {
            if join(&mut self.outcomes, key, outcome.clone()) {
                journal.append(key, &[(key, &outcome)])?;
            }
        }
        journal.sync()
    }

    /// Forgets journals and crashes: a seal has made them superfluous, or the user wants to start
    /// afresh. The lock stays.
    ///
    /// # Errors
    /// If the folder is no longer ours, or a file can't be removed.
    pub fn forget(&mut self) -> Result<(), FolderError> {
        self.still_ours()?;
        let journals = self.journals();
        for entry in std::fs::read_dir(&journals).map_err(StoreError::on("list", &journals))? {
            let path = entry.map_err(StoreError::on("list", &journals))?.path();
            if path.file_name().is_some_and(|name| name != LOCK) {
                std::fs::remove_file(&path).map_err(StoreError::on("remove", &path))?;
            }
        }
        self.outcomes.clear();
        self.warnings.clear();
        Ok(())
    }

    /// The paths of a plan that have to run: those with a trial without an outcome, or with one
    /// that does not hold what is needed.
    pub fn pending<'a>(
        &self,
        plan: &'a Plan,
        records: &[Record],
        needs: &Needs,
    ) -> Vec<&'a plan::Path> {
        let unmet: BTreeSet<Digest> = records
            .iter()
            .filter(|record| !needs.met_by(record))
            .map(|record| record.trial.key)
            .collect();
        plan.paths
            .iter()
            .filter(|path| path.trials.iter().any(|&trial| unmet.contains(&plan.trials[trial].key)))
            .collect()
    }

    /// Calls `run` to execute these paths, and journals what finishes: as the journal of this run,
    /// or of one shard of it. Then reads the journals again. What was journaled and is not there
    /// any more runs once more. Returns what `run` does: whether all paths ran, or the user
    /// interrupted; if all ran, the folder has their outcomes.
    ///
    /// # Errors
    /// Those of `run`; if the journal can't be written or read, or loses what was written; if the
    /// folder is no longer ours.
    pub fn journaled<'a>(
        &mut self,
        shard: Option<Shard>,
        plan: &'a Plan,
        paths: &[&'a plan::Path],
        run: impl Fn(&[&'a plan::Path], &dyn Sink) -> Result<bool, RunError>,
    ) -> Result<bool, FolderError> {
        let name = shard.map_or("run".to_owned(), |Shard { index, of }| format!("{index}-of-{of}"));
        let mut left = paths.to_vec();
        for _ in 0..ATTEMPTS {
            self.still_ours()?;
            let journal = Journal::open(&self.journals(), &name)?;
            if !executor::journaled(&journal, plan, |sink| run(&left, sink))? {
                return Ok(false);
            }
            let kept = journal.kept(&self.reload()?);
            left.retain(|path| !kept.contains(&path.id));
            if left.is_empty() {
                return Ok(true);
            }
            let (paths, folder) = (left.len(), self.journals());
            log::warn!("{}: {paths} paths that finished are no longer there", folder.display());
        }
        Err(FolderError::Lost { folder: self.journals(), paths: left.len() })
    }

    /// Reads the journals again, and gives what they hold beside the outcomes. What was read before
    /// still counts.
    fn reload(&mut self) -> Result<Finished, FolderError> {
        self.still_ours()?;
        let known = std::mem::take(&mut self.outcomes);
        let (mut finished, warnings) = journal::read_beside(known, &self.journals())?;
        self.outcomes = std::mem::take(&mut finished.outcomes);
        self.warnings = warnings;
        Ok(finished)
    }

    /// From now on, records which paths take the process down; returns what is known so far.
    ///
    /// # Errors
    /// If the record can't be written.
    pub fn watch_crashes(&self) -> Result<Crashes, StoreError> {
        let path = self.journals().join(CRASHES);
        let crashes = crash::read(&path).map_err(StoreError::on("read", &path))?;
        crash::watch(&path).map_err(StoreError::on("watch", &path))?;
        Ok(crashes)
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

/// The `index`th of `of` shards, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// Whether a path belongs to it: paths are dealt out by their ids, so that shards of any two
    /// machines agree.
    pub fn has(&self, path: Digest) -> bool {
        let mut word = [0; 8];
        word.copy_from_slice(&path.0[..8]);
        (u64::from_be_bytes(word) % self.of as u64) as usize == self.index - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shard = text.split_once('/').and_then(|(index, of)| {
            Some(Self { index: index.parse().ok()?, of: of.parse().ok()? })
        });
        shard
            .filter(|shard| 1 <= shard.index && shard.index <= shard.of)
            .ok_or_else(|| format!("expected I/N with 1 <= I <= N, such as 1/2, not {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_folder_is_free_while_a_process_is_being_started() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("r");
        let folder = Folder::open(&dir).unwrap();
        assert!(matches!(Folder::open(&dir), Err(FolderError::Locked(_))));
        let inherited = folder.lock.try_clone().unwrap();
        drop(folder);
        Folder::open(&dir).unwrap();
        drop(inherited);
    }
}
