//! An experiment file in a folder of its own, and the binary that runs it there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use reprise::base::digest::Digest;
use reprise::seal::{Class, FileEntry, Manifest};

/// A folder with an experiment file, a cache and results.
pub struct Bench {
    folder: Arc<tempfile::TempDir>,
    spec: PathBuf,
}

impl Bench {
    /// A new folder.
    pub fn new(spec: &str) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::in_folder(folder, spec)
    }

    /// Another experiment file that shares the folder.
    pub fn beside(other: &Self, spec: &str) -> Self {
        Self::in_folder(other.folder.clone(), spec)
    }

    fn in_folder(folder: Arc<tempfile::TempDir>, spec: &str) -> Self {
        let path = folder.path().join(format!("{}.toml", Digest::of(spec.as_bytes()).short()));
        std::fs::write(&path, spec).unwrap();
        Self { folder, spec: path }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The experiment file.
    pub fn spec(&self) -> &Path {
        &self.spec
    }

    /// The binary with nothing of the developer's environment, and no way to the network.
    pub fn reprise(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .current_dir(self.folder())
            .env_remove("REPRISE_MIRROR")
            .env("REPRISE_CACHE", self.folder().join("cache"))
            .env("NO_COLOR", "1");
        command
    }

    /// A subcommand on the experiment file, with results below `name`.
    pub fn subcommand(&self, subcommand: &str, name: &str, arguments: &[&str]) -> Command {
        let mut command = self.reprise();
        command.arg(subcommand).arg(&self.spec).arg("--results").arg(self.folder().join(name));
        command.args(arguments);
        command
    }

    /// `reprise run`, not yet started.
    pub fn command(&self, name: &str, arguments: &[&str]) -> Command {
        self.subcommand("run", name, arguments)
    }

    /// Runs to a good end, and gives the results folder.
    pub fn run(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let output = self.command(name, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.results(name)
    }

    /// The results folder below `name`.
    pub fn results(&self, name: &str) -> PathBuf {
        let text = std::fs::read_to_string(&self.spec).unwrap();
        let id = text.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
        self.folder().join(name).join(id.trim_matches('"'))
    }
}

/// What the user reads.
pub fn text(output: &Output) -> String {
    let bytes = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8(bytes).unwrap()
}

/// Asserts the exit code and that every phrase is in what the user reads. The terminal's line
/// breaks do not count.
pub fn assert_says(output: &Output, code: i32, phrases: &[&str]) {
    let text = text(output);
    let flat: String = text.replace(['│', '×', '╰', '─', '▶'], " ");
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(code), "{text}");
    for phrase in phrases {
        assert!(flat.contains(phrase), "{phrase:?} is not in:\n{text}");
    }
}

/// Every file of a sealed folder that does not read a clock.
pub fn outputs(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let manifest = Manifest::read(dir).unwrap().expect("the folder is sealed");
    let files = manifest.files.iter().filter(|file| Class::of(&file.path) != Class::Timing);
    files.map(|file| (file.path.clone(), std::fs::read(dir.join(&file.path)).unwrap())).collect()
}

/// The digest line of a sealed folder.
pub fn digest(dir: &Path) -> String {
    Manifest::read(dir).unwrap().expect("the folder is sealed").digest.to_string()
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

/// Changes a file of a sealed folder and seals it again, as somebody who knows the format would.
pub fn forge(dir: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let path = dir.join(file);
    let text = change(std::fs::read_to_string(&path).unwrap());
    std::fs::write(&path, &text).unwrap();
    seal_again(dir, |_| ());
}

/// Seals a folder as it now is, with a changed manifest: every listed file with its present content.
pub fn seal_again(dir: &Path, change: impl FnOnce(&mut Manifest)) {
    let mut manifest = Manifest::read(dir).unwrap().unwrap();
    change(&mut manifest);
    for entry in &mut manifest.files {
        *entry = FileEntry::of(&entry.path, &std::fs::read(dir.join(&entry.path)).unwrap());
    }
    manifest.digest = Manifest::digest_of(&manifest.files);
    std::fs::write(dir.join("manifest.toml"), manifest.to_text()).unwrap();
}
