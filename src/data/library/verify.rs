//! Whether the files on this machine are what the registry says.

use base::{bounded, side_by_side};

use super::{FileStatus, Library, Whence, remotes};
use crate::error::{DataError, io};
use crate::integrity::Mismatch;
use crate::limits;
use crate::registry::{Entry, FileEntry, RemoteFile};

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

impl Library {
    /// Checks the files of the datasets that are on this machine against their digests.
    ///
    /// # Errors
    /// If a dataset is unknown, or a file can't be read.
    pub fn verify(&self, ids: &[&str]) -> Result<Vec<Verified>, DataError> {
        let files = self.files(ids)?;
        let verify = |(owner, file): (&Entry, &FileEntry)| self.verified(owner, file);
        side_by_side(files, verify).into_iter().collect()
    }

    pub(super) fn verified(&self, owner: &Entry, file: &FileEntry) -> Result<Verified, DataError> {
        let mut found = self.found(file);
        // A file of a wrong size is as good as absent for a fetch, but worth a report.
        if found.1 != Whence::Cache {
            let place = |remote: &RemoteFile| self.cache.path(remote.integrity.digest);
            let mut damaged = remotes(file).map(|(source, remote)| (source, place(remote)));
            if let Some((source, path)) = damaged.find(|(_, path)| path.is_file()) {
                found = (source, Whence::Cache, Some(path));
            }
        }
        let verdict = match &found {
            (_, _, None) => Verdict::Absent,
            (source, _, Some(path)) => match source.place.integrity() {
                Some(known) => match known.verify(path).map_err(io("read", path))? {
                    Err(mismatch) => Verdict::Corrupt(*mismatch),
                    Ok(()) => Verdict::Sound,
                },
                None => {
                    bounded::read_regular(path, limits::FILE).map_err(io("read", path))?;
                    Verdict::Sound
                }
            },
        };
        Ok(Verified { file: FileStatus::of(owner, file, found), verdict })
    }
}
