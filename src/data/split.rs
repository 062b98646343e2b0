//! How examples are divided into training, validation and test sets.

use super::dealt::{self, Dealt, Forward, InTime, fold_of_groups};
use super::vocabulary::Parts;
use super::{Dataset, Labels};
use base::digest::Digest;
use math::random::Random;

/// The `split` of an experiment file.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Each of so many blocks that follow each other in time is the test set once, those before it are for training.
    Ordered {
        /// Number of blocks that are tested; there is one more.
        folds: usize,
        /// Which of those before are for training.
        forward: Forward,
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
    /// The last share in time is the test set, those before it are for training.
    Last {
        /// The share of the test set, between 0 and 1.
        test: f64,
        /// Which of those before are for training.
        forward: Forward,
    },
    /// Each example is the test set once.
    LeaveOneOut,
    /// The folds that the dataset's authors give.
    Folds,
}

/// The examples of one fold, by their indices in ascending order. Those that validate are of a published split, or what
/// `inner` holds out of the training examples.
pub type Division = Parts<Vec<usize>>;

/// A dataset can't be divided as the experiment asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("dataset `{dataset}` {why}")]
#[diagnostic(forward(why))]
pub struct SplitError {
    /// Dataset id.
    pub dataset: String,
    /// What it lacks.
    pub why: Lacks,
}

