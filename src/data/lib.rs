//! Datasets: where they come from, how they are fetched and checked, how they are parsed, and how
//! they are split.
//!
//! [`Library`] is what the rest of the program uses: it finds a dataset by its name in the
//! [`registry`], gets its files through cache, mirror or network ([`fetch`]), and parses them
//! ([`format`](mod@format)) into a [`Dataset`]. [`split`] divides the examples; [`generate`] draws datasets that need
//! no file.
//!
//! To add a dataset, add an entry to `datasets.toml`; only a new file format needs code, one file under
//! `src/data/format/` and one line in [`registry::Format`]. `docs/reference/data.md` has the keys, the layouts of
//! cache and mirror, and what proxies and certificate authorities are honoured; `data-formats.md` has the formats.

pub mod add;
mod arrays;
pub mod binning;
pub mod cache;
mod content;
pub mod corpus;
pub mod croissant;
pub mod dealt;
pub mod draft;
pub mod error;
pub mod fetch;
pub mod format;
pub mod generate;
pub mod inner;
pub mod integrity;
pub mod library;
pub mod limits;
pub mod marks;
mod mirror;
pub mod openml;
mod parse;
pub mod preprocessing;
pub mod registry;
pub mod split;
mod status;
mod tabular;
pub mod vocabulary;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use base::digest::{Digest, FieldHasher};
use contract::{Examples, LatentTree};
pub use error::DataError;
use generate::factors::FactorSample;
use generate::mixture::MixtureSample;
pub use library::{DataConfig, Library};
use marks::Marks;
use math::random::Random;
pub use preprocessing::{Preprocessing, Vocabulary};
use serde::{Deserialize, Serialize};
use vocabulary::Parts;

/// A parsed dataset.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Id, as in `datasets.toml`.
    pub id: String,
    /// What people read.
    pub title: String,
    /// Digest of the parsed content, or of a generator and its parameters. It enters every trial
    /// key, so two sources of the same data give the same results.
    pub digest: Digest,
    /// All examples: those of the published split stand as train, valid, test.
    pub examples: Examples,
    /// The names of their columns, where the files have some.
    pub columns: Option<Vec<String>>,
    /// What is to be predicted of each.
    pub targets: Targets,
    /// Whose they are and when they were made, where that is known.
    pub marks: Marks,
    /// The published split, if there is one.
    pub published: Option<PublishedSplit>,
    /// The fold of each example, from 0, where the authors give folds.
    pub folds: Option<Vec<u32>>,
    /// What a trial makes of its columns.
    pub preprocessing: Preprocessing,
    /// How many rows of the files are left out for a missing value.
    pub dropped: usize,
    /// What is known of where the examples come from.
    pub truth: Truth,
}

/// What is known of where examples come from: the generator's structure, if there is a generator.
#[derive(Debug, Clone, Default)]
pub enum Truth {
    /// Nothing.
    #[default]
    Unknown,
    /// The block of each variable: variables of a block are exchangeable given the class.
    Blocks(Arc<Vec<u32>>),
    /// The generator, which draws variables that fall into independent groups: the partition task has it draw anew
    /// for each repeat.
    Factors(FactorSample),
    /// The mixture that the examples are drawn from: a task may draw others.
    Mixture(MixtureSample),
    /// The cluster of each parameter of a Markov network: of the variables, then of their pairs in ascending order.
    Clusters(Arc<Vec<u32>>),
    /// The tree over the variables and hidden ones.
    Tree(Arc<LatentTree>),
}

impl Dataset {
    /// Examples of which nothing else is known.
    pub fn new(id: &str, digest: Digest, examples: Examples) -> Self {
        Self {
            id: id.to_owned(),
            title: id.to_owned(),
            digest,
            examples,
            columns: None,
            targets: Targets::None,
            marks: Marks::default(),
            published: None,
            folds: None,
            preprocessing: Preprocessing::NONE,
            dropped: 0,
            truth: Truth::Unknown,
        }
    }

    /// The classes of test examples of the published split that no training example is of.
    pub fn untrained(&self) -> Vec<&str> {
        let (Some(labels), Some(split)) = (self.targets.labels(), &self.published) else {
            return Vec::new();
        };
        let of = |part: &Range<usize>| -> BTreeSet<u32> {
            labels.of_example[part.clone()].iter().copied().collect()
        };
        let classes = &of(&split.test) - &of(&split.train);
        classes.into_iter().map(|class| labels.classes[class as usize].as_str()).collect()
    }

    /// The same examples, their classes and targets dealt anew at random: nothing can be learned of them.
    #[must_use]
    pub fn with_permuted_labels(&self, seed: Digest) -> Self {
        let seed = FieldHasher::new("permuted labels").field(seed.0).finish();
        let order = Random::new(seed).permutation(self.examples.len());
        Self { targets: self.targets.select(&order), ..self.clone() }
    }

    /// The names of the columns that a trial with these training examples meets, where they have some.
    pub fn named_columns(&self, train: &[usize]) -> Option<Vec<String>> {
        let names = self.columns.as_ref()?;
        Some(self.preprocessing.columns(&self.examples, train, names))
    }

    /// The same examples with classes that are drawn independently, each as probable as any other; numbers are
    /// the least or the greatest.
    #[must_use]
    pub fn with_drawn_labels(&self, seed: Digest) -> Self {
        let mut random = Random::new(FieldHasher::new("drawn labels").field(seed.0).finish());
        let mut targets = self.targets.clone();
        match &mut targets {
            Targets::None => {}
            Targets::Classes(labels) => {
                let classes = labels.classes.len();
                labels.of_example.fill_with(|| random.below(classes) as u32);
            }
            Targets::Numbers(numbers) => {
                let ends = [f64::min, f64::max].map(|end| numbers.iter().copied().reduce(end));
                numbers
                    .iter_mut()
                    .for_each(|number| *number = ends[random.below(2)].unwrap_or(*number));
            }
        }
        Self { targets, ..self.clone() }
    }
}

/// What is to be predicted of examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Targets {
    /// Nothing.
    None,
    /// The class of each.
    Classes(Labels),
    /// A number of each.
    Numbers(Vec<f64>),
}

impl Targets {
    /// The classes, if they are that.
    pub fn labels(&self) -> Option<&Labels> {
        match self {
            Self::Classes(labels) => Some(labels),
            Self::None | Self::Numbers(_) => None,
        }
    }

    /// The numbers, if they are that.
    pub fn numbers(&self) -> Option<&[f64]> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            Self::None | Self::Classes(_) => None,
        }
    }

    /// Those of these examples, in this order.
    #[must_use]
    pub fn select(&self, examples: &[usize]) -> Self {
        match self {
            Self::None => Self::None,
            Self::Classes(Labels { classes, of_example }) => Self::Classes(Labels {
                classes: classes.clone(),
                of_example: examples.iter().map(|&example| of_example[example]).collect(),
            }),
            Self::Numbers(numbers) => {
                Self::Numbers(examples.iter().map(|&example| numbers[example]).collect())
            }
        }
    }
}

/// The classes of examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// Names of the classes, at least two.
    pub classes: Vec<String>,
    /// Class of each example, an index into `classes`.
    pub of_example: Vec<u32>,
}

impl Labels {
    /// Each class with the number of its examples.
    pub fn counted(self) -> Vec<(String, usize)> {
        let mut counts = vec![0; self.classes.len()];
        self.of_example.iter().for_each(|&class| counts[class as usize] += 1);
        self.classes.into_iter().zip(counts).collect()
    }
}

/// Which examples the authors of a dataset put into which part. An example may be in several.
pub type PublishedSplit = Parts<Range<usize>>;
