//! The files that a program is made of.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::{Component, Path};

use base::digest::Digest;
use base::own;

use crate::error::Error;
use crate::estimator;

/// The most bytes that one file of code may have: 64 MiB. Weights are `readable`, not code.
const LONGEST: u64 = 64 << 20;

/// A file of a program's code, or its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// Where it lies, relative to the experiment's folder, with `/` between names.
    pub path: String,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Their number.
    pub bytes: u64,
}

impl CodeFile {
    /// Reads a file; `path` is relative to `folder`.
    ///
    /// # Errors
    /// If it is not a plain file inside the folder that is reached through no link, or has more than 64 MiB.
    pub fn read(folder: &Path, path: &str) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Code { path: path.to_owned(), reason };
        inside(folder, path).map_err(wrong)?;
        let file = own::open(&folder.join(path), OpenOptions::new().read(true));
        let file = file.map_err(|error| wrong(error.to_string()))?;
        let too_long = || wrong(format!("it has more than {LONGEST} bytes"));
        match Digest::of_stream(std::io::Read::take(file, LONGEST + 1)) {
            Ok((_, bytes)) if bytes > LONGEST => Err(too_long()),
            Ok((digest, bytes)) => Ok(Self { path: path.to_owned(), digest, bytes }),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// A file that reprise brings along; none of another path.
    pub fn brought(path: &str) -> Option<Self> {
        let text = estimator::brought(path)?.as_bytes();
        Some(Self { path: path.to_owned(), digest: Digest::of(text), bytes: text.len() as u64 })
    }

    /// Its bytes, from the folder or as reprise brings them along; none if they are others now.
    pub fn contents(&self, folder: &Path) -> Option<Vec<u8>> {
        let own = own::read_bounded(&folder.join(&self.path), self.bytes).ok();
        let brought = estimator::brought(&self.path).map(|text| text.as_bytes().to_vec());
        own.into_iter().chain(brought).find(|bytes| Digest::of(bytes) == self.digest)
    }
}

/// Why a relative path does not lie inside a folder, or passes through a link.
fn inside(folder: &Path, path: &str) -> Result<(), String> {
    let mut place = folder.to_owned();
    for part in Path::new(path).components() {
        let Component::Normal(name) = part else {
            return Err("it is not a path below the experiment's folder".to_owned());
        };
        place.push(name);
        match place.symlink_metadata() {
            Ok(kind) if kind.is_symlink() => {
                return Err(own::NotOwn::Link.to_string());
            }
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// The most files of code: a pattern may take in more than its writer knows of.
const MOST_FILES: usize = 10_000;

/// The files that patterns such as `forest/*.py` or `src/**/*.R` match, sorted by path. Folders that a pattern matches
/// are passed over.
///
/// # Errors
/// If a pattern is malformed, leaves the folder, or matches no file or too many; if a file is none of [`CodeFile::read`].
pub fn code(folder: &Path, patterns: &[String]) -> Result<Vec<CodeFile>, Error> {
    let mut files = BTreeMap::new();
    for pattern in patterns {
        let wrong =
            |reason: &str| Error::Pattern { pattern: pattern.clone(), reason: reason.to_owned() };
        let below =
            Path::new(pattern).components().all(|part| matches!(part, Component::Normal(_)));
        if !below {
            return Err(wrong("it does not lie below the experiment's folder"));
        }
        let above = glob::Pattern::escape(&folder.to_string_lossy());
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let found = glob::glob_with(&format!("{above}/{pattern}"), options)
            .map_err(|error| wrong(error.msg))?;
        let before = files.len();
        let mut seen = false;
        for path in found {
            let path = path.map_err(|error| wrong(&error.to_string()))?;
            if path.is_dir() && !path.is_symlink() {
                continue;
            }
            seen = true;
            let relative = path.strip_prefix(folder).ok().and_then(Path::to_str);
            let relative = relative.ok_or_else(|| wrong("a name that it matches is not UTF-8"))?;
            if files.len() == MOST_FILES && !files.contains_key(relative) {
                return Err(wrong("it matches more files than the 10,000 that code may have"));
            }
            files.insert(relative.to_owned(), CodeFile::read(folder, relative)?);
        }
        if !seen && files.len() == before {
            return Err(wrong("no file matches it"));
        }
    }
    Ok(files.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in ["forest/method.py", "forest/trees/grow.py", "forest/.hidden.py", "notes.txt"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        folder
    }

    fn found(folder: &Path, patterns: &[&str]) -> Result<Vec<String>, String> {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        match code(folder, &patterns) {
            Ok(files) => Ok(files.into_iter().map(|file| file.path).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn patterns_find_plain_files_in_order_and_each_once() {
        let folder = folder();
        let of = |patterns: &[&str]| found(folder.path(), patterns).unwrap();
        assert_eq!(of(&["forest/*.py"]), ["forest/method.py"]);
        let all = ["forest/method.py", "forest/trees/grow.py"];
        assert_eq!(of(&["forest/**/*.py"]), all);
        assert_eq!(of(&["forest/trees/*", "forest/*", "forest/method.py"]), all);
        let file = CodeFile::read(folder.path(), "notes.txt").unwrap();
        assert_eq!((file.digest, file.bytes), (Digest::of(b"notes.txt"), 9));
    }

    #[test]
    fn a_pattern_that_takes_in_everything_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        (0..=10_000).for_each(|at| std::fs::write(folder.path().join(at.to_string()), "").unwrap());
        let refused = found(folder.path(), &["*"]).unwrap_err();
        assert!(refused.contains("more files than the 10,000"), "{refused}");
        assert_eq!(found(folder.path(), &["1*"]).unwrap().len(), 1112);
    }

    #[test]
    fn what_lies_outside_or_is_no_file_is_refused() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let refused = |pattern: &str| found(folder.path(), &[pattern]).unwrap_err();
        assert!(refused("forest/*.jl").contains("no file matches"), "{}", refused("forest/*.jl"));
        assert!(refused("../*").contains("below the experiment's folder"));
        assert!(refused("/etc/passwd").contains("below the experiment's folder"));
        assert!(refused("forest/***").contains("`forest/***`"));
        std::os::unix::fs::symlink("/etc/passwd", at("forest/link.py")).unwrap();
        assert!(refused("forest/*.py").contains("symbolic link"));
        std::os::unix::fs::symlink(at("forest"), at("other")).unwrap();
        assert!(refused("other/method.py").contains("symbolic link"));
        let pipe = std::process::Command::new("mkfifo").arg(at("forest/trees/pipe.R")).status();
        assert!(pipe.unwrap().success());
        assert!(refused("forest/**/*.R").contains("it is not a plain file"));
        std::fs::File::create(at("huge")).unwrap().set_len(LONGEST + 1).unwrap();
        assert!(refused("huge").contains("more than"));
    }
}
