//! Hamming distances between packed rows, many at a time.

use super::wide::{Level, wide};

/// Rows that lie side by side in a [`Tile`].
pub const LANES: usize = 8;
/// Queries that are compared with a tile at once.
pub const QUERIES: usize = 4;

/// The distances of [`QUERIES`] queries to [`LANES`] rows.
pub type Distances = [[u64; LANES]; QUERIES];

/// Some rows, eight side by side: the first words of eight rows, then their second words, ….
#[derive(Debug, Clone, Default)]
pub struct Tile {
    width: usize,
    words: Vec<[u64; LANES]>,
}

impl Tile {
    /// Takes up `rows` of `width` words each. The last group of eight is filled up with rows of zeros.
    ///
    /// # Panics
    /// If the words are not a whole number of rows.
    pub fn load(&mut self, rows: &[u64], width: usize) {
        assert!(width > 0 && rows.len().is_multiple_of(width), "a whole number of rows");
        self.width = width;
        self.words.clear();
        self.words.resize((rows.len() / width).div_ceil(LANES) * width, [0; LANES]);
        let groups = self.words.chunks_exact_mut(width).zip(rows.chunks(LANES * width));
        for (group, rows) in groups {
            for (lane, row) in rows.chunks_exact(width).enumerate() {
                for (words, &word) in group.iter_mut().zip(row) {
                    words[lane] = word;
                }
            }
        }
    }

    /// Number of groups of eight rows.
    pub fn groups(&self) -> usize {
        self.words.len() / self.width.max(1)
    }
}

wide! {
    /// Writes the distances of the queries to each group of the tile's rows, and returns the smallest of
    /// each query. The rows of zeros that fill up the last group count as well.
    ///
    /// # Panics
    /// If a query has fewer words than the tile's rows, or `out` fewer elements than the tile groups.
    pub fn distances(queries: &[&[u64]; QUERIES], tile: &Tile, out: &mut [Distances]) -> [u64; QUERIES] {
        let out = &mut out[..tile.groups()];
        let width = tile.width;
        let queries = queries.map(|query| &query[..width]);
        let mut least = [[u64::MAX; LANES]; QUERIES];
        // In this form the loops over lanes become vector instructions.
        #[allow(clippy::needless_range_loop)]
        for (group, out) in tile.words.chunks_exact(width).zip(out) {
            let mut sums = [[0u64; LANES]; QUERIES];
            for (position, words) in group.iter().enumerate() {
                for query in 0..QUERIES {
                    let word = queries[query][position];
                    for lane in 0..LANES {
                        sums[query][lane] += u64::from((words[lane] ^ word).count_ones());
                    }
                }
            }
            for query in 0..QUERIES {
                for lane in 0..LANES {
                    least[query][lane] = least[query][lane].min(sums[query][lane]);
                }
            }
            *out = sums;
        }
        least.map(|lanes: [u64; LANES]| lanes.into_iter().fold(u64::MAX, u64::min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use base::digest::Digest;

    #[test]
    fn every_level_counts_the_same_bits() {
        let mut random = Random::new(Digest::of(b"hamming"));
        let mut word = || random.below(usize::MAX) as u64;
        for (rows, width) in [(1, 1), (8, 2), (13, 16), (70, 33), (9, 300)] {
            let train: Vec<u64> = (0..rows * width).map(|_| word()).collect();
            let test: Vec<u64> = (0..QUERIES * width).map(|_| word()).collect();
            let queries: [&[u64]; QUERIES] = std::array::from_fn(|q| &test[q * width..][..width]);
            let mut tile = Tile::default();
            tile.load(&train, width);
            for level in Level::available() {
                let mut out = vec![[[0; LANES]; QUERIES]; tile.groups()];
                let least = distances::at(level, &queries, &tile, &mut out);
                for (index, query) in queries.iter().enumerate() {
                    let distance = |row: &[u64]| -> u64 {
                        let differing = row.iter().zip(*query).map(|(a, b)| (a ^ b).count_ones());
                        u64::from(differing.sum::<u32>())
                    };
                    for row in 0..out.len() * LANES {
                        let zeros = vec![0; width];
                        let words = train.get(row * width..(row + 1) * width).unwrap_or(&zeros);
                        let found = out[row / LANES][index][row % LANES];
                        assert_eq!(found, distance(words), "{level:?} {rows} {width}");
                    }
                    let all = out.iter().flat_map(|group| group[index]);
                    assert_eq!(Some(least[index]), all.min(), "{level:?}");
                }
            }
        }
    }
}
