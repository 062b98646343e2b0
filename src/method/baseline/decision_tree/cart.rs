//! Trees over columns of numbers: a split sends the values up to a threshold one way and those above it the other. Of a
//! column's values in a node, the threshold of a split lies midway between neighbours.

use super::{DEPTH, NODES};
use crate::shared::prediction::check_variables;
use contract::numeric::NumericRows;
use contract::{Context, Examples, FitError, Measure, Reported, Result};
use math::random::Random;

/// What makes a split good, at one node after another.
pub trait Criterion {
    /// What a leaf predicts.
    type Leaf;

    /// Turns to a node with these examples: what it predicts as a leaf, and whether something is left to be split.
    fn turn_to(&mut self, own: &[u32]) -> (Self::Leaf, bool);

    /// What an example counts.
    fn of(&self, row: u32) -> f64;

    /// Begins with a column: of all examples the values, ascending, with what they count; all are above the threshold.
    fn begin(&mut self, sorted: &[(f64, f64)]);

    /// Moves an example that counts so much below the threshold.
    fn lower(&mut self, counts: f64);

    /// How good the split is, with so many examples below and above; none if it is not allowed.
    fn score(&self, below: usize, above: usize) -> Option<f64>;

    /// By how much a better split is better.
    fn margin(&self) -> f64 {
        0.0
    }
}

/// A node of a tree.
#[derive(Debug)]
enum Node<L> {
    /// Ends.
    Leaf(L),
    /// Sends values up to the threshold to the node `low`, those above it to the node behind it.
    Split { column: usize, threshold: f64, low: usize },
}

/// A grown tree.
#[derive(Debug)]
pub struct Tree<L> {
    columns: usize,
    nodes: Vec<Node<L>>,
    depth: usize,
}

/// A node that is still to be split or closed.
struct Open {
    node: usize,
    rows: Vec<u32>,
    depth: usize,
}

impl<L> Tree<L> {
    /// Grows a tree until no split is left, the node with the lower values first. `ties` draws the order in which a
    /// node's columns are tried; of equally good splits the first is made, in a column that of the lowest threshold.
    ///
    /// # Errors
    /// If there are no examples, the deadline passes or the user interrupts.
    pub fn grow(
        rows: &NumericRows,
        criterion: &mut impl Criterion<Leaf = L>,
        mut ties: Option<Random>,
        context: &Context,
    ) -> Result<Self> {
        if rows.is_empty() {
            return Err(FitError::NoExamples);
        }
        // A node is open until its turn comes.
        let open_node = || Node::Split { column: 0, threshold: 0.0, low: 0 };
        let mut tree = Self { columns: rows.columns(), nodes: vec![open_node()], depth: 0 };
        let all = (0..rows.len() as u32).collect();
        let mut open = vec![Open { node: 0, rows: all, depth: 0 }];
        while let Some(Open { node, rows: own, depth }) = open.pop() {
            context.check()?;
            tree.depth = tree.depth.max(depth);
            let (leaf, splits) = criterion.turn_to(&own);
            let order = match &mut ties {
                Some(random) if splits => random.permutation(tree.columns),
                _ => (0..tree.columns).collect(),
            };
            let split = if splits { best(rows, criterion, &own, &order) } else { None };
            let Some((column, threshold)) = split else {
                tree.nodes[node] = Node::Leaf(leaf);
                continue;
            };
            let low = tree.nodes.len();
            tree.nodes[node] = Node::Split { column, threshold, low };
            tree.nodes.extend([open_node(), open_node()]);
            let below = |row: &u32| rows.row(*row as usize)[column] <= threshold;
            let (lower, upper): (Vec<u32>, Vec<u32>) = own.into_iter().partition(below);
            open.push(Open { node: low + 1, rows: upper, depth: depth + 1 });
            open.push(Open { node: low, rows: lower, depth: depth + 1 });
        }
        Ok(tree)
    }

    /// Where a row ends.
    pub fn leaf(&self, row: &[f64]) -> &L {
        let mut node = 0;
        loop {
            match &self.nodes[node] {
                Node::Leaf(leaf) => return leaf,
                Node::Split { column, threshold, low } => {
                    node = low + usize::from(row[*column] > *threshold);
                }
            }
        }
    }

    /// The rows of examples.
    ///
    /// # Errors
    /// If they are no numbers, or have other columns than those that the tree was grown on.
    pub fn rows<'e>(&self, examples: &'e Examples) -> Result<&'e NumericRows> {
        check_variables(examples, self.columns, "the tree was grown on")?;
        examples.numeric()
    }

    /// Its size.
    pub fn measures(&self) -> Reported {
        vec![
            (&NODES, Measure::Scalar(self.nodes.len() as f64)),
            (&DEPTH, Measure::Scalar(self.depth as f64)),
        ]
    }
}

/// The column and the threshold of the best split.
fn best(
    rows: &NumericRows,
    criterion: &mut impl Criterion,
    own: &[u32],
    order: &[usize],
) -> Option<(usize, f64)> {
    let mut best: Option<(f64, (usize, f64))> = None;
    let mut sorted: Vec<(f64, f64)> = Vec::with_capacity(own.len());
    for &column in order {
        sorted.clear();
        sorted.extend(own.iter().map(|&row| (rows.row(row as usize)[column], criterion.of(row))));
        // By what they count too: sums are the same whatever the order of the examples.
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        criterion.begin(&sorted);
        for (at, pair) in sorted.windows(2).enumerate() {
            criterion.lower(pair[0].1);
            if pair[0].0 == pair[1].0 {
                continue;
            }
            let Some(score) = criterion.score(at + 1, own.len() - at - 1) else { continue };
            if best.is_none_or(|(best, _)| score > best + criterion.margin()) {
                let middle = 0.5 * pair[0].0 + 0.5 * pair[1].0;
                // Of neighbouring numbers the mean may be the upper one.
                let threshold = if middle < pair[1].0 { middle } else { pair[0].0 };
                best = Some((score, (column, threshold)));
            }
        }
    }
    best.map(|(_, split)| split)
}
