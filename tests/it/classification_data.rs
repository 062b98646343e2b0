//! The EVM paper's classification sets, as they come from the mirror: their content is what scikit-learn
//! makes of the same files, and their sizes are those of the paper's Table 1, as far as docs/reference/data.md says
//! so.

use std::path::Path;

use reprise::base::digest::Digest;
use reprise::contract::parameter::Value;
use reprise::data::split::SplitPlan;
use reprise::data::{DataConfig, Dataset, Library};
use reprise::seal::Manifest;
use reprise::task::Problem;
use reprise::task::classification::ClassificationData;

use crate::support::registry::mirror;

/// The library over the mirror; none without one.
fn library() -> Option<Library> {
    let config = DataConfig { mirror: Some(mirror()?), offline: true, ..DataConfig::default() };
    Some(Library::open(&config, None).unwrap())
}

/// Digests of the content, as `tests/reference/classification_data.py` prints them (scikit-learn 1.9.1,
/// NumPy 2.4.6, Python 3.11.7).
const REFERENCE: [(&str, &str); 7] = [
    ("20newsgrp", "98ad153f8562c256fff0bacdbebfd33990d423bfab6165c00c1ca9b01aff4127"),
    ("reuters-8", "6c59fbbd6dd66dc967f31ad268a924632efa5083148a59566ee79f2020bf300e"),
    ("reuters-8-sgml", "083ac0730d56c4e589d97bb091a2a16f7493d45d9d363204a908b15282159310"),
    ("polarity", "d54be5872466671abbaf050979f64a6d04251f160b6b0d3ce710f5949c683731"),
    ("enron", "84d3c834c47dd51487270bbe629206ed2e5e1335502dc436eb5022619377066a"),
    ("webkb", "a5bb3a230332018b2fc456b13bd154e0f6c18d5950a7a274f37e1daf1096a10a"),
    ("mnist", "b71feb7c44e95ab23381a89be9cb9e4643ce9380c6ab37ba6579c1dab35eb442"),
];

#[test]
fn the_content_is_that_of_scikit_learn() {
    let Some(library) = library() else { return };
    for (id, digest) in REFERENCE {
        assert_eq!(library.load(id).unwrap().digest.to_string(), digest, "{id}");
    }
    let threshold = [("threshold".to_owned(), Value::Integer(50))];
    let digest = "bc572b53d206f4b667147fdc61dbfeec05aac6f1d39f2f42fc0af4fe6188c28d";
    assert_eq!(library.load_with("mnist", &threshold).unwrap().digest.to_string(), digest);
}

/// Means of the numbers of variables, training and test examples over problems and folds.
fn means(dataset: &Dataset, split: &SplitPlan, pairs: bool, repeats: u8) -> [f64; 3] {
    let labels = dataset.targets.labels().unwrap();
    let problems = if pairs {
        Problem::pairs(&labels.classes)
    } else {
        vec![Problem::whole(labels.classes.len())]
    };
    let (mut sums, mut count) = ([0; 3], 0);
    for repeat in 0..repeats {
        let all: Vec<usize> = (0..dataset.examples.len()).collect();
        for fold in 0..split.folds(dataset, all.len()) {
            let seed = Digest::of(&[repeat]);
            let division = split.divide(dataset, &all, seed, fold).unwrap();
            for problem in &problems {
                let data = ClassificationData::new(dataset, &labels.of_example, &division, problem);
                let (train, test) = (data.train.labels.len(), data.test.labels.len());
                sums[0] += data.train.examples.variables();
                sums[1] += train;
                sums[2] += test;
                count += 1;
            }
        }
    }
    sums.map(|sum| sum as f64 / f64::from(count))
}

fn assert_rounded(found: [f64; 3], expected: [&str; 3]) {
    assert_eq!(found.map(|mean| format!("{mean:.1}")), expected);
}

#[test]
fn sizes_are_those_of_the_papers_table_1() {
    let Some(library) = library() else { return };
    let load = |id: &str| library.load(id).unwrap();
    let (published, folds) = (SplitPlan::Published, SplitPlan::Folds);
    let resample = SplitPlan::Resample { train: 4000, test: 1000, repeats: 1 };
    // The paper's own numbers.
    assert_rounded(means(&load("20newsgrp"), &published, true, 1), ["19726.1", "1131.4", "753.2"]);
    // The paper has 38,045.8, 7,290.0 and 19,398.0 variables, and the same examples.
    assert_rounded(means(&load("polarity"), &folds, false, 1), ["38046.3", "1800.0", "200.0"]);
    assert_rounded(means(&load("webkb"), &published, true, 1), ["7287.0", "1401.5", "698.0"]);
    assert_rounded(means(&load("reuters-8"), &published, true, 1), ["19956.0", "1371.2", "547.2"]);
    assert_rounded(
        means(&load("reuters-8-sgml"), &published, true, 1),
        ["21426.0", "1371.2", "547.2"],
    );
    assert_rounded(means(&load("mnist"), &published, true, 1), ["784.0", "12000.0", "2000.0"]);
    // The paper has 43,813.6, over other draws.
    let [variables, train, test] = means(&load("enron"), &resample, false, 10);
    assert!((43_000.0..44_500.0).contains(&variables), "{variables}");
    assert_eq!((train, test), (4000.0, 1000.0));
}

#[test]
fn datasets_of_committed_results_have_not_changed() {
    let Some(library) = library() else { return };
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/evm/table5");
    let manifest = Manifest::read(&results).unwrap().unwrap();
    assert!(!manifest.datasets.is_empty());
    for (id, digest) in &manifest.datasets {
        assert_eq!(library.load(id).unwrap().digest, *digest, "{id}");
    }
}
