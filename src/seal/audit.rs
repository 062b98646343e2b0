//! Comparing results with their manifests, byte by byte.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base::side_by_side;
use std::io;

use base::bounded::{self, MOST_WRITTEN};
use base::digest::Digest;
use base::layout::{self, FOLDERS, JOURNAL, MANIFEST, SPEC};
use base::own;
use base::printable::printable_name;

use super::manifest::{BadManifest, FileEntry, Manifest};

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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The manifest can't be trusted.
    #[error("{MANIFEST} {0}")]
    Manifest(BadManifest),
    /// There is no manifest.
    #[error("not sealed: there is no {MANIFEST}")]
    NotSealed,
    /// A listed file is not there.
    #[error("{0}: missing")]
    Missing(String),
    /// A file is there that is not listed.
    #[error("{}: not listed in {MANIFEST}", printable_name(.0))]
    Unlisted(String),
    /// A file or folder can't be read.
    #[error("{}: can't be read: {}", printable_name(.0), .1)]
    Unreadable(String, String),
    /// A file has other bytes.
    #[error("{path}: changed after sealing: SHA-256 {found}, sealed as {sealed}")]
    Changed {
        /// Its path.
        path: String,
        /// Digest as sealed.
        sealed: Digest,
        /// Digest as found.
        found: Digest,
    },
    /// A file has another size.
    #[error("{path}: changed after sealing: {found} bytes, sealed as {sealed}")]
    Size {
        /// Its path.
        path: String,
        /// Bytes as sealed.
        sealed: u64,
        /// Bytes as found.
        found: u64,
    },
    /// The manifest is that of another experiment than the sealed experiment file.
    #[error("{MANIFEST} is of experiment {sealed}, but spec.toml {found}")]
    Experiment {
        /// The id that the manifest names, with the profile.
        sealed: String,
        /// What the experiment file says.
        found: String,
    },
    /// The folder is not where results of its experiment lie.
    #[error("the folder is {folder}, but its results are of experiment {id}")]
    Misplaced {
        /// The end of the folder's path.
        folder: String,
        /// The experiment's id.
        id: String,
    },
}

/// Audits every results folder at or below `root`, in the order of their paths. A file outside
/// any sealed folder is a difference of a folder of its own; so is a folder below `root` that does not lie
/// where the results of its experiment do.
///
/// # Errors
/// If `root` can't be listed.
pub fn audit(root: &Path) -> io::Result<Vec<Folder>> {
    let mut folders = Vec::new();
    visit(root, root, &mut folders)?;
    Ok(side_by_side(folders, |mut folder| {
        folder.compare_files();
        folder.differences.extend(misplaced(root, &folder));
        folder
    }))
}

/// Results lie below a folder by their experiment's id. What `root` itself is called is its owner's affair.
fn misplaced(root: &Path, folder: &Folder) -> Option<Difference> {
    let id = &folder.manifest.as_ref()?.experiment;
    let below = folder.path.strip_prefix(root).ok()?;
    let names = below.components().rev().map(|name| name.as_os_str().to_string_lossy());
    let parts = id.rsplit('/');
    let same = names.zip(parts).all(|(name, part)| name == part);
    (!same)
        .then(|| Difference::Misplaced { folder: below.display().to_string(), id: id.to_owned() })
}

