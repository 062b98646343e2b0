//! The tree of rows of numbers: a split sends the values up to a threshold one way and those above it the other.
//!
//! Of a column's values in a node, the threshold of a split lies midway between neighbours. The best split has the
//! lowest Gini index, weighted by examples; within a column, of equally good ones the lowest threshold.

use super::{DEPTH, NODES};
use crate::shared::prediction::{check_variables, distributions, predict_each};
use contract::numeric::NumericRows;
use contract::{
    Classifier, Context, Examples, FitError, Labelled, Measure, Prediction, Reported, Result,
};
use math::random::Random;
use ndarray::Array2;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// Predicts a class; `lead` is by how large a part of the examples class 1 exceeds class 0.
    Leaf { class: u32, lead: f64 },
    /// Sends values up to the threshold to the node `low`, those above it to the node behind it.
    Split { column: usize, threshold: f64, low: usize },
}

/// A fitted tree.
#[derive(Debug)]
pub(super) struct NumberTree {
    columns: usize,
    classes: usize,
    nodes: Vec<Node>,
    /// How many training examples of each class each leaf has; zeros of other nodes.
    counts: Vec<f64>,
    depth: usize,
}

/// A split of a node.
struct Split {
    column: usize,
    threshold: f64,
    /// The sum of squares of class counts over the number of examples, of both sides: the higher, the purer.
    purity: f64,
}

/// Examples of a node that is to become something.
struct Open {
    node: usize,
    rows: Vec<u32>,
    depth: usize,
}

impl NumberTree {
    /// Grows a tree until its leaves are pure, or their examples all alike; `ties` draws the order in which a node
    /// looks at columns, else it is their own. Time O(n N log N) a level.
    ///
    /// # Errors
    /// If there are no examples, they are no numbers, the deadline passes or the user interrupts.
    pub(super) fn grow(
        train: &Labelled,
        mut ties: Option<Random>,
        context: &Context,
    ) -> Result<Self> {
        let rows = train.examples.numeric()?;
        if rows.is_empty() {
            return Err(FitError::NoExamples);
        }
        let (columns, classes) = (rows.columns(), train.classes);
        let (nodes, none) = (vec![leaf(&[])], vec![0.0; classes]);
        let mut tree = Self { columns, classes, nodes, counts: none.clone(), depth: 0 };
        let all = (0..rows.len() as u32).collect();
        let mut open = vec![Open { node: 0, rows: all, depth: 0 }];
        while let Some(Open { node, rows: own, depth }) = open.pop() {
            context.check()?;
            tree.depth = tree.depth.max(depth);
            let mut counts = vec![0.0; classes];
            own.iter().for_each(|&row| counts[train.labels[row as usize] as usize] += 1.0);
            let pure = counts.iter().filter(|&&count| count > 0.0).count() == 1;
            let order = match &mut ties {
                Some(random) if !pure => random.permutation(columns),
                _ => (0..columns).collect(),
            };
            let split = if pure { None } else { best(rows, train, &own, &counts, &order) };
            let Some(Split { column, threshold, .. }) = split else {
                tree.nodes[node] = leaf(&counts);
                tree.counts[node * classes..][..classes].copy_from_slice(&counts);
                continue;
            };
            let low = tree.nodes.len();
            tree.nodes[node] = Node::Split { column, threshold, low };
            tree.nodes.extend([leaf(&[]); 2]);
            (0..2).for_each(|_| tree.counts.extend_from_slice(&none));
            let below = |row: &u32| rows.row(*row as usize)[column] <= threshold;
            let (lower, upper): (Vec<u32>, Vec<u32>) = own.into_iter().partition(below);
            open.push(Open { node: low + 1, rows: upper, depth: depth + 1 });
            open.push(Open { node: low, rows: lower, depth: depth + 1 });
        }
        Ok(tree)
    }

    /// The leaf of an example: its place, what it predicts and by how much. O(depth).
    fn leaf(&self, row: &[f64]) -> (usize, u32, f64) {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf { class, lead } => return (node, class, lead),
                Node::Split { column, threshold, low } => {
                    node = low + usize::from(row[column] > threshold);
                }
            }
        }
    }
}

/// A leaf of examples with these numbers of classes; of equally frequent ones it predicts the first.
fn leaf(counts: &[f64]) -> Node {
    let class = crate::shared::prediction::highest(counts);
    let lead = match counts {
        [none, some] => (some - none) / (some + none),
        _ => 0.0,
    };
    Node::Leaf { class, lead }
}

/// The best split of a node; of columns with equally good ones the first in `order`. None if all columns are
/// constant.
fn best(
    rows: &NumericRows,
    train: &Labelled,
    own: &[u32],
    counts: &[f64],
    order: &[usize],
) -> Option<Split> {
    let mut best: Option<Split> = None;
    let mut sorted: Vec<(f64, u32)> = Vec::with_capacity(own.len());
    for &column in order {
        sorted.clear();
        let value = |&row: &u32| (rows.row(row as usize)[column], train.labels[row as usize]);
        sorted.extend(own.iter().map(value));
        // Neighbours of equal value stand in no order that counts.
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut lower, mut upper) = (vec![0.0; counts.len()], counts.to_vec());
        for (at, pair) in sorted.windows(2).enumerate() {
            let class = pair[0].1 as usize;
            lower[class] += 1.0;
            upper[class] -= 1.0;
            if pair[0].0 == pair[1].0 {
                continue;
            }
            let squares = |of: &[f64]| of.iter().map(|count| count * count).sum::<f64>();
            let (below, above) = ((at + 1) as f64, (own.len() - at - 1) as f64);
            let purity = squares(&lower) / below + squares(&upper) / above;
            if best.as_ref().is_none_or(|best| purity > best.purity) {
                let middle = 0.5 * pair[0].0 + 0.5 * pair[1].0;
                // Of neighbouring numbers the mean may be the upper one.
                let threshold = if middle < pair[1].0 { middle } else { pair[0].0 };
                best = Some(Split { column, threshold, purity });
            }
        }
    }
    best
}

impl Classifier for NumberTree {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        check_variables(examples, self.columns, "the tree was grown on")?;
        let rows = examples.numeric()?;
        Ok(predict_each(rows.len(), context, |row| self.leaf(rows.row(row)).1)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        check_variables(examples, self.columns, "the tree was grown on")?;
        let rows = examples.numeric()?;
        let write = |row, out: &mut [f64]| {
            let leaf = self.leaf(rows.row(row)).0;
            out.copy_from_slice(&self.counts[leaf * self.classes..][..self.classes]);
            let all: f64 = out.iter().sum();
            out.iter_mut().for_each(|count| *count /= all);
        };
        distributions(rows.len(), self.classes, context, write).map(Some)
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        check_variables(examples, self.columns, "the tree was grown on")?;
        let rows = examples.numeric()?;
        context.check()?;
        if self.classes != 2 {
            return Ok(None);
        }
        Ok(Some(rows.iter().map(|row| self.leaf(row).2).collect()))
    }

    fn measures(&self) -> Reported {
        vec![
            (&NODES, Measure::Scalar(self.nodes.len() as f64)),
            (&DEPTH, Measure::Scalar(self.depth as f64)),
        ]
    }
}
