//! Variables with finitely many values, in bit-packed columns.

use contract::{Examples, FitError, Result};

/// N examples of n variables, column by column: plane p of a variable holds bit p of its value in each
/// example, 64 examples a word, so that a variable of c values takes N ⌈log₂ c⌉ / 8 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Number of examples, N.
    pub examples: usize,
    cardinalities: Vec<usize>,
    /// First plane of each variable, and behind the last the number of planes.
    first: Vec<usize>,
    bits: Vec<u64>,
}

impl Columns {
    /// The columns of 0/1 variables or of categorical attributes; a missing value is one more value.
    ///
    /// # Errors
    /// If the examples are numbers.
    pub fn new(examples: &Examples) -> Result<Self> {
        match examples {
            Examples::Binary(_) | Examples::Packed(_) => {
                let mut columns = Self::zeros(examples.len(), vec![2; examples.variables()]);
                for (example, ones) in examples.binary()?.sparse().iter().enumerate() {
                    ones.iter().for_each(|&one| columns.set(example, one as usize, 1));
                }
                Ok(columns)
            }
            Examples::Categorical(rows) => {
                let attributes = rows.attributes();
                let values = attributes.iter().map(|attribute| attribute.cardinality().max(1));
                let mut columns = Self::zeros(rows.len(), values.collect());
                for (example, codes) in rows.iter().enumerate() {
                    for (variable, (&code, attribute)) in
                        codes.iter().zip(&**attributes).enumerate()
                    {
                        columns.set(example, variable, attribute.place(code));
                    }
                }
                Ok(columns)
            }
            Examples::Numeric(_) | Examples::Table(_) => Err(FitError::NotApplicable(format!(
                "the G-test takes variables with finitely many values, and the dataset has {}",
                examples.described()
            ))),
        }
    }

    fn zeros(examples: usize, cardinalities: Vec<usize>) -> Self {
        let mut first = vec![0];
        for &cardinality in &cardinalities {
            first.push(
                first[first.len() - 1] + (usize::BITS - (cardinality - 1).leading_zeros()) as usize,
            );
        }
        let planes = first[cardinalities.len()];
        Self { examples, bits: vec![0; planes * examples.div_ceil(64)], cardinalities, first }
    }

    fn set(&mut self, example: usize, variable: usize, value: usize) {
        let words = self.words();
        for (bit, plane) in (self.first[variable]..self.first[variable + 1]).enumerate() {
            self.bits[plane * words + example / 64] |=
                ((value >> bit & 1) as u64) << (example % 64);
        }
    }

    fn words(&self) -> usize {
        self.examples.div_ceil(64)
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.cardinalities.len()
    }

    /// Number of values of a variable.
    pub fn cardinality(&self, variable: usize) -> usize {
        self.cardinalities[variable]
    }

    fn plane(&self, plane: usize) -> &[u64] {
        let words = self.words();
        &self.bits[plane * words..(plane + 1) * words]
    }

    /// The values of a variable, by example.
    pub fn values(&self, variable: usize) -> impl Fn(usize) -> usize + '_ {
        let words = self.words();
        let planes = self.first[variable + 1] - self.first[variable];
        let bits = &self.bits[self.first[variable] * words..self.first[variable + 1] * words];
        move |example| {
            let bit = |plane: usize| bits[plane * words + example / 64] >> (example % 64) & 1;
            (0..planes).fold(0, |value, plane| value | (bit(plane) as usize) << plane)
        }
    }

    /// How often each pair of values occurs, the values of `one` fastest: O(N / 64) word operations a pair
    /// of values.
    pub fn pair_counts(&self, one: usize, other: usize, table: &mut Vec<u32>) {
        let (ones, others) = (self.cardinalities[one], self.cardinalities[other]);
        table.clear();
        table.resize(ones * others, 0);
        if (ones, others) == (2, 2) {
            let (one, other) = (self.plane(self.first[one]), self.plane(self.first[other]));
            let (mut left, mut right, mut both) = (0, 0, 0);
            for (a, b) in one.iter().zip(other) {
                left += a.count_ones();
                right += b.count_ones();
                both += (a & b).count_ones();
            }
            let neither = self.examples as u32 - left - (right - both);
            table.copy_from_slice(&[neither, left - both, right - both, both]);
            return;
        }
        for word in 0..self.words() {
            for b in 0..others {
                let in_b = self.with_value(other, b, word);
                for a in 0..ones {
                    table[a + ones * b] += (in_b & self.with_value(one, a, word)).count_ones();
                }
            }
        }
    }

    /// Which examples of a word have a value.
    fn with_value(&self, variable: usize, value: usize, word: usize) -> u64 {
        let words = self.words();
        let behind = self.examples - (64 * word).min(self.examples);
        let all = if behind >= 64 { u64::MAX } else { (1 << behind) - 1 };
        (self.first[variable]..self.first[variable + 1]).enumerate().fold(
            all,
            |mask, (bit, plane)| {
                let plane = self.bits[plane * words + word];
                mask & if value >> bit & 1 == 1 { plane } else { !plane }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use base::digest::Digest;
    use contract::categorical::{Attribute, CategoricalRows, MISSING};
    use contract::numeric::NumericRows;
    use math::random::Random;

    /// 130 random examples of attributes of 1 to 5 values, some of them missing.
    fn rows() -> CategoricalRows {
        let attribute = |count: usize| Attribute {
            values: (0..count).map(|value| value.to_string()).collect(),
            missing: count == 3,
        };
        let mut rows = CategoricalRows::new(Arc::new((1..6).map(attribute).collect()));
        let mut random = Random::new(Digest::of(b"columns"));
        for _ in 0..130 {
            let code = |count: usize| match random.below(count + usize::from(count == 3)) {
                3 if count == 3 => MISSING,
                code => code as u16,
            };
            rows.push(&(1..6).map(code).collect::<Vec<u16>>());
        }
        rows
    }

    #[test]
    fn pairs_are_counted_as_one_by_one() {
        let rows = rows();
        let columns = Columns::new(&Examples::Categorical(rows.clone())).unwrap();
        let value = |row: &[u16], v: usize| if row[v] == MISSING { 3 } else { usize::from(row[v]) };
        let mut table = Vec::new();
        for one in 0..5 {
            let values = columns.values(one);
            assert!(rows.iter().enumerate().all(|(e, row)| values(e) == value(row, one)));
            for other in 0..5 {
                columns.pair_counts(one, other, &mut table);
                let ones = columns.cardinality(one);
                let mut expected = vec![0; ones * columns.cardinality(other)];
                for row in rows.iter() {
                    expected[value(row, one) + ones * value(row, other)] += 1;
                }
                assert_eq!(table, expected, "{one} and {other}");
            }
        }
    }

    #[test]
    fn numbers_are_refused() {
        let numbers = Examples::Numeric(NumericRows::new(1, vec![0.5]));
        let error = Columns::new(&numbers).unwrap_err();
        assert!(error.to_string().contains("numeric columns"), "{error}");
    }
}
