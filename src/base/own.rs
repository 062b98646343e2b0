//! Plain files and folders of reprise's own, reached through no link.
//!
//! A results folder may come from anywhere. Where reprise reads, writes or removes something that it
//! has made itself, a link, a pipe or a device of that name is somebody else's, and an error.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::digest::Digest;
use crate::{bounded, durable};

/// Something has the name of a file or folder of our own, and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOwn {
    /// It points to something else.
    #[error("it is a symbolic link, and reprise follows none to its own files")]
    Link,
    /// It is a folder, a pipe, a socket or a device.
    #[error("it is not a plain file")]
    NotFile,
    /// It is a file, a pipe, a socket or a device.
    #[error("it is not a folder")]
    NotFolder,
}

impl NotOwn {
    /// What to do about it.
    pub const HELP: &'static str = "look what it is, and move it out of the results folder";

    /// Whether this is why something failed.
    pub fn caused(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|cause| cause.is::<Self>())
    }
}

impl From<NotOwn> for io::Error {
    fn from(reason: NotOwn) -> Self {
        Self::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// Opens a file of our own; never waits for the other end of a pipe.
///
/// # Errors
/// If it can't be opened so, or is [`NotOwn`].
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = match options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path) {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => return Err(NotOwn::Link.into()),
        file => file?,
    };
    if !file.metadata()?.is_file() {
        return Err(NotOwn::NotFile.into());
    }
    Ok(file)
}

/// The bytes of a file of our own that has at most `most`.
///
/// # Errors
/// If it can't be read, or is [`NotOwn`]; or if it has more bytes ([`bounded::TooLong`]).
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bounded::read_file(open(path, OpenOptions::new().read(true))?, most)
}

/// The same of a file that need not be there.
///
/// # Errors
/// As [`read_bounded`].
pub fn read_there(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    bounded::there(read_bounded(path, most))
}

/// The size of a file of our own and, if it is `bytes`, the SHA-256 of its content: a file of another size is
/// not read. Memory O(1).
///
/// # Errors
/// If it can't be read, or is [`NotOwn`].
pub fn digest(path: &Path, bytes: u64) -> io::Result<(u64, Option<Digest>)> {
    let file = open(path, OpenOptions::new().read(true))?;
    let found = file.metadata()?.len();
    if found != bytes {
        return Ok((found, None));
    }
    // One byte more than the file had when it was opened: it may grow.
    let (digest, read) = Digest::of_stream(file.take(bytes.saturating_add(1)))?;
    Ok((read, (read == bytes).then_some(digest)))
}

/// Opens the lock file of this name, which is created if it is not there and never emptied.
///
/// # Errors
/// If it can't be opened, or is [`NotOwn`].
pub fn lock_file(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true).create(true))
}

/// Creates a folder and those above it that are missing, in which only the user may write.
///
/// # Errors
/// If one can't be created.
pub fn create_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    durable::create_folders(folder)?;
    missing.into_iter().filter(|path| path.exists()).try_for_each(close)
}

/// Takes from everybody else the right to write.
///
/// # Errors
/// If it is another user's.
pub fn close(path: &Path) -> io::Result<()> {
    let mode = path.symlink_metadata()?.permissions().mode();
    match mode & 0o022 {
        0 => Ok(()),
        _ => std::fs::set_permissions(path, Permissions::from_mode(mode & !0o022)),
    }
}

