//! Comparing results with their manifests, byte by byte.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::math::digest::Digest;

use super::manifest::{BadManifest, MANIFEST, Manifest};

/// Folders whose content is outside the seal.
const UNSEALED: &str = ".journal";

/// One results folder with what is wrong with it.
#[derive(Debug)]
pub struct Folder {
    /// Where it lies.
    pub path: PathBuf,
    /// Its manifest, if it can be read.
    pub manifest: Option<Manifest>,
    /// Every difference.
    pub differences: Vec<Difference>,
}

/// Something that is not as it was sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The manifest can't be trusted.
    Manifest(BadManifest),
    /// There is no manifest.
    NotSealed,
    /// A listed file is not there.
    Missing(String),
    /// A file is there that is not listed.
    Unlisted(String),
    /// A file or folder can't be read.
    Unreadable(String, String),
    /// A file has other bytes.
    Changed {
        /// Its path.
        path: String,
        /// Digest as sealed.
        sealed: Digest,
        /// Digest as found.
        found: Digest,
    },
    /// A re-executed trial gave another record, or a check beyond the bytes failed.
    Other(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(error) => write!(f, "{MANIFEST} {error}"),
            Self::NotSealed => write!(f, "not sealed: there is no {MANIFEST}"),
            Self::Missing(path) => write!(f, "{path}: missing"),
            Self::Unlisted(path) => write!(f, "{path}: not listed in {MANIFEST}"),
            Self::Unreadable(path, cause) => write!(f, "{path}: can't be read: {cause}"),
            Self::Changed { path, sealed, found } => {
                write!(f, "{path}: changed after sealing: SHA-256 {found}, sealed as {sealed}")
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// Audits every results folder at or below `root`, in the order of their paths. A file outside
/// any sealed folder is a difference of a folder of its own.
///
/// # Errors
/// If `root` can't be listed.
pub fn audit(root: &Path) -> io::Result<Vec<Folder>> {
    let mut folders = Vec::new();
    visit(root, &mut folders)?;
    Ok(folders)
}

fn visit(path: &Path, folders: &mut Vec<Folder>) -> io::Result<()> {
    if path.join(MANIFEST).symlink_metadata().is_ok() {
        let (folder, nested) = checked(path);
        folders.push(folder);
        return nested.iter().try_for_each(|path| visit(path, folders));
    }
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let (below, here): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    if !here.is_empty() || below.iter().any(|entry| entry.file_name() == UNSEALED) {
        let unlisted = here.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let differences = std::iter::once(Difference::NotSealed)
            .chain(unlisted.map(Difference::Unlisted))
            .collect();
        folders.push(Folder { path: path.to_owned(), manifest: None, differences });
    }
    for entry in below.iter().filter(|entry| entry.file_name() != UNSEALED) {
        let path = entry.path();
        if let Err(error) = visit(&path, folders) {
            let differences = vec![Difference::Unreadable(".".to_owned(), error.to_string())];
            folders.push(Folder { path, manifest: None, differences });
        }
    }
    Ok(())
}

/// Compares one results folder with its manifest.
pub fn check(folder: &Path) -> Folder {
    checked(folder).0
}

/// The result of [`check`], and the results folders that lie within: their ids go on where this
/// one's ends.
fn checked(folder: &Path) -> (Folder, Vec<PathBuf>) {
    let mut differences = Vec::new();
    let mut nested = Vec::new();
    let manifest = match Manifest::read(folder) {
        Ok(Some(manifest)) => Some(manifest),
        Ok(None) => {
            differences.push(Difference::NotSealed);
            None
        }
        Err(error) => {
            differences.push(Difference::Manifest(error));
            None
        }
    };
    if let Some(manifest) = &manifest {
        for file in &manifest.files {
            differences.extend(compare(folder, &file.path, file.sha256));
        }
        let listed: BTreeSet<&str> =
            manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]).collect();
        unlisted(folder, folder, &listed, &mut differences, &mut nested);
    }
    (Folder { path: folder.to_owned(), manifest, differences }, nested)
}

fn compare(folder: &Path, name: &str, sealed: Digest) -> Option<Difference> {
    let path = folder.join(name);
    let unreadable = |error: io::Error| Difference::Unreadable(name.to_owned(), error.to_string());
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Some(Difference::Missing(name.to_owned()));
        }
        Err(error) => return Some(unreadable(error)),
        Ok(kind) if !kind.is_file() => {
            return Some(Difference::Unreadable(name.to_owned(), "not a plain file".to_owned()));
        }
        Ok(_) => {}
    }
    match std::fs::read(&path) {
        Err(error) => Some(unreadable(error)),
        Ok(bytes) => {
            let found = Digest::of(&bytes);
            let path = name.to_owned();
            (found != sealed).then_some(Difference::Changed { path, sealed, found })
        }
    }
}

