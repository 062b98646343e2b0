//! How much of the disk a program took.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// The most files and folders that a program may make.
const MOST_FILES: usize = 100_000;

/// Whether the files in these folders take more than `most` bytes of the disk, or are more than 100,000. No link is
/// followed.
pub(crate) fn exceeds(folders: &[PathBuf], most: u64) -> bool {
    let (mut bytes, mut files) = (0, 0);
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        // What can't be read is gone, or closed for reprise; then nothing else can come in.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.metadata() else { continue };
            files += 1;
            bytes += kind.blocks() * 512;
            if bytes > most || files > MOST_FILES {
                return true;
            }
            if kind.is_dir() {
                open.push(entry.path());
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_count_and_holes_do_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::File::create(folder.join("hole")).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink("/usr", folder.join("link")).unwrap();
        let folders = [root.path().to_owned(), root.path().join("absent")];
        assert!(!exceeds(&folders, 1 << 20));
        std::fs::write(folder.join("full"), vec![1; 1 << 20]).unwrap();
        assert!(exceeds(&folders, 1 << 20) && !exceeds(&folders, 1 << 22));
    }
}
