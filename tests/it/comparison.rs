//! `reprise compare`: what moved between two results.

use std::path::{Path, PathBuf};

use reprise::KNOWN;
use reprise::harness::versus::compare;
use reprise::seal::FileEntry;

use crate::support::experiment::{Bench, choices};
use crate::support::paper::{PUBLISHED, SPEC, small};
use crate::support::results::{copy, forge, rows, seal_again};
use crate::support::terminal::assert_says;

fn copied(bench: &Bench, dir: &Path, name: &str) -> PathBuf {
    let to = bench.folder().join(name).join("small/paper");
    copy(dir, &to);
    to
}

#[test]
fn the_same_run_twice_moves_nothing() {
    let (bench, dir) = small();
    let again = bench.run_with("again", &choices());
    let found = compare(&dir, &again, &KNOWN.catalogue.metrics).unwrap();
    assert!(!found.moved(), "{}", found.text(100));
    assert_eq!((found.experiments[0].same_trials, found.experiments[0].same_cells), (24, 4));
    let trees = compare(
        &bench.folder().join("results"),
        &bench.folder().join("again"),
        &KNOWN.catalogue.metrics,
    )
    .unwrap();
    assert_eq!(trees.text(100), "small/paper: the same\n");
    let command = bench.reprise().args(["compare", "results", "again", "--exit-code"]).output();
    assert_says(&command.unwrap(), 0, &["small/paper: the same"]);
}

#[test]
fn digests_that_differ_are_said_where_no_value_does() {
    let (bench, dir) = small();
    let other = copied(&bench, &dir, "other");
    forge(&other, "report.md", |text| text + "\nAll claims hold.\n");
    let found = compare(&dir, &other, &KNOWN.catalogue.metrics).unwrap();
    let says = "small/paper: the same values; the digests differ, by what is not compared here\n";
    assert_eq!((found.moved(), &*found.text(100)), (false, says));
    // So are those over universes.
    let twin = copied(&bench, &dir, "twin");
    std::fs::create_dir(twin.join("universes")).unwrap();
    std::fs::write(twin.join("universes/claims.csv"), "").unwrap();
    seal_again(&twin, |manifest| manifest.files.push(FileEntry::of("universes/claims.csv", b"")));
    let found = compare(&dir, &twin, &KNOWN.catalogue.metrics).unwrap();
    assert_eq!((found.moved(), &*found.text(100)), (false, says));
}

