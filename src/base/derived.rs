//! Derived artefacts: what several paths of a run share and take long to make, such as a learned structure.
//!
//! An artefact is a text in `<cache>/derived/<key>`, below a line with the SHA-256 of the text. The key
//! names everything that it depends on, so it never goes stale; a damaged file is removed and made again.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::bounded::{self, there};
use crate::digest::Digest;
use crate::parallel::Cores;
use crate::scratch::Scratch;
use crate::{durable, own, parallel};

/// The most bytes of an artefact that is read back: 1 GiB. A longer one is made again.
const LONGEST: u64 = 1 << 30;

/// The folder of derived artefacts; without one, artefacts are made whenever they are needed.
#[derive(Debug, Clone, Default)]
pub struct Derived {
    folder: Option<PathBuf>,
    /// What the folder goes with, if it is of this run alone.
    _own: Option<Arc<Scratch>>,
    /// What was made since, where what was kept before does not count.
    made: Option<Arc<Mutex<BTreeSet<Digest>>>>,
    /// What nobody needs once the path has ended.
    passing: Arc<Mutex<BTreeSet<Digest>>>,
}

impl Derived {
    /// The artefacts under a cache folder; apart where others may write it. Nothing is created before the first artefact.
    pub fn new(cache: &Path) -> Self {
        let folder = cache.join("derived");
        if !own::is_private(&folder, cache) {
            log::warn!("others may write {}: artefacts are made anew", folder.display());
            return Self::apart();
        }
        Self { folder: Some(folder), ..Self::default() }
    }

    /// Artefacts of this run alone: nothing that was kept before counts, and nothing is kept.
    pub fn apart() -> Self {
        match Scratch::new() {
            Ok(own) => Self {
                folder: Some(own.path().to_owned()),
                _own: Some(own.into()),
                ..Self::default()
            },
            Err(error) => {
                log::warn!("can't keep artefacts: {error}");
                Self::default()
            }
        }
    }

    /// The same, but what was kept before is made again when it is first needed.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { made: Some(Arc::default()), ..self }
    }

    /// The same artefacts for one path, which has its own of those that pass.
    #[must_use]
    pub fn for_path(&self) -> Self {
        Self { passing: Arc::default(), ..self.clone() }
    }

    /// Says that nobody needs the artefact of this key once the path has ended.
    pub fn passes(&self, key: Digest) {
        parallel::lock(&self.passing).insert(key);
    }

    /// The artefact of this key: from its file, or made and kept. While one thread or process makes it, the
    /// others wait and lend it their cores; `check` is called meanwhile. A folder that can't be used is no
    /// error.
    ///
    /// # Errors
    /// Those of `check` and `make`.
    pub fn get<E>(
        &self,
        key: Digest,
        cores: &Cores,
        check: impl Fn() -> Result<(), E>,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<String, E> {
        let Some(folder) = &self.folder else { return make() };
        let path = folder.join(key.to_string());
        if let Some(text) = self.kept(key, &path) {
            return Ok(text);
        }
        let Some(_lock) = lock(folder, key, cores, check)? else { return make() };
        // Another one may have made it meanwhile.
        if let Some(text) = self.kept(key, &path) {
            return Ok(text);
        }
        let text = make()?;
        let content = format!("{}\n{text}", Digest::of(text.as_bytes()));
        match durable::replace(&path, content.as_bytes()) {
            Ok(()) => {
                if let Some(made) = &self.made {
                    parallel::lock(made).insert(key);
                }
            }
            Err(error) => log::warn!("can't keep {}: {error}", path.display()),
        }
        Ok(text)
    }

    /// Removes what passes: the path has ended, and its outcomes are kept. Who needs something of it after all, such
    /// as a path with the same beginning, makes it again.
    pub fn forget_passing(&self) {
        let Some(folder) = &self.folder else { return };
        for key in std::mem::take(&mut *parallel::lock(&self.passing)) {
            for path in [folder.join(key.to_string()), lock_path(folder, key)] {
                if let Err(error) = there(std::fs::remove_file(&path)) {
                    log::warn!("can't remove {}: {error}", path.display());
                }
            }
        }
    }

    fn kept(&self, key: Digest, path: &Path) -> Option<String> {
        match &self.made {
            Some(made) if !parallel::lock(made).contains(&key) => None,
            _ if !own::is_private(path, path) => None,
            _ => sound(path, LONGEST, text),
        }
    }
}

/// What `parse` makes of the file of an artefact, if that is there and sound. A damaged one is removed.
pub fn sound<T>(path: &Path, most: u64, parse: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
    let read = there(bounded::read_regular(path, most)).unwrap_or_else(|error| {
        log::warn!("can't read {}: {error}", path.display());
        None
    });
    let found = parse(&read?);
    if found.is_none() {
        log::warn!("removed a damaged file: {}", path.display());
        // If it can't be removed, it is found damaged again.
        let _ = std::fs::remove_file(path);
    }
    found
}

