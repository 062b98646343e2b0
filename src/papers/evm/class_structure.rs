//! Structure and counts of the MEVM classifier, class by class (Niepert and Domingos 2014, section 5.1).

use crate::evm::conditions::{Conditions, Tests, WelchSample};
use crate::evm::masks::Masks;
use crate::evm::partition::{Partition, Rule};
use crate::evm::passes::{Expected, Rest};
use crate::evm::structure::Structure;
use contract::parameter::{Choice, Parameters, settings};
use contract::words::Words;
use contract::{Context, Examples, Labelled, Result, words};
use math::distribution::chi_squared_sf;
use math::special::{exp_m1, ln_1p};
use method::shared::by_class::{ByClass, Row};

words! {
    /// A correction for multiple tests.
    pub(super) enum Correction {
        None = "none", "each test at level alpha";
        Bonferroni = "bonferroni", "each test at level alpha / t";
        Sidak = "sidak", "each test at level 1 - (1 - alpha)^(1/t)";
    }
}

words! {
    /// A test of all variables at once.
    pub(super) enum GlobalTest {
        None = "none", "the pairwise tests alone decide";
        CochranQ = "cochran-q",
            "the variables stay one block unless Cochran's Q test rejects at level alpha that all of them have equal means given the class";
    }
}

settings! {
    /// What is tested, and how often.
    pub(super) struct Settings {
        SAMPLE sample: Choice<WelchSample>::new(&Words(&[
            ("class", WelchSample::Effective, "the examples of the class: n = N_y"),
            ("all", WelchSample::All, "all training examples, whatever their class: n = N"),
        ]), "class"), "the size of Welch's samples; mean m and variance m (1 - m) are those given the class";
        CORRECTION correction: Choice<Correction>::worded("none"),
            "correction for the t = n (n - 1) / 2 tests of one condition, one for each pair of the n variables";
        GLOBAL_TEST global_test: Choice<GlobalTest>::worded("none"),
            "test of all variables at once, before those of pairs (Fisher's protection)";
    }
}

/// The training examples by class, and how many of them have a one in each variable.
pub(super) struct ClassStatistics<'a> {
    by_class: ByClass<'a>,
    context: &'a Context,
    /// Number of examples, N.
    examples: usize,
    packed: bool,
    /// Sums over the examples; the weights δ are 1 for an example's class and 0 for the others.
    expected: Expected,
}

impl<'a> ClassStatistics<'a> {
    pub(super) fn new(train: &'a Labelled, context: &'a Context) -> Result<Self> {
        let by_class = ByClass::new(train)?;
        let k = train.classes;
        let mut expected = Expected::new(train.examples.variables(), k);
        for class in 0..k {
            expected.totals[class] = by_class.total(class) as f64;
            let counts = by_class.column_counts(class, context)?;
            for (variable, count) in counts.into_iter().enumerate() {
                expected.ones[variable * k + class] = f64::from(count);
            }
        }
        expected.squares.clone_from(&expected.ones);
        expected.total_squares.clone_from(&expected.totals);
        let packed = matches!(train.examples, Examples::Packed(_));
        Ok(Self { by_class, context, examples: train.labels.len(), packed, expected })
    }

    /// Number of examples of each class.
    pub(super) fn totals(&self) -> &[f64] {
        &self.expected.totals
    }

