//! How examples are divided into training, validation and test sets.

use super::Dataset;
use super::dealt::{self, Dealt, Members, Order, blocks_in_time, fold_of_groups};
use base::digest::Digest;
use math::random::Random;

/// The `split` of an experiment file.
#[derive(Debug, Clone, PartialEq)]
pub enum SplitPlan {
    /// As the dataset's authors split it.
    Published,
    /// As `Published`, with the examples of a generated dataset drawn anew in every repeat but the first, which is
    /// the dataset itself.
    Redrawn {
        /// How often they are drawn.
        repeats: usize,
    },
    /// k-fold cross-validation, repeated.
    CrossValidation {
        /// Number of folds, at least 2.
        folds: usize,
        /// How often the examples are divided anew.
        repeats: usize,
        /// How examples get into folds.
        dealt: Dealt,
    },
    /// Each of so many blocks that follow each other in time is the test set once, all before it are for training.
    Ordered {
        /// Number of blocks that are tested; there is one more.
        folds: usize,
    },
    /// Random training and test sets of fixed sizes, repeated.
    Resample {
        /// Size of the training set.
        train: usize,
        /// Size of the test set.
        test: usize,
        /// How often.
        repeats: usize,
    },
    /// Random test sets of a share of the examples, all others for training, repeated.
    Share {
        /// The share of the test set, between 0 and 1.
        test: f64,
        /// How often.
        repeats: usize,
        /// How examples get into the test set.
        dealt: Dealt,
    },
    /// Each example is the test set once.
    LeaveOneOut,
    /// The folds that the dataset's authors give.
    Folds,
}

/// The examples of one fold, by their indices in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// Training examples.
    pub train: Vec<usize>,
    /// Validation examples: those of a published split, or what `inner` holds out of the training examples; else
    /// none.
    pub valid: Vec<usize>,
    /// Test examples.
    pub test: Vec<usize>,
}

/// A dataset can't be divided as the experiment asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum SplitError {
    /// There is no published split.
    #[error("dataset `{dataset}` has no published split")]
    #[diagnostic(help("use split = {{ cv = {{ folds = 10 }} }} or another random split"))]
    NotPublished {
        /// Dataset id.
        dataset: String,
    },
    /// Its examples can't be drawn anew.
    #[error("dataset `{dataset}` has no random numbers, but the split is \"redrawn\"")]
    #[diagnostic(help(
        "only datasets that a `generator` with a `seed` draws can be drawn anew; use split = \"published\""
    ))]
    NotDrawn {
        /// Dataset id.
        dataset: String,
    },
    /// There are no published folds.
    #[error("dataset `{dataset}` has no published folds, but the split is \"folds\"")]
    #[diagnostic(help("use split = {{ cv = {{ folds = 10 }} }} or \"published\""))]
    NoFolds {
        /// Dataset id.
        dataset: String,
    },
    /// There are no classes to stratify by.
    #[error("dataset `{dataset}` has no classes, but the split is stratified")]
    #[diagnostic(help("leave out `stratified = true`"))]
    NoClasses {
        /// Dataset id.
        dataset: String,
    },
    /// Nothing says who belongs together.
    #[error("dataset `{dataset}` has no groups, but the split is grouped")]
    #[diagnostic(help(
        "name the column that says whose a row is, `group` of its file in datasets.toml; or leave out `grouped = true`"
    ))]
    NoGroups {
        /// Dataset id.
        dataset: String,
    },
    /// There are fewer groups than folds.
    #[error("{folds} folds of the {groups} groups of dataset `{dataset}`")]
    #[diagnostic(help("the number of folds is from 2 to the number of groups"))]
    GroupCount {
        /// Dataset id.
        dataset: String,
        /// Folds asked for.
        folds: usize,
        /// Groups that there are.
        groups: usize,
    },
    /// Nothing says when examples were made.
    #[error("dataset `{dataset}` has no times, but the split is ordered in time")]
    #[diagnostic(help(
        "name the column that says when a row was made, `time` of its file in datasets.toml"
    ))]
    NoTimes {
        /// Dataset id.
        dataset: String,
    },
    /// Too many examples are of one moment.
    #[error(
        "{folds} folds in time of dataset `{dataset}`, and too many of its {examples} examples are of one moment"
    )]
    #[diagnostic(help("examples of one moment stay together; take fewer folds"))]
    TimeCount {
        /// Dataset id.
        dataset: String,
        /// Folds asked for.
        folds: usize,
        /// Examples that there are.
        examples: usize,
    },
    /// The number of folds makes no sense.
    #[error("{folds} folds of the {examples} examples of dataset `{dataset}`")]
    #[diagnostic(help("the number of folds is from 2 to the number of examples"))]
    FoldCount {
        /// Dataset id.
        dataset: String,
        /// Folds asked for.
        folds: usize,
        /// Examples that there are.
        examples: usize,
    },
    /// The sets are too large, or empty.
    #[error("{train} training and {test} test examples of the {examples} of dataset `{dataset}`")]
    #[diagnostic(help("both sets need an example, and together no more than there are"))]
    SetSizes {
        /// Dataset id.
        dataset: String,
        /// Training examples asked for.
        train: usize,
        /// Test examples asked for.
        test: usize,
        /// Examples that there are.
        examples: usize,
    },
    /// A share of the examples, or what it leaves, is nothing.
    #[error("a share of {share} of the {examples} examples of dataset `{dataset}` to test")]
    #[diagnostic(help(
        "the test set and what is left both need an example, wherever a group goes that stays together; take another share"
    ))]
    ShareSize {
        /// Dataset id.
        dataset: String,
        /// The share asked for.
        share: String,
        /// Examples that there are.
        examples: usize,
    },
    /// There are too few training examples to take validation examples from.
    #[error("{word} of the {training} training examples of a split of dataset `{dataset}`")]
    #[diagnostic(help(
        "what validates and what is left both need an example, and each fold of `inner` one; take fewer folds, or another share"
    ))]
    Inner {
        /// Dataset id.
        dataset: String,
        /// What was asked for.
        word: String,
        /// Training examples that there are.
        training: usize,
    },
    /// There is no such fold.
    #[error("fold {fold} of {folds} of dataset `{dataset}`")]
    #[diagnostic(help("folds are numbered from 0"))]
    FoldIndex {
        /// Dataset id.
        dataset: String,
        /// Fold asked for.
        fold: usize,
        /// Folds that there are.
        folds: usize,
    },
}

