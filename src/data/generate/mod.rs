//! Datasets drawn from known distributions: for the quickstart, for tests, and for papers whose data are
//! made so.
//!
//! The examples are a function of the generator and its parameters alone: the same bits on every
//! machine, through [`math::random`].

pub mod boolean;
pub mod density;
pub mod factors;
pub mod latent_tree;
pub mod mixture;

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::vocabulary::{Kind, Shape};
use super::{Targets, Truth, limits};
use base::digest::{Digest, FieldHasher};
use contract::Examples;
use contract::parameter::{Parameter, Value};
use math::random::Random;
use mixture::MixtureSample;

const MOST_VARIABLES: usize = 100_000;
const MOST_ROWS: usize = 10_000_000;

/// What examples are drawn from, with the sizes of the samples. Two are the same if their digests are.
#[derive(Debug, Clone)]
pub struct Generator(Arc<dyn Sample>);

impl<S: Sample + 'static> From<S> for Generator {
    fn from(sample: S) -> Self {
        Self(Arc::new(sample))
    }
}

impl Deref for Generator {
    type Target = dyn Sample;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Generator {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

/// A sample that can be drawn.
pub trait Sample: Debug + Send + Sync {
    /// The shape of the dataset.
    fn shape(&self) -> Shape;

    /// What its examples are.
    fn kind(&self) -> Kind {
        Kind::Binary
    }

    /// Names of the classes; none if the examples have no labels.
    fn classes(&self) -> &'static [&'static str] {
        &[]
    }

    /// The mixture, if it is one: tasks may draw further examples from it.
    fn mixture(&self) -> Option<&MixtureSample> {
        None
    }

    /// Digest of the generator, its revision and its parameters; it names the examples without drawing them.
    fn digest(&self) -> Digest;

    /// Draws the examples.
    fn draw(&self) -> Drawn;

    /// The same with another seed; none if nothing is drawn at random.
    fn reseeded(&self, seed: &dyn Fn(u64) -> u64) -> Option<Generator>;

    /// What an experiment may vary, as a `[[choice]]`, with the present values.
    fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        Vec::new()
    }

    /// The same with another value of one of its [`Self::parameters`]; none if it has no such parameter or it can't be
    /// that.
    fn with(&self, _name: &str, _value: &Value) -> Option<Generator> {
        None
    }
}

/// The examples of a generated dataset.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Training, validation, test examples.
    pub examples: Examples,
    /// Their classes, if they have any.
    pub targets: Targets,
    /// What they are drawn from.
    pub truth: Truth,
}

impl Generator {
    /// The same generator with the random numbers of another draw; itself for draw 0. A distribution that is drawn too,
    /// such as a tree, is another one. None if nothing is drawn.
    #[must_use]
    pub fn redrawn(&self, draw: usize) -> Option<Self> {
        self.reseeded(&|own| {
            let hasher = FieldHasher::new("draw").number(own).number(draw as u64);
            if draw == 0 { own } else { Random::new(hasher.finish()).word() }
        })
    }
}

/// What the digest of a generator begins with: its word, its revision, and the numbers that it has.
fn hashed(word: &str, revision: u64, numbers: impl IntoIterator<Item = usize>) -> FieldHasher {
    let hasher = FieldHasher::new("generated dataset").field(word).number(revision);
    numbers.into_iter().fold(hasher, |hasher, number| hasher.number(number as u64))
}

/// Where the random numbers of a generator start.
fn start(word: &str, seed: u64) -> Digest {
    FieldHasher::new("generator").field(word).number(seed).finish()
}

/// A parameter of a generator is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{parameter}` must be {expected}")]
pub struct OutOfRange {
    /// The parameter.
    pub parameter: &'static str,
    /// Its range.
    pub expected: String,
}

/// Collects the parameters that are out of their ranges.
#[derive(Debug, Default)]
struct Ranges(Vec<OutOfRange>);

impl Ranges {
    fn check(&mut self, parameter: &'static str, fine: bool, expected: impl Into<String>) {
        if !fine {
            self.0.push(OutOfRange { parameter, expected: expected.into() });
        }
    }

    fn whole(&mut self, parameter: &'static str, value: usize, least: usize, most: usize) {
        let fine = (least..=most).contains(&value);
        self.check(parameter, fine, format!("from {least} to {most}"));
    }

    /// Checks that a dataset of so many examples can be held, with so many bits a value.
    fn cells(&mut self, parameter: &'static str, rows: usize, variables: usize, bits: usize) {
        let most = limits::GENERATED_BITS / bits;
        let expected = format!("such that examples times variables are at most {most}");
        self.check(parameter, limits::product(rows, variables, most).is_some(), expected);
    }

