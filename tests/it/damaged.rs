//! Files that are read back never bring the process down, whatever is in them.

use std::path::Path;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::run::{journal, trials_csv};
use reprise::seal::Manifest;

use crate::support::experiment::Bench;
use crate::support::property::damaged;
use crate::support::results::segment;
use crate::support::spec::{self, CHOW_LIU};

fn bench() -> Bench {
    let mixture = "[[method]]\nid = \"MEVM\"\nkind = \"mevm\"\ncomponents = 2\nrestarts = 1\n";
    let methods = format!("{mixture}{CHOW_LIU}");
    Bench::new(&(spec::density("damaged", "repeats = 2", &methods) + &spec::by_example("CL")))
}

fn write(folder: &Path, file: &str, bytes: &[u8]) {
    std::fs::write(folder.join(file), bytes).unwrap();
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn trials_and_what_belongs_to_them() {
    let bench = bench();
    let dir = bench.run("r");
    for file in ["trials.csv", "timing/timings.csv", "examples/test_ll.csv"] {
        let whole = std::fs::read(dir.join(file)).unwrap();
        // Only the beginning of the long one, for the sake of time.
        let end = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(200);
        let whole = &whole[..end.map_or(whole.len(), |(at, _)| at + 1)];
        for seed in 0..300 {
            write(&dir, file, &damaged(whole, seed, 1 + seed as usize % 3));
            if let Ok(rows) = trials_csv::read(&dir, &KNOWN.catalogue.metrics) {
                trials_csv::by_key(&rows);
            }
        }
        write(&dir, file, whole);
        assert_eq!(trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap().len(), 4);
    }
}

/// Rows of one key take on what other files say of it, each for itself: many rows and a long line would be more than
/// any machine holds, and many lines more than anybody waits for.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn what_many_rows_of_one_key_take_on_is_bounded() {
    let bench = bench();
    let dir = bench.run("r");
    let whole = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    let (header, row) = (whole.lines().next().unwrap(), whole.lines().nth(1).unwrap());
    let key = row.split(',').find(|cell| cell.parse::<Digest>().is_ok()).unwrap();
    write(
        &dir,
        "trials.csv",
        format!("{header}\n{}", format!("{row}\n").repeat(20_000)).as_bytes(),
    );
    let times = std::fs::read_to_string(dir.join("timing/timings.csv")).unwrap();
    let line = times.lines().find(|line| line.contains(key)).unwrap();
    let times =
        format!("{}\n{}", times.lines().next().unwrap(), format!("{line}\n").repeat(20_000));
    write(&dir, "timing/timings.csv", times.as_bytes());

    let examples = |lines: &[&str]| format!("key,bits,values\n{}\n", lines.join("\n"));
    let twice = format!("{key},01,");
    write(&dir, "examples/test_ll.csv", examples(&[&twice, &twice]).as_bytes());
    let before = std::time::Instant::now();
    let refused = trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap_err().to_string();
    assert!(refused.contains("line 3: the key") && refused.contains("comes twice"), "{refused}");
    assert!(before.elapsed().as_secs() < 20, "every row is compared with every line");

    let long = format!("{key},{},", "01".repeat(1 << 20));
    write(&dir, "examples/test_ll.csv", examples(&[&long]).as_bytes());
    let refused = trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap_err().to_string();
    let says = "the trials up to here have more than 268435456 values";
    assert!(refused.contains(says), "{refused}");
}