impl SplitPlan {
    /// The split in one word, as `trials.csv` has it. How often it is repeated is not part of it:
    /// a trial's repeat stands in its own column.
    pub fn word(&self) -> String {
        match self {
            Self::Published => "published".to_owned(),
            Self::Redrawn { .. } => "redrawn".to_owned(),
            Self::CrossValidation { folds, dealt, .. } => {
                format!("cv-{folds}{}", dealt.suffix())
            }
            Self::Ordered { folds } => format!("time-{folds}"),
            Self::Resample { train, test, .. } => format!("resample-{train}-{test}"),
            Self::Share { test, dealt, .. } => {
                format!("share-{}{}", base::text::real(*test), dealt.suffix())
            }
            Self::LeaveOneOut => "leave-one-out".to_owned(),
            Self::Folds => "folds".to_owned(),
        }
    }

    /// Whether chance alone divides, so that examples that are alike are in no part by design.
    pub fn by_chance(&self) -> bool {
        match self {
            Self::CrossValidation { .. }
            | Self::Resample { .. }
            | Self::Share { .. }
            | Self::LeaveOneOut => true,
            Self::Published | Self::Redrawn { .. } | Self::Ordered { .. } | Self::Folds => false,
        }
    }

    /// The same, without its repeats.
    #[must_use]
    pub fn once(&self) -> Self {
        match self.clone() {
            Self::CrossValidation { folds, dealt, .. } => {
                Self::CrossValidation { folds, repeats: 1, dealt }
            }
            Self::Resample { train, test, .. } => Self::Resample { train, test, repeats: 1 },
            Self::Share { test, dealt, .. } => Self::Share { test, repeats: 1, dealt },
            Self::Redrawn { .. } => Self::Published,
            once => once,
        }
    }

    /// How often the split itself asks to divide the examples anew.
    pub fn repeats(&self) -> usize {
        match self {
            Self::CrossValidation { repeats, .. }
            | Self::Resample { repeats, .. }
            | Self::Share { repeats, .. }
            | Self::Redrawn { repeats } => *repeats,
            Self::Published | Self::LeaveOneOut | Self::Folds | Self::Ordered { .. } => 1,
        }
    }

