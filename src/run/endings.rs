//! What took processes down before: crashes of paths, and kills for want of memory.

use std::path::Path;
use std::sync::Arc;

use base::digest::Digest;

use super::crash;
use super::oom::{self, Kills};
use super::tally::Tally;
use base::file_error::FileError;

/// Which paths have taken a process down, by a crash of its own or for want of memory.
#[derive(Debug, Clone, Default)]
pub struct Endings {
    /// By crashes: a path with two is recorded as crashed instead of run.
    pub crashes: Tally,
    /// By the system, for want of memory.
    pub kills: Arc<Kills>,
}

impl Endings {
    /// From now on, records which paths take this process down, in files of these names beside the journals; returns
    /// what is known so far of any process.
    ///
    /// # Errors
    /// If the records can't be written.
    pub fn watch(journals: &Path, crashes: &str, kills: &str) -> Result<Self, FileError> {
        let known = crash::read_all(journals)?;
        let path = journals.join(crashes);
        crash::watch(&path).map_err(FileError::on("watch", &path))?;
        Ok(Self { crashes: known, kills: Arc::new(Kills::watch(journals, kills)?) })
    }

    /// Says that a worker thread executes a path, until what is returned is dropped.
    pub fn running(&self, worker: usize, path: Digest) -> (crash::Running, oom::Running<'_>) {
        (crash::running(worker, path), self.kills.running(worker, path))
    }
}
