//! Exact inference in a piece, a block of 64 rows at a time: messages upward with scaling, then posteriors downward.
//! Every row goes through the same operations in the same order, whatever block it is in.

use std::array::from_fn;

use math::vector;

use super::pieces::{BLOCK, Column, Columns, Piece};
use contract::packed::bits_of;

/// P(x | parent = s) at `[s][x]`.
pub type Table = [[f64; 2]; 2];
/// A number for each row of a block.
type Lane = [f64; BLOCK];

/// No probability is lower, so that no product of messages vanishes before it is scaled.
pub const FLOOR: f64 = 1e-20;
/// Messages are scaled after so many factors: eight of [`FLOOR`] are a normal number.
const FACTORS: u8 = 8;
/// Blocks whose sums one core computes at a time.
const CHUNK: usize = 16;

/// Memory for messages; it grows with the largest piece.
#[derive(Debug, Default)]
pub struct Scratch {
    /// P(what is known below | x), up to a factor, at `[x]`.
    below: Vec<[Lane; 2]>,
    /// P(what is known below | parent's value s), up to a factor, at `[s]`.
    message: Vec<[Lane; 2]>,
    /// Posterior probabilities times the rows' weights.
    posterior: Vec<[Lane; 2]>,
    factors: Vec<u8>,
    /// ln P(leaves | root) of each row.
    pub logs: Vec<f64>,
}

impl Scratch {
    fn prepare(&mut self, nodes: usize) {
        const NONE: [Lane; 2] = [[0.0; BLOCK]; 2];
        if self.below.len() < nodes {
            self.below.resize(nodes, NONE);
            self.message.resize(nodes, NONE);
            self.posterior.resize(nodes, NONE);
            self.factors.resize(nodes, 0);
        }
    }

    /// Messages upward: fills [`Self::logs`]. `bits` gives the values of the root (0) or of the leaf at a place (from 1),
    /// `soft` of the hidden node at a place the probabilities of 1 that are given, if they are.
    pub fn upward<'a>(
        &mut self,
        piece: &Piece,
        tables: &[Table],
        bits: impl Fn(usize) -> u64,
        soft: impl Fn(usize) -> Option<&'a [f64]>,
    ) {
        self.prepare(piece.nodes.len());
        self.logs.clear();
        self.logs.resize(BLOCK, 0.0);
        for (place, node) in piece.nodes.iter().enumerate() {
            self.factors[place] = 0;
            if !node.leaf {
                self.below[place] = match soft(place + 1) {
                    Some(ones) => [from_fn(|row| 1.0 - ones[row]), from_fn(|row| ones[row])],
                    None => [[1.0; BLOCK]; 2],
                };
            }
        }
        for (place, node) in piece.nodes.iter().enumerate().rev() {
            let table = &tables[place];
            if node.leaf {
                let bits = bits(place + 1);
                for (s, below) in self.below[node.parent].iter_mut().enumerate() {
                    let [zero, one] = table[s];
                    for (row, value) in below.iter_mut().enumerate() {
                        *value *= if bits >> row & 1 == 1 { one } else { zero };
                    }
                }
            } else {
                self.scale(place);
                let [zero, one] = &self.below[place];
                for (s, message) in self.message[place].iter_mut().enumerate() {
                    for (row, value) in message.iter_mut().enumerate() {
                        *value = table[s][0] * zero[row] + table[s][1] * one[row];
                    }
                }
                if place == 0 {
                    break;
                }
                let message = self.message[place];
                for (below, message) in self.below[node.parent].iter_mut().zip(&message) {
                    below.iter_mut().zip(message).for_each(|(value, factor)| *value *= factor);
                }
            }
            self.factors[node.parent] += 1;
            if self.factors[node.parent] == FACTORS {
                self.factors[node.parent] = 0;
                self.scale(node.parent);
            }
        }
        let bits = bits(0);
        let mut last: Lane = from_fn(|row| self.message[0][(bits >> row & 1) as usize][row]);
        vector::ln(&mut last);
        vector::add(&mut self.logs, &last);
    }

    /// Divides what is below a node by its sum, whose logarithm is added to the rows'.
    fn scale(&mut self, place: usize) {
        let [zero, one] = &mut self.below[place];
        let mut sums = [0.0; BLOCK];
        for row in 0..BLOCK {
            let sum = zero[row] + one[row];
            let inverse = 1.0 / sum;
            zero[row] *= inverse;
            one[row] *= inverse;
            sums[row] = sum;
        }
        vector::ln(&mut sums);
        vector::add(&mut self.logs, &sums);
    }

    /// Posteriors downward, after [`Self::upward`]: adds to `counts` the expected weights of the values of each node and
    /// its parent.
    fn downward(&mut self, piece: &Piece, tables: &[Table], known: Known, counts: &mut [Table]) {
        self.posteriors(piece, tables, known);
        let root = known.bits(0);
        for (place, node) in piece.nodes.iter().enumerate() {
            let count = &mut counts[place];
            if place == 0 {
                for (x, posterior) in self.posterior[0].iter().enumerate() {
                    let (mut zero, mut one) = (0.0, 0.0);
                    bits_of(root).for_each(|row| one += posterior[row]);
                    bits_of(!root).for_each(|row| zero += posterior[row]);
                    count[0][x] += zero;
                    count[1][x] += one;
                }
            } else if node.leaf {
                let bits = known.bits(place + 1);
                for (count, parent) in count.iter_mut().zip(&self.posterior[node.parent]) {
                    // The rarer value is added up, the other is the rest.
                    let (mut zero, mut one) = (0.0, 0.0);
                    if bits.count_ones() <= 32 {
                        bits_of(bits).for_each(|row| one += parent[row]);
                        zero = (vector::sum(parent) - one).max(0.0);
                    } else {
                        bits_of(!bits).for_each(|row| zero += parent[row]);
                        one = (vector::sum(parent) - zero).max(0.0);
                    }
                    count[0] += zero;
                    count[1] += one;
                }
            } else {
                for (s, count) in count.iter_mut().enumerate() {
                    for (x, count) in count.iter_mut().enumerate() {
                        *count += vector::sum(&self.edge(place, node.parent, &tables[place], s, x));
                    }
                }
            }
        }
    }

    /// The posterior probabilities of the hidden nodes times the weights, after [`Self::upward`].
    pub fn posteriors(&mut self, piece: &Piece, tables: &[Table], known: Known) {
        let (root, weights) = (known.bits(0), known.weights());
        for (place, node) in piece.nodes.iter().enumerate().filter(|(_, node)| !node.leaf) {
            let table = &tables[place];
            let mut own = [[0.0; BLOCK]; 2];
            if place == 0 {
                for row in 0..BLOCK {
                    let s = (root >> row & 1) as usize;
                    let factor = weights[row] / self.message[0][s][row];
                    for (x, own) in own.iter_mut().enumerate() {
                        own[row] = factor * self.below[0][x][row] * table[s][x];
                    }
                }
            } else {
                for (x, own) in own.iter_mut().enumerate() {
                    *own = self.edge(place, node.parent, table, 0, x);
                    vector::add(own, &self.edge(place, node.parent, table, 1, x));
                }
            }
            self.posterior[place] = own;
        }
    }

    /// The posterior probabilities times the weights of a hidden node's value x and its hidden parent's value s.
    fn edge(&self, place: usize, parent: usize, table: &Table, s: usize, x: usize) -> Lane {
        let (parent, message) = (&self.posterior[parent][s], &self.message[place][s]);
        let (below, p) = (&self.below[place][x], table[s][x]);
        from_fn(|row| parent[row] / message[row] * below[row] * p)
    }

    /// The weighted posterior of the hidden node at a place: of value x in row r at `[x][r]`.
    pub fn posterior(&self, place: usize) -> &[Lane; 2] {
        &self.posterior[place]
    }

    /// P(x | parent's value s, what is known below) of a hidden node in a row.
    pub fn given(&self, place: usize, tables: &[Table], s: usize, row: usize) -> f64 {
        tables[place][s][1] * self.below[place][1][row] / self.message[place][s][row]
    }
}

