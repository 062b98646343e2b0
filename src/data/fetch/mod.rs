//! Getting files over the network.

#[cfg(feature = "network")]
mod http;
#[cfg(not(feature = "network"))]
mod offline;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::error::DataError;

#[cfg(feature = "network")]
pub use http::Downloader;
#[cfg(not(feature = "network"))]
pub use offline::Downloader;

/// The servers that a registry names, to which a redirect may lead.
#[derive(Debug, Clone, Default)]
pub struct Named(Arc<BTreeSet<String>>);

impl Named {
    /// Those of these urls.
    pub fn of<'u>(urls: impl Iterator<Item = &'u Url>) -> Self {
        Self(Arc::new(urls.map(authority).collect()))
    }

    /// Whether the server of a url is one of them.
    pub fn has(&self, url: &Url) -> bool {
        self.0.contains(&authority(url))
    }
}

/// Host and port, also where the url leaves the port out.
fn authority(url: &Url) -> String {
    let port = url.port_or_known_default();
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", url.host_str().unwrap_or_default())
}

/// How patient downloads are.
#[derive(Debug, Clone)]
pub struct Patience {
    /// Time to establish a connection.
    pub connect: Duration,
    /// Time without a single byte after which a transfer has stalled.
    pub stall: Duration,
    /// How often a url is tried.
    pub attempts: u32,
    /// Pause before the second attempt; it doubles with each further one, up to eight seconds.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            attempts: 5,
            pause: Duration::from_millis(500),
        }
    }
}

/// Why a url gave no file.
pub enum Refusal {
    /// Another url may.
    TryNext(String),
    /// Nothing will.
    Stop(DataError),
}

impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        Self::Stop(error)
    }
}