fn visit(root: &Path, path: &Path, folders: &mut Vec<Folder>) -> io::Result<()> {
    if path.join(MANIFEST).symlink_metadata().is_ok() {
        let (folder, nested) = listed(path);
        folders.push(folder);
        return nested.iter().try_for_each(|path| visit(root, path, folders));
    }
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    // The scorecard is made of the results around it: who audits makes it again.
    let is_page = |entry: &std::fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !is_folder && layout::of_scorecard(&entry.file_name())
    };
    entries.retain(|entry| path != root || !is_page(entry));
    let (below, here): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    if !here.is_empty() || below.iter().any(|entry| entry.file_name() == JOURNAL) {
        let unlisted = here.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let differences = std::iter::once(Difference::NotSealed)
            .chain(unlisted.map(Difference::Unlisted))
            .collect();
        folders.push(Folder { path: path.to_owned(), manifest: None, differences });
    }
    for entry in below.iter().filter(|entry| entry.file_name() != JOURNAL) {
        let path = entry.path();
        if let Err(error) = visit(root, &path, folders) {
            let differences = vec![Difference::Unreadable(".".to_owned(), error.to_string())];
            folders.push(Folder { path, manifest: None, differences });
        }
    }
    Ok(())
}

/// Compares one results folder with its manifest.
pub fn check(folder: &Path) -> Folder {
    let mut folder = listed(folder).0;
    folder.compare_files();
    folder
}

impl Folder {
    /// Compares the bytes of the listed files with the manifest. What differs comes before all that is known.
    fn compare_files(&mut self) {
        let files = self.manifest.iter().flat_map(|manifest| &manifest.files);
        let files: Vec<&FileEntry> = files.collect();
        let found = side_by_side(files, |file| compare(&self.path, file));
        let mut differences: Vec<Difference> = found.into_iter().flatten().collect();
        differences.append(&mut self.differences);
        self.differences = differences;
    }
}

/// A results folder as its manifest and the names in it show it, and the results folders that lie within: their ids
/// go on where this one's ends.
fn listed(folder: &Path) -> (Folder, Vec<PathBuf>) {
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
        differences.extend(other_experiment(folder, manifest));
        let listed: BTreeSet<&str> =
            manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]).collect();
        unlisted(folder, folder, &listed, &mut differences, &mut nested);
    }
    (Folder { path: folder.to_owned(), manifest, differences }, nested)
}

fn compare(folder: &Path, file: &FileEntry) -> Option<Difference> {
    let path = file.path.clone();
    match own::digest(&folder.join(&path), file.bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Difference::Missing(path)),
        Err(error) => Some(Difference::Unreadable(path, error.to_string())),
        Ok((found, None)) => Some(Difference::Size { path, sealed: file.bytes, found }),
        Ok((_, Some(found))) if found != file.sha256 => {
            Some(Difference::Changed { path, sealed: file.sha256, found })
        }
        Ok(_) => None,
    }
}

/// Whether the sealed experiment file names another experiment than the manifest, or none that can be read.
fn other_experiment(folder: &Path, manifest: &Manifest) -> Option<Difference> {
    let bytes = own::read_bounded(&folder.join(SPEC), MOST_WRITTEN).unwrap_or_default();
    let table = String::from_utf8(bytes).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let id = table.as_ref().and_then(|table| table.get("experiment")?.get("id")?.as_str());
    let found = match id {
        None => "names none".to_owned(),
        Some(id) => {
            let id = match manifest.profile.as_str() {
                "" => id.to_owned(),
                profile => format!("{id}@{profile}"),
            };
            if id == manifest.experiment {
                return None;
            }
            format!("of {id}")
        }
    };
    Some(Difference::Experiment { sealed: manifest.experiment.clone(), found })
}

