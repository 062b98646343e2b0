//! What an environment holds, a line a file: its mode, the SHA-256 of its bytes or where it leads, and its path.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base::digest::Digest;
use base::{bounded, own};

use super::READY;
use crate::error::{Error, io};

/// The most bytes of a list.
const MOST: u64 = 1 << 28;
/// How many files that are not as they were built are named.
const NAMED: usize = 10;

/// The lines of all that lies in a folder, but for the list itself. While it is built, the right to write is taken from
/// everybody else.
pub fn listed(folder: &Path, built: bool) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let looked = |path: &Path| path.symlink_metadata().map_err(io("look at", path));
        let kind = looked(&path)?.file_type();
        if built && !kind.is_symlink() {
            own::close(&path).map_err(io("close", &path))?;
        }
        let content = match kind {
            kind if kind.is_dir() => {
                open.extend(bounded::listed(&path).map_err(io("list", &path))?);
                "folder".to_owned()
            }
            kind if kind.is_symlink() => {
                format!("{:?}", std::fs::read_link(&path).map_err(io("read", &path))?)
            }
            _ => {
                let file = bounded::open_regular(&path).map_err(io("read", &path))?;
                Digest::of_stream(file).map_err(io("read", &path))?.0.to_string()
            }
        };
        let name = path.strip_prefix(folder).unwrap_or(&path);
        if name != Path::new(READY) {
            lines.push(format!("{:o} {content} {name:?}", looked(&path)?.permissions().mode()));
        }
    }
    lines.sort();
    Ok(lines)
}

/// What differs from the list that was made when it was built.
pub fn changed(folder: &Path) -> Result<Vec<String>, Error> {
    let path = folder.join(READY);
    let bytes = own::read_bounded(&path, MOST).map_err(io("read", &path))?;
    let text = String::from_utf8_lossy(&bytes);
    let (before, now) = (text.lines().map(str::to_owned), listed(folder, false)?);
    let (before, now) = (BTreeSet::from_iter(before), BTreeSet::from_iter(now));
    let name = |line: &String| line.splitn(3, ' ').last().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = before.symmetric_difference(&now).map(name).collect();
    let says = |name| format!("{name} is not as it was built");
    Ok(names.into_iter().take(NAMED).map(says).collect())
}
