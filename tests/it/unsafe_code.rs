//! `unsafe` stands in few files, each of which is reviewed by name, with a reason above each block.

use std::collections::BTreeMap;
use std::path::Path;

use crate::links::files;

/// How a block begins.
const BLOCK: &str = concat!("unsafe", " {");

/// The lines at which blocks begin, counted from 1, and whether the comment above gives a reason.
fn blocks(text: &str) -> Vec<(usize, bool)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_comment = |line: &str| line.starts_with("//");
    let begins = |&at: &usize| !is_comment(lines[at]) && lines[at].contains(BLOCK);
    let block = |at: usize| {
        let mut above = lines[..at].iter().rev().take_while(|line| is_comment(line));
        (at + 1, above.any(|line| line.starts_with("// SAFETY: ")))
    };
    (0..lines.len()).filter(begins).map(block).collect()
}

#[test]
fn each_unsafe_block_has_a_reason_and_stands_where_the_review_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    let tops = ["src", "clients", "tests", "benches"];
    for file in tops.iter().flat_map(|top| files(&root.join(top), "rs")) {
        let name = file.strip_prefix(root).unwrap().display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let bare = blocks(&text).into_iter().filter(|(_, reason)| !reason);
        let bare: Vec<usize> = bare.map(|(line, _)| line).collect();
        assert!(bare.is_empty(), "{name}: lines {bare:?} have no `// SAFETY: ` above them");
        let product = blocks(text.split("mod tests {").next().unwrap()).len();
        if product > 0 && (name.starts_with("src/") || name.starts_with("clients/")) {
            found.insert(name, product);
        }
    }
    let review = std::fs::read_to_string(root.join("docs/developing/dependencies.md")).unwrap();
    let listed = review.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let file = cells.next()?.trim_end_matches('`').to_owned();
        Some((file, cells.next()?.parse::<usize>().ok()?))
    });
    let listed: BTreeMap<String, usize> = listed.collect();
    assert_eq!(found, listed, "docs/developing/dependencies.md counts the blocks of each file");
}

#[test]
fn a_block_without_a_reason_is_found() {
    let text = format!(
        "// SAFETY: nothing happens,\n// nor can it.\n{BLOCK}}}\nlet a = 1;\nlet b = {BLOCK}}};\n// {BLOCK}}}\n"
    );
    assert_eq!(blocks(&text), [(3, true), (5, false)]);
}
