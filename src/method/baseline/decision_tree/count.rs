//! Counting the ones of many rows, variable by variable.

use super::sums::Sums;
use contract::Binary;
use contract::binary::BinaryRows;
use contract::packed::PackedRows;
use math::positional::PositionalCounter;

/// Counts the ones of a node class by class.
pub enum Counter<'a> {
    /// Adds one for each one; the candidates are the variables that occur in the node.
    Sparse(SparseCounter<'a>),
    /// Adds rows bit by bit; all variables are candidates.
    Packed(PackedCounter<'a>),
}

impl<'a> Counter<'a> {
    /// For nodes of this data. O(variables).
    pub fn new(data: Binary<'a>) -> Self {
        match data {
            Binary::Sparse(rows) => Self::Sparse(SparseCounter::new(rows)),
            Binary::Packed(rows) => Self::Packed(PackedCounter::new(rows)),
        }
    }

    /// Sets the sums to those of a node: its examples by class, `counts` of each class.
    pub fn count(&mut self, examples: &[u32], counts: &[u32], sums: &mut Sums) {
        match self {
            Self::Sparse(counter) => counter.begin(sums),
            Self::Packed(counter) => counter.begin(sums),
        }
        let mut rest = examples;
        for &size in counts {
            let (run, behind) = rest.split_at(size as usize);
            rest = behind;
            match self {
                _ if run.is_empty() => {}
                Self::Sparse(counter) => counter.add(run, sums),
                Self::Packed(counter) => counter.add(run, sums),
            }
        }
    }
}

/// A variable that is not a candidate yet.
const ABSENT: u32 = u32::MAX;

/// Time O(ones of the rows).
pub struct SparseCounter<'a> {
    rows: &'a BinaryRows,
    /// Of each variable, its place among the candidates.
    places: Vec<u32>,
    /// Ones of each variable in the present class.
    counts: Vec<u32>,
    /// The variables that have some.
    present: Vec<u32>,
}

impl<'a> SparseCounter<'a> {
    fn new(rows: &'a BinaryRows) -> Self {
        let variables = rows.variables();
        Self {
            rows,
            places: vec![ABSENT; variables],
            counts: vec![0; variables],
            present: Vec::new(),
        }
    }

    fn begin(&mut self, sums: &mut Sums) {
        sums.candidates.iter().for_each(|&variable| self.places[variable as usize] = ABSENT);
        sums.candidates.clear();
        sums.resize(0);
    }

    fn add(&mut self, run: &[u32], sums: &mut Sums) {
        for &example in run {
            for &variable in self.rows.row(example as usize) {
                let count = &mut self.counts[variable as usize];
                if *count == 0 {
                    self.present.push(variable);
                }
                *count += 1;
            }
        }
        for variable in self.present.drain(..) {
            let place = &mut self.places[variable as usize];
            if *place == ABSENT {
                *place = sums.candidates.len() as u32;
                sums.candidates.push(variable);
                sums.resize(sums.candidates.len());
            }
            let count = std::mem::take(&mut self.counts[variable as usize]);
            sums.add(*place as usize, run.len(), count);
        }
    }
}

/// Time some three operations a word of a row, and O(variables) a class.
pub struct PackedCounter<'a> {
    rows: &'a PackedRows,
    counter: PositionalCounter,
    /// Ones of each variable in the present class, with those behind the last variable.
    counts: Vec<u32>,
}

impl<'a> PackedCounter<'a> {
    fn new(rows: &'a PackedRows) -> Self {
        let width = rows.words_per_row();
        Self { rows, counter: PositionalCounter::new(width), counts: vec![0; width * 64] }
    }

    fn begin(&mut self, sums: &mut Sums) {
        let variables = self.rows.variables();
        if sums.candidates.len() != variables {
            sums.candidates = (0..variables as u32).collect();
        }
        sums.resize(0);
        sums.resize(variables);
    }

    fn add(&mut self, run: &[u32], sums: &mut Sums) {
        self.counts.fill(0);
        let row = |index: usize| self.rows.row(run[index] as usize);
        self.counter.add(run.len(), row, &mut self.counts);
        for (variable, &count) in self.counts[..self.rows.variables()].iter().enumerate() {
            sums.add(variable, run.len(), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::random::Random;

    /// Sums of a node, by variable, where a variable has a one in it.
    fn sums(data: Binary<'_>, examples: &[u32], counts: &[u32]) -> Vec<(u32, [f64; 3])> {
        let (mut counter, mut sums) = (Counter::new(data), Sums::default());
        // What an earlier node leaves behind must not matter.
        counter.count(&[0], &[1], &mut sums);
        counter.count(examples, counts, &mut sums);
        let mut of_variable: Vec<(u32, [f64; 3])> = (sums.candidates.iter().enumerate())
            .map(|(i, &variable)| (variable, [sums.ones[i], sums.squares[i], sums.products[i]]))
            .filter(|(_, sums)| sums[0] > 0.0)
            .collect();
        of_variable.sort_unstable_by_key(|&(variable, _)| variable);
        of_variable
    }

    #[test]
    fn both_layouts_count_as_one_by_one() {
        let mut random = Random::new(Digest::of(b"count"));
        for (variables, counts) in
            [(1, [1, 1, 0]), (64, [7, 0, 9]), (70, [300, 247, 248]), (200, [0, 1000, 3])]
        {
            let total: u32 = counts.iter().sum();
            let mut rows = BinaryRows::new(variables);
            for _ in 0..total + 5 {
                let density = random.uniform();
                let one = |_: &u32| random.uniform() < density;
                let ones: Vec<u32> = (0..variables as u32).filter(one).collect();
                rows.push(&ones);
            }
            let examples: Vec<u32> =
                (0..total).map(|index| (index * 7 + 5) % (total + 5)).collect();
            let mut expected = Vec::new();
            for variable in 0..variables as u32 {
                let (mut sums, mut rest) = ([0.0; 3], &examples[..]);
                for size in counts {
                    let (run, behind) = rest.split_at(size as usize);
                    rest = behind;
                    let has = |&&e: &&u32| rows.row(e as usize).contains(&variable);
                    let ones = run.iter().filter(has).count() as f64;
                    sums[0] += ones;
                    sums[1] += ones * ones;
                    sums[2] += ones * f64::from(size);
                }
                if sums[0] > 0.0 {
                    expected.push((variable, sums));
                }
            }
            let packed = PackedRows::from(&rows);
            for data in [Binary::Packed(&packed), Binary::Sparse(&rows)] {
                assert_eq!(sums(data, &examples, &counts), expected, "{variables} {data:?}");
            }
        }
    }
}
