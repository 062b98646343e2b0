//! A latent tree cut at its observed nodes. Given the value of an observed node the branches around it are independent,
//! so the distribution is a product over the pieces, and each is learned from the rows of its own few variables.

use std::collections::HashMap;

use contract::LatentTree;
use contract::binary::DistinctRows;
use contract::packed::bits_of;

/// Rows that one word of bits holds.
pub const BLOCK: usize = 64;

/// Weighted rows by their columns, of nodes of a tree.
#[derive(Debug, Clone)]
pub struct Columns {
    /// How often each row counts; padded with zeros to whole blocks.
    pub weights: Vec<f64>,
    /// Of each node that is known its values.
    pub of: Vec<Column>,
}

/// What is known of a node in each row.
#[derive(Debug, Clone)]
pub enum Column {
    /// Its value: bit r % 64 of word r / 64 is that of row r.
    Bits(Vec<u64>),
    /// The probability that it is 1.
    Soft(Vec<f64>),
    /// Nothing.
    Hidden,
}

impl Columns {
    /// The distinct rows of training examples.
    pub fn of_rows(train: &DistinctRows) -> Self {
        let weights = train.counts.iter().map(|&count| f64::from(count)).collect();
        Self::packed(train, weights, 0..train.rows.len())
    }

    /// The examples of distinct rows, one after another, each of weight 1.
    pub fn of_examples(train: &DistinctRows) -> Self {
        let rows = train.of_example.iter().map(|&row| row as usize);
        Self::packed(train, vec![1.0; train.examples()], rows)
    }

    fn packed(
        train: &DistinctRows,
        mut weights: Vec<f64>,
        rows: impl Iterator<Item = usize>,
    ) -> Self {
        let blocks = weights.len().div_ceil(BLOCK);
        weights.resize(blocks * BLOCK, 0.0);
        let mut of = vec![vec![0u64; blocks]; train.variables()];
        for (index, row) in rows.enumerate() {
            for &one in train.rows.row(row) {
                of[one as usize][index / BLOCK] |= 1 << (index % BLOCK);
            }
        }
        Self { weights, of: of.into_iter().map(Column::Bits).collect() }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.weights.len() / BLOCK
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        math::vector::sum(&self.weights)
    }

    /// Whether the values of a node are known.
    pub fn is_hard(&self, node: usize) -> bool {
        matches!(self.of.get(node), Some(Column::Bits(_)))
    }

    /// Whether something is known of a node.
    pub fn is_known(&self, node: usize) -> bool {
        matches!(self.of.get(node), Some(Column::Bits(_) | Column::Soft(_)))
    }

    /// The expected weight of the rows in which all of one or two nodes are 1, taken for independent where their values
    /// are not known.
    pub fn both(&self, a: usize, b: usize) -> f64 {
        let soft = |node: usize, row: usize| match &self.of[node] {
            Column::Bits(bits) => f64::from(bits[row / BLOCK] >> (row % BLOCK) & 1 == 1),
            Column::Soft(ones) => ones[row],
            Column::Hidden => 0.0,
        };
        if let (Column::Bits(one), Column::Bits(other)) = (&self.of[a], &self.of[b]) {
            let mut sum = 0.0;
            for (block, (one, other)) in one.iter().zip(other).enumerate() {
                bits_of(one & other).for_each(|row| sum += self.weights[block * BLOCK + row]);
            }
            return sum;
        }
        let value = |row: usize| {
            let one = soft(a, row);
            self.weights[row] * if a == b { one } else { one * soft(b, row) }
        };
        (0..self.weights.len()).map(value).sum()
    }

