//! k nearest neighbours in Euclidean distance, each with one vote. Rows of bits are searched by `search`, those of
//! numbers by `neighbours`; `regression` has means of their targets.
//!
//! Between rows of bits the squared Euclidean distance is the number of bits that differ, so distances
//! are compared as whole numbers.

mod nearest;
mod neighbours;
pub mod regression;
mod search;

use crate::shared::prediction::highest;
use crate::shared::refusals::countable;
use contract::parameter::{Count, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, FitClassifier, FitError, Labelled, Measure, MethodEntry,
    Prediction, Result, metrics,
};
use ndarray::Array2;
use neighbours::Neighbours;
use search::Search;

metrics! {
    pub BOUNDARY_TIES: Training = "boundary_ties", "Ties at the boundary",
        "share of the test examples with a training example beyond the k nearest at the distance of the k-th";
}

settings! {
    K k: Count::within(1..=1_000_000, 5),
        "number of neighbours that vote; of equally far ones those that come first in training are the nearer, and of classes \
         with equally many votes the first wins";
}

/// The registry's entry.
pub static KNN: MethodEntry = MethodEntry {
    kind: "knn",
    summary: "k nearest neighbours in Euclidean distance, one vote each",
    source: "Cover and Hart 1967; as scikit-learn's KNeighborsClassifier",
    parameters: parameters![K],
    reports: &[&BOUNDARY_TIES],
    probabilities: true,
    cost: |_, shape| 3e-11 * shape.examples as f64 * shape.entries as f64,
    fits: &[Fit::Classification(FIT), Fit::Numeric(FIT)],
    ..MethodEntry::PLAIN
};

const FIT: FitClassifier =
    |parameters, train, _, _| Ok(Box::new(Knn::new(train, parameters.get(&K))?));

/// Refuses fewer examples than neighbours, and more than can be counted.
fn enough(examples: usize, k: usize) -> Result<()> {
    if examples < k {
        return Err(FitError::Failed(format!(
            "k = {k} neighbours can't be found among {examples} training examples; lower `k`"
        )));
    }
    countable(examples, u32::MAX).map(drop)
}

/// The training examples, ready to be searched. Packed rows are shared, not copied; of sparse rows an
/// inverted index is made, or packed rows where these are searched faster.
#[derive(Debug)]
enum Among {
    Bits(Search),
    Numbers(Neighbours),
}

/// The training examples and their classes.
#[derive(Debug)]
pub struct Knn {
    k: usize,
    among: Among,
    labels: Vec<u32>,
    classes: usize,
}

/// How many of the k nearest are of each class, and whether a row beyond them is as near as the farthest.
struct Votes {
    of_class: Vec<f64>,
    tied: bool,
}

impl Knn {
    /// Prepares the training examples.
    ///
    /// # Errors
    /// If there are fewer than k, or they are no rows of bits or numbers.
    pub fn new(train: &Labelled, k: usize) -> Result<Self> {
        enough(train.labels.len(), k)?;
        let among = match &train.examples {
            Examples::Numeric(rows) => Among::Numbers(Neighbours::new(rows, k)?),
            examples => Among::Bits(Search::new(examples.binary()?)),
        };
        Ok(Self { k, among, labels: train.labels.clone(), classes: train.classes })
    }

    fn votes(&self, examples: &Examples, context: &Context) -> Result<Vec<Votes>> {
        let votes = |nearest: &mut dyn Iterator<Item = u32>, tied| {
            let mut of_class = vec![0.0; self.classes];
            nearest.for_each(|row| of_class[self.labels[row as usize] as usize] += 1.0);
            Votes { of_class, tied }
        };
        match &self.among {
            Among::Bits(search) => {
                search.map_nearest(examples.binary()?, self.k, context, |nearest| {
                    votes(&mut nearest.rows(), nearest.tied)
                })
            }
            Among::Numbers(neighbours) => neighbours.map(examples, context, |nearest, tied| {
                votes(&mut nearest.iter().map(|(_, row)| *row), tied)
            }),
        }
    }

    /// The class of each example, and whether a tie at the boundary had a part in it.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn neighbours_vote(
        &self,
        examples: &Examples,
        context: &Context,
    ) -> Result<Vec<(u32, bool)>> {
        let votes = self.votes(examples, context)?;
        Ok(votes.iter().map(|votes| (highest(&votes.of_class), votes.tied)).collect())
    }
}

impl Classifier for Knn {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let found = self.neighbours_vote(examples, context)?;
        let tied = found.iter().filter(|(_, tied)| *tied).count();
        let share = tied as f64 / found.len() as f64;
        Ok(Prediction {
            classes: found.into_iter().map(|(class, _)| class).collect(),
            noticed: vec![(&BOUNDARY_TIES, Measure::Scalar(share))],
        })
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let votes = self.votes(examples, context)?;
        let share = |(row, class): (usize, usize)| votes[row].of_class[class] / self.k as f64;
        Ok(Some(Array2::from_shape_fn((votes.len(), self.classes), share)))
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        if self.classes != 2 || !matches!(self.among, Among::Numbers(_)) {
            return Ok(None);
        }
        let lead = |votes: &Votes| (votes.of_class[1] - votes.of_class[0]) / self.k as f64;
        Ok(Some(self.votes(examples, context)?.iter().map(lead).collect()))
    }
}

#[cfg(test)]
mod tests;