fn unlisted(
    root: &Path,
    folder: &Path,
    listed: &BTreeSet<&str>,
    differences: &mut Vec<Difference>,
    nested: &mut Vec<PathBuf>,
) {
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let entries = std::fs::read_dir(folder).and_then(|entries| {
        let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    });
    let paths = match entries {
        Ok(paths) => paths,
        Err(error) => {
            return differences.push(Difference::Unreadable(name(folder), error.to_string()));
        }
    };
    for path in paths {
        let is_folder = path.symlink_metadata().is_ok_and(|kind| kind.is_dir());
        if is_folder && path.join(MANIFEST).symlink_metadata().is_ok() {
            nested.push(path);
        } else if is_folder && name(&path) != UNSEALED {
            unlisted(root, &path, listed, differences, nested);
        } else if !is_folder && !listed.contains(name(&path).as_str()) {
            differences.push(Difference::Unlisted(name(&path)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::write::seal;
    use super::*;

    fn sealed() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        seal_into(&root.path().join("x/t"));
        root
    }

    fn seal_into(folder: &Path) {
        let outputs = BTreeMap::from([
            ("spec.toml".to_owned(), b"schema = 1\n".to_vec()),
            ("tables/t.csv".to_owned(), b"row\n".to_vec()),
            ("timing/timings.csv".to_owned(), b"key\n".to_vec()),
        ]);
        let header = Manifest {
            schema: 1,
            experiment: "t".into(),
            profile: String::new(),
            reprise: "0".into(),
            complete: true,
            choices: false,
            spec: Digest::of(b"s"),
            digest: Digest::of(b""),
            datasets: BTreeMap::new(),
            methods: BTreeMap::new(),
            files: Vec::new(),
        };
        seal(folder, &outputs, header).unwrap();
    }

    fn differences(root: &Path) -> Vec<String> {
        let folders = audit(root).unwrap();
        folders.iter().flat_map(|f| f.differences.iter().map(ToString::to_string)).collect()
    }

    #[test]
    fn an_untouched_tree_has_no_difference() {
        let root = sealed();
        assert_eq!(differences(root.path()), Vec::<String>::new());
        assert_eq!(audit(root.path()).unwrap().len(), 1);
        std::fs::create_dir(root.path().join("x/t/.journal")).unwrap();
        std::fs::write(root.path().join("x/t/.journal/lock"), "").unwrap();
        assert_eq!(differences(root.path()), Vec::<String>::new());
    }

    #[test]
    fn results_within_results_are_audited_for_themselves() {
        let root = sealed();
        for nested in ["more", "tables"] {
            let nested = root.path().join("x/t").join(nested).join("u");
            seal_into(&nested);
            // Sealing the outer one again leaves the inner one alone.
            seal_into(&root.path().join("x/t"));
            assert_eq!(differences(root.path()), Vec::<String>::new());
            std::fs::write(nested.join("spec.toml"), "schema = 2\n").unwrap();
            let found = differences(root.path());
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("spec.toml: changed after sealing"), "{found:?}");
            std::fs::remove_dir_all(nested).unwrap();
        }
    }

    #[test]
    fn every_tampering_is_listed() {
        let root = sealed();
        let t = root.path().join("x/t");
        std::fs::write(t.join("tables/t.csv"), "raw\n").unwrap();
        std::fs::write(t.join("tables/extra.csv"), "").unwrap();
        std::fs::remove_file(t.join("spec.toml")).unwrap();
        std::fs::write(root.path().join("stray.txt"), "").unwrap();
        std::fs::remove_file(t.join("timing/timings.csv")).unwrap();
        std::os::unix::fs::symlink("../tables/t.csv", t.join("timing/timings.csv")).unwrap();
        let found = differences(root.path());
        assert_eq!(found.len(), 6, "{found:#?}");
        assert_eq!(found[0], "not sealed: there is no manifest.toml");
        assert_eq!(found[1], "stray.txt: not listed in manifest.toml");
        assert_eq!(found[2], "spec.toml: missing");
        assert!(found[3].starts_with("tables/t.csv: changed after sealing: SHA-256 "));
        assert_eq!(found[4], "timing/timings.csv: can't be read: not a plain file");
        assert_eq!(found[5], "tables/extra.csv: not listed in manifest.toml");
    }

    #[test]
    fn sealing_again_removes_what_is_no_longer_an_output() {
        let root = sealed();
        let t = root.path().join("x/t");
        let manifest = Manifest::read(&t).unwrap().unwrap();
        std::fs::write(t.join("notes.txt"), "mine").unwrap();
        // What a kill left behind, and what an earlier version of the experiment wrote.
        std::fs::write(t.join(".reprise-x1Y2z3"), "torn").unwrap();
        std::fs::write(t.join("tables/.reprise-x1Y2z3"), "torn").unwrap();
        std::fs::write(t.join("tests.csv"), "id\n").unwrap();
        // Another folder, not of these results, behind a link.
        let other = tempfile::tempdir().unwrap();
        std::fs::write(other.path().join("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(other.path(), t.join("tables/old")).unwrap();
        let outputs = BTreeMap::from([("tables/u.csv".to_owned(), b"row\n".to_vec())]);
        seal(&t, &outputs, manifest).unwrap();
        assert!(!t.join("tables/t.csv").exists());
        assert!(t.join("notes.txt").exists());
        assert!(other.path().join("mine").exists() && !t.join("tables/old").is_symlink());
        assert_eq!(differences(root.path()), ["notes.txt: not listed in manifest.toml"]);
    }
}
