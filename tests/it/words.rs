//! A match over words that people write takes each of them by name: a new word is then an error of the compiler in every
//! place that has to know it, and never read as another.

use std::collections::BTreeSet;
use std::path::Path;

use reprise::base::words::Worded;
use reprise::harness::standing;
use reprise::page::scored;
use reprise::report::leak::{self, Leak};
use reprise::report::table::Agreement;
use reprise::run::Status;
use reprise::spec::{Basis, Verdict};

use crate::links::files;

/// The sources of the product.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = files(&root, "rs").into_iter();
    let product = paths.filter(|path| !path.to_str().unwrap().contains("tests"));
    product
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.strip_prefix(&root).unwrap().display().to_string(), text)
        })
        .collect()
}

/// The names of the enumerations that `text` declares.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split("enum ").skip(1).map(|rest| rest.split([' ', '<']).next().unwrap());
    names.filter(|name| name.starts_with(char::is_uppercase))
}

/// The enumerations of words, as a room may name them: those that `words!` declares, unless the room has another one of
/// that name, and formats of datasets.
fn enumerations<'s>(sources: &'s [(String, String)], room: &str) -> BTreeSet<&'s str> {
    let (mut words, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (path, text) in sources {
        let mut plain = |text: &'s str| {
            others.extend(declared(text).filter(|_| room_of(path) == room));
        };
        let mut parts = text.split("\nwords! {\n");
        plain(parts.next().unwrap());
        for part in parts {
            let (block, rest) = part.split_once("\n}\n").unwrap();
            words.extend(declared(block));
            plain(rest);
        }
    }
    words.retain(|name| !others.contains(name));
    // Formats are no words alone: some have keys beside them.
    words.extend(Some("Format").filter(|name| room == "data" || !others.contains(name)));
    words
}

fn room_of(path: &str) -> &str {
    path.split('/').next().unwrap()
}

/// The lines of `_ =>` behind arms that name words of one of `enumerations`, unless nothing or an error comes of them.
fn picked(text: &str, enumerations: &BTreeSet<&str>) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let names = |pattern: &str| {
        let parts = pattern
            .split("::")
            .map(|part| part.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap());
        parts.collect::<BTreeSet<_>>().intersection(enumerations).next().is_some()
    };
    let picks = |&at: &usize| {
        let Some(arm) = lines[at].trim_start().strip_prefix("_ => ") else { return false };
        let harmless = ["{}", "None,", "Err(", "return Err("];
        if harmless.iter().any(|start| arm.starts_with(start)) {
            return false;
        }
        let depth = indent(lines[at]);
        let above = lines[..at].iter().rev();
        let in_match = above.take_while(|line| line.is_empty() || indent(line) >= depth);
        let mut arms = in_match.filter(|line| indent(line) == depth);
        arms.any(|line| names(line.split("=>").next().unwrap().split(" if ").next().unwrap()))
    };
    (0..lines.len()).filter(picks).map(|at| at + 1).collect()
}

#[test]
fn no_word_is_read_as_another() {
    let sources = sources();
    let rooms: BTreeSet<&str> = sources.iter().map(|(path, _)| room_of(path)).collect();
    let mut faults = Vec::new();
    for room in rooms {
        let enumerations = enumerations(&sources, room);
        assert!(enumerations.len() > 25 && enumerations.contains("FormatWord"), "{enumerations:?}");
        for (path, text) in sources.iter().filter(|(path, _)| room_of(path) == room) {
            let lines = picked(text, &enumerations).into_iter();
            faults.extend(lines.map(|line| format!("src/{path}:{line}")));
        }
    }
    assert!(
        faults.is_empty(),
        "`_ =>` picks for words that nobody knows yet:\n{}",
        faults.join("\n")
    );
}

#[test]
fn every_verdict_mark_and_status_has_an_entry_in_the_glossary() {
    let page = include_str!("../../docs/guide/glossary.md");
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let parts = cells.flat_map(|cell| cell.split(", ").chain([cell]));
    let entries: BTreeSet<&str> = parts.map(|part| part.trim_matches('`')).collect();
    let of_claims = Verdict::WORDS.iter().map(|(_, verdict)| verdict.text());
    let of_cells = Agreement::WORDS.iter().map(|(_, agreement)| agreement.text());
    let of_checks = leak::Verdict::WORDS.iter().map(|(word, _)| word);
    let listed = Basis::WORDS.iter().map(|(word, _)| word);
    let listed = listed.chain(Leak::WORDS.iter().map(|(word, _)| word)).chain(of_checks);
    let listed = listed.chain(Status::WORDS.iter().map(|(word, _)| word));
    let listed = listed.chain(scored::State::WORDS.iter().map(|(word, _)| word));
    let listed = listed.chain(standing::State::WORDS.iter().map(|(word, _)| word));
    // What sources say beside: files below `src`, and how texts begin there.
    let said: [(&str, &[&str]); 7] = [
        ("cli/audit.rs", &["ok", "ok, but sealed as incomplete", "DIFFERS"]),
        ("cli/audit.rs", &["believed", "not checked", "not executed"]),
        ("page/style.css", &["=", "≈", "∵", "◐", "≠", "?"]),
        ("page/sheet.rs", &["✓", "✗", "?"]),
        ("page/comparison.rs", &["beyond noise", "within noise", "not as sealed"]),
        ("report/universes/said.rs", &["decides", "undecided", "Not judged"]),
        ("spec/command.rs", &["bitwise", "tolerance", "stochastic"]),
    ];
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (file, words) in said {
        let source = std::fs::read_to_string(src.join(file)).unwrap();
        for word in words {
            assert!(source.contains(&format!("\"{word}")), "src/{file} does not say {word}");
        }
    }
    let of_sources = said.iter().flat_map(|(_, words)| words.iter().copied());
    let others = ["narrowly", "seen", "within seeds", "bold", "±", "†", "‡", "§"];
    let digests = ["native_digest", "universes_digest", ".journal: outside the seal"];
    let others = of_sources.chain(others).chain(digests).chain(listed).map(str::to_owned);
    let lacking: Vec<String> =
        of_claims.chain(of_cells).chain(others).filter(|word| !entries.contains(&**word)).collect();
    assert!(lacking.is_empty(), "docs/guide/glossary.md has no entry of {lacking:?}");
}

#[test]
fn a_word_that_is_read_as_another_is_found() {
    let of = |arm: &str| {
        let text = format!(
            "fn f() {{\n    match format {{\n        Format::Csv(layout) => {{\n            read(layout)\n        }}\n        {arm}\n    }}\n}}\n"
        );
        picked(&text, &BTreeSet::from(["Format"]))
    };
    assert_eq!(of("_ => read_csv(),"), [6]);
    for harmless in
        ["_ => {}", "_ => return Err(foreign(file)),", "_ => None,", "Format::Arff => 1,"]
    {
        assert!(of(harmless).is_empty(), "{harmless}");
    }
}
