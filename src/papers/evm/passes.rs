//! Passes over the rows of one chunk for the EM of mixtures of EVMs: each takes time in proportion
//! to the rows' ones and the components.

use std::ops::Range;

use crate::evm::model::Mevm;
use crate::evm::structure::Structure;
use contract::binary::DistinctRows;
use math::vector;
use method::shared::em;

/// Rows of the training examples.
type Rows<'a> = (&'a DistinctRows, Range<usize>);

/// Expectations over the examples, under one model: of one chunk, or of all.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    /// For each variable and component, Σ x δ.
    pub(super) ones: Vec<f64>,
    /// For each variable and component, Σ x δ².
    pub(super) squares: Vec<f64>,
    /// For each component, Σ δ.
    pub(super) totals: Vec<f64>,
    /// For each component, Σ δ².
    pub(super) total_squares: Vec<f64>,
}

impl Expected {
    pub(super) fn new(variables: usize, k: usize) -> Self {
        Self {
            ones: vec![0.0; variables * k],
            squares: vec![0.0; variables * k],
            totals: vec![0.0; k],
            total_squares: vec![0.0; k],
        }
    }

    pub(super) fn clear(&mut self) {
        let Self { ones, squares, totals, total_squares } = self;
        [ones, squares, totals, total_squares].into_iter().for_each(|sums| sums.fill(0.0));
    }

    pub(super) fn add(&mut self, other: &Self) {
        vector::add(&mut self.ones, &other.ones);
        vector::add(&mut self.squares, &other.squares);
        vector::add(&mut self.totals, &other.totals);
        vector::add(&mut self.total_squares, &other.total_squares);
    }

    /// Adds a row by the sums of δ and δ² of its examples. Components without weight change
    /// nothing and are left out where that saves time.
    #[inline]
    pub(super) fn add_row(
        &mut self,
        ones: &[u32],
        weights: &[f64],
        squares: &[f64],
        active: &[u32],
    ) {
        let k = weights.len();
        vector::add(&mut self.totals, weights);
        vector::add(&mut self.total_squares, squares);
        for &one in ones {
            let range = one as usize * k..(one as usize + 1) * k;
            let (sums, sums_of_squares) = (&mut self.ones[range.clone()], &mut self.squares[range]);
            if few(active, k) {
                for &y in active {
                    sums[y as usize] += weights[y as usize];
                    sums_of_squares[y as usize] += squares[y as usize];
                }
            } else {
                vector::add(sums, weights);
                vector::add(sums_of_squares, squares);
            }
        }
    }
}

/// Whether a loop over the active components beats one over all.
#[inline]
fn few(active: &[u32], k: usize) -> bool {
    active.len() * 3 < k
}

/// Sums over the ones of each variable x_j in each component, r being the ones in the rest of its
/// block: what the test of condition (3) needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Rest {
    /// Σ x r δ.
    pub(super) sums: Vec<f64>,
    /// Σ x r² δ.
    pub(super) squares: Vec<f64>,
}

/// One chunk of rows.
#[derive(Debug)]
pub(super) struct Chunk {
    /// For each row, Σ δ(y|i) over its examples, for each component.
    pub(super) weights: Vec<f64>,
    pub(super) expected: Expected,
    /// For each slot of the structure at hand, the expected number of examples; slots of no ones
    /// hold nothing of use until the chunks are joined.
    pub(super) histogram: Vec<f64>,
    pub(super) rest: Rest,
    positions: Vec<u32>,
    pub(super) active: Vec<u32>,
    /// One row's Σ δ².
    pub(super) squares: Vec<f64>,
}

impl Chunk {
    pub(super) fn new(rows: usize, variables: usize, k: usize) -> Self {
        Self {
            weights: vec![0.0; rows * k],
            expected: Expected::new(variables, k),
            histogram: Vec::new(),
            rest: Rest::default(),
            positions: Vec::new(),
            active: Vec::with_capacity(k),
            squares: vec![0.0; k],
        }
    }

    fn take_up(&mut self, structure: &Structure) {
        self.positions.clear();
        self.positions.extend_from_slice(&structure.starts);
        self.histogram.clear();
        self.histogram.resize(structure.slots, 0.0);
    }

