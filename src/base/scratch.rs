//! Folders of a run's own among the temporary files: gone with it, and told from what a killed one left by a lock.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::own;

/// What such a folder is called, before letters of chance.
const PREFIX: &str = "reprise-";
/// The file in it that is locked as long as the run is under way.
const AT_WORK: &str = "at-work";

/// A folder that only this run uses, and that goes when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: tempfile::TempDir,
    /// Says that the run is under way.
    _at_work: File,
}

impl Scratch {
    /// A new one, which nobody else may enter.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn new() -> io::Result<Self> {
        let mine = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(mine).tempdir()?;
        let at_work = File::create(folder.path().join(AT_WORK))?;
        if let Err(cause) = at_work.try_lock() {
            log::warn!("can't lock {}: {cause}", folder.path().display());
        }
        Ok(Self { folder, _at_work: at_work })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Those that runs left which were killed.
pub fn left_behind() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let named = entries.flatten().filter(|entry| {
        let ours = |found: std::fs::Metadata| found.is_dir() && found.uid() == own::user();
        entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.path().symlink_metadata().is_ok_and(ours)
    });
    let mut left: Vec<PathBuf> = named
        .map(|entry| entry.path())
        .filter(|folder| {
            let lock = own::open(&folder.join(AT_WORK), OpenOptions::new().read(true).write(true));
            lock.is_ok_and(|lock| lock.try_lock().is_ok())
        })
        .collect();
    left.sort();
    left
}
