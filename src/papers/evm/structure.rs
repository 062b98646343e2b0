//! The structure of a mixture of EVMs, laid out flat: for each component a partition of the
//! variables, for each block a run of slots, one for every possible number of ones.

use super::partition::Partition;
use math::tile::{self, TILE};

/// One partition for each component, and where their blocks lie in flat tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The partition of each component.
    pub partitions: Vec<Partition>,
    /// For each variable, for each component, the number of its block among all components' blocks.
    block_of: Vec<u32>,
    /// For each block its first slot, that of no ones; a block of m variables has m + 1 slots.
    pub starts: Vec<u32>,
    /// The first block of each component, and the number of all blocks.
    firsts: Vec<usize>,
    /// Number of slots of all blocks.
    pub slots: usize,
    /// For each tile of blocks, for each variable, a one in the bytes of its blocks: the sum over
    /// a row's ones counts a whole tile at a time. Empty where there are many blocks.
    tiles: Vec<[u8; TILE]>,
}

impl Structure {
    /// Lays out these partitions, all of `variables` variables.
    pub fn new(partitions: Vec<Partition>, variables: usize) -> Self {
        let k = partitions.len();
        let mut block_of = vec![0; variables * k];
        let mut starts = Vec::new();
        let mut firsts = vec![0];
        let mut slots = 0;
        for (y, partition) in partitions.iter().enumerate() {
            let first = starts.len() as u32;
            for (variable, block) in partition.block_of.iter().enumerate() {
                block_of[variable * k + y] = first + block;
            }
            for size in partition.sizes() {
                starts.push(slots as u32);
                slots += size + 1;
            }
            firsts.push(starts.len());
        }
        let tiles = Self::tiles(&block_of, starts.len(), k);
        Self { partitions, block_of, starts, firsts, slots, tiles }
    }

    /// Counting by tiles takes one step for each one and tile, else for each one and component.
    fn tiles(block_of: &[u32], blocks: usize, k: usize) -> Vec<[u8; TILE]> {
        let count = blocks.div_ceil(TILE);
        if count > k {
            return Vec::new();
        }
        let variables = block_of.len() / k;
        let mut tiles = vec![[0; TILE]; count * variables];
        for (variable, blocks) in block_of.chunks_exact(k).enumerate() {
            for &block in blocks {
                let block = block as usize;
                tiles[block / TILE * variables + variable][block % TILE] = 1;
            }
        }
        tiles
    }

    /// Number of components, k.
    pub fn components(&self) -> usize {
        self.partitions.len()
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.block_of.len() / self.components()
    }

    /// The slots of each block of component `y`, in the order of its blocks.
    pub fn blocks(&self, y: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        (self.firsts[y]..self.firsts[y + 1]).map(|block| {
            let end = self.starts.get(block + 1).map_or(self.slots, |&next| next as usize);
            self.starts[block] as usize..end
        })
    }

    /// The slots of component `y`.
    pub fn component(&self, y: usize) -> std::ops::Range<usize> {
        let start = |block: usize| self.starts.get(block).map_or(self.slots, |&s| s as usize);
        start(self.firsts[y])..start(self.firsts[y + 1])
    }

    /// For each component, the block of a variable.
    #[inline]
    pub fn blocks_of(&self, variable: u32) -> &[u32] {
        let k = self.partitions.len();
        &self.block_of[variable as usize * k..][..k]
    }

    /// The numbers of a component's blocks.
    #[inline]
    pub fn numbers(&self, y: usize) -> std::ops::Range<usize> {
        self.firsts[y]..self.firsts[y + 1]
    }

    /// Whether a row with so many ones has more of them than components have blocks on average:
    /// then a walk over blocks is shorter than one over the ones.
    #[inline]
    pub fn has_fewer_blocks(&self, ones: usize) -> bool {
        self.starts.len() < ones * self.components()
    }

    /// Brings the positions back to their starts after a walk over `ones`.
    #[inline]
    pub fn reset(&self, ones: &[u32], positions: &mut [u32]) {
        // Copying all of them moves several at a time.
        if positions.len() <= 4 * ones.len() * self.components() {
            positions.copy_from_slice(&self.starts);
        } else {
            for &one in ones {
                for &block in self.blocks_of(one) {
                    positions[block as usize] = self.starts[block as usize];
                }
            }
        }
    }

    /// Moves each block's position from its start to the slot of the row's ones.
    #[inline]
    pub fn count(&self, ones: &[u32], positions: &mut [u32]) {
        if self.tiles.is_empty() || ones.len() > usize::from(u8::MAX) {
            for &one in ones {
                for &block in self.blocks_of(one) {
                    positions[block as usize] += 1;
                }
            }
            return;
        }
        let tiles = self.tiles.chunks_exact(self.variables());
        let blocks = positions.chunks_mut(TILE).zip(self.starts.chunks(TILE));
        for (tile, (positions, starts)) in tiles.zip(blocks) {
            let counts = tile::sum(tile, ones);
            for ((position, &start), &count) in positions.iter_mut().zip(starts).zip(&counts) {
                *position = start + u32::from(count);
            }
        }
    }
}