#[test]
fn another_seed_moves_what_has_randomness() {
    let (bench, dir) = small();
    let other = Bench::with(&SPEC.replace("seed = 5", "seed = 6"), &[PUBLISHED]);
    let seeded = other.run_with("results", &choices());
    let found = compare(&dir, &seeded, &KNOWN.catalogue.metrics).unwrap();
    let one = &found.experiments[0];
    let seed = one.inputs.iter().find(|input| input.what == "seed").unwrap();
    assert_eq!(seed.sides, ["5", "6"]);
    assert_eq!(one.only_trials, [0, 0]);
    // Chow-Liu trees have none: their trials are the same on the same data.
    assert!(one.trials.iter().all(|trial| trial.place.starts_with("NB ")), "{}", found.text(100));
    assert!(!one.trials.is_empty() && one.trials.len() + one.same_trials == 24);
    assert!(one.cells.iter().all(|cell| cell.cell[1] == "NB" && cell.beyond() == Some(false)));
    let command = |arguments: &[&str]| {
        let mut command = bench.reprise();
        command.arg("compare").arg(&dir).arg(&seeded).args(arguments);
        command.output().unwrap()
    };
    assert_says(&command(&[]), 0, &["Inputs that differ", "seed 5 6", "within noise"]);
    assert_says(&command(&["--exit-code"]), 1, &["Trials", "NB on generated-"]);
    let json = command(&["--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["experiments"][0]["inputs"].as_array().unwrap().len(), one.inputs.len());
    let html = command(&["--format", "html"]);
    assert_says(&html, 0, &["<title>", "Inputs that differ", "default-src 'none'"]);
}

#[test]
fn what_one_side_alone_has_did_not_move() {
    let (_bench, dir) = small();
    let renamed = SPEC.replace("id = \"blocks-too\"", "id = \"on-blocks\"");
    let other = Bench::with(&renamed, &[PUBLISHED]);
    let found = compare(&dir, &other.run_with("results", &choices()), &KNOWN.catalogue.metrics);
    let found = found.unwrap();
    let one = &found.experiments[0];
    assert_eq!((one.claims.len(), one.only_claims, one.only_cells), (0, [1, 1], [0, 0]));
    assert!(one.moved() && found.text(100).contains("1 claims are only in"), "{}", found.text(100));
}

#[test]
fn an_error_of_the_mean_is_not_divided_again() {
    let run = |seed: &str, sd: &str| {
        let text = format!(
            "schema = 1\n[experiment]\nid = \"errors\"\ntitle = \"Errors\"\nseed = {seed}\n[task]\n\
             kind = \"classification\"\ndatasets = [\"conjunction-8\"]\nsplit = {{ cv = {{ folds = 4 }} }}\nlabel_noise = 0.3\n\
             [[method]]\nid = \"DT\"\nkind = \"decision-tree\"\n[[table]]\nid = \"t\"\nrows = \"dataset\"\n\
             columns = \"method\"\nmetric = \"test_accuracy\"\ndigits = 3\nsd = \"{sd}\"\n"
        );
        let bench = Bench::with(&text, &[]);
        let dir = bench.run("r");
        (bench, dir)
    };
    for (sd, divisor) in [("standard-error", 1.0), ("fold", 2.0)] {
        let sides = [run("1", sd), run("2", sd)];
        let errors = sides.each_ref().map(|(_, dir)| {
            rows(&dir.join("tables/t.csv"))[0]["sd"].parse::<f64>().unwrap() / divisor
        });
        let found = compare(&sides[0].1, &sides[1].1, &KNOWN.catalogue.metrics).unwrap();
        let noise = found.experiments[0].cells[0].noise.unwrap();
        // scipy.stats.t.ppf(.975, 3)
        let expected = 3.182446305284263 * (errors[0] * errors[0] + errors[1] * errors[1]).sqrt();
        assert!((noise - expected).abs() < 1e-9, "{sd}: {noise} and {expected}");
    }
}

#[test]
fn another_revision_is_named_and_a_tampered_number_is_found() {
    let (bench, dir) = small();
    // What another revision of Chow-Liu trees would have sealed.
    let revised = copied(&bench, &dir, "revised");
    forge(&revised, "trials.csv", |text| text.replace(",chow-liu,", ",chow-liu,1"));
    seal_again(&revised, |manifest| {
        *manifest.methods.get_mut("chow-liu").unwrap() += 10;
    });
    let found = compare(&dir, &revised, &KNOWN.catalogue.metrics).unwrap();
    let one = &found.experiments[0];
    assert!(
        one.inputs.iter().any(|input| input.what == "revision of chow-liu"),
        "{}",
        found.text(100)
    );
    assert!(!found.moved(), "an input is no number: {}", found.text(100));

    // One digit of one value, without sealing again.
    let tampered = copied(&bench, &dir, "tampered");
    let table = tampered.join("tables/scores.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    let line = text.lines().nth(1).unwrap();
    let value = line.split(',').nth(3).unwrap();
    let forged = line.replacen(value, "-1.5", 1).replacen(",true,", ",false,", 1);
    std::fs::write(&table, text.replace(line, &forged)).unwrap();
    let found = compare(&dir, &tampered, &KNOWN.catalogue.metrics).unwrap();
    let one = &found.experiments[0];
    assert_eq!((one.cells.len(), one.trials.len()), (1, 0));
    assert_eq!(one.cells[0].values[1], Some(-1.5));
    assert!(one.broken[1][0].starts_with("tables/scores.csv: changed after sealing"), "{one:?}");
    assert!(found.moved());

    // A trial's value, and a claim's verdict.
    let forged = copied(&bench, &dir, "forged");
    forge(&forged, "claims.csv", |text| text.replacen(",holds,", ",fails,", 1));
    let found = compare(&dir, &forged, &KNOWN.catalogue.metrics).unwrap();
    assert_eq!(found.experiments[0].claims.len(), 1, "{}", found.text(100));
    assert_eq!(found.experiments[0].claims[0].sides, ["holds", "fails"]);
}

#[test]
fn what_is_no_results_is_said() {
    let (bench, _) = small();
    let compare = bench.reprise().args(["compare", "results", "nowhere"]).output().unwrap();
    assert_says(&compare, 2, &["no sealed results in nowhere"]);
    std::fs::create_dir(bench.folder().join("empty")).unwrap();
    let compare = bench.reprise().args(["compare", "results", "empty"]).output().unwrap();
    assert_says(&compare, 2, &["no sealed results in empty"]);
}
