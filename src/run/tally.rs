//! Records of paths by the first eight bytes of their ids, as a signal's handler can write them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use base::digest::Digest;
use base::own;

/// The most bytes of a record that are read: those of eight million paths.
const MOST: u64 = 1 << 26;

/// The path as it stands in records.
pub(super) fn tag(path: Digest) -> u64 {
    word(&path.0[..8])
}

/// Eight bytes as a word; 0 of other ones.
pub(super) fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// The words of a record; none where there is no such file.
pub(super) fn words(file: &Path) -> io::Result<Vec<u64>> {
    let bytes = own::read_there(file, MOST)?.unwrap_or_default();
    Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
}

/// How often paths stand in records.
#[derive(Debug, Clone, Default)]
pub struct Tally(BTreeMap<u64, u32>);

impl Tally {
    pub(super) fn add(&mut self, tags: impl IntoIterator<Item = u64>) {
        tags.into_iter().for_each(|tag| *self.0.entry(tag).or_insert(0) += 1);
    }

    /// How often this path does.
    pub fn of(&self, path: Digest) -> u32 {
        self.0.get(&tag(path)).copied().unwrap_or(0)
    }
}
