//! Tests of conditional independence of variables with finitely many values, on counts.

use super::columns::Columns;
use super::independence::{Evidence, IndependenceTest, Tester};
use super::moments::{Moments, g_moments, pearson, pearson_moments};
use super::strata::Strata;
use base::digest::{Digest, FieldHasher};
use math::distribution::chi_squared_sf;
use math::mutual_information::EntropyTerms;
use math::random::Random;
use math::sample::Sample;

/// The distribution of the statistic under independence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// A scaled chi-squared with the statistic's own mean and variance, which are summed over the strata
    /// and exact given each stratum's margins. The statistic is G for 0/1 variables, and Pearson's X² if
    /// one of the two has more values. Strata that could only be as they are add nothing to either.
    Moments,
    /// The asymptotic one: chi-squared, (rows - 1)(columns - 1) degrees of freedom a stratum, counting
    /// rows and columns that are not empty. Far too small for strata of few examples.
    ChiSquared,
    /// That of G over so many random permutations of one variable within the strata.
    Permutation {
        /// Number of permutations.
        permutations: usize,
        /// Where their random numbers start; every test has its own.
        seed: Digest,
    },
}

/// The test of independence by G = 2 Σ O ln(O / E), summed over strata.
#[derive(Debug, Clone)]
pub struct GTest {
    columns: Columns,
    terms: EntropyTerms,
    null: Null,
}

/// What a thread needs for tests.
#[derive(Debug)]
struct Scratch {
    strata: Strata,
    table: Table,
    permuted: Permuted,
}

/// Counts of one stratum, the values of the first variable fastest, and their margins.
#[derive(Debug, Default)]
struct Table {
    counts: Vec<u32>,
    rows: Vec<u32>,
    columns: Vec<u32>,
}

/// Values of two variables, stratum by stratum, of which the second are permuted.
#[derive(Debug, Default)]
struct Permuted {
    values: (Vec<u32>, Vec<u32>),
    ends: Vec<usize>,
}

/// A statistic with its moments, summed over strata.
#[derive(Debug, Default)]
struct Total {
    statistic: f64,
    moments: Moments,
    freedom: usize,
}

impl GTest {
    /// A test on these examples.
    pub fn new(columns: Columns, null: Null) -> Self {
        let terms = EntropyTerms::new(columns.examples as u32);
        Self { columns, terms, null }
    }

    /// Adds one stratum, whose counts are in the table.
    fn add(&self, wide: usize, table: &mut Table, total: &mut Total) {
        table.sum_margins(wide);
        let occupied = |margins: &[u32]| margins.iter().filter(|&&margin| margin > 0).count();
        let (r, c) = (occupied(&table.rows), occupied(&table.columns));
        if r < 2 || c < 2 {
            return;
        }
        if self.null != Null::Moments {
            total.statistic += self.g(table);
            total.freedom += (r - 1) * (c - 1);
            return;
        }
        let (statistic, moments) = if let (&[zeros, row], &[_, column]) =
            (table.rows.as_slice(), table.columns.as_slice())
        {
            (self.g(table), g_moments(&self.terms, zeros + row, row, column))
        } else {
            table.compact();
            let Table { counts, rows, columns } = table;
            (pearson(counts, rows, columns), pearson_moments(rows, columns))
        };
        if moments.variance > 1e-12 {
            total.statistic += statistic;
            total.moments.mean += moments.mean;
            total.moments.variance += moments.variance;
        }
    }

    fn g(&self, Table { counts, rows, columns }: &Table) -> f64 {
        let sum = |counts: &[u32]| counts.iter().map(|&count| self.terms.of(count)).sum::<f64>();
        let n = rows.iter().sum();
        2.0 * ((sum(counts) - sum(rows)) + (self.terms.of(n) - sum(columns)))
    }

    /// G of the values as they are permuted.
    fn g_of_values(
        &self,
        (wide, high): (usize, usize),
        permuted: &Permuted,
        table: &mut Table,
    ) -> f64 {
        let mut total = 0.0;
        let mut start = 0;
        for &end in &permuted.ends {
            table.counts.clear();
            table.counts.resize(wide * high, 0);
            let ones = permuted.values.0[start..end].iter();
            for (&a, &b) in ones.zip(&permuted.values.1[start..end]) {
                table.counts[a as usize + wide * b as usize] += 1;
            }
            start = end;
            table.sum_margins(wide);
            total += self.g(table);
        }
        total
    }

