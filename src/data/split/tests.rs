use super::*;
use std::collections::{BTreeMap, BTreeSet};

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

/// All its examples.
pub(crate) fn every(dataset: &Dataset) -> Vec<usize> {
    (0..dataset.examples.len()).collect()
}

const BY_CLASS: Dealt = Dealt { stratified: true, grouped: false };
const BY_GROUP: Dealt = Dealt { stratified: false, grouped: true };

fn in_time(folds: usize) -> SplitPlan {
    SplitPlan::Ordered { folds, forward: Forward::default() }
}

fn grouped(of: Vec<u32>) -> Dataset {
    let examples = of.len();
    Dataset { marks: Marks { groups: Some(of), times: None }, ..dataset(examples) }
}

fn cv(folds: usize) -> SplitPlan {
    SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::default() }
}

proptest! {
    #[test]
    fn folds_partition_the_examples(examples in 2usize..80, folds in 2usize..12, seed: u64) {
        prop_assume!(folds <= examples);
        let (dataset, seed) = (dataset(examples), Digest::of(&seed.to_le_bytes()));
        let mut seen = Vec::new();
        for fold in 0..folds {
            let division = cv(folds).divide(&dataset, &every(&dataset), seed, fold).unwrap();
            prop_assert!(division.test.len().abs_diff(examples / folds) <= 1);
            prop_assert!(division.test.is_sorted() && division.train.is_sorted());
            let mut all = [division.train.clone(), division.test.clone()].concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..examples));
            prop_assert_eq!(&division, &cv(folds).divide(&dataset, &every(&dataset), seed, fold).unwrap());
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
        let division = plan.divide(&dataset, &every(&dataset), Digest::of(&seed.to_le_bytes()), 0).unwrap();
        prop_assert_eq!((division.train.len(), division.test.len()), (train, test));
        prop_assert!(division.train.iter().all(|i| division.test.binary_search(i).is_err()));
    }
}

#[test]
fn seeds_divide_differently() {
    let dataset = dataset(50);
    let test =
        |seed: &[u8]| cv(5).divide(&dataset, &every(&dataset), Digest::of(seed), 0).unwrap().test;
    assert_ne!(test(b"one"), test(b"two"));
}

#[test]
fn published_split_and_leave_one_out() {
    let mut dataset = dataset(6);
    let one =
        SplitPlan::LeaveOneOut.divide(&dataset, &every(&dataset), Digest::of(b""), 4).unwrap();
    assert_eq!((one.train, one.test), (vec![0, 1, 2, 3, 5], vec![4]));
    dataset.published = Some(PublishedSplit { train: 0..3, valid: 3..4, test: 4..6 });
    let expected = Division { train: vec![0, 1, 2], valid: vec![3], test: vec![4, 5] };
    let redrawn = SplitPlan::Redrawn { repeats: 3 };
    for plan in [SplitPlan::Published, redrawn] {
        let division = plan.divide(&dataset, &every(&dataset), Digest::of(b""), 0).unwrap();
        assert_eq!(division, expected);
    }
    assert_eq!((redrawn.repeats(), redrawn.folds(&dataset, dataset.examples.len())), (3, 1));
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
        let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt: BY_CLASS };
        let labels = &dataset.targets.labels().unwrap().of_example;
        let mut seen = Vec::new();
        for fold in 0..folds {
            let division = plan.divide(&dataset, &every(&dataset), seed, fold).unwrap();
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
    let division = cv(3).divide(&dataset, &members, Digest::of(b""), 1).unwrap();
    let mut all = [division.train, division.test.clone()].concat();
    all.sort_unstable();
    assert_eq!((all, division.test.len()), (members.to_vec(), 2));
    assert_eq!(SplitPlan::LeaveOneOut.folds(&dataset, members.len()), 6);
}