/// Whether only the user and root may change what lies in a folder of a cache: it and those above it, up to the cache,
/// are theirs, and nobody else may write them. What is not there yet is nobody's.
pub fn is_private(folder: &Path, cache: &Path) -> bool {
    let ours = |path: &Path| match path.metadata() {
        Ok(found) => [0, user()].contains(&found.uid()) && found.mode() & 0o022 == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    // The cache itself may be a link of the user's.
    let linked = |path: &Path| path != cache && path.is_symlink();
    let up_to = folder.ancestors().take_while(|path| path.starts_with(cache));
    up_to.into_iter().all(|path| !linked(path) && ours(path))
}

/// Number of the user whose rights this process has.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes sure that a folder of our own is one.
///
/// # Errors
/// If it does not exist, or is [`NotOwn`].
pub fn folder(path: &Path) -> io::Result<()> {
    let kind = path.symlink_metadata()?;
    match kind {
        kind if kind.is_dir() => Ok(()),
        kind if kind.is_symlink() => Err(NotOwn::Link.into()),
        _ => Err(NotOwn::NotFolder.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_opened() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::os::unix::fs::symlink(path("absent"), path("dangling")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let pipe = std::ffi::CString::new(path("pipe").to_str().unwrap()).unwrap();
        // SAFETY: a string that ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        assert_eq!(read_bounded(&path("file"), 4).unwrap(), b"text");
        let refused = |name: &str| {
            let error = read_bounded(&path(name), 4).unwrap_err();
            assert!(NotOwn::caused(&error), "{name}: {error}");
            error.to_string()
        };
        assert_eq!(refused("link"), NotOwn::Link.to_string());
        assert_eq!(refused("dangling"), NotOwn::Link.to_string());
        assert_eq!(refused("folder"), NotOwn::NotFile.to_string());
        assert_eq!(refused("pipe"), NotOwn::NotFile.to_string());
        let created = open(&path("dangling"), OpenOptions::new().write(true).create(true));
        assert!(NotOwn::caused(&created.unwrap_err()) && !path("absent").exists());
        assert_eq!(read_bounded(&path("absent"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_lock_is_never_emptied_and_no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let (lock, link) = (root.path().join("lock"), root.path().join("link"));
        std::fs::write(&lock, "kept").unwrap();
        lock_file(&lock).unwrap();
        assert_eq!(std::fs::read(&lock).unwrap(), b"kept");
        std::os::unix::fs::symlink(&lock, &link).unwrap();
        assert!(NotOwn::caused(&lock_file(&link).unwrap_err()));
        lock_file(&root.path().join("new")).unwrap();
    }

    #[test]
    fn what_others_may_write_is_not_private() {
        let root = tempfile::tempdir().unwrap();
        let (cache, folder) = (root.path().join("cache"), root.path().join("cache/a/b"));
        assert!(is_private(&folder, &cache));
        create_folders(&folder).unwrap();
        assert!(is_private(&folder, &cache));
        for open in [&cache, &root.path().join("cache/a"), &folder] {
            for mode in [0o775, 0o757, 0o1777] {
                std::fs::set_permissions(open, Permissions::from_mode(mode)).unwrap();
                assert!(!is_private(&folder, &cache), "{}", open.display());
                close(open).unwrap();
                assert!(is_private(&folder, &cache));
            }
        }
        // What lies above the cache is not asked, and a link within it is somebody's.
        std::fs::set_permissions(root.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(is_private(&folder, &cache));
        std::os::unix::fs::symlink(&folder, cache.join("link")).unwrap();
        assert!(!is_private(&cache.join("link"), &cache));
    }

    #[test]
    fn files_of_another_size_are_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "text").unwrap();
        assert_eq!(read_bounded(file.path(), 4).unwrap(), b"text");
        assert!(bounded::is_too_long(&read_bounded(file.path(), 3).unwrap_err()));
        assert_eq!(digest(file.path(), 4).unwrap(), (4, Some(Digest::of(b"text"))));
        file.as_file().set_len(1 << 42).unwrap();
        assert_eq!(digest(file.path(), 4).unwrap(), (1 << 42, None));
    }

    #[test]
    fn only_real_folders_are_folders() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).unwrap();
        std::fs::write(root.path().join("file"), "").unwrap();
        assert!(folder(root.path()).is_ok());
        assert_eq!(folder(&link).unwrap_err().to_string(), NotOwn::Link.to_string());
        let file = folder(&root.path().join("file")).unwrap_err();
        assert_eq!(file.to_string(), NotOwn::NotFolder.to_string());
    }
}
