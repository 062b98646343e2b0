//! A registry of one dataset with one file, and downloads of it that are soon given up.

use std::path::PathBuf;
use std::time::Duration;

use reprise::base::digest::Digest;
use reprise::data::fetch::Patience;
use reprise::data::{DataConfig, DataError, Library};
use tempfile::TempDir;

use super::registry;

/// A folder with the registry and a cache.
pub struct Place {
    /// Where downloads come from.
    pub config: DataConfig,
    /// The folder.
    pub folder: TempDir,
    dataset: &'static str,
    content: Digest,
}

impl Place {
    /// The entry of a dataset, whose file the cache knows by this digest.
    pub fn new(dataset: &'static str, kind: &str, entry: &str, content: Digest) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("datasets.toml");
        std::fs::write(&file, registry::of(&[registry::entry(dataset, kind, entry)])).unwrap();
        let patience = Patience {
            connect: Duration::from_millis(500),
            stall: Duration::from_millis(500),
            attempts: 3,
            pause: Duration::from_millis(1),
        };
        let (cache, registry) = (Some(folder.path().join("cache")), Some(file));
        let config = DataConfig { cache, registry, patience, ..DataConfig::default() };
        Self { config, folder, dataset, content }
    }

    /// The dataset as the library has it.
    pub fn library(&self) -> Library {
        Library::open(&self.config, None).unwrap()
    }

    /// Downloads the file.
    pub fn fetch(&self) -> Result<(), DataError> {
        self.library().fetch(&[self.dataset])
    }

    /// Where the file is kept.
    pub fn cached(&self) -> PathBuf {
        self.folder.path().join("cache/data").join(self.content.to_string())
    }

    /// Where a part of it is kept.
    pub fn partial(&self) -> PathBuf {
        self.cached().with_extension("partial")
    }

    /// `reprise data` with this registry and cache, and without proxies.
    pub fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::cargo_bin("reprise").unwrap();
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            command.env_remove(name).env_remove(name.to_uppercase());
        }
        command.arg("data").args(arguments);
        command.arg("--registry").arg(self.config.registry.as_ref().unwrap());
        command.arg("--cache").arg(self.config.cache.as_ref().unwrap());
        command.env_remove("REPRISE_MIRROR").timeout(Duration::from_secs(20));
        command
    }
}

/// Why a file is unavailable: what each source said.
pub fn reasons(error: DataError) -> String {
    let DataError::Unavailable { files, .. } = error else { panic!("{error}") };
    let tried = files.into_iter().flat_map(|file| file.tried);
    tried.map(|(_, why)| why).collect::<Vec<_>>().join("; ")
}