    /// Number of folds of these examples of a dataset.
    pub fn folds(&self, dataset: &Dataset, members: Members<'_>) -> usize {
        match self {
            Self::CrossValidation { folds, .. } | Self::Ordered { folds } => *folds,
            Self::LeaveOneOut => members.count(dataset),
            Self::Folds => {
                let last = dataset.folds.iter().flatten().max();
                last.map_or(1, |&last| last as usize + 1)
            }
            Self::Published | Self::Redrawn { .. } | Self::Resample { .. } | Self::Share { .. } => {
                1
            }
        }
    }

    /// The (repeat, fold) pairs of these examples of a dataset, repeats first, where the task is
    /// repeated `repeats` times: `repeats` times the split's own repeats, times its folds.
    pub fn pairs(
        &self,
        dataset: &Dataset,
        members: Members<'_>,
        repeats: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let folds = self.folds(dataset, members);
        let repeats = repeats * self.repeats();
        (0..repeats).flat_map(move |repeat| (0..folds).map(move |fold| (repeat, fold)))
    }

    /// The number of training examples of the split that has least, of one that can divide these examples.
    pub fn least_training(&self, dataset: &Dataset, members: Members<'_>) -> usize {
        let examples = members.count(dataset);
        match self {
            Self::Published | Self::Redrawn { .. } => {
                dataset.published.as_ref().map_or(0, |split| split.train.len())
            }
            Self::CrossValidation { folds, dealt, .. } => {
                let largest = match (dealt, &dataset.marks.groups) {
                    (Dealt::ByGroup, Some(groups)) => {
                        let sizes =
                            fold_of_groups(groups, members, examples, *folds, Digest([0; 32]));
                        let size = |fold| sizes.iter().filter(|of| **of == fold).count();
                        (0..*folds).map(size).max().unwrap_or(0)
                    }
                    _ => examples.div_ceil(*folds),
                };
                examples - largest
            }
            Self::Ordered { folds } => {
                let times = dataset.marks.times.as_deref().unwrap_or_default();
                blocks_in_time(times, members, examples, *folds).1[0]
            }
            Self::Resample { train, .. } => *train,
            Self::Share { test, dealt, .. } => {
                examples - most_shared(dataset, members, *test, *dealt).min(examples)
            }
            Self::LeaveOneOut => examples - 1,
            Self::Folds => {
                let all = dataset.folds.iter().flatten();
                let mut sizes = vec![0; self.folds(dataset, members)];
                all.for_each(|&fold| sizes[fold as usize] += 1);
                examples - sizes.into_iter().max().unwrap_or(0)
            }
        }
    }

