//! The files that a program makes: how much they take, and their end.

use std::fs::Permissions;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use base::bounded::there;

use crate::contain::root::MOST_FILES;

/// Where a program writes.
#[derive(Debug)]
pub(crate) enum Written {
    /// These folders of the disk.
    Folders(Vec<PathBuf>),
    /// A file system of its own, in memory, whose size is bounded; this is a folder of it.
    Own(OwnedFd),
}

impl Written {
    /// Whether its files take more than `most` bytes, or all that there are of a file system of their own, or are more
    /// than 100,000, or lie in a folder that is closed. Of folders of the disk no link is followed, and a file that is
    /// open and has no name any more is not seen.
    pub(crate) fn exceeds(&self, most: u64) -> bool {
        match self {
            Self::Folders(folders) => exceeds(folders, most),
            Self::Own(folder) => rustix::fs::fstatvfs(folder)
                .is_ok_and(|size| size.f_bfree == 0 || size.f_ffree == 0),
        }
    }

    /// How many bytes of memory the files hold.
    pub(crate) fn memory(&self) -> u64 {
        match self {
            Self::Folders(_) => 0,
            Self::Own(folder) => rustix::fs::fstatvfs(folder)
                .map_or(0, |size| (size.f_blocks - size.f_bfree) * size.f_frsize),
        }
    }
}

fn exceeds(folders: &[PathBuf], most: u64) -> bool {
    let (mut bytes, mut files) = (0, 0);
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        let entries = match there(std::fs::read_dir(&folder)) {
            Ok(Some(entries)) => entries,
            // It is gone meanwhile.
            Ok(None) => continue,
            Err(_) => return true,
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.metadata() else { continue };
            files += 1;
            bytes += kind.blocks() * 512;
            if bytes > most || files > MOST_FILES {
                return true;
            }
            if kind.is_dir() {
                open.push(entry.path());
            }
        }
    }
    false
}

/// Removes a folder with all in it, also where the program, which has ended, closed some of it. One that can't be removed
/// is reported to the log alone.
pub(crate) fn remove(folder: &Path) {
    let removed = match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            reopen(folder);
            std::fs::remove_dir_all(folder)
        }
        removed => removed,
    };
    if let Err(error) = there(removed) {
        log::warn!("can't remove {}: {error}", folder.display());
    }
}

/// Opens all folders below one to their owner.
fn reopen(folder: &Path) {
    let mut closed = vec![folder.to_owned()];
    while let Some(folder) = closed.pop() {
        // Where that fails, the removal says so.
        let _ = std::fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let folders =
            entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        closed.extend(folders.map(|entry| entry.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_count_and_holes_do_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::File::create(folder.join("hole")).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink("/usr", folder.join("link")).unwrap();
        let folders = [root.path().to_owned(), root.path().join("absent")];
        assert!(!exceeds(&folders, 1 << 20));
        std::fs::write(folder.join("full"), vec![1; 1 << 20]).unwrap();
        assert!(exceeds(&folders, 1 << 20) && !exceeds(&folders, 1 << 22));
    }

    #[test]
    fn closed_folders_are_removed_too() {
        let root = tempfile::tempdir().unwrap();
        let (outer, inner) = (root.path().join("outer"), root.path().join("outer/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("file"), "").unwrap();
        for folder in [&inner, &outer] {
            std::fs::set_permissions(folder, Permissions::from_mode(0o000)).unwrap();
        }
        remove(&outer);
        assert!(!outer.exists());
        remove(&outer);
    }
}
