//! Reading what others wrote: within a bound, and from regular files only, so that a pipe does not hang the
//! program, a device does not feed it for ever, and a sparse file does not fill its memory.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The most bytes of a file that people write, such as an experiment file: 1 MiB.
pub const MOST_WRITTEN: u64 = 1 << 20;

/// There are more bytes than are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has more than {most} bytes, the most that are read here")]
pub struct TooLong {
    /// The most that are read.
    pub most: u64,
}

impl From<TooLong> for io::Error {
    fn from(error: TooLong) -> Self {
        Self::new(ErrorKind::FileTooLarge, error)
    }
}

/// Whether an error is [`TooLong`].
pub fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooLong>())
}

/// What stands in a folder, in the order of the names.
///
/// # Errors
/// If it can't be listed.
pub fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Opens a regular file, or the one that a link points to. Never waits.
///
/// # Errors
/// If it can't be opened, or is a folder, pipe, socket or device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// The same, with these options.
///
/// # Errors
/// As [`open_regular`].
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Without the flag, opening a pipe waits for somebody at its other end.
    let file = options.custom_flags(libc::O_NONBLOCK).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok(file)
}

/// The bytes of a regular file that has at most `most`. Its length is looked at before anything is read.
///
/// # Errors
/// As [`open_regular`]; if it can't be read; [`TooLong`] if it has more bytes.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_file(open_regular(path)?, most)
}

/// The bytes of an open file that has at most `most`. Its length is looked at before anything is read.
///
/// # Errors
/// If it can't be read; [`TooLong`] if it has more bytes.
pub fn read_file(file: File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > most {
        return Err(TooLong { most }.into());
    }
    read(file, most, length)
}

/// The text of a regular file that has at most `most` bytes.
///
/// # Errors
/// As [`read_regular`]; or if the bytes are not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_regular(path, most)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// All bytes of a stream that has at most `most`; `guess` is a guess at their number, for the allocation. Holds
/// at most twice what the stream gives, and the guess.
///
/// # Errors
/// If it can't be read; [`TooLong`] if it has more bytes.
pub fn read(stream: impl Read, most: u64, guess: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(guess.min(most)).unwrap_or(usize::MAX))?;
    stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(TooLong { most }.into());
    }
    Ok(bytes)
}

/// What was done with a file; nothing where it is not there, which is no error then.
///
/// # Errors
/// Any other.
pub fn there<T>(done: std::io::Result<T>) -> std::io::Result<Option<T>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match done {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        done => done.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of reading at most ten bytes.
    fn ten(path: &Path) -> Result<Vec<u8>, String> {
        read_regular(path, 10).map_err(|error| error.to_string())
    }

    #[test]
    fn regular_files_are_read_up_to_the_bound() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let absent = read_regular(&path, 10).unwrap_err();
        assert_eq!(absent.kind(), ErrorKind::NotFound);
        std::fs::write(&path, "0123456789").unwrap();
        assert_eq!(ten(&path), Ok(b"0123456789".to_vec()));
        assert_eq!(ten(&link), ten(&path));
        std::fs::write(&path, "0123456789a").unwrap();
        let error = read_regular(&path, 10).unwrap_err();
        assert!(is_too_long(&error));
        assert_eq!(error.to_string(), "it has more than 10 bytes, the most that are read here");
    }

    #[test]
    fn a_sparse_file_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        assert!(is_too_long(&read_regular(file.path(), 1 << 30).unwrap_err()));
    }

    #[test]
    fn pipes_devices_and_folders_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert_eq!(ten(&pipe), Err("it is no regular file".to_owned()));
        assert_eq!(ten(Path::new("/dev/zero")), Err("it is no regular file".to_owned()));
        assert_eq!(ten(folder.path()), Err("is a directory".to_owned()));
    }

    #[test]
    fn a_stream_is_read_up_to_the_bound_whatever_was_guessed() {
        for guess in [0, 3, 5, u64::MAX] {
            assert_eq!(read(&b"12345"[..], 5, guess).unwrap(), b"12345");
            assert!(is_too_long(&read(&b"123456"[..], 5, guess).unwrap_err()));
        }
        assert!(is_too_long(&read(io::repeat(0), 1 << 20, 0).unwrap_err()));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"caf\xe9").unwrap();
        assert_eq!(read_text(file.path(), 10).unwrap_err().to_string(), "it is not UTF-8 text");
    }
}