    /// Checks that these examples of a dataset can be divided so.
    ///
    /// # Errors
    /// If the dataset lacks what the split needs, or has too few examples.
    pub fn check(&self, dataset: &Dataset, members: Members<'_>) -> Result<(), SplitError> {
        let examples = members.count(dataset);
        let id = || dataset.id.clone();
        match *self {
            Self::Published | Self::Redrawn { .. } if dataset.published.is_none() => {
                Err(SplitError::NotPublished { dataset: id() })
            }
            Self::CrossValidation { dealt: Dealt::ByClass, .. } if dataset.labels.is_none() => {
                Err(SplitError::NoClasses { dataset: id() })
            }
            Self::CrossValidation { folds, dealt: Dealt::ByGroup, .. } => {
                let Some(groups) = &dataset.marks.groups else {
                    return Err(SplitError::NoGroups { dataset: id() });
                };
                let groups = dealt::sizes(groups, members, examples).len();
                if folds < 2 || folds > groups {
                    return Err(SplitError::GroupCount { dataset: id(), folds, groups });
                }
                Ok(())
            }
            Self::Ordered { folds } => {
                let Some(times) = &dataset.marks.times else {
                    return Err(SplitError::NoTimes { dataset: id() });
                };
                if examples <= folds {
                    return Err(SplitError::FoldCount { dataset: id(), folds, examples });
                }
                let (_, ends) = blocks_in_time(times, members, examples, folds);
                if ends.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err(SplitError::TimeCount { dataset: id(), folds, examples });
                }
                Ok(())
            }
            Self::CrossValidation { folds, .. } if folds < 2 || folds > examples => {
                Err(SplitError::FoldCount { dataset: id(), folds, examples })
            }
            Self::LeaveOneOut if examples < 2 => {
                Err(SplitError::FoldCount { dataset: id(), folds: examples, examples })
            }
            Self::Resample { train, test, .. }
                if train == 0
                    || test == 0
                    || train.checked_add(test).is_none_or(|sum| sum > examples) =>
            {
                Err(SplitError::SetSizes { dataset: id(), train, test, examples })
            }
            Self::Share { dealt: Dealt::ByClass, .. } if dataset.labels.is_none() => {
                Err(SplitError::NoClasses { dataset: id() })
            }
            Self::Share { dealt: Dealt::ByGroup, .. } if dataset.marks.groups.is_none() => {
                Err(SplitError::NoGroups { dataset: id() })
            }
            Self::Share { test, dealt, .. }
                if dealt::nearest(test, examples) == 0
                    || most_shared(dataset, members, test, dealt) >= examples =>
            {
                let share = base::text::real(test);
                Err(SplitError::ShareSize { dataset: id(), share, examples })
            }
            Self::Folds if dataset.folds.is_none() => Err(SplitError::NoFolds { dataset: id() }),
            _ => Ok(()),
        }
    }

    /// The examples of one fold, of those that take part. `seed` depends on the experiment's seed, the
    /// dataset, the split, the problem and the repeat, not on the fold: the folds of one repeat partition
    /// the examples. Under a published split and published folds the examples that do not take part are
    /// there too: the authors divided all of them.
    ///
    /// # Errors
    /// As [`Self::check`]; or if there is no such fold.
    pub fn divide(
        &self,
        dataset: &Dataset,
        members: Members<'_>,
        seed: Digest,
        fold: usize,
    ) -> Result<Division, SplitError> {
        self.check(dataset, members)?;
        let examples = members.count(dataset);
        let folds = self.folds(dataset, members);
        if fold >= folds {
            return Err(SplitError::FoldIndex { dataset: dataset.id.clone(), fold, folds });
        }
        let chosen = |mut test: Vec<usize>, train: Option<Vec<usize>>| {
            test.sort_unstable();
            let train = match train {
                Some(mut train) => {
                    train.sort_unstable();
                    train
                }
                None => (0..examples).filter(|index| test.binary_search(index).is_err()).collect(),
            };
            let example = |index: usize| members.example(index);
            Division {
                train: train.into_iter().map(example).collect(),
                valid: Vec::new(),
                test: test.into_iter().map(example).collect(),
            }
        };
        Ok(match (self, &dataset.published, &dataset.folds) {
            (Self::Published | Self::Redrawn { .. }, Some(split), _) => Division {
                train: split.train.clone().collect(),
                valid: split.valid.clone().collect(),
                test: split.test.clone().collect(),
            },
            (Self::Published | Self::Redrawn { .. }, None, _) => {
                return Err(SplitError::NotPublished { dataset: dataset.id.clone() });
            }
            (Self::Ordered { folds }, ..) => {
                let times = dataset.marks.times.as_deref().unwrap_or_default();
                let (order, ends) = blocks_in_time(times, members, examples, *folds);
                let (before, test) = (&order[..ends[fold]], &order[ends[fold]..ends[fold + 1]]);
                chosen(test.to_vec(), Some(before.to_vec()))
            }
            (Self::CrossValidation { folds, dealt: Dealt::ByGroup, .. }, ..) => {
                let groups = dataset.marks.groups.as_deref().unwrap_or_default();
                let of = fold_of_groups(groups, members, examples, *folds, seed);
                chosen((0..examples).filter(|&index| of[index] == fold).collect(), None)
            }
            (Self::CrossValidation { dealt, .. }, ..) => {
                let mut order = Random::new(seed).permutation(examples);
                if let (Dealt::ByClass, Some(labels)) = (dealt, &dataset.labels) {
                    // Dealt out class by class, each fold gets its share of every class.
                    order.sort_by_key(|&index| labels.of_example[members.example(index)]);
                    let dealt = order.into_iter().skip(fold).step_by(folds);
                    chosen(dealt.collect(), None)
                } else {
                    // The first `examples % folds` folds have one example more.
                    let start =
                        |fold: usize| fold * (examples / folds) + fold.min(examples % folds);
                    chosen(order[start(fold)..start(fold + 1)].to_vec(), None)
                }
            }
            (Self::Resample { train, test, .. }, ..) => {
                let order = Random::new(seed).permutation(examples);
                let (test, rest) = order.split_at(*test);
                chosen(test.to_vec(), Some(rest[..*train].to_vec()))
            }
            (Self::Share { test, dealt, .. }, ..) => {
                let order = Order::Random(*dealt);
                let taken = dealt::share(dataset, members, *test, order, seed);
                chosen((0..examples).filter(|&index| taken[index]).collect(), None)
            }
            (Self::LeaveOneOut, ..) => chosen(vec![fold], None),
            (Self::Folds, _, Some(folds)) => {
                let (test, train) =
                    (0..folds.len()).partition(|&example| folds[example] as usize == fold);
                Division { train, valid: Vec::new(), test }
            }
            (Self::Folds, _, None) => {
                return Err(SplitError::NoFolds { dataset: dataset.id.clone() });
            }
        })
    }
}

