//! What a program may read beside its code.

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, io};

/// The most paths that may be readable: each is a mount of its own.
const MOST: usize = 16;

/// Where no files of a user lie.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The files and folders that paths from a folder name. What does not exist is passed over when the program starts.
///
/// # Errors
/// If they are more than 16; if one is the whole system, holds the user's home or is the kernel's own; if a socket, a pipe
/// or a device lies below one.
pub fn readable(folder: &Path, paths: &[String]) -> Result<Vec<PathBuf>, Error> {
    let wrong = |path: &str, reason: String| Error::Readable { path: path.to_owned(), reason };
    if let Some(further) = paths.get(MOST) {
        return Err(wrong(
            further,
            format!("it comes after {MOST} others; name a folder around them"),
        ));
    }
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let home = home.and_then(|home| home.canonicalize().ok());
    let mut found = Vec::new();
    for path in paths {
        let at = folder.join(path);
        if let Ok(real) = at.canonicalize() {
            if real == Path::new("/") || home.as_ref().is_some_and(|home| home.starts_with(&real)) {
                let reason = "it holds all files of a user; name the folder that the program needs";
                return Err(wrong(path, reason.to_owned()));
            }
            if KERNEL.iter().any(|kernel| real.starts_with(kernel)) {
                let reason = "the kernel makes it up at each look; name a device in `devices`";
                return Err(wrong(path, reason.to_owned()));
            }
            if let Some((special, kind)) = special(&real)? {
                return Err(wrong(path, format!("{} is a {kind}", special.display())));
            }
        }
        found.push(at);
    }
    Ok(found)
}

/// A socket, a pipe or a device at a path or below it, and which of them; no link is followed.
fn special(path: &Path) -> Result<Option<(PathBuf, &'static str)>, Error> {
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let kind = path.symlink_metadata().map_err(io("look at", &path))?.file_type();
        let name = match kind {
            kind if kind.is_socket() => "socket",
            kind if kind.is_fifo() => "pipe",
            kind if kind.is_char_device() || kind.is_block_device() => "device",
            kind if kind.is_dir() => {
                // One that is closed to reprise is closed to the program.
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                open.extend(entries.map(|entry| entry.path()));
                continue;
            }
            _ => continue,
        };
        return Ok(Some((path, name)));
    }
    Ok(None)
}

/// Folders on which something is mounted below these: what lies there does not show.
pub fn mounts_below(readable: &[PathBuf]) -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped);
    let below = |place: &PathBuf| {
        let inside = |folder: &PathBuf| {
            folder.canonicalize().is_ok_and(|real| *place != real && place.starts_with(real))
        };
        readable.iter().any(inside)
    };
    places.filter(below).collect()
}

/// A path as the kernel lists it: blanks and backslashes are three octal digits.
fn unescaped(text: &str) -> PathBuf {
    let of = |(escaped, plain): (&str, &str), text: String| text.replace(escaped, plain);
    let pairs = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    pairs.into_iter().fold(text.to_owned(), |text, pair| of(pair, text)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(folder: &Path, paths: &[&str]) -> String {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        readable(folder, &paths).unwrap_err().to_string()
    }

    #[test]
    fn sockets_and_pipes_are_found_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("weights/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "").unwrap();
        std::os::unix::fs::symlink("/dev/null", deep.join("link")).unwrap();
        let paths = ["weights".to_owned(), "absent".to_owned()];
        assert_eq!(readable(folder.path(), &paths).unwrap().len(), 2);
        let _socket = std::os::unix::net::UnixListener::bind(deep.join("service")).unwrap();
        assert!(refused(folder.path(), &["weights"]).contains("deep/service is a socket"));
        for kernel in ["/dev/null", "/proc", "/proc/self/fd", "/sys/kernel"] {
            assert!(refused(folder.path(), &[kernel]).contains("makes it up at each look"));
        }
    }

    #[test]
    fn all_of_a_system_and_very_many_folders_are_refused() {
        let folder = Path::new("/usr/share");
        let all = "it holds all files of a user";
        assert!(refused(folder, &["/"]).contains(all));
        assert!(refused(folder, &["../.."]).contains(all));
        if let Some(home) = std::env::home_dir().filter(|home| home.exists()) {
            assert!(refused(folder, &[home.to_str().unwrap()]).contains(all));
        }
        assert!(refused(folder, &["doc"; 17]).contains("it comes after 16 others"));
    }

    #[test]
    fn mounts_below_are_named() {
        assert!(mounts_below(&["/".into()]).contains(&"/proc".into()));
        assert!(!mounts_below(&["/proc".into()]).contains(&"/proc".into()));
        assert_eq!(unescaped("/a\\040b\\134c"), PathBuf::from("/a b\\c"));
    }
}
