//! `manifest.toml`: what a results folder holds, to the byte.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::math::digest::{Digest, FieldHasher};

/// Name of the manifest in a results folder.
pub const MANIFEST: &str = "manifest.toml";
/// Everything under this folder may differ between two runs.
pub const TIMING: &str = "timing/";

const SEAL: &str = "\n[seal]\n";

/// The manifest of a results folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this format.
    pub schema: u32,
    /// Experiment id.
    pub experiment: String,
    /// Profile under which it ran; empty for none.
    pub profile: String,
    /// Version of reprise.
    pub reprise: String,
    /// Whether every trial of the experiment is in it, none out of time.
    pub complete: bool,
    /// Whether the options of choices were run.
    pub choices: bool,
    /// Digest of the experiment file and its published values.
    pub spec: Digest,
    /// Digest over the deterministic files: two machines compare this line.
    pub digest: Digest,
    /// Digest of every dataset.
    pub datasets: BTreeMap<String, Digest>,
    /// Revision of every method.
    pub methods: BTreeMap<String, u32>,
    /// Every file of the folder but this one, by path.
    #[serde(rename = "file")]
    pub files: Vec<FileEntry>,
}

/// One file of a results folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path within the folder, with `/`.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
    /// Whether another run gives the same bytes.
    pub deterministic: bool,
}

impl FileEntry {
    /// The entry of a file with these bytes.
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            sha256: Digest::of(bytes),
            bytes: bytes.len() as u64,
            deterministic: !path.starts_with(TIMING),
        }
    }
}

/// A manifest can't be read or is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadManifest {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// Its own checksum is missing.
    #[error("has no [seal] at its end")]
    Unsealed,
    /// Its own checksum does not match.
    #[error("was changed after sealing: its own SHA-256 is {found}, sealed as {sealed}")]
    Changed {
        /// Digest of its bytes.
        found: Digest,
        /// Digest that it names.
        sealed: String,
    },
    /// It is not a manifest of this version.
    #[error("is not a manifest that this version of reprise reads: {0}")]
    Malformed(String),
    /// Its digest over the deterministic files is not theirs.
    #[error("names the digest {named}, but its files give {computed}")]
    Digest {
        /// As written.
        named: Digest,
        /// As computed from its entries.
        computed: Digest,
    },
}

impl Manifest {
    /// The digest over the deterministic entries.
    pub fn digest_of(files: &[FileEntry]) -> Digest {
        files
            .iter()
            .filter(|file| file.deterministic)
            .fold(FieldHasher::new("results"), |hasher, file| {
                hasher.field(&file.path).field(file.sha256.0)
            })
            .finish()
    }

    /// The text, which ends in the SHA-256 of all that stands before.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "# Sealed by reprise {}. `reprise audit` compares every file with this list.\n",
            self.reprise
        );
        text += &toml::to_string(self).unwrap_or_else(|error| format!("# {error}\n"));
        let digest = Digest::of(text.as_bytes());
        format!("{text}{SEAL}sha256 = \"{digest}\"\n")
    }

    /// Parses the text and checks it against its own checksum.
    ///
    /// # Errors
    /// If the text is not exactly as [`Self::to_text`] wrote it.
    pub fn from_text(text: &str) -> Result<Self, BadManifest> {
        let (body, seal) = text.rsplit_once(SEAL).ok_or(BadManifest::Unsealed)?;
        let found = Digest::of(body.as_bytes());
        if seal != format!("sha256 = \"{found}\"\n") {
            let sealed = seal.trim().trim_start_matches("sha256 = ").trim_matches('"').to_owned();
            return Err(BadManifest::Changed { found, sealed });
        }
        let manifest: Self =
            toml::from_str(body).map_err(|error| BadManifest::Malformed(error.to_string()))?;
        if manifest.schema != 1 {
            return Err(BadManifest::Malformed(format!("schema {}", manifest.schema)));
        }
        let computed = Self::digest_of(&manifest.files);
        if computed != manifest.digest {
            return Err(BadManifest::Digest { named: manifest.digest, computed });
        }
        Ok(manifest)
    }

    /// Reads the manifest of a folder; none if it has none.
    ///
    /// # Errors
    /// If it has one that can't be read, or that is not as it was written.
    pub fn read(folder: &Path) -> Result<Option<Self>, BadManifest> {
        match std::fs::read_to_string(folder.join(MANIFEST)) {
            Ok(text) => Self::from_text(&text).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BadManifest::Unreadable(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let files = vec![
            FileEntry::of("tables/t.csv", b"a,b\n"),
            FileEntry::of("timing/timings.csv", b"key\n"),
        ];
        Manifest {
            schema: 1,
            experiment: "evm/table5".into(),
            profile: String::new(),
            reprise: "0.1.0".into(),
            complete: true,
            choices: false,
            spec: Digest::of(b"spec"),
            digest: Manifest::digest_of(&files),
            datasets: BTreeMap::from([("nltcs".into(), Digest::of(b"nltcs"))]),
            methods: BTreeMap::from([("mevm".into(), 1)]),
            files,
        }
    }

    #[test]
    fn a_manifest_reads_back() {
        assert_eq!(Manifest::from_text(&manifest().to_text()), Ok(manifest()));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let text = manifest().to_text();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(Manifest::from_text(&changed).is_err(), "byte {at}");
        }
        assert_eq!(Manifest::from_text("schema = 1\n"), Err(BadManifest::Unsealed));
    }

    #[test]
    fn the_digest_is_that_of_the_files() {
        let other = Manifest { digest: Digest::of(b"other"), ..manifest() };
        let error = Manifest::from_text(&other.to_text()).unwrap_err().to_string();
        let (named, computed) = (Digest::of(b"other"), manifest().digest);
        assert_eq!(error, format!("names the digest {named}, but its files give {computed}"));
    }

    #[test]
    fn timing_files_do_not_enter_the_digest() {
        let mut other = manifest();
        other.files[1] = FileEntry::of("timing/timings.csv", b"other\n");
        assert_eq!(Manifest::digest_of(&other.files), manifest().digest);
        other.files[0] = FileEntry::of("tables/t.csv", b"other\n");
        assert_ne!(Manifest::digest_of(&other.files), manifest().digest);
    }
}