/// The most examples that a share of them can be.
fn most_shared(dataset: &Dataset, members: Members<'_>, share: f64, dealt: Dealt) -> usize {
    let examples = members.count(dataset);
    let wanted = dealt::nearest(share, examples);
    match (dealt, &dataset.marks.groups) {
        (Dealt::ByGroup, Some(groups)) => {
            let sizes = dealt::sizes(groups, members, examples);
            (wanted + sizes.into_values().max().unwrap_or(0)).saturating_sub(1)
        }
        _ => wanted,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::marks::Marks;
    use crate::{Labels, PublishedSplit, Vocabulary};
    use contract::Examples;
    use contract::binary::BinaryRows;
    use proptest::prelude::*;

    pub(crate) fn dataset(examples: usize) -> Dataset {
        let mut rows = BinaryRows::new(1);
        (0..examples).for_each(|_| rows.push(&[]));
        Dataset {
            id: "d".to_owned(),
            title: "D".to_owned(),
            digest: Digest::of(b"d"),
            examples: Examples::Binary(rows),
            columns: None,
            labels: None,
            targets: None,
            marks: Marks::default(),
            published: None,
            folds: None,
            vocabulary: Vocabulary::Fixed,
            preprocessing: crate::Preprocessing::NONE,
            dropped: 0,
            known_blocks: None,
            factors: None,
            mixture: None,
            known_clusters: None,
            known_tree: None,
        }
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
        let one =
            SplitPlan::LeaveOneOut.divide(&dataset, Members::All, Digest::of(b""), 4).unwrap();
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
        Dataset { labels: Some(Labels { classes, of_example }), ..dataset(examples) }
    }

    proptest! {
        #[test]
        fn stratified_folds_have_every_class_in_proportion(
            examples in 12usize..80, folds in 2usize..8, seed: u64,
        ) {
            let (dataset, seed) = (labelled(examples), Digest::of(&seed.to_le_bytes()));
            let plan = SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::ByClass };
            let labels = &dataset.labels.as_ref().unwrap().of_example;
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
                labels: Some(Labels { classes, of_example: labels }),
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
        let grouped =
            |folds| SplitPlan::CrossValidation { folds, repeats: 1, dealt: Dealt::ByGroup };
        let marked = |groups: Vec<u32>, times: Vec<u32>| {
            let marks = Marks { groups: Some(groups), times: Some(times) };
            Dataset { marks, ..dataset(4) }
        };
        let message = |plan: SplitPlan, dataset: &Dataset| {
            plan.check(dataset, Members::All).unwrap_err().to_string()
        };
        let plain = dataset(4);
        assert_eq!(
            message(grouped(2), &plain),
            "dataset `d` has no groups, but the split is grouped"
        );
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
        let nothing =
            |share| format!("a share of {share} of the 4 examples of dataset `d` to test");
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
        let stratified =
            SplitPlan::CrossValidation { folds: 10, repeats: 3, dealt: Dealt::ByClass };
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
            message(
                SplitPlan::CrossValidation { folds: 2, repeats: 1, dealt: Dealt::ByClass },
                3,
                0
            ),
            "dataset `d` has no classes, but the split is stratified"
        );
        assert_eq!(message(cv(1), 3, 0), "1 folds of the 3 examples of dataset `d`");
        assert_eq!(message(cv(4), 3, 0), "4 folds of the 3 examples of dataset `d`");
        assert_eq!(
            message(SplitPlan::LeaveOneOut, 1, 0),
            "1 folds of the 1 examples of dataset `d`"
        );
        assert_eq!(message(cv(3), 3, 3), "fold 3 of 3 of dataset `d`");
        for (train, test) in [(3, 1), (0, 1), (1, 0), (usize::MAX, 1)] {
            let plan = SplitPlan::Resample { train, test, repeats: 1 };
            let expected =
                format!("{train} training and {test} test examples of the 3 of dataset `d`");
            assert_eq!(message(plan, 3, 0), expected);
        }
    }
}
