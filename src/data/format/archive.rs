//! Gzipped tar archives, read as a stream; nothing is unpacked to disk.
//!
//! The *tree digest* stands for the files below a folder of an archive whose own bytes are not stable,
//! such as the archive of a repository's commit: the SHA-256 of the lines `<sha256 of file>  <path inside
//! the repository>`, each ended by LF, sorted by the bytes of the paths.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use crate::limits::{self, Exceeded};
use base::bounded;
use base::digest::Digest;

/// Visits each regular file of a gzipped tar with its path and its bytes, in the archive's order. Holds one
/// file at a time. With a `folder`, the paths are those inside the archive's only root folder, and files
/// outside of `folder` are passed over.
///
/// # Errors
/// If the archive is damaged or cut off; [`Exceeded`] if it holds more than the [`limits`] let it; or the
/// visitor's.
pub fn for_each<E: From<io::Error>>(
    archive: impl Read,
    folder: Option<&str>,
    mut visit: impl FnMut(&str, &[u8]) -> Result<(), E>,
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
        visit(path, &content)?;
    }
    longer.none_left()?;
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

    /// That the archive does not end where an entry is announced.
    fn none_left(&self) -> io::Result<()> {
        if self.name.is_none() && self.records.is_none() {
            return Ok(());
        }
        Err(io::Error::other("the last header extends one that is not there"))
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
pub(crate) mod tests {
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

    /// A header and its content, padded to whole blocks.
    fn block(kind: tar::EntryType, path: &str, size: u64, content: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path(path).unwrap();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_cksum();
        let mut bytes = [header.as_bytes(), content].concat();
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    /// Why an archive of these members of gzip, one after another, is refused.
    fn refused(members: impl IntoIterator<Item = Vec<u8>>) -> String {
        let archive = members.into_iter().flatten().collect::<Vec<u8>>();
        for_each(&archive[..], None, |_, _| Ok::<(), io::Error>(())).unwrap_err().to_string()
    }

    #[test]
    fn headers_that_extend_others_are_read_within_a_bound() {
        let zeros = vec![gzip(&vec![b'a'; 1 << 24]); 64];
        let megabytes = (zeros.len() as u64) << 24;
        for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
            let header = gzip(&block(kind, "x", megabytes, b""));
            let why = refused([header].into_iter().chain(zeros.clone()));
            assert_eq!(why, "it has more than 1048576 bytes in a header that extends another");
        }
        // What names a link, and what is for all entries, is passed over, not held.
        for kind in [tar::EntryType::GNULongLink, tar::EntryType::XGlobalHeader] {
            let header = gzip(&block(kind, "x", megabytes, b""));
            let file = gzip(&block(tar::EntryType::Regular, "r/d/a", 3, b"abc"));
            let archive: Vec<u8> =
                [header].into_iter().chain(zeros.clone()).chain([file]).flatten().collect();
            assert_eq!(visited(&archive, None), [("r/d/a".to_owned(), b"abc".to_vec())]);
        }
    }

    #[test]
    fn long_names_and_pax_paths_are_those_of_the_next_file() {
        let long = format!("r/{}/file", "folder/".repeat(40));
        let record = format!(" path={long}\n");
        let length = (record.len()..).find(|n| n.to_string().len() + record.len() == *n).unwrap();
        let record = format!("{length}{record}");
        let name = [long.as_bytes(), b"\0"].concat();
        let sizes = (name.len() as u64, record.len() as u64);
        let archive = [
            block(tar::EntryType::GNULongName, "././@LongLink", sizes.0, &name),
            block(tar::EntryType::Regular, "r/cut", 3, b"one"),
            block(tar::EntryType::XHeader, "pax", sizes.1, record.as_bytes()),
            block(tar::EntryType::Regular, "r/cut", 3, b"two"),
            block(tar::EntryType::Regular, "r/short", 0, b""),
        ];
        let paths: Vec<String> =
            visited(&gzip(&archive.concat()), None).into_iter().map(|file| file.0).collect();
        assert_eq!(paths, [long.as_str(), &long, "r/short"]);
        // The next file must be there, and may not be described twice.
        let twice = [archive[0].clone(), archive[0].clone(), archive[1].clone()].concat();
        assert_eq!(refused([gzip(&twice)]), "two headers of one sort extend the same entry");
        let none = "the last header extends one that is not there";
        assert_eq!(refused([gzip(&archive[0])]), none);
        let sized = block(tar::EntryType::XHeader, "pax", 13, b"13 size=4096\n");
        let sized = [sized, archive[1].clone()].concat();
        assert_eq!(refused([gzip(&sized)]), "an entry has two sizes");
        let sparse = block(tar::EntryType::GNUSparse, "s", 0, b"");
        assert_eq!(refused([gzip(&sparse)]), "sparse files in archives are not read");
    }

    #[test]
    fn entries_paths_and_files_are_counted() {
        let entry = block(tar::EntryType::Directory, "d", 0, b"");
        let thousand = gzip(&entry.repeat(1 << 10));
        let why = refused(vec![thousand; (1 << 10) + 1]);
        assert_eq!(why, "it has more than 1048576 entries");

        let named = |length: usize| {
            let name = vec![b'n'; length];
            let header = block(tar::EntryType::GNULongName, "l", length as u64, &name);
            [header, block(tar::EntryType::Regular, "f", 0, b"")].concat()
        };
        assert_eq!(refused([gzip(&named(4097))]), "it has more than 4096 bytes in a path");
        let many = gzip(&named(4096).repeat(1 << 10));
        let why = refused(vec![many; 33]);
        assert_eq!(why, "it has more than 134217728 bytes in its paths together");

        let header = gzip(&block(tar::EntryType::Regular, "large", (1 << 26) + 1, b""));
        let why = refused([header].into_iter().chain(vec![gzip(&[0; 1 << 20]); 65]));
        assert_eq!(why, "it has more than 67108864 bytes in large");
        // A size that is not there takes no memory.
        let header = gzip(&block(tar::EntryType::Regular, "absent", 1 << 40, b""));
        assert_eq!(refused([header]), "unexpected EOF during skip");
    }

    #[test]
    fn what_an_archive_unpacks_to_is_counted() {
        let mut stream = Bounded { stream: io::repeat(0), left: 10 };
        assert_eq!(stream.read(&mut [0; 10]).unwrap(), 10);
        let why = stream.read(&mut [0; 10]).unwrap_err().to_string();
        assert_eq!(why, "it has more than 8589934592 unpacked bytes");
    }
}
