//! Sums of tabled numbers, for several tables beside each other.
//!
//! An item is a list of codes; its sum is that of the numbers which a table holds for them. A table of lanes holds for
//! each code one number of each of `W` tables, so that reading an item's codes once serves all of them. What happens
//! in a lane, and in which order, is the same for any `W`: so are its bits.

use super::wide::{Level, wide};

/// `one` + `other`.
#[inline(always)]
pub fn plus<const W: usize>(mut one: [f64; W], other: &[f64; W]) -> [f64; W] {
    for (one, other) in one.iter_mut().zip(other) {
        *one += other;
    }
    one
}

wide! {
    /// Adds to the sum of each item the numbers of its `length` codes, which follow those of the item before.
    pub fn gather<const W: usize>(codes: &[u16], length: usize, table: &[[f64; W]], sums: &mut [[f64; W]]) {
        #[inline(always)]
        fn fixed<const W: usize, const L: usize>(
            codes: &[u16],
            table: &[[f64; W]],
            sums: &mut [[f64; W]],
        ) {
            for (codes, sum) in codes.as_chunks::<L>().0.iter().zip(sums) {
                *sum = codes.iter().fold(*sum, |sum, &code| plus(sum, &table[code as usize]));
            }
        }
        match length {
            0 => {}
            1 => fixed::<W, 1>(codes, table, sums),
            2 => fixed::<W, 2>(codes, table, sums),
            3 => fixed::<W, 3>(codes, table, sums),
            4 => fixed::<W, 4>(codes, table, sums),
            5 => fixed::<W, 5>(codes, table, sums),
            6 => fixed::<W, 6>(codes, table, sums),
            7 => fixed::<W, 7>(codes, table, sums),
            _ => {
                for (codes, sum) in codes.chunks_exact(length).zip(sums) {
                    *sum = codes.iter().fold(*sum, |sum, &code| plus(sum, &table[code as usize]));
                }
            }
        }
    }
}

wide! {
    /// Adds the numbers of each item to those of its `length` codes.
    pub fn scatter<const W: usize>(
        codes: &[u16],
        length: usize,
        items: &[[f64; W]],
        table: &mut [[f64; W]],
    ) {
        if length == 0 {
            return;
        }
        for (codes, item) in codes.chunks_exact(length).zip(items) {
            for &code in codes {
                table[code as usize] = plus(table[code as usize], item);
            }
        }
    }
}

/// The members of items, from 1 to n, by code: an item with codes a and b has the members of both. The member 0 is
/// in every item.
#[derive(Debug)]
pub struct Members {
    ends: Vec<u32>,
    of_codes: Vec<u16>,
    /// Where the pairs of each member with itself and those after it begin.
    rows: Vec<usize>,
}

impl Members {
    /// For `n` members; the members of the codes 0, 1 and so on. Those of an item's codes must ascend, code after
    /// code.
    pub fn new<'a>(n: usize, of_codes: impl Iterator<Item = &'a [u16]>) -> Self {
        let (mut ends, mut all) = (vec![0], Vec::new());
        for members in of_codes {
            all.extend_from_slice(members);
            ends.push(all.len() as u32);
        }
        let rows = (0..=n + 1).map(|row| row * (2 * n + 3 - row) / 2).collect();
        Self { ends, of_codes: all, rows }
    }

    /// Number of pairs, each member with itself and those after it.
    pub fn pairs(&self) -> usize {
        self.rows[self.rows.len() - 1]
    }

    #[inline(always)]
    fn of(&self, code: u16) -> &[u16] {
        let code = code as usize;
        &self.of_codes[self.ends[code] as usize..self.ends[code + 1] as usize]
    }
}

wide! {
    /// Adds the numbers of each item to those of all pairs of its members: itself a member of every item, and those
    /// that `members` has for its `length` codes.
    pub fn square<const W: usize>(
        codes: &[u16],
        length: usize,
        members: &Members,
        items: &[[f64; W]],
        pairs: &mut [[f64; W]],
    ) {
        let mut of_item: Vec<u16> = Vec::with_capacity(members.rows.len());
        for (at, item) in items.iter().enumerate() {
            of_item.clear();
            of_item.push(0);
            for &code in &codes[at * length..(at + 1) * length] {
                of_item.extend_from_slice(members.of(code));
            }
            for (place, &member) in of_item.iter().enumerate() {
                let row = &mut pairs[members.rows[member as usize]..members.rows[member as usize + 1]];
                for &other in &of_item[place..] {
                    let pair = &mut row[(other - member) as usize];
                    *pair = plus(*pair, item);
                }
            }
        }
    }
}

wide! {
    /// Multiplies the numbers of each item with its weight and returns their sum, item after item.
    pub fn weigh<const W: usize>(weights: &[f64], items: &mut [[f64; W]]) -> [f64; W] {
        let mut total = [0.0; W];
        for (weight, item) in weights.iter().zip(items) {
            item.iter_mut().for_each(|number| *number *= weight);
            total = plus(total, item);
        }
        total
    }
}

wide! {
    /// The sum of each item's numbers times its weight, item after item.
    pub fn weighted<const W: usize>(weights: &[f64], items: &[[f64; W]]) -> [f64; W] {
        let mut total = [0.0; W];
        for (weight, item) in weights.iter().zip(items) {
            total = plus(total, &item.map(|number| number * weight));
        }
        total
    }
}

