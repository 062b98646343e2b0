use super::*;
use std::collections::BTreeSet;

use crate::marks::Marks;
use crate::{Labels, PublishedSplit, Targets};
use contract::Examples;
use contract::binary::BinaryRows;
use proptest::prelude::*;

pub(crate) fn dataset(examples: usize) -> Dataset {
    let mut rows = BinaryRows::new(1);
    (0..examples).for_each(|_| rows.push(&[]));
    Dataset::new("d", Digest::of(b"d"), Examples::Binary(rows))
}

fn cv(folds: usize) -> SplitPlan {
    SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::Evenly }
}

proptest! {
    #[test]
    fn folds_partition_the_examples(examples in 2usize..80, folds in 2usize..12, seed: u64) {
        prop_assume!(folds <= examples);
        let (dataset, seed) = (dataset(examples), Digest::of(&seed.to_le_bytes()));
        let mut seen = Vec::new();
        for fold in 0..folds {
            let division = cv(folds).divide(&dataset, Members::All, seed, fold).unwrap();
            prop_assert!(division.test.len().abs_diff(examples / folds) <= 1);
            prop_assert!(division.test.is_sorted() && division.train.is_sorted());
            let mut all = [division.train.clone(), division.test.clone()].concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..examples));
            prop_assert_eq!(&division, &cv(folds).divide(&dataset, Members::All, seed, fold).unwrap());
            seen.extend(division.test);
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..examples));
    }

    #[test]
    fn resamples_are_disjoint_and_of_the_sizes_asked_for(
        train in 1usize..40, test in 1usize..40, spare in 0usize..20, seed: u64,
    ) {
        let plan = SplitPlan::Resample { train, test, repeats: 1 };
        let dataset = dataset(train + test + spare);
        let division = plan.divide(&dataset, Members::All, Digest::of(&seed.to_le_bytes()), 0).unwrap();
        prop_assert_eq!((division.train.len(), division.test.len()), (train, test));
        prop_assert!(division.train.iter().all(|i| division.test.binary_search(i).is_err()));
    }
}

#[test]
fn seeds_divide_differently() {
    let dataset = dataset(50);
    let test =
        |seed: &[u8]| cv(5).divide(&dataset, Members::All, Digest::of(seed), 0).unwrap().test;
    assert_ne!(test(b"one"), test(b"two"));
}

#[test]
fn published_split_and_leave_one_out() {
    let mut dataset = dataset(6);
    let one = SplitPlan::LeaveOneOut.divide(&dataset, Members::All, Digest::of(b""), 4).unwrap();
    assert_eq!((one.train, one.test), (vec![0, 1, 2, 3, 5], vec![4]));
    dataset.published = Some(PublishedSplit { train: 0..3, valid: 3..4, test: 4..6 });
    let expected = Division { train: vec![0, 1, 2], valid: vec![3], test: vec![4, 5] };
    let redrawn = SplitPlan::Redrawn { repeats: 3 };
    for plan in [SplitPlan::Published, redrawn.clone()] {
        let division = plan.divide(&dataset, Members::All, Digest::of(b""), 0).unwrap();
        assert_eq!(division, expected);
    }
    assert_eq!(redrawn.pairs(&dataset, Members::All, 2).count(), 6);
}

/// Labels 0 and 1 in turn, and every third example of class 2.
fn labelled(examples: usize) -> Dataset {
    let label = |index: u32| if index.is_multiple_of(3) { 2 } else { index % 2 };
    let classes = ["a", "b", "c"].map(str::to_owned).to_vec();
    let of_example = (0..examples as u32).map(label).collect();
    Dataset { targets: Targets::Classes(Labels { classes, of_example }), ..dataset(examples) }
}

