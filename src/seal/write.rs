//! Writing outputs so that a crash leaves the old file or the new one, and the manifest last.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::manifest::{FileEntry, MANIFEST, Manifest};

/// Folders of a results folder in which every file is reprise's own.
const OWN_FOLDERS: [&str; 5] = ["tables", "figures", "examples", "published", "timing"];

/// Files of a results folder that are reprise's own, if they are not among the outputs.
const OWN_FILES: [&str; 7] = [
    "spec.toml",
    "trials.csv",
    "tests.csv",
    "claims.csv",
    "choices.csv",
    "pictures.csv",
    "report.md",
];

/// How the names of temporary files begin; a kill may leave one behind.
const TEMPORARY: &str = ".reprise-";

/// An output can't be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("failed to {action} {}: {cause}", path.display())]
#[diagnostic(help(
    "check that the folder is writable and has free space; the finished trials are in the \
     journal, and the same command goes on from there"
))]
pub struct WriteError {
    action: &'static str,
    path: PathBuf,
    cause: io::Error,
}

fn on(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |cause| WriteError { action, path, cause }
}

/// Breaks the seal of a folder: removes its manifest, if it has one.
///
/// # Errors
/// If it can't be removed.
pub fn unseal(folder: &Path) -> Result<(), WriteError> {
    let path = folder.join(MANIFEST);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(on("remove", &path)(error)),
        _ => sync_folder(folder),
    }
}

/// Writes the outputs of a run, removes those of an earlier run that it no longer has, and seals
/// the folder. `header` is the manifest without its files and digest.
///
/// # Errors
/// If a file can't be written.
pub fn seal(
    folder: &Path,
    outputs: &BTreeMap<String, Vec<u8>>,
    header: Manifest,
) -> Result<Manifest, WriteError> {
    for (path, bytes) in outputs {
        replace(&folder.join(path), bytes)?;
    }
    for name in OWN_FOLDERS {
        remove_others(folder, &folder.join(name), outputs)?;
    }
    for entry in std::fs::read_dir(folder).map_err(on("list", folder))? {
        let entry = entry.map_err(on("list", folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let own = OWN_FILES.contains(&name.as_str()) || name.starts_with(TEMPORARY);
        if own && !outputs.contains_key(&name) {
            std::fs::remove_file(entry.path()).map_err(on("remove", &entry.path()))?;
        }
    }
    let files: Vec<FileEntry> =
        outputs.iter().map(|(path, bytes)| FileEntry::of(path, bytes)).collect();
    let manifest = Manifest { digest: Manifest::digest_of(&files), files, ..header };
    replace(&folder.join(MANIFEST), manifest.to_text().as_bytes())?;
    Ok(manifest)
}

/// Writes a file through a temporary one beside it, synced before it takes the name.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(on("create", folder))?;
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(on("write", path))?;
    sync_folder(folder)
}

fn sync_folder(folder: &Path) -> Result<(), WriteError> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(on("sync", folder))
}

fn remove_others(
    root: &Path,
    folder: &Path,
    outputs: &BTreeMap<String, Vec<u8>>,
) -> Result<(), WriteError> {
    // The results of another experiment, whose id goes on where this one's ends.
    if folder.join(MANIFEST).exists() {
        return Ok(());
    }
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(on("list", folder))?,
    };
    for entry in entries {
        let path = entry.map_err(on("list", folder))?.path();
        // What a link points to is not the results' own.
        if path.is_dir() && !path.is_symlink() {
            remove_others(root, &path, outputs)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if !outputs.contains_key(&name) {
            std::fs::remove_file(&path).map_err(on("remove", &path))?;
        }
    }
    Ok(())
}
