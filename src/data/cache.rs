//! Downloaded files, named by their digests.
//!
//! A file lies at `<cache>/data/<digest>`; beside it, while it is downloaded, `<digest>.partial`, and
//! the empty `<digest>.lock` on which processes wait for one another. The digest is the SHA-256 of its
//! bytes, or the tree digest of an archive whose bytes are not stable. Names do not depend on urls, so
//! two registries never disagree about what a name holds.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::error::{DataError, io};
use super::integrity::Integrity;
use base::bounded::there;
use base::digest::Digest;
use base::{durable, own};

/// The folder of downloads.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The downloads under a cache folder. Nothing is created before the first download.
    pub fn new(cache: &Path) -> Self {
        Self { folder: cache.join("data") }
    }

    /// Where the file of this digest lies, or would lie.
    pub fn path(&self, digest: Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }

    /// Where a download is written until it is complete and checked.
    pub fn partial(&self, digest: Digest) -> PathBuf {
        self.folder.join(format!("{digest}.partial"))
    }

    /// Waits until the names of the files are on the disk.
    ///
    /// # Errors
    /// If the system can't sync the folder.
    pub fn sync(&self) -> std::io::Result<()> {
        durable::sync_folder(&self.folder)
    }

    /// Keeps a file that has just come.
    ///
    /// # Errors
    /// If the folder can't be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<(), DataError> {
        let path = self.path(Digest::of(bytes));
        own::create_folders(&self.folder).map_err(io("create", &self.folder))?;
        durable::replace(&path, bytes).map_err(io("write", path))
    }

    /// Waits until no other thread or process downloads the file of this digest, and keeps them
    /// waiting until the returned file is dropped.
    ///
    /// # Errors
    /// If the folder can't be written.
    pub fn lock(&self, digest: Digest) -> Result<File, DataError> {
        own::create_folders(&self.folder).map_err(io("create", &self.folder))?;
        let path = self.folder.join(format!("{digest}.lock"));
        let file = own::lock_file(&path).map_err(io("write", &path))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            log::info!("{} is being downloaded: waiting for it", digest.short());
        }
        file.lock().map_err(io("lock", path))?;
        Ok(file)
    }

    /// The file that is meant, if it is there and sound. A damaged one is removed.
    ///
    /// # Errors
    /// If it can't be read or removed.
    pub fn sound(&self, integrity: &Integrity) -> Result<Option<Vec<u8>>, DataError> {
        let path = self.path(integrity.digest);
        match there(integrity.read(&path)).map_err(io("read", &path))? {
            None => Ok(None),
            Some(Ok(bytes)) => Ok(Some(bytes)),
            Some(Err(mismatch)) => {
                log::warn!("removed a damaged file: {mismatch}");
                // Another thread or process may have been faster.
                there(std::fs::remove_file(&path)).map_err(io("remove", path))?;
                Ok(None)
            }
        }
    }
}