proptest! {
    #[test]
    fn stratified_folds_have_every_class_in_proportion(
        examples in 12usize..80, folds in 2usize..8, seed: u64,
    ) {
        let (dataset, seed) = (labelled(examples), Digest::of(&seed.to_le_bytes()));
        let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::ByClass };
        let labels = &dataset.targets.labels().unwrap().of_example;
        let mut seen = Vec::new();
        for fold in 0..folds {
            let division = plan.divide(&dataset, Members::All, seed, fold).unwrap();
            for class in 0..3 {
                let of = |examples: &[usize]| {
                    examples.iter().filter(|&&example| labels[example] == class).count()
                };
                let all = of(&division.train) + of(&division.test);
                prop_assert!(of(&division.test).abs_diff(all / folds) <= 1);
            }
            seen.extend(division.test);
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..examples));
    }
}

#[test]
fn only_members_are_divided() {
    let dataset = dataset(20);
    let members = [1, 4, 7, 11, 13, 19];
    let division = cv(3).divide(&dataset, Members::Some(&members), Digest::of(b""), 1).unwrap();
    let mut all = [division.train, division.test.clone()].concat();
    all.sort_unstable();
    assert_eq!((all, division.test.len()), (members.to_vec(), 2));
    let pairs = SplitPlan::LeaveOneOut.pairs(&dataset, Members::Some(&members), 1);
    assert_eq!(pairs.count(), 6);
}

#[test]
fn published_folds_are_those_of_the_authors() {
    let dataset = Dataset { folds: Some(vec![1, 0, 2, 1]), ..dataset(4) };
    let division = SplitPlan::Folds.divide(&dataset, Members::All, Digest::of(b""), 1).unwrap();
    assert_eq!((division.train, division.test), (vec![1, 2], vec![0, 3]));
    assert_eq!(SplitPlan::Folds.pairs(&dataset, Members::All, 1).count(), 3);
}

#[test]
fn pairs_run_over_the_repeats_of_task_and_split() {
    let plan = SplitPlan::CrossValidation { folds: 2, repeats: 2, dealt: Dealt::Evenly };
    let pairs: Vec<_> = plan.pairs(&dataset(10), Members::All, 2).collect();
    assert_eq!(pairs, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]);
    assert_eq!(SplitPlan::LeaveOneOut.pairs(&dataset(3), Members::All, 1).count(), 3);
    assert_eq!(
        SplitPlan::Published.pairs(&dataset(3), Members::All, 3).collect::<Vec<_>>(),
        [(0, 0), (1, 0), (2, 0)]
    );
}

