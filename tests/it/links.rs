//! Every relative link of the documentation leads to a file, and to a heading where it names one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The pages: the README and all below `docs`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let (mut pages, mut folders) = (vec![root.join("README.md")], vec![root.join("docs")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The lines of a page that are no code, with their numbers from 1.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The targets of the links in a line: what stands in `](…)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The anchors of a page as GitHub makes them of headings.
fn anchors(page: &str) -> Vec<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = prose(page).filter_map(|(_, line)| {
        let text = line.trim_start_matches('#');
        (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
    });
    headings
        .map(|heading| {
            let kept = |one: &char| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_');
            let slug: String = heading.trim().to_lowercase().chars().filter(kept).collect();
            let slug = slug.replace(' ', "-");
            let count = seen.entry(slug.clone()).or_default();
            *count += 1;
            if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
        })
        .collect()
}

/// What is wrong with a link of a page.
fn broken(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
    let file = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    let missing = !file.exists();
    match anchor {
        _ if missing => Some("there is no such file".to_owned()),
        Some(anchor) => {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let known = anchors(&text).iter().any(|known| known == anchor);
            (!known).then(|| format!("no heading of {} has this anchor", file.display()))
        }
        None => None,
    }
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut links, mut faults) = (0, Vec::new());
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            for target in targets(line) {
                links += 1;
                faults.extend(broken(&page, target).map(|why| {
                    format!(
                        "{}:{number}: {target}: {why}",
                        page.strip_prefix(root).unwrap().display()
                    )
                }));
            }
        }
    }
    assert!(links > 50, "{links} links were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_broken_link_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let text = "# A `b = \"c\"` (d, e)\n\n## A twice\n\n## A twice\n\n```sh\n# no heading\n```\n";
    std::fs::write(&page, text).unwrap();
    for good in ["page.md", "#a-b--c-d-e", "page.md#a-twice", "#a-twice-1", "https://a.b/c", "."] {
        assert_eq!(broken(&page, good), None, "{good}");
    }
    for bad in ["pages.md", "#a", "#no-heading", "page.md#a-twice-2", "page/x.md"] {
        assert!(broken(&page, bad).is_some(), "{bad}");
    }
    let line = "see [a](x.md), ![b](y.svg) and [c](z.md#d)";
    assert_eq!(targets(line).collect::<Vec<_>>(), ["x.md", "y.svg", "z.md#d"]);
    assert_eq!(prose("a\n```sh\n[b](c)\n```\nd").map(|(n, _)| n).collect::<Vec<_>>(), [1, 5]);
}