/// The text of an artefact below its SHA-256.
fn text(content: &[u8]) -> Option<String> {
    let (digest, text) = std::str::from_utf8(content).ok()?.split_once('\n')?;
    (digest == Digest::of(text.as_bytes()).to_string()).then(|| text.to_owned())
}

fn lock_path(folder: &Path, key: Digest) -> PathBuf {
    folder.join(format!("{key}.lock"))
}

/// The right to make an artefact; none if the folder can't be written.
fn lock<E>(
    folder: &Path,
    key: Digest,
    cores: &Cores,
    check: impl Fn() -> Result<(), E>,
) -> Result<Option<File>, E> {
    let path = lock_path(folder, key);
    let file = match own::create_folders(folder).and_then(|()| own::lock_file(&path)) {
        Ok(file) => file,
        Err(error) => {
            log::warn!("can't write {}: {error}", path.display());
            return Ok(None);
        }
    };
    let mut lent = None;
    loop {
        check()?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {
                lent.get_or_insert_with(|| cores.lend());
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::Error(error)) => {
                log::warn!("can't lock {}: {error}", path.display());
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(derived: &Derived, text: &str) -> String {
        let cores = Cores::default();
        derived
            .get(Digest::of(b"key"), &cores, || Ok::<(), ()>(()), || Ok(text.to_owned()))
            .unwrap()
    }

    #[test]
    fn an_artefact_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        assert_eq!(get(&derived, "first\nline\n"), "first\nline\n");
        assert_eq!(get(&derived, "second"), "first\nline\n");
        assert_eq!(get(&Derived::default(), "second"), "second");
    }

    #[test]
    fn anew_nothing_of_before_counts() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        get(&derived, "before");
        let anew = derived.clone().anew();
        assert_eq!(get(&anew, "now"), "now");
        assert_eq!(get(&anew.clone(), "later"), "now");
        assert_eq!(get(&derived, "later"), "now");
    }

    #[test]
    fn what_others_may_write_is_not_read_and_what_is_made_apart_is_not_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        get(&Derived::new(folder.path()), "kept");
        let kept = folder.path().join("derived");
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o777)).unwrap();
        let apart = Derived::new(folder.path());
        assert_eq!(get(&apart, "made"), "made");
        assert_eq!(get(&apart.for_path(), "again"), "made");
        own::close(&kept).unwrap();
        assert_eq!(get(&Derived::new(folder.path()), "again"), "kept");
        let artefact = kept.join(Digest::of(b"key").to_string());
        std::fs::set_permissions(&artefact, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(get(&Derived::new(folder.path()), "anew"), "anew");
        assert_eq!(get(&Derived::apart(), "again"), "again");
        // Nor is a link followed to what a lock would empty.
        let (victim, lock) = (folder.path().join("victim"), lock_path(&kept, Digest::of(b"key")));
        std::fs::write(&victim, "mine").unwrap();
        std::fs::remove_file(kept.join(Digest::of(b"key").to_string())).unwrap();
        std::fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink(&victim, &lock).unwrap();
        assert_eq!(get(&Derived::new(folder.path()), "unkept"), "unkept");
        assert_eq!(std::fs::read(&victim).unwrap(), b"mine");
    }

    #[test]
    fn a_damaged_artefact_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        let path = folder.path().join("derived").join(Digest::of(b"key").to_string());
        for damage in [&b"torn"[..], b"", b"\xff\n", b"0000\ntext"] {
            get(&derived, "sound");
            std::fs::write(&path, damage).unwrap();
            assert_eq!(get(&derived, "again"), "again");
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_passes_goes_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        let (path, other) = (derived.for_path(), derived.for_path());
        get(&path, "made");
        path.passes(Digest::of(b"key"));
        other.forget_passing();
        assert_eq!(get(&derived, "again"), "made");
        path.forget_passing();
        assert_eq!(std::fs::read_dir(folder.path().join("derived")).unwrap().count(), 0);
        assert_eq!(get(&derived, "again"), "again");
    }

    #[test]
    fn a_failure_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        let failed =
            derived.get(Digest::of(b"key"), &Cores::default(), || Ok(()), || Err("failed"));
        assert_eq!(failed, Err("failed"));
        assert_eq!(get(&derived, "made"), "made");
    }

    #[test]
    fn waiting_ends_with_the_check() {
        let folder = tempfile::tempdir().unwrap();
        let derived = Derived::new(folder.path());
        let (key, cores) = (Digest::of(b"key"), Cores::default());
        let outer = derived.get(
            key,
            &cores,
            || Ok(()),
            || derived.get(key, &cores, || Err("stopped"), || Ok("never".to_owned())),
        );
        assert_eq!(outer, Err("stopped"));
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(get(&Derived::new(file.path()), "made"), "made");
    }
}
