//! Tables that took long to read, as they were parsed: each in `<cache>/tables/<key>`, its SHA-256 behind it.
//!
//! The key names all that reading depends on: the files by their digests, what the entry says of them, and the revision of
//! the readers. So a table never goes stale; a damaged one is removed, and the files are read again.

use std::fs::Permissions;
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::digest::{Digest, FieldHasher};
use base::{both, derived, own};

use crate::content::Parsed;
use crate::error::DataError;
use crate::limits;
use crate::registry::{Entry, FileEntry};

/// To be raised where a reader makes other examples of the same files.
const REVISION: u64 = 2;

/// What takes longer is not read twice.
const LONG: Duration = Duration::from_millis(500);

/// The examples of files, with the digest of their content.
type Table = (Parsed, Digest);

/// The tables of a cache.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    cache: PathBuf,
    long: Duration,
}

impl Tables {
    /// Those of a cache; none where others may write it. Nothing is created before the first table.
    pub fn new(cache: &Path) -> Option<Self> {
        let tables = Self { cache: cache.to_owned(), long: LONG };
        own::is_private(&tables.folder(), cache).then_some(tables)
    }

    fn folder(&self) -> PathBuf {
        self.cache.join("tables")
    }

    /// The examples of files: as they are kept, once `check` has found the files to be what their entry says, or `read`,
    /// and kept if that takes long.
    ///
    /// # Errors
    /// Those of `check` and `read`.
    pub fn examples(
        &self,
        key: Digest,
        check: impl FnOnce() -> Result<(), DataError> + Send,
        read: impl FnOnce() -> Result<Table, DataError>,
    ) -> Result<Table, DataError> {
        let path = self.folder().join(key.to_string());
        if path.is_file() && own::is_private(&path, &self.cache) {
            let (checked, kept) = both(check, || derived::sound(&path, limits::FILE, table));
            checked?;
            if let Some(table) = kept {
                return Ok(table);
            }
        }
        let begun = Instant::now();
        let table = read()?;
        if begun.elapsed() >= self.long
            && let Err(error) = self.keep(&path, &table)
        {
            log::warn!("can't keep {}: {error}", path.display());
        }
        Ok(table)
    }

    fn keep(&self, path: &Path, table: &Table) -> io::Result<()> {
        own::create_folders(&self.folder())?;
        let permissions = Permissions::from_mode(0o644);
        let mut file =
            tempfile::Builder::new().permissions(permissions).tempfile_in(self.folder())?;
        let buffer = BufWriter::with_capacity(1 << 16, &mut file);
        postcard::to_io(table, buffer).map_err(io::Error::other)?.flush()?;
        file.rewind()?;
        let (digest, _) = Digest::of_stream(&mut file)?;
        file.write_all(&digest.0)?;
        // Nobody waits for the disk: what a crash tears is found by its digest.
        file.persist(path)?;
        Ok(())
    }
}

/// What the examples of an entry's files depend on; nothing where a file has no checksum, or may be one of several.
pub(super) fn key(entry: &Entry, files: &[FileEntry]) -> Option<Digest> {
    let Entry { kind, preprocessing, threshold, classes, shape, .. } = entry;
    let entry = format!("{:?}", (kind, preprocessing, threshold, classes, shape));
    let mut hasher = FieldHasher::new("table").number(REVISION).field(entry);
    for FileEntry { role, format, sources, .. } in files {
        let mut contents = sources.iter().map(|source| {
            let integrity = source.place.integrity()?;
            Some((source.encoding, integrity.folder.as_deref(), integrity.digest))
        });
        let (encoding, folder, digest) = contents.next()??;
        if contents.any(|other| other != Some((encoding, folder, digest))) {
            return None;
        }
        let read = format!("{:?}", (role, format, encoding, folder));
        hasher = hasher.field(read).field(digest.0);
    }
    Some(hasher.finish())
}