    /// Checks that a distribution of so many numbers can be held.
    fn parameters(&mut self, parameter: &'static str, some: usize, times: usize, what: &str) {
        let most = limits::GENERATED_PARAMETERS;
        let expected = format!("such that {what} are at most {most}");
        self.check(parameter, limits::product(some, times, most).is_some(), expected);
    }

    fn into_result<T>(self, value: T) -> Result<T, Vec<OutOfRange>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Origin, Registry};
    use contract::packed::PackedRows;

    fn digest_of_rows(examples: &Examples) -> Digest {
        let hasher = FieldHasher::new("test");
        let of_row = |hasher: FieldHasher, row: &[u32]| {
            hasher.field(row.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>())
        };
        let of_packed = |rows: &PackedRows| {
            rows.words().iter().fold(FieldHasher::new("test"), |hasher, &word| hasher.number(word))
        };
        match examples {
            Examples::Binary(rows) => rows.iter().fold(hasher, of_row),
            Examples::Packed(rows) => of_packed(rows),
            Examples::Categorical(rows) => {
                rows.codes().iter().fold(hasher, |hasher, &code| hasher.number(u64::from(code)))
            }
            Examples::Table(_) => panic!("no generator draws tables"),
            Examples::Numeric(rows) => {
                rows.values().iter().fold(hasher, |hasher, value| hasher.number(value.to_bits()))
            }
        }
        .finish()
    }

    #[test]
    fn draws_differ_in_their_random_numbers_only() {
        let registry = Registry::built_in().unwrap();
        for id in ["generated-tree", "generated-parity", "idf-xor", "tep-figure1"] {
            let Origin::Generated(own) = &registry.get(id).unwrap().origin else { panic!() };
            assert_eq!(own.redrawn(0).as_ref(), Some(own));
            let [one, two] = [1, 2].map(|draw| own.redrawn(draw).unwrap());
            let rows = |generator: &Generator| digest_of_rows(&generator.draw().examples);
            assert!(rows(own) != rows(&one) && rows(own) != rows(&two) && rows(&one) != rows(&two));
            assert_eq!((one.shape(), one.parameters()), (own.shape(), own.parameters()));
        }
        let Origin::Generated(all) = &registry.get("conjunction-8").unwrap().origin else {
            panic!()
        };
        assert_eq!(all.redrawn(1), None);
    }

    /// Digests of the generators and of what they draw: a changed row needs a raised revision, and what
    /// did not change must keep its digest, or stored results lose their data. The digests of the
    /// generators, and of the exhaustive rows, are from Python's hashlib.
    #[test]
    fn generated_rows_are_those_of_the_revision() {
        let registry = Registry::built_in().unwrap();
        let known = [
            ("generated-blocks", "9688367bb05a", "a0d4ed9e9aeb"),
            ("generated-tree", "9f2c20e290c9", "8c86aa7d163f"),
            ("generated-independent", "1435ce096b50", "a1a20afec9d2"),
            ("generated-parity", "1fc489e4c28c", "b39a345c6cb3"),
            ("generated-m-of-n", "6e415f7a21bb", "c87a04090172"),
            ("generated-conjunction", "77e9b46dd02a", "0f00ee5d907e"),
            ("conjunction-8", "e98879a6d02e", "a222a0bcbda7"),
            ("idf-network", "efc300eb4572", "1c16d2d814cc"),
            ("idf-xor", "dd297d00a18c", "1ee2328665ca"),
            ("idf-duplicates", "5d1bc15842ce", "49abf59b7363"),
            ("idf-mixed", "38514806cb44", "b283267caf3a"),
            ("idf-gaussian", "a8dcd19e11d2", "0a4a44b7006f"),
            ("idf-example-1", "f2ea7a22edc9", "33396e574b74"),
            ("idf-example-2", "458f4e4d55e7", "114200fe8349"),
            ("idf-example-3", "4477212c9ca8", "619d2b8f7beb"),
            ("tep-figure1", "e108bdc648c1", "2b9ee3356efe"),
            ("tep-figure2", "a1dee4964389", "46f193f8a3fe"),
            ("generated-latent-tree", "b230873d3886", "938ffedfe8c2"),
        ];
        let found = known.map(|(id, ..)| {
            let Origin::Generated(found) = &registry.get(id).unwrap().origin else { panic!() };
            (id, found.digest().short(), digest_of_rows(&found.draw().examples).short())
        });
        let known = known.map(|(id, generator, rows)| (id, generator.to_owned(), rows.to_owned()));
        assert_eq!(found, known, "raise REVISION, then correct these digests");
    }
}
