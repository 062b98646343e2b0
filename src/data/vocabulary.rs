//! What the registry, the formats and the generators say of data in the same words.

use std::ops::Range;

use base::words;
use serde::{Deserialize, Serialize};

words! {
    /// What the examples of a dataset are.
    pub enum Kind {
        Binary = "binary", "rows of 0/1 variables";
        Text = "text", "documents: a variable for each token";
        Image = "image", "images: a variable for each pixel";
        Categorical = "categorical", "rows of attributes with finitely many values";
        Numeric = "numeric", "rows of real numbers";
    }
}

/// What is learned to predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Nothing: the examples have no target.
    None,
    /// One of so many classes.
    Classes(usize),
    /// A real number.
    Number,
}

/// Numbers of variables, examples, classes and folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of variables, n.
    pub variables: usize,
    /// Numbers of examples.
    pub rows: Rows,
    /// What the examples have beside their variables.
    pub target: Target,
    /// Number of folds, if the authors give folds.
    pub folds: Option<usize>,
}

impl Shape {
    /// Without folds of the authors'.
    pub fn without_folds(variables: usize, rows: Rows, target: Target) -> Self {
        Self { variables, rows, target, folds: None }
    }

    /// Number of classes, if the examples have classes.
    pub fn classes(&self) -> Option<usize> {
        match self.target {
            Target::Classes(classes) => Some(classes),
            Target::None | Target::Number => None,
        }
    }
}

/// Something of each part that examples are divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts<T> {
    /// Of the training examples.
    pub train: T,
    /// Of the validation examples, which there may be none of.
    pub valid: T,
    /// Of the test examples.
    pub test: T,
}

impl<T> Parts<T> {
    /// What is made of each.
    pub fn map<U>(&self, of: impl Fn(&T) -> U) -> Parts<U> {
        Parts { train: of(&self.train), valid: of(&self.valid), test: of(&self.test) }
    }
}

impl Parts<usize> {
    /// Where parts of these sizes stand that follow each other.
    pub fn ranges(self) -> Parts<Range<usize>> {
        let Self { train, valid, test } = self;
        let tested = train + valid;
        Parts { train: 0..train, valid: train..tested, test: tested..tested + test }
    }
}

/// Numbers of examples, with the published split if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rows {
    /// There is no published split.
    Whole(usize),
    /// Sizes of the published training, validation (may be 0) and test sets.
    Split(Parts<usize>),
    /// Every example is in the published training set, and in the published test set.
    Shared(usize),
}

impl Rows {
    /// Number of all examples.
    pub fn total(self) -> usize {
        match self {
            Self::Whole(rows) | Self::Shared(rows) => rows,
            Self::Split(Parts { train, valid, test }) => train + valid + test,
        }
    }

    /// Number of examples of this role.
    pub fn of(self, role: Role) -> usize {
        match (self, role) {
            (_, Role::All) => self.total(),
            (Self::Split(parts), Role::Train) => parts.train,
            (Self::Split(parts), Role::Valid) => parts.valid,
            (Self::Split(parts), Role::Test) => parts.test,
            (Self::Whole(_) | Self::Shared(_), _) => 0,
        }
    }
}

words! {
    /// Which part of a dataset a file holds.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        Train = "train", "the published training examples";
        Valid = "valid", "the published validation examples";
        Test = "test", "the published test examples";
        All = "all", "all examples: of a dataset without a published split, or one part after another, or as the file itself tells";
    }
}

words! {
    /// Which characters bytes stand for.
    pub enum Charset {
        Utf8 = "utf-8", "UTF-8";
        Latin1 = "latin-1", "ISO 8859-1: each byte is the character of its number";
    }
}

words! {
    /// How bytes are packed.
    pub enum Encoding {
        Plain = "plain", "not packed";
        Gzip = "gzip", "by gzip";
        TarGzip = "tar.gz", "a tar archive, by gzip";
    }
}

words! {
    /// What parts the decimals of numbers.
    pub enum Decimal {
        Point = ".", "a point; a comma may part thousands";
        Comma = ",", "a comma; a point may part thousands";
    }
}