/// The table before its SHA-256.
fn table(content: &[u8]) -> Option<Table> {
    let (table, digest) = content.split_at(content.len().saturating_sub(32));
    match both(|| Digest::of(table).0 == digest, || postcard::from_bytes(table)) {
        (true, Ok(table)) => Some(table),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dataset;
    use crate::add::{Wanted, add};
    use crate::library::{DataConfig, Library};
    use crate::registry::Place;

    /// A library of one table, which it keeps whatever reading costs.
    fn library(folder: &Path) -> Library {
        let registry = folder.join("datasets.toml");
        let cache = Some(folder.join("cache"));
        let config = DataConfig { cache, offline: true, ..DataConfig::default() };
        if !registry.exists() {
            let table = folder.join("table.csv");
            let wanted = Wanted::of(table.to_str().unwrap(), &registry);
            add(&wanted, &Library::open(&config, None).unwrap()).unwrap();
        }
        let config = DataConfig { registry: Some(registry), ..config };
        let mut library = Library::open(&config, None).unwrap();
        library.tables.as_mut().unwrap().long = Duration::ZERO;
        library
    }

    fn with(text: &str) -> (tempfile::TempDir, Library) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.csv"), text).unwrap();
        let library = library(folder.path());
        (folder, library)
    }

    fn kept(folder: &tempfile::TempDir) -> Vec<PathBuf> {
        let found = std::fs::read_dir(folder.path().join("cache/tables"));
        found.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }

    fn shown(dataset: &Dataset) -> String {
        format!("{dataset:?}")
    }

    const NUMBERS: &str = "x,y,class\n1.5,2,a\n-0.1,1e300,b\n3,4,a\n";

    #[test]
    fn what_is_kept_is_what_the_files_give() {
        for (text, variant) in [
            (NUMBERS, "Numeric"),
            ("x,y,class\n1,0,a\n0,0,b\n1,1,a\n", "Packed"),
            ("x,y,class\nred,big,a\nblue,small,b\nred,small,a\n", "Categorical"),
            ("x,y,class\n1.5,red,a\n,blue,b\n2.5,,a\n", "Table"),
            ("v,w,z\n1.5,2,0.5\n-0.1,7,1.5\n3,4,2.25\n", "Numbers"),
        ] {
            let (folder, library) = with(text);
            let [read, again] = [(); 2].map(|()| shown(&library.load("table").unwrap()));
            assert!(read.contains(variant), "{read}");
            assert_eq!((read, kept(&folder).len()), (again, 1));
        }
    }

    #[test]
    fn what_is_kept_is_used_where_the_files_are_as_they_were() {
        let (folder, library) = with(NUMBERS);
        let read = shown(&library.load("table").unwrap());
        // Another table under the same key shows who reads what is kept.
        let (others, other) = with(&NUMBERS.replace('x', "other"));
        other.load("table").unwrap();
        std::fs::copy(&kept(&others)[0], &kept(&folder)[0]).unwrap();
        assert!(shown(&library.load("table").unwrap()).contains("other"));
        assert_eq!(shown(&self::library(folder.path()).anew().load("table").unwrap()), read);
        std::fs::write(folder.path().join("table.csv"), NUMBERS.replace("-0.1", "-0.2")).unwrap();
        let error = library.load("table").unwrap_err().to_string();
        assert!(error.contains("table.csv"), "{error}");
    }

    /// Which of several sources is read depends on what is there.
    #[test]
    fn of_files_with_several_contents_nothing_is_kept() {
        let (folder, library) = with(NUMBERS);
        let mut entry = library.entry("table").unwrap().clone();
        let files = entry.files().to_vec();
        let of = |files: &[FileEntry]| key(&entry, files);
        assert!(of(&files).is_some());
        let mut copied = files.clone();
        let source = copied[0].sources[0].clone();
        copied[0].sources.push(source.clone());
        assert_eq!(of(&copied), of(&files));
        let (others, other) = with(&NUMBERS.replace('x', "other"));
        copied[0].sources[1] = other.entry("table").unwrap().files()[0].sources[0].clone();
        assert_eq!(of(&copied), None);
        copied[0].sources[1] = source;
        let Place::Local { integrity, .. } = &mut copied[0].sources[1].place else { panic!() };
        *integrity = None;
        assert_eq!(of(&copied), None);
        entry.kind = crate::vocabulary::Kind::Binary;
        assert_ne!(
            key(&entry, &files),
            library.entry("table").map(|own| key(own, &files)).unwrap()
        );
        drop((folder, others));
    }

    #[test]
    fn damaged_tables_and_those_that_others_may_write_are_not_read() {
        let (folder, library) = with(NUMBERS);
        let read = shown(&library.load("table").unwrap());
        let path = kept(&folder).remove(0);
        let sound = std::fs::read(&path).unwrap();
        let mut flipped = sound.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let foreign = [b"foreign", &Digest::of(b"foreign").0[..]].concat();
        for damaged in [&sound[..40], &sound[..7], b"", &flipped, &foreign] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(shown(&library.load("table").unwrap()), read);
            assert_eq!(std::fs::read(&path).unwrap(), sound, "kept anew");
        }
        std::fs::write(&path, &sound).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(shown(&library.load("table").unwrap()), read);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "kept anew");
        let tables = folder.path().join("cache/tables");
        std::fs::set_permissions(&tables, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Tables::new(&folder.path().join("cache")).is_none());
        // A folder that can't be used is no error.
        std::fs::remove_dir_all(&tables).unwrap();
        std::fs::write(&tables, "").unwrap();
        assert_eq!(shown(&library.load("table").unwrap()), read);
    }
}
