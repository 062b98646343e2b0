//! Examples labelled by a Boolean function: the synthetic data of Niepert and Domingos 2014 (section
//! 5.1), and the samples of its theorem 4.4.

use std::sync::Arc;

use super::{
    Drawn, Generator, MOST_ROWS, MOST_VARIABLES, OutOfRange, Ranges, Sample, hashed, start,
};
use crate::vocabulary::{Parts, Rows, Shape, Target};
use crate::{Labels, Targets, Truth};
use base::digest::{Digest, FieldHasher};
use contract::Examples;
use contract::packed::{PackedRows, words_for};
use contract::parameter::{Choice, Parameter, Value, settings};
use contract::words;
use contract::words::{Worded, Words};
use math::random::Random;

/// Raised by every change that can change a generated example; it enters the dataset's digest.
const REVISION: u64 = 1;

/// Most variables of which all states are listed.
const MOST_EXHAUSTIVE: usize = 20;

/// The classes: the function is 1, the function is 0.
pub(super) const CLASSES: [&str; 2] = ["true", "false"];

/// A Boolean function of variables that it treats alike: its value depends on their number of ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Function {
    /// Whether the number of ones is odd.
    Parity,
    /// Whether the number of ones has this remainder.
    Counting {
        /// What it is divided by.
        modulus: usize,
        /// The remainder.
        remainder: usize,
    },
    /// Whether there are so many ones (m of n).
    Threshold {
        /// The least number of ones.
        least: usize,
    },
    /// Whether the number of ones is among these.
    Exact {
        /// The numbers of ones.
        values: Vec<usize>,
    },
    /// Whether all are one.
    Conjunction,
    /// Whether any is one.
    Disjunction,
}

impl Function {
    /// The word that `datasets.toml` uses.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Parity => "parity",
            Self::Counting { .. } => "counting",
            Self::Threshold { .. } => "threshold",
            Self::Exact { .. } => "exact",
            Self::Conjunction => "conjunction",
            Self::Disjunction => "disjunction",
        }
    }

    /// The value where `ones` of `variables` variables are one.
    pub fn value(&self, ones: usize, variables: usize) -> bool {
        match self {
            Self::Parity => ones % 2 == 1,
            Self::Counting { modulus, remainder } => ones % modulus == *remainder,
            Self::Threshold { least } => ones >= *least,
            Self::Exact { values } => values.contains(&ones),
            Self::Conjunction => ones == variables,
            Self::Disjunction => ones > 0,
        }
    }

    /// Names the parameters with which the function is the same everywhere, or makes no sense.
    fn check(&self, variables: usize, ranges: &mut Ranges) {
        match self {
            Self::Parity | Self::Conjunction | Self::Disjunction => {}
            Self::Counting { modulus, remainder } => {
                ranges.check("modulus", *modulus >= 2, "at least 2");
                let below = (*modulus).clamp(1, variables + 1);
                let expected =
                    format!("below the modulus and at most the {variables} relevant variables");
                ranges.check("remainder", *remainder < below, expected);
            }
            Self::Threshold { least } => {
                let expected = format!("from 1 to the number of relevant variables, {variables}");
                ranges.check("least", (1..=variables).contains(least), expected);
            }
            Self::Exact { values } => {
                let ascending = values.windows(2).all(|pair| pair[0] < pair[1]);
                let inside = values.last().is_some_and(|&last| last <= variables);
                let expected = format!(
                    "some but not all numbers from 0 to the number of relevant variables, \
                     {variables}, ascending"
                );
                ranges.check("values", ascending && inside && values.len() <= variables, expected);
            }
        }
    }

    fn hash(&self, hasher: FieldHasher) -> FieldHasher {
        let numbers: Vec<usize> = match self {
            Self::Parity | Self::Conjunction | Self::Disjunction => Vec::new(),
            Self::Counting { modulus, remainder } => vec![*modulus, *remainder],
            Self::Threshold { least } => vec![*least],
            Self::Exact { values } => values.clone(),
        };
        let hasher = hasher.field(self.word()).number(numbers.len() as u64);
        numbers.into_iter().fold(hasher, |hasher, number| hasher.number(number as u64))
    }
}

