//! Writing outputs so that a crash leaves the old file or the new one, and the manifest last.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use base::bounded::there;
use base::durable::TEMPORARY;
use base::file_error::FileError;
use base::layout::{FOLDERS, JOURNAL, MANIFEST, OUTPUTS};
use base::{durable, own};

use super::manifest::{BadManifest, Manifest};

/// An output can't be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum WriteError {
    /// The system said no.
    #[error(transparent)]
    #[diagnostic(transparent)]
    File(#[from] FileError),
    /// Something stands in the place of a folder of the results.
    #[error("{} is a folder of results, but {cause}", path.display())]
    #[diagnostic(help(
        "nothing was written; remove it, or give this run a --results folder of its own"
    ))]
    NotOwn {
        /// The place.
        path: PathBuf,
        /// What stands there.
        cause: io::Error,
    },
    /// Results of another experiment lie where those of this one would, or the other way round.
    #[error("{} would lie among the files of the results in {}", inner.display(), outer.display())]
    #[diagnostic(help(
        "nothing was written; give one of the two experiments another id, or another --results folder"
    ))]
    Among {
        /// The results within.
        inner: PathBuf,
        /// The results around them.
        outer: PathBuf,
    },
    /// The folder holds files that reprise would overwrite, and that it did not write.
    #[error("{} is no results folder: it holds {found}, but neither a sound {MANIFEST} nor a journal", dir.display())]
    #[diagnostic(help(
        "nothing was written; move its files away, or name another --results folder"
    ))]
    Foreign {
        /// The folder.
        dir: PathBuf,
        /// A file of it.
        found: String,
    },
}

/// Makes sure that what stands in the place of a folder of our own, if anything does, is one.
fn own_folder(path: &Path) -> io::Result<()> {
    there(own::folder(path)).map(drop)
}

/// Makes sure that a run can write the results of an experiment of this id into a folder without touching what is
/// not its own: neither it nor a folder within is a link to another place, and where neither a manifest nor a
/// journal says that reprise was here, there is none of the files that it writes.
///
/// # Errors
/// What is in the way.
pub fn check_own(dir: &Path, id: &str) -> Result<(), WriteError> {
    // The folders that the id names; those above are the user's.
    let within = dir.ancestors().take(id.split('/').count());
    let own = FOLDERS.iter().map(|name| dir.join(name)).chain(within.map(Path::to_owned));
    for path in own {
        own_folder(&path).map_err(|cause| WriteError::NotOwn { path, cause })?;
    }
    if let Some(inner) = FOLDERS.iter().find_map(|name| results_within(&dir.join(name))) {
        return Err(WriteError::Among { inner, outer: dir.to_owned() });
    }
    let mut below = dir;
    for outer in dir.ancestors().skip(1).take(id.split('/').count() - 1) {
        let own = FOLDERS.iter().any(|name| below.ends_with(name));
        if own && (outer.join(MANIFEST).exists() || outer.join(JOURNAL).exists()) {
            return Err(WriteError::Among { inner: dir.to_owned(), outer: outer.to_owned() });
        }
        below = outer;
    }
    let journal = own::open(&dir.join(JOURNAL).join("lock"), OpenOptions::new().read(true)).is_ok();
    // Older results may be made anew in their place.
    if journal || matches!(Manifest::read(dir), Ok(Some(_)) | Err(BadManifest::Older)) {
        return Ok(());
    }
    let there = |name: &&str| dir.join(name).symlink_metadata().is_ok();
    match [MANIFEST].iter().chain(&OUTPUTS).chain(&FOLDERS).find(|name| there(name)) {
        Some(found) => Err(WriteError::Foreign { dir: dir.to_owned(), found: (*found).to_owned() }),
        None => Ok(()),
    }
}

/// A folder of results at or below a folder.
fn results_within(folder: &Path) -> Option<PathBuf> {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    if there(MANIFEST) || there(JOURNAL) {
        return Some(folder.to_owned());
    }
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.into_iter().find_map(|entry| results_within(&entry.path()))
}

/// Breaks the seal of a folder: removes its manifest, if it has one.
///
/// # Errors
/// If it can't be removed.
pub fn unseal(folder: &Path) -> Result<(), WriteError> {
    let path = folder.join(MANIFEST);
    there(std::fs::remove_file(&path)).map_err(FileError::on("remove", path))?;
    Ok(durable::sync_folder(folder).map_err(FileError::on("sync", folder))?)
}

