//! Generated data that every repeat draws anew.

use std::collections::{BTreeMap, BTreeSet};

use reprise::harness::run::Options;

use crate::support::experiment::Bench;
use crate::support::results::{outputs, rows};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::assert_error;

fn redrawn(datasets: &str, repeats: usize) -> String {
    let split = format!("split = {{ redrawn = {{ repeats = {repeats} }} }}");
    spec::density("redrawn", "", CHOW_LIU)
        .replace("split = \"published\"", &split)
        .replace("\"generated-tree\"", datasets)
}

#[test]
fn every_repeat_is_another_draw_and_the_first_is_the_dataset() {
    let scores = |spec: &str, options: &Options| -> Vec<String> {
        let bench = Bench::new(spec);
        let dir = bench.run_with("r", options);
        let by_repeat: BTreeMap<usize, String> = rows(&dir.join("trials.csv"))
            .into_iter()
            .map(|row| (row["repeat"].parse().unwrap(), row["test_ll"].clone()))
            .collect();
        by_repeat.into_values().collect()
    };
    let published = scores(&spec::density("once", "", CHOW_LIU), &Options::default());
    let three = scores(&redrawn("\"generated-tree\"", 3), &Options::default());
    assert_eq!((three.len(), &three[0]), (3, &published[0]));
    assert!(three[1] != three[0] && three[2] != three[0] && three[1] != three[2], "{three:?}");
    // The number of draws, and of threads, changes none of them.
    let many = Options { jobs: 4, ..Options::default() };
    assert_eq!(scores(&redrawn("\"generated-tree\"", 5), &many)[..3], three);
}

#[test]
fn a_draw_is_what_a_later_run_finds() {
    let bench = Bench::new(&redrawn("\"generated-tree\", \"generated-independent\"", 2));
    let before = outputs(&bench.run("r"));
    bench.report("r").unwrap();
    assert_eq!(outputs(&bench.results("r")), before);
}

#[test]
fn test_examples_are_kept_of_the_first_draw() {
    let methods = CHOW_LIU.to_owned() + "\n[[method]]\nid = \"I\"\nkind = \"independent\"";
    let spec = redrawn("\"generated-tree\"", 3).replace(CHOW_LIU, &methods);
    let bench = Bench::new(&(spec + &spec::by_example("CL")));
    let dir = bench.run("r");
    let first = rows(&dir.join("trials.csv")).into_iter().filter(|row| row["repeat"] == "0");
    let first: BTreeSet<String> = first.map(|row| row["key"].clone()).collect();
    let kept = rows(&dir.join("examples/test_ll.csv")).into_iter().map(|row| row["key"].clone());
    assert_eq!(kept.collect::<BTreeSet<String>>(), first);
    assert_eq!(rows(&dir.join("tests.csv"))[0]["n"], "1000");
}

#[test]
fn data_without_random_numbers_cannot_be_drawn_anew() {
    let refused = Bench::new(&redrawn("\"conjunction-8\"", 2)).refused("r", &Options::default());
    assert_error(
        &refused,
        &[
            "dataset `conjunction-8` has no random numbers, but the split is \"redrawn\"",
            "split = \"published\"",
        ],
    );
}
