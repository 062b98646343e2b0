//! How examples are divided into training, validation and test sets.

use super::Dataset;
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
        /// Whether each fold has the classes in their proportions.
        stratified: bool,
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
    /// Validation examples; empty unless the published split has some.
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
            Self::CrossValidation { folds, stratified: false, .. } => format!("cv-{folds}"),
            Self::CrossValidation { folds, stratified: true, .. } => {
                format!("cv-{folds}-stratified")
            }
            Self::Resample { train, test, .. } => format!("resample-{train}-{test}"),
            Self::LeaveOneOut => "leave-one-out".to_owned(),
            Self::Folds => "folds".to_owned(),
        }
    }

    /// How often the split itself asks to divide the examples anew.
    pub fn repeats(&self) -> usize {
        match self {
            Self::CrossValidation { repeats, .. }
            | Self::Resample { repeats, .. }
            | Self::Redrawn { repeats } => *repeats,
            Self::Published | Self::LeaveOneOut | Self::Folds => 1,
        }
    }

    /// Number of folds of these examples of a dataset.
    pub fn folds(&self, dataset: &Dataset, members: Members<'_>) -> usize {
        match self {
            Self::CrossValidation { folds, .. } => *folds,
            Self::LeaveOneOut => members.count(dataset),
            Self::Folds => {
                let last = dataset.folds.iter().flatten().max();
                last.map_or(1, |&last| last as usize + 1)
            }
            Self::Published | Self::Redrawn { .. } | Self::Resample { .. } => 1,
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
            Self::CrossValidation { stratified: true, .. } if dataset.labels.is_none() => {
                Err(SplitError::NoClasses { dataset: id() })
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
            (Self::CrossValidation { stratified, .. }, ..) => {
                let mut order = Random::new(seed).permutation(examples);
                if let (true, Some(labels)) = (stratified, &dataset.labels) {
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

/// The examples of a dataset that take part.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// All of them.
    All,
    /// These, ascending: those of a problem's classes.
    Some(&'a [usize]),
}

impl Members<'_> {
    fn count(self, dataset: &Dataset) -> usize {
        match self {
            Self::All => dataset.examples.len(),
            Self::Some(examples) => examples.len(),
        }
    }

    fn example(self, index: usize) -> usize {
        match self {
            Self::All => index,
            Self::Some(examples) => examples[index],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, PublishedSplit, Vocabulary};
    use contract::Examples;
    use contract::binary::BinaryRows;
    use proptest::prelude::*;

    fn dataset(examples: usize) -> Dataset {
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
        SplitPlan::CrossValidation { folds, repeats: 1, stratified: false }
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
            let plan = SplitPlan::CrossValidation { folds, repeats: 1, stratified: true };
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
        let plan = SplitPlan::CrossValidation { folds: 2, repeats: 2, stratified: false };
        let pairs: Vec<_> = plan.pairs(&dataset(10), Members::All, 2).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]);
        assert_eq!(SplitPlan::LeaveOneOut.pairs(&dataset(3), Members::All, 1).count(), 3);
        assert_eq!(
            SplitPlan::Published.pairs(&dataset(3), Members::All, 3).collect::<Vec<_>>(),
            [(0, 0), (1, 0), (2, 0)]
        );
    }

    #[test]
    fn words() {
        let stratified = SplitPlan::CrossValidation { folds: 10, repeats: 3, stratified: true };
        let resample = SplitPlan::Resample { train: 335, test: 100, repeats: 50 };
        let plans = [
            SplitPlan::Published,
            cv(10),
            stratified,
            resample,
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
            message(SplitPlan::CrossValidation { folds: 2, repeats: 1, stratified: true }, 3, 0),
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