/// The evidence of a block of rows, the columns being those of the root, then of the piece's nodes.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Of all rows.
    pub columns: &'a Columns,
    /// The place of the block.
    pub block: usize,
}

impl<'a> Known<'a> {
    /// The values of the root (0) or of the leaf at a place (from 1).
    pub fn bits(self, at: usize) -> u64 {
        match &self.columns.of[at] {
            Column::Bits(bits) => bits[self.block],
            Column::Soft(_) | Column::Hidden => 0,
        }
    }

    /// Of the hidden node at a place (from 1) the probabilities of 1 that are given, if they are.
    pub fn soft(self, at: usize) -> Option<&'a [f64]> {
        match &self.columns.of[at] {
            Column::Soft(ones) => Some(&ones[self.block * BLOCK..(self.block + 1) * BLOCK]),
            Column::Bits(_) | Column::Hidden => None,
        }
    }

    /// The weights of the rows.
    pub fn weights(self) -> &'a [f64] {
        &self.columns.weights[self.block * BLOCK..(self.block + 1) * BLOCK]
    }
}

/// What a pass over all rows gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The sum of the weighted ln P(leaves | root).
    pub log_likelihood: f64,
    /// Of each node the expected weights of its value x and its parent's value s at `[s][x]`.
    pub counts: Vec<Table>,
}

/// The expectations of a piece. The columns are those of the root, then of the piece's nodes. Sums have one shape whatever
/// the number of cores.
pub fn expectations(
    piece: &Piece,
    tables: &[Table],
    columns: &Columns,
    cores: &base::parallel::Cores,
) -> Expected {
    let nodes = piece.nodes.len();
    let chunks = cores.map_chunks(columns.blocks(), CHUNK, Scratch::default, |scratch, blocks| {
        let mut log_likelihood = 0.0;
        let mut counts = vec![[[0.0; 2]; 2]; nodes];
        for block in blocks {
            let known = Known { columns, block };
            scratch.upward(piece, tables, |at| known.bits(at), |at| known.soft(at));
            log_likelihood += vector::dot(known.weights(), &scratch.logs);
            scratch.downward(piece, tables, known, &mut counts);
        }
        Expected { log_likelihood, counts }
    });
    let mut all = Expected { log_likelihood: 0.0, counts: vec![[[0.0; 2]; 2]; nodes] };
    for chunk in chunks {
        all.log_likelihood += chunk.log_likelihood;
        for (all, of_chunk) in all.counts.iter_mut().flatten().zip(chunk.counts.iter().flatten()) {
            vector::add(all, of_chunk);
        }
    }
    all
}