    /// Partitions the variables for each class by tests.
    pub(super) fn learn_structure(&self, parameters: &Parameters, rule: Rule) -> Result<Structure> {
        let (n, k) = (self.by_class.variables(), self.by_class.classes());
        let Settings { sample, correction, global_test } = Settings::read(parameters);
        let mut tests = Tests::read(parameters, rule, sample);
        let split: Vec<bool> = match global_test {
            GlobalTest::CochranQ => {
                let rejects = |class| Ok(self.cochran_q(class)? < tests.level.alpha);
                (0..k).map(rejects).collect::<Result<_>>()?
            }
            GlobalTest::None => vec![true; k],
        };
        tests.level.alpha = corrected(tests.level.alpha, n, correction);
        let conditions = |component| Conditions {
            tests: &tests,
            expected: &self.expected,
            examples: self.examples,
            component,
        };
        let partition = |class: usize| {
            if split[class] { conditions(class).partition() } else { Partition::whole(n) }
        };
        let cores = &self.context.cores;
        let partitions = cores.map(k, 1, |class| partition(class.start));
        self.context.check()?;
        let structure = Structure::new(partitions, n);
        if !tests.covariance() {
            return Ok(structure);
        }
        let histogram = self.histogram(&structure, self.masks(&structure).as_ref())?;
        let rest = self.sum_rest(&structure)?;
        let refined = |class: usize| {
            if split[class] {
                conditions(class).refined_by_covariance(&structure, &histogram, &rest)
            } else {
                Partition::whole(n)
            }
        };
        Ok(Structure::new((0..k).map(refined).collect(), n))
    }

    /// The p-value of Cochran's Q test that all variables have equal means given the class.
    fn cochran_q(&self, class: usize) -> Result<f64> {
        let squares = self.by_class.map_chunks(
            class,
            self.context,
            || (),
            |(), rows| rows.map(|row| (row.count_ones() as u128).pow(2)).sum::<u128>(),
        )?;
        let k = self.by_class.classes();
        let columns: Vec<u128> =
            self.expected.ones.iter().skip(class).step_by(k).map(|&ones| ones as u128).collect();
        Ok(cochran_q(&columns, squares.into_iter().sum()))
    }

    /// The blocks as masks, if a row has fewer of these than ones to look up, on average.
    pub(super) fn masks(&self, structure: &Structure) -> Option<Masks> {
        let lookups = self.expected.ones.iter().sum::<f64>() / self.examples as f64
            * self.by_class.classes() as f64;
        let masks = self.packed.then(|| Masks::new(structure))?;
        (masks.len() as f64 <= lookups).then_some(masks)
    }

    /// For each slot of the structure, the number of its class's examples with that number of ones:
    /// the counts of theorem 4.2.
    pub(super) fn histogram(
        &self,
        structure: &Structure,
        masks: Option<&Masks>,
    ) -> Result<Vec<f64>> {
        let starts = &structure.starts;
        let mut histogram = vec![0.0; structure.slots];
        for (class, total) in self.expected.totals.iter().enumerate() {
            let (slots, blocks) = (structure.component(class), structure.numbers(class));
            let chunks = self.by_class.map_chunks(
                class,
                self.context,
                || starts.to_vec(),
                |positions, rows| {
                    let mut counts = vec![0u32; slots.len()];
                    let slot = |position: u32| position as usize - slots.start;
                    rows.for_each(|row| match (row, masks) {
                        (Row::Bits(words), Some(masks)) => {
                            masks.count(words, blocks.clone(), positions);
                            for block in blocks.clone() {
                                counts[slot(positions[block])] += 1;
                                positions[block] = starts[block];
                            }
                        }
                        // A block is met once for each of its ones: the first time at the slot of its
                        // count, then at that of no ones, which is set right below.
                        _ => {
                            walk(structure, class, row, |block, _| positions[block] += 1);
                            walk(structure, class, row, |block, _| {
                                counts[slot(positions[block])] += 1;
                                positions[block] = starts[block];
                            });
                        }
                    });
                    counts
                },
            )?;
            for counts in chunks {
                for (sum, count) in histogram[slots.clone()].iter_mut().zip(counts) {
                    *sum += f64::from(count);
                }
            }
            for block in structure.blocks(class) {
                let counts = &mut histogram[block];
                counts[0] = total - counts[1..].iter().sum::<f64>();
            }
        }
        Ok(histogram)
    }