    /// Against permutations of the second variable within the strata.
    fn permuted(
        &self,
        (one, other): (usize, usize),
        given: &[usize],
        permutations: usize,
        seed: Digest,
        scratch: &mut Scratch,
    ) -> Evidence {
        let (value, other_value) = (self.columns.values(one), self.columns.values(other));
        let Scratch { strata, table, permuted } = scratch;
        permuted.values.0.clear();
        permuted.values.1.clear();
        permuted.ends.clear();
        for stratum in strata.of(&self.columns, given) {
            permuted.values.0.extend(stratum.iter().map(|&example| value(example as usize) as u32));
            let others = stratum.iter().map(|&example| other_value(example as usize) as u32);
            permuted.values.1.extend(others);
            permuted.ends.push(permuted.values.0.len());
        }
        let shape = (self.columns.cardinality(one), self.columns.cardinality(other));
        let observed = self.g_of_values(shape, permuted, table);
        let hasher = FieldHasher::new("permutations").field(seed.0);
        let hasher = [one, other].iter().chain(given).fold(hasher, |h, &v| h.number(v as u64));
        let mut random = Random::new(hasher.finish());
        let mut drawn = Sample::default();
        let mut reached = 0;
        for _ in 0..permutations {
            let mut start = 0;
            for &end in &permuted.ends {
                random.shuffle(&mut permuted.values.1[start..end]);
                start = end;
            }
            let g = self.g_of_values(shape, permuted, table);
            // Equal tables may differ by roundings.
            reached += usize::from(g >= observed - 1e-9 * (1.0 + observed));
            drawn.push(g);
        }
        let p = (reached + 1) as f64 / (permutations + 1) as f64;
        match drawn.sd() {
            Some(sd) if sd > 1e-9 => Evidence { p, strength: (observed - drawn.mean) / sd },
            _ if reached == permutations => Evidence::NONE,
            // The draws are all alike, and the observed table is not: there is no scale for its distance.
            _ => Evidence { p, strength: f64::INFINITY },
        }
    }

    /// O(N / 64) word operations for each pair of values if nothing is given, else O(examples that are not
    /// alone in their stratum), and what [`Strata::of`] takes; with exact moments of 0/1 variables O(√N)
    /// more for a stratum of N; all for each permutation, if there are any.
    fn test(&self, pair: (usize, usize), given: &[usize], scratch: &mut Scratch) -> Evidence {
        let (one, other) = pair;
        if let Null::Permutation { permutations, seed } = self.null {
            return self.permuted(pair, given, permutations, seed, scratch);
        }
        let Scratch { strata, table, .. } = scratch;
        let wide = self.columns.cardinality(one);
        let mut total = Total::default();
        if given.is_empty() {
            self.columns.pair_counts(one, other, &mut table.counts);
            self.add(wide, table, &mut total);
        } else {
            let (value, other_value) = (self.columns.values(one), self.columns.values(other));
            let cells = wide * self.columns.cardinality(other);
            for stratum in strata.of(&self.columns, given) {
                table.counts.clear();
                table.counts.resize(cells, 0);
                for &example in stratum {
                    let example = example as usize;
                    table.counts[value(example) + wide * other_value(example)] += 1;
                }
                self.add(wide, table, &mut total);
            }
        }
        total.evidence(self.null)
    }
}

impl IndependenceTest for GTest {
    fn variables(&self) -> usize {
        self.columns.variables()
    }

    fn tester(&self) -> Tester<'_> {
        let (table, permuted) = Default::default();
        let mut scratch = Scratch { strata: Strata::new(self.columns.examples), table, permuted };
        Box::new(move |pair, given| self.test(pair, given, &mut scratch))
    }
}

impl Table {
    /// Sums the rows, `wide` of them, and the columns.
    fn sum_margins(&mut self, wide: usize) {
        let Self { counts, rows, columns } = self;
        rows.clear();
        rows.resize(wide, 0);
        columns.clear();
        for cells in counts.chunks_exact(wide) {
            columns.push(cells.iter().sum());
            rows.iter_mut().zip(cells).for_each(|(row, cell)| *row += cell);
        }
    }

    /// Leaves out rows and columns without examples.
    fn compact(&mut self) {
        let Self { counts, rows, columns } = self;
        let wide = rows.len();
        let mut at = 0;
        counts.retain(|_| {
            let keep = rows[at % wide] > 0 && columns[at / wide] > 0;
            at += 1;
            keep
        });
        rows.retain(|&row| row > 0);
        columns.retain(|&column| column > 0);
    }
}

