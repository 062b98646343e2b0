//! Tests over values that depend on each other: refused with their line unless the file says that this is ignored, or the
//! test is made for them.

use std::collections::{BTreeMap, BTreeSet};

use reprise::harness::Error;
use reprise::math::student_t;

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::shown;

/// Thirty patients with four visits each, of three classes.
fn visits() -> String {
    let mut text = "patient,a,b,c,ill\n".to_owned();
    for visit in 0..120_u32 {
        let (patient, noise) = (visit * 7 % 30, visit * 37 % 23);
        let class = ["flu", "cold", "none"][(patient % 3) as usize];
        let a = 10 * (patient % 3) + noise;
        text += &format!("p{patient},{a},{},{},{class}\n", visit * 29 % 31 + a / 2, visit % 4);
    }
    text
}

/// An experiment on them: under this split, with these keys of the task and the test, grouped or not.
fn bench(task: &str, test: &str, grouped: bool) -> Bench {
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"visits\"\ntitle = \"Visits\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"visits\"]\nmetrics = [\"test_accuracy\"]\n{task}\n[[method]]\nid = \"1-NN\"\nkind = \"knn\"\nk = 1\n\
         [[method]]\nid = \"5-NN\"\nkind = \"knn\"\n[[test]]\nid = \"t\"\nmetric = \"test_accuracy\"\n{test}\n"
    );
    let bench = Bench::with(&spec, &[("visits.csv", &visits())]);
    let (variables, group) = if grouped {
        (3, "group = \"patient\"")
    } else {
        (3, "attributes = [\"a\", \"b\", \"c\"]")
    };
    let rest = format!(
        "shape = {{ variables = {variables}, rows = 120, classes = 3 }}\n\
         files = [{{ role = \"all\", format = \"csv\", target = \"ill\", {group}, sources = [{{ path = \"visits.csv\" }}] }}]"
    );
    bench.write("datasets.toml", &registry::of(&[entry("visits", "numeric", &rest)]));
    bench
}

/// What is said of it, if it is refused.
fn refusal(task: &str, test: &str, grouped: bool) -> Option<String> {
    let opened = bench(task, test, grouped).open("r");
    opened.err().map(|error: Error| shown(&error))
}

const CV: &str = "split = { cv = { folds = 10, repeats = 10 } }";
const SHARES: &str = "split = { share = { test = 0.1, repeats = 30 } }";
const PAIRS: &str = "classes = \"all-pairs\"\nsplit = { share = { test = 0.5, repeats = 1 } }";

/// The kinds whose level at a nominal .05 was .39 to .77 over folds and shares, and .12 to .47 over class pairs.
const NAIVE: [&str; 8] = [
    "kind = \"paired-t\"",
    "kind = \"wilcoxon-signed-rank\"",
    "kind = \"sign\"",
    "kind = \"welch-t\"",
    "kind = \"equivalence\"\nform = \"wilcoxon\"\nmargin = 0.1",
    "kind = \"bootstrap\"",
    "kind = \"friedman\"",
    "kind = \"bayesian-signed-rank\"\nregion = 0.01",
];

#[test]
fn tests_that_take_what_overlaps_for_independent_are_refused() {
    for kind in NAIVE {
        for (task, pair_by, why) in [
            (CV, "fold", ["takes folds of `visits` for independent", "training sets overlap"]),
            (CV, "auto", ["takes folds of `visits` for independent", "training sets overlap"]),
            (
                CV,
                "repeat",
                ["takes repeats of `visits` for independent", "repeats are of the same examples"],
            ),
            (
                SHARES,
                "repeat",
                ["takes divisions of `visits` for independent", "training sets overlap"],
            ),
            (
                SHARES,
                "auto",
                ["takes divisions of `visits` for independent", "training sets overlap"],
            ),
            (
                PAIRS,
                "problem",
                ["takes problems of `visits` for independent", "class pairs share classes"],
            ),
            (
                PAIRS,
                "auto",
                ["takes problems of `visits` for independent", "class pairs share classes"],
            ),
        ] {
            let keys = format!("{kind}\npair_by = \"{pair_by}\"");
            let said = refusal(task, &keys, false).unwrap_or_else(|| panic!("{keys}\n{task}"));
            assert!(why.iter().all(|why| said.contains(why)), "{keys}\n{said}");
            // The line, and the way out.
            assert!(said.contains(".toml:") && said.contains("dependence = \"ignored\""), "{said}");
            let ignored = format!("{keys}\ndependence = \"ignored\"");
            assert_eq!(refusal(task, &ignored, false), None, "{ignored}");
        }
    }
}

