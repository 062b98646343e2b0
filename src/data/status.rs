//! A file of a dataset, and where it would come from.

use std::path::PathBuf;

use base::words;

use super::vocabulary::Role;

/// A file of a dataset, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStatus {
    /// Dataset id.
    pub dataset: String,
    /// Which part of the dataset it holds.
    pub role: Role,
    /// The copy that would be used: url, or path of a local file.
    pub url: String,
    /// Its size, if the registry says.
    pub bytes: Option<u64>,
    /// Where it would come from.
    pub whence: Whence,
    /// Where it lies on this machine, if it does.
    pub path: Option<PathBuf>,
}

words! {
    /// Where a file would come from.
    pub enum Whence {
        Cache = "cache", "from the cache";
        Mirror = "mirror", "from the mirror";
        Local = "local", "from a local file that the registry names";
        Network = "network", "from the network";
        Missing = "missing", "from nowhere: the network is forbidden, or the local file does not exist";
    }
}