proptest! {
    #[test]
    fn groups_are_in_one_fold_and_folds_are_of_similar_size(
        examples in 12usize..80, groups in 4u32..12, folds in 2usize..5, seed: u64,
    ) {
        let of: Vec<u32> = (0..examples as u32).map(|example| example % groups).collect();
        let marks = Marks { groups: Some(of.clone()), times: None };
        let dataset = Dataset { marks, ..dataset(examples) };
        let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::ByGroup };
        let seed = Digest::of(&seed.to_le_bytes());
        let mut seen = Vec::new();
        let largest = (0..groups).map(|group| of.iter().filter(|g| **g == group).count()).max();
        for fold in 0..folds {
            let division = plan.divide(&dataset, Members::All, seed, fold).unwrap();
            let tested: BTreeSet<u32> = division.test.iter().map(|&e| of[e]).collect();
            prop_assert!(division.train.iter().all(|&e| !tested.contains(&of[e])));
            // Greedy: no fold exceeds another by more than a group.
            let fair = examples.div_ceil(folds) + largest.unwrap();
            prop_assert!((1..=fair).contains(&division.test.len()));
            seen.extend(division.test);
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..examples));
    }

    #[test]
    fn a_share_has_its_size_and_keeps_groups_whole_or_classes_in_proportion(
        examples in 24usize..90, groups in 6u32..12, percent in 20usize..60, seed: u64,
    ) {
        let of: Vec<u32> = (0..examples as u32).map(|example| example % groups).collect();
        let classes = ["a", "b"].map(str::to_owned).to_vec();
        let labels = of.iter().map(|group| u32::from(group.is_multiple_of(3))).collect();
        let dataset = Dataset {
            marks: Marks { groups: Some(of.clone()), times: None },
            targets: Targets::Classes(Labels { classes, of_example: labels }),
            ..dataset(examples)
        };
        let test = percent as f64 / 100.0;
        let wanted = (test * examples as f64).round() as usize;
        let largest = examples.div_ceil(groups as usize);
        let first = |group: &u32| group.is_multiple_of(3);
        for dealt in [Dealt::Evenly, Dealt::ByClass, Dealt::ByGroup] {
            let plan = SplitPlan::Share { test, repeats: 1, dealt };
            let seed = Digest::of(&seed.to_le_bytes());
            let division = plan.divide(&dataset, Members::All, seed, 0).unwrap();
            prop_assert!(plan.least_training(&dataset, Members::All) <= division.train.len());
            let tested: BTreeSet<u32> = division.test.iter().map(|&e| of[e]).collect();
            match dealt {
                Dealt::Evenly => prop_assert_eq!(division.test.len(), wanted),
                Dealt::ByClass => {
                    prop_assert_eq!(division.test.len(), wanted);
                    let all = of.iter().filter(|group| first(group)).count() as f64;
                    let here = division.test.iter().filter(|&&e| first(&of[e])).count() as f64;
                    prop_assert!((here - test * all).abs() <= 1.5);
                }
                Dealt::ByGroup => {
                    prop_assert!((wanted..wanted + largest).contains(&division.test.len()));
                    prop_assert!(division.train.iter().all(|&e| !tested.contains(&of[e])));
                }
            }
            let mut all = [division.train, division.test].concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..examples));
        }
    }

    #[test]
    fn what_is_tested_comes_after_all_that_is_trained_on(
        examples in 20usize..80, folds in 1usize..5, step in 1u32..4,
    ) {
        let times: Vec<u32> = (0..examples as u32).rev().map(|e| e / step).collect();
        let marks = Marks { groups: None, times: Some(times.clone()) };
        let dataset = Dataset { marks, ..dataset(examples) };
        let plan = SplitPlan::Ordered { folds };
        let mut before = 0;
        for fold in 0..folds {
            let seed = Digest::of(b"");
            let Division { train, test, .. } =
                plan.divide(&dataset, Members::All, seed, fold).unwrap();
            let last = train.iter().map(|&e| times[e]).max().unwrap();
            prop_assert!(test.iter().all(|&e| times[e] > last));
            prop_assert!(train.len() > before);
            before = train.len();
            if fold + 1 == folds {
                prop_assert_eq!(train.len() + test.len(), examples);
            }
        }
    }
}

#[test]
fn splits_by_groups_and_time_say_what_they_lack() {
    let grouped = |folds| SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::ByGroup };
    let marked = |groups: Vec<u32>, times: Vec<u32>| {
        let marks = Marks { groups: Some(groups), times: Some(times) };
        Dataset { marks, ..dataset(4) }
    };
    let message = |plan: SplitPlan, dataset: &Dataset| {
        plan.check(dataset, Members::All).unwrap_err().to_string()
    };
    let plain = dataset(4);
    assert_eq!(message(grouped(2), &plain), "dataset `d` has no groups, but the split is grouped");
    assert_eq!(
        message(SplitPlan::Ordered { folds: 2 }, &plain),
        "dataset `d` has no times, but the split is ordered in time"
    );
    let marked = marked(vec![0, 0, 1, 1], vec![0, 1, 1, 1]);
    assert_eq!(message(grouped(3), &marked), "3 folds of the 2 groups of dataset `d`");
    assert_eq!(
        message(SplitPlan::Ordered { folds: 2 }, &marked),
        "2 folds in time of dataset `d`, and too many of its 4 examples are of one moment"
    );
    assert_eq!(
        message(SplitPlan::Ordered { folds: 4 }, &marked),
        "4 folds of the 4 examples of dataset `d`"
    );
    let words = [grouped(5).word(), SplitPlan::Ordered { folds: 3 }.word()];
    assert_eq!(words, ["cv-5-grouped", "time-3"]);
}