    /// Training log-likelihood of the rows.
    pub(super) fn likelihood(&mut self, (train, rows): Rows<'_>, model: &Mevm) -> f64 {
        let structure = &model.structure;
        self.take_up(structure);
        let mut total = 0.0;
        for row in rows {
            let ones = train.rows.row(row);
            model.log_joint(ones, &mut self.positions, &mut self.squares);
            structure.reset(ones, &mut self.positions);
            total += f64::from(train.counts[row]) * em::posterior(&mut self.squares);
        }
        total
    }

    /// E-step: weights, expectations and the histogram of the model's own structure; returns the
    /// training log-likelihood of the rows.
    pub(super) fn expect(&mut self, (train, rows): Rows<'_>, model: &Mevm) -> f64 {
        let structure = &model.structure;
        let k = structure.components();
        self.take_up(structure);
        self.expected.clear();
        let mut total = 0.0;
        for (row, weights) in rows.zip(self.weights.chunks_exact_mut(k)) {
            let ones = train.rows.row(row);
            let count = f64::from(train.counts[row]);
            model.log_joint(ones, &mut self.positions, weights);
            total += count * em::posterior(weights);
            for (weight, square) in weights.iter_mut().zip(&mut self.squares) {
                let delta = *weight;
                *weight *= count;
                *square = *weight * delta;
            }
            find_active(weights, &mut self.active);
            self.expected.add_row(ones, weights, &self.squares, &self.active);
            let (positions, histogram) = (&mut self.positions, &mut self.histogram);
            fill(structure, ones, weights, &self.active, positions, histogram);
        }
        total
    }

    /// The histogram of another structure under the present weights.
    pub(super) fn count(&mut self, (train, rows): Rows<'_>, structure: &Structure) {
        let k = structure.components();
        self.take_up(structure);
        for (row, weights) in rows.zip(self.weights.chunks_exact(k)) {
            let ones = train.rows.row(row);
            structure.count(ones, &mut self.positions);
            find_active(weights, &mut self.active);
            let (positions, histogram) = (&mut self.positions, &mut self.histogram);
            fill(structure, ones, weights, &self.active, positions, histogram);
        }
    }

    /// Sums over the rest of each variable's block under the present weights.
    pub(super) fn sum_rest(&mut self, (train, rows): Rows<'_>, structure: &Structure) {
        let k = structure.components();
        self.take_up(structure);
        for sums in [&mut self.rest.sums, &mut self.rest.squares] {
            sums.clear();
            sums.resize(train.variables() * k, 0.0);
        }
        for (row, weights) in rows.zip(self.weights.chunks_exact(k)) {
            let ones = train.rows.row(row);
            structure.count(ones, &mut self.positions);
            find_active(weights, &mut self.active);
            for &one in ones {
                let blocks = structure.blocks_of(one);
                for &y in &self.active {
                    let block = blocks[y as usize] as usize;
                    let count = self.positions[block] - structure.starts[block];
                    let rest = f64::from(count) - 1.0;
                    let cell = one as usize * k + y as usize;
                    self.rest.sums[cell] += weights[y as usize] * rest;
                    self.rest.squares[cell] += weights[y as usize] * (rest * rest);
                }
            }
            structure.reset(ones, &mut self.positions);
        }
    }
}

pub(super) fn find_active(weights: &[f64], active: &mut Vec<u32>) {
    active.clear();
    active.extend((0u32..).zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(y, _)| y));
}

/// Adds a row to the histogram at its blocks' positions, and brings these back to their starts.
///
/// In a walk over ones a block is met once for each of them: the first time at the slot of its
/// count, then at its start. The slots of no ones are worked out from all others when chunks are
/// joined, so what they gather here does not matter.
#[inline]
fn fill(
    structure: &Structure,
    ones: &[u32],
    weights: &[f64],
    active: &[u32],
    positions: &mut [u32],
    histogram: &mut [f64],
) {
    if structure.has_fewer_blocks(ones.len()) {
        for &y in active {
            let weight = weights[y as usize];
            for &position in &positions[structure.numbers(y as usize)] {
                histogram[position as usize] += weight;
            }
        }
        positions.copy_from_slice(&structure.starts);
        return;
    }
    let starts = &structure.starts;
    for &one in ones {
        let blocks = structure.blocks_of(one);
        for &y in active {
            let block = blocks[y as usize] as usize;
            histogram[positions[block] as usize] += weights[y as usize];
            positions[block] = starts[block];
        }
    }
    structure.reset(ones, positions);
}
