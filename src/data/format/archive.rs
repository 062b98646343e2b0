//! Gzipped tar archives, read as a stream; nothing is unpacked to disk.
//!
//! The *tree digest* stands for the files below a folder of an archive whose own bytes are not stable,
//! such as the archive of a repository's commit: the SHA-256 of the lines `<sha256 of file>  <path inside
//! the repository>`, each ended by LF, sorted by the bytes of the paths.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use crate::math::digest::Digest;

/// The most bytes that an archive may unpack to; more is refused.
const LARGEST_ARCHIVE: u64 = 1 << 33;

/// The most bytes of one file that is read.
const LARGEST_FILE: u64 = 1 << 26;

/// Visits each regular file of a gzipped tar with its path and its bytes, in the archive's order. Holds one
/// file at a time. With a `folder`, the paths are those inside the archive's only root folder, and files
/// outside of `folder` are passed over.
///
/// # Errors
/// If the archive is damaged or cut off, or holds a larger file than this program reads; or the visitor's.
pub fn for_each<E: From<io::Error>>(
    archive: impl Read,
    folder: Option<&str>,
    mut visit: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let unpacked = flate2::read::MultiGzDecoder::new(archive).take(LARGEST_ARCHIVE);
    let mut archive = tar::Archive::new(unpacked);
    let mut content = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path_bytes();
        let path = String::from_utf8(path.into_owned())
            .map_err(|_| io::Error::other("a path in the archive is not UTF-8"))?;
        let path = path.strip_prefix("./").unwrap_or(&path);
        let path = match folder {
            None => path,
            Some(folder) => match path.split_once('/') {
                Some((_, path)) if within(path, folder).is_some() => path,
                _ => continue,
            },
        };
        content.clear();
        entry.by_ref().take(LARGEST_FILE + 1).read_to_end(&mut content)?;
        if content.len() as u64 > LARGEST_FILE {
            let why = format!("{path} has more than {LARGEST_FILE} bytes");
            return Err(io::Error::other(why).into());
        }
        visit(path, &content)?;
    }
    // The checksum of the gzip stands behind the last file.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink())?;
    Ok(())
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
        Ok::<(), io::Error>(())
    })?;
    files.sort_unstable();
    let mut hasher = Sha256::new();
    for (path, digest) in files {
        hasher.update(format!("{digest}  {path}\n"));
    }
    Ok(Digest(hasher.finalize().into()))
}

#[cfg(test)]
pub(in crate::data) mod tests {
    use super::*;
    use std::io::Write as _;

    /// A gzipped tar of files with these paths and contents.
    pub fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, content.as_bytes()).unwrap();
        }
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&archive.into_inner().unwrap()).unwrap();
        gzip.finish().unwrap()
    }

    fn visited(archive: &[u8], folder: Option<&str>) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for_each(archive, folder, |path, content| {
            files.push((path.to_owned(), content.to_vec()));
            Ok::<(), io::Error>(())
        })
        .unwrap();
        files
    }

    const FILES: [(&str, &str); 4] =
        [("r-1/d/b", "bee"), ("r-1/d/a", ""), ("r-1/other", "no"), ("r-1/dd/c", "no")];

    #[test]
    fn files_are_visited_with_their_paths() {
        let archive = packed(&FILES);
        let paths: Vec<String> = visited(&archive, None).into_iter().map(|file| file.0).collect();
        assert_eq!(paths, ["r-1/d/b", "r-1/d/a", "r-1/other", "r-1/dd/c"]);
        let inside = [("d/b".to_owned(), b"bee".to_vec()), ("d/a".to_owned(), Vec::new())];
        assert_eq!(visited(&archive, Some("d")), inside);
        assert_eq!(visited(&archive, Some("")).len(), 4);
        assert_eq!(visited(&packed(&[("./x/y", "1")]), None)[0].0, "x/y");
    }

    #[test]
    fn the_tree_digest_is_that_of_the_sorted_listing() {
        // Python: hashlib.sha256 of the two lines `sha256(b"")  d/a` and `sha256(b"bee")  d/b`.
        let golden = "b6f69a9e5b14c83cc5b23c8166a4e958d7b4d8729feb4eb6b3b6e8fad857bba6";
        assert_eq!(tree_digest(&packed(&FILES)[..], "d").unwrap().to_string(), golden);
        let mut turned = FILES;
        turned.reverse();
        assert_eq!(tree_digest(&packed(&turned)[..], "d").unwrap().to_string(), golden);
    }

    #[test]
    fn archives_that_are_cut_off_or_damaged_are_refused() {
        let archive = packed(&FILES);
        for cut in [0, 5, archive.len() / 2, archive.len() - 1] {
            assert!(tree_digest(&archive[..cut], "d").is_err(), "{cut}");
        }
        let mut damaged = archive.clone();
        let last = damaged.len() - 6;
        damaged[last] ^= 1;
        assert!(tree_digest(&damaged[..], "d").is_err());
        assert!(tree_digest(&b"no archive"[..], "d").is_err());
    }
}