/// What a dataset lacks that can't be divided, as the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum Lacks {
    /// There is no published split.
    #[error("has no published split")]
    #[diagnostic(help("use split = {{ cv = {{ folds = 10 }} }} or another random split"))]
    Published,
    /// Its examples can't be drawn anew.
    #[error("has no random numbers, but the split is \"redrawn\"")]
    #[diagnostic(help(
        "only datasets that a `generator` with a `seed` draws can be drawn anew; use split = \"published\""
    ))]
    Seed,
    /// There are no published folds.
    #[error("has no published folds, but the split is \"folds\"")]
    #[diagnostic(help("use split = {{ cv = {{ folds = 10 }} }} or \"published\""))]
    Folds,
    /// There are no classes to stratify by.
    #[error("has no classes, but the split is stratified")]
    #[diagnostic(help("leave out `stratified = true`"))]
    Classes,
    /// Nothing says who belongs together.
    #[error("has no groups, but the split is grouped")]
    #[diagnostic(help(
        "name the column that says whose a row is, `group` of its file in datasets.toml; or leave out `grouped = true`"
    ))]
    Groups,
    /// Nothing says when examples were made.
    #[error("has no times, but the split is ordered in time")]
    #[diagnostic(help(
        "name the column that says when a row was made, `time` of its file in datasets.toml"
    ))]
    Times,
    /// Too many examples are of one moment.
    #[error(
        "has {examples} examples, but for {folds} folds in time too many are of one moment or in the gap"
    )]
    #[diagnostic(help(
        "each fold needs training and test examples, and those of one moment stay together; take fewer folds, or a smaller `gap`"
    ))]
    Moments {
        /// Folds asked for.
        folds: usize,
        /// Examples that there are.
        examples: usize,
    },
    /// The number of folds makes no sense.
    #[error("has {count} {what}, but the split has {folds} folds")]
    #[diagnostic(help("the number of folds is from 2 to the number of {what}"))]
    ForFolds {
        /// Folds asked for.
        folds: usize,
        /// How many there are to be dealt out.
        count: usize,
        /// What is dealt out: examples or groups.
        what: &'static str,
    },
    /// The sets are too large, or empty.
    #[error(
        "has {examples} examples, but the split takes {train} training and {test} test examples"
    )]
    #[diagnostic(help("both sets need an example, and together no more than there are"))]
    ForSets {
        /// Training examples asked for.
        train: usize,
        /// Test examples asked for.
        test: usize,
        /// Examples that there are.
        examples: usize,
    },
    /// A share of the examples, or what it leaves, is nothing.
    #[error("has {count} {what}, but the split tests on a share of {share}")]
    #[diagnostic(help(
        "the test set and what is left both need some of the {what}, of which a share is rounded; take another share"
    ))]
    ForShare {
        /// The share asked for.
        share: String,
        /// How many there are to draw from.
        count: usize,
        /// What is drawn: examples or groups.
        what: &'static str,
    },
    /// There are too few training examples to take validation examples from.
    #[error("has a split of {training} training examples, too few for {word}")]
    #[diagnostic(help(
        "what validates and what is left both need an example, and each fold of `inner` one; take fewer folds, or another share"
    ))]
    Training {
        /// What was asked for.
        word: String,
        /// Training examples that there are.
        training: usize,
    },
    /// There is no such fold.
    #[error("has {folds} folds, and no fold {fold}")]
    #[diagnostic(help("folds are numbered from 0"))]
    Fold {
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
            Self::Ordered { folds, forward: Forward { gap, window } } => {
                let gap = if *gap == 0 { String::new() } else { format!("-gap-{gap}") };
                let window = window.map_or_else(String::new, |window| format!("-window-{window}"));
                format!("time-{folds}{gap}{window}")
            }
            Self::Resample { train, test, .. } => format!("resample-{train}-{test}"),
            Self::Share { test, dealt, .. } => {
                format!("share-{}{}", base::text::real(*test), dealt.suffix())
            }
            Self::Last { test, .. } => format!("share-{}-in-time", base::text::real(*test)),
            Self::LeaveOneOut => "leave-one-out".to_owned(),
            Self::Folds => "folds".to_owned(),
        }
    }

    /// Whether chance alone divides, so that examples that are alike are in no part by design.
    pub fn by_chance(&self) -> bool {
        matches!(
            self,
            Self::CrossValidation { .. }
                | Self::Resample { .. }
                | Self::Share { .. }
                | Self::LeaveOneOut
        )
    }

    /// How many folds the split itself says, how often it divides anew, and how chance deals examples out.
    fn says(&self) -> (Option<usize>, usize, Dealt) {
        let plain = Dealt::default();
        match *self {
            Self::CrossValidation { folds, repeats, dealt } => (Some(folds), repeats, dealt),
            Self::Ordered { folds, .. } => (Some(folds), 1, plain),
            Self::Share { repeats, dealt, .. } => (None, repeats, dealt),
            Self::Resample { repeats, .. } | Self::Redrawn { repeats } => (None, repeats, plain),
            Self::Published | Self::Last { .. } | Self::LeaveOneOut | Self::Folds => {
                (None, 1, plain)
            }
        }
    }

    /// How chance deals examples out.
    pub fn dealt(&self) -> Dealt {
        self.says().2
    }

    /// How often the split itself asks to divide the examples anew.
    pub fn repeats(&self) -> usize {
        self.says().1
    }

    /// Number of folds, if the split itself says it.
    pub fn own_folds(&self) -> Option<usize> {
        self.says().0
    }

    /// The same, without its repeats.
    #[must_use]
    pub fn once(&self) -> Self {
        match *self {
            Self::Redrawn { .. } => Self::Published,
            Self::CrossValidation { folds, dealt, .. } => {
                Self::CrossValidation { folds, repeats: 1, dealt }
            }
            Self::Resample { train, test, .. } => Self::Resample { train, test, repeats: 1 },
            Self::Share { test, dealt, .. } => Self::Share { test, repeats: 1, dealt },
            Self::Published
            | Self::Ordered { .. }
            | Self::Last { .. }
            | Self::LeaveOneOut
            | Self::Folds => *self,
        }
    }

    /// The most test examples that one fold has where all examples of a dataset take part; of groups that chance deals
    /// out about as many. None if they can't be divided so.
    pub fn tested(&self, dataset: &Dataset) -> Option<usize> {
        let members: Vec<usize> = (0..dataset.examples.len()).collect();
        self.check(dataset, &members).ok()?;
        let in_time = |forward| InTime::new(dataset, &members, forward);
        match *self {
            Self::Published | Self::Redrawn { .. } => Some(dataset.published.as_ref()?.test.len()),
            Self::CrossValidation { folds, .. } => Some(members.len().div_ceil(folds)),
            Self::Ordered { folds, forward } => {
                in_time(forward).folds(folds).map(|(_, test)| test.len()).max()
            }
            Self::Resample { test, .. } => Some(test),
            Self::Share { test, .. } => Some(dealt::nearest(test, members.len())),
            Self::Last { test, forward } => Some(in_time(forward).last(test).1.len()),
            Self::LeaveOneOut => Some(1),
            Self::Folds => {
                let of = dataset.folds.as_ref()?;
                let size = |fold| of.iter().filter(|&&of| of as usize == fold).count();
                (0..self.folds(dataset, of.len())).map(size).max()
            }
        }
    }

    /// Number of folds of so many examples of a dataset.
    pub fn folds(&self, dataset: &Dataset, examples: usize) -> usize {
        match self {
            Self::LeaveOneOut => examples,
            Self::Folds => {
                let last = dataset.folds.iter().flatten().max();
                last.map_or(1, |&last| last as usize + 1)
            }
            _ => self.own_folds().unwrap_or(1),
        }
    }

    /// Checks that these examples of a dataset can be divided so.
    ///
    /// # Errors
    /// If the dataset lacks what the split needs, or has too few examples.
    pub fn check(&self, dataset: &Dataset, members: &[usize]) -> Result<(), SplitError> {
        let examples = members.len();
        let lacks = |why| SplitError { dataset: dataset.id.clone(), why };
        let dealt = self.dealt();
        if dealt.stratified && dataset.targets.labels().is_none() {
            return Err(lacks(Lacks::Classes));
        }
        if dealt.grouped && dataset.marks.groups.is_none() {
            return Err(lacks(Lacks::Groups));
        }
        let (count, what) = match dealt.grouped {
            true => (dealt::groups(dataset, members).len(), "groups"),
            false => (examples, "examples"),
        };
        match *self {
            Self::Published | Self::Redrawn { .. } if dataset.published.is_none() => {
                Err(lacks(Lacks::Published))
            }
            Self::CrossValidation { folds, .. } if folds < 2 || folds > count => {
                Err(lacks(Lacks::ForFolds { folds, count, what }))
            }
            Self::Ordered { .. } | Self::Last { .. } if dataset.marks.times.is_none() => {
                Err(lacks(Lacks::Times))
            }
            Self::Ordered { folds, .. } if examples <= folds => {
                Err(lacks(Lacks::ForFolds { folds, count, what }))
            }
            Self::Ordered { folds, forward } => {
                let in_time = InTime::new(dataset, members, forward);
                let empty =
                    in_time.folds(folds).any(|(train, test)| train.is_empty() || test.is_empty());
                let too_few = lacks(Lacks::Moments { folds, examples });
                if empty { Err(too_few) } else { Ok(()) }
            }
            Self::LeaveOneOut if examples < 2 => {
                Err(lacks(Lacks::ForFolds { folds: examples, count, what }))
            }
            Self::Resample { train, test, .. }
                if train == 0
                    || test == 0
                    || train.checked_add(test).is_none_or(|sum| sum > examples) =>
            {
                Err(lacks(Lacks::ForSets { train, test, examples }))
            }
            Self::Share { test, .. }
                if !(1..count).contains(&dealt::wanted(test, count, dealt)) =>
            {
                let share = base::text::real(test);
                Err(lacks(Lacks::ForShare { share, count, what }))
            }
            Self::Folds if dataset.folds.is_none() => Err(lacks(Lacks::Folds)),
            _ => Ok(()),
        }
    }

    /// The examples of one fold, of those that take part: `members`, ascending. `seed` depends on the experiment's seed, the
    /// dataset, the split, the problem and the repeat, not on the fold: the folds of one repeat partition
    /// the examples. Under a published split and published folds the examples that do not take part are
    /// there too: the authors divided all of them.
    ///
    /// # Errors
    /// As [`Self::check`]; or if there is no such fold.
    pub fn divide(
        &self,
        dataset: &Dataset,
        members: &[usize],
        seed: Digest,
        fold: usize,
    ) -> Result<Division, SplitError> {
        self.check(dataset, members)?;
        let lacks = |why| SplitError { dataset: dataset.id.clone(), why };
        let examples = members.len();
        let folds = self.folds(dataset, examples);
        if fold >= folds {
            return Err(lacks(Lacks::Fold { fold, folds }));
        }
        let chosen = |test, train| chosen(members, test, train);
        let in_time = |forward| InTime::new(dataset, members, forward);
        Ok(match *self {
            Self::Published | Self::Redrawn { .. } => {
                let split = dataset.published.as_ref().ok_or_else(|| lacks(Lacks::Published))?;
                split.map(|part| part.clone().collect())
            }
            Self::Ordered { folds, forward } => {
                let in_time = in_time(forward);
                let (train, test) = in_time.folds(folds).nth(fold).unwrap_or_default();
                chosen(test.to_vec(), Some(train.to_vec()))
            }
            Self::Last { test, forward } => {
                let in_time = in_time(forward);
                let (train, test) = in_time.last(test);
                chosen(test.to_vec(), Some(train.to_vec()))
            }
            Self::CrossValidation { dealt, .. } if dealt.grouped => {
                let of = fold_of_groups(dataset, members, (folds, dealt), seed);
                chosen((0..examples).filter(|&index| of[index] == fold).collect(), None)
            }
            Self::CrossValidation { dealt, .. } => {
                let labels = dataset.targets.labels().filter(|_| dealt.stratified);
                chosen(fold_of_all(labels, members, (fold, folds), seed), None)
            }
            Self::Resample { train, test, .. } => {
                let order = Random::new(seed).permutation(examples);
                let (test, rest) = order.split_at(test);
                chosen(test.to_vec(), Some(rest[..train].to_vec()))
            }
            Self::Share { test, dealt, .. } => {
                let taken = dealt::share(dataset, members, (test, dealt), seed);
                chosen((0..examples).filter(|&index| taken[index]).collect(), None)
            }
            Self::LeaveOneOut => chosen(vec![fold], None),
            Self::Folds => {
                let folds = dataset.folds.as_ref().ok_or_else(|| lacks(Lacks::Folds))?;
                let (test, train) =
                    (0..folds.len()).partition(|&example| folds[example] as usize == fold);
                Division { train, valid: Vec::new(), test }
            }
        })
    }
}

