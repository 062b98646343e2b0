//! Gzipped tar archives, read as a stream; nothing is unpacked to disk.
//!
//! The *tree digest* stands for the files below a folder of an archive whose own bytes are not stable,
//! such as the archive of a repository's commit: the SHA-256 of the lines `<sha256 of file>  <path inside
//! the repository>`, each ended by LF, sorted by the bytes of the paths.

use std::io::{self, Read};
use std::ops::ControlFlow;

use sha2::{Digest as _, Sha256};

use crate::limits::{self, Exceeded};
use base::bounded;
use base::digest::Digest;

/// Visits each regular file of a gzipped tar with its path and its bytes, in the archive's order. Holds one
/// file at a time. Where the visitor breaks, the rest is not read. With a `folder`, the paths are those inside the archive's only root folder, and files
/// outside of `folder` are passed over.
///
/// # Errors
/// If the archive is damaged or cut off; [`Exceeded`] if it holds more than the [`limits`] let it; or the
/// visitor's.
pub fn for_each<E: From<io::Error>>(
    archive: impl Read,
    folder: Option<&str>,
    mut visit: impl FnMut(&str, &[u8]) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let unpacked =
        Bounded { stream: flate2::read::MultiGzDecoder::new(archive), left: limits::ARCHIVE };
    let mut archive = tar::Archive::new(unpacked);
    let (mut count, mut bytes_of_paths) = (0, 0);
    let mut longer = Extensions::default();
    // Raw, since the crate would read headers of any size into memory.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        count += 1;
        within_limit(count, limits::ARCHIVE_ENTRIES, "entries")?;
        if longer.read(&mut entry)? {
            continue;
        }
        let extensions = std::mem::take(&mut longer);
        let kind = entry.header().entry_type();
        if kind.is_gnu_sparse() {
            return Err(io::Error::other("sparse files in archives are not read").into());
        }
        if !kind.is_file() {
            continue;
        }
        let path = extensions.path_of(&entry)?;
        within_limit(path.len() as u64, limits::ARCHIVED_PATH, "bytes in a path")?;
        bytes_of_paths += path.len() as u64;
        within_limit(bytes_of_paths, limits::ARCHIVED_PATHS, "bytes in its paths together")?;
        let path = path.strip_prefix("./").unwrap_or(&path);
        let path = match folder {
            None => path,
            Some(folder) => match path.split_once('/') {
                Some((_, path)) if within(path, folder).is_some() => path,
                _ => continue,
            },
        };
        let size = entry.size();
        let content = read(&mut entry, size, limits::ARCHIVED_FILE, || format!("bytes in {path}"))?;
        if visit(path, &content)?.is_break() {
            return Ok(());
        }
    }
    if longer.name.is_some() || longer.records.is_some() {
        return Err(io::Error::other("the last header extends one that is not there").into());
    }
    // The checksum of the gzip stands behind the last file.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink())?;
    Ok(())
}

/// A stream that has a limit and does not end there in silence.
struct Bounded<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| Exceeded::new(limits::ARCHIVE, "unpacked bytes"))?;
        Ok(count)
    }
}

/// What stands in headers of their own in front of the entry that they are about.
#[derive(Default)]
struct Extensions {
    /// A long name, of GNU tar.
    name: Option<Vec<u8>>,
    /// Records of PAX.
    records: Option<Vec<u8>>,
}

impl Extensions {
    /// Reads an entry that is such a header; false if it is another one.
    fn read(&mut self, entry: &mut tar::Entry<'_, impl Read>) -> io::Result<bool> {
        let header = entry.header();
        let (kind, known) =
            (header.entry_type(), header.as_gnu().is_some() || header.as_ustar().is_some());
        if known && kind.is_gnu_longlink() {
            return Ok(true);
        }
        let place = match () {
            () if known && kind.is_gnu_longname() => &mut self.name,
            () if known && kind.is_pax_local_extensions() => &mut self.records,
            () => return Ok(false),
        };
        if place.is_some() {
            return Err(io::Error::other("two headers of one sort extend the same entry"));
        }
        let size = entry.size();
        let what = || "bytes in a header that extends another".to_owned();
        *place = Some(read(entry, size, limits::ARCHIVE_HEADER, what)?);
        Ok(true)
    }

    /// The path of the entry that they are about.
    fn path_of(self, entry: &tar::Entry<'_, impl Read>) -> io::Result<String> {
        let records = self.records.unwrap_or_default();
        let record = |key: &str| {
            let mut records = tar::PaxExtensions::new(&records).filter_map(Result::ok);
            records.find(|record| record.key_bytes() == key.as_bytes()).map(|r| r.value_bytes())
        };
        if record("size").is_some_and(|size| size != entry.size().to_string().as_bytes()) {
            return Err(io::Error::other("an entry has two sizes"));
        }
        let path = match self.name {
            Some(mut name) => {
                name.pop_if(|last| *last == 0);
                name
            }
            None => record("path").map_or_else(|| entry.path_bytes().into_owned(), <[u8]>::to_vec),
        };
        String::from_utf8(path).map_err(|_| io::Error::other("a path in the archive is not UTF-8"))
    }
}

/// The bytes of an entry.
fn read(
    entry: &mut impl Read,
    size: u64,
    most: u64,
    what: impl Fn() -> String,
) -> io::Result<Vec<u8>> {
    bounded::read(entry, most, size).map_err(|error| {
        if bounded::is_too_long(&error) { Exceeded::new(most, what()).into() } else { error }
    })
}

fn within_limit(count: u64, most: u64, what: &str) -> io::Result<()> {
    if count <= most { Ok(()) } else { Err(Exceeded::new(most, what).into()) }
}

/// The rest of a path below a folder; an empty folder is the root.
pub fn within<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(path),
        _ => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// The tree digest over a folder of an archive. Time O(unpacked bytes), memory O(files).
///
/// # Errors
/// If the archive is damaged or cut off.
pub fn tree_digest(archive: impl Read, folder: &str) -> io::Result<Digest> {
    let mut files: Vec<(String, Digest)> = Vec::new();
    for_each(archive, Some(folder), |path, content| {
        files.push((path.to_owned(), Digest::of(content)));
        Ok::<_, io::Error>(ControlFlow::Continue(()))
    })?;
    files.sort_unstable();
    let mut hasher = Sha256::new();
    for (path, digest) in files {
        hasher.update(format!("{digest}  {path}\n"));
    }
    Ok(Digest(hasher.finalize().into()))
}

#[cfg(test)]
pub(crate) mod tests;