words! {
    /// How the relevant variables of an example are drawn. The irrelevant ones are fair coins.
    pub enum Sampling {
        Uniform = "uniform", "fair coins";
        UniformCount = "uniform-count", "the number of ones is uniform, then a random subset of that size";
        Balanced = "balanced", "the class is a fair coin, the number of ones uniform among those of the class, then a random subset of that size";
    }
}

settings! { SAMPLING sampling: Choice<Sampling>::worded("uniform"), "how the variables on which the function depends are drawn"; }

/// How random examples are drawn, by the words that files use; none where all states are listed.
pub const SAMPLINGS: Words<Option<Sampling>> = {
    const RANDOM: Words<Sampling> = Sampling::WORDS;
    Words(&[
        RANDOM.some(0),
        RANDOM.some(1),
        RANDOM.some(2),
        ("exhaustive", None, "every state, once"),
    ])
};

/// How examples are drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// How the relevant variables are.
    pub sampling: Sampling,
    /// Where the random numbers start.
    pub seed: u64,
    /// Training examples.
    pub train: usize,
    /// Test examples.
    pub test: usize,
}

/// Examples that a Boolean function of the first variables labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSample {
    variables: usize,
    relevant: usize,
    function: Function,
    draws: Option<Draws>,
}

impl FunctionSample {
    /// A sample with checked parameters: `function` depends on the first `relevant` of the `variables`.
    /// Without `draws` it has each state of the variables once, state i of variable v being bit v of i. All examples are
    /// training examples then, and all are test examples.
    ///
    /// # Errors
    /// All parameters that are out of their ranges.
    pub fn new(
        variables: usize,
        relevant: usize,
        function: Function,
        draws: Option<Draws>,
    ) -> Result<Self, Vec<OutOfRange>> {
        let mut ranges = Ranges::default();
        match draws {
            None => {
                let expected =
                    format!("from 1 to {MOST_EXHAUSTIVE}, since all states are to be listed");
                ranges.check("variables", (1..=MOST_EXHAUSTIVE).contains(&variables), expected);
            }
            Some(Draws { train, test, .. }) => {
                ranges.whole("variables", variables, 1, MOST_VARIABLES);
                ranges.whole("train", train, 1, MOST_ROWS);
                ranges.whole("test", test, 1, MOST_ROWS);
                ranges.cells("train", train.saturating_add(test), variables, 1);
            }
        }
        let expected = format!("from 1 to the number of variables, {variables}");
        ranges.check("relevant", (1..=variables).contains(&relevant), expected);
        function.check(relevant, &mut ranges);
        ranges.into_result(Self { variables, relevant, function, draws })
    }

    /// The words of random rows, and their classes.
    fn random(&self, draws: Draws) -> (Vec<u64>, Vec<u32>) {
        let Self { variables, relevant, .. } = *self;
        let Draws { sampling, seed, train, test } = draws;
        let rows = train + test;
        let mut random = Random::new(start("boolean-function", seed));
        let counts: Vec<usize> = (0..=relevant).collect();
        let (first, second): (Vec<usize>, Vec<usize>) =
            counts.iter().partition(|&&ones| self.class(ones) == 0);
        let of_classes = [first, second];
        let mut row = vec![0u64; words_for(variables)];
        let mut words = Vec::with_capacity(rows * row.len());
        let mut classes = Vec::with_capacity(rows);
        let with_ones = |counts: &[usize], random: &mut Random, row: &mut [u64]| {
            let ones = counts[random.below(counts.len())];
            random_subset(relevant, ones, random, row);
            fair_coins(relevant, variables, random, row);
            ones
        };
        for _ in 0..rows {
            let ones = match sampling {
                Sampling::Uniform => {
                    fair_coins(0, variables, &mut random, &mut row);
                    ones_below(relevant, &row)
                }
                Sampling::UniformCount => with_ones(&counts, &mut random, &mut row),
                Sampling::Balanced => {
                    let of_class = &of_classes[random.below(2)];
                    with_ones(of_class, &mut random, &mut row)
                }
            };
            words.extend_from_slice(&row);
            classes.push(self.class(ones));
        }
        (words, classes)
    }

    fn class(&self, ones: usize) -> u32 {
        u32::from(!self.function.value(ones, self.relevant))
    }
}

