//! Decision trees: CART with the Gini index, grown until the leaves are pure.
//!
//! L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, with
//! the defaults of scikit-learn 1.9.1's `DecisionTreeClassifier`: the best of all splits, no limit of
//! depth, size or impurity decrease, no pruning. A binary variable has one split: zeros against ones.

mod count;
mod grow;
mod split;

use crate::prediction::{check_variables, predict_each};
use contract::packed::words_for;
use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry,
};

/// The registry's entry.
pub static DECISION_TREE: MethodEntry = MethodEntry {
    kind: "decision-tree",
    summary: "classification tree by the Gini index, grown until its leaves are pure (CART)",
    source: "Breiman, Friedman, Olshen and Stone 1984, with the defaults of scikit-learn",
    revision: 1,
    parameters: &[Parameter {
        name: "ties",
        domain: Domain::Word(&[
            ("random", "any of them with equal probability, as scikit-learn does"),
            ("first", "the one of lowest index"),
        ]),
        default: Default::Word("random"),
        meaning: "which variable a node is split by where several are equally good",
    }],
    along: &[],
    cost: |_, shape| 1e-7 * shape.entries.min(shape.examples * shape.variables / 32) as f64,
    fits: &[Fit::Classification(fit)],
};

fn fit(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let ties = match parameters.word("ties") {
        "first" => None,
        _ => Some(context.random(0)),
    };
    Ok(Box::new(grow::grow(train, ties, context)?))
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
    /// Edges from the root to the deepest leaf.
    depth: usize,
}

impl DecisionTree {
    /// The class of a packed row. O(depth).
    fn class(&self, row: &[u64]) -> u32 {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(class) => return class,
                Node::Split { variable, zero } => {
                    let one = row[variable as usize / 64] >> (variable % 64) & 1;
                    node = zero as usize + one as usize;
                }
            }
        }
    }
}

impl Classifier for DecisionTree {
    /// O(depth + ones) an example.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<u32>, FitError> {
        check_variables(examples, self.variables, "the tree was grown on")?;
        predict_each(
            examples.len(),
            context,
            || vec![0u64; words_for(self.variables)],
            |unpacked, example| match examples {
                Examples::Packed(rows) => self.class(rows.row(example)),
                Examples::Binary(rows) => {
                    let ones = rows.row(example);
                    ones.iter().for_each(|&v| unpacked[v as usize / 64] |= 1 << (v % 64));
                    let class = self.class(unpacked);
                    ones.iter().for_each(|&v| unpacked[v as usize / 64] = 0);
                    class
                }
                other => other.not_binary(),
            },
        )
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        vec![
            ("nodes", Measure::Scalar(self.nodes.len() as f64)),
            ("depth", Measure::Scalar(self.depth as f64)),
        ]
    }
}

#[cfg(test)]
mod tests;
