//! Positional population counts: how many of a set of rows of bits have a one in each position.

/// Planes of a counter: it counts up to 2^16 - 1 rows.
const PLANES: usize = 16;
/// Rows added at a time.
const GROUP: usize = 8;
/// The first plane that a carry out of a group reaches.
const CARRY: usize = 3;

/// Counts the ones of each position, 64 positions a word.
///
/// The counts stand bit by bit in planes of words (bit p of a position's count in plane p), and carry-save
/// adders take in eight rows at a time, so that a row costs some six operations a word however many
/// ones it has (Muła, Kurz and Lemire 2018, after Harley and Seal).
///
/// # Panics
/// If there are more than 65,535 rows, or one has not `width` words.
pub fn positional_counts<'a>(
    rows: impl ExactSizeIterator<Item = &'a [u64]>,
    width: usize,
) -> Vec<u32> {
    assert!(rows.len() < 1 << PLANES, "at most 65,535 rows");
    let mut planes = vec![[0u64; PLANES]; width];
    let none = vec![0u64; width];
    let mut group = [&none[..]; GROUP];
    let mut waiting = 0;
    for row in rows {
        assert_eq!(row.len(), width, "the words of a row");
        group[waiting] = row;
        waiting += 1;
        if waiting == GROUP {
            add(&mut planes, &group);
            waiting = 0;
        }
    }
    group[waiting..].fill(&none);
    add(&mut planes, &group);
    let counts = planes.iter().flat_map(|planes| {
        (0..64).map(move |bit| {
            (0..).zip(planes).map(|(plane, word)| ((word >> bit & 1) as u32) << plane).sum()
        })
    });
    counts.collect()
}

/// Sum and carry of three bits, in each position.
#[inline(always)]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

#[inline(always)]
fn add(planes: &mut [[u64; PLANES]], rows: &[&[u64]; GROUP]) {
    for (word, planes) in planes.iter_mut().enumerate() {
        let bits = rows.map(|row| row[word]);
        let (ones, twos_a) = full_adder(planes[0], bits[0], bits[1]);
        let (ones, twos_b) = full_adder(ones, bits[2], bits[3]);
        let (ones, twos_c) = full_adder(ones, bits[4], bits[5]);
        let (ones, twos_d) = full_adder(ones, bits[6], bits[7]);
        let (twos, fours_a) = full_adder(planes[1], twos_a, twos_b);
        let (twos, fours_b) = full_adder(twos, twos_c, twos_d);
        let (fours, mut carry) = full_adder(planes[2], fours_a, fours_b);
        planes[..CARRY].copy_from_slice(&[ones, twos, fours]);
        for plane in &mut planes[CARRY..] {
            if carry == 0 {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::digest::Digest;
    use crate::math::random::Random;

    #[test]
    fn counts_equal_those_of_single_bits() {
        let mut random = Random::new(Digest::of(b"positional"));
        for (rows, width) in [(0, 2), (1, 1), (7, 3), (8, 1), (9, 2), (1000, 3), (65_535, 1)] {
            let words: Vec<u64> =
                (0..rows * width).map(|_| random.below(usize::MAX) as u64 | 1 << 63).collect();
            let found = positional_counts(words.chunks_exact(width), width);
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
