//! Regression trees: CART with squared errors, grown until the targets of a leaf are equal.
//!
//! L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, with the defaults of
//! scikit-learn 1.9.1's `DecisionTreeRegressor`: the best of all splits, no limit of depth, no pruning. Of a column's
//! values in a node, the threshold of a split lies midway between neighbours. The best split leaves the lowest sum of
//! squared errors around the means of both sides. Splits whose sums differ by less than 1e-12 of the node's are equally
//! good, so that rounding decides nothing.

use super::decision_tree::cart::{Criterion, Tree};
use super::decision_tree::{DEPTH, NODES, TIES, ties};
use super::mean;
use crate::shared::prediction::predict_each;
use crate::shared::refusals::numbers;
use contract::parameter::{Count, parameters, settings};
use contract::{Context, Examples, Fit, MethodEntry, Regressor, Reported, Result};

/// Part of a node's squared errors by which a better split is better.
const BETTER: f64 = 1e-12;

settings! { MIN_LEAF min_leaf: Count::from(1, 1), "the fewest training examples of a leaf; no split leaves fewer on a side"; }

/// The registry's entry.
pub static REGRESSION_TREE: MethodEntry = MethodEntry {
    kind: "regression-tree",
    summary: "regression tree by squared errors, grown until the targets of its leaves are equal (CART)",
    source: "Breiman, Friedman, Olshen and Stone 1984, with the defaults of scikit-learn",
    parameters: parameters![MIN_LEAF, TIES],
    reports: &[&NODES, &DEPTH],
    cost: |_, shape| 1e-6 * shape.entries as f64,
    fits: &[Fit::Regression(|parameters, train, context, _| {
        let rows = numbers(&train.examples)?;
        let (targets, min_leaf) = (&train.targets, parameters.get(&MIN_LEAF));
        let (mean, squares, total, below) = (0.0, 0.0, 0.0, 0.0);
        let mut errors = Errors { targets, min_leaf, mean, squares, total, below };
        let tree = Tree::grow(rows, &mut errors, ties(parameters, context), context)?;
        Ok(Box::new(RegressionTree(tree)))
    })],
    ..MethodEntry::PLAIN
};

/// Squared errors.
struct Errors<'a> {
    targets: &'a [f64],
    min_leaf: usize,
    /// Of a node: its mean, and the sum of the squares around it.
    mean: f64,
    squares: f64,
    /// The sums of the errors of all its examples, and of those below the threshold.
    total: f64,
    below: f64,
}

impl Criterion for Errors<'_> {
    type Leaf = f64;

    fn turn_to(&mut self, own: &[u32]) -> (f64, bool) {
        let targets: Vec<f64> = own.iter().map(|&row| self.targets[row as usize]).collect();
        self.mean = mean::of(&targets);
        self.squares = own.iter().map(|&row| self.of(row) * self.of(row)).sum();
        (self.mean, targets.iter().any(|target| *target != targets[0]))
    }

    fn of(&self, row: u32) -> f64 {
        self.targets[row as usize] - self.mean
    }

    fn begin(&mut self, sorted: &[(f64, f64)]) {
        self.total = sorted.iter().map(|(_, error)| error).sum();
        self.below = 0.0;
    }

    fn lower(&mut self, error: f64) {
        self.below += error;
    }

    /// By how much the split lowers the squared errors, around the mean of the node.
    fn score(&self, below: usize, above: usize) -> Option<f64> {
        let of_above = self.total - self.below;
        let gain = self.below * self.below / below as f64 + of_above * of_above / above as f64;
        (below.min(above) >= self.min_leaf).then_some(gain)
    }

    fn margin(&self) -> f64 {
        BETTER * self.squares
    }
}

/// A fitted tree: a leaf predicts the mean of its targets.
#[derive(Debug)]
struct RegressionTree(Tree<f64>);

impl Regressor for RegressionTree {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>> {
        let rows = self.0.rows(examples)?;
        predict_each(rows.len(), context, |row| *self.0.leaf(rows.row(row)))
    }

    fn measures(&self) -> Reported {
        self.0.measures()
    }
}
