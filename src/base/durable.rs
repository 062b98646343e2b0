//! Folders and files that survive a power cut.
//!
//! The bytes of a file are on the disk once the file is synced; its name is once the folder that
//! holds the name is. Both are waited for here, so that what was reported as done is still there
//! when the machine comes back.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// How the names of temporary files begin; a kill may leave one behind.
pub const TEMPORARY: &str = ".reprise-";

/// Creates a folder and those above it that are missing, each with its name on the disk. A folder
/// that exists is left alone, also where nothing can be written.
///
/// # Errors
/// If one can't be created or synced.
pub fn create_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let create = || match std::fs::create_dir(folder) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        created => created,
    };
    match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && above(folder) != folder => {
            create_folders(above(folder))?;
            create()?;
        }
        created => created?,
    }
    sync_folder(above(folder))
}

/// Waits until the names in a folder are on the disk.
///
/// # Errors
/// If the folder can't be opened, or the system can't sync it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Writes a file so that a crash leaves the old content or the new one: a temporary file beside it
/// is synced before it takes the name. The file's folder must exist.
///
/// # Errors
/// If it can't be written.
pub fn replace(file: &Path, content: &[u8]) -> io::Result<()> {
    replace_by(file, content)
}

/// As [`replace`], by what a stream gives.
///
/// # Errors
/// If it can't be read or written.
pub fn replace_by(file: &Path, mut content: impl Read) -> io::Result<()> {
    let folder = above(file);
    let mut temporary = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    io::copy(&mut content, temporary.as_file_mut())?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    sync_folder(folder)
}

/// The folder that holds the name of `path`.
fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_once() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b/c");
        create_folders(&folder).unwrap();
        std::fs::write(folder.join("file"), "kept").unwrap();
        create_folders(&folder).unwrap();
        assert!(folder.join("file").exists());
        let below_a_file = create_folders(&folder.join("file/d")).unwrap_err();
        assert_eq!(below_a_file.kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn the_folder_above_a_bare_name_is_the_present_one() {
        assert_eq!(above(Path::new("results")), Path::new("."));
        assert_eq!(above(Path::new("results/x")), Path::new("results"));
        assert_eq!(above(Path::new("/")), Path::new("/"));
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_behind() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        replace(&file, b"old").unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
        assert!(replace(&root.path().join("absent/file"), b"").is_err());
    }
}
