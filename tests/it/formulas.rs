//! `docs/papers/formulas.md` leads from an item of a paper to the code that computes it.

use std::path::Path;

/// The texts in backquotes of a cell.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Whether a source text defines something of this name.
fn defines(source: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    ["fn", "struct", "enum", "trait", "const", "static", "pub"].iter().any(|kind| {
        let definition = format!("{kind} {name}");
        let mut rest = source.match_indices(&definition);
        rest.any(|(at, _)| ends(&source[at + definition.len()..]))
    })
}

#[test]
fn every_file_exists_and_defines_what_the_page_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/papers/formulas.md")).unwrap();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.contains("| `src/")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [item, _, file, names] = cells[..] else { panic!("not four cells: {line}") };
        let [file] = quoted(file)[..] else { panic!("not one file: {line}") };
        let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        assert!(!source.is_empty(), "{item}: there is no {file}");
        assert!(!quoted(names).is_empty(), "{item}: no name in {file}");
        for name in quoted(names) {
            assert!(defines(&source, name), "{item}: {file} defines no `{name}`");
        }
        rows += 1;
    }
    assert!(rows >= 60, "only {rows} rows are read");
}
