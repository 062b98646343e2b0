//! Counting the ones of many rows, variable by variable.

use super::split::Sums;
use crate::data::Examples;
use crate::data::binary::BinaryRows;
use crate::data::packed::PackedRows;

/// Counts the ones of a node class by class.
pub enum Counter<'a> {
    /// Adds one for each one; the candidates are the variables that occur in the node.
    Sparse(SparseCounter<'a>),
    /// Adds rows bit by bit; all variables are candidates.
    Packed(PackedCounter<'a>),
}

impl<'a> Counter<'a> {
    /// For nodes of this data. O(variables).
    pub fn new(data: &'a Examples) -> Self {
        match data {
            Examples::Binary(rows) => Self::Sparse(SparseCounter::new(rows)),
            Examples::Packed(rows) => Self::Packed(PackedCounter::new(rows)),
            other => other.not_binary(),
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

/// Rows that are added at a time.
const GROUP: usize = 8;
/// Bits of a counter.
const PLANES: usize = 8;
/// Rows that a counter of [`PLANES`] bits can hold, whole groups.
const BLOCK: usize = (1 << PLANES) - GROUP;

/// Positional population count: bit p of the counters of 64 variables is one word, plane p, so that a few
/// logical operations add a word of a row to 64 counters (carry-save adders, after Harley and Seal).
/// About 3 operations a word of a row; O(variables) a class.
pub struct PackedCounter<'a> {
    rows: &'a PackedRows,
    /// A row without ones.
    empty: Vec<u64>,
    planes: [Vec<u64>; PLANES],
    carry: Vec<u64>,
    /// Ones of each variable in the present class, with those behind the last variable.
    counts: Vec<u32>,
}

impl<'a> PackedCounter<'a> {
    fn new(rows: &'a PackedRows) -> Self {
        let width = rows.words_per_row();
        let words = || vec![0; width];
        let planes = std::array::from_fn(|_| words());
        Self { rows, empty: words(), planes, carry: words(), counts: vec![0; width * 64] }
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
        for block in run.chunks(BLOCK) {
            let used = (usize::BITS - block.len().leading_zeros()) as usize;
            self.planes[..used.max(3)].iter_mut().for_each(|plane| plane.fill(0));
            for group in block.chunks(GROUP) {
                let row = |index: usize| match group.get(index) {
                    Some(&example) => self.rows.row(example as usize),
                    None => &self.empty,
                };
                let [ones, twos, fours, higher @ ..] = &mut self.planes;
                add_rows(std::array::from_fn(row), ones, twos, fours, &mut self.carry);
                for plane in &mut higher[..used.saturating_sub(3)] {
                    add_carry(plane, &mut self.carry);
                }
            }
            add_planes(&self.planes[..used], &mut self.counts);
        }
        for (variable, &count) in self.counts[..self.rows.variables()].iter().enumerate() {
            sums.add(variable, run.len(), count);
        }
    }
}

/// Adds eight rows to the three lowest planes; `eights` is what goes to the next one.
#[inline(never)]
fn add_rows(
    rows: [&[u64]; GROUP],
    ones: &mut [u64],
    twos: &mut [u64],
    fours: &mut [u64],
    eights: &mut [u64],
) {
    let width = ones.len();
    let rows = rows.map(|row| &row[..width]);
    let (twos, fours, eights) = (&mut twos[..width], &mut fours[..width], &mut eights[..width]);
    for w in 0..width {
        let (one, two_a) = full_add(ones[w], rows[0][w], rows[1][w]);
        let (one, two_b) = full_add(one, rows[2][w], rows[3][w]);
        let (one, two_c) = full_add(one, rows[4][w], rows[5][w]);
        let (one, two_d) = full_add(one, rows[6][w], rows[7][w]);
        let (two, four_a) = full_add(twos[w], two_a, two_b);
        let (two, four_b) = full_add(two, two_c, two_d);
        let (four, eight) = full_add(fours[w], four_a, four_b);
        (ones[w], twos[w], fours[w], eights[w]) = (one, two, four, eight);
    }
}

/// Sum and carry of three bits, in 64 places at once.
#[inline(always)]
fn full_add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// Adds the carry to a plane; it becomes the carry to the next one.
fn add_carry(plane: &mut [u64], carry: &mut [u64]) {
    for (plane, carry) in plane.iter_mut().zip(carry) {
        (*plane, *carry) = (*plane ^ *carry, *plane & *carry);
    }
}

/// Adds the counters that the planes hold to `counts`, eight variables at a time.
fn add_planes(planes: &[Vec<u64>], counts: &mut [u32]) {
    for (word, counts) in counts.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        for (byte, counts) in counts.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let counters = planes.iter().enumerate().fold(0, |sum, (p, plane)| {
                sum + (SPREAD[(plane[word] >> (8 * byte) & 0xff) as usize] << p)
            });
            for (count, counter) in counts.iter_mut().zip(counters.to_le_bytes()) {
                *count += u32::from(counter);
            }
        }
    }
}

/// Of each byte, a word whose byte i is bit i.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::digest::Digest;
    use crate::math::random::Random;

    /// Sums of a node, by variable, where a variable has a one in it.
    fn sums(data: &Examples, examples: &[u32], counts: &[u32]) -> Vec<(u32, [f64; 3])> {
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
            let packed = Examples::Packed(PackedRows::from(&rows));
            assert_eq!(sums(&packed, &examples, &counts), expected, "{variables} packed");
            assert_eq!(sums(&Examples::Binary(rows), &examples, &counts), expected, "{variables}");
        }
    }
}
