//! What the documentation points at is there: every relative link leads to a file, and to a heading where it names one;
//! every path in backticks or in code is one of the checkout.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The pages: those at the top but the changelog, whose paths are of their time; the list of experiments; all below `docs`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let alone = ["README.md", "CONTRIBUTING.md", "experiments/README.md"];
    let below = files(&root.join("docs"), "md");
    alone.iter().map(|page| root.join(page)).chain(below).collect()
}

/// All files below a folder whose names end so.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
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

/// The words of a page that stand in backticks or in blocks of code, with the numbers of their lines and, in a row of a
/// table, what its first cell names.
fn words(page: &str) -> Vec<(usize, Option<&str>, &str)> {
    let (mut block, mut found) = (false, Vec::new());
    for (number, line) in (1..).zip(page.lines()) {
        if line.trim_start().starts_with("```") {
            block = !block;
            continue;
        }
        let spans: Vec<&str> =
            if block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        let row = spans.first().copied().filter(|_| !block && line.starts_with("| `"));
        let apart = |one: char| one.is_whitespace() || "\"'()[];=|#".contains(one);
        let words = spans.into_iter().flat_map(|span| span.split(apart));
        found.extend(words.map(|word| (number, row, word.trim_end_matches(','))));
    }
    found
}

/// `a/{b,c}.rs` as both.
fn spread(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(before, rest)| {
        rest.split_once('}').map(|(inner, after)| (before, inner, after))
    });
    match parts {
        Some((before, inner, after)) => {
            inner.split(',').map(|one| format!("{before}{one}{after}")).collect()
        }
        None => vec![path.to_owned()],
    }
}

/// Whether a path is there: all of it, or what stands before a part that stands for others, as in `fuzz/seeds/READER/`.
fn there(root: &Path, path: &str) -> bool {
    let stands_for_others = |part: &&str| {
        let stem = part.split('.').next().unwrap();
        part.contains(['*', '<']) || (!stem.is_empty() && stem.chars().all(char::is_uppercase))
    };
    let cut: PathBuf = path.split('/').take_while(|part| !stands_for_others(part)).collect();
    root.join(path).exists() || root.join(cut).exists()
}

/// Whether a word of a page is a path, and then whether it is one of the checkout.
fn known(
    root: &Path,
    sources: &[PathBuf],
    page: &str,
    row: Option<&str>,
    word: &str,
) -> Option<bool> {
    const FOLDERS: [&str; 10] = [
        ".cargo",
        ".ci",
        "assets",
        "benches",
        "clients",
        "docs",
        "experiments",
        "fuzz",
        "src",
        "tests",
    ];
    let papers = page.starts_with("docs/papers/");
    let experiments = root.join("experiments");
    match word.split_once('/') {
        Some((first, _)) if FOLDERS.contains(&first) => Some(there(root, word)),
        Some(("results", _)) if papers => Some(there(root, word)),
        _ if word.ends_with(".rs") => Some(match row.map(|row| root.join("src").join(row)) {
            Some(room) if room.is_dir() => room.join(word).exists(),
            _ => sources.iter().any(|source| source.ends_with(word)),
        }),
        Some(_) if papers && word.ends_with(".toml") => Some(there(&experiments, word)),
        _ if page == "experiments/README.md" && word.ends_with(".toml") => {
            Some(there(&experiments, word))
        }
        _ => None,
    }
}

#[test]
fn paths_are_of_the_checkout() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests", "benches", "fuzz/src"];
    let sources: Vec<PathBuf> =
        folders.iter().flat_map(|folder| files(&root.join(folder), "rs")).collect();
    let (mut paths, mut faults) = (0, Vec::new());
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).unwrap();
        let page = page.strip_prefix(root).unwrap().to_str().unwrap();
        for (number, row, word) in words(&text) {
            for path in spread(word) {
                let known = known(root, &sources, page, row, &path);
                paths += usize::from(known.is_some());
                faults.extend((known == Some(false)).then(|| format!("{page}:{number}: {path}")));
            }
        }
    }
    assert!(paths > 300, "{paths} paths were found");
    assert!(faults.is_empty(), "no such file:\n{}", faults.join("\n"));
}

#[test]
fn no_page_of_the_guide_is_long() {
    for page in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide"), "md") {
        let lines = std::fs::read_to_string(&page).unwrap().lines().count();
        assert!(lines <= 300, "{} has {lines} lines, more than 300: divide it", page.display());
    }
}

#[test]
fn every_experiment_is_in_the_list() {
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let list = std::fs::read_to_string(experiments.join("README.md")).unwrap();
    let listed: Vec<&str> = words(&list).into_iter().map(|(.., word)| word).collect();
    let files = files(&experiments, "toml");
    assert!(files.len() > 30, "{} experiments", files.len());
    for file in files.iter().filter(|file| !file.ends_with("datasets.toml")) {
        let name = file.strip_prefix(&experiments).unwrap().to_str().unwrap();
        assert!(listed.contains(&name), "experiments/README.md lacks {name}");
    }
}

#[test]
fn a_path_that_is_not_there_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = files(&root.join("src"), "rs");
    let page = "| `run` | see `plan.rs`, `src/{base,math}/lib.rs` |\n```sh\ncat src/lib.rs\n```\n";
    let words = words(page);
    let named: Vec<_> = words.iter().map(|&(line, _, word)| (line, word)).collect();
    assert!(named.contains(&(1, "plan.rs")) && named.contains(&(3, "src/lib.rs")), "{named:?}");
    assert_eq!(spread("src/{base,math}/lib.rs"), ["src/base/lib.rs", "src/math/lib.rs"]);
    let known = |page, row, word| known(root, &sources, page, row, word);
    for good in ["src/lib.rs", "fuzz/seeds/READER/", "experiments/*.toml", "plan.rs"] {
        assert_eq!(known("README.md", None, good), Some(true), "{good}");
    }
    for bad in ["src/no.rs", "tests/no", "no.rs", "docs/no/NAME.md"] {
        assert_eq!(known("README.md", None, bad), Some(false), "{bad}");
    }
    assert_eq!(known("docs/x.md", Some("run"), "plan.rs"), Some(true));
    assert_eq!(known("docs/x.md", Some("report"), "plan.rs"), Some(false));
    assert_eq!(known("docs/papers/evm.md", None, "evm/no.toml"), Some(false));
    assert_eq!(known("docs/guide/a.md", None, "cups/manifest.toml"), None);
}

/// What an audit prints of results, as a page shows it: `results/ID: ok ID DIGEST…`.
#[test]
fn digests_that_pages_print_are_those_of_the_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut printed = 0;
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).unwrap();
        for line in text.lines().filter(|line| line.starts_with("results/")) {
            let Some((folder, said)) = line.split_once(": ok ") else { continue };
            let Ok(manifest) = std::fs::read_to_string(root.join(folder).join("manifest.toml"))
            else {
                continue;
            };
            let digest = said.split(' ').nth(1).unwrap().trim_end_matches('…');
            assert!(
                manifest.contains(&format!("\ndigest = \"{digest}")),
                "{}: {line}",
                page.display()
            );
            printed += 1;
        }
    }
    assert!(printed > 0);
}
