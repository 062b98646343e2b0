//! What a results folder holds, and what somebody who knows the format makes of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reprise::base::layout::PAGE;
use reprise::seal::{Class, FileEntry, Manifest};

/// The manifest of a sealed folder.
pub fn manifest(dir: &Path) -> Manifest {
    Manifest::read(dir).unwrap().expect("the folder is sealed")
}

/// Whether a sealed folder has everything.
pub fn complete(dir: &Path) -> bool {
    manifest(dir).complete
}

/// The digest line of a sealed folder.
pub fn digest(dir: &Path) -> String {
    manifest(dir).digest.to_string()
}

/// Whether a file of a sealed folder reads a clock: those of `timing/`, and the page, which shows seconds.
fn reads_clock(path: &str) -> bool {
    Class::of(path) == Class::Timing || path == PAGE
}

/// Every file of a sealed folder that does not read a clock.
pub fn outputs(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = manifest(dir).files;
    let files = files.into_iter().filter(|file| !reads_clock(&file.path));
    files
        .map(|file| {
            let bytes = std::fs::read(dir.join(&file.path)).unwrap();
            (file.path, bytes)
        })
        .collect()
}

/// Every file of this name in the committed results.
pub fn committed(name: &str) -> Vec<PathBuf> {
    fn find(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                find(&path, name, found);
            } else if path.ends_with(name) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results"), name, &mut found);
    found
}

/// The rows of a file of comma-separated values, by column.
pub fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().into_deserialize().map(Result::unwrap).collect()
}

/// The one journal of a worker in a results folder.
pub fn segment(dir: &Path) -> PathBuf {
    let files = std::fs::read_dir(dir.join(".journal")).unwrap().map(|entry| entry.unwrap().path());
    let mut journals = files.filter(|path| path.extension().is_some_and(|end| end == "journal"));
    let journal = journals.next().expect("a worker wrote a journal");
    assert_eq!(journals.next(), None);
    journal
}

/// How often each path stands in the folder's journals as finished; a torn last line does not
/// count.
pub fn journaled_paths(dir: &Path) -> BTreeMap<String, usize> {
    let mut paths = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(dir.join(".journal")) else { return paths };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "journal") {
            for line in std::fs::read_to_string(path).unwrap().split_inclusive('\n') {
                if line.ends_with('\n') {
                    let value: serde_json::Value =
                        serde_json::from_str(line.split_once(' ').unwrap().1).unwrap();
                    *paths.entry(value["path"].as_str().unwrap().to_owned()).or_insert(0) += 1;
                }
            }
        }
    }
    paths
}

/// Copies a folder with all that it holds.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

/// Changes a file of a sealed folder and seals it again, as somebody who knows the format would.
pub fn forge(dir: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let path = dir.join(file);
    let text = change(std::fs::read_to_string(&path).unwrap());
    std::fs::write(&path, &text).unwrap();
    seal_again(dir, |_| ());
}

/// Seals a folder as it now is, with a changed manifest: every listed file with its present content.
pub fn seal_again(dir: &Path, change: impl FnOnce(&mut Manifest)) {
    let mut manifest = manifest(dir);
    change(&mut manifest);
    for entry in &mut manifest.files {
        *entry = FileEntry::of(&entry.path, &std::fs::read(dir.join(&entry.path)).unwrap());
    }
    std::fs::write(dir.join("manifest.toml"), manifest.with_digests().to_text().unwrap()).unwrap();
}
