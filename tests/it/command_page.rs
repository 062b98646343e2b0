//! The page for authors of methods, followed literally: its files are written and its commands run in an empty folder.

use std::process::Command;

use crate::support::guide_page::{self, Files, follow};
use crate::support::terminal::assert_says;

const PAGE: &str = include_str!("../../docs/reference/command-methods.md");

/// What is said where there is no Python, no `venv` or no PyPI.
const LACKS: [&str; 4] =
    ["can't be started", "No module named venv", "ensurepip is not", "from versions: none"];

#[test]
fn an_author_gets_the_table_of_the_page() {
    let section = guide_page::section(PAGE, "From an empty folder to a sealed table");
    let folder = tempfile::tempdir().unwrap();
    let output = follow(section, Files::AreThere, folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    let unbuilt = said.contains("cannot build the environment");
    if unbuilt && LACKS.iter().any(|lack| said.contains(lack)) {
        println!("skipped: an environment of Python can't be built here: {said}");
        return;
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
    let results = folder.path().join("first/results/own/first");
    let table = std::fs::read_to_string(results.join("tables/accuracy.md")).unwrap();
    let printed: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).collect();
    assert!(printed.len() == 4 && printed.iter().all(|line| table.contains(line)), "{table}");
    for file in ["method.py", "reprise_method.py", "requirements.txt"] {
        assert!(results.join("code").join(file).exists(), "{file} is sealed");
    }
}

#[test]
fn a_first_experiment_is_written_over_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let init = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.args(["init", "own", "--method", "python"]).current_dir(folder.path());
        command.output().unwrap()
    };
    assert_says(&init(), 0, &["wrote experiment.toml, method.py", "cd own"]);
    let mut spaced = Command::new(env!("CARGO_BIN_EXE_reprise"));
    spaced.args(["init", "my own"]).current_dir(folder.path());
    assert_says(&spaced.output().unwrap(), 0, &["cd 'my own'"]);
    let lock = folder.path().join("own/requirements.txt");
    std::fs::write(&lock, "mine").unwrap();
    std::fs::remove_file(folder.path().join("own/method.py")).unwrap();
    assert_says(&init(), 2, &["own/experiment.toml is already there", "nothing was written"]);
    assert_eq!(std::fs::read_to_string(lock).unwrap(), "mine");
    assert!(!folder.path().join("own/method.py").exists());
}
