//! What runs leave that nothing needs: named with its size, then removed. Sealed files are never touched, and no link
//! is followed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use base::bounded::there;
use base::digest::Digest;
use base::{own, scratch, words};
use run::store;

use super::standing::{self, State};

words! {
    /// What can be dropped.
    #[derive(PartialOrd, Ord)]
    pub enum Kind {
        Journals = "journals", "journals of experiments whose trials are all sealed";
        Derived = "derived", "artefacts that are made again when they are needed";
        Tables = "tables", "tables that are read again from their files";
        Downloads = "downloads", "pieces of downloads that did not end, and their locks";
        Environments = "environments", "environments of programs that were not built to the end";
        Scratch = "scratch", "what programs were handed by runs that were killed";
    }
}

/// Something that nothing needs.
#[derive(Debug)]
pub struct Waste {
    /// What it is.
    pub kind: Kind,
    /// A file, or a folder with all that it holds.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Keeps others away until it is removed, or left.
    _lock: Option<File>,
}

/// What nothing needs below a folder of results, in a cache, and in the folder of temporary files. What a process is at
/// work on is left out.
///
/// # Errors
/// If the results are there and can't be read.
pub fn waste(results: &Path, cache: &Path) -> io::Result<Vec<Waste>> {
    let mut found = Vec::new();
    if results.symlink_metadata().is_ok() {
        journals(results, &mut found)?;
    }
    let is_file = |path: &Path| path.is_file();
    unused(&cache.join("derived"), (Kind::Derived, &["", "lock"]), is_file, &mut found);
    unused(&cache.join("tables"), (Kind::Tables, &[""]), is_file, &mut found);
    unused(&cache.join("data"), (Kind::Downloads, &["partial", "lock"]), is_file, &mut found);
    let unfinished = |path: &Path| {
        own::folder(path).is_ok() && path.join(program::READY).symlink_metadata().is_err()
    };
    unused(&cache.join("environments"), (Kind::Environments, &[""]), unfinished, &mut found);
    for path in scratch::left_behind() {
        found.push(Waste { kind: Kind::Scratch, bytes: size(&path), path, _lock: None });
    }
    found.sort_by(|one, other| (one.kind, &one.path).cmp(&(other.kind, &other.path)));
    Ok(found)
}

impl Waste {
    /// Removes it.
    ///
    /// # Errors
    /// If it can't be removed.
    pub fn remove(&self) -> io::Result<()> {
        let removed = match own::folder(&self.path) {
            Ok(()) => std::fs::remove_dir_all(&self.path),
            Err(_) => std::fs::remove_file(&self.path),
        };
        there(removed).map(drop)
    }
}

/// Those of what is sealed completely. Any other may be all that there is of a trial.
fn journals(results: &Path, found: &mut Vec<Waste>) -> io::Result<()> {
    for standing in standing::below(results)? {
        if standing.state != State::Sealed {
            continue;
        }
        let Some((files, lock)) = store::journals(&standing.dir) else { continue };
        for (path, bytes) in files {
            let _lock = lock.try_clone().ok();
            found.push(Waste { kind: Kind::Journals, path, bytes, _lock });
        }
    }
    Ok(())
}

/// The plain files and real folders in a folder of our own, by name.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    if own::folder(folder).is_err() {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| !kind.is_symlink());
    let named =
        |entry: std::fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path()));
    entries.filter(plain).filter_map(named).collect()
}

/// Whether a process holds the lock of a file in a cache. Where there is no such lock, none does.
fn is_held(lock: &Path) -> bool {
    let file = own::open(lock, File::options().read(true));
    file.is_ok_and(|file| file.try_lock().is_err())
}

/// The digest that a file of a cache is called by, and the ending behind it.
fn keyed(name: &str) -> Option<(&str, &str)> {
    let (key, ending) = name.split_once('.').unwrap_or((name, ""));
    key.parse::<Digest>().is_ok().then_some((key, ending))
}

/// What lies in a folder under a digest and one of these endings, may go, and is at work with nobody.
fn unused(
    folder: &Path,
    (kind, endings): (Kind, &[&str]),
    may_go: impl Fn(&Path) -> bool,
    found: &mut Vec<Waste>,
) {
    for (name, path) in entries(folder) {
        let Some((key, _)) = keyed(&name).filter(|(_, ending)| endings.contains(ending)) else {
            continue;
        };
        if may_go(&path) && !is_held(&folder.join(format!("{key}.lock"))) {
            found.push(Waste { kind, bytes: size(&path), path, _lock: None });
        }
    }
}

/// The bytes of a file, or of the files of a folder; links count as nothing and lead nowhere.
fn size(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => found.len(),
        Ok(found) if found.is_dir() => entries(path).iter().map(|(_, path)| size(path)).sum(),
        _ => 0,
    }
}