/// A results folder that is held open: what is written goes into it, wherever it is moved meanwhile, and never into
/// what takes its place.
#[derive(Debug)]
pub struct Held<'a> {
    /// How errors name it.
    folder: &'a Path,
    /// A path that leads to it and to no other.
    place: PathBuf,
    /// Keeps it open.
    _handle: &'a File,
}

impl<'a> Held<'a> {
    /// The folder of this name, which was opened as `handle`.
    pub fn new(folder: &'a Path, handle: &'a File) -> Self {
        let place = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
        // Where `/proc` is not mounted, its name has to do.
        let place = if place.is_dir() { place } else { folder.to_owned() };
        Self { folder, place, _handle: handle }
    }

    /// What people call a path below the place.
    fn named(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.place)
            .map_or_else(|_| path.to_owned(), |path| self.folder.join(path))
    }

    fn on(&self, action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        FileError::on(action, self.named(path))
    }

    fn own_folder(&self, path: &Path) -> Result<(), WriteError> {
        own_folder(path).map_err(|cause| WriteError::NotOwn { path: self.named(path), cause })
    }

    /// Writes a file, and the folders that it lies in.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let path = self.place.join(name);
        let folder = path.parent().unwrap_or(&self.place);
        let mut above = self.place.clone();
        for name in folder.strip_prefix(&self.place).unwrap_or(Path::new("")) {
            above.push(name);
            self.own_folder(&above)?;
        }
        durable::create_folders(folder).map_err(self.on("create", folder))?;
        Ok(durable::replace(&path, bytes).map_err(self.on("write", &path))?)
    }

    fn remove_others(
        &self,
        folder: &Path,
        outputs: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), WriteError> {
        self.own_folder(folder)?;
        let entries = there(std::fs::read_dir(folder)).map_err(self.on("list", folder))?;
        let Some(entries) = entries else { return Ok(()) };
        for entry in entries {
            let path = entry.map_err(self.on("list", folder))?.path();
            // What a link points to is not the results' own.
            if path.is_dir() && !path.is_symlink() {
                self.remove_others(&path, outputs)?;
                continue;
            }
            let name = path.strip_prefix(&self.place).unwrap_or(&path).to_string_lossy();
            if !outputs.contains_key(&*name) {
                std::fs::remove_file(&path).map_err(self.on("remove", &path))?;
            }
        }
        Ok(())
    }
}

/// Seals a folder whose outputs are written.
///
/// # Errors
/// If the manifest can't be written.
pub fn seal(held: &Held<'_>, manifest: &Manifest) -> Result<(), WriteError> {
    let text = manifest.to_text().map_err(io::Error::other);
    held.replace(MANIFEST, text.map_err(held.on("write", &held.place.join(MANIFEST)))?.as_bytes())
}

/// Writes the outputs of a run, and removes those of an earlier run that it no longer has.
///
/// # Errors
/// If a file can't be written.
pub fn outputs(held: &Held<'_>, outputs: &BTreeMap<String, Vec<u8>>) -> Result<(), WriteError> {
    for (path, bytes) in outputs {
        held.replace(path, bytes)?;
    }
    for name in FOLDERS {
        held.remove_others(&held.place.join(name), outputs)?;
    }
    let place = &held.place;
    for entry in std::fs::read_dir(place).map_err(held.on("list", place))? {
        let entry = entry.map_err(held.on("list", place))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let own = OUTPUTS.contains(&name.as_str()) || name.starts_with(TEMPORARY);
        if own && !outputs.contains_key(&name) {
            let path = entry.path();
            std::fs::remove_file(&path).map_err(held.on("remove", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_the_place_of_a_held_folder_is_not_written() {
        let root = tempfile::tempdir().unwrap();
        let (folder, moved) = (root.path().join("r"), root.path().join("moved"));
        std::fs::create_dir(&folder).unwrap();
        let handle = File::open(&folder).unwrap();
        let held = Held::new(&folder, &handle);
        std::fs::rename(&folder, &moved).unwrap();
        let files = BTreeMap::from([("tables/t.csv".to_owned(), b"row\n".to_vec())]);
        outputs(&held, &files).unwrap();
        assert!(!folder.exists());
        assert_eq!(std::fs::read(moved.join("tables/t.csv")).unwrap(), b"row\n");
        // Nor is it made anew where it is gone, and errors name it as people do.
        std::fs::remove_dir_all(&moved).unwrap();
        let error = outputs(&held, &files).unwrap_err().to_string();
        assert!(error.contains(&folder.join("tables").display().to_string()), "{error}");
        assert!(!folder.exists() && !moved.exists());
    }
}