impl Total {
    fn evidence(&self, null: Null) -> Evidence {
        let Moments { mean, variance } = match null {
            Null::Moments => self.moments,
            Null::ChiSquared | Null::Permutation { .. } => {
                Moments { mean: self.freedom as f64, variance: 2.0 * self.freedom as f64 }
            }
        };
        if variance <= 0.0 {
            return Evidence::NONE;
        }
        // The scaled chi-squared with this mean and variance.
        let (scale, freedom) = (0.5 * variance / mean, 2.0 * mean * mean / variance);
        Evidence {
            p: chi_squared_sf(self.statistic / scale, freedom),
            strength: (self.statistic - mean) / variance.sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Examples;
    use contract::categorical::{Attribute, CategoricalRows};
    use contract::packed::PackedRows;
    use testing::rows_of;

    const SEED: Digest = Digest([7; 32]);

    fn test(examples: &Examples, null: Null) -> GTest {
        GTest::new(Columns::new(examples).unwrap(), null)
    }

    fn evidence(test: &GTest, pair: (usize, usize), given: &[usize]) -> Evidence {
        test.tester()(pair, given)
    }

    /// Forty examples of a variable of three values and two of two.
    fn forty() -> Examples {
        let columns = [
            "2000022100011100220011211111022220011220",
            "1110001110110100100011100110001110010100",
            "1001100001110001000110001111101100010110",
        ];
        let attribute = |count: u32| Attribute {
            values: (0..count).map(|value| value.to_string()).collect(),
            missing: false,
        };
        let mut rows = CategoricalRows::new(std::sync::Arc::new([3, 2, 2].map(attribute).to_vec()));
        for at in 0..40 {
            rows.push(&columns.map(|column| u16::from(column.as_bytes()[at] - b'0')));
        }
        Examples::Categorical(rows)
    }

    #[test]
    fn the_chi_squared_null_agrees_with_scipy() {
        // scipy 1.17.1: chi2_contingency(table, lambda_="log-likelihood", correction=False), statistics
        // and degrees of freedom added over the strata.
        let test = test(&forty(), Null::ChiSquared);
        for (given, expected) in [(&[][..], 0.06539104998947007), (&[2], 0.10051341184315445)] {
            let found = evidence(&test, (0, 1), given).p;
            assert!((found - expected).abs() < 1e-12, "{found}");
            assert!((evidence(&test, (1, 0), given).p - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn nulls_agree_where_every_cell_is_large_enough() {
        let permutation = Null::Permutation { permutations: 20_000, seed: SEED };
        let p = |null, given: &[usize]| evidence(&test(&forty(), null), (0, 1), given).p;
        for given in [&[][..], &[2]] {
            let (moments, drawn) = (p(Null::Moments, given), p(permutation, given));
            assert!((moments - drawn).abs() < 0.03, "{moments} and {drawn} given {given:?}");
        }
    }

    /// Two ones that meet in one of 5,000 examples: few permutations bring them together again.
    #[test]
    fn what_no_permutation_reaches_is_evidence() {
        let mut words = vec!["00"; 4_999];
        words.push("11");
        let of = |permutations| {
            let examples = Examples::Binary(rows_of(&words));
            let null = Null::Permutation { permutations, seed: SEED };
            evidence(&test(&examples, null), (0, 1), &[])
        };
        assert_eq!(of(99), Evidence { p: 0.01, strength: f64::INFINITY });
        assert_eq!(of(1), Evidence { p: 0.5, strength: f64::INFINITY });
    }

    /// Random examples of independent variables, ones with probability 0.3.
    fn independent(variables: usize, examples: usize, random: &mut Random) -> Examples {
        let word = |random: &mut Random| {
            (0..variables).fold(0, |word, v| word | u64::from(random.uniform() < 0.3) << v)
        };
        let words = (0..examples).map(|_| word(random)).collect();
        Examples::Packed(PackedRows::new(variables, words))
    }

    /// With nine given variables most strata have a handful of examples: the null with exact moments keeps
    /// its level, the asymptotic one rejects nearly always.
    #[test]
    fn exact_moments_keep_the_level_in_sparse_strata() {
        let mut random = Random::new(Digest::of(b"sparse"));
        let given: Vec<usize> = (2..11).collect();
        let mut rejected = [0; 2];
        let mut sum = 0.0;
        for _ in 0..400 {
            let examples = independent(11, 600, &mut random);
            let p = |null| evidence(&test(&examples, null), (0, 1), &given).p;
            let p = [p(Null::Moments), p(Null::ChiSquared)];
            rejected.iter_mut().zip(p).for_each(|(count, p)| *count += usize::from(p <= 0.05));
            sum += p[0];
        }
        // Five standard deviations of a binomial(400, 0.05) are 22, of the mean of uniforms 0.072.
        assert!(rejected[0].abs_diff(20) < 22 && rejected[1] > 200, "{rejected:?}");
        assert!((sum / 400.0 - 0.5).abs() < 0.072, "{}", sum / 400.0);
    }

    #[test]
    fn dependence_within_strata_is_found() {
        // The third is the exclusive or of the first two.
        let words = ["000", "011", "101", "110"].repeat(10);
        let examples = Examples::Binary(rows_of(&words));
        for null in
            [Null::Moments, Null::ChiSquared, Null::Permutation { permutations: 999, seed: SEED }]
        {
            let test = test(&examples, null);
            assert!(evidence(&test, (0, 2), &[]).p > 0.9, "{null:?}");
            let given = evidence(&test, (0, 2), &[1]);
            assert!(given.p <= 1e-3 && given.strength > 5.0, "{null:?}: {given:?}");
        }
    }

    #[test]
    fn what_cannot_vary_tells_nothing() {
        // A constant; one example a stratum; two examples a stratum, of which G can have one value only.
        let examples = Examples::Binary(rows_of(&["0100", "0110", "0101", "0111"]));
        for null in
            [Null::Moments, Null::ChiSquared, Null::Permutation { permutations: 9, seed: SEED }]
        {
            let test = test(&examples, null);
            assert_eq!(evidence(&test, (0, 2), &[]), Evidence::NONE);
            assert_eq!(evidence(&test, (0, 1), &[2, 3]), Evidence::NONE);
        }
        let pairs = Examples::Binary(rows_of(&["110", "000", "111", "001"]));
        assert_eq!(evidence(&test(&pairs, Null::Moments), (0, 1), &[2]), Evidence::NONE);
    }
}