#[test]
fn published_folds_are_those_of_the_authors() {
    let dataset = Dataset { folds: Some(vec![1, 0, 2, 1]), ..dataset(4) };
    let division = SplitPlan::Folds.divide(&dataset, &every(&dataset), Digest::of(b""), 1).unwrap();
    assert_eq!((division.train, division.test), (vec![1, 2], vec![0, 3]));
    assert_eq!(SplitPlan::Folds.folds(&dataset, dataset.examples.len()), 3);
}

proptest! {
    #[test]
    fn groups_are_in_one_fold_and_folds_are_of_similar_size(
        examples in 12usize..80, groups in 4u32..12, folds in 2usize..5, seed: u64,
    ) {
        let of: Vec<u32> = (0..examples as u32).map(|example| example % groups).collect();
        let marks = Marks { groups: Some(of.clone()), times: None };
        let dataset = Dataset { marks, ..dataset(examples) };
        let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt: BY_GROUP };
        let seed = Digest::of(&seed.to_le_bytes());
        let mut seen = Vec::new();
        let largest = (0..groups).map(|group| of.iter().filter(|g| **g == group).count()).max();
        for fold in 0..folds {
            let division = plan.divide(&dataset, &every(&dataset), seed, fold).unwrap();
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
        for dealt in [Dealt::default(), BY_CLASS, BY_GROUP, Dealt { stratified: true, grouped: true }] {
            let plan = SplitPlan::Share { test, repeats: 1, dealt };
            let seed = Digest::of(&seed.to_le_bytes());
            let division = plan.divide(&dataset, &every(&dataset), seed, 0).unwrap();
            let tested: BTreeSet<u32> = division.test.iter().map(|&e| of[e]).collect();
            if dealt.grouped {
                let wanted = (1..groups).find(|&n| u64::from(n) * 100 >= percent as u64 * u64::from(groups));
                prop_assert_eq!(Some(tested.len() as u32), wanted);
                prop_assert!(division.train.iter().all(|&e| !tested.contains(&of[e])));
            } else {
                prop_assert_eq!(division.test.len(), wanted);
            }
            if dealt.stratified {
                // Units are groups or rows.
                let unit = if dealt.grouped { largest as f64 } else { 1.0 };
                let all = of.iter().filter(|group| first(group)).count() as f64;
                let here = division.test.iter().filter(|&&e| first(&of[e])).count() as f64;
                prop_assert!((here - test * all).abs() <= 2.5 * unit, "{here} of {all} for {test}");
            }
            let mut all = [division.train, division.test].concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..examples));
        }
    }

    /// Groups are of one class each: no fold has more of a class than another by more than a group.
    #[test]
    fn stratified_groups_are_whole_and_have_every_class_in_proportion(
        sizes in prop::collection::vec(1usize..7, 8..30), folds in 2usize..5, seed: u64,
    ) {
        let of: Vec<u32> =
            sizes.iter().enumerate().flat_map(|(group, &size)| vec![group as u32; size]).collect();
        let class = |group: u32| u32::from(group.is_multiple_of(3));
        let labels = of.iter().map(|&group| class(group)).collect();
        let classes = ["a", "b"].map(str::to_owned).to_vec();
        let dataset = Dataset {
            targets: Targets::Classes(Labels { classes, of_example: labels }),
            ..grouped(of.clone())
        };
        let dealt = Dealt { stratified: true, grouped: true };
        let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt };
        let seed = Digest::of(&seed.to_le_bytes());
        let mut counts = [Vec::new(), Vec::new()];
        for fold in 0..folds {
            let division = plan.divide(&dataset, &every(&dataset), seed, fold).unwrap();
            let tested: BTreeSet<u32> = division.test.iter().map(|&e| of[e]).collect();
            prop_assert!(division.train.iter().all(|&e| !tested.contains(&of[e])));
            prop_assert!(!division.test.is_empty());
            for (which, counts) in counts.iter_mut().enumerate() {
                let here = division.test.iter().filter(|&&e| class(of[e]) == which as u32);
                counts.push(here.count());
            }
        }
        for (which, counts) in counts.into_iter().enumerate() {
            let own = sizes.iter().enumerate().filter(|(g, _)| class(*g as u32) == which as u32);
            let largest = own.map(|(_, size)| *size).max().unwrap();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= largest);
        }
    }

    /// As scikit-learn's `TimeSeriesSplit` where all blocks are of one size and no two rows of one moment.
    #[test]
    fn a_gap_and_a_window_are_those_of_scikit_learn(
        block in 2usize..12, folds in 1usize..6, gap in 0usize..12, window in prop::option::of(1usize..30),
    ) {
        prop_assume!(gap < block);
        let examples = block * (folds + 1);
        let times = Some((0..examples as u32).rev().collect());
        let dataset = Dataset { marks: Marks { groups: None, times }, ..dataset(examples) };
        let plan = SplitPlan::Ordered { folds, forward: Forward { gap, window } };
        for fold in 0..folds {
            let division = plan.divide(&dataset, &every(&dataset), Digest::default(), fold).unwrap();
            let in_time = |places: Vec<usize>| -> Vec<usize> {
                places.into_iter().rev().map(|place| examples - 1 - place).collect()
            };
            let (test_start, train_end) = ((fold + 1) * block, (fold + 1) * block - gap);
            let train_start = train_end - window.unwrap_or(train_end).min(train_end);
            prop_assert!(in_time(division.train).into_iter().eq(train_start..train_end));
            prop_assert!(in_time(division.test).into_iter().eq(test_start..test_start + block));
        }
    }

    #[test]
    fn what_is_tested_comes_after_all_that_is_trained_on(
        examples in 20usize..80, folds in 1usize..5, step in 1u32..4,
    ) {
        let times: Vec<u32> = (0..examples as u32).rev().map(|e| e / step).collect();
        let marks = Marks { groups: None, times: Some(times.clone()) };
        let dataset = Dataset { marks, ..dataset(examples) };
        let plan = in_time(folds);
        let mut before = 0;
        for fold in 0..folds {
            let seed = Digest::of(b"");
            let Division { train, test, .. } =
                plan.divide(&dataset, &every(&dataset), seed, fold).unwrap();
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
fn the_largest_test_set_is_known_before_anything_is_divided() {
    let times = Some((0..30).map(|example| example / 4).collect());
    let folds = Some((0..30).map(|example| u32::from(example > 10)).collect());
    let published = Some(PublishedSplit { train: 0..20, valid: 20..23, test: 23..30 });
    let marks = Marks { groups: None, times };
    let dataset = Dataset { marks, folds, published, ..dataset(30) };
    let (forward, dealt) = (Forward::default(), Dealt::default());
    for plan in [
        SplitPlan::Published,
        SplitPlan::Redrawn { repeats: 2 },
        cv(4),
        in_time(4),
        SplitPlan::Resample { train: 9, test: 5, repeats: 3 },
        SplitPlan::Share { test: 0.3, repeats: 3, dealt },
        SplitPlan::Last { test: 0.3, forward },
        SplitPlan::LeaveOneOut,
        SplitPlan::Folds,
    ] {
        let tested = |fold| {
            let division = plan.divide(&dataset, &every(&dataset), Digest::of(b""), fold);
            division.unwrap().test.len()
        };
        let largest = (0..plan.folds(&dataset, 30)).map(tested).max();
        assert_eq!(plan.tested(&dataset), largest, "{plan:?}");
    }
    assert_eq!(SplitPlan::Published.tested(&self::dataset(3)), None);
}

/// Twenty groups of different sizes: sorted by size, they were divided in one way.
#[test]
fn other_seeds_divide_groups_of_different_sizes_otherwise() {
    let sizes = (1..=20).flat_map(|size| vec![size - 1; size as usize]);
    let dataset = grouped(sizes.collect());
    let plan = SplitPlan::CrossValidation { folds: 5, repeats: 1, dealt: BY_GROUP };
    let divided = |seed: u32| -> BTreeSet<Vec<usize>> {
        let seed = Digest::of(&seed.to_le_bytes());
        (0..5).map(|f| plan.divide(&dataset, &every(&dataset), seed, f).unwrap().test).collect()
    };
    let divisions: BTreeSet<_> = (0..200).map(divided).collect();
    assert_eq!(divisions.len(), 200);
}

/// One group has two fifths of the rows: drawn by its rows, it was in nine of ten test sets, which had .41 of them.
#[test]
fn a_share_of_groups_prefers_no_group() {
    let rows = (0..10).flat_map(|group| vec![group; if group == 0 { 60 } else { 10 }]);
    let dataset = grouped(rows.collect());
    let plan = SplitPlan::Share { test: 0.2, repeats: 1, dealt: BY_GROUP };
    let (mut pairs, mut tested) = (BTreeMap::new(), 0);
    for seed in 0..4500_u32 {
        let seed = Digest::of(&seed.to_le_bytes());
        let test = plan.divide(&dataset, &every(&dataset), seed, 0).unwrap().test;
        let groups = &dataset.marks.groups.as_ref().unwrap();
        let drawn: BTreeSet<u32> = test.iter().map(|&example| groups[example]).collect();
        *pairs.entry(drawn).or_insert(0) += 1;
        tested += test.len();
    }
    // Each of the 45 pairs about a hundred times: 5 standard deviations.
    assert_eq!(pairs.len(), 45);
    assert!(pairs.values().all(|count| (50..150).contains(count)), "{pairs:?}");
    assert!((tested as f64 / (4500.0 * 150.0) - 0.2).abs() < 0.01);
}

/// The sizes that scikit-learn 1.9.1's `GroupShuffleSplit` draws; but seven of a hundred for .07, whose product in doubles
/// is larger than 7.
#[test]
fn a_share_of_groups_is_rounded_up() {
    let drawn = |test, groups: u32| {
        let plan = SplitPlan::Share { test, repeats: 1, dealt: BY_GROUP };
        let dataset = grouped((0..groups).collect());
        let division = plan.divide(&dataset, &every(&dataset), Digest::default(), 0);
        division.map(|division| division.test.len()).map_err(|error| error.to_string())
    };
    for (share, groups, count) in [
        (0.2, 5, 1),
        (0.2, 6, 2),
        (0.25, 10, 3),
        (0.1, 30, 3),
        (0.01, 3, 1),
        (0.6, 2, 1),
        (0.07, 100, 7),
    ] {
        let expected = if (share, groups) == (0.6, 2) {
            Err("dataset `d` has 2 groups, but the split tests on a share of 0.6".to_owned())
        } else {
            Ok(count)
        };
        assert_eq!(drawn(share, groups), expected, "{share} of {groups}");
    }
}

#[test]
fn splits_by_groups_and_time_say_what_they_lack() {
    let grouped = |folds| SplitPlan::CrossValidation { folds, repeats: 1, dealt: BY_GROUP };
    let marked = |groups: Vec<u32>, times: Vec<u32>| {
        let marks = Marks { groups: Some(groups), times: Some(times) };
        Dataset { marks, ..dataset(4) }
    };
    let message = |plan: SplitPlan, dataset: &Dataset| {
        plan.check(dataset, &every(dataset)).unwrap_err().to_string()
    };
    let plain = dataset(4);
    assert_eq!(message(grouped(2), &plain), "dataset `d` has no groups, but the split is grouped");
    assert_eq!(
        message(in_time(2), &plain),
        "dataset `d` has no times, but the split is ordered in time"
    );
    let marked = marked(vec![0, 0, 1, 1], vec![0, 1, 1, 1]);
    assert_eq!(message(grouped(3), &marked), "dataset `d` has 2 groups, but the split has 3 folds");
    assert_eq!(
        message(in_time(2), &marked),
        "dataset `d` has 4 examples, but for 2 folds in time too many are of one moment or in the gap"
    );
    let gap = SplitPlan::Ordered { folds: 1, forward: Forward { gap: 1, window: None } };
    assert!(message(gap, &marked).ends_with("or in the gap"));
    assert_eq!(
        message(in_time(4), &marked),
        "dataset `d` has 4 examples, but the split has 4 folds"
    );
    let rolling = Forward { gap: 2, window: Some(10) };
    let rolling = SplitPlan::Ordered { folds: 3, forward: rolling };
    let words = [grouped(5).word(), in_time(3).word(), rolling.word()];
    assert_eq!(words, ["cv-5-by-group", "time-3", "time-3-gap-2-window-10"]);
}

#[test]
fn shares_say_what_they_lack() {
    let share = |test, dealt| SplitPlan::Share { test, repeats: 1, dealt };
    let message = |plan: SplitPlan, dataset: &Dataset| {
        plan.check(dataset, &every(dataset)).unwrap_err().to_string()
    };
    let plain = dataset(4);
    let nothing =
        |share| format!("dataset `d` has 4 examples, but the split tests on a share of {share}");
    assert_eq!(message(share(0.1, Dealt::default()), &plain), nothing("0.1"));
    assert_eq!(message(share(0.9, Dealt::default()), &plain), nothing("0.9"));
    assert_eq!(
        message(share(0.5, BY_CLASS), &plain),
        "dataset `d` has no classes, but the split is stratified"
    );
    assert_eq!(
        message(share(0.5, BY_GROUP), &plain),
        "dataset `d` has no groups, but the split is grouped"
    );
}

#[test]
fn words() {
    let stratified = SplitPlan::CrossValidation { folds: 10, repeats: 3, dealt: BY_CLASS };
    let resample = SplitPlan::Resample { train: 335, test: 100, repeats: 50 };
    let plans = [
        SplitPlan::Published,
        cv(10),
        stratified,
        resample,
        SplitPlan::Share { test: 0.2, repeats: 30, dealt: BY_GROUP },
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
            "share-0.2-by-group",
            "leave-one-out",
            "folds",
            "redrawn"
        ]
    );
}

#[test]
fn what_a_dataset_lacks_is_said() {
    let message = |plan: SplitPlan, examples: usize, fold: usize| {
        plan.divide(&dataset(examples), &every(&dataset(examples)), Digest::of(b""), fold)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(SplitPlan::Published, 3, 0), "dataset `d` has no published split");
    assert_eq!(
        message(SplitPlan::Folds, 3, 0),
        "dataset `d` has no published folds, but the split is \"folds\""
    );
    assert_eq!(
        message(SplitPlan::CrossValidation { folds: 2, repeats: 1, dealt: BY_CLASS }, 3, 0),
        "dataset `d` has no classes, but the split is stratified"
    );
    assert_eq!(message(cv(1), 3, 0), "dataset `d` has 3 examples, but the split has 1 folds");
    assert_eq!(message(cv(4), 3, 0), "dataset `d` has 3 examples, but the split has 4 folds");
    assert_eq!(
        message(SplitPlan::LeaveOneOut, 1, 0),
        "dataset `d` has 1 examples, but the split has 1 folds"
    );
    assert_eq!(message(cv(3), 3, 3), "dataset `d` has 3 folds, and no fold 3");
    for (train, test) in [(3, 1), (0, 1), (1, 0), (usize::MAX, 1)] {
        let plan = SplitPlan::Resample { train, test, repeats: 1 };
        let expected = format!(
            "dataset `d` has 3 examples, but the split takes {train} training and {test} test examples"
        );
        assert_eq!(message(plan, 3, 0), expected);
    }
}
