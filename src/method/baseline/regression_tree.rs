//! Regression trees: CART with squared errors, grown until the targets of a leaf are equal.
//!
//! L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, with the defaults of
//! scikit-learn 1.9.1's `DecisionTreeRegressor`: the best of all splits, no limit of depth, no pruning. Of a column's
//! values in a node, the threshold of a split lies midway between neighbours. The best split leaves the lowest sum of
//! squared errors around the means of both sides. Splits whose sums differ by less than 1e-12 of the node's are equally
//! good, so that rounding decides nothing.

use super::decision_tree::{DEPTH, NODES, TIES, ties};
use super::mean;
use crate::shared::prediction::{check_variables, predict_each};
use crate::shared::scales::check_scales;
use contract::numeric::NumericRows;
use contract::parameter::{Count, parameters};
use contract::{
    Context, Examples, Fit, FitError, Measure, MethodEntry, Regressor, Reported, Result,
};
use math::random::Random;

/// Part of a node's squared errors by which a better split is better.
const BETTER: f64 = 1e-12;

const MIN_LEAF: Count = Count::from(
    "min_leaf",
    1,
    1,
    "the fewest training examples of a leaf; no split leaves fewer on a side",
);

/// The registry's entry.
pub static REGRESSION_TREE: MethodEntry = MethodEntry {
    kind: "regression-tree",
    summary: "regression tree by squared errors, grown until the targets of its leaves are equal (CART)",
    source: "Breiman, Friedman, Olshen and Stone 1984, with the defaults of scikit-learn",
    parameters: parameters![MIN_LEAF, TIES],
    reports: &[&NODES, &DEPTH],
    cost: |_, shape| 1e-6 * shape.entries as f64,
    fits: &[Fit::Regression(|parameters, train, context, _| {
        let rows = train.examples.numeric()?;
        check_scales(rows)?;
        if rows.is_empty() {
            return Err(FitError::NoExamples);
        }
        let growing =
            Growing { rows, targets: &train.targets, min_leaf: parameters.get(&MIN_LEAF) };
        Ok(Box::new(growing.grow(ties(parameters, context), context)?))
    })],
    ..MethodEntry::PLAIN
};

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
enum Node {
    /// Predicts this.
    Leaf(f64),
    /// Sends values up to the threshold to the node `low`, those above it to the node behind it.
    Split { column: usize, threshold: f64, low: usize },
}

/// A fitted tree.
#[derive(Debug)]
struct RegressionTree {
    columns: usize,
    nodes: Vec<Node>,
    depth: usize,
}

/// What a tree is grown from.
struct Growing<'a> {
    rows: &'a NumericRows,
    targets: &'a [f64],
    min_leaf: usize,
}

/// A split of a node.
struct Split {
    column: usize,
    threshold: f64,
    /// By how much it lowers the sum of squared errors.
    gain: f64,
}

/// Examples of a node that is to become something.
struct Open {
    node: usize,
    rows: Vec<u32>,
    depth: usize,
}

impl Growing<'_> {
    /// Time O(n N log N) a level; `ties` draws the order in which a node looks at columns, else it is their own.
    fn grow(&self, mut ties: Option<Random>, context: &Context) -> Result<RegressionTree> {
        let columns = self.rows.columns();
        let mut tree = RegressionTree { columns, nodes: vec![Node::Leaf(0.0)], depth: 0 };
        let all = (0..self.rows.len() as u32).collect();
        let mut open = vec![Open { node: 0, rows: all, depth: 0 }];
        while let Some(Open { node, rows: own, depth }) = open.pop() {
            context.check()?;
            tree.depth = tree.depth.max(depth);
            let targets: Vec<f64> = own.iter().map(|&row| self.targets[row as usize]).collect();
            let mean = mean::of(&targets);
            let equal = targets.iter().all(|target| *target == targets[0]);
            let order = match &mut ties {
                Some(random) if !equal => random.permutation(columns),
                _ => (0..columns).collect(),
            };
            let split = if equal { None } else { self.best(&own, mean, &order) };
            let Some(Split { column, threshold, .. }) = split else {
                tree.nodes[node] = Node::Leaf(mean);
                continue;
            };
            let low = tree.nodes.len();
            tree.nodes[node] = Node::Split { column, threshold, low };
            tree.nodes.extend([Node::Leaf(0.0); 2]);
            let below = |row: &u32| self.rows.row(*row as usize)[column] <= threshold;
            let (lower, upper): (Vec<u32>, Vec<u32>) = own.into_iter().partition(below);
            open.push(Open { node: low + 1, rows: upper, depth: depth + 1 });
            open.push(Open { node: low, rows: lower, depth: depth + 1 });
        }
        Ok(tree)
    }

    /// The best split of a node whose targets have this mean; of columns with equally good ones the first in `order`.
    /// None if all columns are constant, or every split leaves a side too small.
    fn best(&self, own: &[u32], mean: f64, order: &[usize]) -> Option<Split> {
        let mut best: Option<Split> = None;
        let mut sorted: Vec<(f64, f64)> = Vec::with_capacity(own.len());
        let error = |row: &u32| self.targets[*row as usize] - mean;
        let squares: f64 = own.iter().map(|row| error(row) * error(row)).sum();
        for &column in order {
            sorted.clear();
            sorted.extend(own.iter().map(|row| (self.rows.row(*row as usize)[column], error(row))));
            // By the targets too: sums are the same whatever the order of the examples.
            sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let total: f64 = sorted.iter().map(|(_, error)| error).sum();
            let mut lower = 0.0;
            for (at, pair) in sorted.windows(2).enumerate() {
                lower += pair[0].1;
                let (below, above) = (at + 1, own.len() - at - 1);
                if pair[0].0 == pair[1].0 || below.min(above) < self.min_leaf {
                    continue;
                }
                let upper = total - lower;
                let gain = lower * lower / below as f64 + upper * upper / above as f64;
                if best.as_ref().is_none_or(|best| gain > best.gain + BETTER * squares) {
                    let middle = 0.5 * pair[0].0 + 0.5 * pair[1].0;
                    // Of neighbouring numbers the mean may be the upper one.
                    let threshold = if middle < pair[1].0 { middle } else { pair[0].0 };
                    best = Some(Split { column, threshold, gain });
                }
            }
        }
        best
    }
}

impl RegressionTree {
    /// O(depth).
    fn at(&self, row: &[f64]) -> f64 {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(value) => return value,
                Node::Split { column, threshold, low } => {
                    node = low + usize::from(row[column] > threshold);
                }
            }
        }
    }
}

impl Regressor for RegressionTree {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>> {
        check_variables(examples, self.columns, "the tree was grown on")?;
        let rows = examples.numeric()?;
        predict_each(rows.len(), context, |row| self.at(rows.row(row)))
    }

    fn measures(&self) -> Reported {
        vec![
            (&NODES, Measure::Scalar(self.nodes.len() as f64)),
            (&DEPTH, Measure::Scalar(self.depth as f64)),
        ]
    }
}
