//! Decision trees: CART with the Gini index, grown until the leaves are pure.
//!
//! L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, with
//! the defaults of scikit-learn 1.9.1's `DecisionTreeClassifier`: the best of all splits, no limit of
//! depth, size or impurity decrease, no pruning. A binary variable has one split: zeros against ones;
//! `numbers` has those of numbers.

pub(super) mod cart;
mod count;
mod grow;
mod numbers;
mod split;
mod sums;

use crate::shared::prediction::{CHUNK, check_variables};
use contract::packed::words_for;
use contract::parameter::{Choice, Parameters, parameters, settings};
use contract::{
    Binary, Classifier, Context, Examples, Fit, Measure, MethodEntry, Prediction, Reported, Result,
    metrics, words,
};
use math::random::Random;
use ndarray::Array2;

metrics! {
    pub NODES: Model = "nodes", "Nodes", "number of nodes of a decision tree, leaves included";
    pub DEPTH: Model = "depth", "Depth", "depth of a decision tree: edges from the root to the deepest leaf";
}

words! {
    /// Which of several equally good splits is made.
    pub(super) enum Ties {
        Random = "random", "any of them with equal probability, as scikit-learn does";
        First = "first", "the one of lowest index";
    }
}

settings! { pub(super) TIES ties: Choice<Ties>::worded("random"), "which variable a node is split by where several are equally good"; }

/// The registry's entry.
pub static DECISION_TREE: MethodEntry = MethodEntry {
    kind: "decision-tree",
    summary: "classification tree by the Gini index, grown until its leaves are pure (CART)",
    source: "Breiman, Friedman, Olshen and Stone 1984, with the defaults of scikit-learn",
    parameters: parameters![TIES],
    reports: &[&NODES, &DEPTH],
    probabilities: true,
    cost: |_, shape| 1e-7 * shape.entries.min(shape.examples * shape.variables / 32) as f64,
    fits: &[
        Fit::Classification(|parameters, train, context, _| {
            Ok(Box::new(grow::grow(train, ties(parameters, context), context)?))
        }),
        Fit::Numeric(|parameters, train, context, _| {
            Ok(Box::new(numbers::NumberTree::grow(train, ties(parameters, context), context)?))
        }),
    ],
    ..MethodEntry::PLAIN
};

/// What draws among equally good splits; none where the first of them is made.
pub(super) fn ties(parameters: &Parameters, context: &Context) -> Option<Random> {
    match parameters.get(&TIES) {
        Ties::First => None,
        Ties::Random => Some(context.random(0)),
    }
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// Predicts this class.
    Leaf(u32),
    /// Sends examples with a zero in the variable to the node `zero`, those with a one to the node
    /// behind it.
    Split { variable: u32, zero: u32 },
}

/// A fitted tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DecisionTree {
    /// Number of variables of the training examples.
    variables: usize,
    /// The nodes level by level, the root first.
    nodes: Vec<Node>,
    /// How many training examples of each class each node has.
    counts: Vec<u32>,
    /// Edges from the root to the deepest leaf.
    depth: usize,
}

impl DecisionTree {
    /// The leaf of a packed row, and its class. O(depth).
    fn leaf(&self, row: &[u64]) -> (usize, u32) {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(class) => return (node, class),
                Node::Split { variable, zero } => {
                    let one = row[variable as usize / 64] >> (variable % 64) & 1;
                    node = zero as usize + one as usize;
                }
            }
        }
    }

    /// The leaf of each example, and its class. O(depth + ones) an example.
    fn leaves(&self, examples: &Examples, context: &Context) -> Result<Vec<(usize, u32)>> {
        check_variables(examples, self.variables, "the tree was grown on")?;
        let examples = examples.binary()?;
        let unpacked = || vec![0u64; words_for(self.variables)];
        context.each_with(examples.len(), CHUNK, unpacked, |unpacked, example| {
            Ok(match examples {
                Binary::Packed(rows) => self.leaf(rows.row(example)),
                Binary::Sparse(rows) => {
                    let ones = rows.row(example);
                    ones.iter().for_each(|&v| unpacked[v as usize / 64] |= 1 << (v % 64));
                    let leaf = self.leaf(unpacked);
                    ones.iter().for_each(|&v| unpacked[v as usize / 64] = 0);
                    leaf
                }
            })
        })
    }
}

impl Classifier for DecisionTree {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let leaves = self.leaves(examples, context)?;
        Ok(leaves.into_iter().map(|(_, class)| class).collect::<Vec<u32>>().into())
    }

    /// The shares of the classes among the training examples of the leaf.
    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let (leaves, classes) =
            (self.leaves(examples, context)?, self.counts.len() / self.nodes.len());
        let share = |(row, class): (usize, usize)| {
            let counts = &self.counts[leaves[row].0 * classes..][..classes];
            f64::from(counts[class]) / f64::from(counts.iter().sum::<u32>())
        };
        Ok(Some(Array2::from_shape_fn((leaves.len(), classes), share)))
    }

    fn measures(&self) -> Reported {
        vec![
            (&NODES, Measure::Scalar(self.nodes.len() as f64)),
            (&DEPTH, Measure::Scalar(self.depth as f64)),
        ]
    }
}

#[cfg(test)]
mod tests;
