//! The most that files of datasets and entries of a registry may ask of this program. Every limit is far
//! above what data of its kind have; `docs/reference/data.md` lists them.
//!
//! What is read against a limit is counted as it comes, before memory is taken for it.

/// Datasets of a registry, files of a dataset, sources of a file.
pub const TABLES: usize = 10_000;

/// Bytes of a data file as it lies on a disk or a server: 8 GiB.
pub const FILE: u64 = 1 << 33;

/// Bytes that a packed text, or an array of an archive, unpacks to: 1 GiB. A few bytes may stand for so many.
pub const UNPACKED: u64 = 1 << 30;

/// Variables of a dataset.
pub const VARIABLES: usize = 10_000_000;

/// Columns of a table in a file.
pub const COLUMNS: usize = 1 << 20;

/// Names that an ARFF file declares as values of its attributes, together.
pub const NAMES: usize = 1 << 22;

/// Examples of a dataset, or of a part of it.
pub const ROWS: usize = 100_000_000;

/// Examples times variables of a dataset that is no text.
pub const CELLS: usize = 1 << 30;

/// Classes of a dataset.
pub const CLASSES: usize = 65_536;

/// Folds of a dataset.
pub const FOLDS: usize = 1_000;

/// Bits of the values of a generated dataset, as they are held: 2 GiB.
pub const GENERATED_BITS: usize = 1 << 34;

/// Numbers that describe a generated distribution.
pub const GENERATED_PARAMETERS: usize = 1 << 24;

/// Bytes that an archive unpacks to: 8 GiB. They are never held at once.
pub const ARCHIVE: u64 = 1 << 33;

/// Bytes of one file of an archive: 64 MiB.
pub const ARCHIVED_FILE: u64 = 1 << 26;

/// Entries of an archive: files, folders, and headers that extend others.
pub const ARCHIVE_ENTRIES: u64 = 1 << 20;

/// Bytes of a header that extends another, such as a long name: 1 MiB.
pub const ARCHIVE_HEADER: u64 = 1 << 20;

/// Bytes of a path in an archive.
pub const ARCHIVED_PATH: u64 = 4096;

/// Bytes of all paths in an archive together: 128 MiB.
pub const ARCHIVED_PATHS: u64 = 1 << 27;

/// Something has more than is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has more than {most} {what}")]
pub struct Exceeded {
    /// What is counted, in the plural, and where if that is not the whole file.
    pub what: String,
    /// The most that is read.
    pub most: u64,
}

impl Exceeded {
    /// That there is more than `most` of `what`.
    pub fn new(most: u64, what: impl Into<String>) -> Self {
        Self { what: what.into(), most }
    }
}

impl From<Exceeded> for std::io::Error {
    fn from(error: Exceeded) -> Self {
        Self::new(std::io::ErrorKind::FileTooLarge, error)
    }
}

/// How much is looked at where the registry says how much there is: more, so that an error can say how
/// much was found, but not much more.
pub const fn with_room(expected: u64) -> u64 {
    expected.saturating_mul(2).saturating_add(1 << 20)
}

/// `a` times `b`, if that is at most `most`.
pub fn product(a: usize, b: usize, most: usize) -> Option<usize> {
    a.checked_mul(b).filter(|&product| product <= most)
}
