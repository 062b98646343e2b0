//! The digest of the sources that a binary is built from; `build.rs` computes it too.

use std::path::Path;

use sha2::{Digest as _, Sha256};

/// What of a checkout is in a binary.
pub const ROOTS: [&str; 5] = ["src", "experiments", "Cargo.lock", "datasets.toml", "papers.toml"];

/// SHA-256 over the sources, the experiment files and the lock file of a checkout, in hexadecimal. What can't be read is
/// left out.
pub fn digest(checkout: &Path) -> String {
    let mut hasher = Sha256::new();
    for root in ROOTS {
        add(checkout, Path::new(root), &mut hasher);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn add(checkout: &Path, path: &Path, hasher: &mut Sha256) {
    if let Ok(entries) = std::fs::read_dir(checkout.join(path)) {
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names.iter().for_each(|name| add(checkout, &path.join(name), hasher));
    } else if let Ok(bytes) = std::fs::read(checkout.join(path)) {
        let name = path.to_string_lossy();
        for field in [name.as_bytes(), &bytes] {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_binary_was_built_from_this_checkout() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(digest(&checkout), env!("REPRISE_SOURCES"));
    }

    #[test]
    fn every_byte_and_every_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        let mut seen = vec![digest(folder.path())];
        for (file, text) in [("src/a.rs", "x"), ("src/a.rs", "y"), ("src/b.rs", "y")] {
            std::fs::write(folder.path().join(file), text).unwrap();
            let digest = digest(folder.path());
            assert!(!seen.contains(&digest));
            seen.push(digest);
        }
    }
}
