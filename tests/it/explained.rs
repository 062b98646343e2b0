//! `reprise explain`: from a number down to its trials, and commands that make only it again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::experiment::Bench;
use crate::support::paper::small;
use crate::support::registry::mirror;
use crate::support::results::rows;
use crate::support::terminal::{assert_says, text};

fn explain(bench: &Bench, arguments: &[&str]) -> Output {
    bench.reprise().arg("explain").arg("small/paper").args(arguments).output().unwrap()
}

fn json(bench: &Bench, arguments: &[&str]) -> Value {
    let output = explain(bench, &[arguments, &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Executes every command that an explanation prints, where it says that it is to be executed.
fn execute_commands(bench: &Bench, explanation: &Value) {
    let commands = explanation["commands"].as_array().unwrap();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let line = command["line"].as_str().unwrap();
        let rest = line.strip_prefix("reprise ").unwrap();
        let output = bench.reprise().args(rest.split(' ')).output().unwrap();
        // A run of some trials seals what is there, and says what is missing.
        let code = output.status.code();
        assert!(code == Some(0) || code == Some(4), "{line}: {}", text(&output));
    }
}

/// The rows of these results that another run made again, by key.
fn same_rows(sealed: &Path, again: &Path, keys: &[&str]) {
    let (sealed, again) = (rows(&sealed.join("trials.csv")), rows(&again.join("trials.csv")));
    for key in keys {
        let of = |rows: &[std::collections::BTreeMap<String, String>]| {
            rows.iter().find(|row| row["key"] == *key).map(|row| row["test_ll"].clone())
        };
        assert_eq!(of(&sealed), of(&again), "{key}");
    }
}

#[test]
fn every_cell_and_claim_leads_to_trials_that_its_commands_make_again() {
    let (bench, dir) = small();
    let mut asked = vec![vec!["--claim", "tree-wins"], vec!["--claim", "blocks-too"]];
    for cell in
        ["generated-tree,CL", "generated-tree,NB", "generated-blocks,CL", "generated-blocks,NB"]
    {
        asked.push(vec!["--cell", cell]);
    }
    for arguments in &asked {
        let explanation = json(&bench, arguments);
        let trials = explanation["trials"].as_array().unwrap();
        let keys: Vec<&str> = trials.iter().map(|trial| trial["key"].as_str().unwrap()).collect();
        let expected = match arguments[1] {
            "generated-tree,CL" | "generated-blocks,CL" => 3,
            "generated-tree,NB" | "generated-blocks,NB" => 6,
            _ => 18,
        };
        assert_eq!(keys.len(), expected, "{arguments:?}");
        let _ = std::fs::remove_dir_all(bench.folder().join("again"));
        execute_commands(&bench, &explanation);
        same_rows(&dir, &bench.folder().join("again/small/paper"), &keys);
    }
}

/// Cells and claims of the five papers in the committed results, cheap ones: each command that their explanations print
/// is executed where it says, from a folder that has `experiments` and `results` as a checkout has.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn committed_cells_and_claims_are_made_again_by_the_commands_that_explain_them() {
    let Some(mirror) = mirror() else { return };
    let folder = tempfile::tempdir().unwrap();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["experiments", "results"] {
        std::os::unix::fs::symlink(checkout.join(name), folder.path().join(name)).unwrap();
    }
    let reprise = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.current_dir(folder.path()).env("REPRISE_MIRROR", &mirror);
        command.env("REPRISE_CACHE", folder.path().join("cache")).env("NO_COLOR", "1");
        command.args(arguments).output().unwrap()
    };
    for arguments in [
        ["evm/table5", "--cell", "nltcs,CL"],
        ["evm/table2", "--cell", "webkb,NB"],
        ["evm/theorem44", "--claim", "known-structure"],
        ["gibbs/table1", "--cell", "iris,Gibbs"],
        ["gibbs/table1", "--claim", "iris"],
        ["tep/proposition", "--cell", "one GP,evidence_difference"],
        ["tep/proposition", "--claim", "same-evidence"],
        ["idf/examples", "--cell", "idf-example-1,T7"],
        ["idf/density", "--cell", "nltcs,alpha=0.05"],
        ["apt/theorem1", "--cell", "tied-network n-1000,LTR"],
        ["apt/exact", "--claim", "pseudo-likelihood-costs-little"],
    ] {
        let explained = reprise(&[&["explain"][..], &arguments, &["--format", "json"]].concat());
        assert_eq!(explained.status.code(), Some(0), "{arguments:?}: {}", text(&explained));
        let explanation: Value = serde_json::from_slice(&explained.stdout).unwrap();
        for command in explanation["commands"].as_array().unwrap() {
            let line = command["line"].as_str().unwrap();
            let words: Vec<&str> = line.split(' ').skip(1).collect();
            let output = reprise(&words);
            assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output));
        }
        let trials = explanation["trials"].as_array().unwrap();
        let keys: Vec<&str> = trials.iter().map(|trial| trial["key"].as_str().unwrap()).collect();
        assert!(!keys.is_empty(), "{arguments:?}");
        let place = |below: &str| folder.path().join(below).join(arguments[0]).join("trials.csv");
        let [sealed, again] = ["results", "again"].map(|below| rows(&place(below)));
        for key in keys {
            // Columns of trials that were not asked for are empty, and which point of a grid is selected may hang on such
            // trials.
            let of = |rows: &[BTreeMap<String, String>]| -> BTreeMap<String, String> {
                let row = rows.iter().find(|row| row["key"] == key).cloned().unwrap().into_iter();
                row.filter(|(column, cell)| column != "selected" && !cell.is_empty()).collect()
            };
            assert_eq!(of(&sealed), of(&again), "{arguments:?}");
        }
        std::fs::remove_dir_all(folder.path().join("again")).unwrap();
    }
}

