//! Sums of bytes, a tile of them at a time.

use super::wide::{Level, wide};

/// Bytes of a tile.
pub const TILE: usize = 64;

wide! {
    /// The sums of these tiles, byte by byte. No sum may exceed 255: of zeros and ones, up to 255 tiles may be
    /// summed.
    pub fn sum(tiles: &[[u8; TILE]], which: &[u32]) -> [u8; TILE] {
        let mut sums = [0; TILE];
        for &tile in which {
            for (sum, &byte) in sums.iter_mut().zip(&tiles[tile as usize]) {
                *sum += byte;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_sums_the_same() {
        let tiles: Vec<[u8; TILE]> = (0..40)
            .map(|t| std::array::from_fn(|byte| ((t * 7 + byte * byte) % 5 == 0).into()))
            .collect();
        for count in [0, 1, 2, 39, 255] {
            let which: Vec<u32> = (0..count).map(|i| (i * 11) % 40).collect();
            let expected: Vec<usize> = (0..TILE)
                .map(|byte| which.iter().map(|&t| usize::from(tiles[t as usize][byte])).sum())
                .collect();
            for level in Level::available() {
                let found = sum::at(level, &tiles, &which);
                assert!(found.iter().map(|&s| usize::from(s)).eq(expected.iter().copied()));
            }
        }
    }
}