/// The examples at these places of those that take part: of training all but those of the test set, unless they are given.
fn chosen(members: &[usize], mut test: Vec<usize>, train: Option<Vec<usize>>) -> Division {
    test.sort_unstable();
    let train = match train {
        Some(mut train) => {
            train.sort_unstable();
            train
        }
        None => (0..members.len()).filter(|index| test.binary_search(index).is_err()).collect(),
    };
    let of = |places: Vec<usize>| places.into_iter().map(|place| members[place]).collect();
    Division { train: of(train), valid: Vec::new(), test: of(test) }
}

/// The places of one of so many folds, in random order; with classes, each fold has its share of every class.
fn fold_of_all(
    labels: Option<&Labels>,
    members: &[usize],
    (fold, folds): (usize, usize),
    seed: Digest,
) -> Vec<usize> {
    let examples = members.len();
    let mut order = Random::new(seed).permutation(examples);
    if let Some(labels) = labels {
        // Dealt out class by class.
        order.sort_by_key(|&index| labels.of_example[members[index]]);
        return order.into_iter().skip(fold).step_by(folds).collect();
    }
    // The first `examples % folds` folds have one example more.
    let start = |fold: usize| fold * (examples / folds) + fold.min(examples % folds);
    order[start(fold)..start(fold + 1)].to_vec()
}

#[cfg(test)]
pub(crate) mod tests;