wide! {
    /// Adds to `product` that of a symmetric matrix with a vector. `entries` are those on and above the diagonal, row
    /// by row.
    pub fn symmetric(entries: &[f32], vector: &[f64], product: &mut [f64]) {
        let mut rest = entries;
        for row in 0..vector.len() {
            let (own, others);
            (own, rest) = rest.split_at(1);
            (others, rest) = rest.split_at(vector.len() - row - 1);
            let value = vector[row];
            let after = &vector[row + 1..];
            let mut sums = [0.0; 8];
            let (eights, last) = others.as_chunks::<8>();
            let (of_eights, of_last) = after.as_chunks::<8>();
            let (to_eights, to_last) = product[row + 1..].as_chunks_mut::<8>();
            for ((entries, values), products) in eights.iter().zip(of_eights).zip(to_eights) {
                for lane in 0..8 {
                    let entry = f64::from(entries[lane]);
                    sums[lane] += entry * values[lane];
                    products[lane] += entry * value;
                }
            }
            let mut sum = f64::from(own[0]) * value;
            for ((&entry, other), to) in last.iter().zip(of_last).zip(to_last) {
                sum += f64::from(entry) * other;
                *to += f64::from(entry) * value;
            }
            let halves = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
            product[row] += sum + ((halves[0] + halves[2]) + (halves[1] + halves[3]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use base::digest::Digest;

    /// What a lane gets must not depend on how many there are, on the instructions, or on what the others hold.
    #[test]
    fn a_lane_has_the_same_bits_in_any_company() {
        let mut random = Random::new(Digest::of(b"lanes"));
        for length in 0..12 {
            let (items, entries) = (57, 300);
            let codes: Vec<u16> =
                (0..items * length).map(|_| random.below(entries) as u16).collect();
            let table: Vec<[f64; 8]> = (0..entries)
                .map(|_| std::array::from_fn(|_| 2.0 * random.uniform() - 1.0))
                .collect();
            let weights: Vec<f64> = (0..items).map(|_| random.below(9) as f64).collect();
            let all = pass(&codes, length, &table, &weights);
            for lane in 0..8 {
                let alone: Vec<[f64; 1]> = table.iter().map(|numbers| [numbers[lane]]).collect();
                assert_eq!(of(&pass(&codes, length, &alone, &weights), 0), of(&all, lane));
                let four: Vec<[f64; 4]> =
                    table.iter().map(|numbers| [1.0, numbers[lane], 0.0, -7.0]).collect();
                assert_eq!(of(&pass(&codes, length, &four, &weights), 1), of(&all, lane));
            }
            for level in Level::available() {
                let mut sums = vec![[0.5; 8]; items];
                gather::at(level, &codes, length, &table, &mut sums);
                let total = weigh::at(level, &weights, &mut sums);
                let mut back = vec![[0.0; 8]; entries];
                scatter::at(level, &codes, length, &sums, &mut back);
                assert_eq!((back, total, weighted::at(level, &weights, &sums)), all);
            }
            // By the definition.
            let sum = |item: usize| -> f64 {
                let codes = &codes[item * length..(item + 1) * length];
                0.5 + codes.iter().map(|&code| table[code as usize][3]).sum::<f64>()
            };
            let total: f64 = (0..items).map(|item| weights[item] * sum(item)).sum();
            assert!((all.1[3] - total).abs() < 1e-10);
        }
    }

    #[test]
    fn pairs_and_symmetric_products_have_the_same_bits_at_every_level() {
        let mut random = Random::new(Digest::of(b"pairs"));
        let mut drawn =
            |count| -> Vec<f64> { (0..count).map(|_| random.uniform() - 0.5).collect() };
        // Two codes an item: the first has the members 1 to 3, the second 4 and 5.
        let members = Members::new(5, [&[1, 2, 3][..], &[4, 5]].into_iter());
        let codes: Vec<u16> = [0, 1].repeat(9);
        let numbers = drawn(8 * 9);
        let (items, _) = numbers.as_chunks::<8>();
        let all = items.iter().fold([0.25; 8], plus);
        for level in Level::available() {
            let mut pairs = vec![[0.25; 8]; members.pairs()];
            square::at(level, &codes, 2, &members, items, &mut pairs);
            assert_eq!(pairs, vec![all; 21], "{level:?}");
        }
        for n in [1, 2, 8, 9, 17, 40] {
            let entries: Vec<f32> = drawn(n * (n + 1) / 2).iter().map(|x| *x as f32).collect();
            let vector = drawn(n);
            let of = |level| {
                let mut product = vec![0.25; n];
                symmetric::at(level, &entries, &vector, &mut product);
                product
            };
            let row = |row: usize| row * (2 * n + 1 - row) / 2;
            let entry = |a: usize, b: usize| f64::from(entries[row(a.min(b)) + a.abs_diff(b)]);
            for (at, value) in of(Level::Any).into_iter().enumerate() {
                let sum: f64 = (0..n).map(|other| entry(at, other) * vector[other]).sum();
                assert!((value - 0.25 - sum).abs() < 1e-14, "{n}: {value}");
            }
            for level in Level::available() {
                assert_eq!(of(level), of(Level::Any), "{level:?} {n}");
            }
        }
    }

    type Passed<const W: usize> = (Vec<[f64; W]>, [f64; W], [f64; W]);

    fn pass<const W: usize>(
        codes: &[u16],
        length: usize,
        table: &[[f64; W]],
        weights: &[f64],
    ) -> Passed<W> {
        let mut sums = vec![[0.5; W]; weights.len()];
        gather(codes, length, table, &mut sums);
        let total = weigh(weights, &mut sums);
        let mut back = vec![[0.0; W]; table.len()];
        scatter(codes, length, &sums, &mut back);
        (back, total, weighted(weights, &sums))
    }

    fn of<const W: usize>((back, total, twice): &Passed<W>, lane: usize) -> Vec<u64> {
        let ends = [total, twice].map(|number| number[lane].to_bits());
        back.iter().map(|number| number[lane].to_bits()).chain(ends).collect()
    }
}