/// Each column that nobody knows is a parameter of each row: 25 MB of two thousand once took 1.4 GB.
#[test]
fn parameters_that_no_method_has_are_bounded() {
    let bench = Bench::new(&spec::density("wide", "", CHOW_LIU));
    let dir = bench.run("r");
    let whole = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    let (header, row) = (whole.lines().next().unwrap(), whole.lines().nth(1).unwrap());
    let refused = |columns: usize, rows: usize| {
        let names: String = (0..columns).map(|at| format!(",x{at}")).collect();
        let cells = ",1".repeat(columns - 1);
        let rows: String = (0..rows).map(|at| format!("{row},{at}{cells}\n")).collect();
        write(&dir, "trials.csv", format!("{header}{names}\n{rows}").as_bytes());
        trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap_err().to_string()
    };
    let says = "the trials up to here have more than 268435456 values";
    assert!(refused(9_000, 500).contains(says));
    let wide = refused(10_000, 1);
    assert!(wide.starts_with("trials.csv, line 1: column `x99"), "{wide}");
    assert!(wide.contains("expected at most 10000 columns, found \"100"), "{wide}");
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn options_of_no_choice_are_refused_where_they_stand() {
    let bench = bench();
    let dir = bench.run("r");
    let whole = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    let mut lines: Vec<Vec<&str>> = whole.lines().map(|line| line.split(',').collect()).collect();
    let choice = lines[0].iter().position(|column| *column == "choice").unwrap();
    lines[2][choice] = "rule=a;b";
    let lines: Vec<String> = lines.iter().map(|line| line.join(",")).collect();
    write(&dir, "trials.csv", lines.join("\n").as_bytes());
    let refused = trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap_err().to_string();
    let says = "trials.csv, line 3: column `choice`: expected `choice=option`, several joined by `;`, found \"b\"";
    assert_eq!(refused, says);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_second_column_and_a_size_without_deviations_are_refused() {
    let bench = bench();
    let dir = bench.run("r");
    let whole = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    let refused = |column: &str| {
        let mut lines = whole.lines();
        let header = format!("{},{column}\n", lines.next().unwrap());
        let rows: String = lines.map(|line| format!("{line},3\n")).collect();
        write(&dir, "trials.csv", (header + &rows).as_bytes());
        trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap_err().to_string()
    };
    let twice = "expected one column of this name, found \"a second one\"";
    assert_eq!(refused("test_ll"), format!("trials.csv, line 1: column `test_ll`: {twice}"));
    let lacks = "expected a number, found \"\"";
    assert_eq!(refused("test_ll.n"), format!("trials.csv, line 2: column `test_ll.m2`: {lacks}"));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_manifest_under_a_valid_seal() {
    let bench = bench();
    let dir = bench.run("r");
    let text = std::fs::read_to_string(dir.join("manifest.toml")).unwrap();
    let (body, _) = text.rsplit_once("\n[seal]\n").unwrap();
    let mut accepted = 0;
    for seed in 0..500 {
        let damaged = damaged(body.as_bytes(), seed, 1 + seed as usize % 3);
        let body = String::from_utf8_lossy(&damaged).into_owned();
        let seal = Digest::of(body.as_bytes());
        let text = format!("{body}\n[seal]\nsha256 = \"{seal}\"\n");
        accepted += usize::from(Manifest::from_text(&text).is_ok());
        write(&dir, "manifest.toml", text.as_bytes());
        let folder = reprise::seal::check(&dir);
        assert!(folder.manifest.is_some() || !folder.differences.is_empty());
    }
    assert!(accepted < 500);
}

/// The JSON of a journal's line with the values of two examples.
fn short(line: &str) -> String {
    let mut value: serde_json::Value =
        serde_json::from_str(line.split_once(' ').unwrap().1).unwrap();
    let examples = &mut value["outcomes"][0]["examples"]["test_ll"];
    examples.as_array_mut().unwrap().truncate(2);
    value.to_string()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn journal_lines_under_a_valid_checksum() {
    let bench = bench();
    let results = bench.journal("r");
    let (dir, file) = (results.join(".journal"), segment(&results));
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<String> = text.lines().map(short).collect();
    for seed in 0..300 {
        let line = &lines[seed as usize % lines.len()];
        let damaged = damaged(line.as_bytes(), seed, 1 + seed as usize % 3);
        let body = String::from_utf8_lossy(&damaged).into_owned();
        let checksum = &Digest::of(body.as_bytes()).to_string()[..16];
        std::fs::write(&file, format!("{checksum} {body}\n")).unwrap();
        let finished = journal::read(&dir, &KNOWN.catalogue.metrics).unwrap();
        assert!(finished.lines.len() == 1 || !finished.warnings.is_empty());
    }
}
