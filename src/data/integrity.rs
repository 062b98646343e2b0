//! What a file must be, and whether it is.

use std::io::Read as _;
use std::path::Path;
use std::{fmt, io};

use super::format::archive::tree_digest;
use super::limits;
use base::bounded;
use base::digest::Digest;

/// What tells a file from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrity {
    /// SHA-256 of its bytes, or the tree digest of what is below `folder`; it names the file in the cache.
    pub digest: Digest,
    /// The number of its bytes, if the registry says.
    pub size: Option<u64>,
    /// The folder that counts in an archive whose own bytes are not stable, as a path inside the archive's root folder;
    /// empty for all of it. See [`archive`](super::format::archive).
    pub folder: Option<String>,
}

impl Integrity {
    /// The most bytes of a file that are read to tell it from others.
    pub fn longest(&self) -> u64 {
        self.size.map_or(limits::FILE, |size| limits::with_room(size).min(limits::FILE))
    }

    /// Checks the bytes of a file, which errors call `file`. Holds nothing beside them.
    ///
    /// # Errors
    /// If it is another file.
    pub fn check(&self, file: &str, bytes: &[u8]) -> Result<(), Box<Mismatch>> {
        let found_bytes = bytes.len() as u64;
        let found = match &self.folder {
            None => Ok(Digest::of(bytes)),
            Some(folder) => tree_digest(bytes, folder)
                .map_err(|why| format!("no whole tar.gz archive in {found_bytes} bytes: {why}")),
        };
        if found.as_ref() == Ok(&self.digest) {
            return Ok(());
        }
        let file = file.to_owned();
        Err(Box::new(Mismatch { file, expected: self.clone(), found, found_bytes }))
    }

    /// A file of which no more than `bytes` were looked at, since it has more than it may have.
    pub fn too_long(&self, file: &str, bytes: u64) -> Box<Mismatch> {
        let (file, found) = (file.to_owned(), Err(format!("more than {bytes} bytes")));
        Box::new(Mismatch { file, expected: self.clone(), found, found_bytes: bytes })
    }

    /// Reads a file of this machine and checks it. Its length is looked at first: of one that is far too long,
    /// nothing is read.
    ///
    /// # Errors
    /// If it can't be read, or is no regular file.
    pub fn read(&self, path: &Path) -> io::Result<Result<Vec<u8>, Box<Mismatch>>> {
        let name = path.display().to_string();
        Ok(match bounded::read_regular(path, self.longest()) {
            Ok(bytes) => self.check(&name, &bytes).map(|()| bytes),
            Err(error) if bounded::is_too_long(&error) => Err(self.too_long(&name, self.longest())),
            Err(error) => return Err(error),
        })
    }

    /// As [`Self::read`], but nothing is kept. Memory O(1), of an archive O(bytes).
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn verify(&self, path: &Path) -> io::Result<Result<(), Box<Mismatch>>> {
        if self.folder.is_some() {
            return Ok(self.read(path)?.map(drop));
        }
        let (file, open) = (path.display().to_string(), bounded::open_regular(path)?);
        if open.metadata()?.len() > self.longest() {
            return Ok(Err(self.too_long(&file, self.longest())));
        }
        let (found, found_bytes) = Digest::of_stream(open.take(self.longest().saturating_add(1)))?;
        if found == self.digest {
            return Ok(Ok(()));
        }
        let expected = self.clone();
        Ok(Err(Box::new(Mismatch { file, expected, found: Ok(found), found_bytes })))
    }
}

/// A file that is not the one that the registry describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Path or url.
    pub file: String,
    /// What it must be.
    pub expected: Integrity,
    /// Digest that it has, of the same sort; else why it has none: it was too long to read to its end, or is
    /// no whole archive.
    pub found: Result<Digest, String>,
    /// Size that it has, as far as it was read.
    pub found_bytes: u64,
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, expected, found, found_bytes } = self;
        write!(f, "wrong checksum: {file}\n  expected ")?;
        let Integrity { digest, size, folder } = expected;
        let sort = match folder {
            None => {
                write!(f, "sha256 {digest}")?;
                if let Some(bytes) = size {
                    write!(f, ", {bytes} bytes")?;
                }
                "sha256"
            }
            Some(folder) => {
                write!(f, "tree digest {digest} of the folder `{folder}`")?;
                "tree digest"
            }
        };
        match found {
            Ok(digest) => write!(f, "\n  found    {sort} {digest}, {found_bytes} bytes"),
            Err(why) => write!(f, "\n  found    {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::archive::tests::packed;

    #[test]
    fn a_file_that_is_far_too_long_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        for (size, most) in [(Some(3), (1 << 20) + 6), (None, limits::FILE)] {
            let integrity = Integrity { digest: Digest::of(b"abc"), size, folder: None };
            let mismatch = integrity.read(file.path()).unwrap().unwrap_err();
            assert_eq!(mismatch.found, Err(format!("more than {most} bytes")));
            assert_eq!(integrity.verify(file.path()).unwrap(), Err(mismatch));
        }
        let integrity = Integrity { digest: Digest::of(b"abc"), size: Some(3), folder: None };
        for text in ["abc", "abd", "abcd", ""] {
            std::fs::write(file.path(), text).unwrap();
            let read = integrity.read(file.path()).unwrap();
            assert_eq!(
                integrity.verify(file.path()).unwrap(),
                read.as_ref().map(drop).map_err(Clone::clone)
            );
            assert_eq!(read.is_ok_and(|bytes| bytes == b"abc"), text == "abc");
        }
    }

    #[test]
    fn files_and_trees_are_checked_and_both_digests_named() {
        let file = Integrity { digest: Digest::of(b"abc"), size: Some(3), folder: None };
        assert_eq!(file.check("f", b"abc"), Ok(()));
        let message = format!(
            "wrong checksum: f\n  expected sha256 {}, 3 bytes\n  found    sha256 {}, 2 bytes",
            Digest::of(b"abc"),
            Digest::of(b"ab")
        );
        assert_eq!(file.check("f", b"ab").unwrap_err().to_string(), message);

        let archive = packed(&[("r/d/a", "one"), ("r/b", "two")]);
        let digest = tree_digest(&archive[..], "d").unwrap();
        let tree = Integrity { digest, size: None, folder: Some("d".to_owned()) };
        assert_eq!(tree.check("t", &archive), Ok(()));
        assert_eq!(tree.check("t", &packed(&[("other/b", "2"), ("other/d/a", "one")])), Ok(()));
        let changed = packed(&[("r/d/a", "two")]);
        let found = tree_digest(&changed[..], "d").unwrap();
        let message = format!(
            "wrong checksum: t\n  expected tree digest {digest} of the folder `d`\n  \
             found    tree digest {found}, {} bytes",
            changed.len()
        );
        assert_eq!(tree.check("t", &changed).unwrap_err().to_string(), message);
        let message = tree.check("t", &archive[..20]).unwrap_err().to_string();
        assert!(message.contains("found    no whole tar.gz archive in 20 bytes: "), "{message}");
    }
}