fn unlisted(
    root: &Path,
    folder: &Path,
    listed: &BTreeSet<&str>,
    differences: &mut Vec<Difference>,
    nested: &mut Vec<PathBuf>,
) {
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let paths = match bounded::listed(folder) {
        Ok(paths) => paths,
        Err(error) => {
            return differences.push(Difference::Unreadable(name(folder), error.to_string()));
        }
    };
    for path in paths {
        let is_folder = path.symlink_metadata().is_ok_and(|kind| kind.is_dir());
        let there = |name: &str| path.join(name).symlink_metadata().is_ok();
        // In folders of our own there are no results of others.
        let ours = FOLDERS.iter().any(|own| path.starts_with(root.join(own)));
        if is_folder && !ours && (there(MANIFEST) || there(JOURNAL)) {
            nested.push(path);
        } else if is_folder && name(&path) != JOURNAL {
            unlisted(root, &path, listed, differences, nested);
        } else if !is_folder {
            // A name that is no text is not listed, whatever it looks like.
            let known = path.strip_prefix(root).ok().and_then(Path::to_str);
            if !known.is_some_and(|name| listed.contains(name)) {
                differences.push(Difference::Unlisted(name(&path)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::manifest::{LAYOUT, SCHEMA};
    use super::super::write::{self, Held};
    use super::*;
    use base::durable;
    use base::own::NotOwn;

    fn sealed() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        seal_into(root.path(), "x/t");
        root
    }

    fn seal_into(root: &Path, id: &str) {
        let outputs = BTreeMap::from([
            ("spec.toml".to_owned(), format!("[experiment]\nid = {id:?}\n").into_bytes()),
            ("tables/t.csv".to_owned(), b"row\n".to_vec()),
            ("timing/timings.csv".to_owned(), b"key\n".to_vec()),
        ]);
        let header = Manifest {
            schema: SCHEMA,
            layout: LAYOUT,
            experiment: id.into(),
            profile: String::new(),
            reprise: "0".into(),
            commit: None,
            complete: true,
            choices: false,
            spec: Digest::of(b"s"),
            digest: Digest::of(b""),
            universes_digest: None,
            native_digest: None,
            datasets: BTreeMap::new(),
            methods: BTreeMap::new(),
            files: Vec::new(),
        };
        seal(&root.join(id), &outputs, header);
    }

    fn seal(folder: &Path, outputs: &BTreeMap<String, Vec<u8>>, header: Manifest) {
        durable::create_folders(folder).unwrap();
        let handle = std::fs::File::open(folder).unwrap();
        let held = Held::new(folder, &handle);
        write::outputs(&held, outputs).unwrap();
        write::seal(&held, &header.with_files(outputs)).unwrap();
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
        for nested in ["more", "u"] {
            let id = format!("x/t/{nested}/u");
            seal_into(root.path(), &id);
            let nested = root.path().join(id);
            // Sealing the outer one again leaves the inner one alone.
            seal_into(root.path(), "x/t");
            assert_eq!(differences(root.path()), Vec::<String>::new());
            std::fs::write(nested.join("tables/t.csv"), "raw\n").unwrap();
            let found = differences(root.path());
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("tables/t.csv: changed after sealing"), "{found:?}");
            std::fs::remove_dir_all(nested).unwrap();
        }
    }

    #[test]
    fn every_tampering_is_listed() {
        let root = sealed();
        let t = root.path().join("x/t");
        std::fs::write(t.join("tables/t.csv"), "raw\n").unwrap();
        std::fs::write(t.join("tables/extra.csv"), "").unwrap();
        // Whatever a folder of ours looks like, it holds no results of others.
        std::fs::write(t.join("tables/manifest.toml"), "x").unwrap();
        std::fs::remove_file(t.join("spec.toml")).unwrap();
        std::fs::write(root.path().join("stray.txt"), "").unwrap();
        // Nor does a name make a line of an audit.
        std::fs::write(t.join("tables/w\n  ok"), "").unwrap();
        std::fs::remove_file(t.join("timing/timings.csv")).unwrap();
        std::os::unix::fs::symlink("../tables/t.csv", t.join("timing/timings.csv")).unwrap();
        let found = differences(root.path());
        assert_eq!(found.len(), 9, "{found:#?}");
        assert_eq!(found[0], "not sealed: there is no manifest.toml");
        assert_eq!(found[1], "stray.txt: not listed in manifest.toml");
        assert_eq!(found[2], "spec.toml: missing");
        assert!(found[3].starts_with("tables/t.csv: changed after sealing: SHA-256 "));
        assert_eq!(found[4], format!("timing/timings.csv: can't be read: {}", NotOwn::Link));
        assert_eq!(found[5], "manifest.toml is of experiment x/t, but spec.toml names none");
        assert_eq!(found[6], "tables/extra.csv: not listed in manifest.toml");
        assert_eq!(found[7], "tables/manifest.toml: not listed in manifest.toml");
        assert_eq!(found[8], "tables/w\\u{a}  ok: not listed in manifest.toml");
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
        let outputs = BTreeMap::from([
            ("spec.toml".to_owned(), std::fs::read(t.join("spec.toml")).unwrap()),
            ("tables/u.csv".to_owned(), b"row\n".to_vec()),
        ]);
        seal(&t, &outputs, manifest);
        assert!(!t.join("tables/t.csv").exists());
        assert!(t.join("notes.txt").exists());
        assert!(other.path().join("mine").exists() && !t.join("tables/old").is_symlink());
        assert_eq!(differences(root.path()), ["notes.txt: not listed in manifest.toml"]);
    }

    #[test]
    fn results_lie_where_their_experiment_says() {
        let root = sealed();
        let t = root.path().join("x/t");
        for (folder, seen_from) in [("x/u", ""), ("y/t", ""), ("x/u", "x")] {
            let elsewhere = root.path().join(folder);
            std::fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
            std::fs::rename(&t, &elsewhere).unwrap();
            let found = differences(&root.path().join(seen_from));
            let seen = elsewhere.strip_prefix(root.path().join(seen_from)).unwrap().display();
            let says = format!("the folder is {seen}, but its results are of experiment x/t");
            assert_eq!(found, [says]);
            // A folder that is named for itself may be called anything.
            assert_eq!(differences(&elsewhere), Vec::<String>::new());
            std::fs::rename(&elsewhere, &t).unwrap();
        }
        assert_eq!(differences(&root.path().join("x")), Vec::<String>::new());
    }

    #[test]
    fn the_manifest_is_that_of_the_experiment_file() {
        let root = sealed();
        let t = root.path().join("x/t");
        for (text, says) in [
            ("[experiment]\nid = \"x/other\"\n", "but spec.toml of x/other"),
            ("[experiment]\n", "but spec.toml names none"),
            ("no toml", "but spec.toml names none"),
        ] {
            std::fs::write(t.join("spec.toml"), text).unwrap();
            let found = differences(root.path());
            let says = format!("manifest.toml is of experiment x/t, {says}");
            assert!(found.contains(&says), "{found:?}");
        }
    }

    #[test]
    fn only_plain_files_of_the_sealed_size_are_read() {
        let root = sealed();
        let t = root.path().join("x/t");
        let fifo = |path: &Path| {
            let _ = std::fs::remove_file(path);
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        fifo(&t.join("tables/t.csv"));
        let found = differences(root.path());
        assert_eq!(found, ["tables/t.csv: can't be read: it is not a plain file"]);
        std::fs::remove_file(t.join("tables/t.csv")).unwrap();
        let sparse = std::fs::File::create(t.join("tables/t.csv")).unwrap();
        sparse.set_len(1 << 42).unwrap();
        let found = differences(root.path());
        let says = "tables/t.csv: changed after sealing: 4398046511104 bytes, sealed as 4";
        assert_eq!(found, [says]);
        let manifest = t.join("manifest.toml");
        std::fs::File::create(&manifest).unwrap().set_len(1 << 42).unwrap();
        let found = differences(root.path());
        assert!(found[0].starts_with("manifest.toml can't be read: it has more than"), "{found:?}");
        fifo(&manifest);
        let found = differences(root.path());
        assert_eq!(found[0], "manifest.toml can't be read: it is not a plain file");
        std::fs::remove_file(&manifest).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &manifest).unwrap();
        let found = differences(root.path());
        assert_eq!(found[0], format!("manifest.toml can't be read: {}", NotOwn::Link));
    }
}
