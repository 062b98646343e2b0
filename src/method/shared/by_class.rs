//! What classifiers that model each class on its own share: the class's examples, its column counts,
//! and the class of the highest score.

use super::prediction::{self, distributions_with, highest, normalise};
use super::refusals::countable;
use contract::packed::ones_of;
use contract::{Binary, Context, Examples, Labelled, Result};
use math::positional::PositionalCounter;
use ndarray::Array2;

/// One example, in the form in which it is stored.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// The indices of its ones, ascending.
    Ones(&'a [u32]),
    /// Its bits, 64 variables a word.
    Bits(&'a [u64]),
}

impl<'a> Row<'a> {
    /// An example by its index.
    #[inline]
    pub fn of(examples: Binary<'a>, index: usize) -> Self {
        match examples {
            Binary::Sparse(rows) => Self::Ones(rows.row(index)),
            Binary::Packed(rows) => Self::Bits(rows.row(index)),
        }
    }

    /// Visits its ones, in ascending order.
    #[inline]
    pub fn each_one(self, visit: impl FnMut(u32)) {
        match self {
            Self::Ones(ones) => ones.iter().copied().for_each(visit),
            Self::Bits(words) => ones_of(words).for_each(visit),
        }
    }

    /// Number of its ones.
    #[inline]
    pub fn count_ones(self) -> usize {
        match self {
            Self::Ones(ones) => ones.len(),
            Self::Bits(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }
}

/// Examples whose ones are counted at a time.
const CHUNK: usize = 1 << 14;

/// The training examples of each class, ascending. Memory is 4 bytes an example.
#[derive(Debug)]
pub struct ByClass<'a> {
    examples: Binary<'a>,
    of_class: Vec<Vec<u32>>,
}

impl<'a> ByClass<'a> {
    /// Sorts the examples by class.
    ///
    /// # Errors
    /// If there are no examples, or more than 4,294,967,295.
    pub fn new(train: &'a Labelled) -> Result<Self> {
        let examples = train.examples.binary()?;
        countable(train.labels.len(), u32::MAX)?;
        let mut of_class = vec![Vec::new(); train.classes];
        for (example, &class) in (0u32..).zip(&train.labels) {
            of_class[class as usize].push(example);
        }
        Ok(Self { examples, of_class })
    }

    /// Number of classes, k.
    pub fn classes(&self) -> usize {
        self.of_class.len()
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.examples.variables()
    }

    /// Number of examples of a class.
    pub fn total(&self, class: usize) -> usize {
        self.of_class[class].len()
    }

    /// Applies `work` to chunks of a class's rows. A chunk's result must not depend on the `scratch`
    /// that earlier chunks left.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn map_chunks<S, T: Send>(
        &self,
        class: usize,
        context: &Context,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut dyn ExactSizeIterator<Item = Row<'a>>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let indices = &self.of_class[class];
        let chunks = context.cores.map_chunks(indices.len(), CHUNK, scratch, |scratch, range| {
            context.check()?;
            let mut rows =
                indices[range].iter().map(|&index| Row::of(self.examples, index as usize));
            Ok(work(scratch, &mut rows))
        });
        chunks.into_iter().collect()
    }

    /// How many examples of a class have a one in each variable. Time O(ones), or O(bits / 64) for
    /// packed rows.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn column_counts(&self, class: usize, context: &Context) -> Result<Vec<u32>> {
        let n = self.variables();
        let width = n.div_ceil(64);
        let chunks = self.map_chunks(
            class,
            context,
            || (),
            |(), rows| match self.examples {
                Binary::Sparse(_) => {
                    let mut counts = vec![0; n];
                    rows.for_each(|row| row.each_one(|one| counts[one as usize] += 1));
                    counts
                }
                Binary::Packed(_) => {
                    let bits = rows.map(|row| match row {
                        Row::Bits(words) => words,
                        Row::Ones(_) => &[],
                    });
                    let bits: Vec<&[u64]> = bits.collect();
                    let mut counts = vec![0; width * 64];
                    let mut counter = PositionalCounter::new(width);
                    counter.add(bits.len(), |row| bits[row], &mut counts);
                    counts
                }
            },
        )?;
        let mut counts = vec![0u32; n];
        for chunk in chunks {
            for (count, more) in counts.iter_mut().zip(chunk) {
                *count += more;
            }
        }
        Ok(counts)
    }
}

/// The probability of each class of each example, of which `score` writes the logarithms up to a constant.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn posteriors<S>(
    examples: &Examples,
    classes: usize,
    context: &Context,
    scratch: impl Fn() -> S + Sync,
    score: impl Fn(&mut S, Row<'_>, &mut [f64]) + Sync,
) -> Result<Array2<f64>> {
    let examples = examples.binary()?;
    distributions_with(examples.len(), classes, context, scratch, |scratch, index, out| {
        score(scratch, Row::of(examples, index), out);
        normalise(out);
    })
}

/// The class of highest score of each example; of equal scores the lowest class. `score` writes one
/// example's score of each class.
///
/// # Errors
/// If the deadline passes or the user interrupts.
pub fn highest_scores<S>(
    examples: &Examples,
    classes: usize,
    context: &Context,
    scratch: impl Fn() -> S + Sync,
    score: impl Fn(&mut S, Row<'_>, &mut [f64]) + Sync,
) -> Result<Vec<u32>> {
    let examples = examples.binary()?;
    let scratch = || (scratch(), vec![0.0; classes]);
    context.each_with(examples.len(), prediction::CHUNK, scratch, |(scratch, scores), index| {
        score(scratch, Row::of(examples, index), scores);
        Ok(highest(&*scores))
    })
}
