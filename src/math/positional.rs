//! Positional population counts: how many of a set of rows of bits have a one in each position.

/// Rows that are added at a time.
const GROUP: usize = 8;
/// Bits of a counter.
const PLANES: usize = 8;
/// Rows that a counter of [`PLANES`] bits can hold, whole groups.
const BLOCK: usize = (1 << PLANES) - GROUP;

/// Counts the ones of each position, 64 positions a word.
///
/// The counts stand bit by bit in planes of words (bit p of a position's count in plane p), and carry-save
/// adders take in eight rows at a time, so that a row costs some three operations a word however many
/// ones it has (Muła, Kurz and Lemire 2018, after Harley and Seal). Memory is ten words a word of a row.
#[derive(Debug)]
pub struct PositionalCounter {
    /// A row without ones.
    empty: Vec<u64>,
    planes: [Vec<u64>; PLANES],
    carry: Vec<u64>,
}

impl PositionalCounter {
    /// For rows of `width` words.
    pub fn new(width: usize) -> Self {
        let words = || vec![0; width];
        Self { empty: words(), planes: std::array::from_fn(|_| words()), carry: words() }
    }

    /// Adds the ones of `rows` rows to `counts`, which has one count for each position. Allocates nothing.
    ///
    /// # Panics
    /// If a row is shorter than the counter's width.
    pub fn add<'a>(&mut self, rows: usize, row: impl Fn(usize) -> &'a [u64], counts: &mut [u32]) {
        for start in (0..rows).step_by(BLOCK) {
            let end = rows.min(start + BLOCK);
            let used = (usize::BITS - (end - start).leading_zeros()) as usize;
            self.planes[..used.max(3)].iter_mut().for_each(|plane| plane.fill(0));
            for group in (start..end).step_by(GROUP) {
                let empty = &self.empty;
                let member = |place: usize| match group + place {
                    index if index < end => row(index),
                    _ => empty,
                };
                let [ones, twos, fours, higher @ ..] = &mut self.planes;
                add_rows(std::array::from_fn(member), ones, twos, fours, &mut self.carry);
                for plane in &mut higher[..used.saturating_sub(3)] {
                    add_carry(plane, &mut self.carry);
                }
            }
            add_planes(&self.planes[..used], counts);
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
    use crate::random::Random;
    use base::digest::Digest;

    #[test]
    fn counts_equal_those_of_single_bits() {
        let mut random = Random::new(Digest::of(b"positional"));
        for (rows, width) in [(0, 2), (1, 1), (7, 3), (8, 1), (9, 2), (1000, 3), (65_535, 1)] {
            let words: Vec<u64> =
                (0..rows * width).map(|_| random.below(usize::MAX) as u64 | 1 << 63).collect();
            let (mut counter, mut found) = (PositionalCounter::new(width), vec![0; width * 64]);
            // Twice: what an earlier call leaves behind must not matter, and counts add up.
            counter.add(rows, |row| &words[row * width..][..width], &mut found);
            found.fill(0);
            counter.add(rows, |row| &words[row * width..][..width], &mut found);
            let expected: Vec<u32> = (0..width * 64)
                .map(|position| {
                    let column = words.iter().skip(position / 64).step_by(width);
                    column.map(|word| (word >> (position % 64) & 1) as u32).sum()
                })
                .collect();
            assert_eq!(found, expected, "{rows} rows of {width} words");
        }
    }
}