#[test]
fn shares_say_what_they_lack() {
    let share = |test, dealt| SplitPlan::Share { test, repeats: 1, dealt };
    let message = |plan: SplitPlan, dataset: &Dataset| {
        plan.check(dataset, Members::All).unwrap_err().to_string()
    };
    let plain = dataset(4);
    let nothing = |share| format!("a share of {share} of the 4 examples of dataset `d` to test");
    assert_eq!(message(share(0.1, Dealt::Evenly), &plain), nothing("0.1"));
    assert_eq!(message(share(0.9, Dealt::Evenly), &plain), nothing("0.9"));
    assert_eq!(
        message(share(0.5, Dealt::ByClass), &plain),
        "dataset `d` has no classes, but the split is stratified"
    );
    assert_eq!(
        message(share(0.5, Dealt::ByGroup), &plain),
        "dataset `d` has no groups, but the split is grouped"
    );
    // Were the group of three drawn second, nothing would be left.
    let marks = Marks { groups: Some(vec![0, 1, 1, 1]), times: None };
    let marked = Dataset { marks, ..dataset(4) };
    assert_eq!(message(share(0.5, Dealt::ByGroup), &marked), nothing("0.5"));
    assert!(share(0.25, Dealt::ByGroup).check(&marked, Members::All).is_ok());
}

#[test]
fn words() {
    let stratified = SplitPlan::CrossValidation { folds: 10, repeats: 3, dealt: Dealt::ByClass };
    let resample = SplitPlan::Resample { train: 335, test: 100, repeats: 50 };
    let plans = [
        SplitPlan::Published,
        cv(10),
        stratified,
        resample,
        SplitPlan::Share { test: 0.2, repeats: 30, dealt: Dealt::ByGroup },
        SplitPlan::LeaveOneOut,
        SplitPlan::Folds,
        SplitPlan::Redrawn { repeats: 10 },
    ];
    let words: Vec<String> = plans.iter().map(SplitPlan::word).collect();
    assert_eq!(
        words,
        [
            "published",
            "cv-10",
            "cv-10-stratified",
            "resample-335-100",
            "share-0.2-grouped",
            "leave-one-out",
            "folds",
            "redrawn"
        ]
    );
}

#[test]
fn what_a_dataset_lacks_is_said() {
    let message = |plan: SplitPlan, examples: usize, fold: usize| {
        plan.divide(&dataset(examples), Members::All, Digest::of(b""), fold)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(SplitPlan::Published, 3, 0), "dataset `d` has no published split");
    assert_eq!(
        message(SplitPlan::Folds, 3, 0),
        "dataset `d` has no published folds, but the split is \"folds\""
    );
    assert_eq!(
        message(SplitPlan::CrossValidation { folds: 2, repeats: 1, dealt: Dealt::ByClass }, 3, 0),
        "dataset `d` has no classes, but the split is stratified"
    );
    assert_eq!(message(cv(1), 3, 0), "1 folds of the 3 examples of dataset `d`");
    assert_eq!(message(cv(4), 3, 0), "4 folds of the 3 examples of dataset `d`");
    assert_eq!(message(SplitPlan::LeaveOneOut, 1, 0), "1 folds of the 1 examples of dataset `d`");
    assert_eq!(message(cv(3), 3, 3), "fold 3 of 3 of dataset `d`");
    for (train, test) in [(3, 1), (0, 1), (1, 0), (usize::MAX, 1)] {
        let plan = SplitPlan::Resample { train, test, repeats: 1 };
        let expected = format!("{train} training and {test} test examples of the 3 of dataset `d`");
        assert_eq!(message(plan, 3, 0), expected);
    }
}
