//! What an environment holds: the packages that were resolved, for the record of a run.

use std::path::{Path, PathBuf};

use base::bounded::{self, MOST_WRITTEN};

/// How deep below an environment packages lie: `lib/python3.12/site-packages/numpy-2.2.6.dist-info`.
const DEEPEST: usize = 4;

/// The packages in a folder as `name version`, sorted: those of Python (`*.dist-info`), those of R (`DESCRIPTION`), and
/// the interpreter of a virtual environment.
pub(crate) fn installed(environment: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let version = field(&environment.join("pyvenv.cfg"), "version", '=');
    found.extend(version.map(|version| format!("python {version}")));
    visit(environment, DEEPEST, &mut found);
    found.sort();
    found.dedup();
    found
}

fn visit(folder: &Path, deepest: usize, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let folders = entries.flatten().filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir()));
    let folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    for folder in folders {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let description = folder.join("DESCRIPTION");
        if let Some((name, version)) =
            name.strip_suffix(".dist-info").and_then(|n| n.rsplit_once('-'))
        {
            found.push(format!("{name} {version}"));
        } else if let Some(package) = field(&description, "Package", ':') {
            let version = field(&description, "Version", ':').unwrap_or_default();
            found.push(format!("{package} {version}"));
        } else if deepest > 1 {
            visit(&folder, deepest - 1, found);
        }
    }
}

/// The value of a field of a small file of lines; none if it has none.
fn field(file: &Path, name: &str, between: char) -> Option<String> {
    // Whoever made the packages made the file.
    let text = bounded::read_text(file, MOST_WRITTEN).ok()?;
    let value = |line: &str| {
        let (key, value) = line.split_once(between)?;
        (key.trim() == name).then(|| value.trim().to_owned())
    };
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_python_and_r_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
        write("lib/python3.12/site-packages/numpy-2.2.6.dist-info/METADATA", "");
        write("lib/python3.12/site-packages/numpy/a/b.dist-info/METADATA", "");
        write("library/rpart/DESCRIPTION", "Package: rpart\nVersion: 4.1.24\n");
        assert_eq!(installed(folder.path()), ["numpy 2.2.6", "python 3.12.3", "rpart 4.1.24"]);
        assert!(installed(Path::new("/nowhere")).is_empty());
    }

    #[test]
    fn what_a_package_puts_in_place_of_a_text_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pyvenv.cfg");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let package = folder.path().join("library/endless");
        std::fs::create_dir_all(&package).unwrap();
        std::os::unix::fs::symlink("/dev/zero", package.join("DESCRIPTION")).unwrap();
        assert!(installed(folder.path()).is_empty());
    }
}
