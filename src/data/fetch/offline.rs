//! What a build without the feature `network` does instead of downloading.

use url::Url;

use super::{Named, Patience, Refusal};
use crate::cache::Cache;
use crate::registry::RemoteFile;

/// Downloads nothing, and says so.
#[derive(Debug)]
pub struct Downloader;

impl Downloader {
    /// The downloader.
    pub fn new(_: Patience, _: Named) -> Self {
        Self
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always, as [`Self::download`].
    pub fn unknown(&self, _: &Url) -> Result<Vec<u8>, Refusal> {
        Err(without())
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always [`Refusal::TryNext`]: a folder that holds the file still serves.
    pub fn download(
        &self,
        _: &Url,
        _: &RemoteFile,
        _: &Cache,
        _: &dyn Fn(u64),
    ) -> Result<(), Refusal> {
        Err(without())
    }
}

fn without() -> Refusal {
    Refusal::TryNext("this program was built without the feature `network`".to_owned())
}