#[test]
fn tests_that_are_made_for_what_overlaps_are_not_refused() {
    for kind in [
        "kind = \"corrected-resampled-t\"",
        "kind = \"bayesian-correlated-t\"\nregion = 0.01",
        "kind = \"equivalence\"\nmargin = 0.1",
    ] {
        for (task, pair_by) in [(CV, "fold"), (CV, "auto"), (SHARES, "repeat")] {
            assert_eq!(refusal(task, &format!("{kind}\npair_by = \"{pair_by}\""), false), None);
        }
        let repeats = refusal(CV, &format!("{kind}\npair_by = \"repeat\""), false).unwrap();
        assert!(repeats.contains("repeats are of the same examples"), "{repeats}");
    }
    // Data sets, and runs on the same training set, are no such thing.
    for kind in NAIVE {
        let seeds = "split = { share = { test = 0.5, repeats = 1 } }";
        assert_eq!(refusal(seeds, &format!("{kind}\npair_by = \"example\""), false), None);
    }
}

/// The file is right, its test is computed, and what it ignores stands beside its p-value everywhere.
#[test]
fn what_a_test_ignores_is_printed_beside_its_p_value() {
    let test = "kind = \"paired-t\"\npair_by = \"fold\"\ndependence = \"ignored\"";
    let bench = bench("split = { cv = { folds = 5 } }", test, false);
    let dir = bench.run("r");
    let said = "dependence ignored: training sets overlap";
    let row = &rows(&dir.join("tests.csv"))[0];
    assert!(!row["p"].is_empty());
    assert_eq!(row["note"], said);
    for file in ["report.md", "report.html"] {
        assert!(std::fs::read_to_string(dir.join(file)).unwrap().contains(said), "{file}");
    }
}

#[test]
fn equivalence_over_folds_is_corrected_unless_it_ignores_them() {
    let p = |keys: &str| {
        let test = format!("kind = \"equivalence\"\npair_by = \"fold\"\nmargin = 0.2\n{keys}");
        let bench = bench("split = { cv = { folds = 5 } }", &test, false);
        let dir = bench.run("r");
        rows(&dir.join("tests.csv"))[0]["p"].parse::<f64>().unwrap()
    };
    assert!(p("dependence = \"ignored\"") < p(""));
}

#[test]
fn by_example_other_tests_are_refused_where_examples_are_of_groups() {
    for (task, grouped) in
        [("split = { share = { test = 0.5, repeats = 1 } }", true), (PAIRS, false)]
    {
        for kind in [
            "kind = \"mcnemar\"",
            "kind = \"cochran-q\"",
            "kind = \"sign\"\npair_by = \"example\"",
            "kind = \"wilcoxon-signed-rank\"\npair_by = \"example\"",
            "kind = \"bootstrap\"\npair_by = \"example\"",
        ] {
            let said = refusal(task, kind, grouped).unwrap_or_else(|| panic!("{kind}"));
            assert!(said.contains("examples of one group go together"), "{said}");
            assert!(said.contains("kind = \"paired-t\""), "{said}");
            let ignored = format!("{kind}\ndependence = \"ignored\"");
            assert_eq!(refusal(task, &ignored, grouped), None);
        }
        for kind in ["kind = \"paired-t\"", "kind = \"equivalence\"\nmargin = 0.1"] {
            assert_eq!(refusal(task, &format!("{kind}\npair_by = \"example\""), grouped), None);
        }
    }
}

