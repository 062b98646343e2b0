//! What a file must be, and whether it is.

use std::fmt;

use super::format::archive::tree_digest;
use crate::math::digest::Digest;

/// What tells a file from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integrity {
    /// Its bytes.
    Bytes {
        /// SHA-256 of them.
        digest: Digest,
        /// Their number, if the registry says.
        size: Option<u64>,
    },
    /// The files below a folder of an archive whose own bytes are not stable.
    Tree {
        /// The tree digest; see [`archive`](super::format::archive).
        digest: Digest,
        /// The folder, as a path inside the archive's root folder; empty for all of it.
        folder: String,
    },
}

impl Integrity {
    /// The digest, which names the file in the cache.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Bytes { digest, .. } | Self::Tree { digest, .. } => *digest,
        }
    }

    /// The number of bytes, if it is known.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Bytes { size, .. } => *size,
            Self::Tree { .. } => None,
        }
    }

    /// The folder of an archive that counts, if not all of it does.
    pub fn folder(&self) -> Option<&str> {
        match self {
            Self::Bytes { .. } => None,
            Self::Tree { folder, .. } => Some(folder),
        }
    }
    /// Checks the bytes of a file, which errors call `file`. Holds nothing beside them.
    ///
    /// # Errors
    /// If it is another file.
    pub fn check(&self, file: &str, bytes: &[u8]) -> Result<(), Box<Mismatch>> {
        let found = match self {
            Self::Bytes { .. } => Some(Digest::of(bytes)),
            Self::Tree { folder, .. } => tree_digest(bytes, folder).ok(),
        };
        if found == Some(self.digest()) {
            return Ok(());
        }
        let (file, found_bytes) = (file.to_owned(), bytes.len() as u64);
        Err(Box::new(Mismatch { file, expected: self.clone(), found, found_bytes }))
    }
}

/// A file that is not the one that the registry describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Path or url.
    pub file: String,
    /// What it must be.
    pub expected: Integrity,
    /// Digest that it has, of the same sort; none if it was too long to read to its end, or is no whole
    /// archive.
    pub found: Option<Digest>,
    /// Size that it has, as far as it was read.
    pub found_bytes: u64,
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, expected, found, found_bytes } = self;
        write!(f, "wrong checksum: {file}\n  expected ")?;
        let sort = match expected {
            Integrity::Bytes { digest, size } => {
                write!(f, "sha256 {digest}")?;
                if let Some(bytes) = size {
                    write!(f, ", {bytes} bytes")?;
                }
                "sha256"
            }
            Integrity::Tree { digest, folder } => {
                write!(f, "tree digest {digest} of the folder `{folder}`")?;
                "tree digest"
            }
        };
        match (found, expected) {
            (Some(digest), _) => write!(f, "\n  found    {sort} {digest}, {found_bytes} bytes"),
            (None, Integrity::Bytes { .. }) => {
                write!(f, "\n  found    more than {found_bytes} bytes")
            }
            (None, Integrity::Tree { .. }) => {
                write!(f, "\n  found    no whole tar.gz archive in {found_bytes} bytes")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::format::archive::tests::packed;

    #[test]
    fn files_and_trees_are_checked_and_both_digests_named() {
        let file = Integrity::Bytes { digest: Digest::of(b"abc"), size: Some(3) };
        assert_eq!(file.check("f", b"abc"), Ok(()));
        let message = format!(
            "wrong checksum: f\n  expected sha256 {}, 3 bytes\n  found    sha256 {}, 2 bytes",
            Digest::of(b"abc"),
            Digest::of(b"ab")
        );
        assert_eq!(file.check("f", b"ab").unwrap_err().to_string(), message);

        let archive = packed(&[("r/d/a", "one"), ("r/b", "two")]);
        let digest = tree_digest(&archive[..], "d").unwrap();
        let tree = Integrity::Tree { digest, folder: "d".to_owned() };
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
        assert!(message.ends_with("found    no whole tar.gz archive in 20 bytes"), "{message}");
    }
}