    /// Those of some nodes, equal rows merged where the values of all are known and there are at most 64 of them; and
    /// for each row before its row now.
    pub fn of_nodes(&self, nodes: &[usize]) -> (Self, Vec<u32>) {
        let rows = self.weights.len();
        if nodes.len() > BLOCK || !nodes.iter().all(|&node| self.is_hard(node)) {
            let of = nodes.iter().map(|&node| self.of[node].clone()).collect();
            return (Self { weights: self.weights.clone(), of }, (0..rows as u32).collect());
        }
        let mut keys = vec![0u64; rows];
        for (place, &node) in nodes.iter().enumerate() {
            let Column::Bits(bits) = &self.of[node] else { continue };
            for (block, &word) in bits.iter().enumerate() {
                bits_of(word).for_each(|row| keys[block * BLOCK + row] |= 1 << place);
            }
        }
        let mut places: HashMap<u64, u32> = HashMap::new();
        let (mut merged, mut weights) = (Vec::new(), Vec::new());
        let of_row = keys
            .iter()
            .zip(&self.weights)
            .map(|(&key, weight)| {
                let place = *places.entry(key).or_insert_with(|| {
                    merged.push(key);
                    weights.push(0.0);
                    merged.len() as u32 - 1
                });
                weights[place as usize] += weight;
                place
            })
            .collect();
        let blocks = merged.len().div_ceil(BLOCK);
        weights.resize(blocks * BLOCK, 0.0);
        let column = |place: usize| {
            let mut bits = vec![0u64; blocks];
            for (row, key) in merged.iter().enumerate() {
                bits[row / BLOCK] |= (key >> place & 1) << (row % BLOCK);
            }
            Column::Bits(bits)
        };
        (Self { weights, of: (0..nodes.len()).map(column).collect() }, of_row)
    }
}

/// A tree as a product of conditional distributions, parents before children.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Of each component of the forest one node whose value is known.
    pub roots: Vec<usize>,
    /// Edges between nodes whose values are known: parent and child.
    pub pairs: Vec<[usize; 2]>,
    /// What hangs together by nodes whose values are not known.
    pub pieces: Vec<Piece>,
}

/// A tree of hidden nodes, around it observed ones: given the root, the distribution of the leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The observed node above the first of `nodes`.
    pub root: usize,
    /// Its nodes, parents before children; the first is hidden.
    pub nodes: Vec<PieceNode>,
}

/// A node of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceNode {
    /// Its number in the tree.
    pub name: usize,
    /// The place of its parent in the piece; of the first node, whose parent is the root, 0.
    pub parent: usize,
    /// Whether its value is known: then it has no children in the piece.
    pub leaf: bool,
}

impl Piece {
    /// The name of the root (0) or of the node at a place (from 1).
    pub fn name(&self, at: usize) -> usize {
        if at == 0 { self.root } else { self.nodes[at - 1].name }
    }

    /// The name of the parent of the node at a place.
    pub fn parent(&self, place: usize) -> usize {
        if place == 0 { self.root } else { self.nodes[self.nodes[place].parent].name }
    }

    /// The nodes whose values are known: the root and the leaves in their order.
    pub fn boundary(&self) -> Vec<usize> {
        let leaves = self.nodes.iter().filter(|node| node.leaf).map(|node| node.name);
        std::iter::once(self.root).chain(leaves).collect()
    }
}

impl Plan {
    /// Cuts a tree at the nodes whose values are known.
    ///
    /// # Panics
    /// If a component has none.
    pub fn new(tree: &LatentTree, hard: impl Fn(usize) -> bool) -> Self {
        let neighbours = tree.neighbours();
        let mut seen = vec![false; tree.nodes()];
        let mut plan = Self { roots: Vec::new(), pairs: Vec::new(), pieces: Vec::new() };
        for root in (0..tree.nodes()).filter(|&node| hard(node)) {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            plan.roots.push(root);
            let mut queue = std::collections::VecDeque::from([root]);
            while let Some(parent) = queue.pop_front() {
                for &child in &neighbours[parent] {
                    if seen[child] {
                        continue;
                    }
                    seen[child] = true;
                    if hard(child) {
                        plan.pairs.push([parent, child]);
                        queue.push_back(child);
                        continue;
                    }
                    let mut nodes = vec![PieceNode { name: child, parent: 0, leaf: false }];
                    let mut at = 0;
                    while at < nodes.len() {
                        let PieceNode { name, leaf, .. } = nodes[at];
                        if leaf {
                            queue.push_back(name);
                        } else {
                            for &next in &neighbours[name] {
                                if !std::mem::replace(&mut seen[next], true) {
                                    let leaf = hard(next);
                                    nodes.push(PieceNode { name: next, parent: at, leaf });
                                }
                            }
                        }
                        at += 1;
                    }
                    plan.pieces.push(Piece { root: parent, nodes });
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen), "every component has a node whose value is known");
        plan
    }
}
