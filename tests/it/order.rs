//! In which order the paths of a run begin.

use crate::support::experiment::Bench;
use crate::support::spec::{self, CHOW_LIU};

/// The methods and repeats of the paths, in the order in which one worker begins them.
fn begun(spec: &str) -> Vec<(String, String, usize)> {
    let arguments = ["--jobs", "1", "--log", "reprise::progress=debug"];
    let run = Bench::new(spec).command("r", &arguments).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    let starts = said.lines().filter_map(|line| line.strip_suffix(", fold 0: starts"));
    let place = starts.map(|line| {
        let (place, repeat) = line.split_once(", repeat ").unwrap();
        let mut words = place.split(' ').rev();
        let (dataset, method) = (words.next().unwrap(), words.nth(1).unwrap());
        (method.to_owned(), dataset.to_owned(), repeat.parse().unwrap())
    });
    place.collect()
}

const METHODS: &str = "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\nrestarts = 2\n\
                       [[method]]\nid = \"I\"\nkind = \"independent\"\n";

fn experiment(split: &str) -> String {
    spec::density("order", "repeats = 3", &format!("{METHODS}{CHOW_LIU}"))
        .replace("\"generated-tree\"", "\"generated-tree\", \"generated-independent\"")
        .replace("split = \"published\"\nrepeats = 3", split)
}

#[test]
fn first_one_path_of_each_method_on_each_dataset_then_the_costly_ones() {
    let order = begun(&experiment("split = \"published\"\nrepeats = 3"));
    assert_eq!(order.len(), 18, "{order:?}");
    let (first, then) = order.split_at(6);
    assert!(first.iter().all(|(.., repeat)| *repeat == 0), "{order:?}");
    for (places, of_mixtures) in [(first, 2), (then, 4)] {
        let mixtures = places.iter().take_while(|place| place.0 == "NB").count();
        assert_eq!(mixtures, of_mixtures, "costly ones first: {order:?}");
    }
    // Both datasets are of one size.
    let turns: Vec<usize> = then[8..].iter().map(|(.., repeat)| *repeat).collect();
    assert_eq!(turns, [1, 1, 2, 2], "{order:?}");
}

/// Else all divisions of a wide table would be in memory at once.
#[test]
fn what_is_fitted_to_one_division_of_many_stays_together() {
    let order = begun(&experiment("split = { share = { test = 0.5, repeats = 4 } }"));
    assert_eq!(order.len(), 24);
    let (first, then) = order.split_at(6);
    assert!(first.iter().all(|(.., repeat)| *repeat == 0), "{order:?}");
    let divisions = then.chunk_by(|one, other| (&one.1, one.2) == (&other.1, other.2));
    assert_eq!(divisions.map(<[_]>::len).collect::<Vec<_>>(), [3; 6], "{order:?}");
}

#[test]
fn what_is_fitted_to_one_draw_stays_together() {
    let order = begun(&experiment("split = { redrawn = { repeats = 3 } }"));
    assert_eq!(order.len(), 18);
    let draws = order.chunk_by(|one, other| (&one.1, one.2) == (&other.1, other.2));
    assert_eq!(draws.map(<[_]>::len).collect::<Vec<_>>(), [3; 6], "{order:?}");
}