#[test]
fn a_cell_is_explained_step_by_step() {
    let (bench, dir) = small();
    let explanation = json(&bench, &["--cell", "generated-tree,NB"]);
    let cell = &explanation["about"]["cell"];
    let table = rows(&dir.join("tables/scores.csv"));
    let row =
        table.iter().find(|row| row["row"] == "generated-tree" && row["column"] == "NB").unwrap();
    assert_eq!(cell["value"].as_f64().unwrap().to_string(), row["value"]);
    assert_eq!(cell["agreement"], row["agreement"].as_str());
    let rule = "the mean over problems, then folds, then repeats of the selected trials; \
                ± is the standard deviation over repeats";
    assert_eq!(cell["rule"], rule);
    assert_eq!(explanation["methods"][0]["select"], "valid_ll");
    let trial = &explanation["trials"][0];
    let sealed = rows(&dir.join("trials.csv"));
    let sealed = sealed.iter().find(|row| row["key"] == trial["key"].as_str().unwrap()).unwrap();
    assert_eq!(trial["seed"], sealed["seed"].as_str());
    assert_eq!(explanation["data"][0]["digest"], sealed["data"].as_str());

    assert_says(
        &explain(&bench, &["--cell", "generated-tree,CL"]),
        0,
        &[
            "1. Cell generated-tree / CL of table scores",
            "± is the standard deviation over repeats",
            "published: -21.77",
            "difference: ",
            "Its 3 trials",
            "chow-liu",
            "SHA-256",
            "smooth 0.1 -21.77",
            "smooth 1 -21.77",
            "digest of the results",
            "reprise run results/small/paper/spec.toml --only dataset=generated-tree,method=CL --results again",
        ],
    );
    assert_says(
        &explain(&bench, &["--claim", "blocks-too"]),
        0,
        &["claimed: And on blocks.", "source: section 1", "our numbers: ", "the paper's: "],
    );
    // The sentence, then what it rests on.
    let claim = text(&explain(&bench, &["--claim", "blocks-too"]));
    assert!(claim.find("our numbers: ") < claim.find("evidence: "), "{claim}");
    assert!(claim.contains("evidence: "), "{claim}");
    assert_says(&explain(&bench, &[]), 0, &["scores", "CL, NB", "tree-wins"]);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let (bench, _) = small();
    assert_says(
        &explain(&bench, &["--cell", "generated-tre,CL"]),
        2,
        &["small/paper has no row `generated-tre`", "did you mean `generated-tree`?"],
    );
    assert_says(&explain(&bench, &["--cell", "generated-tree,X"]), 2, &["has no column `X`"]);
    assert_says(&explain(&bench, &["--cell", "generated-tree"]), 2, &["expected ROW,COLUMN"]);
    let table = ["--cell", "generated-tree,CL", "--table", "score"];
    assert_says(&explain(&bench, &table), 2, &["has no table `score`", "`scores`"]);
    assert_says(&explain(&bench, &["--claim", "tree-win"]), 2, &["has no claim", "`tree-wins`"]);
    let folder = bench.reprise().args(["explain", "results/small/paper"]).output().unwrap();
    assert_eq!(text(&folder), text(&explain(&bench, &[])));
    let other = bench.reprise().args(["explain", "small/pape"]).output().unwrap();
    assert_says(&other, 5, &["no stored trials in results/small/pape"]);
}
