//! How examples are divided into training, validation and test sets.

use super::dealt::{self, Dealt, Members, Order, blocks_in_time, fold_of_groups};
use super::{Dataset, Labels};
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
            Self::CrossValidation { dealt: Dealt::ByClass, .. }
                if dataset.targets.labels().is_none() =>
            {
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
            Self::Share { dealt: Dealt::ByClass, .. } if dataset.targets.labels().is_none() => {
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
        let chosen = |test, train| chosen(members, examples, test, train);
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
                let labels = dataset.targets.labels().filter(|_| *dealt == Dealt::ByClass);
                chosen(fold_of_all(labels, members, examples, (fold, folds), seed), None)
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

/// The examples at these places of those that take part: of training all but those of the test set, unless they are given.
fn chosen(
    members: Members<'_>,
    examples: usize,
    mut test: Vec<usize>,
    train: Option<Vec<usize>>,
) -> Division {
    test.sort_unstable();
    let train = match train {
        Some(mut train) => {
            train.sort_unstable();
            train
        }
        None => (0..examples).filter(|index| test.binary_search(index).is_err()).collect(),
    };
    let of = |places: Vec<usize>| places.into_iter().map(|place| members.example(place)).collect();
    Division { train: of(train), valid: Vec::new(), test: of(test) }
}

/// The places of one of so many folds, in random order; with classes, each fold has its share of every class.
fn fold_of_all(
    labels: Option<&Labels>,
    members: Members<'_>,
    examples: usize,
    (fold, folds): (usize, usize),
    seed: Digest,
) -> Vec<usize> {
    let mut order = Random::new(seed).permutation(examples);
    if let Some(labels) = labels {
        // Dealt out class by class.
        order.sort_by_key(|&index| labels.of_example[members.example(index)]);
        return order.into_iter().skip(fold).step_by(folds).collect();
    }
    // The first `examples % folds` folds have one example more.
    let start = |fold: usize| fold * (examples / folds) + fold.min(examples % folds);
    order[start(fold)..start(fold + 1)].to_vec()
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
pub(crate) mod tests;
