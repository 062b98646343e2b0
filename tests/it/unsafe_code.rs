//! `unsafe` stands in few files, each of which is reviewed by name, with an argument beside each block.

use std::path::{Path, PathBuf};

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_stands_where_the_review_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let review = std::fs::read_to_string(root.join("docs/developing/dependencies.md")).unwrap();
    let mut files = Vec::new();
    rust_files(&root.join("src"), &mut files);
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("mod tests {").next().unwrap();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let lines = || code.lines().filter(is_code);
        if lines().any(|line| line.contains("unsafe {") || line.contains("unsafe fn")) {
            let name = file.strip_prefix(root).unwrap().display().to_string();
            assert!(code.contains("// SAFETY: "), "{name} does not say why it is sound");
            found.push(name);
        }
    }
    let listed = review.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut listed: Vec<String> = listed.map(str::to_owned).collect();
    found.sort();
    listed.sort();
    assert_eq!(found, listed, "docs/developing/dependencies.md lists the files with `unsafe`");
}