impl Sample for FunctionSample {
    fn shape(&self) -> Shape {
        let rows = match self.draws {
            None => Rows::Shared(1 << self.variables),
            Some(Draws { train, test, .. }) => Rows::Split(Parts { train, valid: 0, test }),
        };
        Shape::without_folds(self.variables, rows, Target::Classes(CLASSES.len()))
    }

    fn classes(&self) -> &'static [&'static str] {
        &CLASSES
    }

    fn digest(&self) -> Digest {
        let hasher = hashed("boolean-function", REVISION, [self.variables, self.relevant]);
        let hasher = self.function.hash(hasher);
        match self.draws {
            None => hasher.field("exhaustive"),
            Some(Draws { sampling, seed, train, test }) => {
                hasher.field(sampling.word()).number(seed).number(train as u64).number(test as u64)
            }
        }
        .finish()
    }

    fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        let word = |draws: Draws| Value::Text(draws.sampling.word().to_owned());
        self.draws.map(|draws| (&SAMPLING.parameter, word(draws))).into_iter().collect()
    }

    fn with(&self, name: &str, value: &Value) -> Option<Generator> {
        let sampling = SAMPLING.read(value).filter(|_| name == SAMPLING.parameter.name)?;
        let draws = Some(Draws { sampling, ..self.draws? });
        Some(Self { draws, ..self.clone() }.into())
    }

    fn reseeded(&self, seed: &dyn Fn(u64) -> u64) -> Option<Generator> {
        let draws = self.draws?;
        let draws = Some(Draws { seed: seed(draws.seed), ..draws });
        Some(Self { draws, ..self.clone() }.into())
    }

    /// Draws the examples, training before test. Time O(rows · variables) at most: a random subset of
    /// k of r relevant variables takes min(k, r - k) random numbers, fair coins one for 64 variables.
    fn draw(&self) -> Drawn {
        let Self { variables, relevant, .. } = *self;
        let (words, of_example) = match self.draws {
            None => {
                let words: Vec<u64> = (0..1 << variables).collect();
                let class = |state: &u64| self.class(ones_below(relevant, &[*state]));
                let of_example = words.iter().map(class).collect();
                (words, of_example)
            }
            Some(draws) => self.random(draws),
        };
        let classes = CLASSES.map(str::to_owned).to_vec();
        let block = |variable: usize| u32::from(variable >= relevant);
        Drawn {
            examples: Examples::Packed(PackedRows::new(variables, words)),
            targets: Targets::Classes(Labels { classes, of_example }),
            truth: Truth::Blocks(Arc::new((0..variables).map(block).collect())),
        }
    }
}

/// The bits of word `index` of a row that are below position `end`.
fn mask_below(end: usize, index: usize) -> u64 {
    match end.saturating_sub(64 * index) {
        bits @ 0..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

fn ones_below(end: usize, row: &[u64]) -> usize {
    let ones = |(index, word): (usize, &u64)| (word & mask_below(end, index)).count_ones() as usize;
    row.iter().enumerate().map(ones).sum()
}

/// Overwrites the bits from `start` to `end` (excluded) with fair coins.
fn fair_coins(start: usize, end: usize, random: &mut Random, row: &mut [u64]) {
    for (index, word) in row.iter_mut().enumerate().skip(start / 64) {
        let mask = mask_below(end, index) & !mask_below(start, index);
        if mask != 0 {
            *word = *word & !mask | random.word() & mask;
        }
    }
}

/// Overwrites the words that hold the first `n` bits: `ones` of these are one, every subset of that size
/// equally likely (Floyd's algorithm, for the smaller of the subset and its complement), all others zero.
fn random_subset(n: usize, ones: usize, random: &mut Random, row: &mut [u64]) {
    let size = ones.min(n - ones);
    row.fill(0);
    for last in n - size..n {
        let chosen = random.below(last + 1);
        let taken = row[chosen / 64] >> (chosen % 64) & 1 == 1;
        let chosen = if taken { last } else { chosen };
        row[chosen / 64] |= 1 << (chosen % 64);
    }
    if size < ones {
        for (index, word) in row.iter_mut().enumerate() {
            *word ^= mask_below(n, index);
        }
    }
}

#[cfg(test)]
mod tests;
