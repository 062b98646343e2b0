//! What values are over, and whether they depend on each other.

use base::words;

words! {
    /// What values differ by.
    pub enum Over {
        Datasets = "data sets", "the data sets";
        Problems = "problems", "the class pairs of a data set";
        Folds = "folds", "the folds of a data set";
        Repeats = "repeats", "repeats of a cross-validation, each the mean over its folds";
        Divisions = "divisions", "random divisions of a data set into training and test examples";
        Draws = "draws", "data that are drawn anew, the same for all methods";
        Seeds = "seeds", "runs of a method on the same data: those of two methods do not go together";
        Examples = "test examples", "the test examples of several training sets, each once";
        Fitted = "test examples of these fitted models", "the test examples of one training set: of other training sets they say nothing";
        Groups = "test examples in groups", "the test examples, those of one group as one: the group that the data set names, else the example in all class pairs that it is in";
        FittedGroups = "test examples in groups, of these fitted models", "the same of one training set";
        Blocks = "test examples or blocks of them", "more than 500 values of log-likelihoods, which may be means of several test examples each";
        FittedBlocks = "test examples or blocks of them, of these fitted models", "the same of one training set";
    }
}

impl Over {
    /// Test examples that go together in groups.
    pub const IN_GROUPS: &[Self] = &[Self::Groups, Self::FittedGroups];

    /// So many of them, such as `87 test examples in 6 groups`: in how many groups, where that is known.
    pub fn counted(self, n: usize, groups: Option<usize>) -> String {
        match (self, groups) {
            (Self::Groups, Some(groups)) => format!("{n} test examples in {groups} groups"),
            (Self::FittedGroups, Some(groups)) => {
                format!("{n} test examples in {groups} groups, of these fitted models")
            }
            (over, _) => format!("{n} {}", over.word()),
        }
    }

    /// Why values over it depend on each other, and which test heeds that; none where they do not.
    pub fn depends(self) -> Option<(&'static str, &'static str)> {
        const RESAMPLED: &str = "write kind = \"corrected-resampled-t\"";
        match self {
            Self::Problems => Some((
                "class pairs share classes",
                "write kind = \"paired-t\" with pair_by = \"example\", where an example counts once whatever it is in",
            )),
            Self::Folds | Self::Divisions => Some(("training sets overlap", RESAMPLED)),
            Self::Repeats => Some((
                "repeats are of the same examples",
                "pair by folds, with kind = \"corrected-resampled-t\"",
            )),
            Self::Groups | Self::FittedGroups => Some((
                "examples of one group go together",
                "write kind = \"paired-t\", which takes a group as one",
            )),
            Self::Datasets
            | Self::Draws
            | Self::Seeds
            | Self::Examples
            | Self::Fitted
            | Self::Blocks
            | Self::FittedBlocks => None,
        }
    }
}

words! {
    /// What a test does where values depend on each other otherwise than it is made for.
    pub enum Dependent {
        Refused = "refused", "it is refused";
        Ignored = "ignored", "it takes them for independent, as a paper may have done; that is printed wherever its p-value stands";
    }
}

/// Over which units values are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// One value a repeat.
    Repeat,
    /// One value a fold of a repeat.
    Fold,
    /// One value a problem.
    Problem,
}