/// The values of a stored list, of the trials of each method in the order of their problems.
fn examples(dir: &std::path::Path, metric: &str) -> BTreeMap<String, Vec<f64>> {
    let kept: BTreeMap<String, Vec<f64>> = rows(&dir.join(format!("examples/{metric}.csv")))
        .into_iter()
        .map(|row| {
            let bits = row["bits"].chars().map(|bit| f64::from(bit.to_digit(2).unwrap()));
            let values = row["values"].split_whitespace().map(|value| value.parse().unwrap());
            (row["key"].clone(), bits.chain(values).collect())
        })
        .collect();
    let mut trials = rows(&dir.join("trials.csv"));
    trials.sort_by_key(|row| row["problem"].clone());
    let mut of_methods: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in &trials {
        of_methods.entry(row["method"].clone()).or_default().extend(&kept[&row["key"]]);
    }
    of_methods
}

/// By the definition: each cluster's mean residual is one observation, as often as it has members.
fn p_of_clusters(differences: &[f64], clusters: &[f64]) -> f64 {
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let mut all: Vec<u64> = clusters.iter().map(|cluster| *cluster as u64).collect();
    all.sort_unstable();
    all.dedup();
    let squares: f64 = all
        .iter()
        .map(|one| {
            let members = differences.iter().zip(clusters).filter(|(_, c)| **c as u64 == *one);
            let sum: f64 = members.map(|(difference, _)| difference - mean).sum();
            sum * sum
        })
        .sum();
    let g = all.len() as f64;
    student_t::two_sided(mean / (squares * g / (g - 1.0)).sqrt() * n, g - 1.0)
}

#[test]
fn examples_of_a_group_or_of_several_problems_are_one_cluster() {
    let test = "kind = \"paired-t\"\npair_by = \"example\"";
    let shares = "split = { share = { test = 0.5, repeats = 1 } }";
    let by_group = "split = { share = { test = 0.5, repeats = 1, grouped = true } }";
    for (task, grouped) in [(shares, true), (PAIRS, false), (PAIRS, true), (by_group, true)] {
        let bench = bench(task, test, grouped);
        let dir = bench.run("r");
        let (values, clusters) = (examples(&dir, "test_accuracy"), examples(&dir, "test_clusters"));
        let clusters = &clusters["1-NN"];
        let differences: Vec<f64> =
            values["1-NN"].iter().zip(&values["5-NN"]).map(|(one, other)| one - other).collect();
        assert_eq!(clusters.len(), differences.len());
        if grouped {
            assert!(clusters.iter().all(|cluster| *cluster < 30.0), "{clusters:?}");
        }
        let row = &rows(&dir.join("tests.csv"))[0];
        assert_eq!(row["over"], "test examples in groups, of these fitted models");
        let groups = clusters.iter().map(|one| *one as u64).collect::<BTreeSet<_>>().len();
        let all = differences.len();
        let said = format!(", {all} test examples in {groups} groups, of these fitted models)");
        assert!(row["sentence"].contains(&said), "{said}: {row:?}");
        // The level of the corrected t over divisions is not that of this test.
        assert!(!row["note"].contains("divisions by group"), "{row:?}");
        let (found, expected) =
            (row["p"].parse::<f64>().unwrap(), p_of_clusters(&differences, clusters));
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    }
    // Of examples that are independent nothing of the kind is kept.
    let bench = bench(shares, test, false);
    let dir = bench.run("r");
    assert!(!dir.join("examples/test_clusters.csv").exists());
    assert_eq!(rows(&dir.join("tests.csv"))[0]["over"], "test examples of these fitted models");
}
