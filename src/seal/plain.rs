//! Files of a results folder: plain ones, no links, and never more bytes than they may have.

use std::io::{self, Read as _};
use std::path::Path;

use crate::bounded;
use crate::math::digest::Digest;

fn refuse_link(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    Ok(())
}

/// The bytes of a plain file that has at most `most`.
///
/// # Errors
/// If it is a link or no regular file, has more bytes, or can't be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    refuse_link(path)?;
    bounded::read_regular(path, most)
}

/// The size of a plain file and, if it is `bytes`, the SHA-256 of its content: a file of another size is not
/// read. Memory O(1).
///
/// # Errors
/// If it is a link or no regular file, or can't be read.
pub fn digest(path: &Path, bytes: u64) -> io::Result<(u64, Option<Digest>)> {
    refuse_link(path)?;
    let file = bounded::open_regular(path)?;
    let found = file.metadata()?.len();
    if found != bytes {
        return Ok((found, None));
    }
    // One byte more than the file had when it was opened: it may grow.
    let (digest, read) = Digest::of_stream(file.take(bytes.saturating_add(1)))?;
    Ok((read, (read == bytes).then_some(digest)))
}

/// Makes sure that what stands at a path, if anything does, is a folder and no link to one.
///
/// # Errors
/// If it is something else, or can't be looked at.
pub fn own_folder(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(kind) if kind.is_symlink() => {
            let to = std::fs::read_link(path)?;
            let why = format!("it is a link to {}, which is not followed", to.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
        Ok(kind) if !kind.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        Ok(_) => Ok(()),
    }
}
