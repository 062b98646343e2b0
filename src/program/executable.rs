//! The file that a command executes, and what it stands on.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use base::bounded::listed;

use crate::error::Error;
use crate::program::Program;

/// Where a system keeps programs.
pub(crate) const SYSTEM_PATH: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/// What a folder holds that is the installation of an interpreter or of a package manager, and nothing else: `~/.local`
/// and `~/.cargo` have a `bin` too.
const MARKS: [&str; 9] = [
    "pyvenv.cfg",
    "conda-meta",
    "lib*/python3*/os.py",
    "libexec/pyenv",
    "lib*/R/library/base",
    "lib/julia",
    "lib/modules",
    "lib/rustlib",
    "Cellar",
];

/// Finds the executable of a command: a word with `/` is a path from the experiment's folder; any other is looked for in
/// the environment and then as a shell does.
///
/// # Errors
/// If there is none, or if it lies in the experiment's folder and is not code of the program.
pub(crate) fn find(
    word: &str,
    program: &Program,
    environment: Option<&Path>,
) -> Result<PathBuf, Error> {
    let wrong = |reason: String| Error::Command {
        method: program.id.clone(),
        word: word.to_owned(),
        reason,
    };
    if word.is_empty() {
        return Err(wrong("it names no program".to_owned()));
    }
    if !word.contains('/') {
        let shell = std::env::var_os("PATH").unwrap_or_default();
        let folders = environment.map(|folder| folder.join("bin")).into_iter();
        let mut folders = folders.chain(std::env::split_paths(&shell));
        let found = folders.find_map(|folder| {
            let path = std::path::absolute(folder.join(word)).ok()?;
            is_executable(&path).then_some(path)
        });
        return found
            .ok_or_else(|| wrong("it is neither in its environment nor on PATH".to_owned()));
    }
    let path: PathBuf = program.folder.join(word).components().collect();
    if !path.exists() {
        return Err(wrong("there is no such file".to_owned()));
    }
    if !is_executable(&path) {
        return Err(wrong("it is no file that may be executed (chmod +x)".to_owned()));
    }
    let plain: PathBuf =
        Path::new(word).components().filter(|part| *part != Component::CurDir).collect();
    let own = path.starts_with(&program.folder) && Path::new(word).is_relative();
    if own && !program.code.iter().any(|file| Path::new(&file.path) == plain) {
        return Err(wrong(
            "it lies in the experiment's folder, and `code` does not name it".to_owned(),
        ));
    }
    Ok(path)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|kind| kind.is_file() && kind.permissions().mode() & 0o111 != 0)
}

/// What an executable stands on: its real file with the folder in which it is installed; the same of the interpreter
/// that its first line names; and of what the links in the environment's `bin` lead to. A folder that holds one of
/// `closed` is left out.
pub(crate) fn foundations(
    executable: &Path,
    environment: Option<&Path>,
    closed: &[&Path],
) -> Vec<PathBuf> {
    let mut files = vec![executable.to_owned()];
    files.extend(interpreter(executable));
    let links = environment.and_then(|folder| listed(&folder.join("bin")).ok());
    files.extend(links.into_iter().flatten().filter(|path| path.is_symlink()));
    let mut found = Vec::new();
    for file in files {
        let Ok(real) = file.canonicalize() else { continue };
        // Both where a link stands and where it leads to: an environment is a folder of links.
        found.extend([&real, &file].into_iter().filter_map(|file| installation(file, closed)));
        found.push(real);
        found.push(file);
    }
    found.sort();
    found.dedup();
    found
}

/// The folder around the `bin` in which a file lies, if it is an installation.
fn installation(file: &Path, closed: &[&Path]) -> Option<PathBuf> {
    let bin = file.parent()?;
    let is_bin = bin.file_name().is_some_and(|name| name == "bin" || name == "shims");
    let folder = bin.parent().filter(|_| is_bin)?;
    let above = glob::Pattern::escape(&folder.to_string_lossy());
    let has =
        |mark: &str| glob::glob(&format!("{above}/{mark}")).is_ok_and(|mut at| at.next().is_some());
    let is_open = !closed.iter().any(|closed| closed.starts_with(folder));
    (is_open && MARKS.iter().any(|mark| has(mark))).then(|| folder.to_owned())
}

/// The program that the first line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    std::fs::File::open(script).ok()?.take(256).read_to_end(&mut bytes).ok()?;
    let line = bytes.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let word = std::str::from_utf8(line).ok()?.split_whitespace().next()?;
    Some(PathBuf::from(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installations_are_found_and_homes_stay_closed() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("ada");
        for mark in [
            "ada/.pyenv/libexec/pyenv",
            "ada/.local/lib/python3.11/site-packages/numpy",
            "ada/.cargo/credentials.toml",
            "conda/conda-meta",
            "conda/lib/python3.11/os.py",
            "python/lib/python3.11/os.py",
            "ada/conda-meta",
            "tools/lib",
        ] {
            std::fs::create_dir_all(root.path().join(mark)).unwrap();
        }
        let closed = [&*home, &home.join("work/experiment")];
        let of = |path: &str| installation(&root.path().join(path), &closed);
        let at = |path: &str| Some(root.path().join(path));
        assert_eq!(of("conda/bin/python3.11"), at("conda"));
        assert_eq!(of("python/bin/python3"), at("python"));
        assert_eq!(of("ada/.pyenv/shims/python3"), at("ada/.pyenv"));
        for none in ["ada/.local/bin/python3", "ada/.cargo/bin/tool", "tools/bin/tool"] {
            assert_eq!(of(none), None);
        }
        assert_eq!(of("ada/bin/tool"), None);
        assert_eq!(of("ada/work/tool"), None);
    }

    #[test]
    fn scripts_stand_on_their_interpreters() {
        let root = tempfile::tempdir().unwrap();
        let script = root.path().join("script");
        std::fs::write(&script, "#! /usr/bin/env -S sh\necho\n").unwrap();
        assert_eq!(interpreter(&script), Some("/usr/bin/env".into()));
        std::fs::write(&script, "echo\n").unwrap();
        assert_eq!(interpreter(&script), None);
        let found = foundations(&script, None, &[]);
        assert!(found.contains(&script.canonicalize().unwrap()), "{found:?}");
    }
}
