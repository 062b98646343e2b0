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
//! cache and mirror, and what proxies and certificate authorities are honoured.

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
mod tabular;
pub mod vocabulary;

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
pub use preprocessing::Preprocessing;
pub use vocabulary::Vocabulary;

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
    /// Their classes, if they have any.
    pub labels: Option<Labels>,
    /// The number that each is to predict, if that is the target.
    pub targets: Option<Vec<f64>>,
    /// Whose they are and when they were made, where that is known.
    pub marks: Marks,
    /// The published split, if there is one.
    pub published: Option<PublishedSplit>,
    /// The fold of each example, from 0, where the authors give folds.
    pub folds: Option<Vec<u32>>,
    /// Which variables a trial sees.
    pub vocabulary: Vocabulary,
    /// What a trial makes of its columns.
    pub preprocessing: Preprocessing,
    /// How many rows of the files are left out for a missing value.
    pub dropped: usize,
    /// The block of each variable, where the generator's structure is known: variables of a block are
    /// exchangeable given the class.
    pub known_blocks: Option<Arc<Vec<u32>>>,
    /// The generator, where it draws variables that fall into independent groups: the partition task has
    /// it draw anew for each repeat.
    pub factors: Option<FactorSample>,
    /// The mixture that the examples are drawn from, where a task may draw others.
    pub mixture: Option<MixtureSample>,
    /// The cluster of each parameter of a Markov network, where that is the generator: of the variables,
    /// then of their pairs in ascending order.
    pub known_clusters: Option<Arc<Vec<u32>>>,
    /// The tree over the variables and hidden ones, where that is the generator.
    pub known_tree: Option<Arc<LatentTree>>,
}

impl Dataset {
    /// The same examples, their classes and targets dealt anew at random: nothing can be learned of them.
    #[must_use]
    pub fn with_permuted_labels(&self, seed: Digest) -> Self {
        let seed = FieldHasher::new("permuted labels").field(seed.0).finish();
        let order = Random::new(seed).permutation(self.examples.len());
        let mut permuted = self.clone();
        if let (Some(labels), Some(given)) = (&mut permuted.labels, &self.labels) {
            labels.of_example = order.iter().map(|&example| given.of_example[example]).collect();
        }
        let dealt = |given: &Vec<f64>| order.iter().map(|&example| given[example]).collect();
        permuted.targets = self.targets.as_ref().map(dealt);
        permuted
    }
}

/// The classes of examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// Names of the classes, at least two.
    pub classes: Vec<String>,
    /// Class of each example, an index into `classes`.
    pub of_example: Vec<u32>,
}

/// Which examples the authors of a dataset put into which part. An example may be in several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSplit {
    /// Training examples.
    pub train: Range<usize>,
    /// Validation examples; may be empty.
    pub valid: Range<usize>,
    /// Test examples.
    pub test: Range<usize>,
}
