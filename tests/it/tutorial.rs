//! The guide, followed literally: files are written, commands run, and what a page says is printed is printed.

use std::path::Path;

use crate::support::guide_page::{Files, follow, printed};
use crate::support::terminal::{assert_says, text};

const TUTORIAL: &str = include_str!("../../docs/guide/tutorial.md");

/// The pages whose commands start in the tutorial's folder.
const PAGES: [&str; 5] = [
    include_str!("../../docs/guide/data.md"),
    include_str!("../../docs/guide/tuning.md"),
    include_str!("../../docs/guide/methods.md"),
    include_str!("../../docs/guide/significance.md"),
    include_str!("../../docs/guide/auditing.md"),
];

fn assert_follows(page: &str, folder: &Path) {
    let output = follow(page, Files::AreWritten, folder);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for line in printed(page) {
        assert!(said.lines().any(|one| one == line), "{line:?} is not in:\n{said}");
    }
}

#[test]
fn a_reader_gets_what_the_guide_shows() {
    let folder = tempfile::tempdir().unwrap();
    assert!(printed(TUTORIAL).len() > 10);
    assert_follows(TUTORIAL, folder.path());
    let received = folder.path().join("received/cups");
    for file in ["report.html", "figures/neighbours.svg", "tables/accuracy.tex", "tests.csv"] {
        assert!(received.join(file).exists(), "{file}");
    }
    let coffee = folder.path().join("coffee");
    PAGES.iter().for_each(|page| assert_follows(page, &coffee));
    // What the tutorial calls refused is refused.
    let again = follow("```sh\nreprise run cups.toml\n```\n", Files::AreWritten, &coffee);
    assert_says(&again, 2, &["350 sealed trials", "--replace"]);
}
