//! The results folder of one experiment while it runs: a lock, the journal, what is finished.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::math::digest::Digest;

use super::crash::{self, Crashes};
use super::journal::{self, Journal, StoreError};
use super::needs::Needs;
use super::plan::{self, Plan};
use super::record::{Outcome, Record};

/// Folder of the journal within a results folder; git-ignored, outside the seal.
pub const JOURNAL: &str = ".journal";

/// A results folder can't be opened for a run.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum FolderError {
    /// Another process is at work there.
    #[error("failed to lock {}: another reprise process is running this experiment", .0.display())]
    #[diagnostic(help(
        "wait for it to end, stop it, or give this run a --results folder of its own"
    ))]
    Locked(PathBuf),
    /// The file system said no.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] StoreError),
}

/// A results folder that this process has to itself.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    outcomes: BTreeMap<Digest, Arc<Outcome>>,
    warnings: Vec<String>,
    /// Held until the process ends or the folder is dropped.
    _lock: File,
}

impl Folder {
    /// Creates the folder if need be, locks it, and reads its journals.
    ///
    /// # Errors
    /// If another process has it, or it can't be written.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        let journals = dir.join(JOURNAL);
        std::fs::create_dir_all(&journals).map_err(StoreError::on("create", &journals))?;
        let path = journals.join("lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StoreError::on("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(dir.to_owned())),
            Err(TryLockError::Error(cause)) => {
                return Err(StoreError::on("lock", &path)(cause).into());
            }
        }
        let (finished, warnings) = journal::read(&journals)?;
        Ok(Self { dir: dir.to_owned(), outcomes: finished.outcomes, warnings, _lock: file })
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
        let journal = Journal::open(&self.dir.join(JOURNAL), "sealed")?;
        for (key, outcome) in outcomes {
            let new = match self.outcomes.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(outcome.clone());
                    true
                }
                Entry::Occupied(mut entry) => {
                    Arc::make_mut(entry.get_mut()).join(Outcome::clone(&outcome))
                }
            };
            if new {
                journal.append(key, &[(key, &outcome)])?;
            }
        }
        journal.sync()
    }

    /// Forgets journals and crashes: a seal has made them superfluous, or the user wants to start
    /// afresh. The lock stays.
    ///
    /// # Errors
    /// If a file can't be removed.
    pub fn forget(&mut self) -> Result<(), StoreError> {
        let journals = self.dir.join(JOURNAL);
        for entry in std::fs::read_dir(&journals).map_err(StoreError::on("list", &journals))? {
            let path = entry.map_err(StoreError::on("list", &journals))?.path();
            if path.file_name().is_some_and(|name| name != "lock") {
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

    /// Opens the journal of this run, or of one shard of it.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn journal(&self, shard: Option<Shard>) -> Result<Journal, StoreError> {
        let name = shard.map_or("run".to_owned(), |Shard { index, of }| format!("{index}-of-{of}"));
        Journal::open(&self.dir.join(JOURNAL), &name)
    }

    /// Reads the journals again, after a run.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn reload(&mut self) -> Result<(), StoreError> {
        let (finished, warnings) = journal::read(&self.dir.join(JOURNAL))?;
        self.outcomes = finished.outcomes;
        self.warnings = warnings;
        Ok(())
    }

    /// From now on, records which paths take the process down; returns what is known so far.
    ///
    /// # Errors
    /// If the record can't be written.
    pub fn watch_crashes(&self) -> Result<Crashes, StoreError> {
        let path = self.dir.join(JOURNAL).join("crashes");
        let crashes = crash::read(&path).map_err(StoreError::on("read", &path))?;
        crash::watch(&path).map_err(StoreError::on("watch", &path))?;
        Ok(crashes)
    }
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
