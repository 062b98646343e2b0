//! Whatever is in an experiment file: an experiment, or errors that each have a line.

use miette::Diagnostic as _;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use reprise::document::DocumentError;

use crate::support::{Folder, load};

const TABLE5: &str = include_str!("table5.toml");

/// A few edits of a line: the line goes, comes twice, changes places, or one of its characters is another.
fn edited(edits: &[(usize, usize, char)]) -> String {
    let mut lines: Vec<String> = TABLE5.lines().map(str::to_owned).collect();
    for &(what, at, character) in edits {
        let at = at % lines.len();
        match what % 5 {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = what % lines.len();
                lines.swap(at, other);
            }
            _ => {
                let place = lines[at].char_indices().map(|(place, _)| place).nth(what % 30);
                if let Some(place) = place {
                    let end = place + lines[at][place..].chars().next().map_or(0, char::len_utf8);
                    lines[at].replace_range(place..end, &character.to_string());
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        proptest::sample::select("\"'[]{}=,.#0-x\\ \u{202e}\u{7}".chars().collect::<Vec<_>>()),
        any::<char>()
    ];
    let edits = proptest::collection::vec((any::<usize>(), any::<usize>(), character), 1..5);
    prop_oneof![
        6 => edits.prop_map(|edits| edited(&edits)),
        1 => "[\\[\\]a-z=\"{}., \n]{0,200}",
        1 => any::<String>(),
    ]
}

/// Where an error stands in the text, if it says so.
fn place(error: &DocumentError, text: &str) -> Option<usize> {
    let label = error.labels()?.next()?;
    Some(label.offset()).filter(|&offset| offset <= text.len())
}

/// Few cases, the same each time, unless `REPRISE_FUZZ_CASES` asks for more and for others.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    match std::env::var("REPRISE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()) {
        Some(cases) => ProptestConfig { cases, ..default },
        None => ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_fault_has_a_line(text in text()) {
        let folder = Folder::new(&text);
        folder.write("published/table5.csv", "row,column,metric,value,sd\n");
        if let Err(errors) = load(&folder.path(), None) {
            prop_assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                let counted = error.to_string().ends_with("more are not shown");
                prop_assert!(counted || place(error, &text).is_some(), "{error} in {text}");
            }
            // Nor does showing them fail.
            prop_assert!(folder.render(&errors).contains("error"));
        }
    }

    #[test]
    fn bytes_that_are_no_text_have_a_line(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = Folder::new("");
        std::fs::write(folder.path(), &bytes).unwrap();
        let Err(errors) = load(&folder.path(), None) else { return Ok(()) };
        if let Err(error) = std::str::from_utf8(&bytes) {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            let says = format!("line {line} is not UTF-8 text");
            prop_assert_eq!(errors.errors[0].to_string(), says);
        }
    }
}
