//! The blocks of a structure as masks over packed rows.

use std::ops::Range;

use super::structure::Structure;

/// For each block the words of a row in which it has variables, and which bits these are.
#[derive(Debug, Clone)]
pub(super) struct Masks {
    words: Vec<(u32, u64)>,
    /// The first of each block, and the number of all.
    firsts: Vec<usize>,
}

impl Masks {
    pub(super) fn new(structure: &Structure) -> Self {
        let mut masks = Self { words: Vec::new(), firsts: vec![0] };
        for members in structure.partitions.iter().flat_map(|partition| partition.members()) {
            let first = masks.words.len();
            for variable in members {
                let (word, bit) = ((variable / 64) as u32, 1 << (variable % 64));
                match masks.words[first..].last_mut() {
                    Some((last, mask)) if *last == word => *mask |= bit,
                    _ => masks.words.push((word, bit)),
                }
            }
            masks.firsts.push(masks.words.len());
        }
        masks
    }

    /// Number of masks.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Moves the positions of these blocks by the row's numbers of ones.
    #[inline]
    pub(super) fn count(&self, row: &[u64], blocks: Range<usize>, positions: &mut [u32]) {
        for block in blocks {
            let masks = &self.words[self.firsts[block]..self.firsts[block + 1]];
            let ones = masks.iter().map(|&(word, mask)| (row[word as usize] & mask).count_ones());
            positions[block] += ones.sum::<u32>();
        }
    }
}