    /// For each variable and class, the sums over the rest of its block that condition (3) needs. All
    /// are whole numbers.
    fn sum_rest(&self, structure: &Structure) -> Result<Rest> {
        let (n, k) = (self.by_class.variables(), self.by_class.classes());
        let mut rest = Rest { sums: vec![0.0; n * k], squares: vec![0.0; n * k] };
        for class in 0..k {
            let chunks = self.by_class.map_chunks(
                class,
                self.context,
                || vec![0u64; structure.starts.len()],
                |counts, rows| {
                    let mut sums = vec![(0u64, 0u64); n];
                    rows.for_each(|row| {
                        walk(structure, class, row, |block, _| counts[block] += 1);
                        walk(structure, class, row, |block, one| {
                            let rest = counts[block] - 1;
                            sums[one].0 += rest;
                            sums[one].1 += rest * rest;
                        });
                        walk(structure, class, row, |block, _| counts[block] = 0);
                    });
                    sums
                },
            )?;
            for (variable, (sum, square)) in
                chunks.into_iter().flat_map(|sums| sums.into_iter().enumerate())
            {
                rest.sums[variable * k + class] += sum as f64;
                rest.squares[variable * k + class] += square as f64;
            }
        }
        Ok(rest)
    }
}

/// Visits the ones of a row: the block of each, given the class, and itself.
#[inline]
fn walk(structure: &Structure, class: usize, row: Row<'_>, mut visit: impl FnMut(usize, usize)) {
    row.each_one(|one| visit(structure.blocks_of(one)[class] as usize, one as usize));
}

/// The level of each test such that all t = n (n - 1) / 2 of them have level `alpha` together.
fn corrected(alpha: f64, variables: usize, correction: Correction) -> f64 {
    let n = variables as f64;
    let tests = (0.5 * n * (n - 1.0)).max(1.0);
    match correction {
        Correction::None => alpha,
        Correction::Bonferroni => alpha / tests,
        Correction::Sidak => -exp_m1(ln_1p(-alpha) / tests),
    }
}

/// The p-value of Cochran's Q test of equal means of matched binary columns (Cochran 1950), from their
/// numbers of ones and the sum of the squares of the rows' numbers of ones. Under exchangeability it is
/// the permutation test within rows, its statistic being chi-squared with n - 1 degrees of freedom as
/// the number of rows grows. Where no row has both a one and a zero there is no evidence: 1.
fn cochran_q(columns: &[u128], row_squares: u128) -> f64 {
    let n = columns.len() as u128;
    let total: u128 = columns.iter().sum();
    let between = n * columns.iter().map(|ones| ones * ones).sum::<u128>() - total * total;
    let within = n * total - row_squares;
    if within == 0 {
        return 1.0;
    }
    let df = (n - 1) as f64;
    chi_squared_sf(df * (between as f64 / within as f64), df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_share_the_level_between_the_pairs() {
        assert_eq!(corrected(0.1, 5, Correction::None), 0.1);
        assert_eq!(corrected(0.1, 5, Correction::Bonferroni), 0.01);
        // 1 - .9^(1/10) by Python's math.expm1 and math.log1p.
        assert!((corrected(0.1, 5, Correction::Sidak) - 0.010480741793785552).abs() < 1e-16);
        // No pair, no correction.
        assert_eq!(corrected(0.1, 1, Correction::Bonferroni), 0.1);
    }

    #[test]
    fn cochrans_q_equals_scipy() {
        // Eight rows of four columns with Q = 8.428571428571429 by its definition, k (k - 1) Σ (C - N/k)² /
        // Σ R (k - R), in NumPy; scipy.stats.chi2.sf(Q, 3) with SciPy 1.17.1.
        assert!((cochran_q(&[7, 5, 2, 3], 47) - 0.03793703625926929).abs() < 1e-14);
        // Rows of zeros or of ones alone, no rows, a single column.
        assert_eq!(cochran_q(&[3, 3], 3 * 4), 1.0);
        assert_eq!(cochran_q(&[0, 0], 0), 1.0);
        assert_eq!(cochran_q(&[5], 5), 1.0);
    }
}
