//! The tree of rows of numbers. The best split has the lowest Gini index, weighted by examples.

use super::cart::{Criterion, Tree};
use crate::shared::prediction::{distributions, highest, predict_each};
use contract::{Classifier, Context, Examples, Labelled, Prediction, Reported, Result};
use math::random::Random;
use ndarray::Array2;

/// A fitted tree.
#[derive(Debug)]
pub(super) struct NumberTree {
    classes: usize,
    tree: Tree<Leaf>,
}

#[derive(Debug)]
struct Leaf {
    class: u32,
    /// How many training examples of each class it has.
    counts: Vec<f64>,
}

/// The Gini index.
struct Gini<'a> {
    labels: &'a [u32],
    /// How many examples of each class a node has, and how many lie on each side of the threshold.
    counts: Vec<f64>,
    below: Vec<f64>,
    above: Vec<f64>,
}

impl Criterion for Gini<'_> {
    type Leaf = Leaf;

    fn turn_to(&mut self, own: &[u32]) -> (Leaf, bool) {
        self.counts.fill(0.0);
        own.iter().for_each(|&row| self.counts[self.labels[row as usize] as usize] += 1.0);
        let several = self.counts.iter().filter(|&&count| count > 0.0).count() > 1;
        (Leaf { class: highest(&self.counts), counts: self.counts.clone() }, several)
    }

    fn of(&self, row: u32) -> f64 {
        f64::from(self.labels[row as usize])
    }

    fn begin(&mut self, _: &[(f64, f64)]) {
        self.below.fill(0.0);
        self.above.copy_from_slice(&self.counts);
    }

    fn lower(&mut self, class: f64) {
        self.below[class as usize] += 1.0;
        self.above[class as usize] -= 1.0;
    }

    /// The lower the index, the higher the sum of the squares of both sides' counts, each divided by its examples.
    fn score(&self, below: usize, above: usize) -> Option<f64> {
        let squares = |of: &[f64]| of.iter().map(|count| count * count).sum::<f64>();
        Some(squares(&self.below) / below as f64 + squares(&self.above) / above as f64)
    }
}

impl NumberTree {
    /// Grows a tree to the end.
    ///
    /// # Errors
    /// If there are no examples, the deadline passes or the user interrupts.
    pub(super) fn grow(train: &Labelled, ties: Option<Random>, context: &Context) -> Result<Self> {
        let classes = train.classes;
        let none = || vec![0.0; classes];
        let mut gini = Gini { labels: &train.labels, counts: none(), below: none(), above: none() };
        Ok(Self { classes, tree: Tree::grow(train.examples.numeric()?, &mut gini, ties, context)? })
    }
}

impl Classifier for NumberTree {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = self.tree.rows(examples)?;
        Ok(predict_each(rows.len(), context, |row| self.tree.leaf(rows.row(row)).class)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = self.tree.rows(examples)?;
        let write = |row, out: &mut [f64]| {
            out.copy_from_slice(&self.tree.leaf(rows.row(row)).counts);
            let all: f64 = out.iter().sum();
            out.iter_mut().for_each(|count| *count /= all);
        };
        distributions(rows.len(), self.classes, context, write).map(Some)
    }

    /// By how large a part of a leaf's examples class 1 exceeds class 0.
    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = self.tree.rows(examples)?;
        context.check()?;
        let lead = |row| match self.tree.leaf(row).counts[..] {
            [none, some] => Some((some - none) / (some + none)),
            _ => None,
        };
        Ok(rows.iter().map(lead).collect())
    }

    fn measures(&self) -> Reported {
        self.tree.measures()
    }
}
